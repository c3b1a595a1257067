"""Files that no library writes any more, read as the reference reads them; answers are frozen."""

from __future__ import annotations

import json
from typing import Any

import pytest

import maxmunch as mm

BPE = {"type": "BPE", "vocab": {"a": 0}, "merges": []}


def loaded(section: str, part: dict[str, Any]) -> dict[str, Any]:
    document = {"version": "1.0", "model": BPE, section: part}
    found: dict[str, Any] = json.loads(mm.Tokenizer.from_str(json.dumps(document)).to_str())
    return found[section]  # type: ignore[no-any-return]


SHAPES = [
    (
        "normalizer",
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
    ),
    ("normalizer", {"type": "Strip", "strip_left": True, "strip_right": False}),
    ("normalizer", {"type": "Sequence", "normalizers": [{"type": "NFC"}]}),
    ("normalizer", {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}),
    ("normalizer", {"type": "Prepend", "prepend": "a"}),
    ("post_processor", {"type": "BertProcessing", "sep": ["S", 7], "cls": ["C", 8]}),
    (
        "post_processor",
        {
            "type": "RobertaProcessing",
            "sep": ["S", 7],
            "cls": ["C", 8],
            "trim_offsets": True,
            "add_prefix_space": False,
        },
    ),
    (
        "post_processor",
        {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {},
        },
    ),
    ("decoder", {"type": "BPEDecoder", "suffix": "</w>"}),
    ("decoder", {"type": "WordPiece", "prefix": "##", "cleanup": True}),
    (
        "decoder",
        {"type": "CTC", "pad_token": "_", "word_delimiter_token": "|", "cleanup": True},
    ),
    ("decoder", {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}),
    ("decoder", {"type": "Strip", "content": "a", "start": 0, "stop": 1}),
]


@pytest.mark.parametrize(("section", "part"), SHAPES, ids=lambda value: str(value)[:40])
def test_a_component_without_a_type_is_known_by_its_members(
    section: str, part: dict[str, Any]
) -> None:
    bare = {name: value for name, value in part.items() if name != "type"}

    assert part == loaded(section, bare)
    assert part == loaded(section, {**bare, "type": None})


@pytest.mark.parametrize(
    ("section", "part"),
    [
        ("normalizer", {"precompiled_charsmap": ""}),
        ("pre_tokenizer", {"individual_digits": True}),
        ("post_processor", {"processors": []}),
    ],
)
def test_other_components_have_to_name_their_type(section: str, part: dict[str, Any]) -> None:
    with pytest.raises(mm.InvalidTokenizerError, match="type"):
        loaded(section, part)


def test_null_flags_of_bpe_are_the_defaults() -> None:
    flags = ("fuse_unk", "byte_fallback", "ignore_merges")
    document = {"version": "1.0", "model": BPE | dict.fromkeys(flags)}

    model = json.loads(mm.Tokenizer.from_str(json.dumps(document)).to_str())["model"]

    assert [False] * 3 == [model[flag] for flag in flags]
