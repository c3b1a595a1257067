"""Origins by scanning: what the independent checker uses for large literal sets.

A token over the window's first byte and one over its last are all that the rest of an input can do
to a window: what is before the first of them and behind the last can be cut off without changing
the tokens between (the truncation lemma). So every realised origin shows in some input
`left + window + right`, where `left` is what a word overhangs the window by on the left, or
nothing, and `right` completes a word that begins inside the window. All of these inputs are scanned
by the definition, save those that cannot show anything new:

- of the words that complete a suffix of the window only those without a shorter one among their
  prefixes, since less text on the right leaves fewer longer matches;
- of the words that overhang by the same bytes, one for all that no longer word continues by the
  window's next byte: they are taken whatever follows, and only their end matters.

No tries, no tables of the search: sets of words, slices, and one loop over positions. Imports
nothing of maxmunch.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Scanned"]

BEFORE = -1


class Scanned:
    """A literal token set whose windows are decided by scanning inputs."""

    def __init__(self, words: Iterable[bytes], max_width: int) -> None:
        self.words = frozenset(words)
        self._ordered = sorted(self.words)
        self._longest: dict[bytes, int] = {}
        self._inside: set[bytes] = set()
        self._overhanging: dict[bytes, list[bytes]] = {}
        self._next: dict[bytes, set[int]] = {}
        for word in self._ordered:
            start = word[:2]
            self._longest[start] = max(self._longest.get(start, 0), len(word))
            for at in range(1, len(word)):
                self._inside.update(word[at:end] for end in _ends(at, len(word), max_width))
                if word[:at] in self.words:
                    self._next.setdefault(word[:at], set()).add(word[at])
            for width in range(1, min(max_width, len(word))):
                self._overhanging.setdefault(word[-width:], []).append(word)
        self._lefts = cache(self._find_lefts)
        self._rights = cache(self._find_rights)

    def scan(self, text: bytes) -> list[int] | None:
        """Return the token starts of `text` by the definition, or None where it is stuck."""
        starts, at = [], 0
        while at < len(text):
            longest = max(
                self._longest.get(text[at : at + 2], 0), self._longest.get(text[at : at + 1], 0)
            )
            for end in range(min(at + longest, len(text)), at, -1):
                if text[at:end] in self.words:
                    starts.append(at)
                    at = end
                    break
            else:
                return None
        return starts

    def origins(self, window: bytes) -> set[int]:
        """Return the realised origins of `window`, of at most `max_width` bytes."""
        found = {BEFORE} if window in self._inside else set()
        lefts = {b""}
        for end in range(1, len(window)):
            lefts |= self._lefts(window[:end], window[end])
        rights: set[bytes] = set()
        for start in range(len(window)):
            rights |= self._rights(window[start:])
        for left in lefts:
            for right in rights:
                starts = self.scan(left + window + right)
                if starts is not None:
                    end = len(left) + len(window)
                    covering = max(start for start in starts if start < end)
                    found.add(max(BEFORE, covering - len(left)))
        return found

    def _find_lefts(self, suffix: bytes, following: int) -> frozenset[bytes]:
        """What words that end with `suffix` overhang by, before a text that begins with a byte."""
        continued, free = set(), None
        for word in self._overhanging.get(suffix, []):
            if following in self._next.get(word, ()):
                continued.add(word[: -len(suffix)])
            elif free is None or len(word) < len(free):
                free = word
        if free is not None:
            continued.add(free[: -len(suffix)])
        return frozenset(continued)

    def _find_rights(self, prefix: bytes) -> frozenset[bytes]:
        """What completes `prefix` to a word without a shorter one that begins with it."""
        found: list[bytes] = []
        for index in range(bisect_left(self._ordered, prefix), len(self._ordered)):
            word = self._ordered[index]
            if not word.startswith(prefix):
                break
            if not found or not word.startswith(found[-1]):
                found.append(word)
        return frozenset(word[len(prefix) :] for word in found)


def _ends(at: int, length: int, max_width: int) -> range:
    return range(at + 1, min(length, at + max_width) + 1)
