"""Options of components: checked when they are set, spelled in Python as in `tokenizers`."""

from __future__ import annotations

import math
import operator
import warnings
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from maxmunch import _core
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "BEHAVIORS",
    "OffsetReferential",
    "OffsetType",
    "Option",
    "Regex",
    "SplitDelimiterBehavior",
    "behavior",
    "character",
    "choice",
    "count",
    "flag",
    "id_number",
    "instance",
    "maybe",
    "number",
    "octets",
    "pattern",
    "plain",
    "text",
    "warn_ignored",
]

T = TypeVar("T")

_TOO_MANY = 1 << 64
_NO_ID = 1 << 32

BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}


class SplitDelimiterBehavior(Enum):
    """What happens to the matches at which text is cut; the names that `behavior=` takes."""

    REMOVED = "removed"
    ISOLATED = "isolated"
    MERGED_WITH_PREVIOUS = "merged_with_previous"
    MERGED_WITH_NEXT = "merged_with_next"
    CONTIGUOUS = "contiguous"


class OffsetReferential(Enum):
    """What offsets of pieces refer to."""

    ORIGINAL = "original"
    NORMALIZED = "normalized"


class OffsetType(Enum):
    """In which unit offsets are counted."""

    BYTE = "byte"
    CHAR = "char"


class Regex:
    r"""A regular expression in Oniguruma's syntax, where a plain `str` would be a literal text.

    Args:
        pattern: The expression.

    Raises:
        InvalidArgumentError: It is none.

    Example:
        >>> import maxmunch as mm
        >>> mm.normalizers.Replace(mm.Regex(r"\s+"), " ").normalize_str("a \n b")
        'a b'
    """

    def __init__(self, pattern: str) -> None:
        _core.check_pattern(text("pattern", pattern))
        self._pattern = pattern

    @property
    def pattern(self) -> str:
        """The expression."""
        return self._pattern

    def __repr__(self) -> str:
        return f"Regex({self._pattern!r})"


class Option(Generic[T]):
    """A member of a component's JSON as an attribute.

    Args:
        check: Returns how the file spells a value, or raises. It gets the name and the value.
        member: The name in the file, where it differs from the attribute's.
        shown: Turns what the file holds into what Python sees.
    """

    def __init__(
        self,
        check: Callable[[str, Any], Any],
        *,
        member: str | None = None,
        shown: Callable[[Any], T] | None = None,
        doc: str = "",
    ) -> None:
        self.check = check
        self.member = member
        self.shown = shown
        self.__doc__ = doc

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name
        self.member = self.member or name

    def __get__(self, component: Any, owner: type[Any] | None = None) -> Any:
        if component is None:
            return self
        value = component._members[self.member]
        return value if self.shown is None else self.shown(value)

    def __set__(self, component: Any, value: Any) -> None:
        component.change(self.member, self.check(self.name, value))


def _wrong(name: str, value: Any, wanted: str) -> TypeError:
    return TypeError(f"{name}: {type(value).__name__} given where {wanted} is expected")


def flag(name: str, value: Any) -> bool:
    """Return a bool, one of NumPy as Python's."""
    if value is True or value is False:
        return value
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"):
        return bool(value)
    raise _wrong(name, value, "a bool")


def text(name: str, value: Any) -> str:
    """Return a str; one of a class derived from it as a plain one."""
    if not isinstance(value, str):
        raise _wrong(name, value, "a str")
    return str.__str__(value)


def character(name: str, value: Any) -> str:
    """Return a str of one character as it is."""
    if len(text(name, value)) != 1:
        raise InvalidArgumentError(
            f"{name}: expected a string of length 1, {value!r} has {len(value)}", name
        )
    return text(name, value)


def count(name: str, value: Any) -> int:
    """Return an int that is 0 or more, also of NumPy and whatever else stands for an index."""
    try:
        found = operator.index(value)
    except TypeError:
        raise _wrong(name, value, "an int") from None
    if not 0 <= found < _TOO_MANY:
        raise OverflowError(f"{name}: {found} should be 0 or more, and less than 2^64")
    return found


def id_number(name: str, value: Any) -> int:
    """Return an int that 32 bits hold."""
    found = count(name, value)
    if found >= _NO_ID:
        raise OverflowError(f"{name}: {found} should be less than 2^32")
    return found


def number(name: str, value: Any) -> float:
    """Return a number as a float, also of NumPy and whatever else stands for a float.

    Raises:
        InvalidArgumentError: It is infinite or none: no file can hold it.
    """
    if not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise _wrong(name, value, "a number")
    found = float(value)
    if not math.isfinite(found):
        raise InvalidArgumentError(f"{name}: {found} should be a finite number", name)
    return found


def octets(name: str, value: Any) -> bytes:
    """Return bytes, or a list of numbers, as bytes."""
    if not isinstance(value, bytes | bytearray | memoryview | list | tuple):
        raise _wrong(name, value, "bytes")
    return bytes(value)


def instance(name: str, value: Any, kind: type[T]) -> T:
    """Return an object of a class as it is."""
    if not isinstance(value, kind):
        raise _wrong(name, value, f"{kind.__name__} of {kind.__module__}")
    return value


def maybe(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """Return a check that lets None through as well."""
    return lambda name, value: None if value is None else check(name, value)


def choice(names: Mapping[str, str]) -> Callable[[str, Any], str]:
    """Return a check for one of some words; it returns how the file spells the word."""

    def check(name: str, value: Any) -> str:
        if isinstance(value, Enum):
            value = value.value
        value = text(name, value)
        if value not in names:
            raise InvalidArgumentError(
                f"{name}: {value!r} should be one of {', '.join(names)}", name
            )
        return names[value]

    return check


behavior = choice(BEHAVIORS)


def pattern(name: str, value: Any) -> dict[str, str]:
    """Return how files spell a pattern: a `str` is literal, a `Regex` an expression."""
    if isinstance(value, Regex):
        return {"Regex": value.pattern}
    if isinstance(value, dict) and len(value) == 1 and set(value) <= {"String", "Regex"}:
        return dict(value)
    if not isinstance(value, str):
        raise _wrong(name, value, "a str or a Regex")
    return {"String": value}


def warn_ignored(names: Mapping[str, Any]) -> None:
    """Warn about options that nobody knows; the reference prints them and goes on."""
    for name in names:
        warnings.warn(f"ignored unknown option {name!r}", stacklevel=3)


def plain(value: Any) -> Any:
    """Return a value with the components in it as JSON objects."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    return value
