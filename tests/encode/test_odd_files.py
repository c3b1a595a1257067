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
    for unknown in (None, "", "Thing", 1, [], {}):
        assert part == loaded(section, {**bare, "type": unknown})


@pytest.mark.parametrize(
    ("section", "kind", "part"),
    [
        (
            "normalizer",
            "Strip",
            {"type": "BertNormalizer", "strip_left": True, "strip_right": True},
        ),
        (
            "post_processor",
            "BertProcessing",
            {"type": "Sequence", "sep": ["S", 7], "cls": ["C", 8]},
        ),
        (
            "post_processor",
            "RobertaProcessing",
            {
                "type": "ByteLevel",
                "sep": ["S", 7],
                "cls": ["C", 8],
                "trim_offsets": True,
                "add_prefix_space": True,
            },
        ),
        ("normalizer", "Prepend", {"pattern": {"String": "a"}, "content": 0, "prepend": "b"}),
        ("decoder", "WordPiece", {"suffix": 1, "prefix": "##", "cleanup": True}),
        ("model", "WordLevel", {"vocab": {"a": 0}, "unk_token": "a", "unk_id": 0}),
        (
            "model",
            "WordLevel",
            {
                "vocab": {"a": 0},
                "unk_token": "a",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": "",
            },
        ),
        (
            "model",
            "Unigram",
            {"vocab": [["a", 0.0]], "unk_id": 0, "unk_token": "a"},
        ),
    ],
)
def test_members_may_outdo_a_type_as_in_the_reference(
    section: str, kind: str, part: dict[str, Any]
) -> None:
    assert kind == loaded(section, part)["type"]


def test_merges_with_a_mistake_are_not_dropped() -> None:
    model = {"vocab": {"a": 0}, "merges": [["a", "b"]], "unk_token": "a"}

    with pytest.raises(mm.InvalidTokenizerError, match=r"model\.merges\[0\]"):
        loaded("model", model)


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


def test_merges_are_all_of_one_form() -> None:
    model = {"type": "BPE", "vocab": {"a": 0, "aa": 1, "aaa": 2}}
    mixed = {**model, "merges": ["a a", ["aa", "a"]]}

    with pytest.raises(mm.InvalidTokenizerError, match="as the first merge is"):
        mm.Tokenizer.from_str(json.dumps({"version": "1.0", "model": mixed}))


@pytest.mark.parametrize(
    "padding",
    [{"strategy": "BatchLongest"}, {"strategy": {"Fixed": 1, "x": 1}, "direction": "Left"}],
)
def test_padding_says_where_and_how_much(padding: dict[str, Any]) -> None:
    members = {**padding, "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}

    with pytest.raises(mm.InvalidTokenizerError, match="padding"):
        mm.Tokenizer.from_str(json.dumps({"version": "1.0", "padding": members, "model": BPE}))


@pytest.mark.parametrize("sizes", [(2**32, None), (2, 2**63), (2**63, 3)])
def test_no_encoding_is_padded_beyond_all_memory(sizes: tuple[int, int | None]) -> None:
    length, multiple = sizes
    padding = {
        "strategy": {"Fixed": length},
        "direction": "Right",
        "pad_to_multiple_of": multiple,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "a",
    }
    document = {"version": "1.0", "padding": padding, "model": BPE}
    tokenizer = mm.Tokenizer.from_str(json.dumps(document))

    for call in (tokenizer.encode, lambda text: tokenizer.encode_batch([text])):
        with pytest.raises(mm.LimitError, match="at most 134217728") as refused:
            call("a")
        assert "length" == refused.value.limit
    tokenizer.no_padding()
    with pytest.raises(mm.LimitError):
        tokenizer.encode("a").pad(2**40)
