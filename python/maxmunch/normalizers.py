"""Normalizers: what happens to text before it is cut. Plain objects that write their JSON."""

from __future__ import annotations

import base64
from typing import Any

from maxmunch import _core
from maxmunch.composite import Composite, Customizable
from maxmunch.options import Option, Regex, flag, instance, maybe, octets, pattern, text
from maxmunch.strings import NormalizedString

__all__ = [
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "NORMALIZERS",
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "Nmt",
    "Normalizer",
    "Precompiled",
    "Prepend",
    "Replace",
    "Sequence",
    "Strip",
    "StripAccents",
    "unicode_normalizer_from_str",
]


class Normalizer(Customizable, section="normalizer"):
    """A normalizer; build one of its subclasses."""

    @staticmethod
    def custom(obj: Any) -> Normalizer:
        """Return a normalizer that calls `obj.normalize(text)` with a `NormalizedString`.

        It runs Python code for every text, one at a time, and cannot be saved or pickled.
        """
        made: Normalizer = Normalizer._of_object(obj)
        return made

    def _build(self) -> Any:
        return _core.NormalizerCore.from_json(self._custom_json(), self._objects())

    def normalize(self, normalized: NormalizedString) -> None:
        """Normalize a `NormalizedString` in place."""
        instance("normalized", normalized, NormalizedString).core.normalize(self.core())

    def normalize_str(self, sequence: str) -> str:
        """Return the normalized text."""
        return str(self.core().normalize_str(sequence))


class BertNormalizer(Normalizer):
    """What BERT does to text.

    Args:
        clean_text: Whether controls go and white space becomes a space.
        handle_chinese_chars: Whether spaces are put around Chinese characters.
        strip_accents: Whether accents go; None: when text is lowercased.
        lowercase: Whether text is lowercased.
    """

    clean_text = Option[bool](flag)
    handle_chinese_chars = Option[bool](flag)
    strip_accents = Option["bool | None"](maybe(flag))
    lowercase = Option[bool](flag)

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        super().__init__(
            clean_text=flag("clean_text", clean_text),
            handle_chinese_chars=flag("handle_chinese_chars", handle_chinese_chars),
            strip_accents=maybe(flag)("strip_accents", strip_accents),
            lowercase=flag("lowercase", lowercase),
        )


class ByteLevel(Normalizer):
    """Writes bytes as printable characters."""

    def __init__(self) -> None:
        super().__init__()


class Lowercase(Normalizer):
    """Lower case, character by character."""

    def __init__(self) -> None:
        super().__init__()


class NFC(Normalizer):
    """Canonical composition."""

    def __init__(self) -> None:
        super().__init__()


class NFD(Normalizer):
    """Canonical decomposition."""

    def __init__(self) -> None:
        super().__init__()


class NFKC(Normalizer):
    """Compatibility composition."""

    def __init__(self) -> None:
        super().__init__()


class NFKD(Normalizer):
    """Compatibility decomposition."""

    def __init__(self) -> None:
        super().__init__()


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
        encoded = base64.b64encode(octets("precompiled_charsmap", precompiled_charsmap)).decode()
        super().__init__(precompiled_charsmap=encoded)


class Prepend(Normalizer):
    """Puts a text in front of every text that is not empty.

    Args:
        prepend: The text.
    """

    prepend = Option[str](text)

    def __init__(self, prepend: str = "▁") -> None:
        super().__init__(prepend=text("prepend", prepend))


class Replace(Normalizer):
    """Replaces what a pattern matches.

    Args:
        pattern: A literal text, or a `Regex`.
        content: What is put in, as it is.
    """

    content = Option[str](text)

    def __init__(self, pattern: str | Regex, content: str) -> None:
        super().__init__(
            pattern=_spelled_pattern("pattern", pattern), content=text("content", content)
        )

    @property
    def pattern(self) -> Any:
        """Not to be had, as in `tokenizers`: raises TypeError."""
        raise TypeError("pattern: cannot be read; to_dict() has it")

    @pattern.setter
    def pattern(self, value: Any) -> None:  # noqa: ARG002
        raise TypeError("pattern: cannot be set; make a new Replace")


class Strip(Normalizer):
    """Takes white space off the ends.

    Args:
        left: At the start.
        right: At the end.
    """

    left = Option[bool](flag, member="strip_left")
    right = Option[bool](flag, member="strip_right")

    def __init__(self, left: bool = True, right: bool = True) -> None:
        super().__init__(strip_left=flag("left", left), strip_right=flag("right", right))


class StripAccents(Normalizer):
    """Drops combining marks."""

    def __init__(self) -> None:
        super().__init__()


class Sequence(Composite, Normalizer):
    """Several normalizers, one after the other.

    Args:
        normalizers: The normalizers; a sequence among them is taken apart.
    """

    _member = "normalizers"

    def __init__(self, normalizers: list[Normalizer]) -> None:
        super().__init__(normalizers=self._flat(normalizers, Normalizer))

    def __len__(self) -> int:
        return len(self._members[self._member])


_spelled_pattern = pattern

NORMALIZERS = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}
"""The four normalization forms by name."""


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """Return the normalization form with this name: nfc, nfd, nfkc or nfkd.

    Raises:
        ValueError: There is none.
    """
    if normalizer not in NORMALIZERS:
        raise ValueError(f"{normalizer} is not a known normalizer: {', '.join(NORMALIZERS)}")
    return NORMALIZERS[normalizer]()
