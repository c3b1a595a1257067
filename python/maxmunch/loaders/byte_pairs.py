"""Merges rebuilt from a ranked vocabulary, for formats that keep no list of them.

Such formats merge whatever two neighbours spell a token, the best ranked first, the leftmost of
equals. A token that forms in some text forms there as it does alone: until it is whole no merge
crosses its ends, so the merges inside come in the same order. So its last merge is always the same
one, and a list with that one merge a token, in the order of ranks, makes the same tokens of every
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxmunch import _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["last_merges", "merges_of"]


def last_merges(tokens: Sequence[str] | Sequence[bytes], ranks: Sequence[float]) -> list[int]:
    """Return where the last merge of each token joins two tokens, in bytes from its start.

    0 where merging alone never makes the token, or where it has one unit only.

    Args:
        tokens: Each once; merging starts from the characters of `str`, from the bytes of `bytes`.
        ranks: Rank of each, the least merges first.
    """
    by_character = bool(tokens) and isinstance(tokens[0], str)
    spelled = [token.encode() if isinstance(token, str) else token for token in tokens]
    return _core.last_merges(spelled, list(map(float, ranks)), by_character)


def merges_of(tokens: Iterable[str], ranks: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return the last merge of each of `tokens` that merging alone makes, in their order.

    Args:
        tokens: Tokens in the order of the list.
        ranks: Rank of each token, the least merges first; all `tokens` are among them.
    """
    known = list(ranks)
    places = dict(zip(known, last_merges(known, list(ranks.values())), strict=True))
    merges = []
    for token in tokens:
        if place := places[token]:
            whole = token.encode()
            merges.append((whole[:place].decode(), whole[place:].decode()))
    return merges
