"""What `explain` says of each stage."""

from __future__ import annotations

import json
from typing import Any

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


def bpe(**options: Any) -> mm.Tokenizer:
    vocabulary = {"a": 0, "b": 1, " ": 2, "ab": 3, "b</w>": 4}
    return mm.Tokenizer(mm.models.BPE(vocabulary, [("a", "b")], **options))


def test_the_splitter_is_told_with_what_it_did() -> None:
    said = bpe().explain("abab ba")

    assert (None, 1, 5) == (said.splitter.refusal, said.splitter.pieces, said.splitter.parts)
    assert "splitter     1 pieces, cut into 5 parts" in str(said)
    assert "drawn at random" in str(bpe(dropout=0.5).explain("ab").splitter)
    assert bpe(end_of_word_suffix="</w>").explain("ab").splitter.refusal is not None
    words = mm.Tokenizer(mm.models.WordLevel({"a": 0}, unk_token="a"))
    assert "looked up whole" in str(words.explain("a").splitter)


def test_added_tokens_are_no_pieces_of_the_splitter() -> None:
    tokenizer = bpe()
    tokenizer.add_special_tokens(["<x>"])

    assert 2 == tokenizer.explain("ab<x>b").splitter.pieces
