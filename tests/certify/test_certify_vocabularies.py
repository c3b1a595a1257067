"""Real vocabularies: counts that were found independently, and supply on real text."""

from __future__ import annotations

import json
from functools import cache

import pytest

import maxmunch as mm
from support import shared_bytes


def byte_of_character() -> dict[str, int]:
    """The alphabet of byte-level vocabularies: each character stands for one byte."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in plain}
    others = [byte for byte in range(256) if byte not in plain]
    return table | {chr(256 + n): byte for n, byte in enumerate(others)}


@cache
def byte_level(name: str) -> mm.TokenSet:
    """The tokens of a byte-level BPE file, its added tokens left out."""
    data = json.loads(shared_bytes(f"data/tokenizers/{name}.json.xz"))
    added = {token["content"] for token in data["added_tokens"]}
    table = byte_of_character()
    words = [bytes(map(table.__getitem__, w)) for w in data["model"]["vocab"] if w not in added]
    return mm.TokenSet.literal(words)


def test_gpt2_counts_are_those_of_an_independent_program() -> None:
    counts = byte_level("gpt2").inventory(4).counts

    assert [73, 62_987, 16_712_404, 4_287_405_391] == [
        counts[width].certified for width in (1, 2, 3, 4)
    ]
    assert [0, 0, 0, 0] == [counts[width].vacuous for width in (1, 2, 3, 4)]


def test_supply_on_english_text_is_bounded_by_its_boundaries() -> None:
    text = shared_bytes("data/twitter.json.xz")[: 1 << 16]

    found = mm.supply(byte_level("gpt2"), text)

    per_width = [found.anchors_per_kib[width] for width in (1, 2, 3, 4)]
    assert per_width == sorted(per_width)
    assert per_width[-1] <= found.boundaries_per_kib
    assert len(text) // 1024 == len(found.blocks[4])
    assert found.anchors[4] == found.blocks[4].sum()


@pytest.mark.parametrize("name", ["gpt2"])
def test_a_parallel_scan_of_real_text_is_the_sequential_one(name: str) -> None:
    tokens = byte_level(name)
    text = shared_bytes("data/twitter.json.xz")

    expected = tokens.scan(text)

    for threads in (1, 2, 3, 8):
        assert expected == mm.parallel_scan(tokens, text, threads=threads)
    assert set(tokens.inventory(3).anchors(text).tolist()) <= set(expected.starts.tolist())


def test_newline_is_no_delimiter_of_gpt2_and_its_span_is_unbounded() -> None:
    tokens = byte_level("gpt2")
    newline = tokens.delimiter(b"\n")
    span = tokens.inventory(4).span()

    assert not newline.before
    assert newline.refutation_before is not None
    assert b"\n" in newline.refutation_before[1:]
    assert not span.bounded
    assert isinstance(span.witness, mm.Pump)
    assert 0 == len(tokens.inventory(4).anchors(span.witness.data(1000)))


@cache
def vocabulary(name: str) -> mm.TokenSet:
    text = shared_bytes(f"data/tokenizers/{name}").decode()
    return mm.Tokenizer.from_str(text).vocabulary.token_set()


@pytest.mark.parametrize("left", ["falcon", "bert-uncased"])
@pytest.mark.parametrize("right", ["gpt2", "xlm-roberta"])
def test_vocabularies_without_all_bytes_are_audited(left: str, right: str) -> None:
    first, second = (vocabulary(f"{name}.json.xz") for name in (left, right))

    found = mm.audit(first, second)

    assert found.boundary is not None
    assert found.domain is not None
    for side, tokens in (("left_starts", first), ("right_starts", second)):
        assert tokens.scan(found.boundary.data).starts.tolist() == getattr(found.boundary, side)
        starts = getattr(found.domain, side)
        assert tokens.is_tokenizable(found.domain.data) is (starts is not None)
    assert found.boundary.left_starts != found.boundary.right_starts
    assert 1 == len(found.domain.data)


def test_a_vocabulary_without_all_bytes_has_a_span_and_a_least_width() -> None:
    tokens = vocabulary("xlm-roberta.json.xz")
    span = tokens.inventory(4).span()

    assert isinstance(span.witness, mm.Pump)
    assert 0 == len(tokens.inventory(4).anchors(span.witness.data(1000)))
    assert 1 == tokens.shortest_certified_width()


def two_byte_characters(first: int, count: int) -> list[bytes]:
    """A prefix code: the UTF-8 of characters in a row."""
    return [chr(0x100 + index).encode() for index in range(first, first + count)]


def test_large_sets_over_characters_are_audited_and_their_spans_are_known() -> None:
    characters = two_byte_characters(0, 400)
    pairs = [a + b for a in characters for b in characters]
    whole, fewer = mm.TokenSet.literal(characters + pairs), mm.TokenSet.literal(characters)

    found = mm.audit(whole, fewer)

    assert found.domain is None
    assert found.boundary is not None
    assert ([0], [0, 2]) == (found.boundary.left_starts, found.boundary.right_starts)
    assert mm.Audit(None, None) == mm.audit(whole, whole)
    span = whole.inventory(4).span()
    assert isinstance(span.witness, mm.Pump)
    assert 2 == len(span.witness.cycle)


def test_a_large_set_that_lacks_a_character_differs_by_it() -> None:
    characters = two_byte_characters(0, 400)
    pairs = [a + b for a in characters for b in characters]
    lacking = characters[:-1] + [p for p in pairs if characters[-1] not in (p[:2], p[2:])]

    found = mm.audit(mm.TokenSet.literal(characters + pairs), mm.TokenSet.literal(lacking))

    assert found.boundary is None
    assert found.domain == mm.Disagreement(characters[-1], [0], None)


def test_what_tokens_leave_open_in_large_sets_is_tried_up_to_a_named_limit() -> None:
    numbers = [f"{number:06}" for number in range(0, 400_000, 7)]
    left = mm.TokenSet.literal([*numbers, "x", "xyy"])
    right = mm.TokenSet.literal([*numbers, "xy", "y", "x"])

    with pytest.raises(mm.LimitError, match="max_states") as reached:
        mm.audit(left, right, max_states=3)
    assert "max_states" == reached.value.limit
    found = mm.audit(left, right)
    assert found.boundary is not None
    assert found.domain is not None
    assert b"xyy" == found.boundary.data
    assert b"y" == found.domain.data
