"""The components of a tokenizer as properties."""

from __future__ import annotations

from typing import Any

from maxmunch import decoders, models, normalizers, pre_tokenizers, processors
from maxmunch.state import TokenizerState

__all__ = ["HasParts"]


def _section(name: str, base: type[Any]) -> property:
    """Make the property of a component: changing what is read, or assigning, makes a new core."""

    def read(self: TokenizerState) -> Any:
        if name not in self._components:
            found = self._part(name)
            if found is None:
                return None
            self._adopt(name, base.from_dict(found))
        return self._components[name]

    def write(self: TokenizerState, value: Any) -> None:
        if value is not None and not isinstance(value, base):
            raise TypeError(
                f"{name}: {type(value).__name__} given where a component of {base.__module__}, or "
                "None, is expected"
            )
        self._set_component(name, value)

    return property(read, write, doc=f"The {name.replace('_', '-')}, or None.")


class HasParts(TokenizerState):
    """The components of a tokenizer.

    What is read is the component itself: setting one of its options changes the tokenizer, for the
    calls that follow.
    """

    normalizer = _section("normalizer", normalizers.Normalizer)
    pre_tokenizer = _section("pre_tokenizer", pre_tokenizers.PreTokenizer)
    post_processor = _section("post_processor", processors.PostProcessor)
    decoder = _section("decoder", decoders.Decoder)

    @property
    def model(self) -> models.Model:
        """The model."""
        if "model" not in self._components:
            self._adopt("model", models.Model.from_core(self._core.model()))
        found = self._components["model"]
        assert isinstance(found, models.Model)
        return found

    @model.setter
    def model(self, value: models.Model) -> None:
        if not isinstance(value, models.Model):
            raise TypeError(
                f"model: {type(value).__name__} given where a model of maxmunch.models is expected"
            )
        self._set_component("model", value)
