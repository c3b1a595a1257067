"""The metadata of a GGUF file: keys and values, every length checked before it is used."""

from __future__ import annotations

import mmap
import struct
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidTokenizerError, UnsupportedTokenizerError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["parse_metadata", "read_metadata"]

_NUMBERS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_VERSIONS = {2, 3}
_PREFIXES = ("tokenizer.ggml.", "general.")


def read_metadata(path: Path) -> dict[str, Any]:
    """Return what a file says about itself and its vocabulary; its tensors are not read.

    Raises:
        OSError: The file cannot be read.
        InvalidTokenizerError: It is damaged, or no GGUF file; `.json_path` is the byte.
        UnsupportedTokenizerError: Its version is not 2 or 3.
    """
    with path.open("rb") as file:
        if file.read(1) == b"":
            return parse_metadata(b"")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return parse_metadata(data)


def parse_metadata(data: bytes | mmap.mmap) -> dict[str, Any]:
    """Return what the bytes of a file say; see `read_metadata`."""
    reader = _Reader(data)
    if reader.take(4) != b"GGUF":
        raise reader.broken(0, "the file should start with GGUF")
    version = reader.number("<I")
    if version not in _VERSIONS:
        raise UnsupportedTokenizerError(f"version: {version} should be 2 or 3", "version")
    reader.number("<Q")
    found = {}
    for _ in range(reader.number("<Q")):
        key = reader.text()
        value = reader.value(reader.number("<I"))
        if key.startswith(_PREFIXES):
            found[key] = value
    return found


class _Reader:
    """Takes values from the bytes of a file, one after the other."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def broken(self, place: int, rule: str) -> InvalidTokenizerError:
        path = f"byte {place}"
        return InvalidTokenizerError(f"{path}: {rule}; the file is damaged or no such file", path)

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            left = len(self.data) - self.at
            raise self.broken(self.at, f"{count} bytes are announced and {left} are left")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self) -> str:
        place = self.at
        try:
            return self.take(self.number("<Q")).decode()
        except UnicodeDecodeError as error:
            raise self.broken(place, "a text should be UTF-8") from error

    def value(self, kind: int) -> Any:
        place = self.at
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            raise self.broken(place, f"a value of kind {kind} should have kind 0 to 12")
        inner, count = self.number("<I"), self.number("<Q")
        if inner in _NUMBERS:
            form = f"<{count}{_NUMBERS[inner][1]}"
            size = struct.calcsize(_NUMBERS[inner])
            return list(struct.unpack(form, self.take(count * size)))
        if inner != _STRING:
            raise self.broken(place, "a list should hold numbers or texts")
        if count > (len(self.data) - self.at) // 8:
            raise self.broken(place, f"{count} texts are announced, more than the file can hold")
        return [self.text() for _ in range(count)]
