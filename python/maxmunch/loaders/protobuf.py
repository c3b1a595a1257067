"""Reads messages of protocol buffers: the fields of one message, every length checked."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from maxmunch.errors import InvalidTokenizerError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Value", "fields", "flag", "number", "text"]

Value = int | bytes
"""A whole number, or the bytes of a string, a message, or a 32- or 64-bit value."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10


def fields(data: bytes, base: int = 0) -> Iterator[tuple[int, Value, int]]:
    """Yield the number, value and place of each field of a message.

    Args:
        data: The message.
        base: Where it starts in the file: places count from there.

    Raises:
        InvalidTokenizerError: The message ends early or has a field of no known kind.
    """
    at = 0
    while at < len(data):
        start = at
        key, at = _varint(data, at, base)
        field, kind = key >> 3, key & 7
        value: Value
        if kind == _VARINT:
            value, at = _varint(data, at, base)
            yield field, value, base + start
            continue
        if kind == _BYTES:
            length, at = _varint(data, at, base)
        elif kind in {_FIXED64, _FIXED32}:
            length = 8 if kind == _FIXED64 else 4
        else:
            raise _broken(base + start, f"a field of kind {kind} should have kind 0, 1, 2 or 5")
        if length > len(data) - at:
            left = len(data) - at
            raise _broken(base + start, f"a field of {length} bytes should fit the {left} left")
        yield field, data[at : at + length], base + at
        at += length


def _varint(data: bytes, at: int, base: int) -> tuple[int, int]:
    value = 0
    for shift in range(_LONGEST_VARINT):
        if at >= len(data):
            raise _broken(base + at, "the message ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:  # noqa: PLR2004 (the bit that says "more")
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
    raise _broken(base + at, "a number should have at most 10 bytes")


def text(value: Value, place: int) -> str:
    """Return a field as text."""
    if not isinstance(value, bytes):
        raise _broken(place, "a number stands where a text should")
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise _broken(place + error.start, "a text should be UTF-8") from error


def number(value: Value, place: int) -> float:
    """Return a field as a number of single precision."""
    if not isinstance(value, bytes) or len(value) != struct.calcsize("<f"):
        raise _broken(place, "a number of 32 bits is expected")
    return float(struct.unpack("<f", value)[0])


def flag(value: Value, place: int) -> bool:
    """Return a field as true or false."""
    if not isinstance(value, int):
        raise _broken(place, "a true or false is expected")
    return value != 0


def _broken(place: int, rule: str) -> InvalidTokenizerError:
    path = f"byte {place}"
    return InvalidTokenizerError(f"{path}: {rule}; the file is damaged or no such message", path)
