"""Every public answer about small token sets against the definitions, for sets of both kinds.

The sets are drawn from letters, some of which no token may hold, so that texts get stuck and
windows occur nowhere. What is compared here is what the other files do not: minimal windows,
look-ups, edits and their trials, delimiters by cutting, supply, spans by pumping, saved files.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pytest
from certify_reference import BEFORE, domain, literal, scan
from hypothesis import assume, given
from hypothesis import strategies as st

import maxmunch as mm
from maxmunch.certify import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ALPHABET = "abc"
LONGEST = 5
WIDTH = 3


@dataclass(frozen=True)
class Language:
    """A token set with its definition and all short texts of its domain."""

    tokens: mm.TokenSet
    is_token: Callable[[str], bool]
    inputs: list[tuple[str, list[int]]]


@cache
def language(kind: str, parts: tuple[str, ...]) -> Language:
    if kind == "literal":
        tokens, is_token = mm.TokenSet.literal(parts), literal(parts)
    else:
        tokens = mm.TokenSet.regular([(part, part) for part in parts])
        compiled = [re.compile(part) for part in parts]
        is_token = cache(lambda word: any(part.fullmatch(word) for part in compiled))
    return Language(tokens, is_token, list(domain(is_token, ALPHABET, LONGEST)))


words = st.lists(
    st.text("ab", min_size=1, max_size=4) | st.text(ALPHABET, min_size=1, max_size=2),
    min_size=1,
    max_size=6,
)
pieces = st.builds(
    str.__add__,
    st.sampled_from(["a", "b", "c", "[ab]", "(?:ab|c)", "[abc]"]),
    st.sampled_from(["", "", "", "+", "*", "?"]),
)
patterns = st.lists(pieces, min_size=1, max_size=3).map("".join)
lexers = st.lists(patterns, min_size=1, max_size=3).filter(
    lambda lexer: all(re.fullmatch(pattern, "") is None for pattern in lexer)
)
languages = words.map(lambda parts: language("literal", tuple(parts))) | lexers.map(
    lambda parts: language("regular", tuple(parts))
)


def windows(longest: int) -> Iterator[str]:
    for width in range(1, longest + 1):
        yield from map("".join, itertools.product(ALPHABET, repeat=width))


def certified(tokens: mm.TokenSet) -> dict[str, int]:
    """The certified windows that occur; that origins are right is tested elsewhere."""
    origins = {window: tokens.realised_origins(window) for window in windows(WIDTH)}
    return {
        window: next(iter(found))
        for window, found in origins.items()
        if len(found) == 1 and BEFORE not in found
    }


def anchors(table: dict[str, int], text: str, low: int, high: int) -> list[int]:
    """Positions anchored by windows inside `text[low:high]`."""
    return sorted(
        {
            at + table[text[at : at + width]]
            for width in range(1, WIDTH + 1)
            for at in range(low, high - width + 1)
            if text[at : at + width] in table
        }
    )


def widest_gap(anchored: list[int], length: int) -> int:
    return max(b - a - 1 for a, b in itertools.pairwise([-1, *anchored, length]))


@given(languages, st.integers(1, WIDTH))
def test_minimal_windows_are_those_whose_certificate_no_suffix_has(
    given_set: Language, width: int
) -> None:
    table = {w: o for w, o in certified(given_set.tokens).items() if len(w) <= width}

    expected = {(w, o) for w, o in table.items() if len(w) == 1 or table.get(w[1:]) != o - 1}

    found = [(w.decode(), o) for w, o in given_set.tokens.inventory(width).minimal()]
    assert len(found) == len(set(found))
    assert expected == set(found)


@given(languages, st.integers(1, WIDTH))
def test_origins_are_looked_up_through_the_last_bytes(given_set: Language, width: int) -> None:
    table = certified(given_set.tokens)
    inventory = given_set.tokens.inventory(width)

    for window in windows(WIDTH):
        skipped = max(0, len(window) - width)
        origin = table.get(window[skipped:])
        assert inventory.origin(window) == (None if origin is None else origin + skipped)


@given(languages)
def test_no_narrower_window_is_certified_than_the_least_width_says(given_set: Language) -> None:
    least = min(map(len, certified(given_set.tokens)), default=None)

    found = given_set.tokens.shortest_certified_width()

    assert found == least if least is not None else found is None or found > WIDTH


@given(languages)
def test_a_byte_of_no_token_occurs_nowhere(given_set: Language) -> None:
    for window in ("z", "az", "za"):
        assert frozenset() == given_set.tokens.realised_origins(window)
        assert mm.Vacuous() == given_set.tokens.certify(window, 0)
    assert (True, True) == (
        given_set.tokens.delimiter(b"z").before,
        given_set.tokens.delimiter(b"z").after,
    )


@given(languages, st.sampled_from(ALPHABET))
def test_a_delimiter_is_one_where_cutting_changes_no_text(given_set: Language, byte: str) -> None:
    found = given_set.tokens.delimiter(byte.encode())

    for safe, refutation, shift in (
        (found.before, found.refutation_before, 0),
        (found.after, found.refutation_after, 1),
    ):
        harmed = any(
            at + shift not in {*starts, len(text)}
            for text, starts in given_set.inputs
            for at, letter in enumerate(text)
            if letter == byte
        )
        assert not (safe and harmed)
        if refutation is not None:
            token = refutation.decode()
            assert given_set.is_token(token)
            assert byte in (token[1:] if shift == 0 else token[:-1])
        assert safe is (refutation is None)


@given(languages, st.integers(1, WIDTH))
def test_spans_are_attained_and_never_exceeded(given_set: Language, width: int) -> None:
    inventory = given_set.tokens.inventory(width)
    span = inventory.span()

    for text, _ in given_set.inputs:
        assert span.value is None or widest_gap(inventory.anchors(text).tolist(), len(text)) <= (
            span.value
        )
    if isinstance(span.witness, mm.Pump):
        for repetitions in (0, 1, 2, 40):
            text = span.witness.data(repetitions).decode()
            assert scan(given_set.is_token, text) is not None
        gap = widest_gap(inventory.anchors(text).tolist(), len(text))
        assert gap >= len(span.witness.cycle) * 40 - width
    else:
        text = span.witness.decode()
        assert scan(given_set.is_token, text) is not None
        assert widest_gap(inventory.anchors(text).tolist(), len(text)) == span.value


@given(languages, st.data())
def test_edit_bounds_are_the_nearest_anchors_on_both_sides(
    given_set: Language, data: st.DataObject
) -> None:
    texts = [text for text, _ in given_set.inputs]
    text = data.draw(st.lists(st.sampled_from(texts), max_size=4).map("".join))
    at = data.draw(st.integers(0, len(text)))
    removed = data.draw(st.integers(0, len(text) - at))
    table = certified(given_set.tokens)

    found = given_set.tokens.edit_bounds(text, at, removed=removed, max_width=WIDTH)

    assert found.left == max(anchors(table, text, 0, at), default=None)
    assert found.right == min(anchors(table, text, at + removed, len(text)), default=None)
    longest = given_set.tokens.longest_token
    assert found.proven_left == (None if longest is None else max(0, at - longest + 1))


@given(languages, st.data())
def test_trials_measure_what_the_edits_did(given_set: Language, data: st.DataObject) -> None:
    texts = [text for text, _ in given_set.inputs if len(set(text)) > 1]
    assume(texts)
    text = data.draw(st.sampled_from(texts))
    starts = scan(given_set.is_token, text)
    assert starts is not None
    try:
        trials = mm.edit_trials(
            given_set.tokens, text, trials=4, seed=data.draw(st.integers(0, 99)), max_width=WIDTH
        )
    except mm.InvalidArgumentError:
        return  # no substitution keeps the text tokenizable

    for trial, (at, substitute) in enumerate(
        zip(trials.positions, trials.substitutes, strict=True)
    ):
        after = scan(given_set.is_token, text[:at] + chr(substitute) + text[at + 1 :])
        assert after is not None
        moved = sorted({*starts} ^ {*after})
        hull = moved[-1] - moved[0] + 1 if moved else 0
        bounds = given_set.tokens.edit_bounds(text, int(at), max_width=WIDTH)
        right = len(text) if bounds.right is None else bounds.right
        room = max(0, right - (bounds.left or 0) - 1)
        assert [len(moved), hull, room - hull, room - len(moved)] == [
            trials.moved[trial],
            trials.hull[trial],
            trials.hull_slack[trial],
            trials.unoccupied[trial],
        ]


@given(languages, st.data(), st.integers(1, 7))
def test_supply_counts_the_anchors_of_every_block(
    given_set: Language, data: st.DataObject, block: int
) -> None:
    texts = [text for text, _ in given_set.inputs]
    text = data.draw(st.lists(st.sampled_from(texts), max_size=5).map("".join))
    starts = scan(given_set.is_token, text)
    if starts is None:
        with pytest.raises(mm.UntokenizableError):
            mm.supply(given_set.tokens, text, block_bytes=block)
        return
    anchored = anchors(certified(given_set.tokens), text, 0, len(text))

    found = mm.supply(given_set.tokens, text, max_width=WIDTH, block_bytes=block)

    full = len(text) // block
    blocks = [sum(at // block == index for at in anchored) for index in range(full)]
    assert (blocks or [len(anchored)]) == found.blocks[WIDTH].tolist()
    assert (len(anchored), len(starts)) == (found.anchors[WIDTH], found.boundaries)
    assert widest_gap(anchored, len(text)) == found.widest_gap[WIDTH]
    for width in range(1, WIDTH + 1):
        occurring = {text[at : at + width] for at in range(len(text) - width + 1)}
        assert len(occurring) == found.distinct_windows[width]


@given(languages)
def test_saved_inventories_are_read_again_and_pass_the_checker(
    tmp_path_factory: pytest.TempPathFactory, given_set: Language
) -> None:
    path: Path = tmp_path_factory.mktemp("saved") / "inventory.json"
    given_set.tokens.inventory(2).save(path)

    report = check.check_inventory(path)

    assert report.total == report.checked
    assert given_set.tokens.inventory(2).counts == mm.Inventory.load(path).counts
