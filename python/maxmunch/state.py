"""What every part of a tokenizer's interface stands on: a core that is never changed.

Changing a part makes a new core and puts it in the place of the old one: a running call never sees
a half-changed tokenizer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

    from maxmunch._core import TokenizerCore
    from maxmunch.arguments import Specials

__all__ = ["TokenizerState"]


class TokenizerState:
    """A core, and whether special tokens in text stay text."""

    _core: TokenizerCore
    encode_special_tokens: bool
    """Whether special tokens that stand in the text are encoded as text."""

    @classmethod
    def _of(cls, core: TokenizerCore) -> Self:
        tokenizer = cls.__new__(cls)
        tokenizer._core = core
        tokenizer.encode_special_tokens = False
        return tokenizer

    def _part(self, name: str) -> Any:
        return json.loads(self._core.part_json(name))

    def _set_part(self, name: str, value: Any) -> None:
        text = json.dumps(value, ensure_ascii=False)
        self._core = self._core.with_part(name, text)

    def _policy(self, specials: Specials) -> str | list[str]:
        if isinstance(specials, str):
            return "text" if specials == "parse" and self.encode_special_tokens else specials
        return list(specials)
