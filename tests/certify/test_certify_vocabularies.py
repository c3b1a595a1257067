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
