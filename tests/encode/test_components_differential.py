"""Every component against `tokenizers`, on generated options and hostile text."""

from __future__ import annotations

from typing import Any

import pytest
from component_strategies import (
    DECODED,
    component_tokenizers,
    decoder_tokenizer,
    decoders,
    texts,
)
from encode_helpers import columns
from hypothesis import given
from hypothesis import strategies as st

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")


@given(
    document=component_tokenizers(),
    sample=st.lists(texts, min_size=1, max_size=4),
    special=st.booleans(),
)
def test_encodings_of_all_components_equal_the_reference(
    *, document: str, sample: list[str], special: bool
) -> None:
    theirs = tokenizers.Tokenizer.from_str(document)
    ours = mm.Tokenizer.from_str(document)

    assert theirs.to_str() == ours.to_str()
    for text in sample:
        expected = columns(theirs.encode(text, add_special_tokens=special))
        assert expected == columns(ours.encode(text, add_special_tokens=special))
        ids = ours.encode_ids(text, add_special_tokens=special).tolist()
        assert expected["ids"] == ids
        assert theirs.decode(ids) == ours.decode(ids)
    pair = theirs.encode(sample[0], sample[-1], add_special_tokens=special)
    assert columns(pair) == columns(ours.encode(sample[0], sample[-1], add_special_tokens=special))
    words = [word for text in sample for word in text.split(" ")]
    assert columns(theirs.encode(words, is_pretokenized=True)) == columns(
        ours.encode(words, is_pretokenized=True)
    )


@given(decoders, st.lists(st.integers(0, len(set(DECODED))), max_size=9))
def test_decoders_equal_the_reference(decoder: dict[str, Any], ids: list[int]) -> None:
    document = decoder_tokenizer(decoder)

    expected = tokenizers.Tokenizer.from_str(document).decode(ids)

    assert expected == mm.Tokenizer.from_str(document).decode(ids)
