"""Merges rebuilt from ranks: the core against the definition, written out."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

from hypothesis import given
from hypothesis import strategies as st

from maxmunch.loaders.byte_pairs import last_merges, merges_of

if TYPE_CHECKING:
    from collections.abc import Mapping

Text = TypeVar("Text", str, bytes)
ranks_of_any = st.one_of(
    st.dictionaries(st.text("abé漢", min_size=1, max_size=8), st.integers(0, 9), max_size=20),
    st.dictionaries(st.binary(min_size=1, max_size=6), st.integers(0, 9), max_size=20),
)


def last_merge(units: list[Text], ranks: Mapping[Text, float]) -> tuple[Text, Text] | None:
    """Return the two halves that merge last into the token that `units` spell, if they do."""
    parts = list(units)
    while len(parts) > 2:
        found = [ranks.get(left + right) for left, right in itertools.pairwise(parts)]
        best = min((rank for rank in found if rank is not None), default=None)
        if best is None:
            return None
        at = found.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return (parts[0], parts[1]) if len(parts) > 1 else None


@given(ranks_of_any)
def test_each_token_has_the_merge_that_makes_it_alone(ranks: dict[Text, int]) -> None:
    expected = [last_merge([token[i : i + 1] for i in range(len(token))], ranks) for token in ranks]

    assert [len(pair[0]) if pair else 0 for pair in expected] == [
        len(token.encode()[:place].decode()) if isinstance(token, str) else place
        for token, place in zip(ranks, last_merges(list(ranks), list(ranks.values())), strict=True)
    ]


def test_a_long_token_takes_little_time() -> None:
    # A second would be a thousand times too long.
    ranks = {"a" * 2**power: power for power in range(17)}

    assert ("a" * 2**15, "a" * 2**15) == merges_of(list(ranks), ranks)[-1]
