"""What a corpus may be: paths, globs, directories, standard input, iterables of text, Arrow tables.

Everything is read as a stream of `Chunk`s: pieces of one document, or whole documents together.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "Chunk",
    "Corpus",
    "decompressed",
    "expand",
    "json_texts",
    "kind_of",
    "open_corpus",
    "parquet_texts",
]

CHUNK_BYTES = 16 << 20
LONGEST_NAME = 4096
JSON_LINES = {".jsonl", ".ndjson"}
DEFAULT_FIELD = "text"


@dataclass(frozen=True)
class Chunk:
    """Bytes of one document (`last` says whether it ends here), or whole documents as text."""

    data: bytes = b""
    last: bool = False
    documents: list[str] | None = None
    position: int = 0
    """Bytes of the corpus, as stored, that were read up to here."""


@dataclass(frozen=True)
class Corpus:
    """A source that was recognised: its chunks, and its stored size where that is known."""

    chunks: Iterator[Chunk]
    stored_bytes: int = 0


def open_corpus(source: Any, *, field: str | None = None, column: str | None = None) -> Corpus:
    """Return what `source` holds.

    Args:
        source: See `count_pretokens`.
        field: Name of the text in a line of JSON; `"text"` by default.
        column: Name of the text column of a table; `"text"` by default.

    Raises:
        InvalidArgumentError: `source` is none of the kinds, or names no file.
    """
    if isinstance(source, (str, os.PathLike)):
        return _files(expand(os.fspath(source)), field, column)
    if hasattr(source, "to_batches"):
        return Corpus(_packed(_arrow_texts(source.to_batches(), column or DEFAULT_FIELD)))
    if isinstance(source, (bytes, bytearray)) or not hasattr(source, "__iter__"):
        message = (
            f"source: a {type(source).__name__} is no corpus; give a path, a glob, a directory,"
            ' "-" for standard input, an iterable of str, or an Arrow table'
        )
        raise InvalidArgumentError(message, "source")
    if isinstance(source, (list, tuple, set, frozenset)) and _are_paths(source):
        items = sorted(source, key=os.fspath) if isinstance(source, (set, frozenset)) else source
        return _files([path for item in items for path in expand(os.fspath(item))], field, column)
    return Corpus(_packed(source))


def _are_paths(items: Iterable[Any]) -> bool:
    """Whether every item is a path object, or every item a string that names an existing file."""
    items = list(items)
    if any(isinstance(item, os.PathLike) for item in items):
        return True
    names = [item for item in items if isinstance(item, str) and 0 < len(item) < LONGEST_NAME]
    try:
        return (
            bool(items) and len(names) == len(items) and all(Path(name).is_file() for name in names)
        )
    except (OSError, ValueError):  # too long for a name, or a NUL inside: a text, not a path
        return False


def expand(name: str) -> list[str]:
    """Return the files that a path, directory or glob stands for, sorted."""
    if name == "-":
        return ["-"]
    if Path(name).is_dir():
        found = [
            str(Path(folder, file))
            for folder, folders, files in os.walk(name)
            if _sort_visible(folders)
            for file in files
            if not file.startswith(".") and Path(folder, file).is_file()
        ]
        return _some(sorted(found), f"directory {name!r} holds no file")
    if not Path(name).exists() and glob.has_magic(name):
        matches = glob.glob(name, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute one
        found = [path for path in matches if Path(path).is_file()]
        return _some(sorted(found), f"glob {name!r} matches no file")
    return [name]


def _sort_visible(folders: list[str]) -> bool:
    folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
    return True


def _some(paths: list[str], complaint: str) -> list[str]:
    if not paths:
        raise InvalidArgumentError(f"source: {complaint}; check the path", "source")
    return paths


def _files(paths: list[str], field: str | None, column: str | None) -> Corpus:
    # A file that is missing is reported before an hour of counting, not after it.
    sizes = [0 if path == "-" else Path(path).stat().st_size for path in paths]

    def chunks() -> Iterator[Chunk]:
        before = 0
        for path, size in zip(paths, sizes, strict=True):
            for chunk in _file(path, field, column):
                position = before + min(chunk.position, size)
                yield Chunk(chunk.data, chunk.last, chunk.documents, position)
            before += size

    return Corpus(chunks(), sum(sizes))


def _file(path: str, field: str | None, column: str | None) -> Iterator[Chunk]:
    kind = kind_of(path)
    if kind == ".parquet":
        yield from _packed(parquet_texts(path, column or DEFAULT_FIELD))
        return
    if path == "-":
        yield from _text(sys.stdin.buffer, lambda: 0)
        return
    with Path(path).open("rb") as stored:
        stream = decompressed(path, stored)
        if kind in JSON_LINES or field is not None:
            yield from _packed(json_texts(path, stream, field or DEFAULT_FIELD), stored.tell)
        else:
            yield from _text(stream, stored.tell)


def kind_of(path: str) -> str:
    """Return the suffix that says what a file holds, without that of its compression."""
    suffixes = Path(path).suffixes
    while suffixes and suffixes[-1].lower() in {".gz", ".zst"}:
        suffixes.pop()
    return suffixes[-1].lower() if suffixes else ""


def decompressed(path: str, stored: IO[bytes]) -> IO[bytes]:
    """Return the unpacked bytes of a file that is open."""
    suffix = Path(path).suffix.lower()
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stored))
    if suffix == ".zst":
        try:
            import zstandard
        except ImportError as error:
            message = f"source: {path} needs zstandard: pip install 'maxmunch[data]'"
            raise InvalidArgumentError(message, "source") from error
        reader = zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True)
        return io.BufferedReader(reader, CHUNK_BYTES)
    return stored


def _text(stream: IO[bytes], position: Any) -> Iterator[Chunk]:
    while data := stream.read(CHUNK_BYTES):
        yield Chunk(data, position=position())
    yield Chunk(last=True, position=position())


def _packed(texts: Iterable[Any], position: Any = lambda: 0) -> Iterator[Chunk]:
    """Whole documents, gathered until they are worth a call into the core."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if isinstance(text, str):
            batch.append(text)
            size += len(text)
        elif isinstance(text, (bytes, bytearray)):
            yield Chunk(bytes(text), last=True, position=position())
        else:
            message = f"source: an item is a {type(text).__name__}; documents are str (or bytes)"
            raise InvalidArgumentError(message, "source")
        if size >= CHUNK_BYTES:
            yield Chunk(documents=batch, position=position())
            batch, size = [], 0
    if batch:
        yield Chunk(documents=batch, position=position())


