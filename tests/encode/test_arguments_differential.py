"""Arguments of any type against `tokenizers`: numbers of NumPy, and what is no list and no text."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from encode_helpers import answer, columns

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

VOCAB = {"a": 0, "b": 1, "ab": 2, "[U]": 3}
ENDS = ("[U]", 3), ("a", 0)


def made(library: Any) -> Any:
    tok = library.Tokenizer(library.models.WordLevel(VOCAB, unk_token="[U]"))
    tok.pre_tokenizer = library.pre_tokenizers.Whitespace()
    return tok


def truncated(library: Any, **options: Any) -> Any:
    tok = made(library)
    tok.enable_truncation(**options)
    return tok.truncation, columns(tok.encode("a b ab a b"))


def padded(library: Any, **options: Any) -> Any:
    tok = made(library)
    tok.enable_padding(**options)
    return tok.padding, columns(tok.encode("a b ab a b"))


def streamed(library: Any, number: Any) -> Any:
    return library.decoders.DecodeStream().step(made(library), number)


def scored(library: Any, score: Any) -> Any:
    return library.models.Unigram([("a", score)], 0)


def template(library: Any, number: Any) -> Any:
    return library.processors.TemplateProcessing("[U] $A", special_tokens=[("[U]", number)])


NUMBERS: list[Callable[[Any, Any], Any]] = [
    lambda library, n: truncated(library, max_length=n),
    lambda library, n: truncated(library, max_length=9, stride=n),
    lambda library, n: padded(library, length=n),
    lambda library, n: padded(library, pad_to_multiple_of=n),
    lambda library, n: padded(library, pad_id=n, pad_type_id=n),
    streamed,
    template,
    lambda library, n: library.models.WordPiece(max_input_chars_per_word=n),
    lambda library, n: library.models.WordLevel({"a": n}),
    lambda library, n: library.models.BPE({"a": n}, []),
    lambda library, n: library.pre_tokenizers.FixedLength(n),
    lambda library, n: library.decoders.Strip(" ", n, n),
    lambda library, n: library.processors.BertProcessing(("[U]", n), ENDS[1]),
    scored,
]
TRUTHS: list[Callable[[Any, Any], Any]] = [
    lambda library, value: library.AddedToken("a", lstrip=value, normalized=value),
    lambda library, value: library.normalizers.BertNormalizer(lowercase=value),
    lambda library, value: library.pre_tokenizers.Digits(value),
    lambda library, value: library.models.BPE(byte_fallback=value),
    lambda library, value: library.processors.ByteLevel(trim_offsets=value),
    lambda library, value: library.processors.RobertaProcessing(*ENDS, value),
]
TEXTS: list[Callable[[Any, Any], Any]] = [
    lambda library, value: padded(library, pad_token=value),
    lambda library, value: padded(library, direction=value),
    lambda library, value: truncated(library, max_length=9, strategy=value),
    lambda library, value: library.AddedToken(value).content,
    lambda library, value: library.normalizers.Prepend(value).prepend,
    lambda library, value: library.models.BPE(end_of_word_suffix=value),
    lambda library, value: library.models.WordPiece(continuing_subword_prefix=value),
    lambda library, value: made(library).encode("a").pad(3, direction=value),
]


def outcome(call: Callable[[Any, Any], Any], library: Any, value: Any) -> Any:
    """Return what a call returns as plain values, or the builtin class of what it raises."""
    try:
        found = call(library, value)
    except (TypeError, ValueError, OverflowError) as error:
        kinds = (TypeError, OverflowError, ValueError)
        return next(kind for kind in kinds if isinstance(error, kind))
    return found if isinstance(found, str | tuple | int | type(None)) else repr(found)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), True, np.array(3)])
@pytest.mark.parametrize("call", NUMBERS)
def test_numbers_of_any_kind_are_those_of_the_reference(call: Any, value: Any) -> None:
    expected = outcome(call, tokenizers, value)

    assert not isinstance(expected, type)
    assert expected == outcome(call, mm, value)


@pytest.mark.parametrize("value", ["3", None, [], b"3", -1, 2**64])
@pytest.mark.parametrize("call", NUMBERS[:5])
def test_what_is_no_number_is_refused_as_in_the_reference(call: Any, value: Any) -> None:
    expected, found = (outcome(call, library, value) for library in (tokenizers, mm))
    # Ids that are too large are named with their place in the tokenizer.
    assert expected == found or (expected, found, value) == (OverflowError, ValueError, 2**64)


@pytest.mark.parametrize("value", [True, np.bool_(False), 1, "a", [], {}, 0.5])
@pytest.mark.parametrize("call", TRUTHS)
def test_flags_are_those_of_the_reference(call: Any, value: Any) -> None:
    assert outcome(call, tokenizers, value) == outcome(call, mm, value)


@pytest.mark.parametrize("value", [np.str_("left"), 1, True, b"left", ["left"], {}])
@pytest.mark.parametrize("call", TEXTS)
def test_what_is_no_text_is_refused_as_in_the_reference(call: Any, value: Any) -> None:
    expected = outcome(call, tokenizers, value)
    found = outcome(call, mm, value)

    assert expected == found
    assert type(expected) is type(found)


OBJECTS: list[Callable[[Any], Any]] = [
    lambda library: made(library).post_process("a"),
    lambda library: made(library).post_process(made(library).encode("a"), "b"),
    lambda library: library.Encoding.merge(["a"]),
    lambda library: library.processors.ByteLevel().process("a"),
    lambda library: library.normalizers.NFC().normalize("a"),
    lambda library: library.pre_tokenizers.Whitespace().pre_tokenize("a"),
    lambda library: library.normalizers.Precompiled(1),
    lambda library: library.normalizers.Precompiled(2**40),
    lambda library: library.models.BPE(VOCAB, ["ab"]),
    lambda library: library.models.WordLevel(["a"]),
    lambda library: library.models.Unigram(["a1"]),
    lambda library: library.processors.BertProcessing("a1", "b2"),
    lambda library: made(library).encode((word for word in "ab"), is_pretokenized=True),
    lambda library: made(library).encode({"a", "b"}, is_pretokenized=True),
    lambda library: made(library).encode(["a"], {"b": 1}, is_pretokenized=True),
    lambda library: made(library).encode_batch([iter(())], is_pretokenized=True),
    lambda library: made(library).encode_batch("ab"),
    lambda library: made(library).encode_batch({"a", "b"}),
    lambda library: made(library).decode({0, 1}),
    lambda library: made(library).decode("ab"),
    lambda library: made(library).decode_batch("ab"),
    lambda library: made(library).add_tokens("xy"),
    lambda library: made(library).add_special_tokens({"x", "y"}),
]


@pytest.mark.parametrize("call", OBJECTS)
def test_what_is_no_such_object_or_has_no_order_is_a_type_error(call: Callable[[Any], Any]) -> None:
    for library in (tokenizers, mm):
        with pytest.raises(TypeError):
            call(library)


@pytest.mark.parametrize(
    "words",
    [
        np.array(["a", "ab"]),
        np.array(["a", "ab"], dtype=object),
        np.array(["ab", "a"])[::-1],
        np.array(["a", "ab"], dtype="U9"),
    ],
)
def test_words_may_be_an_array(words: Any) -> None:
    tok = made(mm)
    expected = columns(tok.encode(["a", "ab"], is_pretokenized=True))

    assert expected == columns(tok.encode(words, is_pretokenized=True))
    assert [expected] == [columns(row) for row in tok.encode_batch([words], is_pretokenized=True)]
    other = np.array(["a\u00e9"])
    assert [0, 2, 3] == tok.encode(words, other, is_pretokenized=True).ids


def test_a_score_that_no_file_can_hold_is_refused() -> None:
    for score in (float("nan"), float("inf")):
        with pytest.raises(mm.InvalidArgumentError, match="finite"):
            mm.models.Unigram([("a", score)])


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_added_tokens_have_no_order(name: str) -> None:
    compare = getattr(operator, name)
    for other in ("a", "b"):
        theirs, ours = (
            compare(library.AddedToken("a"), library.AddedToken(other))
            for library in (tokenizers, mm)
        )
        assert theirs == ours
    theirs, ours = (
        answer(lambda library=library: compare(library.AddedToken("a"), "a"))
        for library in (tokenizers, mm)
    )
    assert theirs == ours
