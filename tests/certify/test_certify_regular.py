"""Regular token sets: the verifier against exhaustive search and the closed form; bad input."""

from __future__ import annotations

import itertools
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from certify_reference import BEFORE, domain, realised, scan
from hypothesis import assume, given
from hypothesis import strategies as st

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 6

atoms = st.sampled_from(["a", "b", "c", "[ab]", "[bc]", "(?:ab)", "(?:a|bc)"])
pieces = st.builds(str.__add__, atoms, st.sampled_from(["", "", "", "+", "*", "?", "{2}"]))
patterns = st.lists(pieces, min_size=1, max_size=3).map("".join)
lexers = st.lists(patterns, min_size=1, max_size=3).filter(
    lambda lexer: all(re.fullmatch(pattern, "") is None for pattern in lexer)
)
words = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=5)


def token_set(lexer: list[str]) -> mm.TokenSet:
    return mm.TokenSet.regular([(pattern, pattern) for pattern in lexer])


def language(lexer: list[str]) -> Callable[[str], bool]:
    compiled = [re.compile(pattern) for pattern in lexer]
    return cache(lambda word: any(pattern.fullmatch(word) for pattern in compiled))


def starts_of(tokens: mm.TokenSet, data: bytes | str) -> list[int] | None:
    try:
        return tokens.scan(data).starts.tolist()
    except mm.UntokenizableError:
        return None


@given(lexers, st.text("abc", max_size=12))
def test_a_scan_is_the_definition_with_the_first_of_equal_matches(
    lexer: list[str], text: str
) -> None:
    tokens = token_set(lexer)
    starts = scan(language(lexer), text)

    assert starts == starts_of(tokens, text)
    if starts is not None:
        ends = [*starts[1:], len(text)][: len(starts)]
        kinds = [
            next(k for k, pattern in enumerate(lexer) if re.fullmatch(pattern, text[a:b]))
            for a, b in zip(starts, ends, strict=True)
        ]
        assert kinds == tokens.scan(text).kinds.tolist()


@given(lexers)
def test_verdicts_are_what_exhaustive_search_finds(lexer: list[str]) -> None:
    tokens = token_set(lexer)
    for width in (1, 2):
        found = realised(language(lexer), "abc", LONGEST, width)
        for window, origins in found.items():
            assert set(origins) <= tokens.realised_origins(window)
            for origin in range(width):
                check_verdict(tokens, window, origin, origins)


def check_verdict(tokens: mm.TokenSet, window: str, origin: int, origins: dict[int, int]) -> None:
    shortest = [length for other, length in origins.items() if other != origin]
    verdict = tokens.certify(window, origin)
    if isinstance(verdict, mm.Refuted):
        assert min([*shortest, LONGEST + 1]) == min(len(verdict.witness.data), LONGEST + 1)
    else:
        assert not shortest
        assert not (isinstance(verdict, mm.Vacuous) and origins)


@given(words, st.integers(1, 4))
def test_the_verifier_and_the_closed_form_agree(tokens: list[str], width: int) -> None:
    literal = mm.TokenSet.literal(tokens)
    regular = mm.TokenSet.regular([(word, word) for word in tokens])

    assert mm.Audit(None, None) == mm.audit(literal, regular)
    for letters in itertools.product("ab", repeat=width):
        window = "".join(letters)
        origins = literal.realised_origins(window)
        assert origins == regular.realised_origins(window)
        for origin in range(width):
            left, right = literal.certify(window, origin), regular.certify(window, origin)
            assert type(left) is type(right)
            if isinstance(left, mm.Refuted) and isinstance(right, mm.Refuted):
                assert len(left.witness.data) == len(right.witness.data)
    assert literal.inventory(width).counts == regular.inventory(width).counts


@given(words)
def test_wide_counts_agree_whichever_way_they_are_calculated(tokens: list[str]) -> None:
    literal = mm.TokenSet.literal(tokens)

    assert literal.inventory(5).counts == {
        width: counts for width, counts in literal.inventory(9).counts.items() if width <= 5
    }


@given(lexers, st.integers(1, 3))
def test_counts_agree_with_deciding_every_window(lexer: list[str], width: int) -> None:
    tokens = token_set(lexer)
    origins = [
        tokens.realised_origins("".join(letters))
        for letters in itertools.product("abc", repeat=width)
    ]

    certified = sum(len(found) == 1 and BEFORE not in found for found in origins)
    occurring = sum(bool(found) for found in origins)

    counts = tokens.inventory(width).counts[width]
    assert mm.Counts(certified, 256**width - occurring) == counts


