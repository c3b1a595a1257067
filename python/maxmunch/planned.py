"""What the interface has and this version does not do yet: asked for, it says so by name."""

from __future__ import annotations

from typing import Any

from maxmunch.errors import UnsupportedTokenizerError

__all__ = ["PlannedCalls"]

_CALLS = {
    "explain": "compare encode(text).tokens and .offsets",
    "truncate_text": "use encode and its offsets",
}


def _refuse(call: str) -> UnsupportedTokenizerError:
    message = f"{call} is not available in this version; convert the file to tokenizer.json first"
    return UnsupportedTokenizerError(message)


class PlannedCalls:
    """Names the remedy when a call of a later version is asked for."""

    @classmethod
    def from_tiktoken(cls, *_arguments: Any, **_options: Any) -> Any:
        """Not available in this version: raises UnsupportedTokenizerError."""
        raise _refuse("from_tiktoken")

    @classmethod
    def from_sentencepiece(cls, *_arguments: Any, **_options: Any) -> Any:
        """Not available in this version: raises UnsupportedTokenizerError."""
        raise _refuse("from_sentencepiece")

    @classmethod
    def from_gguf(cls, *_arguments: Any, **_options: Any) -> Any:
        """Not available in this version: raises UnsupportedTokenizerError."""
        raise _refuse("from_gguf")

    def __getattr__(self, name: str) -> Any:
        kind = type(self).__name__
        if name in _CALLS:
            message = f"{kind}.{name} is not available in this version; {_CALLS[name]}"
            raise AttributeError(message, name=name, obj=self)
        raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)
