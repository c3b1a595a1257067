"""Streams: any cut of a text gives the ids of the whole, any cut of ids the text of the whole."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest
from component_strategies import DECODED, decoder_tokenizer, decoders
from hypothesis import given
from hypothesis import strategies as st
from pipeline_strategies import pipelines, texts

import maxmunch as mm

ids = st.lists(st.integers(0, len(set(DECODED)) + 3), max_size=12)


def cut(data: Any, places: list[int]) -> list[Any]:
    bounds = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(bounds)]


@given(
    document=pipelines(),
    text=texts,
    places=st.lists(st.integers(0, 10_000), max_size=6),
    special=st.booleans(),
    as_bytes=st.booleans(),
)
def test_ids_of_chunks_are_the_ids_of_the_whole(
    *, document: str, text: str, places: list[int], special: bool, as_bytes: bool
) -> None:
    tok = mm.Tokenizer.from_str(document)
    try:
        expected = tok.encode_ids(text, add_special_tokens=special).tolist()
    except mm.MaxmunchError:
        return
    stream = tok.stream_encoder(add_special_tokens=special)
    for _ in range(2):
        found = []
        for chunk in cut(text.encode() if as_bytes else text, places):
            found += stream.feed(chunk).tolist()
        assert expected == found + stream.finish().tolist()


@given(decoders, ids, st.lists(st.integers(0, 20), max_size=4), st.booleans())
def test_text_of_parts_is_the_text_of_the_whole(
    decoder: dict[str, Any],
    numbers: list[int],
    places: list[int],
    skip: bool,  # noqa: FBT001
) -> None:
    tok = mm.Tokenizer.from_str(decoder_tokenizer(decoder))
    expected = tok.decode(numbers, skip_special_tokens=skip)
    stream = tok.stream_decoder(skip_special_tokens=skip)

    for _ in range(2):
        written = [stream.feed(part) for part in cut(numbers, places)]
        assert expected == "".join([*written, stream.finish()])


def bytes_tokenizer() -> mm.Tokenizer:
    return mm.Tokenizer(mm.models.LongestMatch({bytes([byte]): byte for byte in range(256)}))


def test_a_stream_refuses_no_id() -> None:
    stream = bytes_tokenizer().stream_decoder()

    assert "a" == stream.feed([97, -1, 256, 2**31, 2**32, 2**80])
    assert "" == stream.feed(0xF0)
    assert "\ufffdb" == stream.feed([98])
    assert "" == stream.feed([0xE6, 0xBC])
    assert "\ufffd" == stream.finish()


def test_a_chunk_may_end_inside_a_character() -> None:
    stream = bytes_tokenizer().stream_encoder()
    data = "né漢👍".encode()

    found = [number for byte in data for number in stream.feed(bytes([byte]))]
    assert list(data) == [*found, *stream.finish()]
    assert 2 * 1 + 2 == stream.max_pending_bytes


@given(
    tokens=st.lists(st.binary(min_size=2, max_size=5), max_size=20),
    letters=st.lists(st.text("aé漢👍", min_size=2, max_size=4), max_size=12),
    text=st.text("abé漢👍", max_size=60),
    framed=st.booleans(),
    size=st.integers(1, 9),
)
def test_a_stream_of_longest_matches_never_holds_more_than_it_says(
    *, tokens: list[bytes], letters: list[str], text: str, framed: bool, size: int
) -> None:
    single = [bytes([byte]) for byte in range(256)]
    kinds = dict.fromkeys([*single, *tokens, *(word.encode() for word in letters)])
    tok = mm.Tokenizer(mm.models.LongestMatch({token: place for place, token in enumerate(kinds)}))
    if framed:
        tok.post_processor = mm.processors.TemplateProcessing(
            "[B] $A [E]", None, [("[B]", 1), ("[E]", 2)]
        )
    expected = tok.encode_ids(text).tolist()
    spelled = tok.vocabulary
    stream = tok.stream_encoder()
    bound = stream.max_pending_bytes
    assert bound is not None
    data = text.encode()
    for _ in range(2):
        found: list[int] = []
        for start in range(0, len(data), size):
            found += stream.feed(data[start : start + size]).tolist()
            given_out = found[framed:] if found else []
            pending = start + len(data[start : start + size])
            pending -= sum(len(spelled[number] or b"") for number in given_out)
            assert 0 <= pending <= bound
        assert expected == found + stream.finish().tolist()


def test_other_streams_promise_no_bound() -> None:
    tok = bytes_tokenizer()
    tok.add_tokens(["ab"])
    assert tok.stream_encoder().max_pending_bytes is None
    other = bytes_tokenizer()
    other.normalizer = mm.normalizers.NFC()
    assert other.stream_encoder().max_pending_bytes is None
    part = mm.Tokenizer(mm.models.LongestMatch({b"a": 0}))
    assert part.stream_encoder().max_pending_bytes is None


def test_a_stream_of_bytes_that_are_no_text_is_refused_with_the_place() -> None:
    stream = bytes_tokenizer().stream_encoder()
    stream.feed(b"ab\xc3")
    with pytest.raises(mm.InvalidArgumentError, match="byte 2 of the stream"):
        stream.feed(b"c")
    other = bytes_tokenizer().stream_encoder()
    other.feed(b"ab\xc3")
    with pytest.raises(mm.InvalidArgumentError, match="byte 2 of the stream"):
        other.finish()
    with pytest.raises(TypeError, match="mixed"):
        other.feed("a")


def test_special_tokens_in_a_stream_follow_the_policy() -> None:
    tok = bytes_tokenizer()
    tok.add_special_tokens(["<end>"])

    def streamed(specials: str) -> list[int]:
        stream = tok.stream_encoder(specials=specials)
        given = [stream.feed(chunk) for chunk in ("a<e", "nd>")]
        return [number for ids in [*given, stream.finish()] for number in ids.tolist()]

    assert [97, 256] == streamed("parse")
    assert list(b"a<end>") == streamed("text")
    with pytest.raises(mm.InvalidArgumentError, match="special"):
        streamed("error")


def test_decode_streams_hold_back_what_may_change() -> None:
    tok = bytes_tokenizer()
    stream = mm.decoders.DecodeStream(list("é".encode()), skip_special_tokens=False)
    twin = copy.deepcopy(stream)

    assert ["n", None, "é", "ab"] == [
        stream.step(tok, 110),
        stream.step(tok, 0xC3),
        stream.step(tok, [0xA9]),
        stream.step(tok, [97, 98]),
    ]
    assert "x" == twin.step(tok, 120)
    with pytest.raises(TypeError):
        stream.step(tok, -1)


def settled(stream: Any, tok: Any, number: int) -> Any:
    try:
        return stream.step(tok, number)
    except BaseException as error:  # noqa: BLE001
        return "panic" if "Panic" in type(error).__name__ else "error"


@given(decoders, ids, st.integers(0, 3), st.booleans())
def test_decode_streams_step_as_those_of_the_reference(
    decoder: dict[str, Any],
    numbers: list[int],
    prompt: int,
    skip: bool,  # noqa: FBT001
) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")
    document = decoder_tokenizer(decoder)
    steps = []
    for library in (tokenizers, mm):
        tok = library.Tokenizer.from_str(document)
        stream = library.decoders.DecodeStream(numbers[:prompt], skip)
        steps.append([settled(stream, tok, number) for number in numbers[prompt:]])
    if "panic" not in steps[0]:
        assert steps[0] == steps[1]


def test_a_piece_that_may_still_grow_beyond_the_limit_waits() -> None:
    made = mm.Tokenizer(mm.models.LongestMatch({bytes([byte]): byte for byte in range(256)}))
    document = json.loads(made.to_str())
    document["model"]["max_input_chars_per_word"] = 20
    tok = mm.Tokenizer.from_str(json.dumps(document))
    stream = tok.stream_encoder()

    found = [number for _ in range(10) for number in stream.feed("abcd").tolist()]
    assert tok.encode_ids("abcd" * 10).tolist() == found + stream.finish().tolist()


@pytest.mark.parametrize("wrong", [-1, 2**32, [2**32], [-1], "a", None, 0.5, ["a"]])
def test_a_step_with_what_is_no_id_is_a_type_error(wrong: object) -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0}, unk_token="a"))

    with pytest.raises(TypeError):
        mm.decoders.DecodeStream().step(tok, wrong)  # type: ignore[arg-type]
