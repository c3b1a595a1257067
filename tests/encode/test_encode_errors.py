"""Bad input: every refusal names the place, the value, the rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

import maxmunch as mm

MODEL = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}


def load(**sections: Any) -> mm.Tokenizer:
    return mm.Tokenizer.from_str(json.dumps({"version": "1.0", "model": MODEL} | sections))


def test_the_smallest_file_loads() -> None:
    assert [2, 0] == load().encode("aba").ids


@pytest.mark.parametrize("text", ["", "{", "tokenizer", "[1", '{"model": }'])
def test_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(mm.InvalidTokenizerError, match="not JSON"):
        mm.Tokenizer.from_str(text)


@pytest.mark.parametrize("text", ["[]", "1", '"a"', "null", "{}"])
def test_json_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(mm.InvalidTokenizerError):
        mm.Tokenizer.from_str(text)


@pytest.mark.parametrize(
    ("sections", "path"),
    [
        ({"version": "2.0"}, "version"),
        ({"extra": 1}, "extra"),
        ({"added_tokens": None}, "added_tokens"),
        ({"added_tokens": [{"id": 3, "content": "x"}]}, "added_tokens[0]"),
        ({"normalizer": {}}, "normalizer"),
        ({"normalizer": {"type": 1}}, "normalizer.type"),
        ({"normalizer": {"type": "Sequence", "normalizers": [1]}}, "normalizer.normalizers[0]"),
        ({"pre_tokenizer": {"type": "ByteLevel"}}, "pre_tokenizer"),
        (
            {"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"}},
            "pre_tokenizer.pattern.Regex",
        ),
        (
            {
                "pre_tokenizer": {
                    "type": "Split",
                    "pattern": {"String": "a"},
                    "behavior": "isolated",
                }
            },
            "pre_tokenizer.behavior",
        ),
        ({"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}, 'model.vocab["a"]'),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}, "model.merges[0]"),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["aa"]}}, "model.merges[0]"),
        ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "a"]]}}, "model.merges[0]"),
        ({"model": {"type": "BPE", "vocab": [], "merges": []}}, "model.vocab"),
        ({"model": MODEL | {"fuse_unk": 1}}, "model.fuse_unk"),
        ({"model": MODEL | {"dropout": 2.0}}, "model.dropout"),
        ({"truncation": {"max_length": -1}}, "truncation"),
    ],
)
def test_a_malformed_value_is_named(sections: dict[str, Any], path: str) -> None:
    with pytest.raises(mm.InvalidTokenizerError) as refused:
        load(**sections)

    assert path == refused.value.json_path or refused.value.json_path.startswith(path)


@pytest.mark.parametrize(
    ("sections", "path"),
    [
        ({"normalizer": {"type": "Bar"}}, "normalizer.type"),
        (
            {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Foo"}]}},
            "pre_tokenizer.pretokenizers[0].type",
        ),
        ({"post_processor": {"type": "Foo"}}, "post_processor.type"),
        ({"decoder": {"type": "Foo"}}, "decoder.type"),
        ({"model": {"type": "Foo"}}, "model.type"),
    ],
)
def test_what_is_not_reproduced_is_refused_with_its_path(sections: Any, path: str) -> None:
    with pytest.raises(mm.UnsupportedTokenizerError) as refused:
        load(**sections)

    assert path == refused.value.json_path
    assert isinstance(refused.value, ValueError)


def test_a_lone_surrogate_is_refused_with_its_position() -> None:
    tok = load()

    for call in (tok.encode, tok.encode_ids, tok.count_tokens, tok.token_to_id):
        with pytest.raises(UnicodeEncodeError, match="position 3: "):
            call("aé🙂\ud800b")
    for batch in (tok.encode_batch, tok.encode_ids_batch, tok.encode_batch_fast):
        with pytest.raises(UnicodeEncodeError, match="position 1: "):
            batch(["a", "b\udfff"])


def test_bytes_that_are_not_utf8_are_refused_with_their_position() -> None:
    with pytest.raises(mm.InvalidArgumentError, match="byte 2"):
        load().encode_ids(b"ab\xff")
    assert [2] == load().encode_ids(b"ab").tolist()


def test_a_match_that_backtracks_too_long_is_a_limit() -> None:
    split = {
        "type": "Split",
        "pattern": {"Regex": r"(?:(x+)x+)+\1(?![x!])"},
        "behavior": "Isolated",
        "invert": False,
    }

    with pytest.raises(mm.LimitError, match="gave up"):
        load(pre_tokenizer=split).encode("x" * 60 + "!")


def test_wrong_kinds_of_input_are_type_errors() -> None:
    tok = load()

    with pytest.raises(TypeError, match="sequence"):
        tok.encode(["a"])
    with pytest.raises(TypeError, match="sequence"):
        tok.encode("a", is_pretokenized=True)
    with pytest.raises(mm.InvalidArgumentError, match="threads"):
        tok.encode_ids_batch(["a"], threads=0)
    with pytest.raises(mm.InvalidArgumentError, match="specials"):
        tok.encode("a", specials="drop")


def test_special_tokens_in_the_text_are_ids_text_or_refused() -> None:
    tok = load()
    tok.add_special_tokens(["<a>", "<b>"])

    assert [3, 0, 4] == tok.encode("<a>a<b>").ids
    assert [0, 2] == tok.encode("<a>a<b>", specials="text").ids
    assert [3, 2] == tok.encode_ids("<a>a<b>", specials={"<a>"}).tolist()
    with pytest.raises(mm.InvalidArgumentError, match="byte 4"):
        tok.encode("aaaa<b>", specials="error")
    assert [2] == tok.encode("ab", specials="error").ids
