"""How the byte-level vocabularies of GGUF files cut text, by the name in `tokenizer.ggml.pre`."""

from __future__ import annotations

from typing import Any

from maxmunch.errors import UnsupportedTokenizerError
from maxmunch.loaders.patterns import GPT2, LLAMA3, O200K, QWEN2, TEKKEN
from maxmunch.loaders.ranks import byte_level

__all__ = ["IGNORES_MERGES", "pre_tokenizer"]

_CJK = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
_DEEPSEEK3 = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
    r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_PATTERNS: dict[str, list[str]] = {
    "gpt-2": [GPT2],
    "llama-bpe": [LLAMA3],
    "qwen2": [QWEN2],
    "gpt-4o": [O200K],
    "tekken": [TEKKEN],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
    "starcoder": [r"\p{N}", GPT2],
    "deepseek-v3": [r"\p{N}{1,3}", _CJK, _DEEPSEEK3],
}
_SAME = {
    "gpt-2": ("mpt", "olmo", "jais", "phi-2", "trillion", "granite-docling"),
    "llama-bpe": ("llama3", "llama-v3", "dbrx", "smaug-bpe", "chatglm-bpe", "glm4", "falcon3"),
    "qwen2": ("stablelm2", "hunyuan", "megrez", "deepseek-r1-qwen"),
    "gpt-4o": ("llama4",),
    "starcoder": ("refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"),
}
_NAMES = {name: name for name in _PATTERNS} | {
    name: family for family, names in _SAME.items() for name in names
}

IGNORES_MERGES = {"llama-bpe", "llama3", "llama-v3", "falcon3", "tekken"}
"""Where a piece that is a token is that token, whatever the merges say."""


def pre_tokenizer(name: str) -> dict[str, Any]:
    """Return the pre-tokenizer that llama.cpp runs under this name.

    Raises:
        UnsupportedTokenizerError: The name is not known.
    """
    if name not in _NAMES:
        raise UnsupportedTokenizerError(
            f"tokenizer.ggml.pre: {name!r} is not known; known: {', '.join(sorted(_NAMES))}",
            "tokenizer.ggml.pre",
        )
    splits = [
        {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}
        for source in _PATTERNS[_NAMES[name]]
    ]
    return {"type": "Sequence", "pretokenizers": [*splits, byte_level()]}
