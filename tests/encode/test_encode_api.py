"""The Python surface: copies, pickles, look-ups, ragged ids, components as properties."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

import maxmunch as mm

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tok() -> mm.Tokenizer:
    alphabet = mm.pre_tokenizers.ByteLevel.alphabet()
    vocab = {token: i for i, token in enumerate([*alphabet, "ab", "Ġa"])}
    made = mm.Tokenizer(mm.models.BPE(vocab, [("a", "b"), ("Ġ", "a")]))
    made.pre_tokenizer = mm.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = mm.decoders.ByteLevel()
    made.add_special_tokens(["<s>"])
    return made


def test_copies_and_pickles_encode_alike(tok: mm.Tokenizer) -> None:
    tok.encode_special_tokens = True
    expected = tok.encode("ab <s> a").ids

    for other in (copy.copy(tok), copy.deepcopy(tok), pickle.loads(pickle.dumps(tok))):  # noqa: S301
        assert expected == other.encode("ab <s> a").ids
        assert tok.to_str() == other.to_str()


def test_a_copy_is_not_changed_with_the_original(tok: mm.Tokenizer) -> None:
    other = copy.copy(tok)

    tok.normalizer = mm.normalizers.NFC()
    tok.add_tokens(["ab"])

    assert other.normalizer is None
    assert 259 == other.get_vocab_size()


def test_components_read_back_as_they_were_set(tok: mm.Tokenizer) -> None:
    tok.normalizer = mm.normalizers.Sequence([mm.normalizers.NFD(), mm.normalizers.NFC()])
    split = mm.pre_tokenizers.Split(mm.Regex(r"\s+"), "merged_with_next")
    tok.pre_tokenizer = mm.pre_tokenizers.Sequence([split, mm.pre_tokenizers.ByteLevel()])
    tok.post_processor = mm.processors.ByteLevel(trim_offsets=False)

    other = mm.Tokenizer.from_str(tok.to_str())
    assert "Sequence(normalizers=[NFD(), NFC()])" == repr(tok.normalizer) == repr(other.normalizer)
    assert "mergedwithnext" == other.pre_tokenizer[0].behavior
    assert not tok.post_processor.trim_offsets
    tok.normalizer = None
    assert tok.normalizer is None


def test_a_component_of_another_stage_is_refused(tok: mm.Tokenizer) -> None:
    with pytest.raises(TypeError, match="normalizer"):
        tok.normalizer = mm.pre_tokenizers.ByteLevel()


def test_files_come_back(tok: mm.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "tokenizer.json")

    for other in (
        mm.Tokenizer.from_file(tmp_path / "tokenizer.json"),
        mm.Tokenizer.from_pretrained(tmp_path),
        mm.Tokenizer.from_buffer((tmp_path / "tokenizer.json").read_bytes()),
        mm.Tokenizer.from_str(tok.to_str()),
    ):
        assert tok.to_str() == other.to_str()
    with pytest.raises(OSError, match="missing"):
        mm.Tokenizer.from_file(tmp_path / "missing.json")
    with pytest.raises(mm.InvalidArgumentError, match="identifier"):
        mm.Tokenizer.from_pretrained(tmp_path.parent)


def test_ids_alone_are_arrays(tok: mm.Tokenizer) -> None:
    ids = tok.encode_ids("ab a")
    rows = tok.encode_ids_batch(["ab", "", "ab a"], threads=2)

    assert np.uint32 == ids.dtype
    assert [256, 257] == ids.tolist()
    assert (np.uint32, np.int64) == (rows.ids.dtype, rows.offsets.dtype)
    assert [0, 1, 1, 3] == rows.offsets.tolist()
    assert [[256], [], [256, 257]] == [row.tolist() for row in rows]
    assert [256, 257] == rows[-1].tolist()
    assert 3 == len(rows)
    with pytest.raises(IndexError):
        rows[3]
    assert 2 == tok.count_tokens("ab a")
    assert 0 == len(tok.encode_ids_batch([]))
    assert [row.tolist() for row in rows[1:]] == [row.tolist() for row in list(rows)[1:]]
    assert [rows[2].tolist(), rows[0].tolist()] == [row.tolist() for row in rows[::-2]]


def test_decoding_takes_lists_and_arrays(tok: mm.Tokenizer) -> None:
    ids = tok.encode_ids("ab<s> a")

    assert "ab a" == tok.decode(ids) == tok.decode(ids.tolist())
    assert "ab<s> a" == tok.decode(ids, skip_special_tokens=False)
    assert ["ab a", ""] == tok.decode_batch([ids, []])
    assert "ab" == tok.decode([256, 99_999])


def test_look_ups_know_added_tokens(tok: mm.Tokenizer) -> None:
    assert 258 == tok.token_to_id("<s>")
    assert "<s>" == tok.id_to_token(258)
    assert tok.token_to_id("<x>") is None
    assert tok.id_to_token(4_000_000_000) is None
    assert {258: mm.AddedToken("<s>", special=True)} == tok.get_added_tokens_decoder()
    assert "<s>" not in tok.get_vocab(with_added_tokens=False)
    assert 258 == tok.get_vocab()["<s>"]


def test_the_vocabulary_is_bytes(tok: mm.Tokenizer) -> None:
    vocabulary = tok.vocabulary

    assert b" a" == vocabulary[257]
    assert b"<s>" == vocabulary[-1]
    assert 259 == len(vocabulary)
    assert {258: "added token"} == vocabulary.left_out()
    assert {} == vocabulary.left_out(added=True)
    assert [256, 257] == vocabulary.token_set().scan("ab a").kinds.tolist()
    assert 258 in vocabulary.token_set(added=True).scan("<s>").kinds


def test_an_encoding_answers_look_ups(tok: mm.Tokenizer) -> None:
    encoding = tok.encode("ab a", "é")

    assert [256, 257, *tok.encode("é").ids] == encoding.ids
    assert ["ab", "Ġa", "Ã", "©"] == encoding.tokens
    assert [0, 0, 1, 1] == encoding.sequence_ids == encoding.type_ids
    assert 2 == encoding.n_sequences
    assert (2, 4) == encoding.token_to_chars(1)
    assert (2, 4) == encoding.word_to_tokens(0, 1)
    assert (2, 4) == encoding.word_to_chars(1)
    assert 1 == encoding.char_to_token(3)
    assert 2 == encoding.char_to_token(0, 1)
    assert encoding.char_to_token(9) is None
    assert 0 == encoding.char_to_word(1)
    assert 1 == encoding.token_to_sequence(2)
    assert encoding.token_to_word(9) is None
    copied = pickle.loads(pickle.dumps(encoding))  # noqa: S301
    assert encoding.__getstate__() == copied.__getstate__()


def test_added_tokens_have_the_defaults_of_the_reference() -> None:
    token = mm.AddedToken("x")

    assert token.normalized
    token.special = True
    assert not token.normalized
    assert token != mm.AddedToken("x")
    assert hash(token) == hash(mm.AddedToken("x"))
    assert token == pickle.loads(pickle.dumps(token))  # noqa: S301


def test_tokens_added_one_by_one_are_those_added_together(tok: mm.Tokenizer) -> None:
    contents = [mm.AddedToken(f"<{i}>", normalized=i % 2 == 0, lstrip=i % 3 == 0) for i in range(9)]
    text = " ".join(content.content for content in contents)
    together = copy.copy(tok)
    together.add_tokens(contents)
    before = []
    for content in contents:
        before.append(tok.encode(text).ids)
        tok.add_tokens([content])

    assert together.to_str() == tok.to_str()
    assert together.encode(text).tokens == tok.encode(text).tokens
    assert len({tuple(ids) for ids in before}) == len(contents)


def test_padding_takes_every_number_of_32_bits(tok: mm.Tokenizer) -> None:
    tok.enable_padding(pad_id=2**32 - 1, pad_type_id=2**32 - 1, length=2)

    other = mm.Tokenizer.from_str(tok.to_str())
    assert [2**32 - 1, 2**32 - 1] == other.encode("").ids
    with pytest.raises(OverflowError, match="pad_id"):
        tok.enable_padding(pad_id=2**32)


def test_what_fits_is_neither_truncated_nor_padded(tok: mm.Tokenizer) -> None:
    for text in ("", "ab a"):
        encoding = tok.encode(text)
        before = encoding.__getstate__()
        encoding.truncate(9, stride=9)
        encoding.pad(len(encoding))

        assert before == encoding.__getstate__()


def test_encodings_of_one_tokenizer_are_merged_as_those_of_several(tok: mm.Tokenizer) -> None:
    parts = tok.encode_batch(["ab", "é<s>", ""])
    spelled = [pickle.loads(pickle.dumps(part)) for part in parts]  # noqa: S301

    for growing in (False, True):
        merged = mm.Encoding.merge(parts, growing)
        assert mm.Encoding.merge(spelled, growing).__getstate__() == merged.__getstate__()
        mixed = mm.Encoding.merge([parts[0], *spelled[1:]], growing)
        assert mixed.__getstate__() == merged.__getstate__()


def test_added_tokens_that_no_id_is_left_for_are_refused() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 2**32 - 2}, unk_token="a"))

    assert 2 == tok.add_tokens(["a"]) + tok.add_tokens(["x"])
    assert 2**32 - 1 == tok.token_to_id("x")
    with pytest.raises(mm.LimitError, match="32 bits"):
        tok.add_tokens(["y"])
    assert tok.token_to_id("y") is None


def test_fast_batches_have_no_type_ids_but_those_of_a_template(tok: mm.Tokenizer) -> None:
    (fast,), (full,) = tok.encode_batch_fast([("a", "a")]), tok.encode_batch([("a", "a")])

    assert [0, 0] == fast.type_ids
    assert [0, 1] == full.type_ids
    assert [0, 1] == fast.sequence_ids
    tok.post_processor = mm.processors.TemplateProcessing("$A:2", "$A:2 $B:3", [])
    assert [2, 3] == tok.encode_batch_fast([("a", "a")])[0].type_ids


def test_vocabularies_survive_pickles_and_copies(tok: mm.Tokenizer) -> None:
    vocabulary = tok.vocabulary

    for other in (pickle.loads(pickle.dumps(vocabulary)), copy.deepcopy(vocabulary)):  # noqa: S301
        assert list(vocabulary) == list(other)
        assert vocabulary.left_out() == other.left_out()


@pytest.mark.parametrize("wrong", [None, 5, 2**40, True, [123, 125], b"{}"])
def test_what_is_no_text_is_no_file(wrong: object) -> None:
    with pytest.raises(TypeError, match="json"):
        mm.Tokenizer.from_str(wrong)  # type: ignore[arg-type]
    if not isinstance(wrong, bytes):
        with pytest.raises(TypeError, match="buffer"):
            mm.Tokenizer.from_buffer(wrong)  # type: ignore[arg-type]


def test_encodings_tell_which_tokens_stand_for_unknown_text() -> None:
    models = (
        mm.models.WordPiece({"[U]": 0, "a": 1, "##a": 2}, unk_token="[U]"),
        mm.models.WordLevel({"[U]": 0, "a": 1}, unk_token="[U]"),
        mm.models.Unigram([("[U]", 0.0), ("a", -1.0)], unk_id=0),
        mm.models.BPE({"[U]": 0, "a": 1}, [], unk_token="[U]"),
    )
    for model in models:
        made = mm.Tokenizer(model)
        made.pre_tokenizer = mm.pre_tokenizers.Whitespace()
        made.enable_padding(length=4)
        encoding = made.encode("a q a")

        assert [1] == encoding.unknown_tokens
        assert [[1], []] == [e.unknown_tokens for e in made.encode_batch_fast(["a q", "a a"])]
        assert pickle.loads(pickle.dumps(encoding)).unknown_tokens is None  # noqa: S301


def test_words_that_are_too_long_are_told() -> None:
    made = mm.Tokenizer(mm.models.WordPiece({"[UNK]": 0, "a": 1, "##a": 2}))
    assert [] == made.encode("a" * 100).unknown_tokens
    assert [0] == made.encode("a" * 101).unknown_tokens


def test_a_model_without_an_unknown_token_has_none(tok: mm.Tokenizer) -> None:
    assert [] == tok.encode("ab a").unknown_tokens
