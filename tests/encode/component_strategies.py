"""Hypothesis strategies for the components of tokenizer.json: every type, every option."""

from __future__ import annotations

import functools
import json
from typing import Any

from charsmap_builder import charsmap
from encode_helpers import HOSTILE, added_tokens
from hypothesis import strategies as st

Part = dict[str, Any]

BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
SCHEMES = ["always", "first", "never"]
ALPHABET = (
    " \t\n\r\x0b\x85\xa0\u3000abAB019²½Ⅷ①٣\u4e00\u6f22\u5b57\u304b\u30ab\u30fc\u3002\u3001.,;"
    ":!?'\"$+<~\u20ac\xa2\xab\u2581\u2581_-\u2010\u200b\u200d\ufeff\u0301\u20dd\u0903éñßİΣς"
    "\ufb01\uac00가\U0001f600\U0001f1e6\x00\x01\x1c\x7f\ufffd\ue000न\u093fำ\u166d\u0589"
)
texts = st.one_of(
    st.text(st.sampled_from(ALPHABET), max_size=16),
    st.text(max_size=12),
    st.sampled_from(HOSTILE),
)
booleans = st.booleans()


def part(kind: str, **options: st.SearchStrategy[Any]) -> st.SearchStrategy[Part]:
    """Draw a component of one type."""
    return st.fixed_dictionaries({"type": st.just(kind), **options})


def sequences(name: str, parts: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    """Draw a `Sequence` whose members are under `name`."""
    return part("Sequence", **{name: st.lists(parts, max_size=3)})


patterns = st.one_of(
    st.builds(lambda text: {"String": text}, st.sampled_from([" ", "a", "▁", "ab", "", "漢"])),
    st.builds(
        lambda source: {"Regex": source},
        st.sampled_from([r"\s+", r"\d", "(?=a)", "", r"\w+|[^\w\s]+", "(a)|b", "$", "^"]),
    ),
)
byte_levels = part(
    "ByteLevel", add_prefix_space=booleans, trim_offsets=booleans, use_regex=booleans
)
metaspaces = part(
    "Metaspace",
    replacement=st.sampled_from("▁▁_a"),
    prepend_scheme=st.sampled_from(SCHEMES),
    split=booleans,
)
simple_pre_tokenizers = st.one_of(
    part("BertPreTokenizer"),
    byte_levels,
    part("CharDelimiterSplit", delimiter=st.sampled_from(" a▁漢-")),
    part("Digits", individual_digits=booleans),
    part("FixedLength", length=st.integers(1, 5)),
    metaspaces,
    part("Punctuation", behavior=st.sampled_from(BEHAVIORS)),
    part("Split", pattern=patterns, behavior=st.sampled_from(BEHAVIORS), invert=booleans),
    part("UnicodeScripts"),
    part("Whitespace"),
    part("WhitespaceSplit"),
)
pre_tokenizers = st.one_of(simple_pre_tokenizers, sequences("pretokenizers", simple_pre_tokenizers))

# `Strip` takes from one end only: where a token is too short for both, the reference panics.
simple_decoders = st.one_of(
    part("BPEDecoder", suffix=st.sampled_from(["</w>", "a", "", "▁"])),
    part("ByteFallback"),
    byte_levels,
    part(
        "CTC",
        pad_token=st.sampled_from(["<pad>", "a", ""]),
        word_delimiter_token=st.sampled_from(["|", " ", "b"]),
        cleanup=booleans,
    ),
    part("Fuse"),
    metaspaces,
    part("Replace", pattern=patterns, content=st.sampled_from(["", " ", "$1", "é"])),
    part("Strip", content=st.sampled_from(" a▁é"), start=st.integers(0, 2), stop=st.just(0)),
    part("WordPiece", prefix=st.sampled_from(["##", "", "a"]), cleanup=booleans),
)
decoders = st.one_of(simple_decoders, sequences("decoders", simple_decoders))
# fmt: off
DECODED = [
    "<0xE6>", "<0xBC>", "<0xA2>", "<0x+F>", "<0x\xe9>", "a", "b", "\u2581a", "\u2581",
    "\u2581\u2581b", "##c", "##", "d</w>", "</w>", " .", ".", "'", "n't", " n't", "do not",
    " do not", "\xe9", "\u0120a", "\u0120", "\xe6", "<pad>", "x y", " a ", "aab", "#", "_x",
    "\u6f22", "\n", "e\u0301", " ' ", "'s", " 's", "", "", "",
]
# fmt: on


@functools.cache
def charsmaps() -> list[str]:
    """Return maps that shorten, lengthen, delete, and hold keys that are prefixes of others."""
    return [
        charsmap(mapping)
        for mapping in (
            {"a": "b"},
            {"a": "", "é": "e", "e\u0301": "é", "ab": "Q", "漢": "han zi", "\r\n": " "},
            {" ": "  ", "e": "xy", "\u0301": "", "ﬁ": "fi", "\u1100\u1161": "가", "😀": ":)"},
            {"\n": " ", "\r": "", "A": "", "²": "2", "½": "1/2", "\u200d": ""},
        )
    ]


simple_normalizers = st.one_of(
    *(part(form) for form in ("NFC", "NFD", "NFKC", "NFKD")),
    part("Nmt"),
    part("Precompiled", precompiled_charsmap=st.deferred(lambda: st.sampled_from(charsmaps()))),
)
normalizers = st.one_of(st.none(), simple_normalizers, sequences("normalizers", simple_normalizers))
post_processors = st.one_of(
    st.none(),
    byte_levels,
    part("BertProcessing", sep=st.just(["S", 70]), cls=st.just(["C", 71])),
    part(
        "RobertaProcessing",
        sep=st.just(["S", 70]),
        cls=st.just(["C", 71]),
        trim_offsets=booleans,
        add_prefix_space=booleans,
    ),
)

_TOKENS = [
    "a",
    "b",
    "A",
    "0",
    "1",
    "漢",
    "▁",
    "é",
    " ",
    "ab",
    "▁a",
    "aa",
    "##a",
    "##b",
    "ba",
    "e\u0301",
]
_UNKNOWN = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]], "byte_fallback": False}
"""A model that makes each piece one token whose text is the piece."""


