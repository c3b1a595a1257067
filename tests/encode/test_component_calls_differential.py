"""Components on their own against `tokenizers`: calls, text forms, pickles, all names."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
from enum import Enum
from typing import Any

import pytest
from component_strategies import DECODED
from encode_helpers import columns
from hypothesis import assume, given
from hypothesis import strategies as st
from pipeline_strategies import pipelines, texts

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

SECTIONS = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")


def both(document: str) -> tuple[Any, mm.Tokenizer]:
    """The tokenizer of both; a file on which the reference panics is no case."""
    theirs = settled(tokenizers.Tokenizer.from_str, document)
    assume(theirs != "panic")
    return theirs, mm.Tokenizer.from_str(document)


def settled(call: Any, *arguments: Any) -> Any:
    """What a call returns, or that it raised; a panic is an answer that nobody has to give."""
    try:
        return call(*arguments)
    except BaseException as error:  # noqa: BLE001
        return "panic" if "Panic" in type(error).__name__ else "error"


@given(pipelines())
def test_text_forms_and_pickles_are_those_of_the_reference(document: str) -> None:
    theirs, ours = both(document)

    assert repr(theirs) == repr(ours)
    assert str(theirs) == str(ours)
    assert theirs.__getstate__() == ours.__getstate__()
    for section in SECTIONS:
        expected, found = getattr(theirs, section), getattr(ours, section)
        assert (expected is None) == (found is None)
        if found is None:
            continue
        assert repr(expected) == repr(found)
        assert str(expected) == str(found)
        assert expected.__getstate__() == found.__getstate__()
        for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):  # noqa: S301
            assert type(found) is type(copied)
            assert found.__getstate__() == copied.__getstate__()


@given(pipelines(), st.lists(texts, min_size=1, max_size=4))
def test_calls_on_components_are_those_of_the_reference(document: str, sample: list[str]) -> None:
    theirs, ours = both(document)
    for text in sample:
        if ours.normalizer is not None:
            expected = settled(theirs.normalizer.normalize_str, text)
            assert expected in ("panic", settled(ours.normalizer.normalize_str, text))
        if ours.pre_tokenizer is not None:
            expected = settled(theirs.pre_tokenizer.pre_tokenize_str, text)
            assert expected in ("panic", settled(ours.pre_tokenizer.pre_tokenize_str, text))
        tokens = settled(theirs.model.tokenize, text)
        if tokens not in ("panic", "error"):
            found = [token.as_tuple() for token in ours.model.tokenize(text)]
            assert [token.as_tuple() for token in tokens] == found
        assert theirs.model.token_to_id(text) == ours.model.token_to_id(text)


@given(pipelines(), st.lists(st.sampled_from(DECODED), max_size=8))
def test_decoders_on_their_own_are_those_of_the_reference(document: str, tokens: list[str]) -> None:
    theirs, ours = both(document)
    if ours.decoder is not None:
        expected = settled(theirs.decoder.decode, tokens)
        assert expected in ("panic", settled(ours.decoder.decode, tokens))


@given(pipelines(), texts, st.none() | texts, st.booleans())
def test_post_processors_on_their_own_are_those_of_the_reference(
    document: str,
    text: str,
    pair: str | None,
    special: bool,  # noqa: FBT001
) -> None:
    theirs, ours = both(document)
    results = []
    for tok in (theirs, ours):
        processor, tok.post_processor = tok.post_processor, None
        tok.no_truncation()
        tok.no_padding()
        if processor is None:
            return
        first = settled(tok.encode, text)
        second = None if pair is None else settled(tok.encode, pair)
        if "error" in (first, second) or "panic" in (first, second):
            return
        assert processor.num_special_tokens_to_add(True) >= 0
        done = settled(processor.process, first, second, special)
        results.append(done if isinstance(done, str) else columns(done))
        if not isinstance(done, str):
            results[-1]["state"] = sorted(done.__getstate__())
    assert results[0] in ("panic", results[1])


MODULES = ("models", "normalizers", "pre_tokenizers", "processors", "decoders", "trainers")
SHOWN_OTHERWISE = {"AddedToken", "Metaspace", "Prepend"}
"""Classes of which the reference documents a signature that it does not have."""
OF_ITS_OWN = {"Enum", "List", "Tuple", "Union", "tokenizers", *MODULES}
"""Names that modules of the reference have by accident."""


def parameters(function: Any) -> list[tuple[str, Any]] | None:
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    named = [p for p in found if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "self"]
    return [(p.name, None if p.default is p.empty else p.default) for p in named]


def classes() -> list[tuple[str, Any, Any]]:
    pairs = []
    for name in ("", *MODULES):
        theirs = importlib.import_module(f"tokenizers.{name}" if name else "tokenizers")
        ours = importlib.import_module(f"maxmunch.{name}" if name else "maxmunch")
        public = [m for m in dir(theirs) if not m.startswith("_") and m not in OF_ITS_OWN]
        pairs += [(f"{name}.{member}", getattr(theirs, member), ours) for member in public]
    return pairs


@pytest.mark.parametrize(("name", "theirs", "module"), classes(), ids=lambda value: str(value)[:60])
def test_nothing_of_the_reference_is_missing(name: str, theirs: Any, module: Any) -> None:
    member = name.rpartition(".")[2]
    ours = getattr(module, member)
    if not inspect.isclass(theirs) or member.endswith("Tokenizer"):
        return
    public = [attribute for attribute in dir(theirs) if not attribute.startswith("_")]
    assert [] == [attribute for attribute in public if not hasattr(ours, attribute)]
    if member not in SHOWN_OTHERWISE and not issubclass(theirs, Enum):
        assert parameters(theirs) in (None, parameters(ours))


@pytest.mark.parametrize("count", [5, 6, 99, 100, 101])
def test_long_tables_are_shown_as_the_reference_shows_them(count: int) -> None:
    names = [f"{number:03}" for number in range(count)]
    parts = {character: 1000 + number for number, character in enumerate("0123456789")}
    halves = [(name[0], name[1]) for name in names if name.endswith("0")]
    vocab = parts | {left + right: 2000 + i for i, (left, right) in enumerate(halves)}
    made = []
    for module in (tokenizers, mm):
        models = [
            module.models.BPE(vocab, halves),
            module.models.WordPiece(dict(zip(names, range(count), strict=True))),
            module.models.Unigram([(name, -1.5) for name in names]),
        ]
        for model in models:
            tok = module.Tokenizer(model)
            tok.add_tokens([f"<{name}>" for name in names])
            made.append((repr(tok), str(tok), repr(model), str(model)))

    assert made[:3] == made[3:]
