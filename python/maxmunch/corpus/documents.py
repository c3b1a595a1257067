"""One file as a stream of documents: whole text, text between separators, lines of JSON, rows.

Where `sources` hands out what counting likes best, pieces of any size, this gives each document
by itself, and can begin after a number of them.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from maxmunch.corpus.sources import (
    CHUNK_BYTES,
    DEFAULT_FIELD,
    JSON_LINES,
    decompressed,
    expand,
    json_texts,
    kind_of,
    parquet_texts,
)
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

__all__ = ["Document", "Layout", "list_files", "read_documents"]


@dataclass(frozen=True)
class Document:
    """A document's text, and how many stored bytes of its file were read up to its end."""

    text: str | bytes
    position: int


@dataclass(frozen=True)
class Layout:
    """How documents stand in files.

    Attributes:
        separator: Bytes between two documents of a text file; None: a file is one document.
        field: Name of the text in a line of JSON; given, every file that is no table is read as
            lines of JSON.
        column: Name of the text column of a table.
    """

    separator: bytes | None = None
    field: str | None = None
    column: str | None = None


def list_files(paths: Any) -> list[str]:
    """Return the files that a path, glob or directory, or a sequence of them, stands for.

    Raises:
        InvalidArgumentError: `paths` is empty or no path, or one of them stands for no file.
    """
    if isinstance(paths, str) or hasattr(paths, "__fspath__"):
        paths = [paths]
    try:
        names: list[str | os.PathLike[str]] = list(paths)
    except TypeError as error:
        message = f"paths: a {type(paths).__name__} is no path; give a path or a list of paths"
        raise InvalidArgumentError(message, "paths") from error
    wrong = [
        name for name in names if not isinstance(name, str) and not hasattr(name, "__fspath__")
    ]
    if wrong or not names:
        found = f"{wrong[0]!r} is no path" if wrong else "the list is empty"
        raise InvalidArgumentError(f"paths: {found}; give a path or a list of paths", "paths")
    files = [file for name in names for file in expand(str(name))]
    missing = [file for file in files if file != "-" and not Path(file).is_file()]
    if missing:
        message = f"paths: there is no file {missing[0]!r}; check the path"
        raise InvalidArgumentError(message, "paths")
    return files


def read_documents(path: str, layout: Layout, skip: int = 0) -> Iterator[Document]:
    """Yield the documents of one file in order, without the first `skip` of them.

    Args:
        path: The file; `.gz` and `.zst` are unpacked, `"-"` is standard input.
        layout: How documents stand in it.
        skip: Documents to read past.

    Raises:
        InvalidArgumentError: A line or row has no text where `layout` says.
        OSError: The file cannot be read.

    Complexity: one pass; memory for a block and the longest document.
    """
    if kind_of(path) == ".parquet":
        size = Path(path).stat().st_size
        texts = itertools.islice(parquet_texts(path, layout.column or DEFAULT_FIELD), skip, None)
        yield from _ended_by_size(texts, size)
        return
    if path == "-":
        for text in _texts(path, sys.stdin.buffer, layout, skip):
            yield Document(text, 0)
        return
    with Path(path).open("rb") as stored:
        for text in _texts(path, decompressed(path, stored), layout, skip):
            yield Document(text, stored.tell())


def _ended_by_size(texts: Iterable[str | bytes], size: int) -> Iterator[Document]:
    """Rows of a table: where they stand in the file is known at the end only."""
    held: str | bytes | None = None
    for text in texts:
        if held is not None:
            yield Document(held, 0)
        held = text
    if held is not None:
        yield Document(held, size)


def _texts(path: str, stream: IO[bytes], layout: Layout, skip: int) -> Iterable[str | bytes]:
    if kind_of(path) in JSON_LINES or layout.field is not None:
        return json_texts(path, stream, layout.field or DEFAULT_FIELD, skip=skip)
    if layout.separator is None:
        return [stream.read()] if skip == 0 else []
    return itertools.islice(split_stream(stream, layout.separator), skip, None)


def split_stream(stream: IO[bytes], separator: bytes) -> Iterator[bytes]:
    r"""Yield what stands between separators; after the last one there is no empty document.

    Example:
        >>> import io
        >>> list(split_stream(io.BytesIO(b"a\n\nb\n"), b"\n"))
        [b'a', b'', b'b']
    """
    pending = bytearray()
    while block := stream.read(CHUNK_BYTES):
        # A separator may begin in what is pending, but not before its last few bytes.
        searched = max(0, len(pending) - len(separator) + 1)
        pending += block
        start = 0
        while (end := pending.find(separator, max(start, searched))) >= 0:
            yield bytes(memoryview(pending)[start:end])
            start = end + len(separator)
        del pending[:start]
    if pending:
        yield bytes(pending)