@given(lexers, st.integers(1, 3))
def test_anchors_are_boundaries_and_spans_bound_every_gap(lexer: list[str], width: int) -> None:
    inventory = token_set(lexer).inventory(width)
    span = inventory.span()
    widest = 0

    for text, starts in domain(language(lexer), "abc", 5):
        anchors = inventory.anchors(text).tolist()
        assert set(anchors) <= set(starts)
        edges = [-1, *anchors, len(text)]
        widest = max(widest, *(b - a - 1 for a, b in itertools.pairwise(edges)))
    assert span.value is None or widest <= span.value
    if isinstance(span.witness, mm.Pump):
        long = span.witness.data(30)
        edges = [-1, *inventory.anchors(long).tolist(), len(long)]
        assert max(b - a - 1 for a, b in itertools.pairwise(edges)) >= 29
        assert inventory.token_set.is_tokenizable(long)


@given(lexers, lexers)
def test_the_auditor_agrees_with_comparing_all_short_inputs(
    left: list[str], right: list[str]
) -> None:
    first, second = token_set(left), token_set(right)
    one, two = language(left), language(right)

    found = mm.audit(first, second)

    boundary = domain_difference = None
    for length in range(LONGEST + 1):
        for letters in itertools.product("abc", repeat=length):
            a, b = scan(one, "".join(letters)), scan(two, "".join(letters))
            if (a is None) != (b is None):
                domain_difference = domain_difference or length
            elif a != b:
                boundary = boundary or length
    for side, shortest in ((found.boundary, boundary), (found.domain, domain_difference)):
        if shortest is not None:
            assert side is not None
            assert shortest == len(side.data)
        else:
            assert side is None or len(side.data) > LONGEST


@given(lexers, st.text("abc", max_size=20), st.integers(1, 4))
def test_a_parallel_scan_is_the_sequential_one_also_where_it_is_stuck(
    lexer: list[str], text: str, threads: int
) -> None:
    tokens = token_set(lexer)
    expected = scan(language(lexer), text)

    if expected is None:
        with pytest.raises(mm.UntokenizableError) as sequential:
            tokens.scan(text)
        with pytest.raises(mm.UntokenizableError) as parallel:
            mm.parallel_scan(tokens, text, threads=threads)
        assert sequential.value.position == parallel.value.position
        assert sequential.value.starts == parallel.value.starts
    else:
        assert tokens.scan(text) == mm.parallel_scan(tokens, text, threads=threads)


@given(lexers | words, st.data())
def test_a_rescan_is_the_scan_of_the_new_text(lexer: list[str], data: st.DataObject) -> None:
    tokens = token_set(lexer)
    texts = [text for text, _ in domain(language(lexer), "abc", 5) if text]
    assume(texts)
    old = data.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=4).map("".join))
    assume(tokens.is_tokenizable(old))
    at = data.draw(st.integers(0, len(old)))
    removed = data.draw(st.integers(0, min(3, len(old) - at)))
    inserted = data.draw(st.text("abc", max_size=3))
    new = old[:at] + inserted + old[at + removed :]
    how = {"removed": removed, "inserted": len(inserted)}
    bounds = tokens.edit_bounds(old, at, **how)
    before = tokens.scan(old)

    if (expected := starts_of(tokens, new)) is None:
        with pytest.raises(mm.UntokenizableError) as sequential:
            tokens.scan(new)
        with pytest.raises(mm.UntokenizableError) as again:
            tokens.rescan(before, old, new, at, **how)
        assert sequential.value.position == again.value.position
        assert sequential.value.starts == again.value.starts
    else:
        assert tokens.scan(new) == tokens.rescan(before, old, new, at, **how)
        shift = len(inserted) - removed
        left = -1 if bounds.left is None else bounds.left
        right = len(old) if bounds.right is None else bounds.right
        old_starts = {*before.starts.tolist(), len(old)}  # the end is a boundary as well
        new_starts = {*expected, len(new)}
        kept = max(left, -1 if bounds.proven_left is None else bounds.proven_left)
        assert {s for s in old_starts if s <= kept} == {s for s in new_starts if s <= kept}
        assert {s + shift for s in old_starts if s >= right} == {
            s for s in new_starts if s >= right + shift
        }


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("a(", 1), ("^a", 0), ("ab$", 2), (r"a\b", 1), ("a(?=b)", 1), (r"(a)\1", 3), ("a*", 0)],
)
def test_what_is_no_token_pattern_is_refused_with_its_position(pattern: str, position: int) -> None:
    with pytest.raises(mm.InvalidTokenSetError, match=f"'?\"?bad.*position {position} "):
        mm.TokenSet.regular([("good", "b"), ("bad", pattern)])


