"""Freezes what `tokenizers` makes of fixed texts: a small tokenizer for each component and option.

    python tests/vectors/freeze_components.py

No randomness: the same library gives the same bytes.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import tokenizers

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "encode"))

from component_strategies import BEHAVIORS, DECODED, SCHEMES, charsmaps, decoder_tokenizer  # noqa: E402

TEXTS = [
    "",
    " ",
    "  Hey friend!\tHow's  it going?! $5+2 ",
    "▁a▁▁b c",
    "the-final--countdown-",
    "a12 ²½Ⅷ①٣一 9",
    "どこで生れ。Yes カー林檎 Апельсин\u0378x",
    "e\u0301é \u0301a\u20dd\u0903 👩\u200d👩 \U0001f1e6\U0001f1e7 \u1100\u1161가",
    "\0\x01\x1c\x7f\x85\xa0\u200b\u2028\ufeff\ufffd\u3000x",
    "abaab aZZ漢a <unk>Z éa \r\nAﬁ²½",
]
IDS = [[0, 1, 2], [3, 4, 0], [5, 5, 6, 5], [7, 8, 9, 10, 11, 12], list(range(len(set(DECODED))))]
UNKNOWN = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]], "byte_fallback": False}


def pre_tokenizers() -> list[dict[str, Any]]:
    metaspaces = [
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
        for scheme, split in itertools.product(SCHEMES, [True, False])
    ]
    return [
        *({"type": kind} for kind in ("BertPreTokenizer", "UnicodeScripts")),
        *({"type": kind} for kind in ("Whitespace", "WhitespaceSplit")),
        {"type": "CharDelimiterSplit", "delimiter": " "},
        *({"type": "Digits", "individual_digits": flag} for flag in (True, False)),
        *({"type": "FixedLength", "length": length} for length in (1, 4)),
        *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
        *(
            {
                "type": "Split",
                "pattern": {"Regex": "-|a"},
                "behavior": behavior,
                "invert": invert,
            }
            for behavior, invert in itertools.product(BEHAVIORS, [True, False])
        ),
        *metaspaces,
        *(
            {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}
            for metaspace in metaspaces
        ),
    ]


def models() -> list[dict[str, Any]]:
    tokens = ["[UNK]", "a", "ab", "##a", "##b", "b", "aba", "▁", "e", "\u0301", "ZZ", "aZZ", "aab"]
    vocab = {token: number for number, token in enumerate(tokens)}
    scores = [[token, -number / 4] for number, token in enumerate(tokens)]
    byte_tokens = [[f"<0x{byte:02X}>", -20.0] for byte in (0x5A, 0xC3, 0xA9)]
    return [
        {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"},
        *(
            {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": prefix,
                "max_input_chars_per_word": limit,
                "vocab": vocab,
            }
            for prefix, limit in (("##", 100), ("", 3))
        ),
        {"type": "Unigram", "unk_id": 0, "vocab": scores, "byte_fallback": False},
        {"type": "Unigram", "unk_id": 0, "vocab": scores + byte_tokens, "byte_fallback": True},
        {"type": "Unigram", "unk_id": 1, "vocab": [*scores, ["ab", 9.0]], "byte_fallback": False},
    ]


def post_processors() -> list[dict[str, Any]]:
    ends = {"sep": ["S", 70], "cls": ["C", 71]}
    return [
        {"type": "BertProcessing", **ends},
        *(
            {"type": "RobertaProcessing", **ends, "trim_offsets": t, "add_prefix_space": a}
            for t, a in itertools.product([True, False], repeat=2)
        ),
    ]


def decoders() -> list[dict[str, Any]]:
    return [
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "ByteFallback"},
        {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "x", "cleanup": True},
        {"type": "CTC", "pad_token": "a", "word_delimiter_token": " ", "cleanup": False},
        {"type": "Fuse"},
        *(
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": True}
            for scheme in SCHEMES
        ),
        {"type": "Replace", "pattern": {"Regex": "(a)+"}, "content": "$1"},
        {"type": "Replace", "pattern": {"String": ""}, "content": "-"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        *({"type": "WordPiece", "prefix": "##", "cleanup": flag} for flag in (True, False)),
        {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
    ]


def document(**parts: Any) -> dict[str, Any]:
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        **dict.fromkeys(names),
        "model": UNKNOWN,
        **parts,
    }


def answers(content: dict[str, Any]) -> dict[str, Any]:
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    singles = [tokenizer.encode(text) for text in TEXTS]
    pairs = [tokenizer.encode(left, right) for left, right in itertools.pairwise(TEXTS)]
    return {
        "written": tokenizer.to_str(),
        "encodings": [
            [e.ids, e.tokens, [n for o in e.offsets for n in o], e.word_ids, e.type_ids]
            for e in singles + (pairs if content["post_processor"] else [])
        ],
    }


def main() -> None:
    normalizers = [
        {"type": "Nmt"},
        *({"type": "Precompiled", "precompiled_charsmap": text} for text in charsmaps()[1:2]),
    ]
    whitespace = {"type": "WhitespaceSplit"}
    contents = [
        *(document(pre_tokenizer=part) for part in pre_tokenizers()),
        *(document(model=part, pre_tokenizer=whitespace) for part in models()),
        *(document(post_processor=part, pre_tokenizer=whitespace) for part in post_processors()),
        *(document(normalizer=part) for part in normalizers),
    ]
    decoded = []
    for part in decoders():
        tokenizer = tokenizers.Tokenizer.from_str(decoder_tokenizer(part))
        decoded.append({"decoder": part, "decoded": [tokenizer.decode(ids) for ids in IDS]})
    frozen = {
        "provenance": {
            "source": "fixed texts and options, listed in the script",
            "library": "tokenizers",
            "version": tokenizers.__version__,
            "script": "tests/vectors/freeze_components.py",
        },
        "texts": TEXTS,
        "ids": IDS,
        "records": [answers(content) for content in contents],
        "decoders": decoded,
    }
    text = json.dumps(frozen, ensure_ascii=True, separators=(",", ":"))
    text = text.replace('{"written"', '\n{"written"').replace('{"decoder"', '\n{"decoder"')
    (HERE / "components.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
