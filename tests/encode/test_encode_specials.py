"""Text of strangers: special tokens spelled in it, and characters that are no characters."""

from __future__ import annotations

import pytest

import maxmunch as mm

END, START = 300, 301
PLAIN = list(b"a<|end|>")


@pytest.fixture
def tok() -> mm.Tokenizer:
    vocabulary = {bytes([byte]): byte for byte in range(256)}
    tokenizer = mm.Tokenizer(
        mm.models.LongestMatch(vocabulary | {b"\xff\xff%d" % i: 256 + i for i in range(44)})
    )
    tokenizer.add_special_tokens(["<|end|>", "<|start|>"])
    return tokenizer


def test_a_policy_holds_for_every_call(tok: mm.Tokenizer) -> None:
    text = "a<|end|>"

    for specials, expected in (("parse", [97, END]), ("text", PLAIN), ({"<|start|>"}, PLAIN)):
        assert expected == tok.encode(text, specials=specials).ids
        assert expected == tok.encode_batch([text], specials=specials)[0].ids
        assert expected == tok.encode_batch_fast([text], specials=specials)[0].ids
        assert expected == tok.encode_ids(text, specials=specials).tolist()
        assert expected == tok.encode_ids_batch([text], specials=specials)[0].tolist()


def test_a_set_parses_its_contents_alone(tok: mm.Tokenizer) -> None:
    found = tok.encode("<|start|><|end|>", specials={"<|start|>"}).ids

    assert [START, *b"<|end|>"] == found
    assert [*b"<|start|><|end|>"] == tok.encode("<|start|><|end|>", specials=set()).ids


def test_refused_specials_are_named_with_their_place(tok: mm.Tokenizer) -> None:
    calls = (
        lambda: tok.encode("ab<|end|>", specials="error"),
        lambda: tok.encode_batch(["x", "ab<|end|>"], specials="error"),
        lambda: tok.encode_ids("ab<|end|>", specials="error"),
        lambda: tok.encode_ids_batch(["ab<|end|>"], specials="error"),
    )
    for call in calls:
        with pytest.raises(mm.InvalidArgumentError, match=r"<\|end\|>.*byte 2"):
            call()
    assert [97] == tok.encode("a", specials="error").ids
    with pytest.raises(mm.InvalidArgumentError, match="specials"):
        tok.encode("a", specials="maybe")  # type: ignore[arg-type]


def test_tokens_of_the_post_processor_are_no_text(tok: mm.Tokenizer) -> None:
    tok.post_processor = mm.processors.TemplateProcessing(
        "<|start|> $A", special_tokens=[("<|start|>", START)]
    )

    assert [START, *PLAIN] == tok.encode("a<|end|>", specials="text").ids
    assert [START, 97] == tok.encode("a", specials="error").ids


@pytest.mark.parametrize(
    "text", ["\0", "a\0b", "\ufffd", "\u0378", "\U0010ffff", "\ue000", "\ufdd0"]
)
def test_odd_characters_are_text_like_any_other(tok: mm.Tokenizer, text: str) -> None:
    ids = tok.encode(text).ids

    assert list(text.encode()) == ids
    assert text == tok.decode(ids)


def test_a_lone_surrogate_is_refused_everywhere(tok: mm.Tokenizer) -> None:
    for call in (tok.encode, tok.encode_ids, tok.count_tokens, lambda t: tok.encode_batch([t])):
        with pytest.raises(UnicodeEncodeError):
            call("a\ud800")
