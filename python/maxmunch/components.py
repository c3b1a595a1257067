"""What the parts of a tokenizer have in common: plain objects that describe themselves as JSON.

A component holds the members of its JSON object and nothing else. The compiled core is built from
that JSON in one place, so there is one description of a pipeline
(docs/decisions/0005-components-as-json.md).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AddedToken", "Component", "byte_level_table", "character", "metaspace"]

_BYTES = 256


class Component:
    """A part of a tokenizer. Its members are attributes; two are equal when their JSON is."""

    _members: dict[str, Any]
    _kinds: ClassVar[dict[str, type[Component]]]
    """Per section: the classes by the `type` of their JSON."""

    def __init__(self, **members: Any) -> None:
        object.__setattr__(self, "_members", members)

    def __init_subclass__(cls, *, section: bool = False, kind: str | None = None) -> None:
        if section:
            cls._kinds = {}
        else:
            cls._kinds[kind or cls.__name__] = cls

    def to_dict(self) -> dict[str, Any]:
        """Return the members of the JSON object, its `type` first."""
        kinds = {cls: kind for kind, cls in self._kinds.items()}
        plain = {name: _plain(value) for name, value in self._members.items()}
        return {"type": kinds[type(self)], **plain}

    def to_json(self) -> str:
        """Return the JSON text from which the core builds this component."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_dict(cls, members: Mapping[str, Any]) -> Any:
        """Return the component that a JSON object of this section describes.

        Raises:
            InvalidArgumentError: No component of this section has that `type`.
        """
        rest = dict(members)
        kind = rest.pop("type", None)
        found = cls._kinds.get(kind) if isinstance(kind, str) else None
        if found is None or not issubclass(found, cls):
            raise InvalidArgumentError(f"type: {kind!r} is no component of this section", "type")
        component = found.__new__(found)
        object.__setattr__(component, "_members", found._read(rest))
        return component

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        """Return the members with nested components built."""
        return members

    def __getattr__(self, name: str) -> Any:
        members = self.__dict__.get("_members", {})
        if name in members:
            return members[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._members:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._members[name] = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Component):
            return NotImplemented
        return type(self) is type(other) and self._members == other._members

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_short(value)}" for name, value in self._members.items())
        return f"{type(self).__name__}({shown})"

    def __getstate__(self) -> dict[str, Any]:
        return self._members

    def __setstate__(self, members: dict[str, Any]) -> None:
        object.__setattr__(self, "_members", members)


def character(name: str, value: str) -> str:
    """Return `value`, the argument `name`, if it is one character.

    Raises:
        InvalidArgumentError: It is not.
    """
    if len(value) != 1:
        raise InvalidArgumentError(f"{name}: {value!r} should be one character", name)
    return value


def metaspace(replacement: str, prepend_scheme: str, *, split: bool) -> dict[str, Any]:
    """Return the members that the pre-tokenizer and the decoder `Metaspace` share.

    Raises:
        InvalidArgumentError: `replacement` is not one character, or there is no such scheme.
    """
    schemes = ("first", "never", "always")
    if prepend_scheme not in schemes:
        raise InvalidArgumentError(
            f"prepend_scheme: {prepend_scheme!r} should be one of {', '.join(schemes)}",
            "prepend_scheme",
        )
    return {
        "replacement": character("replacement", replacement),
        "prepend_scheme": prepend_scheme,
        "split": split,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Component):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    return value


def _short(value: Any) -> str:
    most = 5
    if isinstance(value, dict) and len(value) > most:
        return f"{{… {len(value)} entries}}"
    if isinstance(value, list) and len(value) > most:
        return f"[… {len(value)} entries]"
    return repr(value)


class AddedToken:
    """A content that is matched as text before the model sees anything, and its five flags.

    `normalized` is `not special` unless it is given. Equality compares content and flags, the hash
    covers the content only.

    Example:
        >>> import maxmunch as mm
        >>> mm.AddedToken("<s>", special=True).normalized
        False
    """

    def __init__(
        self,
        content: str = "",
        *,
        single_word: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        normalized: bool | None = None,
        special: bool = False,
    ) -> None:
        self.content = content
        self.special = special
        self._single_word = single_word
        self._lstrip = lstrip
        self._rstrip = rstrip
        self._normalized = normalized

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
        return (not self.special) if self._normalized is None else self._normalized

    def parts(self) -> tuple[str, bool, bool, bool, bool, bool]:
        """Return content, single_word, lstrip, rstrip, normalized, special."""
        return (
            self.content,
            self.single_word,
            self.lstrip,
            self.rstrip,
            self.normalized,
            self.special,
        )

    @classmethod
    def from_parts(cls, parts: tuple[str, bool, bool, bool, bool, bool]) -> AddedToken:
        """Return the token with this content and these flags."""
        content, single_word, lstrip, rstrip, normalized, special = parts
        return cls(
            content,
            single_word=single_word,
            lstrip=lstrip,
            rstrip=rstrip,
            normalized=normalized,
            special=special,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AddedToken):
            return NotImplemented
        return self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(self.content)

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        _, *flags = self.parts()
        names = ("single_word", "lstrip", "rstrip", "normalized", "special")
        shown = ", ".join(f"{name}={flag}" for name, flag in zip(names, flags, strict=True))
        return f'AddedToken("{self.content}", {shown})'


def byte_level_table() -> list[str]:
    """Return the printable character that stands for each of the 256 bytes in byte-level files."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    shifted = (b for b in range(_BYTES) if b not in printable)
    table = {b: chr(b) for b in printable}
    table.update((b, chr(_BYTES + i)) for i, b in enumerate(shifted))
    return [table[b] for b in range(_BYTES)]
