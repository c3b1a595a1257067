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


def is_read_as_in_the_reference(name: str, part: Any) -> None:
    document = json.dumps({"version": "1.0", "model": MODEL, name: part}, ensure_ascii=False)

    expected = outcome(tokenizers, document, name)
    found = outcome(mm, document, name)
    assert expected in (found, "panic")


@given(odd_sections())
def test_odd_sections_are_read_as_in_the_reference(section: tuple[str, Part]) -> None:
    is_read_as_in_the_reference(*section)


def listed(draw: st.DrawFn, value: Any) -> Any:
    """Draw what lists of their values may take the place of objects, and objects that of words."""
    if isinstance(value, list):
        return [listed(draw, element) for element in value]
    if isinstance(value, str):
        return draw(st.sampled_from([value, value, value, {value: None}]))
    if not isinstance(value, dict):
        return value
    members = {name: listed(draw, member) for name, member in value.items()}
    members |= {"type": value["type"]} if "type" in value else {}
    values = list(members.values())
    return draw(st.sampled_from([members, members, values, values[1:], values[:1], [*values, 1]]))


@st.composite
def listed_sections(draw: st.DrawFn) -> tuple[str, Any]:
    """Draw a section with lists where objects are usual."""
    name = draw(st.sampled_from(sorted({*PARTS, "truncation", "padding"})))
    word = st.sampled_from
    options = {
        "truncation": {
            "direction": draw(word(["Left", "Right"])),
            "max_length": 5,
            "strategy": draw(word(["LongestFirst", "OnlyFirst"])),
            "stride": 0,
        },
        "padding": {
            "strategy": draw(word(["BatchLongest", {"Fixed": 5}])),
            "direction": draw(word(["Left", "Right"])),
            "pad_to_multiple_of": draw(word([None, 2])),
            "pad_id": 0,
            "pad_type_id": 1,
            "pad_token": "x",
        },
    }
    part = options[name] if name in options else draw(PARTS[name])
    return name, listed(draw, part)


@given(listed_sections())
def test_lists_for_objects_are_read_as_in_the_reference(section: tuple[str, Any]) -> None:
    is_read_as_in_the_reference(*section)
