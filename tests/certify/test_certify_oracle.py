"""Replays of the frozen oracle: every fact about its small token sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from certify_reference import frozen_origins, records

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Iterable


def numbered(part: str) -> Iterable[Any]:
    return [pytest.param(record, id=str(n)) for n, record in enumerate(records(part))]


def token_set(record: dict[str, Any]) -> mm.TokenSet:
    return mm.TokenSet.literal(record["tokens"])


def certified_origin(origins: list[int]) -> int | None:
    return origins[0] if len(origins) == 1 and origins[0] >= 0 else None


@pytest.mark.parametrize("record", numbered("literal"))
def test_realised_origins_are_those_of_exhaustive_search(record: dict[str, Any]) -> None:
    tokens = token_set(record)

    for window, origins in frozen_origins(record).items():
        assert set(origins) == tokens.realised_origins(window), window


@pytest.mark.parametrize("record", numbered("literal"))
def test_the_inventory_holds_exactly_the_certified_windows(record: dict[str, Any]) -> None:
    inventory = token_set(record).inventory(3)

    for window, origins in frozen_origins(record).items():
        assert certified_origin(origins) == inventory.origin(window), window


@pytest.mark.parametrize("record", numbered("literal"))
def test_counts_are_exact_over_all_bytes(record: dict[str, Any]) -> None:
    counts = token_set(record).inventory(3).counts
    frozen = frozen_origins(record)

    for width in (1, 2, 3):
        origins = [found for window, found in frozen.items() if len(window) == width]
        certified = sum(certified_origin(found) is not None for found in origins)
        occurring = sum(bool(found) for found in origins)
        assert mm.Counts(certified, 256**width - occurring) == counts[width]


@pytest.mark.parametrize("record", numbered("literal"))
def test_every_verdict_is_right_and_refutations_are_shortest(record: dict[str, Any]) -> None:
    tokens = token_set(record)
    shortest = {(window, origin): length for window, origin, length in record["violations"]}

    for window, origins in frozen_origins(record).items():
        for origin in range(len(window)):
            verdict = tokens.certify(window, origin)
            if not origins:
                assert mm.Vacuous() == verdict
            elif [origin] == origins:
                assert mm.Certified() == verdict
            else:
                assert isinstance(verdict, mm.Refuted)
                length = len(verdict.witness.data)
                assert shortest.get((window, origin), length) == length


@pytest.mark.parametrize("record", numbered("literal"))
def test_delimiters_are_safe_exactly_where_the_oracle_says(record: dict[str, Any]) -> None:
    tokens = token_set(record)

    for symbol, (before, after) in record["delimiters"].items():
        found = tokens.delimiter(symbol.encode())
        assert (before, after) == (found.before, found.after)
        assert (before, after) == (
            found.refutation_before is None,
            found.refutation_after is None,
        )
        for refutation in (found.refutation_before, found.refutation_after):
            assert refutation is None or len(tokens.scan(refutation)) == 1


@pytest.mark.parametrize(
    "record", [p for p in numbered("scans") if p.values[0]["kind"] == "literal"]
)
def test_scans_give_the_frozen_starts_or_are_stuck(record: dict[str, Any]) -> None:
    tokens = token_set(record)

    if record["starts"] is None:
        with pytest.raises(mm.UntokenizableError):
            tokens.scan(record["text"])
        assert not tokens.is_tokenizable(record["text"])
    else:
        assert record["starts"] == tokens.scan(record["text"]).starts.tolist()
        assert tokens.is_tokenizable(record["text"])
