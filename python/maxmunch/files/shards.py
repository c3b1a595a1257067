"""Writing one shard: under a temporary name until it is whole."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError
from maxmunch.files.manifest import Shard, replace_file

if TYPE_CHECKING:
    from pathlib import Path

    from maxmunch.encoding import RaggedIds

__all__ = ["FORMATS", "ShardWriter", "check_format"]

FORMATS = ("npy", "bin", "parquet")
# The header of an .npy file is padded to a multiple of 64 bytes; this leaves room for any length.
NPY_HEADER_BYTES = 128


def check_format(name: str) -> None:
    """Refuse a format that is unknown or whose library is missing.

    Raises:
        InvalidArgumentError: It is.
    """
    if name not in FORMATS:
        message = f"format: {name!r} should be one of {', '.join(FORMATS)}"
        raise InvalidArgumentError(message, "format")
    if name == "parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            message = "format: parquet needs pyarrow: pip install 'maxmunch[data]'"
            raise InvalidArgumentError(message, "format") from error


class ShardWriter:
    """Takes the ids of documents in order; `close` gives the shard its name."""

    def __init__(self, directory: Path, number: int, kind: str, dtype: str) -> None:
        self._final = directory / f"shard-{number:05d}.{kind}"
        self._final_offsets = directory / f"shard-{number:05d}.offsets.npy"
        self._temporary = directory / f".{self._final.name}.tmp"
        self._dtype = dtype
        self._ends: list[Any] = []
        self._ids = self._documents = 0
        self.text_bytes = 0
        self._file = self._temporary.open("wb")
        self._body = _BODIES[kind](self._file, dtype)

    def add(self, ragged: RaggedIds, text_bytes: int) -> None:
        """Append documents; `text_bytes` is the length of their text."""
        self._body.add(ragged)
        self._ends.append(ragged.offsets[1:] + self._ids)
        self._ids += len(ragged.ids)
        self._documents += len(ragged)
        self.text_bytes += text_bytes

    def close(self) -> Shard:
        """Finish both files and give them their names."""
        import numpy as np

        self._body.finish(self._ids)
        replace_file(self._file, self._temporary, self._final)
        self._file.close()
        offsets = np.concatenate([np.zeros(1, np.int64), *self._ends]).astype(np.int64)
        with self._temporary.open("wb") as file:
            np.save(file, offsets)
            replace_file(file, self._temporary, self._final_offsets)
        return Shard(
            self._final,
            self._final_offsets,
            self._documents,
            self._ids,
            self.text_bytes,
            self._dtype,
        )

    def abandon(self) -> None:
        """Leave nothing behind; after `close` there is nothing to leave."""
        self._file.close()
        self._temporary.unlink(missing_ok=True)


class _Raw:
    """Ids one after the other, little-endian."""

    def __init__(self, file: IO[bytes], dtype: str) -> None:
        self._file, self._dtype = file, dtype

    def add(self, ragged: RaggedIds) -> None:
        self._file.write(ragged.ids.astype(f"<{_CODES[self._dtype]}", copy=False).data)

    def finish(self, _ids: int) -> None:
        pass


class _Npy(_Raw):
    """An array whose length is written into its header at the end."""

    def __init__(self, file: IO[bytes], dtype: str) -> None:
        super().__init__(file, dtype)
        file.write(bytes(NPY_HEADER_BYTES))

    def finish(self, ids: int) -> None:
        described = (
            f"{{'descr': '<{_CODES[self._dtype]}', 'fortran_order': False, 'shape': ({ids},), }}"
        )
        room = NPY_HEADER_BYTES - 10
        header = described.ljust(room - 1) + "\n"
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + room.to_bytes(2, "little") + header.encode())


class _Parquet:
    """A row a document, a row group a batch."""

    def __init__(self, file: IO[bytes], dtype: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self._type = pa.from_numpy_dtype(dtype)
        schema = pa.schema([("ids", pa.large_list(self._type))])
        self._writer = parquet.ParquetWriter(file, schema)
        self._schema = schema

    def add(self, ragged: RaggedIds) -> None:
        import pyarrow as pa

        values = pa.array(ragged.ids, self._type)
        column = pa.LargeListArray.from_arrays(pa.array(ragged.offsets), values)
        self._writer.write_table(pa.table([column], schema=self._schema))

    def finish(self, _ids: int) -> None:
        self._writer.close()


_CODES = {"uint16": "u2", "uint32": "u4"}
_BODIES: dict[str, Any] = {"npy": _Npy, "bin": _Raw, "parquet": _Parquet}
