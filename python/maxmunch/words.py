"""The words on which two tokenizers differ most, and how each takes them apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Example", "WordCounts"]

MOST_WORDS = 50_000
MOST_KEPT = 1_000_000


@dataclass(frozen=True)
class Example:
    """A word, and what two tokenizers make of it.

    Attributes:
        word: The word with a space before it.
        count: How often it occurs.
        saved: Tokens that the tokenizer takes fewer than the reference for all of its occurrences;
            negative where it takes more.
        pieces: What its tokens stand for. A character that several of them share is in each.
        reference: The same for the reference.
    """

    word: str
    count: int
    saved: int
    pieces: tuple[str, ...]
    reference: tuple[str, ...]

    def __str__(self) -> str:
        ours, theirs = ("|".join(pieces) for pieces in (self.pieces, self.reference))
        return f"{self.saved:>+12,}  {self.count:>10,} x {ours!r}, reference {theirs!r}"


class WordCounts:
    """Runs between white space, counted as texts come.

    Of more than a million different ones the rarest half is forgotten; they are not among the
    50,000 most frequent, which alone are compared, unless they become so later.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """Count the words of a text."""
        self.counts.update(text.split())
        if len(self.counts) > MOST_KEPT:
            self.counts = Counter(dict(self.counts.most_common(MOST_KEPT // 2)))

    def examples(self, tokenizer: Any, reference: Any, most: int) -> list[Example]:
        """Return what saves most tokens, best first, then what costs most, worst last."""
        found = self.counts.most_common(MOST_WORDS)
        words = [f" {word}" for word, _ in found]
        pairs = zip(_pieces(tokenizer, words), _pieces(reference, words), strict=True)
        compared = [
            Example(word, count, count * (len(theirs) - len(ours)), ours, theirs)
            for word, (_, count), (ours, theirs) in zip(words, found, pairs, strict=True)
        ]
        compared.sort(key=lambda example: (-example.saved, example.word))
        winners = [example for example in compared[:most] if example.saved > 0]
        losers = [example for example in compared[-most:] if example.saved < 0]
        return winners + losers


def _pieces(tokenizer: Any, words: Sequence[str]) -> list[tuple[str, ...]]:
    """What the tokens of each word stand for."""
    encodings = tokenizer.encode_batch(list(words), add_special_tokens=False)
    return [
        tuple(word[start:end] for start, end in encoding.offsets)
        for word, encoding in zip(words, encodings, strict=True)
    ]
