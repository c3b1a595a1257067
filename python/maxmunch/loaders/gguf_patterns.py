r"""How llama.cpp cuts text for byte-pair vocabularies, by the name in `tokenizer.ggml.pre`.

The patterns say what llama.cpp does, which is not always what the tokenizer of the model did: its
expressions know only whole categories, so that `\p{Lu}` is any letter, and runs of letters in the
newer families hold no marks. White space counts as such before any list of characters does.
"""

from __future__ import annotations

from typing import Any

from maxmunch.errors import UnsupportedTokenizerError
from maxmunch.loaders.patterns import GPT2
from maxmunch.loaders.ranks import byte_level

__all__ = ["IGNORES_MERGES", "pre_tokenizer"]

_CONTRACTIONS = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_LEAD = r"[^\r\n\p{L}\p{N}]?"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"

_NEWLINES = r"[^\n]+|[\n]+"


def _words(letters: str = rf"{_LEAD}\p{{L}}+", digits: str = r"\p{N}", signs: str = _SIGNS) -> str:
    return rf"{_CONTRACTIONS}|{letters}|{digits}|{signs}|{_SPACES}"


def _cased(letters: str, digits: str, contractions: str) -> str:
    """Return words that end where capitals of ASCII follow small letters of ASCII."""
    upper, lower = f"[{letters}&&[^a-z]]", f"[{letters}&&[^A-Z]]"
    start = rf"{_LEAD}{upper}*{lower}+{contractions}|{_LEAD}{upper}+{lower}*{contractions}"
    return rf"{start}|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"


_THREE = r"\p{N}{1,3}"
_LLAMA3, _QWEN2 = _words(digits=_THREE), _words()
_MARKED = rf"{_LEAD}[\p{{L}}\p{{M}}]+"
_SLASHED = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
_JAIS2_SPACES = "|".join(rf"\s{{{count}}}(?!\S)" for count in (512, 256, 128, 64, 32, 16, 8, 4))

_KANA = r"\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff"
_HAN = (
    r"\u4e00-\u9fff\u3400-\u4dbf\x{20000}-\x{2a6df}\x{2a700}-\x{2b73f}\x{2b740}-\x{2b81f}"
    r"\x{2b820}-\x{2ceaf}\x{2ceb0}-\x{2ebef}\uf900-\ufaff\x{2f800}-\x{2fa1f}"
)
_KIMI_LETTERS = rf"[\p{{L}}&&[^{_HAN}]]"
_WIDE = (
    r"\u0800-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
    r"\u3001-\u9fa5\uac00-\ud7ff"
)
_ASIAN = (
    r"\u4e00-\u9fff\u3400-\u4dbf\u8c48-\ud7ff\ue000-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f"
    r"\u2f00-\u2fdf\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff"
    r"\uac00-\ud7af\u1100-\u11ff"
)
_CASED_LETTERS = (
    r"A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af"
    r"\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1"
    r"\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd"
    r"\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d"
    r"\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4"
    r"\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec"
    r"\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128"
    r"\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b"
    r"\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787"
    r"\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a"
    r"\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb}\x{10c80}-\x{10cb2}"
    r"\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df}\x{1e900}-\x{1e943}"
)
_ASCII_SIGNS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
_DEEPSEEK3_WORDS = rf"{_ASCII_SIGNS}|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
_DEEPSEEK3_LAST = rf"{_DEEPSEEK3_WORDS}| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACES}"
_THREES_FROM_THE_RIGHT = r"\P{N}*\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
_SENTENCES = r" ?[^(\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"

