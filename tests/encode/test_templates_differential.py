"""Templates of any pieces, also of what is not there, against `tokenizers`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from encode_helpers import columns
from hypothesis import given
from hypothesis import strategies as st

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

MODEL = {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2}, "unk_token": "a"}
SPECIAL = {
    "[S]": {"id": "[S]", "ids": [7], "tokens": ["[S]"]},
    "[M]": {"id": "[M]", "ids": [2**32 - 1], "tokens": ["[M]"]},
    "two": {"id": "another name", "ids": [8, 9], "tokens": ["t", "wo"]},
}
pieces = st.one_of(
    st.builds(
        lambda name, number: {"Sequence": {"id": name, "type_id": number}},
        st.sampled_from("AAB"),
        st.integers(0, 2),
    ),
    st.builds(
        lambda name, number: {"SpecialToken": {"id": name, "type_id": number}},
        st.sampled_from(["[S]", "[M]", "two", "two", "[missing]"]),
        st.integers(0, 2),
    ),
)
templates = st.lists(pieces, max_size=4)
words = st.lists(st.sampled_from("abc"), max_size=5).map(" ".join)


def outcome(tok: Any, *arguments: Any) -> Any:
    """Return the columns of an encoding, or `None` where there is none."""
    try:
        return columns(tok.encode(*arguments))
    except mm.InvalidTokenizerError:
        return None
    except BaseException as error:
        # The reference panics.
        if "Panic" not in type(error).__name__:
            raise
        return None


@given(
    single=templates,
    pair=templates,
    text=words,
    other=words,
    special=st.booleans(),
    max_length=st.none() | st.integers(1, 6),
)
def test_templates_of_files_equal_the_reference(
    *,
    single: list[Any],
    pair: list[Any],
    text: str,
    other: str,
    special: bool,
    max_length: int | None,
) -> None:
    part = {
        "type": "TemplateProcessing",
        "single": single,
        "pair": pair,
        "special_tokens": SPECIAL,
    }
    document = json.dumps(
        {
            "version": "1.0",
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": part,
            "model": MODEL,
        }
    )
    theirs, ours = tokenizers.Tokenizer.from_str(document), mm.Tokenizer.from_str(document)

    assert json.loads(theirs.to_str()) == json.loads(ours.to_str())
    for is_pair in (False, True):
        count = theirs.num_special_tokens_to_add(is_pair)
        assert count == ours.num_special_tokens_to_add(is_pair)
    if max_length is not None:
        for tok in (theirs, ours):
            tok.enable_truncation(max_length)
    for arguments in ((text, None, False, special), (text, other, False, special)):
        expected = outcome(theirs, *arguments)
        assert expected == outcome(ours, *arguments)
        if expected is not None and arguments[1] is None:
            assert expected["ids"] == ours.encode_ids(text, add_special_tokens=special).tolist()


@pytest.mark.parametrize("template", ["[missing] $A", "$A  [S]", "", "$A $B", "$A:+1", "$+2"])
def test_a_template_that_is_set_may_use_what_is_not_there(template: str) -> None:
    made = []
    for library in (tokenizers, mm):
        part = library.processors.TemplateProcessing("$A", special_tokens=[("[S]", 7)])
        part.single = template
        made.append(part)

    assert repr(made[0]) == repr(made[1])
    assert made[0].single == made[1].single


@pytest.mark.parametrize("pair", ["$A", "$B", "[S] $A", [], "$A:1 $A:2"])
def test_a_template_that_is_built_uses_both_texts_of_a_pair(pair: Any) -> None:
    for library in (tokenizers, mm):
        with pytest.raises(ValueError, match="both sequences"):
            library.processors.TemplateProcessing("$A", pair, [("[S]", 7)])
