"""What every part of a tokenizer's interface stands on: a core that is never changed.

Changing a part makes a new core and puts it in the place of the old one: a running call never sees
a half-changed tokenizer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from maxmunch._core import TextCutsCore, TokenizerCore
from maxmunch.options import flag

if TYPE_CHECKING:
    from typing_extensions import Self

    from maxmunch.arguments import Specials
    from maxmunch.components import Component

__all__ = ["TokenizerState"]


class TokenizerState:
    """A core, and whether special tokens in text stay text."""

    _core: TokenizerCore
    _components: dict[str, Component]
    """The components that Python has seen, by section: changing one of them changes the core."""
    _text_only: bool

    _text_cuts: tuple[TokenizerCore, TextCutsCore] | None = None

    @classmethod
    def _of(cls, core: TokenizerCore) -> Self:
        tokenizer = cls.__new__(cls)
        tokenizer._start(core)
        return tokenizer

    def _start(self, core: TokenizerCore) -> None:
        self._core = core
        self._components = {}
        self._text_only = False

    @property
    def encode_special_tokens(self) -> bool:
        """Whether special tokens that stand in the text are encoded as text."""
        return self._text_only

    @encode_special_tokens.setter
    def encode_special_tokens(self, value: bool) -> None:
        self._text_only = flag("encode_special_tokens", value)

    @property
    def core(self) -> TokenizerCore:
        """The tokenizer of the compiled core, for the modules of this package."""
        return self._core

    def take_json(self, text: str) -> None:
        """Become the tokenizer that the text of a `tokenizer.json` describes."""
        self._core = TokenizerCore.from_json(text)
        self._components = {}

    def _part(self, name: str) -> Any:
        return json.loads(self._core.part_json(name))

    def _set_part(self, name: str, value: Any) -> None:
        text = json.dumps(value, ensure_ascii=False)
        self._core = self._core.with_part(name, text)

    def _set_component(self, name: str, component: Component | None) -> None:
        made = None if component is None else component.core()
        self._core = self._core.with_component(name, made)
        self._components.pop(name, None)
        if component is not None:
            self._adopt(name, component)

    def _adopt(self, name: str, component: Component) -> None:
        self._components[name] = component
        component._join(self)

    def _part_changed(self, component: Component) -> None:
        for name, own in self._components.items():
            if own is component:
                self._core = self._core.with_changed(name, component.core())

    def _cuts(self) -> TextCutsCore:
        """Where texts may be cut, made once for each core."""
        core, made = self._core, self._text_cuts
        if made is None or made[0] is not core:
            made = core, TextCutsCore(core)
            self._text_cuts = made
        return made[1]

    def _policy(self, specials: Specials) -> str | list[str]:
        if isinstance(specials, str):
            return "text" if specials == "parse" and self._text_only else specials
        return list(specials)
