"""Files of models, and models that are trained in place, against `tokenizers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import maxmunch as mm

if TYPE_CHECKING:
    from pathlib import Path

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

VOCAB = b'{"a": 0, "b": 1, "ab": 2, "b\\r": 3, "ab\\r": 4}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a\nb",
        b"a\r\nb\r\n",
        b"a\r\rb",
        b"a\rb\n",
        b"a\x1c\nb\x1f",
        b" a \n\tb\x0b",
        b"a\xc2\xa0\nb\xc2\x85\nc\xe2\x80\xa8d\xe3\x80\x80",
        b"a\n\nb\n\n",
        b"\xef\xbb\xbfa\nb",
        b"a\na",
    ],
)
def test_lines_of_word_piece_files_are_those_of_the_reference(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "vocab.txt"
    file.write_bytes(data)

    expected = tokenizers.models.WordPiece.read_file(str(file))

    assert expected == mm.models.WordPiece.read_file(str(file))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a b",
        b"#version: 0.2\na b\n",
        b"a b\r\n",
        b"a b\r",
        b"#version\n#version\na b",
    ],
)
def test_merges_of_files_are_those_of_the_reference(data: bytes, tmp_path: Path) -> None:
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_bytes(VOCAB)
    merges.write_bytes(data)

    expected = tokenizers.models.BPE.read_file(str(vocab), str(merges))

    assert expected == mm.models.BPE.read_file(str(vocab), str(merges))


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"null", b'{"a": "b"}', b'{"a": null}', b'{"a": 1.5}', b'{"a": -1}', b"\xff"],
)
def test_what_is_no_vocabulary_is_named(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "vocab.json"
    file.write_bytes(data)

    for read in (mm.models.WordLevel.read_file, mm.models.WordLevel, mm.models.WordLevel.from_file):
        with pytest.raises(mm.InvalidArgumentError, match=r"vocab\.json"):
            read(str(file))


def trained(library: Any) -> list[Any]:
    model = library.models.WordLevel({"a": 0}, unk_token="a")
    tok, other = library.Tokenizer(model), library.Tokenizer(model)
    tok.normalizer = library.normalizers.BertNormalizer(lowercase=False)
    normalizer, seen = tok.normalizer, tok.model
    trainer = library.trainers.WordLevelTrainer(show_progress=False)
    tok.train_from_iterator(["q", "q", "r"], trainer)
    normalizer.lowercase = True
    return [
        *(part.token_to_id("r") for part in (model, seen, tok.model)),
        tok.encode("R").tokens,
        other.encode("r").tokens,
        repr(model),
    ]


def test_what_is_trained_is_the_model_itself() -> None:
    assert trained(tokenizers) == trained(mm)


@pytest.mark.parametrize("ids", [None, [0, 1], (0, 1), np.array([0, 1]), np.array([], dtype=int)])
@pytest.mark.parametrize("skip", [None, True, np.bool_(False)])
def test_streams_start_from_ids_of_any_kind(ids: Any, skip: Any) -> None:
    found = []
    for library in (tokenizers, mm):
        tok = library.Tokenizer(library.models.WordLevel({"a": 0, "b": 1}, unk_token="a"))
        stream = library.decoders.DecodeStream(ids, skip)
        found.append([stream.step(tok, number) for number in (0, 1, 0)])
        for bad in ((True,), (None, 1), ("ab",)):
            with pytest.raises(TypeError):
                library.decoders.DecodeStream(*bad)
        with pytest.raises(TypeError):
            stream.step("tok", 1)

    assert found[0] == found[1]
