"""Decoders: from token texts back to text. Plain objects that describe themselves as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.components import Component

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ByteLevel", "Decoder", "Sequence"]


class Decoder(Component, section=True):
    """A decoder; build one of its subclasses."""


class ByteLevel(Decoder):
    """Printable characters back to bytes; a token with any other character is text."""

    def __init__(self) -> None:
        super().__init__(add_prefix_space=True, trim_offsets=True, use_regex=True)


class Sequence(Decoder):
    """Several decoders, one after the other."""

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        super().__init__(decoders=list(decoders))

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        parts = [Decoder.from_dict(part) for part in members["decoders"]]
        return {**members, "decoders": parts}
