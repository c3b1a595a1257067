"""The vocabularies that mistral-common ships, each against the library that owns its format."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from encode_helpers import HOSTILE

import maxmunch as mm

TEXTS = [
    *HOSTILE,
    "It's 1234567 o'clock, IT'S <s>[INST] hi [/INST]</s>\n\n\n  x\t",
    "Äpfel ﷽ ①\u3000漢字かな 한국어 हिन्दी ภาษาไทย 👨‍👩‍👧",
    "a" * 300,
    " " * 70 + "x",
]
FOUND = find_spec("mistral_common")
FOLDER = Path(FOUND.origin).parent / "data" if FOUND and FOUND.origin else Path("none")
TEKKEN = sorted(FOLDER.glob("tekken*.json"))
MODELS = sorted(FOLDER.glob("*.model.*"))
ABSENT = "mistral-common, which ships these vocabularies, is not installed"


@pytest.mark.skipif(not TEKKEN, reason=ABSENT)
@pytest.mark.parametrize("file", TEKKEN, ids=lambda file: file.name)
def test_tekken_files_give_the_ids_of_mistral_common(file: Path) -> None:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    theirs, ours = Tekkenizer.from_file(str(file)), mm.Tokenizer.from_tekken(file)

    assert theirs.n_words == ours.get_vocab_size()
    assert [theirs.id_to_piece(i) for i in range(1000)] == [
        ours.id_to_token(i) for i in range(1000)
    ]
    for text in TEXTS:
        ids = theirs.encode(text, bos=False, eos=False)
        assert ids == ours.encode_ids(text, specials="text").tolist()
        assert theirs.decode(ids) == ours.decode(ids)


@pytest.mark.skipif(not MODELS, reason=ABSENT)
@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_their_models_give_the_ids_of_sentencepiece(file: Path) -> None:
    spm = pytest.importorskip("sentencepiece", reason="the owner of the format is not installed")
    theirs = spm.SentencePieceProcessor(model_file=str(file))
    ours = mm.Tokenizer.from_sentencepiece(file)

    for text in TEXTS:
        ids = theirs.encode(text)
        assert ids == ours.encode_ids(text, specials="text").tolist()
        assert theirs.decode(ids) == ours.decode(ids)
