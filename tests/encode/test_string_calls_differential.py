"""Texts that user code changes and cuts, against `tokenizers`: any calls, one after the other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from component_strategies import BEHAVIORS as NAMES
from component_strategies import simple_pre_tokenizers
from encode_helpers import columns
from hypothesis import assume, given
from hypothesis import strategies as st
from pipeline_strategies import every_normalizer, models, texts

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

Step = tuple[str, ...] | tuple[str, Any] | tuple[str, Any, Any]
BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
assert len(BEHAVIORS) == len(NAMES)
CHANGES = ("nfd", "nfkd", "nfc", "nfkc", "lowercase", "uppercase", "lstrip", "rstrip", "strip")
SOURCES = ("a", " ", "é", r"\s+", r"\w", "(?=a)", "a*", r" ?[\p{L}\p{M}]+", r"(.)\1", r"\b", "$")

sought = st.one_of(
    st.tuples(st.just("text"), st.sampled_from(["a", "é", "bc", " ", "aa", "\u0301", "ab"])),
    st.tuples(st.just("regex"), st.sampled_from(SOURCES)),
)
changes = st.one_of(
    st.sampled_from([*CHANGES, "clear"]).map(lambda name: (name,)),
    st.tuples(st.just("prepend"), st.sampled_from(["a", "é ", "\u0301", "漢", " "])),
    st.tuples(st.just("append"), st.text("ab▁é\u0301", max_size=2)),
    st.tuples(st.just("replace"), sought, st.sampled_from(["", "q", "é", "ab", "\u0301"])),
    st.tuples(st.just("map"), st.sampled_from("zé漢")),
    st.tuples(st.just("filter"), st.sampled_from(" aé\u0301")),
    st.tuples(st.just("normalizer"), every_normalizer),
)
slices = st.one_of(
    st.tuples(st.just("slice"), st.integers(-5, 8)),
    st.tuples(st.just("slice"), st.tuples(st.integers(0, 5), st.integers(0, 8))),
    st.builds(lambda a, b: ("slice", slice(a, b)), st.integers(-5, 6), st.integers(-5, 8)),
)
cuts = st.tuples(st.just("split"), sought, st.sampled_from(BEHAVIORS))
_ROUND = {"version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}


class PanicError(Exception):
    """The reference panicked: then nobody has to give an answer."""


def settled(call: Any, *arguments: Any) -> Any:
    """Return what a call returns, or that it raised."""
    try:
        return call(*arguments)
    except (KeyboardInterrupt, PanicError):
        raise
    except BaseException as error:
        if "Panic" in type(error).__name__:
            raise PanicError from error
        return "error"


def component(library: Any, section: str, part: Any) -> Any:
    return getattr(library.Tokenizer.from_str(json.dumps({**_ROUND, section: part})), section)


def pattern_of(library: Any, pattern: tuple[str, str]) -> Any:
    return library.Regex(pattern[1]) if pattern[0] == "regex" else pattern[1]


def change(library: Any, text: Any, step: Any) -> Any:
    """Change a text, or return the part of it that a step asks for."""
    name, *rest = step
    if name == "normalizer":
        return settled(component(library, "normalizer", rest[0]).normalize, text)
    if name == "replace":
        return settled(text.replace, pattern_of(library, rest[0]), rest[1])
    if name == "map":
        return settled(text.map, lambda character: rest[0] if character.isalpha() else character)
    if name == "filter":
        return settled(text.filter, lambda character: character != rest[0])
    if name == "split":
        return settled(text.split, pattern_of(library, rest[0]), rest[1])
    return settled(getattr(text, name), *rest)


def shown(found: Any) -> Any:
    if isinstance(found, list):
        return [shown(each) for each in found]
    return (found.normalized, found.original) if hasattr(found, "normalized") else found


def changed_one_after_another(library: Any, text: str, steps: list[Any]) -> list[Any]:
    own = library.NormalizedString(text)
    seen = []
    for step in steps:
        found = change(library, own, step)
        seen += [shown(found), shown(own), str(own), repr(own)]
        if step[0] == "slice" and hasattr(found, "normalized"):
            own = found
    return seen


class Cutting:
    """A text in pieces, of one library, and what was seen of it after each step."""

    def __init__(self, library: Any, text: str) -> None:
        self.library = library
        self.text = library.PreTokenizedString(text)
        self.failed: list[PanicError] = []
        self.seen: list[Any] = []

    def guarded(self, step: Any) -> Any:
        """Return a call that changes a piece; the loop around it must not see a panic.

        One that crosses the loop of the reference would end the process.
        """

        def call(piece: Any) -> Any:
            try:
                return change(self.library, piece, step)
            except PanicError as error:
                self.failed.append(error)
                return None

        return call

    def apply(self, step: Any) -> None:
        name, *rest = step
        if name == "split":
            call = self.guarded(step)
            found = settled(self.text.split, lambda _, piece: call(piece))
        elif name == "pre_tokenizer":
            found = settled(component(self.library, name, rest[0]).pre_tokenize, self.text)
        elif name == "model":
            found = settled(self.text.tokenize, component(self.library, name, rest[0]).tokenize)
        else:
            found = settled(self.text.normalize, self.guarded(step))
        if self.failed:
            raise self.failed[0]
        self.seen.append(found)

    def look(self) -> None:
        for reference in ("original", "normalized"):
            for unit in ("char", "byte"):
                views = self.text.get_splits(reference, unit)
                self.seen += [(piece, place, as_plain(tokens)) for piece, place, tokens in views]


def cut_one_after_another(library: Any, text: str, steps: list[Any], model: Any) -> list[Any]:
    own = Cutting(library, text)
    for step in [*steps, ("model", model)]:
        own.apply(step)
        own.look()
    for arguments in ((), (3, 5)):
        made = settled(own.text.to_encoding, *arguments)
        own.seen.append(made if isinstance(made, str) else columns(made))
    return own.seen


def as_plain(tokens: Any) -> Any:
    return tokens and [(token.id, token.value, token.offsets) for token in tokens]


def agree(program: Any, *arguments: Any) -> None:
    """Run a program with both libraries; where the reference panics, ours only has to end."""
    try:
        expected = program(tokenizers, *arguments)
    except PanicError:
        program(mm, *arguments)
        return
    assert expected == program(mm, *arguments)


def is_told_apart(text: str, steps: list[Any]) -> bool:
    """Whether no step is a listed difference: what is appended to no text, then changed."""
    return bool(text) or "append" not in {name for name, *_ in steps}


@given(texts, st.lists(st.one_of(changes, changes, slices, cuts), max_size=5))
def test_normalized_strings_change_as_those_of_the_reference(text: str, steps: list[Any]) -> None:
    assume(is_told_apart(text, steps))
    agree(changed_one_after_another, text, steps)


@given(
    texts,
    st.lists(
        st.one_of(changes, cuts, st.tuples(st.just("pre_tokenizer"), simple_pre_tokenizers), cuts),
        max_size=4,
    ),
    models,
)
def test_pre_tokenized_strings_are_cut_as_those_of_the_reference(
    text: str, steps: list[Any], model: Any
) -> None:
    assume(is_told_apart(text, steps))
    agree(cut_one_after_another, text, steps, model)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
    ],
)
def test_pieces_that_are_rewritten_without_a_cut_keep_their_original(part: Any) -> None:
    steps = [("strip",), ("pre_tokenizer", part)]

    agree(cut_one_after_another, " a b ", steps, _ROUND["model"])
    own = mm.PreTokenizedString(" a b ")
    own.normalize(lambda text: text.strip())
    component(mm, "pre_tokenizer", part).pre_tokenize(own)
    assert [(0, 5)] == [place for _, place, _ in own.get_splits()]
