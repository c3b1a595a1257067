"""The campaign grammars: what is certified where, and text that they tokenize."""

from __future__ import annotations

import itertools

import pytest

import maxmunch as mm
from maxmunch.certify import grammars

NAMES = list(grammars.GRAMMARS)


def certified_class_windows(name: str, width: int) -> dict[tuple[str, ...], int]:
    """Certified windows of one width over the byte classes, checked to be exact for all bytes."""
    inventory = grammars.token_set(name).inventory(width)
    found = {}
    for classes in itertools.product(grammars.CLASSES, repeat=width):
        members = [grammars.CLASSES[name][:2] for name in classes]
        origins = {inventory.origin(bytes(window)) for window in itertools.product(*members)}
        assert 1 == len(origins)
        origin = origins.pop()
        if origin is not None:
            found[classes] = origin
    return found


def test_bare_tokens_certify_every_operator_and_punctuation_class() -> None:
    found = certified_class_windows("bare", 1)

    assert {(name,): 0 for name in ("slash", "star", "operator", "punctuation")} == found


def test_the_conventional_grammar_certifies_only_pairs_with_a_newline() -> None:
    pairs = certified_class_windows("conventional", 2)

    assert {} == certified_class_windows("conventional", 1)
    assert 15 == len(pairs)
    assert all("newline" in pair for pair in pairs)
    assert {1} == set(pairs.values())


def test_the_split_friendly_grammar_certifies_the_newline() -> None:
    assert {("newline",): 0} == certified_class_windows("split-friendly", 1)


def test_block_comments_need_width_four() -> None:
    found = certified_class_windows("block-comments", 4)

    for width in (1, 2, 3):
        assert {} == certified_class_windows("block-comments", width)
    assert 15 == len(found)
    assert {3} == set(found.values())
    assert all(
        window[1:3] == ("star", "slash") and "newline" in (window[0], window[3]) for window in found
    )


@pytest.mark.parametrize("name", NAMES)
def test_spans_of_grammars_are_unbounded(name: str) -> None:
    span = grammars.token_set(name).inventory(4).span()

    assert not span.bounded


@pytest.mark.parametrize("name", NAMES)
def test_generated_text_is_tokenizable_reproducible_and_of_the_size_asked(name: str) -> None:
    data = grammars.text(name, 20_000, seed=3)
    tokens = grammars.token_set(name)

    assert 20_000 == len(data)
    assert data == grammars.text(name, 20_000, seed=3)
    assert data != grammars.text(name, 20_000, seed=4)
    assert tokens.is_tokenizable(data)
    for threads in (2, 5):
        assert tokens.scan(data) == mm.parallel_scan(tokens, data, threads=threads)


@pytest.mark.parametrize("name", NAMES)
def test_supply_of_generated_text_is_positive_and_checked(name: str) -> None:
    supply = mm.supply(grammars.token_set(name), grammars.text(name, 20_000))

    assert 0 < supply.anchors[4] <= supply.boundaries


def test_conventional_and_split_friendly_differ_on_blank_then_newline() -> None:
    found = mm.audit(grammars.token_set("conventional"), grammars.token_set("split-friendly"))

    assert found.domain is None
    assert found.boundary is not None
    assert 2 == len(found.boundary.data)
    assert ([0], [0, 1]) == (found.boundary.left_starts, found.boundary.right_starts)


@pytest.mark.parametrize("name", NAMES)
def test_a_grammar_is_proved_equal_to_itself(name: str) -> None:
    assert mm.Audit(None, None) == mm.audit(grammars.token_set(name), grammars.token_set(name))


def test_an_unknown_grammar_is_refused() -> None:
    with pytest.raises(mm.InvalidArgumentError, match="no campaign grammar"):
        grammars.token_set("fortran")


@pytest.mark.parametrize("size", [0, 1, 50])
def test_short_texts_are_tokenizable_too(size: int) -> None:
    data = grammars.text("block-comments", size)

    assert size == len(data)
    assert grammars.token_set("block-comments").is_tokenizable(data)
