"""Ours against `tokenizers` on generated tokenizers and hostile text."""

from __future__ import annotations

import json

import pytest
from encode_helpers import HOSTILE, byte_level_tokenizers, columns, texts
from hypothesis import given
from hypothesis import strategies as st

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")


@given(
    document=byte_level_tokenizers(),
    sample=st.lists(texts, min_size=1, max_size=5),
    as_text=st.booleans(),
)
def test_encodings_of_byte_level_tokenizers_equal_the_reference(
    *, document: str, sample: list[str], as_text: bool
) -> None:
    theirs = tokenizers.Tokenizer.from_str(document)
    ours = mm.Tokenizer.from_str(document)
    theirs.encode_special_tokens = ours.encode_special_tokens = as_text

    for text in sample:
        expected = columns(theirs.encode(text))
        assert expected == columns(ours.encode(text))
        assert expected["ids"] == ours.encode_ids(text).tolist()
        assert theirs.decode(expected["ids"]) == ours.decode(expected["ids"])
        whole = theirs.decode(expected["ids"], skip_special_tokens=False)
        assert whole == ours.decode(expected["ids"], skip_special_tokens=False)


@given(byte_level_tokenizers(), texts, texts)
def test_pairs_and_words_equal_the_reference(document: str, left: str, right: str) -> None:
    theirs = tokenizers.Tokenizer.from_str(document)
    ours = mm.Tokenizer.from_str(document)

    assert columns(theirs.encode(left, right)) == columns(ours.encode(left, right))
    words = left.split(" ")
    expected = columns(theirs.encode(words, is_pretokenized=True))
    assert expected == columns(ours.encode(words, is_pretokenized=True))


@given(byte_level_tokenizers())
def test_files_are_written_as_the_reference_writes_them(document: str) -> None:
    theirs = tokenizers.Tokenizer.from_str(document)
    ours = mm.Tokenizer.from_str(document)

    assert theirs.to_str() == ours.to_str()
    assert theirs.to_str(pretty=True) == ours.to_str(pretty=True)
    assert theirs.get_vocab() == ours.get_vocab()
    assert theirs.get_vocab_size() == ours.get_vocab_size()
    for number in range(theirs.get_vocab_size() + 2):
        assert theirs.id_to_token(number) == ours.id_to_token(number)


def test_hostile_texts_in_one_batch_equal_one_by_one() -> None:
    merges = [["a", "b"], ["Ġ", "a"], ["Ġ", "Ġ"]]
    alphabet = mm.pre_tokenizers.ByteLevel.alphabet()
    vocab = {token: i for i, token in enumerate([*alphabet, "ab", "Ġa", "ĠĠ"])}
    tok = mm.Tokenizer(mm.models.BPE(vocab, merges))
    tok.pre_tokenizer = mm.pre_tokenizers.ByteLevel()
    theirs = tokenizers.Tokenizer.from_str(tok.to_str())

    expected = [columns(encoding) for encoding in theirs.encode_batch(HOSTILE)]

    for threads in (1, 2, 5):
        assert expected == [columns(e) for e in tok.encode_batch(HOSTILE, threads=threads)]
        rows = tok.encode_ids_batch(HOSTILE, threads=threads)
        assert [row["ids"] for row in expected] == [ids.tolist() for ids in rows]
    assert json.loads(tok.to_str()) == json.loads(theirs.to_str())
