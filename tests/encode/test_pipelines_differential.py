"""Whole pipelines against `tokenizers`: all components, truncation, padding, pairs and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from encode_helpers import columns
from hypothesis import given
from hypothesis import strategies as st
from pipeline_strategies import pipelines, texts

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

PANIC = "panic"
REFUSED = "refused"
LOOKUPS = ("char_to_token", "char_to_word", "token_to_chars", "token_to_word", "token_to_sequence")
WORD_LOOKUPS = ("word_to_tokens", "word_to_chars")


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call returns; or that it is refused, or that it panics."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:  # noqa: BLE001 (a refusal has any class in the reference)
        return PANIC if isinstance(error, mm.InternalError) else REFUSED
    except BaseException:  # noqa: BLE001 (the reference's panics are no Exception)
        return PANIC


def looked_up(encoding: Any) -> list[Any]:
    """Return the answers of every look-up at places inside and outside the encoding."""
    found = []
    for sequence in (0, 1):
        for place in (*range(6), 40):
            found += [getattr(encoding, name)(place, sequence) for name in LOOKUPS[:2]]
            found += [getattr(encoding, name)(place, sequence) for name in WORD_LOOKUPS]
    return found + [getattr(encoding, name)(place) for name in LOOKUPS[2:] for place in (0, 3, 40)]


def everything(encoding: Any) -> Any:
    return columns(encoding), looked_up(encoding)


def agree(ours: Any, theirs: Any, call: Callable[[Any], Any]) -> Any:
    """Check that both answer a call alike where the reference answers; return its answer."""
    expected = outcome(lambda: call(theirs))
    found = outcome(lambda: call(ours))
    assert PANIC != found
    if expected not in (PANIC, found):
        # Look-ups into sequences that overlap are random in the reference: any of its answers.
        assert found in [expected, *(outcome(lambda: call(theirs)) for _ in range(30))]
        return found
    return expected


@given(
    document=pipelines(),
    sample=st.lists(texts, min_size=2, max_size=4),
    special=st.booleans(),
    as_text=st.booleans(),
)
def test_pipelines_equal_the_reference(
    *, document: str, sample: list[str], special: bool, as_text: bool
) -> None:
    theirs = outcome(lambda: tokenizers.Tokenizer.from_str(document))
    if theirs in (PANIC, REFUSED):
        return
    ours = mm.Tokenizer.from_str(document)
    assert theirs.to_str() == ours.to_str()
    theirs.encode_special_tokens = ours.encode_special_tokens = as_text

    for text in sample:
        answer = agree(
            ours, theirs, lambda t, text=text: everything(t.encode(text, None, False, special))
        )
        if answer in (PANIC, REFUSED):
            continue
        ids = answer[0]["ids"]
        assert ids == ours.encode_ids(text, add_special_tokens=special).tolist()
        assert len(ids) == ours.count_tokens(text, add_special_tokens=special)
        for skip in (True, False):
            agree(ours, theirs, lambda t, ids=ids, skip=skip: t.decode(ids, skip))
    first, second = sample[0], sample[1]
    agree(ours, theirs, lambda t: everything(t.encode(first, second, False, special)))
    words, others = first.split(" "), second.split("a")
    agree(ours, theirs, lambda t: everything(t.encode(words, None, True, special)))
    agree(ours, theirs, lambda t: everything(t.encode(words, others, True, special)))


@given(document=pipelines(), sample=st.lists(texts, min_size=2, max_size=5), special=st.booleans())
def test_batches_equal_the_reference(*, document: str, sample: list[str], special: bool) -> None:
    theirs = outcome(lambda: tokenizers.Tokenizer.from_str(document))
    if theirs in (PANIC, REFUSED):
        return
    ours = mm.Tokenizer.from_str(document)
    mixed = [sample[0], (sample[1], sample[0]), *sample[2:]]
    words = [text.split(" ") for text in sample]
    pairs = [(words[0], words[1]), *words]

    agree(ours, theirs, lambda t: list(map(columns, t.encode_batch(mixed, False, special))))
    agree(ours, theirs, lambda t: list(map(columns, t.encode_batch(pairs, True, special))))
    agree(ours, theirs, lambda t: list(map(columns, t.encode_batch_fast(mixed, False, special))))
    agree(ours, theirs, lambda t: list(map(columns, t.encode_batch_fast(pairs, True, special))))
    fast = agree(
        ours, theirs, lambda t: list(map(columns, t.encode_batch_fast(sample, False, special)))
    )
    if fast not in (PANIC, REFUSED):
        rows = [row["ids"] for row in fast]
        padded = ours.padding is not None
        found = [row.tolist() for row in ours.encode_ids_batch(sample, add_special_tokens=special)]
        assert padded or rows == found
        agree(ours, theirs, lambda t: t.decode_batch(rows, False))


@given(document=pipelines(), left=texts, right=texts, special=st.booleans())
def test_post_processing_and_look_ups_equal_the_reference(
    *, document: str, left: str, right: str, special: bool
) -> None:
    theirs = outcome(lambda: tokenizers.Tokenizer.from_str(document))
    if theirs in (PANIC, REFUSED):
        return
    ours = mm.Tokenizer.from_str(document)

    for is_pair in (False, True):
        agree(ours, theirs, lambda t, p=is_pair: t.num_special_tokens_to_add(p))
    agree(ours, theirs, lambda t: t.get_vocab(True))
    agree(ours, theirs, lambda t: t.get_vocab_size(True))
    for number in (*range(4), 70, 1000):
        agree(ours, theirs, lambda t, n=number: t.id_to_token(n))
    for token in ("ab", "<x>", "A", "▁a", left):
        agree(ours, theirs, lambda t, token=token: t.token_to_id(token))

    def processed(tok: Any) -> Any:
        pair = tok.encode(right, None, False, False)
        return columns(tok.post_process(tok.encode(left, None, False, False), pair, special))

    agree(ours, theirs, processed)
