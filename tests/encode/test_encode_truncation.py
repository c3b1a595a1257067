"""Truncation and padding: every strategy against `tokenizers`, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from encode_helpers import columns
from hypothesis import given
from hypothesis import strategies as st

import maxmunch as mm

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

TEMPLATES = [
    None,
    tokenizers.processors.TemplateProcessing(
        single="[C] $A [S]", pair="[C] $A [S] $B:1 [S]:1", special_tokens=[("[C]", 26), ("[S]", 27)]
    ),
    tokenizers.processors.BertProcessing(("[S]", 27), ("[C]", 26)),
    tokenizers.processors.RobertaProcessing(("[S]", 27), ("[C]", 26)),
]

words = st.lists(st.sampled_from("abcdefghij"), max_size=9).map(" ".join)


def made(template: Any) -> tuple[Any, mm.Tokenizer]:
    vocab = {letter: i for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
    theirs = tokenizers.Tokenizer(
        tokenizers.models.WordLevel(vocab | {"[C]": 26, "[S]": 27, "[U]": 28}, unk_token="[U]")
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    if template is not None:
        theirs.post_processor = template
    return theirs, mm.Tokenizer.from_str(theirs.to_str())


def outcome(tok: Any, *arguments: Any, **options: Any) -> Any:
    """Return the encoding's columns; None where it is refused, or where the reference panics."""
    try:
        return columns(tok.encode(*arguments, **options))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 (the reference's panics are no Exception)
        return None


@given(
    template=st.sampled_from(TEMPLATES),
    left=words,
    right=st.none() | words,
    max_length=st.integers(3, 12),
    stride=st.integers(0, 4),
    strategy=st.sampled_from(["longest_first", "only_first", "only_second"]),
    direction=st.sampled_from(["left", "right"]),
    special=st.booleans(),
)
def test_truncated_encodings_equal_the_reference(
    *,
    template: Any,
    left: str,
    right: str | None,
    max_length: int,
    stride: int,
    strategy: str,
    direction: str,
    special: bool,
) -> None:
    theirs, ours = made(template)
    options = {"stride": stride, "strategy": strategy, "direction": direction}
    try:
        ours.enable_truncation(max_length, **options)
    except mm.InvalidArgumentError:
        # The reference accepts a stride that equals the room and panics later.
        assert stride >= max_length - theirs.num_special_tokens_to_add(is_pair=False)
        return
    theirs.enable_truncation(max_length, **options)
    assert theirs.truncation == ours.truncation
    expected = outcome(theirs, left, right, add_special_tokens=special)
    assert expected == outcome(ours, left, right, add_special_tokens=special)


@given(
    template=st.sampled_from(TEMPLATES),
    rows=st.lists(words, min_size=1, max_size=4),
    direction=st.sampled_from(["left", "right"]),
    length=st.none() | st.integers(0, 12),
    multiple=st.none() | st.integers(0, 5),
    max_length=st.none() | st.integers(4, 8),
)
def test_padded_batches_equal_the_reference(
    *,
    template: Any,
    rows: list[str],
    direction: str,
    length: int | None,
    multiple: int | None,
    max_length: int | None,
) -> None:
    theirs, ours = made(template)
    for tok in (theirs, ours):
        tok.enable_padding(
            direction=direction, pad_id=9, pad_type_id=3, length=length, pad_to_multiple_of=multiple
        )
        if max_length is not None:
            tok.enable_truncation(max_length)

    expected = [columns(encoding) for encoding in theirs.encode_batch(rows)]

    assert theirs.padding == ours.padding
    assert expected == [columns(encoding) for encoding in ours.encode_batch(rows)]
    assert theirs.to_str() == ours.to_str()
    assert columns(theirs.encode(rows[0])) == columns(ours.encode(rows[0]))
    assert theirs.encode(rows[0]).ids == ours.encode_ids(rows[0]).tolist()


def test_parts_are_post_processed_like_whole_texts() -> None:
    theirs, ours = made(TEMPLATES[1])
    theirs.no_truncation()
    parts = [tok.encode("a b", add_special_tokens=False) for tok in (theirs, ours)]
    others = [tok.encode("c", add_special_tokens=False) for tok in (theirs, ours)]

    assert columns(theirs.post_process(parts[0], others[0])) == columns(
        ours.post_process(parts[1], others[1])
    )
    ours.enable_truncation(3)
    assert [26, 0, 27] == ours.post_process(parts[1]).ids


def test_what_cannot_be_is_refused() -> None:
    _, ours = made(TEMPLATES[1])

    with pytest.raises(mm.InvalidArgumentError, match="strategy"):
        ours.enable_truncation(4, strategy="middle")
    with pytest.raises(mm.InvalidArgumentError, match="direction"):
        ours.enable_padding(direction="up")
    with pytest.raises(mm.InvalidArgumentError, match="stride"):
        ours.enable_truncation(5, stride=3)
    ours.no_truncation()
    assert ours.truncation is None
    assert 3 == len(ours.encode("a"))


def test_a_maximum_below_the_special_tokens_truncates_nothing() -> None:
    theirs, ours = made(TEMPLATES[1])
    for tok in (theirs, ours):
        tok.enable_truncation(1)

    assert columns(theirs.encode("a b c")) == columns(ours.encode("a b c"))


@given(words, words, st.booleans())
def test_merged_encodings_equal_the_reference(left: str, right: str, growing: bool) -> None:  # noqa: FBT001
    theirs, ours = made(TEMPLATES[1])
    expected = [theirs.encode(text) for text in (left, right)]
    found = [ours.encode(text) for text in (left, right)]

    merged = mm.Encoding.merge(found, growing_offsets=growing)

    joined = tokenizers.Encoding.merge(expected, growing_offsets=growing)
    assert columns(joined) == columns(merged)
    for encoding in (joined, merged):
        encoding.pad(20, direction="left")
        encoding.truncate(7, stride=2, direction="left")
    assert columns(joined) == columns(merged)


def repeating(template: str) -> tuple[Any, mm.Tokenizer]:
    single = tokenizers.processors.TemplateProcessing(single=template, special_tokens=[("[S]", 27)])
    both = made(single)
    for tok in both:
        tok.enable_truncation(1 + tok.num_special_tokens_to_add(is_pair=False))
    return both


@pytest.mark.parametrize("template", ["$A $A", "[S] $A:1 [S] $A", "$A $A $A", "$A [S] $A $A $A"])
def test_windows_of_texts_that_a_template_repeats_equal_the_reference(template: str) -> None:
    theirs, ours = repeating(template)

    for text in ("a", "a b", "a b c d"):
        assert columns(theirs.encode(text)) == columns(ours.encode(text))


@pytest.mark.parametrize("times", [8, 40])
def test_windows_that_no_memory_holds_are_refused(times: int) -> None:
    _, ours = repeating(" ".join(["$A"] * times))

    with pytest.raises(mm.LimitError, match="raise max_length") as refused:
        ours.encode("a b c d e f g h")
    assert "overflowing" == refused.value.limit


def test_windows_of_pairs_that_no_memory_holds_are_refused() -> None:
    _, ours = made(None)
    ours.enable_truncation(2)
    windows = ours.encode("a b " * 2000)

    with pytest.raises(mm.LimitError, match="are combined with"):
        ours.encode("a b " * 2000, "a b " * 2000)
    with pytest.raises(mm.LimitError, match="are combined with"):
        mm.Encoding.merge([windows, windows, windows])
    with pytest.raises(mm.LimitError, match="pad to fewer") as refused:
        windows.pad(1 << 20)
    assert "length" == refused.value.limit


def test_a_stride_that_repeats_more_than_memory_holds_is_refused() -> None:
    _, ours = made(None)
    encoding = ours.encode("a b " * 50_000)
    ours.enable_truncation(5000, stride=4999)

    for call in (lambda: ours.encode("a b " * 50_000), lambda: encoding.truncate(5000, 4999)):
        with pytest.raises(mm.LimitError, match="lower stride") as refused:
            call()
        assert "stride" == refused.value.limit
