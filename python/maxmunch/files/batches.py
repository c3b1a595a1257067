"""Documents gathered into batches that are worth a call, and the ids of one batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maxmunch.corpus.documents import Layout, read_documents
from maxmunch.errors import InvalidArgumentError
from maxmunch.files.manifest import Position
from maxmunch.files.shards import check_format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from maxmunch.encoding import RaggedIds

__all__ = ["Batch", "FileOptions", "encode_batch", "read_batches"]

SHARD_BYTES = 256 << 20
BATCH_BYTES = 16 << 20
START = Position()
POLICIES = ("strict", "replace", "ignore")


@dataclass(frozen=True)
class FileOptions:
    """How files are encoded; see `Tokenizer.encode_files`."""

    format: str = "npy"
    separator: str | bytes | None = None
    field: str | None = None
    column: str | None = None
    add_special_tokens: bool = True
    specials: Any = "parse"
    errors: str = "strict"
    shard_bytes: int = SHARD_BYTES
    threads: int | None = None

    def __post_init__(self) -> None:
        check_format(self.format)
        if self.errors not in POLICIES:
            message = f"errors: {self.errors!r} should be one of {', '.join(POLICIES)}"
            raise InvalidArgumentError(message, "errors")
        if self.shard_bytes < 1:
            message = f"shard_bytes: {self.shard_bytes} should be 1 or more"
            raise InvalidArgumentError(message, "shard_bytes")
        if self.separator is not None and len(self.separator) == 0:
            message = "separator: it is empty; give the text between two documents, or None"
            raise InvalidArgumentError(message, "separator")

    def layout(self) -> Layout:
        """Return how documents stand in the files."""
        text = self.separator
        return Layout(text.encode() if isinstance(text, str) else text, self.field, self.column)

    def described(self) -> dict[str, Any]:
        """Return all that changes what the shards hold; the number of threads does not."""
        layout = self.layout()
        specials = self.specials if isinstance(self.specials, str) else sorted(self.specials)
        return {
            "format": self.format,
            "separator": None if layout.separator is None else layout.separator.hex(),
            "field": self.field,
            "column": self.column,
            "add_special_tokens": self.add_special_tokens,
            "specials": specials,
            "errors": self.errors,
            "shard_bytes": self.shard_bytes,
        }


@dataclass
class Batch:
    """Documents of one shard that are encoded together, and the place behind them.

    Attributes:
        texts: The documents.
        names: File and number of each.
        text_bytes: Length of their text.
        end: The place behind the last one.
        ends_shard: Whether a shard ends there.
        read_bytes: Stored bytes of all files up to there.
    """

    texts: list[str | bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    text_bytes: int = 0
    end: Position = START
    ends_shard: bool = False
    read_bytes: int = 0


def read_batches(
    files: Sequence[str], sizes: Sequence[int], options: FileOptions, begin: Position = START
) -> Iterator[Batch]:
    """Yield the documents of `files` from `begin` on; no batch holds parts of two shards.

    Args:
        files: The files, in order.
        sizes: Stored bytes of each.
        options: How documents stand in them, and how long a shard is.
        begin: Where a shard begins.
    """
    layout = options.layout()
    batch, shard_bytes, before = Batch(), 0, 0
    for index, (path, size) in enumerate(zip(files, sizes, strict=True)):
        skip = begin.documents if index == begin.file else 0
        documents = read_documents(path, layout, skip) if index >= begin.file else ()
        for number, document in enumerate(documents, skip + 1):
            shard_bytes += _take(batch, document.text, f"{path}:{number}", options.errors)
            batch.end = Position(index, number)
            batch.read_bytes = before + document.position
            batch.ends_shard = shard_bytes >= options.shard_bytes
            if batch.ends_shard:
                shard_bytes = 0
            if batch.ends_shard or batch.text_bytes >= BATCH_BYTES:
                yield batch
                batch = Batch()
        before += size
    if batch.texts:
        yield batch


def _take(batch: Batch, text: str | bytes, name: str, errors: str) -> int:
    """Put a document into a batch; return its length in bytes."""
    if isinstance(text, bytes) and errors != "strict":
        text = text.decode(errors=errors)
    length = len(text) if isinstance(text, bytes) or text.isascii() else len(text.encode())
    batch.texts.append(text)
    batch.names.append(name)
    batch.text_bytes += length
    return length


def encode_batch(encode: Callable[[list[str | bytes]], RaggedIds], batch: Batch) -> RaggedIds:
    """Return the ids of a batch.

    Raises:
        InvalidArgumentError: A document is not UTF-8; it is named.
    """
    try:
        return encode(batch.texts)
    except ValueError:
        _name_invalid(batch)
        raise


def _name_invalid(batch: Batch) -> None:
    """Say which document is not UTF-8, if that is what went wrong."""
    for text, name in zip(batch.texts, batch.names, strict=True):
        if isinstance(text, bytes):
            try:
                text.decode()
            except UnicodeDecodeError as error:
                message = (
                    f"paths: document {name} is not valid UTF-8 at its byte {error.start}; "
                    "convert it, or pass errors='replace'"
                )
                raise InvalidArgumentError(message, "paths") from error
