"""The bytes that the tokens of a tokenizer stand for, in the text that its model sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from maxmunch import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxmunch.certify import TokenSet

__all__ = ["Vocabulary"]


def _vocabulary(document: str) -> Vocabulary:
    return Vocabulary(_core.TokenizerCore.from_json(document))


class Vocabulary(Sequence["bytes | None"]):
    """The bytes of each token by id; None where no token has that id.

    Byte-level tokens are mapped back to bytes, `<0xHH>` of byte fallback is that byte, `▁` is its
    three UTF-8 bytes, `##x` is `x`. An added token is its content.
    """

    def __init__(self, core: _core.TokenizerCore) -> None:
        self._core = core
        self._length = core.id_bound()

    def __reduce__(self) -> tuple[Callable[[str], Vocabulary], tuple[str]]:
        return _vocabulary, (self._core.to_json(False),)

    def __copy__(self) -> Vocabulary:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Vocabulary:
        return self

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> bytes | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes | None]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes | None] | None:
        """Return the bytes of a token, or None for a hole."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -self._length <= index < self._length:
            raise IndexError(f"id {index} is out of range for {self._length} ids")
        found = self._core.token_bytes(index % self._length)
        return None if found is None else found[1]

    def left_out(self, *, added: bool = False) -> dict[int, str]:
        """Return why tokens are not in `token_set(added=added)`, by id.

        Holes are not listed. Reasons: `added token`, `only inside a piece`, `no spelling of bytes`,
        `empty`, `same bytes as id N`.
        """
        return self._sorted_out(added=added)[1]

    def token_set(self, *, added: bool = False) -> TokenSet:
        """Return the literal token set of the model for `maxmunch.certify`; its kinds are ids.

        Args:
            added: Whether added tokens are in it.

        Raises:
            InvalidTokenSetError: No token is left.
        """
        from maxmunch.certify import TokenSet

        kept = self._sorted_out(added=added)[0]
        return TokenSet.literal(list(kept), kinds=list(kept.values()))

    def _sorted_out(self, *, added: bool) -> tuple[dict[bytes, int], dict[int, str]]:
        kept: dict[bytes, int] = {}
        out: dict[int, str] = {}
        reasons = {"inside": "only inside a piece", "unreachable": "no spelling of bytes"}
        if not added:
            reasons["added"] = "added token"
        for number in range(self._length):
            found = self._core.token_bytes(number)
            if found is None:
                continue
            kind, token = found
            if kind in reasons:
                out[number] = reasons[kind]
            elif not token:
                out[number] = "empty"
            elif token in kept:
                out[number] = f"same bytes as id {kept[token]}"
            else:
                kept[token] = number
        return kept, out

    def __repr__(self) -> str:
        return f"Vocabulary({self._length} ids)"
