"""Contents that are matched as text before the model sees anything."""

from __future__ import annotations

from typing import Any

from maxmunch.options import flag, maybe, text, warn_ignored

__all__ = ["AddedToken"]

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


class AddedToken:
    """A content that is matched as text before the model sees anything, and its five flags.

    `normalized` is `not special` unless it is given. Equality compares content and flags, the hash
    covers the content only.

    Example:
        >>> import maxmunch as mm
        >>> mm.AddedToken("<s>", special=True).normalized
        False
    """

    _normalized: bool | None

    def __init__(
        self,
        content: str | None = None,
        *,
        single_word: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        normalized: bool | None = None,
        special: bool = False,
        **unknown: Any,
    ) -> None:
        if unknown:
            warn_ignored(unknown)
        self._content = "" if content is None else text("content", content)
        self._special = flag("special", special)
        self._single_word = flag("single_word", single_word)
        self._lstrip = flag("lstrip", lstrip)
        self._rstrip = flag("rstrip", rstrip)
        self._normalized = maybe(flag)("normalized", normalized)

    @property
    def content(self) -> str:
        """The text that is matched."""
        return self._content

    @content.setter
    def content(self, content: str) -> None:
        self._content = text("content", content)

    @property
    def special(self) -> bool:
        """Whether decoding leaves it out."""
        return self._special

    @special.setter
    def special(self, special: bool) -> None:
        self._special = flag("special", special)

    @property
    def single_word(self) -> bool:
        """Whether a word character beside the content rejects a match."""
        return self._single_word

    @property
    def lstrip(self) -> bool:
        """Whether a match takes the white space before it."""
        return self._lstrip

    @property
    def rstrip(self) -> bool:
        """Whether a match takes the white space after it."""
        return self._rstrip

    @property
    def normalized(self) -> bool:
        """Whether it is looked for in normalized text."""
        return not self._special if self._normalized is None else self._normalized

    def parts(self) -> tuple[str, bool, bool, bool, bool, bool]:
        """Return content, single_word, lstrip, rstrip, normalized, special."""
        return (
            self._content,
            self._single_word,
            self._lstrip,
            self._rstrip,
            not self._special if self._normalized is None else self._normalized,
            self._special,
        )

    @classmethod
    def from_parts(cls, parts: tuple[str, bool, bool, bool, bool, bool]) -> AddedToken:
        """Return the token with this content and these flags."""
        token = cls.__new__(cls)
        (
            token._content,
            token._single_word,
            token._lstrip,
            token._rstrip,
            token._normalized,
            token._special,
        ) = parts
        return token

    def given(self) -> dict[str, Any]:
        """Return the arguments that make this token: `normalized` only where it was given."""
        flags = self.__getstate__()
        if self._normalized is None:
            del flags["normalized"]
        return flags

    def __getstate__(self) -> dict[str, Any]:
        return dict(zip(("content", *_FLAGS), self.parts(), strict=True))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AddedToken):
            return NotImplemented
        return self.parts() == other.parts()

    def _precedes_none(self, other: object) -> bool:
        return False if isinstance(other, AddedToken) else NotImplemented

    # No order, and no error either, as in the reference: `sorted` leaves them as they are.
    __lt__ = __le__ = __gt__ = __ge__ = _precedes_none

    def __hash__(self) -> int:
        return hash(self.content)

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        names = ("rstrip", "lstrip", "single_word", "normalized", "special")
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f'AddedToken("{self.content}", {shown})'
