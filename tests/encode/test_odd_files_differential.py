"""Sections with members of several components and with any type, against `tokenizers`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from component_strategies import Part, decoders, pre_tokenizers
from encode_helpers import answer
from hypothesis import given
from hypothesis import strategies as st
from pipeline_strategies import every_normalizer, simple_post_processors

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

MODEL = {"type": "BPE", "vocab": {}, "merges": []}
PARTS = {
    "normalizer": every_normalizer,
    "pre_tokenizer": pre_tokenizers,
    "post_processor": simple_post_processors,
    "decoder": decoders,
}
# What docs/differences.md lists: refused by us where the reference panics later or finds no pieces.
REFUSED_BY_US = {"special_tokens", "length", "precompiled_charsmap"}
ODD = [None, "", "Thing", 0, 1, True, "ab", [], {}, 1.5]


@st.composite
def odd_sections(draw: st.DrawFn) -> tuple[str, Part]:
    """Draw a section whose members are those of up to three components, some lost or odd."""
    name = draw(st.sampled_from(sorted(PARTS)))
    drawn = draw(st.lists(PARTS[name], min_size=1, max_size=3))
    members = {member: value for part in drawn for member, value in part.items()}
    lost = draw(st.sets(st.sampled_from(sorted(members)), max_size=2))
    part = {member: value for member, value in members.items() if member not in lost}
    names = st.sampled_from(sorted({*part, "type"} - REFUSED_BY_US))
    for member in draw(st.sets(names, max_size=2)):
        part[member] = draw(st.sampled_from(ODD))
    return name, part


def outcome(library: Any, document: str, name: str) -> Any:
    return answer(lambda: json.loads(library.Tokenizer.from_str(document).to_str())[name])


@given(odd_sections())
def test_odd_sections_are_read_as_in_the_reference(section: tuple[str, Part]) -> None:
    name, part = section
    document = json.dumps({"version": "1.0", "model": MODEL, name: part}, ensure_ascii=False)

    expected = outcome(tokenizers, document, name)
    found = outcome(mm, document, name)
    assert expected in (found, "panic")