def json_texts(
    path: str, lines: Iterable[bytes], field: str, *, skip: int = 0
) -> Iterator[str | bytes]:
    """Yield the text of each line of JSON after the first `skip`, which are not parsed."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if skip > 0:
            skip -= 1
            continue
        try:
            # Bytes that are not UTF-8 pass through, so that the one policy for them decides.
            row = json.loads(line.decode("utf-8", "surrogateescape"))
            text = row[field]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            message = (
                f"source: {path}, line {number}: no text in field {field!r}"
                f" ({type(error).__name__}: {error}); name the field with field="
            )
            raise InvalidArgumentError(message, "source") from error
        if not isinstance(text, str):
            message = f"source: {path}, line {number}: field {field!r} is a {type(text).__name__}"
            raise InvalidArgumentError(f"{message}, not a string", "source")
        yield text if text.isascii() else _as_stored(text)


def _as_stored(text: str) -> str | bytes:
    """`text`, or its bytes where it holds what is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        try:
            return text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass")
    return text


def parquet_texts(path: str, column: str) -> Iterator[str | bytes]:
    """Yield the texts of a column; a null is no document."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        message = f"source: {path} needs pyarrow: pip install 'maxmunch[data]'"
        raise InvalidArgumentError(message, "source") from error
    with parquet.ParquetFile(path) as file:
        _check_column(column, file.schema_arrow.names, path)
        yield from _arrow_texts(file.iter_batches(batch_size=4096, columns=[column]), column)


def _arrow_texts(batches: Iterable[Any], column: str) -> Iterator[str | bytes]:
    for batch in batches:
        _check_column(column, batch.schema.names, "the table")
        for text in batch.column(column).to_pylist():
            if text is not None:
                yield text


def _check_column(column: str, names: list[str], where: str) -> None:
    if column not in names:
        message = f"column: {where} has no column {column!r}, only {names}; name it with column="
        raise InvalidArgumentError(message, "column")
