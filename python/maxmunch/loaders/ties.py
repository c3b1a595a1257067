"""Pieces of one score: SentencePiece merges the leftmost, a list of merges the one listed first.

Merges of one score that never want the same symbol come to the same end in any order. Those that
do are, in the models that there are, pieces that are runs of one character, spaces above all: a run
then grows from its left end as far as there are pieces, and a list that has the longest run first
does the same. `check_ties` finds what may be in each other's way, tries runs of every length, and
refuses what differs.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from maxmunch.errors import UnsupportedTokenizerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["check_ties"]

Pair = tuple[str, str]


def check_ties(merges: Sequence[Pair], ranks: Mapping[str, float]) -> None:
    """Check that the order of `merges` gives what merging the leftmost of equal ranks gives.

    Args:
        merges: In the order of the list, sorted by rank.
        ranks: Rank of each piece.

    Raises:
        UnsupportedTokenizerError: Two pieces of one rank may be merged in another order.
    """
    # Symbols that merges of better ranks wait for.
    awaited: set[str] = set()
    for _, members in groupby(merges, key=lambda pair: ranks["".join(pair)]):
        group = list(members)
        clashing = _clashing(group, awaited) if len(group) > 1 else []
        if clashing:
            _check_runs(clashing, merges)
        awaited.update(part for pair in group for part in pair)


def _clashing(group: list[Pair], awaited: set[str]) -> list[Pair]:
    """Return the merges of one rank that may be in each other's way.

    Two want the same symbol only where one takes it on its right and the other on its left. The
    result of one may be wanted by another, or by a better merge, which then comes first.
    """
    results = {"".join(pair) for pair in group}
    if results & awaited:
        return group
    lefts, rights = Counter(left for left, _ in group), Counter(right for _, right in group)

    def clashes(left: str, right: str) -> bool:
        itself = left == right
        shares = rights[left] > itself or lefts[right] > itself
        whole = left + right
        return shares or whole in lefts or whole in rights or bool({left, right} & results)

    return [pair for pair in group if clashes(*pair)]


def _check_runs(group: list[Pair], merges: Sequence[Pair]) -> None:
    """Check merges that may be in each other's way: runs of one character, the longest first."""
    runs = ["".join(pair) for pair in group]
    character = runs[0][0]
    are_runs = all(set(run) == {character} for run in runs)
    # No other piece may be waiting for one of the runs.
    others = {part for pair in merges if pair not in group for part in pair} & set(runs)
    longest = max(map(len, runs))
    if not are_runs or others or not _agree(group, character, 4 * longest):
        raise UnsupportedTokenizerError(
            f"pieces: {runs[0]!r} and {runs[1]!r} have one score, so that the leftmost merges "
            "first, which tokenizer.json cannot say",
            "pieces",
        )


def _agree(group: list[Pair], character: str, most: int) -> bool:
    place = {pair: index for index, pair in enumerate(group)}
    joined = {"".join(pair) for pair in group}

    def leftmost(left: str, right: str) -> int | None:
        return 0 if left + right in joined else None

    def listed(left: str, right: str) -> int | None:
        return place.get((left, right))

    return all(
        _merged(character * count, leftmost) == _merged(character * count, listed)
        for count in range(2, most + 1)
    )


def _merged(run: str, rank: Callable[[str, str], int | None]) -> list[str]:
    """Return the parts of a run after all merges, the least rank and then the leftmost first."""
    parts = list(run)
    while True:
        found = [
            (value, index)
            for index in range(len(parts) - 1)
            if (value := rank(parts[index], parts[index + 1])) is not None
        ]
        if not found:
            return parts
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
