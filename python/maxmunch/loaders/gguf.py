"""The document of the vocabulary in a GGUF file, for each model of tokens that llama.cpp runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.errors import UnsupportedTokenizerError
from maxmunch.loaders.gguf_file import read_metadata
from maxmunch.loaders.gguf_models import bert, bpe, llama, rwkv, t5
from maxmunch.loaders.gguf_vocabulary import GgufVocabulary, read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["gguf_document", "vocabulary_document"]

_MODELS: dict[str, Callable[[GgufVocabulary], dict[str, Any]]] = {
    "llama": llama,
    "gpt2": bpe,
    "gemma4": bpe,
    "t5": t5,
    "bert": bert,
    "rwkv": rwkv,
}


def gguf_document(path: Path) -> dict[str, Any]:
    """Return the document of a file's vocabulary.

    Raises:
        OSError: The file cannot be read.
        InvalidTokenizerError: It is damaged; `.json_path` is the key or the byte.
        UnsupportedTokenizerError: Its model or pre-tokenizer is not known.
    """
    return vocabulary_document(read_metadata(path))


def vocabulary_document(members: dict[str, Any]) -> dict[str, Any]:
    """Return the document of the metadata of a file; see `gguf_document`."""
    kind = members.get("tokenizer.ggml.model")
    build = _MODELS.get(str(kind))
    if build is None:
        raise UnsupportedTokenizerError(
            f"tokenizer.ggml.model: {kind!r} is not loaded; {', '.join(_MODELS)} are",
            "tokenizer.ggml.model",
        )
    return build(read_vocabulary(members))
