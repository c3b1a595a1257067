"""The vocabularies that llama.cpp tests itself with, and the ids that it expects.

They are the files `ggml-vocab-*.gguf` of its folder `models`, each with texts (`.inp`) and ids
(`.out`) beside it. The variable MAXMUNCH_GGUF names the folder; they are never committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import maxmunch as mm
from support import SHARED

FOLDER = Path(os.environ.get("MAXMUNCH_GGUF", SHARED / "data" / "gguf"))
FILES = sorted(FOLDER.glob("ggml-vocab-*.gguf"))
SEPARATOR = "\n__ggml_vocab_test__\n"
ABSENT = "MAXMUNCH_GGUF names no folder with the vocabularies of llama.cpp: none is committed"


@pytest.mark.skipif(not FILES, reason=ABSENT)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_line_of_ids_is_that_of_llama_cpp(file: Path) -> None:
    tok = mm.Tokenizer.from_gguf(file)
    texts, ids = Path(f"{file}.inp"), Path(f"{file}.out")
    if not texts.exists():
        # Some vocabularies come without answers.
        assert "x" == tok.decode(tok.encode("x").ids)
        return
    samples = texts.read_bytes().decode().removesuffix(SEPARATOR).split(SEPARATOR)
    lines = ids.read_text().removesuffix("\n").split("\n")
    expected = [[int(number) for number in line.split()] for line in lines]

    assert len(samples) == len(expected)
    for sample, wanted in zip(samples, expected, strict=True):
        found = tok.encode(sample, add_special_tokens=False, specials="text").ids
        assert wanted == found, sample
