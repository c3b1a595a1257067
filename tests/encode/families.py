"""The pipelines of known model families as parts of `tokenizer.json`, without a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from encode_helpers import GPT2

Part = dict[str, Any]

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SPACED = BYTES | {"add_prefix_space": True}
RAW_BYTES = BYTES | {"use_regex": False}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
DEEPSEEK = r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+", r"[!-~][A-Za-z]+|\s*[\r\n]+|\s+(?!\S)|\s+"  # noqa: RUF001
CLIP = (
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
)


def _sequence(name: str, *parts: Part) -> Part:
    return {"type": "Sequence", name: list(parts)}


def _split(source: str, behavior: str = "Isolated", *, invert: bool = False) -> Part:
    return {
        "type": "Split",
        "pattern": {"Regex": source},
        "behavior": behavior,
        "invert": invert,
    }


def _replace(source: str, content: str) -> Part:
    return {"type": "Replace", "pattern": {"Regex": source}, "content": content}


@dataclass(frozen=True)
class Family:
    """One family; `single` and `pair` are templates of specials and `$A`, `$B`."""

    trainer: str
    specials: tuple[str, ...]
    pre_tokenizer: Part
    decoder: Part
    normalizer: Part | None = None
    single: str = "$A"
    pair: str = "$A $B:1"
    post_processor: Part | None = None
    model: Part = field(default_factory=dict)
    training: Part = field(default_factory=dict)
    flags: Part = field(default_factory=dict)
    extra: tuple[str, ...] = ()


def _bert(**options: Any) -> Part:
    return {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
    } | options


_WORDPIECE = {"type": "WordPiece", "prefix": "##", "cleanup": True}
_BERT_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_S_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_S_PAIR = "<s> $A </s> </s> $B </s>"
_UNIGRAM = {"unk_token": "<unk>"}
_SPACES = _replace(" {2,}", " ")
_STAMPS = tuple(f"<|{step / 50:.2f}|>" for step in range(1501))

FAMILIES = {
    "t5": Family(
        "UnigramTrainer",
        ("<pad>", "</s>", "<unk>"),
        METASPACE,
        METASPACE,
        _sequence("normalizers", {"type": "NFKC"}, _SPACES),
        "$A </s>",
        "$A </s> $B </s>",
        training=_UNIGRAM,
        extra=tuple(f"<extra_id_{number}>" for number in range(100)),
    ),
    "albert": Family(
        "UnigramTrainer",
        ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
        _sequence("pretokenizers", {"type": "WhitespaceSplit"}, METASPACE),
        METASPACE,
        _sequence(
            "normalizers",
            _replace("``|''", '"'),
            {"type": "NFKD"},
            {"type": "StripAccents"},
            {"type": "Lowercase"},
            _SPACES,
        ),
        "[CLS] $A [SEP]",
        "[CLS] $A [SEP] $B:1 [SEP]:1",
        training=_UNIGRAM,
    ),
    "camembert": Family(
        "UnigramTrainer",
        _S_SPECIALS,
        METASPACE,
        METASPACE,
        {"type": "Nmt"},
        "<s> $A </s>",
        _S_PAIR,
        training=_UNIGRAM,
        flags={"<mask>": {"lstrip": True}},
    ),
    "nllb": Family(
        "UnigramTrainer",
        _S_SPECIALS,
        METASPACE,
        METASPACE,
        {"type": "NFKC"},
        "eng_Latn $A </s>",
        "eng_Latn $A $B </s>",
        training=_UNIGRAM,
        extra=("eng_Latn", "fra_Latn", "zho_Hans"),
        flags={"<mask>": {"lstrip": True}},
    ),
    "mbart": Family(
        "BpeTrainer",
        _S_SPECIALS,
        METASPACE,
        METASPACE,
        {"type": "NFKC"},
        "$A </s> en_XX",
        "$A $B </s> en_XX",
        training=_UNIGRAM,
        extra=("en_XX", "ro_RO"),
        model={"fuse_unk": True},
    ),
    "electra-cased": Family(
        "WordPieceTrainer",
        _BERT_SPECIALS,
        {"type": "BertPreTokenizer"},
        _WORDPIECE,
        _bert(lowercase=False),
        model={"unk_token": "[UNK]"},
        post_processor={"type": "BertProcessing", "sep": "[SEP]", "cls": "[CLS]"},
    ),
    "bert-lowercase": Family(
        "WordPieceTrainer",
        _BERT_SPECIALS,
        {"type": "BertPreTokenizer"},
        _WORDPIECE,
        _bert(lowercase=True),
        "[CLS] $A [SEP]",
        "[CLS] $A [SEP] $B:1 [SEP]:1",
        model={"unk_token": "[UNK]"},
    ),
    "roberta": Family(
        "BpeTrainer",
        _S_SPECIALS,
        SPACED,
        BYTES,
        flags={"<mask>": {"lstrip": True}},
        post_processor={
            "type": "RobertaProcessing",
            "sep": "</s>",
            "cls": "<s>",
            "trim_offsets": True,
            "add_prefix_space": True,
        },
    ),
    "gpt-neox": Family(
        "BpeTrainer",
        ("<|endoftext|>", "<|padding|>"),
        BYTES,
        BYTES,
        {"type": "NFC"},
        post_processor=BYTES,
        extra=tuple(" " * count for count in range(24, 1, -1)),
        flags={" " * count: {"special": False, "normalized": True} for count in range(2, 25)},
    ),
    "starcoder": Family(
        "BpeTrainer",
        ("<|endoftext|>", "<fim_prefix>", "<fim_suffix>"),
        _sequence("pretokenizers", {"type": "Digits", "individual_digits": True}, BYTES),
        BYTES,
    ),
    "bloom": Family(
        "BpeTrainer",
        _S_SPECIALS,
        _sequence("pretokenizers", _split(" ?[^(\\s|[.,!?…。，、।۔،])]+"), RAW_BYTES),  # noqa: RUF001
        BYTES,
        post_processor=BYTES | {"trim_offsets": False},
    ),
    "deepseek-v3": Family(
        "BpeTrainer",
        ("<｜begin▁of▁sentence｜>", "<｜User｜>"),  # noqa: RUF001
        _sequence("pretokenizers", *map(_split, DEEPSEEK), RAW_BYTES),
        BYTES,
        _sequence("normalizers"),
        post_processor=BYTES | {"trim_offsets": False},
    ),
    "whisper": Family(
        "BpeTrainer",
        ("<|endoftext|>", "<|startoftranscript|>", "<|en|>"),
        BYTES,
        BYTES,
        single="<|startoftranscript|> $A <|endoftext|>",
        pair="<|startoftranscript|> $A $B <|endoftext|>",
        extra=_STAMPS,
        flags={stamp: {"special": False} for stamp in _STAMPS},
    ),
    "clip": Family(
        "BpeTrainer",
        ("<|startoftext|>", "<|endoftext|>"),
        _sequence("pretokenizers", _split(CLIP, "Removed", invert=True), RAW_BYTES),
        BYTES,
        _sequence("normalizers", {"type": "NFC"}, _replace(r"\s+", " "), {"type": "Lowercase"}),
        single="<|startoftext|> $A <|endoftext|>",
        pair="<|startoftext|> $A <|endoftext|> <|endoftext|> $B <|endoftext|>",
        model={"unk_token": "<|endoftext|>"},
        training={"end_of_word_suffix": "</w>"},
    ),
    "llama3-like": Family(
        "BpeTrainer",
        ("<|begin_of_text|>", "<|eot_id|>"),
        _sequence("pretokenizers", _split(GPT2), RAW_BYTES),
        BYTES,
        single="<|begin_of_text|> $A",
        pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1",
        model={"ignore_merges": True},
    ),
}
