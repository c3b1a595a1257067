"""What a directory of shards holds, where its next shard begins, and what it was made from."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from maxmunch.encoding import RaggedIds

__all__ = ["MANIFEST_NAME", "Manifest", "Position", "Shard", "fingerprint", "replace_file"]

MANIFEST_NAME = "manifest.json"
VERSION = 1


@dataclass(frozen=True)
class Position:
    """A place between two documents: how many documents of which input are behind it."""

    file: int = 0
    documents: int = 0


@dataclass(frozen=True)
class Shard:
    """One shard: its files, and what they hold.

    Attributes:
        path: The ids: `.npy`, raw `.bin`, or `.parquet` with a list of ids a row.
        offsets_path: int64 `.npy`, shape (documents + 1,): document `i` has the ids
            `offsets[i]:offsets[i + 1]` of this shard.
        documents: Number of documents.
        ids: Number of ids.
        text_bytes: Bytes of the documents' text.
        dtype: "uint16" or "uint32".
    """

    path: Path
    offsets_path: Path
    documents: int
    ids: int
    text_bytes: int
    dtype: str

    def load(self) -> RaggedIds:
        """Return the ids of each document; `.npy` and `.bin` are mapped, not read."""
        import numpy as np

        from maxmunch.encoding import RaggedIds

        offsets = np.load(self.offsets_path)
        if self.path.suffix == ".parquet":
            from pyarrow import parquet

            column = parquet.read_table(self.path, columns=["ids"]).column("ids")
            ids = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
        elif self.ids == 0:
            ids = np.empty(0, self.dtype)
        elif self.path.suffix == ".bin":
            ids = np.memmap(self.path, self.dtype, "r")
        else:
            ids = np.load(self.path, mmap_mode="r")
        return RaggedIds(ids, offsets)


@dataclass
class Manifest:
    """The result of `Tokenizer.encode_files`, and of `Manifest.load`.

    Attributes:
        directory: Where the shards are.
        fingerprint: SHA-256 of the tokenizer and of all that changes ids or shards.
        inputs: Name, size in bytes and time of change (ns) of each input file.
        shards: The finished shards in the order of the text.
        position: Where the next shard begins.
        complete: Whether every input is encoded.
    """

    directory: Path
    fingerprint: str
    inputs: list[list[Any]]
    shards: list[Shard] = field(default_factory=list)
    position: Position = Position()
    complete: bool = False

    @property
    def documents(self) -> int:
        """Documents in all shards."""
        return sum(shard.documents for shard in self.shards)

    @property
    def ids(self) -> int:
        """Ids in all shards."""
        return sum(shard.ids for shard in self.shards)

    @property
    def text_bytes(self) -> int:
        """Bytes of text in all shards."""
        return sum(shard.text_bytes for shard in self.shards)

    def append(self, shard: Shard, position: Position) -> None:
        """Record a finished shard, on the disk before this returns."""
        self.shards.append(shard)
        self.position = position
        self.write()

    def write(self) -> None:
        """Replace the manifest on the disk by this one."""
        shards = [
            {
                "ids": shard.path.name,
                "offsets": shard.offsets_path.name,
                "documents": shard.documents,
                "n_ids": shard.ids,
                "text_bytes": shard.text_bytes,
                "dtype": shard.dtype,
            }
            for shard in self.shards
        ]
        document = {
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "complete": self.complete,
            "documents": self.documents,
            "n_ids": self.ids,
            "position": [self.position.file, self.position.documents],
            "inputs": self.inputs,
            "shards": shards,
        }
        text = json.dumps(document, ensure_ascii=False, indent=1)
        temporary = self.directory / f".{MANIFEST_NAME}.tmp"
        with temporary.open("wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
            replace_file(file, temporary, self.directory / MANIFEST_NAME)

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> Manifest:
        """Return the manifest of a directory of shards.

        Raises:
            InvalidArgumentError: It is damaged, or of another version.
            OSError: It cannot be read.
        """
        root = Path(directory)
        path = root / MANIFEST_NAME
        try:
            found = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
            if found["version"] != VERSION:
                message = f"{path}: version {found['version']} should be {VERSION}; encode again"
                raise InvalidArgumentError(message, "output")
            shards = [
                Shard(
                    root / Path(entry["ids"]).name,
                    root / Path(entry["offsets"]).name,
                    int(entry["documents"]),
                    int(entry["n_ids"]),
                    int(entry["text_bytes"]),
                    str(entry["dtype"]),
                )
                for entry in found["shards"]
            ]
            position = Position(*map(int, found["position"]))
            inputs, complete = list(found["inputs"]), bool(found["complete"])
            return cls(root, str(found["fingerprint"]), inputs, shards, position, complete)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InvalidArgumentError):
                raise
            message = f"{path} is no manifest of shards ({error}); give another directory"
            raise InvalidArgumentError(message, "output") from error


def fingerprint(parts: dict[str, Any]) -> str:
    """Return a SHA-256 of everything that decides what the shards hold."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def replace_file(file: Any, temporary: Path, final: Path) -> None:
    """Flush an open file to the disk and give it its name, all or nothing."""
    file.flush()
    os.fsync(file.fileno())
    temporary.replace(final)
