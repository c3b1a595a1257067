"""Components that are made of others, and components that are Python code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from maxmunch.components import Component
from maxmunch.errors import UnsupportedTokenizerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Composite", "Customizable"]


class Customizable(Component, abstract=True):
    """A component that may be, or hold, an object of user code."""

    _object: Any = None

    @classmethod
    def _of_object(cls, obj: Any) -> Any:
        own = cls.__new__(cls)
        own._object = obj
        own._start({})
        return own

    def _objects(self) -> list[Any]:
        """Return the objects of user code in it, in order."""
        return [] if self._object is None else [self._object]

    def _custom_json(self) -> str:
        """Return its JSON with objects of user code by their place in `_objects`."""
        numbers = iter(range(len(self._objects())))
        return json.dumps(self._numbered(numbers), ensure_ascii=False)

    def _numbered(self, numbers: Iterable[int]) -> dict[str, Any]:
        if self._object is None:
            return self.to_dict()
        return {"type": "Custom", "hook": next(iter(numbers))}

    def to_dict(self) -> dict[str, Any]:
        """Return the members of the JSON object, its `type` first.

        Raises:
            UnsupportedTokenizerError: It is user code, which cannot be saved.
        """
        if self._object is not None:
            section = self._section
            raise UnsupportedTokenizerError(
                f"{section}: a custom component cannot be saved, it is code; set a built-in one "
                "before saving",
                section,
            )
        return super().to_dict()

    def __repr__(self) -> str:
        if self._objects():
            return f"{type(self).__name__}.custom({', '.join(map(repr, self._objects()))})"
        return super().__repr__()

    def __str__(self) -> str:
        return repr(self) if self._objects() else super().__str__()


class Composite(Customizable, abstract=True):
    """A component that runs others, one after the other."""

    _member: str
    """The member of its JSON that lists them."""

    @classmethod
    def _of(cls, parts: Any, base: type[Component]) -> list[Component]:
        """Return the parts, all of one section."""
        if not isinstance(parts, list):
            raise TypeError(f"{cls._member}: {type(parts).__name__} given where a list is expected")
        for part in parts:
            if not isinstance(part, base):
                given, wanted = type(part).__name__, base.__name__
                raise TypeError(f"{cls._member}: {given} given where a {wanted} is expected")
        return list(parts)

    @classmethod
    def _flat(cls, parts: Any, base: type[Component]) -> list[Component]:
        """Return the parts, those of sequences among them one by one."""
        flat: list[Component] = []
        for part in cls._of(parts, base):
            flat += part._parts() if isinstance(part, Composite) else [part]
        return flat

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        base = cls._base()
        # Other members describe all the parts together, as the loaders' exact rules do.
        return {**members, cls._member: [base.from_dict(part) for part in members[cls._member]]}

    def change(self, name: str, value: Any) -> None:
        """Set a member; what described the parts together goes, as it describes others."""
        self._forget(lambda: super(Composite, self).change(name, value))

    def _part_changed(self, part: Component) -> None:
        if any(own is part for own in self._parts()):
            self._forget(self._changed)

    def _forget(self, then: Callable[[], None]) -> None:
        before = self._members
        self._members = {self._member: before[self._member]}
        try:
            then()
        except BaseException:
            self._members = before
            self._made = None
            raise

    def _parts(self) -> list[Component]:
        return list(self._members.get(self._member, ()))

    def _objects(self) -> list[Any]:
        return [
            each
            for part in self._parts()
            if isinstance(part, Customizable)
            for each in part._objects()
        ]

    def _numbered(self, numbers: Iterable[int]) -> dict[str, Any]:
        parts = [
            part._numbered(numbers) if isinstance(part, Customizable) else part.to_dict()
            for part in self._parts()
        ]
        return {"type": "Sequence", **self._members, self._member: parts}

    def __getitem__(self, index: int) -> Any:
        parts = self._parts()
        if not 0 <= index < len(parts):
            raise IndexError(f"index {index} is out of range for {len(parts)} components")
        return parts[index]

    def __setitem__(self, index: int, value: Any) -> None:
        if not isinstance(value, self._base()) or isinstance(value, Composite):
            raise TypeError(f"{type(value).__name__} given where a single component is expected")
        self[index]
        parts = self._parts()
        parts[index] = value._copied()
        parts[index]._join(self)
        self.change(self._member, parts)
