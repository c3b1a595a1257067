"""Arguments of a tokenizer's calls, checked and brought to the one form that the core takes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

    Specials: TypeAlias = Literal["parse", "text", "error"] | Iterable[str]
    """What becomes of special tokens in the text: ids, text, an error; or the contents to parse."""

Offsets: TypeAlias = "tuple[int, int]"
"""Where something starts and ends."""
TextInputSequence: TypeAlias = str
"""A text."""
PreTokenizedInputSequence: TypeAlias = "list[str] | tuple[str, ...]"
"""The words of a text."""
TextEncodeInput: TypeAlias = "str | tuple[str, str] | list[str]"
"""A text, or a pair of texts."""
PreTokenizedEncodeInput: TypeAlias = (
    "list[str] | tuple[str, ...] | tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]"
)
"""The words of a text, or of a pair of texts."""
InputSequence: TypeAlias = "TextInputSequence | PreTokenizedInputSequence"
"""A text, or its words."""
EncodeInput: TypeAlias = "TextEncodeInput | PreTokenizedEncodeInput"
"""What `encode_batch` takes a list of."""

__all__ = [
    "EncodeInput",
    "InputSequence",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "TextEncodeInput",
    "TextInputSequence",
    "available_cores",
    "batch_row",
    "check_input",
    "id_list",
    "in_order",
    "is_words",
    "thread_count",
    "threads_or_cores",
]


def is_words(value: Any) -> bool:
    """Tell whether a value is a list of words, or an array of them.

    What can be read once only, or in any order, is none.
    """
    has_order = isinstance(value, Sequence) or hasattr(value, "dtype")
    is_text = isinstance(value, str | bytes)
    return has_order and not is_text and all(isinstance(word, str) for word in value)


def in_order(name: str, values: Any) -> Any:
    """Return a list of things as it is; refuse one text, and what has no order."""
    if isinstance(values, str | bytes | Mapping | AbstractSet):
        raise TypeError(
            f"{name}: {type(values).__name__} given where a list is expected; put it into a list"
        )
    return values


def check_input(name: str, value: Any, *, is_pretokenized: bool) -> None:
    """Refuse a text where words are expected, and the other way round."""
    if is_pretokenized:
        if not is_words(value):
            raise TypeError(
                f"{name}: {type(value).__name__} given where a list of words is expected; "
                "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]"
            )
    elif not isinstance(value, str):
        raise TypeError(
            f"{name}: {type(value).__name__} given where a str is expected; "
            "TextInputSequence must be str"
        )


def batch_row(row: Any, *, is_pretokenized: bool) -> tuple[Any, Any]:
    """Return a batch element as a pair whose second half may be None."""
    if isinstance(row, str) or (is_pretokenized and is_words(row)):
        check_input("input", row, is_pretokenized=is_pretokenized)
        return row, None
    if not hasattr(row, "__len__") or len(row) != 2:  # noqa: PLR2004
        wanted = "a list of words" if is_pretokenized else "a str"
        raise TypeError(f"input: {row!r:.60} given where {wanted}, or a pair of them, is expected")
    first, second = row
    check_input("input", first, is_pretokenized=is_pretokenized)
    check_input("input", second, is_pretokenized=is_pretokenized)
    return first, second


def id_list(ids: Any) -> list[int]:
    """Return the ids of a list, an array or a tensor as a list."""
    if hasattr(ids, "tolist"):
        found: list[int] = ids.tolist()
        return found
    # Bytes are numbers, as everywhere in Python.
    return list(ids if isinstance(ids, bytes) else in_order("ids", ids))


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else (os.cpu_count() or 1)


def thread_count(threads: int | None) -> int | None:
    """Return the number of threads, refused if it is below 1."""
    if threads is not None and threads < 1:
        raise InvalidArgumentError(f"threads: {threads} should be 1 or more, or None", "threads")
    return threads


def threads_or_cores(threads: int | None) -> int:
    """Return the number of threads, refused if it is below 1; by default that of the cores."""
    return thread_count(threads) or available_cores()
