"""What `explain` says of each stage."""

from __future__ import annotations

import json

import maxmunch as mm


def tokenizer() -> mm.Tokenizer:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0, "b": 1, "[UNK]": 2}, unk_token="[UNK]"))
    tok.normalizer = mm.normalizers.Lowercase()
    tok.pre_tokenizer = mm.pre_tokenizers.Whitespace()
    tok.add_special_tokens(["<x>"])
    tok.add_tokens([mm.AddedToken("w", single_word=True, normalized=False)])
    tok.post_processor = mm.processors.TemplateProcessing("<x> $A", special_tokens=[("<x>", 3)])
    return tok


def test_every_stage_is_told() -> None:
    tok = tokenizer()
    tok.enable_truncation(3)

    said = tok.explain("A b <x> w aw")

    assert [("<x>", 4, 7), ("w", 8, 9)] == [(m.content, m.start, m.end) for m in said.matches]
    assert [("w", 11, "single_word: a word character stands beside it")] == [
        (m.content, m.start, m.reason) for m in said.misses
    ]
    assert ("A b ", "a b ") == said.normalized[0]
    assert [("A", ["a"], [0]), ("b", ["b"], [1])] == [
        (p.text, p.tokens, p.ids) for p in said.pieces[:2]
    ]
    assert tok.encode("A b <x> w aw").ids == said.ids


def test_a_special_that_stays_text_is_told() -> None:
    said = tokenizer().explain("a<x>", specials="text")

    assert [] == said.matches
    assert "special tokens are text here" in said.misses[0].reason


def test_it_prints_and_goes_through_json() -> None:
    said = tokenizer().explain("A<x>")

    assert "added token  1:4 '<x>' -> 3" in str(said)
    assert said.text == json.loads(said.to_json())["text"]
