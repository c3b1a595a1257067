"""Small tokenizers, hostile texts, and what to compare between two libraries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

import maxmunch as mm
from maxmunch.components import byte_level_table

if TYPE_CHECKING:
    from collections.abc import Callable

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

HOSTILE = [
    "",
    " ",
    "a",
    "\0",
    "\x00\x01\x1b\x7f\x85\xa0\xad",
    "a\r\nb\r\n\r\n  c",
    "   three  spaces   ",
    "\t\ttabs\t",
    "I'll I'LL we've don't 's",
    "e\u0301 é \u0301 \u0301\u0301 a\u0323\u0307 a\u0307\u0323",
    "가각 \u1100\u1161\u11a8 \u1100\u1161",
    "👨‍👩‍👧‍👦🏳️‍🌈👍🏽 é",
    "العربية \u202eabc\u202c עברית",
    "漢字かな交じり文。「」、",
    "ﬁ ﬀ Ⅷ ² ½ ① ㋿ \u32ff",
    "\u212b \u2126 \ufb1d \u0344 \u0958",
    "\ufeff\u200b\u2060\u180e\u3000\u2028\u2029",
    "\ufffd \U0010ffff \ue000 \u0378",
    "123 1234567 ١٢٣ 12.5e-10",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "ababababababababababababababababababababababababababababababababababababab",
    "!!!???...---===/*/*//\n/\n",
    "https://example.org/a?b=c&d=%20#e",
    "def f(x):\n    return x  # c\n\n\n",
    "ÀÉÎõü ßẞ ıİ ΣΑΣ",
    "İ\u0130i\u0307",
]

_ALPHABET = "ab aabb ée\u0301漢 \n\r\t'.1² 🙂👍\u200d!Ġĉ<x>|s"

texts = st.one_of(
    st.text(st.sampled_from(_ALPHABET), max_size=40),
    st.text(max_size=20),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*HOSTILE, "<x>", " <x> ", "<|end|>", "ab"]), max_size=5).map("".join),
)


def byte_level(text: str) -> str:
    """Return `text` as byte-level files spell it."""
    table = byte_level_table()
    return "".join(table[b] for b in text.encode())


@st.composite
def byte_bpe_models(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a byte-level BPE model: bytes (sometimes not all), and merges of what exists already."""
    symbols = byte_level_table()
    if draw(st.booleans()):
        missing = set(draw(st.lists(st.sampled_from(symbols), max_size=4)))
        symbols = [symbol for symbol in symbols if symbol not in missing]
    vocab = {symbol: i for i, symbol in enumerate(symbols)}
    likely = [s for s in byte_level("abé 漢🙂\n.1") if s in vocab]
    merges: list[list[str]] = []
    for _ in range(draw(st.integers(0, 25))):
        pool = likely + [left + right for left, right in merges]
        pair = [draw(st.sampled_from(pool)), draw(st.sampled_from(pool))]
        merges.append(pair)
        vocab.setdefault("".join(pair), len(vocab))
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": draw(st.booleans()),
        "vocab": vocab,
        "merges": merges,
    }


def byte_level_part(draw: st.DrawFn, **fixed: bool) -> dict[str, Any]:
    """Draw the options of a ByteLevel component."""
    names = ("add_prefix_space", "trim_offsets", "use_regex")
    return {"type": "ByteLevel"} | {n: fixed.get(n, draw(st.booleans())) for n in names}


@st.composite
def splits(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a Split pre-tokenizer."""
    pattern = draw(
        st.sampled_from(
            [
                *({"Regex": source} for source in (GPT2, O200K, r"\s+", "(?=b)", r"\p{N}{1,3}")),
                {"String": " "},
                {"String": "a"},
            ]
        )
    )
    behaviors = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
    return {
        "type": "Split",
        "pattern": pattern,
        "behavior": draw(st.sampled_from(behaviors)),
        "invert": draw(st.booleans()),
    }


def added_token(number: int, content: str, **flags: bool) -> dict[str, Any]:
    """Return an entry of `added_tokens`."""
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": number, "content": content} | {name: flags.get(name, False) for name in names}


@st.composite
def added_tokens(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw added tokens with any flags, some of them twice; none starts with white space.

    Two entries have one normalized form only if they have one content: which one wins is random in
    the reference. Contents that start with white space can make it panic.
    """
    contents = draw(st.lists(st.sampled_from(["<x>", "<|end|>", "ab", "é", "漢", "a b"])))
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return [
        added_token(1000 + i, content, **{name: draw(st.booleans()) for name in names})
        for i, content in enumerate(contents)
    ]


@st.composite
def byte_level_tokenizers(draw: st.DrawFn) -> str:
    """Draw the JSON of a byte-level tokenizer of the GPT-2 family."""
    last = byte_level_part(draw)
    stages = [*draw(st.lists(splits(), max_size=2)), last]
    if draw(st.integers(0, 4)) == 0:
        stages.append(draw(splits()))
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": draw(added_tokens()),
        "normalizer": draw(
            st.sampled_from(
                [
                    None,
                    {"type": "NFC"},
                    {"type": "NFKD"},
                    {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "NFKC"}]},
                ]
            )
        ),
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": stages}
        if len(stages) > 1
        else stages[0],
        "post_processor": draw(st.sampled_from([None, byte_level_part(draw)])),
        "decoder": {"type": "ByteLevel"}
        | dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), True),
        "model": draw(byte_bpe_models()),
    }
    return json.dumps(document, ensure_ascii=False)


COLUMNS = (
    "ids",
    "tokens",
    "offsets",
    "word_ids",
    "type_ids",
    "special_tokens_mask",
    "attention_mask",
    "sequence_ids",
    "n_sequences",
)


def columns(encoding: Any) -> dict[str, Any]:
    """Return everything about an encoding that both libraries have."""
    found = {name: getattr(encoding, name) for name in COLUMNS}
    return {**found, "overflowing": [columns(part) for part in encoding.overflowing]}


def answer(ask: Callable[[], Any]) -> Any:
    """Return what is answered, that it is refused, or that the reference panics."""
    try:
        return ask()
    except mm.InternalError:
        raise
    except Exception:  # noqa: BLE001 (a refusal has any class in the reference)
        return "refused"
    except BaseException as error:
        if "Panic" not in type(error).__name__:
            raise
        return "panic"
