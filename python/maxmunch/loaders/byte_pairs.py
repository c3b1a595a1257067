"""Merges rebuilt from a ranked vocabulary, for formats that keep no list of them.

Such formats merge whatever two neighbours spell a token, the best ranked first, the leftmost of
equals. A token that forms in some text forms there as it does alone: until it is whole no merge
crosses its ends, so the merges inside come in the same order. So its last merge is always the same
one, and a list with that one merge a token, in the order of ranks, makes the same tokens of every
text.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["byte_units", "last_merge", "merges_of"]

Text = TypeVar("Text", str, bytes)


def byte_units(token: bytes) -> list[bytes]:
    """Return the bytes of a token, each as `bytes`."""
    return [token[i : i + 1] for i in range(len(token))]


def last_merge(units: list[Text], ranks: Mapping[Text, float]) -> tuple[Text, Text] | None:
    """Return the two halves that merge last into the token that `units` spell.

    None when merging alone never makes it one.

    Args:
        units: The characters or bytes of the token, two or more.
        ranks: Rank of each token, the least merges first; the token itself is among them.
    """
    parts = list(units)
    found = [ranks.get(left + right) for left, right in itertools.pairwise(parts)]
    while len(parts) > 2:  # noqa: PLR2004 (two halves)
        best = min((rank for rank in found if rank is not None), default=None)
        if best is None:
            return None
        at = found.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del found[at]
        if at > 0:
            found[at - 1] = ranks.get(parts[at - 1] + parts[at])
        if at + 1 < len(parts):
            found[at] = ranks.get(parts[at] + parts[at + 1])
    return parts[0], parts[1]


def merges_of(
    tokens: Iterable[tuple[Text, list[Text]]], ranks: Mapping[Text, float]
) -> list[tuple[Text, Text]]:
    """Return the merges of `tokens`, given in the order of ranks with their characters or bytes."""
    pairs = (last_merge(units, ranks) for _, units in tokens if len(units) > 1)
    return [pair for pair in pairs if pair is not None]