_PATTERNS: dict[str, list[str]] = {
    "afmoe": [_THREES_FROM_THE_RIGHT, f"[{_ASIAN}]+", _DEEPSEEK3_LAST],
    "bailingmoe": [
        r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|"
        rf"{_LEAD}\p{{L}}+|\p{{N}}|{_SIGNS}|\s*[\r\n]|\s+(?!\S)|\s+"
    ],
    "bloom": [_SENTENCES],
    "chameleon": [
        "<sentinel:[0-9]+>",
        "(?:IMGIMG)(?:[A-I]{1,4})Z",
        r"[\t\n]|    |  ",
        r"\p{N}",
        r"[\p{P}!-/:-@\[-`{-~]",
        GPT2,
    ],
    "deepseek-coder": ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", f"[{_WIDE}]+", r"\p{N}"],
    "deepseek-llm": [
        "[\r\n]",
        rf"\s?[{_CASED_LETTERS}]+",
        r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3001\u3002]+",
        r"\s+\z",
        f"[{_WIDE}]+",
        r"\p{N}+",
    ],
    "deepseek-v3": [_THREE, f"[{_KANA}]+", _DEEPSEEK3_LAST],
    "default": [r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"],
    "exaone-moe": [
        _words(
            rf"{_LEAD}(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+",
            signs=r" ?[^\s\p{L}\p{N}]+[\r\n/]?",
        ).replace(r"\s*[\r\n]+", r"\s*[\r\n]")
    ],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
    "gemma4": [_NEWLINES],
    "gpt-2": [GPT2],
    "gpt-4o": [_cased(r"\p{L}", _THREE, f"{_CONTRACTIONS}?")],
    "granite-embed-multi-97m": [_cased(r"\p{L}\p{M}", _THREE, f"{_CONTRACTIONS}?")],
    "jais-2": [
        _LLAMA3.removesuffix(r"\s+(?!\S)|\s+") + _JAIS2_SPACES + r"|\s{1,2}(?!\S)|\s",
    ],
    "kimi-k2": [
        rf"[{_HAN}]+|{_LEAD}{_KIMI_LETTERS}+{_CONTRACTIONS}?|{_THREE}|{_SIGNS}|{_SPACES}",
    ],
    "laguna": [_NEWLINES, _QWEN2],
    "llama-bpe": [_LLAMA3],
    "minicpm5": [_THREE, _words(digits=r"\p{N}+")],
    "qwen2": [_QWEN2],
    "qwen35": [_words(_MARKED, signs=r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*")],
    "seed-coder": [_words(signs=r" ?[^\s\p{L}\p{N}\r\n]+")],
    "spark2_5": [
        _THREE,
        f"[{_KANA}]+",
        rf"{_DEEPSEEK3_WORDS}| ?[\p{{P}}\p{{S}}]+|[\r\n]|\s+(?!\S)|\s+",
        r"\p{N}",
    ],
    "starcoder": [r"\p{N}", GPT2],
    "superbpe": [r"\p{N}+", r"(?=(?:[0-9]{3})+(?![0-9]))"],
    "tekken": [_cased(r"\p{L}", r"\p{N}", "")],
    "tiny_aya": [
        _THREES_FROM_THE_RIGHT,
        rf"{_MARKED}{_CONTRACTIONS}?|{_THREE}|{_SLASHED}|{_SPACES}",
    ],
    "ufakzeka": [_QWEN2.removeprefix(f"{_CONTRACTIONS}|")],
    "viking": [_SENTENCES, r"\p{N}"],
    "youtu": [
        r"[\uac00-\ud7a3\u3131-\u318e]+|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b"
        rf"\uff0c\u3001-\u303f\ufe30-\ufe4f]+|[\u3105-\u312f]+|[{_KANA}]+",
        rf"{_MARKED}{_CONTRACTIONS}?|\p{{N}}|{_SLASHED}|{_SPACES}",
    ],
}
_SAME = {
    "bailingmoe": ("bailingmoe2", "llada-moe"),
    "bloom": ("poro-chat", "gpt3-finnish"),
    "deepseek-v3": ("hunyuan-dense", "hy_v4", "joyai-llm"),
    "gemma4": ("granite-embed-multi-311m", "sarvam-moe"),
    "gpt-2": (
        "mpt", "olmo", "jais", "phi-2", "trillion", "granite-docling", "jina-es", "jina-de",
        "gigachat", "jina-v2-es", "jina-v2-de", "a.x-4.0", "mellum", "modern-bert", "jina-v1-en",
        "jina-v2-code", "roberta-bpe", "exaone4",
    ),
    "gpt-4o": ("llama4", "kanana2", "talkie", "minimax-m2"),
    "llama-bpe": (
        "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano",
        "dbrx", "smaug-bpe", "chatglm-bpe", "glm4", "glm5",
    ),
    "qwen2": (
        "deepseek-r1-qwen", "kormo", "f2llmv2", "stablelm2", "hunyuan", "megrez", "solar-open",
        "grok-2",
    ),
    "starcoder": (
        "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2",
    ),
    "tiny_aya": ("cohere2moe",),
}  # fmt: skip
_NAMES = {name: name for name in _PATTERNS} | {
    name: family for family, names in _SAME.items() for name in names
}

IGNORES_MERGES = {
    "llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
    "jina-v5-nano", "minicpm5", "youtu", "glm4", "glm5", "tekken", "granite-embed-multi-97m",
}  # fmt: skip
"""Where a piece that is a token is that token, whatever the merges say."""


def pre_tokenizer(name: str, *, in_bytes: bool = True) -> dict[str, Any]:
    """Return the pre-tokenizer that llama.cpp runs under this name.

    Args:
        name: As in the file; "" is "default".
        in_bytes: Whether its last part writes bytes as characters.

    Raises:
        UnsupportedTokenizerError: The name is not known.
    """
    name = name or "default"
    if name not in _NAMES:
        raise UnsupportedTokenizerError(
            f"tokenizer.ggml.pre: {name!r} is not known; known: {', '.join(sorted(_NAMES))}",
            "tokenizer.ggml.pre",
        )
    parts: list[dict[str, Any]] = [
        {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}
        for source in _PATTERNS[_NAMES[name]]
    ]
    return {"type": "Sequence", "pretokenizers": [*parts, byte_level()] if in_bytes else parts}
