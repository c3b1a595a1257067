"""Slow and obvious twins of the certify flow, by the definitions alone.

A language is a function from a word to whether it is a token; inputs are enumerated exhaustively.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from support import VECTORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BEFORE = -1


def scan(is_token: Callable[[str], bool], text: str) -> list[int] | None:
    """Token starts of `text` by maximal munch, or None where it is stuck."""
    starts, at = [], 0
    while at < len(text):
        ends = [end for end in range(at + 1, len(text) + 1) if is_token(text[at:end])]
        if not ends:
            return None
        starts.append(at)
        at = ends[-1]
    return starts


def literal(tokens: Sequence[str]) -> Callable[[str], bool]:
    return frozenset(tokens).__contains__


def domain(
    is_token: Callable[[str], bool], alphabet: str, longest: int
) -> Iterator[tuple[str, list[int]]]:
    """All completely tokenizable inputs up to a length, with their starts, shortest first."""
    for length in range(longest + 1):
        for letters in itertools.product(alphabet, repeat=length):
            text = "".join(letters)
            starts = scan(is_token, text)
            if starts is not None:
                yield text, starts


def occurrences(text: str, starts: list[int], width: int) -> Iterator[tuple[str, int, int]]:
    """Each window of the text, the origin realised there (BEFORE folded), and its position."""
    covering = -1
    cover = []
    for at in range(len(text)):
        covering += at in set(starts)
        cover.append(starts[covering])
    for at in range(len(text) - width + 1):
        origin = cover[at + width - 1] - at
        yield text[at : at + width], max(origin, BEFORE), at


def realised(
    is_token: Callable[[str], bool], alphabet: str, longest: int, width: int
) -> dict[str, dict[int, int]]:
    """Window to realised origin to the length of the shortest input that realises it."""
    found: dict[str, dict[int, int]] = {
        "".join(letters): {} for letters in itertools.product(alphabet, repeat=width)
    }
    for text, starts in domain(is_token, alphabet, longest):
        for window, origin, _ in occurrences(text, starts, width):
            found[window].setdefault(origin, len(text))
    return found


def cutoff(tokens: Sequence[str], width: int) -> int:
    """Longest input that a bounded search over a literal set has to look at."""
    return width + 2 * max(map(len, tokens)) - 2


def records(part: str) -> list[dict[str, Any]]:
    """The frozen records of one part of the oracle."""
    frozen = json.loads((VECTORS / f"certify_{part}.json").read_text())
    return [dict(zip(frozen["fields"], row, strict=True)) for row in frozen["records"]]


def frozen_origins(record: dict[str, Any]) -> dict[str, list[int]]:
    """Window to realised origins, unpacked from the frozen string."""
    alphabet = record["alphabet"]
    windows = (
        "".join(letters)
        for width in (1, 2, 3)
        for letters in itertools.product(alphabet, repeat=width)
    )
    fields = record["realised"].split(",")
    return {
        window: [BEFORE if sign == "-" else int(sign) for sign in field]
        for window, field in zip(windows, fields, strict=True)
    }
