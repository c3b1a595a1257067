"""Added tokens: frozen answers of the reference, replayed; character classes swept."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import maxmunch as mm
from support import VECTORS, shared_bytes

DEFAULTS = {"type_ids": 0, "attention_mask": 1, "special_tokens_mask": 0, "sequence_ids": 0}
COLUMNS = ("ids", "tokens", "offsets", "word_ids", *DEFAULTS)
FLAGS = ("special", "normalized", "lstrip", "rstrip", "single_word")


@cache
def vectors() -> dict[str, Any]:
    return json.loads((VECTORS / "added_tokens.json").read_text())


SUITES = [
    "matching_core",
    "bytelevel_bpe",
    "llama_bpe",
    "unigram_metaspace",
    "wordpiece",
    "input_shapes",
]


@pytest.mark.parametrize("suite", SUITES)
def test_every_frozen_encoding_is_reproduced(suite: str) -> None:
    frozen = vectors()["suites"][suite]
    made = {name: mm.Tokenizer.from_str(text) for name, text in frozen["tokenizers"].items()}
    for case in frozen["cases"]:
        tok = made[case["tokenizer"]]
        tok.encode_special_tokens = bool(case.get("encode_special_tokens"))
        encoding = tok.encode(
            case["input"],
            case.get("pair"),
            is_pretokenized=bool(case.get("is_pretokenized")),
            add_special_tokens=bool(case.get("add_special_tokens")),
        )
        if "error" in case:
            continue  # The reference panics; the next test says what we do.
        count = len(case["ids"])
        for name in COLUMNS:
            expected = case.get(name, [DEFAULTS.get(name)] * count)
            found = getattr(encoding, name)
            assert expected == json.loads(json.dumps(found)), (case, name)
        assert case["decoded"] == tok.decode(encoding.ids, skip_special_tokens=False)
        assert case["decoded_skip_special"] == tok.decode(encoding.ids)


def test_a_match_in_white_space_that_is_taken_is_dropped_where_the_reference_panics() -> None:
    cases = [c for s in SUITES for c in vectors()["suites"][s]["cases"] if "error" in c]
    made = vectors()["suites"]["matching_core"]["tokenizers"]

    assert ["<r>\t\tx"] == [case["input"] for case in cases]
    tok = mm.Tokenizer.from_str(made[cases[0]["tokenizer"]])
    assert [(0, 5), (5, 6)] == tok.encode("<r>\t\tx").offsets


@pytest.mark.parametrize("document", vectors()["loading"], ids=lambda d: d["name"])
def test_a_document_loads_as_the_reference_loads_it(document: dict[str, Any]) -> None:
    if not document["loads"]:
        with pytest.raises(mm.InvalidTokenizerError):
            mm.Tokenizer.from_str(document["json"])
        return
    tok = mm.Tokenizer.from_str(document["json"])
    added = tok.get_added_tokens_decoder().items()
    rows = [[i, t.content, *(getattr(t, flag) for flag in FLAGS)] for i, t in added]
    probe = tok.encode(document["probe"]["input"])

    assert document["added"] == rows
    assert document["probe"]["ids"] == probe.ids
    assert document["probe"]["tokens"] == probe.tokens
    assert document["saved_added_tokens"] == json.loads(tok.to_str())["added_tokens"]
    if document["vocab_size_with_added"] is not None:
        assert document["vocab_size_with_added"] == tok.get_vocab_size()


def character_tokenizer(**flags: bool) -> mm.Tokenizer:
    tok = mm.Tokenizer(mm.models.BPE({"?": 0}, [], unk_token="?"))
    tok.add_tokens([mm.AddedToken("<x>", normalized=False, **flags)])
    return tok


def test_word_and_white_space_characters_are_those_of_the_reference() -> None:
    classes = json.loads(shared_bytes("oracles/added_tokens/classes.json"))["documents"]
    swept = {document["name"]: document["ranges"] for document in classes}
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    word, strip = character_tokenizer(single_word=True), character_tokenizer(lstrip=True)

    def with_length(tok: mm.Tokenizer, length: int) -> list[str]:
        rows = tok.encode_ids_batch([f"{c}<x>" for c in every])
        return [c for c, ids in zip(every, np.diff(rows.offsets), strict=True) if ids == length]

    blocked, taken = with_length(word, 4), with_length(strip, 1)

    for name, found in (("word", blocked), ("whitespace", taken)):
        expected = {chr(c) for first, last in swept[name] for c in range(first, last + 1)}
        assert expected == set(found)


def test_adding_counts_what_was_new_or_changed() -> None:
    tok = character_tokenizer()

    assert 2 == tok.add_tokens(["q1", "q1", "", "q2"])
    assert 1 == tok.add_tokens([mm.AddedToken("q1", rstrip=True)])
    assert 1 == tok.add_tokens(["?"])
    assert 0 == tok.add_tokens(["?"])
    assert {0, 1, 2, 3} == set(tok.get_added_tokens_decoder())


def test_special_stays_special_until_saved() -> None:
    tok = character_tokenizer()
    tok.add_special_tokens(["<s>"])
    tok.add_tokens([mm.AddedToken("<s>", normalized=False)])

    assert "" == tok.decode(tok.encode("<s>").ids)
    again = mm.Tokenizer.from_str(tok.to_str())
    assert "<s>" == again.decode(again.encode("<s>").ids)


def test_many_added_tokens_cost_nothing_while_encoding() -> None:
    tok = character_tokenizer()
    tok.add_tokens([mm.AddedToken(f"<t{i}>", normalized=False) for i in range(10_000)])

    assert 10_002 == tok.get_vocab_size()
    assert [10_001] == tok.encode("<t9999>").ids


def test_a_token_that_normalization_deletes_is_found_between_characters() -> None:
    token = {"id": 3, "content": "z", "normalized": True, "special": True}
    token |= {"single_word": False, "lstrip": False, "rstrip": True}
    document = {
        "version": "1.0",
        "added_tokens": [token],
        "normalizer": {"type": "Replace", "pattern": {"String": "z"}, "content": ""},
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1, "b": 2}, "unk_token": "[UNK]"},
    }
    tok = mm.Tokenizer.from_str(json.dumps(document))

    assert tok.encode("ab  b").ids == [1, 2, 3, 3, 2]
    assert tok.encode("éa").ids == [0, 1]
    assert tok.encode_ids("ab", specials="error").tolist() == [0]


def test_a_content_that_was_ever_special_stays_text_where_specials_are_text() -> None:
    tok = character_tokenizer()
    tok.add_special_tokens(["<s>"])
    tok.add_tokens([mm.AddedToken("<s>", normalized=False)])
    tok.encode_special_tokens = True

    assert [0] * 3 == tok.encode("<s>").ids
    with pytest.raises(mm.InvalidArgumentError, match="<s>"):
        tok.encode_ids("<s>", specials="error")


def test_an_entry_that_is_no_longer_normalized_is_shown_as_it_was_spelled() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"?": 0, "AB": 7}, unk_token="?"))
    tok.normalizer = mm.normalizers.Lowercase()
    tok.add_tokens([mm.AddedToken("AB", normalized=True)])
    tok.add_tokens([mm.AddedToken("AB", normalized=False)])

    assert [0, 7, 0] == tok.encode("ab AB ab").ids
    assert "ab" == tok.id_to_token(7) == tok.decode([7], skip_special_tokens=False)
    tok.add_tokens(["other"])
    assert "ab" == tok.id_to_token(7)
    tok.normalizer = mm.normalizers.Prepend("q")
    assert "AB" == tok.id_to_token(7)


@pytest.mark.parametrize("special", [False, True])
def test_entries_of_a_file_are_spelled_one_after_the_other(special: bool) -> None:  # noqa: FBT001
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False) | {"id": 7, "content": "AB"}
    first = flags | {"normalized": True, "special": special}
    added = [first, flags | {"normalized": False, "special": False}]
    model = {"type": "WordLevel", "vocab": {"?": 0, "AB": 7}, "unk_token": "?"}
    document = {"normalizer": {"type": "Lowercase"}, "added_tokens": added, "model": model}

    tok = mm.Tokenizer.from_str(json.dumps({"version": "1.0", **document}))

    assert "ab" == tok.id_to_token(7)


def test_an_option_of_the_normalizer_leaves_contents_spelled_as_they_were() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    tok.normalizer = mm.normalizers.BertNormalizer(lowercase=False)
    tok.add_tokens(["ABC"])
    tok.normalizer.lowercase = True
    tok.add_tokens(["DEF"])

    assert ([1], [3]) == (tok.encode("ABC").ids, tok.encode("DEF").ids)
    assert ("ABC", "def") == (tok.id_to_token(2), tok.id_to_token(3))
    tok.normalizer = tok.normalizer
    assert [2] == tok.encode("ABC").ids


def test_new_contents_get_numbers_in_a_row_whatever_the_model_has() -> None:
    vocab = {"a": 0, "b": 9, "c": 12}
    one_by_one = mm.Tokenizer(mm.models.WordLevel(vocab, unk_token="a"))
    for contents in (["b"], ["q"], ["c", "r", "s"]):
        one_by_one.add_tokens(contents)
    together = mm.Tokenizer(mm.models.WordLevel(vocab, unk_token="a"))
    together.add_tokens(["q", "b", "r"])

    assert {**vocab, "q": 10, "r": 11, "s": 12} == one_by_one.get_vocab()
    assert {**vocab, "q": 3, "r": 4} == together.get_vocab()
    assert "s" == one_by_one.id_to_token(12)
