"""Pretoken counts: a value that can be saved, loaded, added and cut to its most frequent part."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["PretokenCounts"]

MAGIC = b"maxmunch pretoken counts\n"
VERSION = 1
DIGEST_BYTES = 32
ROWS = 65_536


@dataclass(frozen=True, eq=False)
class PretokenCounts:
    """Distinct pretokens and how often each occurs, by decreasing count, ties by bytes.

    Attributes:
        pattern: The regular expression that cut the text, in the syntax of `tokenizers`.
        documents: Documents that were read.
        bytes_read: Bytes of text that were read.
        invalid: Parts that were not UTF-8 and were replaced or left out.
        dropped: Occurrences of rare pretokens that were dropped to keep the memory limit; the
            counts are exact when it is 0.
        left_out: Occurrences of pretokens that `top` has cut off.
        text_distinct: Distinct pretokens of the text that `top` has cut this table from; None when
            nothing was cut off, or when tables were added since.

    Example:
        >>> counts = PretokenCounts.from_items({"to": 2, " be": 2, " or": 1, " not": 1})
        >>> len(counts), counts.total
        (4, 6)
        >>> counts.top(1).items()
        [(b' be', 2)]
    """

    _table: _core.PretokenTable
    pattern: str
    documents: int = 0
    bytes_read: int = 0
    invalid: int = 0
    dropped: int = 0
    left_out: int = 0
    text_distinct: int | None = None

    @classmethod
    def from_items(
        cls,
        items: Mapping[str, int] | Mapping[bytes, int] | Iterable[tuple[bytes | str, int]],
        *,
        pattern: str = "o200k",
    ) -> PretokenCounts:
        """Return the counts of `items`, as another program has counted them.

        Args:
            items: Pretokens and their counts, at least 1 each; equal pretokens are added up.
            pattern: The regular expression that cut the text; the trained tokenizer will use it.

        Raises:
            InvalidArgumentError: An empty pretoken, a count outside 1..2**64, or a bad pattern.
        """
        pairs: Iterable[tuple[bytes | str, int]]
        pairs = items.items() if hasattr(items, "items") else items
        rows = [(p.encode() if isinstance(p, str) else bytes(p), n) for p, n in pairs]
        wrong = next((row for row in rows if not 0 < row[1] < 2**64), None)
        if wrong is not None:
            message = f"counts: {wrong[0]!r} occurs {wrong[1]} times; a count is at least 1 (u64)"
            raise InvalidArgumentError(message, "counts")
        source = _core.PretokenCounter(pattern, "strict", 1, None).source
        return cls(_core.PretokenTable.from_pairs(rows), source)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def total(self) -> int:
        """Pretokens in the text, repeats included."""
        return self._table.total()

    @property
    def total_bytes(self) -> int:
        """Bytes of the text that the pretokens cover, repeats included."""
        return self._table.total_bytes()

    @property
    def fingerprint(self) -> str:
        """A hash of the pattern and of every pretoken and count (SHA-256, hexadecimal)."""
        digest = hashlib.sha256(self.pattern.encode())
        for part in self._table.parts():
            digest.update(part)
        return digest.hexdigest()

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        for start in range(0, len(self), ROWS):
            yield from self._table.rows(start, start + ROWS)

    @property
    def text_total(self) -> int:
        """Pretokens of the text that was counted, those that the table lacks included."""
        return self.total + self.left_out + self.dropped

    def items(self) -> list[tuple[bytes, int]]:
        """Return all pretokens and counts, the most frequent first."""
        return self._table.rows(0, len(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PretokenCounts):
            return NotImplemented
        return self.pattern == other.pattern and self._table.parts() == other._table.parts()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        read = f"{self.total:,} in {self.documents:,} documents"
        return f"PretokenCounts({len(self):,} distinct, {read})"

    def top(self, n: int) -> PretokenCounts:
        """Return the `n` most frequent pretokens with their counts.

        Raises:
            InvalidArgumentError: `n` is below 1.
        """
        if n < 1:
            raise InvalidArgumentError(f"n: {n} is below 1; give a number of pretokens", "n")
        table = self._table.top(n)
        if len(table) == len(self):
            return self
        return replace(
            self,
            _table=table,
            left_out=self.left_out + self.total - table.total(),
            text_distinct=self.text_distinct or (None if self.left_out else len(self)),
        )

    def __add__(self, other: PretokenCounts) -> PretokenCounts:
        if not isinstance(other, PretokenCounts):
            return NotImplemented
        if self.pattern != other.pattern:
            message = (
                "counts: the two were cut by different patterns, so their sum counts nothing;"
                " count one of the texts again with the other's pattern"
            )
            raise InvalidArgumentError(message, "counts")
        return PretokenCounts(
            self._table.merge(other._table),
            self.pattern,
            self.documents + other.documents,
            self.bytes_read + other.bytes_read,
            self.invalid + other.invalid,
            self.dropped + other.dropped,
            self.left_out + other.left_out,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a count file; it replaces `path` only once it is complete.

        The file holds a header (version, pattern, what was read), the sorted table, and a SHA-256
        of both.

        Raises:
            OSError: The file cannot be written; what was at `path` is kept.
        """
        lengths, counts, pretokens = self._table.parts()
        header: dict[str, Any] = {
            "version": VERSION,
            "pattern": self.pattern,
            "pattern_sha256": hashlib.sha256(self.pattern.encode()).hexdigest(),
            "distinct": len(self),
            "total": self.total,
            "bytes": len(pretokens),
            "documents": self.documents,
            "bytes_read": self.bytes_read,
            "invalid": self.invalid,
            "dropped": self.dropped,
            "left_out": self.left_out,
            "text_distinct": self.text_distinct,
        }
        body = [MAGIC, json.dumps(header).encode() + b"\n", lengths, counts, pretokens]
        write_whole(path, [*body, hashlib.sha256(b"".join(body)).digest()])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PretokenCounts:
        """Return the counts that `save` wrote to `path`.

        Raises:
            InvalidArgumentError: The file is not a count file, is of another version, or is
                damaged.
            OSError: The file cannot be read.
        """
        data = Path(path).read_bytes()
        if not data.startswith(MAGIC):
            raise _refusal(path, "is not a count file of maxmunch")
        body, digest = data[:-DIGEST_BYTES], data[-DIGEST_BYTES:]
        if hashlib.sha256(body).digest() != digest:
            raise _refusal(path, "is damaged: its checksum does not fit its content")
        end = body.index(b"\n", len(MAGIC))
        header = json.loads(body[len(MAGIC) : end])
        if header["version"] != VERSION:
            raise _refusal(path, f"has version {header['version']}, this program reads {VERSION}")
        first = end + 1
        second = first + 4 * header["distinct"]
        third = second + 8 * header["distinct"]
        table = _core.PretokenTable.from_parts(body[first:second], body[second:third], body[third:])
        names = ("documents", "bytes_read", "invalid", "dropped", "left_out", "text_distinct")
        # Files of before there were the last two lack them.
        known = {name: header[name] for name in names if name in header}
        return cls(table, header["pattern"], **known)


def _refusal(path: str | os.PathLike[str], why: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"path: {os.fspath(path)} {why}; count the corpus again", "path")


def write_whole(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write `parts` beside `path`, then move it there; a failure leaves `path` as it was.

    Raises:
        OSError: It cannot be written, for example because the disk is full; names `path`.
    """
    target = Path(path)
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as error:
        # A full disk is noticed by a call that knows no name.
        raise type(error)(error.errno, error.strerror, os.fspath(target)) from error
    finally:
        partial.unlink(missing_ok=True)
