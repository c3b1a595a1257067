"""Options of components: checked when they are set, spelled in Python as in `tokenizers`."""

from __future__ import annotations

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
    "maybe",
    "number",
    "pattern",
    "plain",
    "text",
    "warn_ignored",
]

T = TypeVar("T")

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
    """Return a bool as it is."""
    if not isinstance(value, bool):
        raise _wrong(name, value, "a bool")
    return value


def text(name: str, value: Any) -> str:
    """Return a str as it is."""
    if not isinstance(value, str):
        raise _wrong(name, value, "a str")
    return value


def character(name: str, value: Any) -> str:
    """Return a str of one character as it is."""
    if len(text(name, value)) != 1:
        raise InvalidArgumentError(
            f"{name}: expected a string of length 1, {value!r} has {len(value)}", name
        )
    return str(value)


def count(name: str, value: Any) -> int:
    """Return an int that is 0 or more."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(name, value, "an int")
    if value < 0:
        raise OverflowError(f"{name}: {value} should be 0 or more")
    return value


def number(name: str, value: Any) -> float:
    """Return a number as a float."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _wrong(name, value, "a number")
    return float(value)


def maybe(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """Return a check that lets None through as well."""
    return lambda name, value: None if value is None else check(name, value)


def choice(names: Mapping[str, str]) -> Callable[[str, Any], str]:
    """Return a check for one of some words; it returns how the file spells the word."""

    def check(name: str, value: Any) -> str:
        if isinstance(value, Enum):
            value = value.value
        if text(name, value) not in names:
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
