"""Components of user code inside a tokenizer, against `tokenizers`: calls on texts and pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from encode_helpers import answer, columns
from hypothesis import given
from hypothesis import strategies as st
from pipeline_strategies import models, texts
from test_string_calls_differential import BEHAVIORS, CHANGES, PanicError, change

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

ADDED = {"single_word": False, "lstrip": False, "rstrip": True, "special": False}
GIVING = ("no tokens", "halves", "nothing")

# None on which the reference panics: in user code that may end the process.
changes = st.one_of(
    st.sampled_from([*CHANGES, "clear"]).map(lambda name: (name,)),
    st.tuples(st.just("replace"), st.just(("text", "a")), st.sampled_from(["", "q", "é", "ab"])),
    st.tuples(st.just("filter"), st.sampled_from(" aé\u0301")),
    st.tuples(st.just("map"), st.sampled_from("zé漢")),
)
sought = st.tuples(st.just("text"), st.sampled_from(["a", "é", " ", "ab"])) | st.tuples(
    st.just("regex"), st.sampled_from(["a", r"\s+", r"\w", "(?=a)"])
)
cuts = st.tuples(st.just("split"), sought, st.sampled_from(BEHAVIORS))


class Own:
    """User code of one library: changes texts, cuts them, and perhaps gives them tokens."""

    def __init__(self, library: Any, program: tuple[list[Any], list[Any], list[Any], str]) -> None:
        self.library = library
        self.texts, self.pieces, self.cuts, self.giving = program

    def guarded(self, text: Any, step: Any) -> Any:
        # A panic that crosses the loop of the reference would end the process.
        try:
            return change(self.library, text, step)
        except PanicError:
            return None

    def normalize(self, text: Any) -> None:
        for step in self.texts:
            self.guarded(text, step)

    def pre_tokenize(self, text: Any) -> None:
        for step in self.pieces:
            text.normalize(lambda piece, step=step: self.guarded(piece, step))
        for step in self.cuts:
            text.split(lambda _, piece, step=step: self.guarded(piece, step))
        if self.giving != "no tokens":
            text.tokenize(self.tokens)

    def tokens(self, text: str) -> list[Any]:
        if self.giving == "nothing":
            return []
        half, whole = len(text[:1].encode()), len(text.encode())
        first = self.library.Token(1, text[:1], (0, half))
        return [first, self.library.Token(2, text[1:], (half, whole))]


def made(library: Any, document: str, program: Any) -> Any:
    tok = library.Tokenizer.from_str(document)
    own = Own(library, program)
    tok.normalizer = library.normalizers.Normalizer.custom(own)
    tok.pre_tokenizer = library.pre_tokenizers.PreTokenizer.custom(own)
    return tok


def encoded(tok: Any, *arguments: Any) -> Any:
    """Return the columns of an encoding, that it is refused, or that the reference panics."""
    return answer(lambda: columns(tok.encode(*arguments)))


@given(
    st.tuples(
        st.lists(changes, max_size=1),
        st.lists(changes, max_size=1),
        st.lists(cuts, max_size=2),
        st.sampled_from(GIVING),
    ),
    models,
    texts,
    texts,
)
def test_components_of_user_code_act_as_in_the_reference(
    program: Any, model: Any, text: str, other: str
) -> None:
    added = [{"id": 1000, "content": "漢", "normalized": True, **ADDED}]
    document = json.dumps({"version": "1.0", "added_tokens": added, "model": model})
    theirs, ours = (made(library, document, program) for library in (tokenizers, mm))

    for call in ((text,), (text, other), (text.split(" "), None, True)):
        expected = encoded(theirs, *call)
        assert expected in ("panic", encoded(ours, *call))


@pytest.mark.parametrize(
    ("program", "text"),
    [
        # A piece of which nothing is left counts.
        (([], [("rstrip",)], [], "no tokens"), "  漢ab"),
        (([], [("clear",)], [], "no tokens"), "ab"),
        # A token of no text at the end of the text stands in bytes.
        (([], [], [], "halves"), "é\n漢 "),
        (([], [], [("split", ("text", "é"), "isolated")], "halves"), "aé"),
    ],
)
def test_pieces_and_tokens_of_no_text_are_those_of_the_reference(program: Any, text: str) -> None:
    added = [{"id": 1000, "content": "漢", "normalized": True, **ADDED}]
    model = {"type": "WordLevel", "vocab": {"a": 0, "ab": 1}, "unk_token": "a"}
    document = json.dumps({"version": "1.0", "added_tokens": added, "model": model})

    found = [encoded(made(library, document, program), text) for library in (tokenizers, mm)]

    assert "panic" not in found
    assert found[0] == found[1]
