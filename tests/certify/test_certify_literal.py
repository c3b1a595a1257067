"""Literal token sets: the closed form against exhaustive search, scans, cuts, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from certify_reference import BEFORE, cutoff, domain, literal, realised, scan
from hypothesis import given
from hypothesis import strategies as st

import maxmunch as mm

words = st.lists(
    st.text("ab", min_size=1, max_size=3) | st.text("abc", min_size=1, max_size=2),
    min_size=1,
    max_size=6,
)


def alphabet_of(tokens: list[str]) -> str:
    return "".join(sorted(set("".join(tokens))))


@given(words, st.integers(1, 3))
def test_the_closed_form_gives_what_bounded_search_gives(tokens: list[str], width: int) -> None:
    token_set = mm.TokenSet.literal(tokens)
    found = realised(literal(tokens), alphabet_of(tokens), cutoff(tokens, width), width)

    for window, origins in found.items():
        assert set(origins) == token_set.realised_origins(window), window


@given(words, st.integers(1, 2))
def test_a_refutation_is_as_short_as_exhaustive_search_finds(tokens: list[str], width: int) -> None:
    token_set = mm.TokenSet.literal(tokens)
    found = realised(literal(tokens), alphabet_of(tokens), cutoff(tokens, width), width)

    for window, origins in found.items():
        for origin in range(width):
            others = [length for other, length in origins.items() if other != origin]
            verdict = token_set.certify(window, origin)
            if others:
                assert isinstance(verdict, mm.Refuted)
                assert min(others) == len(verdict.witness.data)
                check_witness(token_set, window.encode(), origin, verdict.witness)
            else:
                assert (mm.Certified() if origins else mm.Vacuous()) == verdict


def check_witness(token_set: mm.TokenSet, window: bytes, origin: int, witness: mm.Witness) -> None:
    starts = token_set.scan(witness.data).starts
    end = witness.occurrence + len(window)
    assert window == witness.data[witness.occurrence : end]
    assert witness.claimed == witness.occurrence + origin
    assert witness.actual == starts[starts < end][-1]
    assert witness.actual != witness.claimed


@given(words, st.integers(1, 4))
def test_counts_agree_with_deciding_every_window(tokens: list[str], width: int) -> None:
    token_set = mm.TokenSet.literal(tokens)
    counts = token_set.inventory(width).counts[width]
    origins = [
        token_set.realised_origins("".join(letters))
        for letters in itertools.product(alphabet_of(tokens), repeat=width)
    ]

    certified = sum(len(found) == 1 and BEFORE not in found for found in origins)
    occurring = sum(bool(found) for found in origins)

    assert mm.Counts(certified, 256**width - occurring) == counts


@given(words, st.integers(1, 4))
def test_anchors_are_boundaries_of_every_tokenizable_input(tokens: list[str], width: int) -> None:
    inventory = mm.TokenSet.literal(tokens).inventory(width)

    for text, starts in domain(literal(tokens), alphabet_of(tokens), 6):
        anchors = set(inventory.anchors(text).tolist())
        assert anchors <= set(starts)
        assert anchors == {
            at + origin
            for size in range(1, width + 1)
            for at in range(len(text) - size + 1)
            if (origin := inventory.origin(text[at : at + size])) is not None
        }


@given(words, st.text("abc", max_size=40), st.integers(1, 5))
def test_a_parallel_scan_is_the_sequential_one_also_where_it_is_stuck(
    tokens: list[str], text: str, threads: int
) -> None:
    token_set = mm.TokenSet.literal(tokens)
    expected = scan(literal(tokens), text)

    if expected is None:
        with pytest.raises(mm.UntokenizableError) as sequential:
            token_set.scan(text)
        with pytest.raises(mm.UntokenizableError) as parallel:
            mm.parallel_scan(token_set, text, threads=threads, max_width=3)
        assert sequential.value.position == parallel.value.position
        assert sequential.value.starts == parallel.value.starts
    else:
        assert expected == token_set.scan(text).starts.tolist()
        assert token_set.scan(text) == mm.parallel_scan(
            token_set, text, threads=threads, max_width=3
        )


@given(words, st.text("abc", min_size=1, max_size=40), st.integers(1, 6))
def test_each_cut_is_the_first_anchor_after_its_point(
    tokens: list[str], text: str, parts: int
) -> None:
    token_set = mm.TokenSet.literal(tokens)
    anchors = token_set.inventory(3).anchors(text).tolist()

    plan = token_set.plan_cuts(text, parts, max_width=3)

    expected = []
    for index in range(1, min(parts, len(text))):
        target = max(1, len(text) * index // parts)
        limit = len(text) * (index + 1) // parts
        near = [anchor for anchor in anchors if target <= anchor < limit]
        expected += [(near[0], near[0] - target)] if near else []
    assert expected == list(zip(plan.cuts, plan.snap_distances, strict=True))


def test_a_cut_that_would_hide_a_stuck_scan_does_not() -> None:
    tokens = mm.TokenSet.literal(["a", "ab", "bc"])

    assert 0 == tokens.inventory(2).origin("bc")
    with pytest.raises(mm.UntokenizableError) as stuck:
        mm.parallel_scan(tokens, "abc", threads=3, max_width=2)
    assert (2, [0]) == (stuck.value.position, stuck.value.starts)


def test_the_cutoff_of_bounded_search_is_attained() -> None:
    verdict = mm.TokenSet.literal(["aab"]).certify("ba", 0)

    assert isinstance(verdict, mm.Refuted)
    assert b"aabaab" == verdict.witness.data


def test_a_boundary_at_every_occurrence_is_weaker_than_a_certificate() -> None:
    assert {0, 1} == mm.TokenSet.literal(["a", "abx", "b", "x"]).realised_origins("ab")


def test_right_context_matters() -> None:
    assert {0, 1} == mm.TokenSet.literal(["a", "b", "abc"]).realised_origins("ab")


def test_a_window_that_occurs_nowhere_is_vacuous_and_never_anchors() -> None:
    tokens = mm.TokenSet.literal(["ab"])

    assert mm.Vacuous() == tokens.certify("aa", 0)
    assert tokens.inventory(2).origin("aa") is None
    assert 256 - 2 == tokens.inventory(1).counts[1].vacuous


def test_of_equal_tokens_the_first_counts() -> None:
    assert [0, 2] == mm.TokenSet.literal(["a", "a", b"b"]).scan("ab").kinds.tolist()


def test_kinds_are_reported_as_given() -> None:
    tokens = mm.TokenSet.literal([b"a", b"b"], kinds=[7, 4_000_000_000])

    assert [4_000_000_000, 7] == tokens.scan("ba").kinds.tolist()


@pytest.mark.parametrize("tokens", [[], ["a", ""], [b""]])
def test_an_empty_set_or_token_is_refused(tokens: list[str]) -> None:
    with pytest.raises(mm.InvalidTokenSetError, match="empty"):
        mm.TokenSet.literal(tokens)


def test_a_single_string_is_no_set_of_tokens() -> None:
    with pytest.raises(mm.InvalidArgumentError, match="iterable"):
        mm.TokenSet.literal("abc")


@pytest.mark.parametrize(
    ("window", "origin"), [("", 0), ("a" * 257, 0), ("ab", 2), ("ab", -1), ("ab", 1 << 70)]
)
def test_a_window_or_origin_outside_its_range_is_refused(window: str, origin: int) -> None:
    with pytest.raises(mm.InvalidArgumentError):
        mm.TokenSet.literal(["a", "b"]).certify(window, origin)


@pytest.mark.parametrize("width", [0, 257, -1, 1 << 70])
def test_a_width_outside_its_range_is_refused(width: int) -> None:
    with pytest.raises(mm.InvalidArgumentError, match="max_width"):
        mm.TokenSet.literal(["a"]).inventory(width)


@pytest.mark.parametrize("byte", [b"", b"ab", 256, -1, "a"])
def test_a_delimiter_is_one_byte(byte: object) -> None:
    with pytest.raises(mm.InvalidArgumentError, match="byte"):
        mm.TokenSet.literal(["a"]).delimiter(byte)  # type: ignore[arg-type]


def test_the_longest_windows_are_decided() -> None:
    tokens = mm.TokenSet.literal(["a", "b", "a" * 300])

    assert BEFORE in tokens.realised_origins("a" * 256)
    assert frozenset({255}) == tokens.realised_origins("a" * 255 + "b")


@pytest.mark.parametrize("wrap", [bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8)])
def test_any_buffer_can_be_scanned(wrap: type) -> None:
    tokens = mm.TokenSet.literal(["ab", "c"])

    assert [0, 2] == tokens.scan(wrap(b"abc")).starts.tolist()
    assert 0 == len(tokens.scan(wrap(b"")))


def test_all_bytes_and_one_pair_have_a_span_of_one() -> None:
    tokens = mm.TokenSet.literal([bytes([byte]) for byte in range(256)] + [b"ab"])

    assert mm.Span(bounded=True, value=1, witness=b"b") == tokens.inventory(2).span()
    unbounded = tokens.inventory(1).span()
    assert mm.Span(bounded=False, value=None, witness=mm.Pump(b"", b"b", b"")) == unbounded


@pytest.mark.parametrize("number", [0, -1, 1 << 70])
def test_parts_and_threads_outside_their_range_are_refused(number: int) -> None:
    tokens = mm.TokenSet.literal(["a"])

    with pytest.raises(mm.InvalidArgumentError, match="parts"):
        tokens.plan_cuts("aaaa", number)
    with pytest.raises(mm.InvalidArgumentError, match="threads"):
        mm.parallel_scan(tokens, "aaaa", threads=number)


@pytest.mark.parametrize("where", [{"position": -1}, {"position": 5}, {"removed": 9}])
def test_an_edit_outside_the_text_is_refused(where: dict[str, int]) -> None:
    arguments = {"position": 0, "removed": 1} | where

    with pytest.raises(mm.InvalidArgumentError):
        mm.TokenSet.literal(["a"]).edit_bounds("aaaa", arguments.pop("position"), **arguments)