@pytest.mark.parametrize("lexer", [[], [("none", "[a&&b]")]])
def test_a_set_that_matches_nothing_is_refused(lexer: list[tuple[str, str]]) -> None:
    with pytest.raises(mm.InvalidTokenSetError):
        mm.TokenSet.regular(lexer)


def test_patterns_that_explode_reach_a_named_limit() -> None:
    with pytest.raises(mm.LimitError, match="max_states") as reached:
        mm.TokenSet.regular([("wide", "[ab]*a[ab]{20}")])
    assert "max_states" == reached.value.limit


def test_a_certify_that_reaches_its_limit_is_undecided() -> None:
    tokens = mm.TokenSet.regular([("all", "a|b|c"), ("wide", "a[ab]{8}c")])

    assert isinstance(tokens.certify("ab", 0, max_states=3), mm.Undecided)
    assert not isinstance(tokens.certify("ab", 0), mm.Undecided)


def test_bytes_and_unicode_classes_are_what_the_syntax_says() -> None:
    tokens = mm.TokenSet.regular(
        [("greek", r"(?u:\p{Greek})+"), ("line", r"\n"), ("other", r"(?-u:.)")]
    )

    assert [0, 4, 5, 6] == tokens.scan("αβ\n\u00ff").starts.tolist()
    assert [0, 1, 2, 2] == tokens.scan("αβ\n\u00ff").kinds.tolist()


def test_no_fixed_look_ahead_suffices_yet_certification_decides() -> None:
    tokens = mm.TokenSet.regular([("run", "a+b"), ("a", "a")])

    assert [0, 1, 2] == tokens.scan("aaa").starts.tolist()
    assert [0] == tokens.scan("aaab").starts.tolist()
    assert frozenset({BEFORE, 0}) == tokens.realised_origins("a")
    assert isinstance(tokens.certify("ab", 0), mm.Refuted)
    assert mm.Certified() == tokens.certify("ba", 1)


def test_the_shape_of_utf8_has_a_span_of_three() -> None:
    tokens = mm.TokenSet.regular(
        [
            ("one", r"[\x00-\x7f]"),
            ("two", r"[\xc2-\xdf][\x80-\xbf]"),
            ("three", r"[\xe0-\xef][\x80-\xbf]{2}"),
            ("four", r"[\xf0-\xf4][\x80-\xbf]{3}"),
        ]
    )
    span = tokens.inventory(1).span()

    assert (True, 3) == (span.bounded, span.value)
    assert isinstance(span.witness, bytes)
    assert tokens.is_tokenizable(span.witness)


def test_identical_lexers_are_proved_free_of_differences() -> None:
    lexer = [("name", "[a-z]+"), ("text", '"[^"\\n]*"'), ("blank", r"[ \n]+")]

    assert mm.Audit(None, None) == mm.audit(
        mm.TokenSet.regular(lexer), mm.TokenSet.regular(lexer[::-1])
    )


def test_different_vocabularies_of_all_bytes_differ_at_their_shortest_difference() -> None:
    every = [bytes([byte]) for byte in range(256)]
    left, right = mm.TokenSet.literal([*every, "abc"]), mm.TokenSet.literal([*every, "xy"])

    found = mm.audit(left, right)

    assert mm.Audit(mm.Disagreement(b"xy", [0, 1], [0]), None) == found


def test_a_long_look_ahead_does_not_make_the_scan_quadratic() -> None:
    tokens = mm.TokenSet.regular([("run", "a+b"), ("a", "a")])
    text = b"a" * 2_000_000

    assert 2_000_000 == len(tokens.scan(text))
    assert 1 == len(tokens.scan(text + b"b"))
    assert tokens.is_tokenizable(text)


@given(st.text("ab", max_size=200))
def test_noted_failures_do_not_change_a_scan(text: str) -> None:
    lexer = ["a+b", "a", "b+a+b{3}", "b"]

    assert scan(language(lexer), text) == starts_of(token_set(lexer), text)
