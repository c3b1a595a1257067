"""Tokenizers and encodings that are changed call by call, against `tokenizers`."""

from __future__ import annotations

import functools
import json
import pickle
from typing import Any

from encode_helpers import columns
from hypothesis import given
from hypothesis import strategies as st
from pipeline_strategies import (
    CONTENTS,
    FLAGS,
    every_normalizer,
    models,
    pipelines,
    simple_post_processors,
    texts,
)
from test_pipelines_differential import PANIC, REFUSED, agree, everything, outcome, tokenizers

import maxmunch as mm

Step = tuple[Any, ...]
SECTIONS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
# No prefix of subwords: loading what is saved then may end the process in the reference.
OPTIONS: dict[str, list[tuple[str, Any]]] = {
    "normalizer": [
        ("lowercase", True),
        ("strip_accents", True),
        ("clean_text", False),
        ("handle_chinese_chars", True),
        ("content", "q"),
        ("prepend", "z"),
        ("left", False),
        ("right", True),
    ],
    "pre_tokenizer": [
        ("add_prefix_space", True),
        ("use_regex", False),
        ("individual_digits", True),
        ("behavior", "isolated"),
        ("behavior", "merged_with_next"),
        ("invert", True),
        ("replacement", "é"),
        ("prepend_scheme", "first"),
        ("split", False),
        ("length", 2),
        ("delimiter", "b"),
    ],
    "post_processor": [
        ("trim_offsets", True),
        ("add_prefix_space", False),
        ("sep", ("S", 5)),
        ("cls", ("C", 6)),
        ("single", "$A [S]"),
    ],
    "decoder": [
        ("prefix", "a"),
        ("cleanup", False),
        ("suffix", "b"),
        ("pad_token", "b"),
        ("word_delimiter_token", "a"),
        ("content", "b"),
        ("start", 1),
        ("replacement", "a"),
        ("prepend_scheme", "never"),
        ("split", False),
    ],
    "model": [
        ("unk_token", "a"),
        ("unk_token", "<unk>"),
        ("fuse_unk", True),
        ("byte_fallback", True),
        ("ignore_merges", True),
        ("end_of_word_suffix", "b"),
        ("max_input_chars_per_word", 2),
        ("dropout", None),
    ],
}
_ROUND = {"version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
_NEW = {"normalizer": every_normalizer, "post_processor": simple_post_processors, "model": models}

numbers = st.integers(0, 12)
sides = st.sampled_from(["left", "right"])


def some_of(**options: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=options)


paddings = some_of(
    direction=sides,
    pad_id=st.integers(0, 4),
    pad_type_id=st.integers(0, 2),
    pad_token=st.sampled_from(["[PAD]", "a", ""]),
)
added = st.tuples(
    st.sampled_from(CONTENTS), st.none() | some_of(**dict.fromkeys(FLAGS, st.booleans()))
)
settings_in_place = st.one_of(
    *(
        st.tuples(st.just("option"), st.just(section), st.sampled_from(options))
        for section, options in OPTIONS.items()
    ),
    st.tuples(st.just("add"), st.lists(added, min_size=1, max_size=2), st.booleans()),
    st.tuples(st.just("special"), st.booleans()),
    st.tuples(
        st.just("truncate"),
        numbers,
        st.integers(0, 2),
        st.sampled_from(["longest_first", "only_first", "only_second"]),
        sides,
    ),
    st.tuples(
        st.just("pad"),
        st.tuples(
            paddings,
            some_of(
                length=st.sampled_from([None, 0, 7]),
                pad_to_multiple_of=st.sampled_from([None, 0, 1, 4]),
            ),
        ).map(lambda both: both[0] | both[1]),
    ),
    st.sampled_from([("no_truncation",), ("no_padding",), ("pickle",), ("load",)]),
    *(st.tuples(st.just("set"), st.just(name), parts) for name, parts in _NEW.items()),
)


def set_option(tok: Any, section: str, option: str, value: Any) -> None:
    part = getattr(tok, section)
    if part is None or not hasattr(part, option):
        return
    setattr(part, option, value)
    if hasattr(part, "_clear_cache"):
        # The reference goes on with what it remembers of words that it has seen.
        part._clear_cache()


def copied(library: Any, tok: Any, name: str) -> Any:
    """Return the tokenizer once it was pickled, or written and loaded."""
    as_text = tok.encode_special_tokens
    again = (
        pickle.loads(pickle.dumps(tok))  # noqa: S301 (our own)
        if name == "pickle"
        else library.Tokenizer.from_str(tok.to_str())
    )
    again.encode_special_tokens = as_text
    return again


def change(library: Any, tok: Any, step: Step) -> Any:
    """Change a tokenizer by one call; return the tokenizer to go on with."""
    name, *rest = step
    if name in ("pickle", "load"):
        return copied(library, tok, name)
    if name == "option":
        set_option(tok, rest[0], *rest[1])
    elif name == "add":
        entries = [c if flags is None else library.AddedToken(c, **flags) for c, flags in rest[0]]
        (tok.add_special_tokens if rest[1] else tok.add_tokens)(entries)
    elif name == "special":
        tok.encode_special_tokens = rest[0]
    elif name == "truncate":
        # A stride as long as the room is refused by ours, and panics later in the reference.
        if rest[1] == 0 or rest[0] - tok.num_special_tokens_to_add(False) > rest[1]:
            tok.enable_truncation(rest[0], stride=rest[1], strategy=rest[2], direction=rest[3])
    elif name == "pad":
        tok.enable_padding(**rest[0])
    elif name == "set":
        other = library.Tokenizer.from_str(json.dumps({**_ROUND, rest[0]: rest[1]}))
        setattr(tok, rest[0], getattr(other, rest[0]))
    else:
        getattr(tok, name)()
    return tok


def told(tok: Any, *, text: str, pair: str | None, special: bool) -> Any:
    """Return what a tokenizer says of itself, and of a text."""
    encoding = tok.encode(text, pair, False, special)
    parts = [repr(getattr(tok, section)) for section in SECTIONS]
    return everything(encoding), tok.truncation, tok.padding, parts, tok.to_str()


@given(
    document=pipelines(),
    steps=st.lists(settings_in_place, min_size=1, max_size=5),
    sample=st.lists(st.tuples(texts, st.none() | texts, st.booleans()), min_size=1, max_size=2),
)
def test_settings_in_place_act_as_in_the_reference(
    *, document: str, steps: list[Step], sample: list[tuple[str, str | None, bool]]
) -> None:
    theirs = outcome(lambda: tokenizers.Tokenizer.from_str(document))
    if theirs in (PANIC, REFUSED):
        return
    ours = mm.Tokenizer.from_str(document)
    for step in steps:
        expected = outcome(lambda t=theirs, s=step: change(tokenizers, t, s))
        found = outcome(lambda t=ours, s=step: change(mm, t, s))
        assert found != PANIC
        if expected == PANIC:
            return
        assert (expected == REFUSED) == (found == REFUSED)
        if expected != REFUSED:
            theirs, ours = expected, found
        for text, pair, special in sample:
            call = functools.partial(told, text=text, pair=pair, special=special)
            if agree(ours, theirs, call) == PANIC:
                return


encoding_steps = st.one_of(
    st.tuples(st.just("pad"), numbers, paddings),
    st.tuples(st.just("truncate"), st.integers(0, 6), st.integers(0, 2), sides),
    st.tuples(st.just("set_sequence_id"), st.integers(0, 2)),
    st.tuples(st.just("merge"), st.booleans(), st.booleans()),
    st.tuples(st.just("overflowing"), st.integers(0, 4)),
    st.just(("pickle",)),
)


def worked(library: Any, encoding: Any, steps: list[Step]) -> list[Any]:
    """Apply the steps to an encoding; return all that it tells after each of them."""
    seen: list[Any] = []
    tell = everything
    for name, *rest in steps:
        if name == "pad":
            encoding.pad(rest[0], **rest[1])
        elif name == "merge":
            # The windows of all combinations overflow: few enough of them to look at.
            if len(encoding.overflowing) < 6:
                encodings = [encoding, encoding] if rest[0] else [encoding]
                encoding = library.Encoding.merge(encodings, rest[1])
        elif name == "overflowing":
            windows = encoding.overflowing
            encoding = windows[rest[0] % len(windows)] if windows else encoding
        elif name == "pickle":
            encoding = pickle.loads(pickle.dumps(encoding))  # noqa: S301 (our own)
        else:
            getattr(encoding, name)(*rest)
        if name == "set_sequence_id":
            # Tokens of two sequences at once: which one look-ups give is random in the reference.
            tell = columns
        seen.append((tell(encoding), repr(encoding), len(encoding)))
    return seen


@given(
    document=pipelines(),
    text=texts,
    pair=st.none() | texts,
    special=st.booleans(),
    steps=st.lists(encoding_steps, min_size=1, max_size=4),
)
def test_encodings_are_changed_as_in_the_reference(
    *, document: str, text: str, pair: str | None, special: bool, steps: list[Step]
) -> None:
    theirs = outcome(lambda: tokenizers.Tokenizer.from_str(document))
    if theirs in (PANIC, REFUSED):
        return
    ours = mm.Tokenizer.from_str(document)

    def call(tok: Any) -> Any:
        library = mm if isinstance(tok, mm.Tokenizer) else tokenizers
        return worked(library, tok.encode(text, pair, False, special), steps)

    agree(ours, theirs, call)
