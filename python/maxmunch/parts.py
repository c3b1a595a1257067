"""The components of a tokenizer as properties."""

from __future__ import annotations

from typing import Any

from maxmunch import decoders, models, normalizers, pre_tokenizers, processors
from maxmunch.errors import UnsupportedTokenizerError
from maxmunch.state import TokenizerState

__all__ = ["HasParts"]


def _section(name: str, base: type[Any]) -> property:
    """Make the property of a component: reading gives a copy, assigning makes a new core."""

    def read(self: TokenizerState) -> Any:
        found = self._part(name)
        return None if found is None else base.from_dict(found)

    def write(self: TokenizerState, value: Any) -> None:
        if value is not None and not isinstance(value, base):
            raise UnsupportedTokenizerError(
                f"{name}: {type(value).__name__} is no component of maxmunch; use one of "
                f"{base.__module__}",
                name,
            )
        self._set_part(name, None if value is None else value.to_dict())

    return property(read, write, doc=f"The {name.replace('_', '-')}, or None.")


class HasParts(TokenizerState):
    """The components of a tokenizer. Reading one gives a copy, assigning one makes a new core."""

    normalizer = _section("normalizer", normalizers.Normalizer)
    pre_tokenizer = _section("pre_tokenizer", pre_tokenizers.PreTokenizer)
    post_processor = _section("post_processor", processors.PostProcessor)
    decoder = _section("decoder", decoders.Decoder)
    model = _section("model", models.Model)