@st.composite
def models(draw: st.DrawFn) -> Part:
    """Draw a model other than BPE."""
    tokens = ["[UNK]", *draw(st.lists(st.sampled_from(_TOKENS), unique=True))]
    vocab = {token: number for number, token in enumerate(tokens)}
    kind = draw(st.sampled_from(["none", "WordLevel", "WordPiece", "Unigram"]))
    if kind == "WordLevel":
        return {"type": kind, "vocab": vocab, "unk_token": "[UNK]"}
    if kind == "WordPiece":
        return {
            "type": kind,
            "unk_token": "[UNK]",
            "continuing_subword_prefix": draw(st.sampled_from(["##", "", "a"])),
            "max_input_chars_per_word": draw(st.sampled_from([3, 5, 100])),
            "vocab": vocab,
        }
    if kind == "Unigram":
        fallback = draw(st.sampled_from([[], range(256), [0x20, 0xC3, 0xA9, 0xE6]]))
        tokens += [f"<0x{byte:02X}>" for byte in fallback]
        scores = st.sampled_from([0.0, -1.0, -2.5, -7.25, 1.5, -0.1])
        return {
            "type": kind,
            "unk_id": draw(st.sampled_from([0, 0, len(tokens) - 1])),
            "vocab": [[token, draw(scores)] for token in tokens],
            "byte_fallback": draw(booleans),
        }
    return _UNKNOWN


@st.composite
def component_tokenizers(draw: st.DrawFn) -> str:
    """Draw the JSON of a tokenizer of any components, BPE aside."""
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": draw(st.one_of(st.just([]), added_tokens())),
            "normalizer": draw(normalizers),
            "pre_tokenizer": draw(st.one_of(st.none(), pre_tokenizers)),
            "post_processor": draw(post_processors),
            "decoder": draw(st.one_of(st.none(), decoders)),
            "model": draw(models()),
        }
    )


def decoder_tokenizer(decoder: Part | None) -> str:
    """Return the JSON of a tokenizer that decodes ids as the tokens of `DECODED`."""
    vocab = {token: number for number, token in enumerate(dict.fromkeys(DECODED))}
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": None,
            "post_processor": None,
            "decoder": decoder,
            "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "a"},
        }
    )
