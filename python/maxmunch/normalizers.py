"""Normalizers: what happens to text before it is cut. Plain objects that write their JSON."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from maxmunch.components import Component

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NFC", "NFD", "NFKC", "NFKD", "Nmt", "Normalizer", "Precompiled", "Sequence"]


class Normalizer(Component, section=True):
    """A normalizer; build one of its subclasses."""


class NFC(Normalizer):
    """Canonical composition."""


class NFD(Normalizer):
    """Canonical decomposition."""


class NFKC(Normalizer):
    """Compatibility composition."""


class NFKD(Normalizer):
    """Compatibility decomposition."""


class Nmt(Normalizer):
    """Drops control characters, turns unusual spaces into spaces."""

    def __init__(self) -> None:
        super().__init__()


class Precompiled(Normalizer):
    """The character map of a SentencePiece model.

    Args:
        precompiled_charsmap: The map as the model holds it.
    """

    def __init__(self, precompiled_charsmap: bytes) -> None:
        super().__init__(precompiled_charsmap=base64.b64encode(precompiled_charsmap).decode())


class Sequence(Normalizer):
    """Several normalizers, one after the other."""

    def __init__(self, normalizers: Iterable[Normalizer]) -> None:
        super().__init__(normalizers=list(normalizers))

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        parts = [Normalizer.from_dict(part) for part in members["normalizers"]]
        return {**members, "normalizers": parts}
