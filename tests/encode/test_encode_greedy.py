"""Greedy models: LongestMatch, RWKV vocabularies, and the WordPiece form they are saved in."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from encode_helpers import HOSTILE, columns, texts
from hypothesis import given
from hypothesis import strategies as st

import maxmunch as mm
from maxmunch import rwkv
from support import shared_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL_BYTES = {bytes([b]): b for b in range(256)}
tokens = st.binary(min_size=1, max_size=6) | st.text("aé漢 ", min_size=1, max_size=4).map(
    str.encode
)


def greedy(vocab: dict[bytes, int], data: bytes) -> list[int]:
    """Encode by definition: the longest token at each position."""
    longest = max(map(len, vocab))
    ids, start = [], 0
    while start < len(data):
        fitting = (data[start : start + n] for n in range(longest, 0, -1))
        token = next(part for part in fitting if part in vocab)
        ids.append(vocab[token])
        start += len(token)
    return ids


def with_all_bytes(extra: list[bytes]) -> dict[bytes, int]:
    return ALL_BYTES | {token: 256 + i for i, token in enumerate(extra) if len(token) > 1}


@given(st.lists(tokens, unique=True, max_size=30), texts)
def test_ids_are_those_of_the_longest_match(extra: list[bytes], text: str) -> None:
    vocab = with_all_bytes(extra)
    tok = mm.Tokenizer(mm.models.LongestMatch(vocab))

    expected = greedy(vocab, text.encode())

    assert expected == tok.encode_ids(text).tolist()
    assert expected == tok.encode(text).ids
    assert text == tok.decode(expected)


@given(st.lists(tokens, unique=True, max_size=20), texts)
def test_the_saved_form_gives_the_same_in_the_reference(extra: list[bytes], text: str) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")
    tok = mm.Tokenizer(mm.models.LongestMatch(with_all_bytes(extra)))
    theirs = tokenizers.Tokenizer.from_str(tok.to_str())

    assert columns(theirs.encode(text)) == columns(tok.encode(text))
    assert columns(tok.encode(text)) == columns(mm.Tokenizer.from_str(tok.to_str()).encode(text))
    assert theirs.to_str() == tok.to_str()


def test_a_piece_longer_than_a_hundred_characters_is_no_trap() -> None:
    tok = mm.Tokenizer(mm.models.LongestMatch({"a": 0, "aa": 1}))

    assert [1] * 500 + [0] == tok.encode("a" * 1001).ids


def test_text_without_a_way_through_is_refused_with_its_position() -> None:
    tok = mm.Tokenizer(mm.models.LongestMatch({"é": 0, "b": 1}))

    with pytest.raises(mm.UntokenizableError) as refused:
        tok.encode("ébéx")

    assert (5, [0, 2, 3]) == (refused.value.position, refused.value.starts)


def test_an_unknown_token_stands_for_the_whole_piece() -> None:
    tok = mm.Tokenizer(mm.models.LongestMatch({"a": 0, "?": 1}, unk_token="?"))

    assert [1] == tok.encode("axa").ids
    with pytest.raises(mm.InvalidArgumentError, match="unk_token"):
        mm.models.LongestMatch({"a": 0}, unk_token="?")


@pytest.mark.parametrize("vocab", [{"": 0}, {b"": 0}, {"a": 0, b"a": 1}])
def test_empty_and_repeated_tokens_are_refused(vocab: dict[bytes | str, int]) -> None:
    with pytest.raises(mm.InvalidArgumentError, match="vocab"):
        mm.models.LongestMatch(vocab)


def test_tokens_may_be_any_bytes() -> None:
    vocab = with_all_bytes([b"\xff\xfe", b"a\xe6", b"\xbc\xa2"])
    tok = mm.Tokenizer(mm.models.LongestMatch(vocab))

    assert [257, 258] == tok.encode("a漢").ids
    assert [(0, 2), (1, 2)] == tok.encode("a漢").offsets
    assert b"\xff\xfe" == tok.vocabulary[256]
    assert len(vocab) == len(tok.vocabulary)


def test_rwkv_lines_are_ids_literals_and_lengths(tmp_path: Path) -> None:
    path = tmp_path / "rwkv.txt"
    path.write_text(
        "1 'a' 1\n2 ' a' 2\n3 b'\\xff\\xfe' 2\n4 '\u2028' 3\n9 ' ' 1\n", encoding="utf-8"
    )

    tok = mm.Tokenizer.from_rwkv(path)

    assert [2, 1, 9, 4] == tok.encode(" aa \u2028").ids
    assert [None, b"a", b" a", b"\xff\xfe", "\u2028".encode()] == list(tok.vocabulary[:5])
    assert [None] * 4 + [b" "] == list(tok.vocabulary[5:])


@pytest.mark.parametrize(
    "line",
    [
        "x 'a' 1",
        "1 'a'",
        "1 'a' 2",
        "1 __import__('os') 1",
        "1 '' 0",
        "-1 'a' 1",
        "1 12 1",
        "1 'a 1",
    ],
)
def test_a_malformed_rwkv_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rwkv.txt"
    path.write_text(f"7 'b' 1\n{line}\n")

    with pytest.raises(mm.InvalidTokenizerError) as refused:
        mm.Tokenizer.from_rwkv(path)

    assert "line 2" == refused.value.json_path


@pytest.mark.parametrize("line", ["8 'b' 1", "7 'c' 1"])
def test_a_repeated_rwkv_token_or_id_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rwkv.txt"
    path.write_text(f"7 'b' 1\n{line}\n")

    with pytest.raises(mm.InvalidTokenizerError, match="comes twice"):
        mm.Tokenizer.from_rwkv(path)


def test_the_real_rwkv_vocabulary_is_greedy(tmp_path: Path) -> None:
    path = tmp_path / "rwkv.txt"
    path.write_bytes(shared_bytes("data/tokenizers/rwkv.txt.xz"))
    tok = mm.Tokenizer.from_rwkv(path)
    vocab = {token: i for i, token in enumerate(tok.vocabulary) if token is not None}
    corpus = [
        shared_bytes(f"data/corpora/{name}.txt.xz")[:40_000] for name in ("english", "chinese")
    ]
    sample = [*HOSTILE, *(data.decode(errors="ignore") for data in corpus)]

    for text in sample:
        assert greedy(vocab, text.encode()) == tok.encode_ids(text).tolist()
        assert text == tok.decode(tok.encode_ids(text))


def test_the_token_set_of_a_greedy_vocabulary_scans_like_the_tokenizer() -> None:
    vocab = with_all_bytes([b"ab", b"abc", "é".encode()])
    tok = mm.Tokenizer(mm.models.LongestMatch(vocab))

    kinds = tok.vocabulary.token_set().scan("abcaébab").kinds

    assert tok.encode("abcaébab").ids == kinds.tolist()


@given(st.text(st.sampled_from("ab'\"\\\r\n\0\fux0é🎉"), max_size=6), st.sampled_from("'\""))
def test_literals_of_rwkv_files_are_read_as_python_reads_them(inner: str, quote: str) -> None:
    def value(read: Callable[[str], object]) -> object:
        try:
            return read(quote + inner + quote)
        except (ValueError, SyntaxError):
            return None

    assert value(ast.literal_eval) == value(rwkv._value)


@pytest.mark.parametrize(
    ("vocab", "error"),
    [
        ([("a", 0)], TypeError),
        ({1: 0}, TypeError),
        ({"a": "0"}, TypeError),
        ({"a": 0.5}, TypeError),
        ({"a": -1}, OverflowError),
        ({"a": 2**32}, ValueError),
        ({b"": 0}, ValueError),
        ({"a": 0, b"a": 1}, ValueError),
    ],
)
def test_what_is_no_vocabulary_is_refused_by_name(vocab: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="vocab"):
        mm.models.LongestMatch(vocab)


def test_ids_of_numpy_are_ids() -> None:
    tok = mm.Tokenizer(mm.models.LongestMatch({"a": np.int64(1), b"b": np.uint32(0)}))
    assert [1, 0] == tok.encode("ab").ids
