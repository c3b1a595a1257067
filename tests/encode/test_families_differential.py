"""Pipelines of known model families, with small vocabularies trained here, against `tokenizers`."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest
from encode_helpers import HOSTILE, added_token, columns
from families import FAMILIES, Family

import maxmunch as mm
from maxmunch.components import byte_level_table

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

TEXTS = [
    *HOSTILE,
    "Hello, <mask> world</s> <pad>",
    "[CLS] a  [MASK] b [SEP] un<unk>known",
    "<|endoftext|><|startoftranscript|><|0.02|> so <|29.98|>",
    " <｜begin▁of▁sentence｜>system<｜User｜>  x <extra_id_7> eng_Latn",  # noqa: RUF001
    "ab" * 300,
    "🙂" * 100,
    " " * 100,
]


def corpus() -> list[str]:
    """Return lines of made-up words in several scripts, the same each time."""
    draw = random.Random(7)
    parts = ["a", "b", "the", "ing", "un", "é", "ß", "漢", "字", "при", "вет", "1", "23", "x"]
    words = ["".join(draw.choices(parts, k=draw.randint(1, 4))) for _ in range(300)]
    return [" ".join(draw.choices(words, k=12)) + draw.choice(".!?") for _ in range(300)]


def post_processor(family: Family, ids: dict[str, int]) -> dict[str, Any]:
    """Return the post-processor with the ids of the tokens that it names."""
    if family.post_processor is not None:
        ends = {key: family.post_processor[key] for key in ("sep", "cls") if key in str(family)}
        ends = {key: [token, ids[token]] for key, token in ends.items()}
        return family.post_processor | ends

    def pieces(template: str) -> list[dict[str, Any]]:
        found = []
        for piece in template.split():
            name, _, number = piece.partition(":")
            kind = "Sequence" if name.startswith("$") else "SpecialToken"
            found.append({kind: {"id": name.removeprefix("$"), "type_id": int(number or 0)}})
        return found

    named = {piece.partition(":")[0] for piece in f"{family.single} {family.pair}".split()}
    named = {name for name in named if not name.startswith("$")}
    return {
        "type": "TemplateProcessing",
        "single": pieces(family.single),
        "pair": pieces(family.pair),
        "special_tokens": {
            name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in named
        },
    }


@cache
def both(name: str) -> tuple[Any, Any]:
    """Return the reference's tokenizer of a family and ours, of one document."""
    family = FAMILIES[name]
    kind = {"UnigramTrainer": "Unigram", "BpeTrainer": "BPE", "WordPieceTrainer": "WordPiece"}
    empty = tokenizers.Tokenizer(getattr(tokenizers.models, kind[family.trainer])())
    options = dict(family.training)
    if "ByteLevel" in str(family.pre_tokenizer):
        options["initial_alphabet"] = list(byte_level_table())
    if family.trainer == "BpeTrainer":
        options.pop("unk_token", None)
    trainer = getattr(tokenizers.trainers, family.trainer)(
        vocab_size=700, show_progress=False, special_tokens=list(family.specials), **options
    )
    document = json.loads(empty.to_str())
    for part in ("normalizer", "pre_tokenizer", "decoder"):
        document[part] = getattr(family, part)
    trained = tokenizers.Tokenizer.from_str(json.dumps(document))
    trained.train_from_iterator(corpus(), trainer)
    ids = dict(trained.get_vocab())
    for extra in family.extra:
        ids.setdefault(extra, len(ids))
    document = json.loads(trained.to_str())
    document["model"] |= family.model
    if family.trainer == "BpeTrainer" and "unk_token" in family.training:
        document["model"]["unk_token"] = family.training["unk_token"]
    contents = sorted((*family.specials, *family.extra), key=ids.__getitem__)
    document["added_tokens"] = [
        added_token(ids[token], token, **({"special": True} | family.flags.get(token, {})))
        for token in contents
    ]
    document["post_processor"] = post_processor(family, ids)
    written = json.dumps(document, ensure_ascii=False)
    return tokenizers.Tokenizer.from_str(written), mm.Tokenizer.from_str(written)


def check(theirs: Any, ours: Any) -> None:
    """Compare texts, pairs, words and decoded texts under the settings of the moment."""
    for text, other in zip(TEXTS, [*TEXTS[3:], *TEXTS[:3]], strict=True):
        for call in (
            (text,),
            (text, None, False, False),
            (text, other),
            (text.split(" "), None, True),
            (text.split(" "), other.split(" "), True),
        ):
            assert columns(theirs.encode(*call)) == columns(ours.encode(*call)), call


@pytest.mark.parametrize("name", FAMILIES)
def test_encodings_of_families_equal_the_reference(name: str) -> None:
    theirs, ours = both(name)

    assert theirs.to_str() == ours.to_str()
    check(theirs, ours)
    for text in TEXTS:
        ids = theirs.encode(text).ids
        assert ids == ours.encode_ids(text).tolist()
        for skip in (True, False):
            assert theirs.decode(ids, skip) == ours.decode(ids, skip)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_truncated_and_padded_families_equal_the_reference(name: str, side: str) -> None:
    copies = [type(tok).from_str(tok.to_str()) for tok in both(name)]
    for tok in copies:
        tok.enable_truncation(12, stride=2, strategy="longest_first", direction=side)
        tok.enable_padding(direction=side, pad_id=0, pad_token="<pad>", length=16)

    check(*copies)
    batches = [list(map(columns, tok.encode_batch(TEXTS))) for tok in copies]
    assert batches[0] == batches[1]
