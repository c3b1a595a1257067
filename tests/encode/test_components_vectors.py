"""The components against frozen answers of the reference, which need not be installed."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from component_strategies import decoder_tokenizer

import maxmunch as mm
from support import VECTORS

FROZEN = json.loads((VECTORS / "components.json").read_text(encoding="utf-8"))


def _name(record: dict[str, Any]) -> str:
    parts = json.loads(record["written"])
    names = ("normalizer", "pre_tokenizer", "post_processor", "model")
    return "-".join(parts[name]["type"] for name in names if parts[name])


@pytest.mark.parametrize("record", FROZEN["records"], ids=_name)
def test_encodings_are_the_frozen_ones(record: dict[str, Any]) -> None:
    tok = mm.Tokenizer.from_str(record["written"])
    texts = FROZEN["texts"]
    encodings = [tok.encode(text) for text in texts]
    encodings += [tok.encode(left, right) for left, right in itertools.pairwise(texts)]

    for (ids, tokens, offsets, words, types), ours in zip(
        record["encodings"], encodings, strict=False
    ):
        assert ids == ours.ids
        assert tokens == ours.tokens
        assert offsets == [number for pair in ours.offsets for number in pair]
        assert words == ours.word_ids
        assert types == ours.type_ids
    assert record["written"] == tok.to_str()


@pytest.mark.parametrize("record", FROZEN["decoders"], ids=lambda r: r["decoder"]["type"])
def test_decoded_texts_are_the_frozen_ones(record: dict[str, Any]) -> None:
    tok = mm.Tokenizer.from_str(decoder_tokenizer(record["decoder"]))

    assert record["decoded"] == [tok.decode(ids) for ids in FROZEN["ids"]]
