"""Replays of the frozen oracle: every fact about its small token sets."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import pytest
from certify_reference import frozen_origins, records

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Iterable


def numbered(*parts: str) -> Iterable[Any]:
    return [
        pytest.param(record | {"part": part}, id=f"{part}-{n}")
        for part in parts
        for n, record in enumerate(records(part))
    ]


def byte_pattern(pattern: str, alphabet: str) -> str:
    """An oracle's pattern as one over bytes: `.` and `[^...]` range over the record's alphabet."""

    def complement(match: re.Match[str]) -> str:
        rest = [letter for letter in alphabet if letter not in match.group(1)]
        return f"[{''.join(rest)}]" if rest else "[a&&b]"

    return re.sub(r"\[\^([^]]*)\]", complement, pattern).replace(".", f"[{alphabet}]")


def token_set_of(kind: str, tokens: list[str], alphabet: str) -> mm.TokenSet:
    if kind == "literal":
        return mm.TokenSet.literal(tokens)
    return mm.TokenSet.regular([(p, byte_pattern(p, alphabet)) for p in tokens])


def token_set(record: dict[str, Any]) -> mm.TokenSet:
    return token_set_of(record["part"], record["tokens"], record["alphabet"])


def certified_origin(origins: list[int]) -> int | None:
    return origins[0] if len(origins) == 1 and origins[0] >= 0 else None


@pytest.mark.parametrize("record", numbered("literal", "regular"))
def test_realised_origins_are_those_of_exhaustive_search(record: dict[str, Any]) -> None:
    tokens = token_set(record)

    for window, origins in frozen_origins(record).items():
        assert set(origins) == tokens.realised_origins(window), window


@pytest.mark.parametrize("record", numbered("literal", "regular"))
def test_the_inventory_holds_exactly_the_certified_windows(record: dict[str, Any]) -> None:
    inventory = token_set(record).inventory(3)

    for window, origins in frozen_origins(record).items():
        assert certified_origin(origins) == inventory.origin(window), window


@pytest.mark.parametrize("record", numbered("literal", "regular"))
def test_counts_are_exact_over_all_bytes(record: dict[str, Any]) -> None:
    counts = token_set(record).inventory(3).counts
    frozen = frozen_origins(record)

    for width in (1, 2, 3):
        origins = [found for window, found in frozen.items() if len(window) == width]
        certified = sum(certified_origin(found) is not None for found in origins)
        occurring = sum(bool(found) for found in origins)
        assert mm.Counts(certified, 256**width - occurring) == counts[width]


@pytest.mark.parametrize("record", numbered("literal", "regular"))
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


@pytest.mark.parametrize("record", numbered("literal", "regular"))
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


@pytest.mark.parametrize("record", numbered("literal", "regular"))
def test_the_shortest_certified_width_is_found(record: dict[str, Any]) -> None:
    assert record["shortest_certified_width"] == token_set(record).shortest_certified_width()


def longest_gap(inventory: mm.Inventory, data: bytes) -> int:
    anchors = [-1, *inventory.anchors(data).tolist(), len(data)]
    return max(b - a - 1 for a, b in itertools.pairwise(anchors))


@pytest.mark.parametrize("record", numbered("literal", "regular"))
def test_spans_are_exact_and_their_witnesses_show_them(record: dict[str, Any]) -> None:
    tokens = token_set(record)

    for width, value in enumerate(record["span"], start=1):
        inventory = tokens.inventory(width)
        span = inventory.span()
        if value >= 0:
            assert (True, value) == (span.bounded, span.value)
            assert isinstance(span.witness, bytes)
            assert tokens.is_tokenizable(span.witness)
            assert value == longest_gap(inventory, span.witness)
        else:
            assert (False, None) == (span.bounded, span.value)
            assert isinstance(span.witness, mm.Pump)
            for repetitions in (1, 10, 40):
                data = span.witness.data(repetitions)
                assert tokens.is_tokenizable(data)
                assert longest_gap(inventory, data) >= repetitions - 1


@pytest.mark.parametrize("record", numbered("differential"))
def test_the_auditor_finds_shortest_differences_or_proves_absence(record: dict[str, Any]) -> None:
    kind, alphabet = record["kind"], record["alphabet"]
    left = token_set_of(kind, record["left"], alphabet)
    right = token_set_of(kind, record["right"], alphabet)

    found = mm.audit(left, right)

    lengths = [None if side is None else len(side.data) for side in (found.boundary, found.domain)]
    assert [record["boundary_shortest"], record["domain_shortest"]] == lengths
    assert [record["boundary_differs"], record["domain_differs"]] == [
        side is not None for side in (found.boundary, found.domain)
    ]
    for side in (found.boundary, found.domain):
        if side is not None:
            assert side.left_starts == starts_of(left, side.data)
            assert side.right_starts == starts_of(right, side.data)


def starts_of(tokens: mm.TokenSet, data: bytes | str) -> list[int] | None:
    try:
        return tokens.scan(data).starts.tolist()
    except mm.UntokenizableError:
        return None


@pytest.mark.parametrize("record", numbered("scans"))
def test_scans_give_the_frozen_starts_or_are_stuck(record: dict[str, Any]) -> None:
    tokens = token_set_of(record["kind"], record["tokens"], record["alphabet"])

    assert record["starts"] == starts_of(tokens, record["text"])
    assert (record["starts"] is not None) == tokens.is_tokenizable(record["text"])


@pytest.mark.parametrize("record", numbered("edits"))
def test_edits_move_starts_only_between_the_flanking_anchors(record: dict[str, Any]) -> None:
    tokens = mm.TokenSet.literal(record["tokens"])
    old, at = record["text"], record["at"]
    new = old[:at] + record["symbol"] + old[at + 1 :]

    bounds = tokens.edit_bounds(old, at, max_width=3)
    scan = tokens.rescan(tokens.scan(old), old, new, at, removed=1, inserted=1, max_width=3)
    moved = sorted(set(tokens.scan(old).starts.tolist()) ^ set(scan.starts.tolist()))

    assert record["left"] == (0 if bounds.left is None else bounds.left)
    assert record["right"] == (len(old) if bounds.right is None else bounds.right)
    assert record["moved"] == moved
    assert tokens.scan(new) == scan
    hull = moved[-1] - moved[0] + 1 if moved else 0
    room = record["right"] - record["left"] - 1
    assert [record["hull"], record["hull_slack"], record["unoccupied"]] == [
        hull,
        room - hull,
        room - len(moved),
    ]
