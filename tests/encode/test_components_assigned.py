"""A component that is taken off a tokenizer and put back changes nothing that is saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from pipeline_strategies import pipelines

import maxmunch as mm

if TYPE_CHECKING:
    from pathlib import Path

SECTIONS = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")


def check(document: str) -> None:
    """Put every component back, one by one and all together."""
    saved = mm.Tokenizer.from_str(document).to_str()
    whole = mm.Tokenizer.from_str(document)
    for section in SECTIONS:
        tok = mm.Tokenizer.from_str(document)
        for each in (tok, whole):
            setattr(each, section, getattr(each, section))
        assert saved == tok.to_str()
        other = mm.Tokenizer.from_str(document)
        setattr(other, section, getattr(mm.Tokenizer.from_str(document), section))
        assert saved == other.to_str()
    assert saved == whole.to_str()


@given(document=pipelines())
def test_components_put_back_save_the_same(document: str) -> None:
    try:
        mm.Tokenizer.from_str(document)
    except mm.MaxmunchError:
        return
    check(document)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_members_of_ours_are_kept(kind: str, tmp_path: Path) -> None:
    trainer = pytest.importorskip("sentencepiece", reason="the format's library is not installed")
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the cat sat on the mat and the dog ran\n" * 50)
    options: dict[str, Any] = {"user_defined_symbols": ["<x>", "the"], "byte_fallback": True}
    trainer.SentencePieceTrainer.train(
        input=str(corpus),
        model_prefix=str(tmp_path / kind),
        vocab_size=300,
        model_type=kind,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    document = mm.Tokenizer.from_sentencepiece(tmp_path / f"{kind}.model").to_str()

    assert "sentencepiece" in json.loads(document)["normalizer"]
    check(document)
    tok = mm.Tokenizer.from_str(document)
    tok.normalizer = tok.normalizer
    assert (
        mm.Tokenizer.from_str(document).encode("the <x> é cat").ids
        == tok.encode("the <x> é cat").ids
    )
    # The exact rules describe all parts together: they go when one of them changes.
    normalizer = tok.normalizer
    assert isinstance(normalizer, mm.normalizers.Sequence)
    normalizer[0] = mm.normalizers.Lowercase()
    assert "sentencepiece" not in json.loads(tok.to_str())["normalizer"]
    assert "the" == normalizer.normalize_str("THE")[-3:]


@pytest.mark.parametrize("first", ["encode", "encode_ids"])
@pytest.mark.parametrize("text", ["abc", "ab abc", "é漢", "ĠabcabcabcabcĠ"])
@pytest.mark.parametrize("on_bytes", [False, True])
def test_whole_pieces_are_tokens_however_the_tokenizer_came_about(
    first: str, text: str, *, on_bytes: bool
) -> None:
    symbols = [*mm.pre_tokenizers.ByteLevel.alphabet(), "漢"]
    tokens = ["abc", "Ġabc", "Ã©", "abcabcabcabc"]
    vocab = {token: index for index, token in enumerate(dict.fromkeys([*sorted(symbols), *tokens]))}
    byte_level = mm.pre_tokenizers.ByteLevel(add_prefix_space=False)

    def ids(tok: mm.Tokenizer) -> list[int]:
        got = tok.encode(text).ids if first == "encode" else tok.encode_ids(text)
        return [int(each) for each in got]

    built = mm.Tokenizer(mm.models.BPE(vocab=vocab, merges=[], ignore_merges=True))
    changed = mm.Tokenizer(mm.models.BPE(vocab=vocab, merges=[]))
    if on_bytes:
        built.pre_tokenizer = changed.pre_tokenizer = byte_level
    loaded = mm.Tokenizer.from_str(built.to_str())
    ids(changed)
    changed.model.ignore_merges = True
    assert ids(loaded) == ids(built) == ids(changed)
