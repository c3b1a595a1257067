"""What the parts of a tokenizer have in common: plain objects that describe themselves as JSON.

A component holds the members of its JSON object. The compiled core is built from that JSON in one
place, so there is one description of a pipeline (docs/decisions/0005-components-as-json.md).
Setting a member changes the tokenizers that a component is part of, for the calls that follow.
"""

from __future__ import annotations

import copy
import json
import weakref
from typing import TYPE_CHECKING, Any, ClassVar

from maxmunch.errors import InvalidArgumentError
from maxmunch.options import plain
from maxmunch.representation import represented

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Component", "byte_level_table"]

_BYTES = 256


class Component:
    """A part of a tokenizer, with its options as attributes. Equality is identity."""

    _members: dict[str, Any]
    _kinds: ClassVar[dict[str, type[Component]]]
    """Per section: the classes by the `type` of their JSON."""
    _section: ClassVar[str]

    def __init__(self, **members: Any) -> None:
        if "_section" in vars(type(self)):
            raise TypeError(f"No constructor defined for {type(self).__name__}; use a subclass")
        self._start(members)
        self.core()

    def __init_subclass__(
        cls, *, section: str | None = None, kind: str | None = None, abstract: bool = False
    ) -> None:
        if section is not None:
            cls._kinds = {}
            cls._section = section
        elif not abstract:
            cls._kinds[kind or cls.__name__] = cls

    def _start(self, members: dict[str, Any]) -> None:
        self._members = members
        self._made: Any = None
        self._owners: list[weakref.ref[Any]] = []
        for part in self._parts():
            part._join(self)

    def _parts(self) -> Iterable[Component]:
        """Return the components that it is made of."""
        return ()

    # --- JSON ---

    def to_dict(self) -> dict[str, Any]:
        """Return the members of the JSON object, its `type` first."""
        kinds = {cls: kind for kind, cls in self._kinds.items()}
        members = {name: plain(value) for name, value in self._members.items()}
        return {"type": kinds[type(self)], **members}

    def to_json(self) -> str:
        """Return the JSON text from which the core builds this component."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

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
        component._start(found._read(rest))
        return component

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        """Return the members with nested components built."""
        return members

    # --- the compiled component ---

    def core(self) -> Any:
        """Return the component of the compiled core, for the modules of this package."""
        if self._made is None:
            self._made = self._build()
        return self._made

    def _build(self) -> Any:
        raise NotImplementedError

    # --- changes ---

    def change(self, name: str, value: Any) -> None:
        """Set a member, here and in the tokenizers that this component is part of.

        Raises:
            InvalidArgumentError: The core refuses it; then nothing changes.
        """
        before = self._members
        self._members = {**before, name: value}
        try:
            self._changed()
        except BaseException:
            self._members = before
            self._made = None
            raise

    def _changed(self) -> None:
        self._made = None
        self.core()
        self._tell()

    def _tell(self) -> None:
        for reference in list(self._owners):
            owner = reference()
            if owner is None:
                self._owners.remove(reference)
            else:
                owner._part_changed(self)

    def _part_changed(self, part: Component) -> None:
        if any(own is part for own in self._parts()):
            self._changed()

    def _join(self, owner: Any) -> None:
        if not any(reference() is owner for reference in self._owners):
            self._owners.append(weakref.ref(owner))

    # --- Python ---

    def __repr__(self) -> str:
        return self._shown(most_elements=100)

    def __str__(self) -> str:
        return self._shown(most_elements=6, most_bytes=100)

    def _shown(self, *, most_elements: int, most_bytes: int | None = None) -> str:
        document = self._excerpt(most_elements)
        return represented(
            self._section, document, most_elements=most_elements, most_bytes=most_bytes
        )

    def _excerpt(self, most_elements: int) -> dict[str, Any]:  # noqa: ARG002
        """Return what `to_dict` returns; of long tables that many elements are enough."""
        return self.to_dict()

    def __getstate__(self) -> bytes:
        return self.to_json().encode()

    def __setstate__(self, state: bytes) -> None:
        other = self._base().from_dict(json.loads(state))
        if type(other) is not type(self):
            self.__class__ = type(other)
        self._start(other._members)

    def _copied(self) -> Any:
        """Return a copy that is nobody's part, with all that is not saved."""
        return copy.copy(self)

    @classmethod
    def _base(cls) -> type[Component]:
        return next(base for base in cls.__mro__ if "_section" in vars(base))


def byte_level_table() -> list[str]:
    """Return the printable character that stands for each of the 256 bytes in byte-level files."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    shifted = (b for b in range(_BYTES) if b not in printable)
    table = {b: chr(b) for b in printable}
    table.update((b, chr(_BYTES + i)) for i, b in enumerate(shifted))
    return [table[b] for b in range(_BYTES)]
