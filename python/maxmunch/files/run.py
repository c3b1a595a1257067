"""Encoding files: read, encode and write at the same time, one shard after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.corpus.documents import list_files
from maxmunch.encoding import RaggedIds
from maxmunch.errors import InvalidArgumentError
from maxmunch.files.batches import encode_batch, read_batches
from maxmunch.files.manifest import MANIFEST_NAME, Manifest, fingerprint
from maxmunch.files.shards import FORMATS, ShardWriter
from maxmunch.progress import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import numpy.typing as npt

    from maxmunch._core import TokenizerCore
    from maxmunch.files.batches import Batch, FileOptions

__all__ = ["encode_documents", "encode_files"]

LARGEST_UINT16 = 0xFFFF


def encode_documents(
    encode: Callable[[list[str | bytes]], RaggedIds], paths: Any, options: FileOptions
) -> Iterator[tuple[str, npt.NDArray[np.uint32]]]:
    """Yield the name of each document, its file and its number there, with its ids."""
    files = list_files(paths)
    for batch in read_batches(files, [0] * len(files), options):
        yield from zip(batch.names, encode_batch(encode, batch), strict=True)


def encode_files(
    core: TokenizerCore,
    paths: Any,
    output: Any,
    options: FileOptions,
    *,
    resume: bool,
    progress: bool | Callable[[str, int, int], object],
) -> Manifest:
    """Encode files into shards; see `Tokenizer.encode_files`.

    Args:
        core: What encodes.
        paths: The inputs.
        output: The directory of the shards.
        options: How to read, encode and write.
        resume: Go on from what `output` holds.
        progress: Draw a bar, or a function called with `(phase, done, total)` bytes.
    """
    files = list_files(paths)
    directory = Path(output)
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory):
        wanted = Manifest(directory, "", [_identity(file) for file in files])
        wanted.fingerprint = fingerprint({"tokenizer": core.to_json(False), **options.described()})
        manifest = _found(wanted, resume=resume)
        if not manifest.complete:
            with ProgressBar(enabled=progress is True, bytes_per_second=True) as bar:
                show = progress if callable(progress) else bar
                _Run(core, files, options, manifest, show).finish()
    return manifest


def _identity(file: str) -> list[Any]:
    if file == "-":
        return ["-", 0, 0]
    found = Path(file).stat()
    return [file, found.st_size, found.st_mtime_ns]


def _found(wanted: Manifest, *, resume: bool) -> Manifest:
    """Return the manifest to go on with, in a directory without unfinished files."""
    directory = wanted.directory
    has_manifest = (directory / MANIFEST_NAME).exists()
    manifest = Manifest.load(directory) if has_manifest and resume else wanted
    if manifest.fingerprint != wanted.fingerprint:
        message = (
            f"output: {str(directory)!r} holds shards of another tokenizer or other options; "
            "give another directory, or resume=False to replace them"
        )
        raise InvalidArgumentError(message, "output")
    if manifest.inputs != wanted.inputs:
        message = (
            f"output: {str(directory)!r} holds shards of other inputs, or an input changed since; "
            "give another directory, or resume=False to replace them"
        )
        raise InvalidArgumentError(message, "output")
    for shard in manifest.shards:
        if not (shard.path.exists() and shard.offsets_path.exists()):
            message = f"output: {str(shard.path)!r} is missing; start over with resume=False"
            raise InvalidArgumentError(message, "output")
    if not has_manifest or not resume:
        manifest.write()
    _remove_unnamed(directory, manifest)
    return manifest


def _remove_unnamed(directory: Path, manifest: Manifest) -> None:
    """Remove what an interrupted or replaced run left: shard files that the manifest lacks."""
    named = {path.name for shard in manifest.shards for path in (shard.path, shard.offsets_path)}
    for kind in (*FORMATS, "offsets.npy"):
        for path in [
            *directory.glob(f"shard-[0-9]*.{kind}"),
            *directory.glob(f".shard-*.{kind}.tmp"),
        ]:
            if path.name not in named:
                path.unlink()


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the directory for one process; the lock ends with it, however that ends."""
    try:
        import fcntl
    except ImportError:  # no such locks there: two runs into one directory stay the user's care
        yield
        return
    with (directory / ".lock").open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            message = f"output: another run writes to {str(directory)!r}; wait, or give another one"
            raise InvalidArgumentError(message, "output") from error
        yield


class _Run:
    """One run: where it reads, what it writes."""

    def __init__(
        self,
        core: TokenizerCore,
        files: list[str],
        options: FileOptions,
        manifest: Manifest,
        show: Callable[[str, int, int], object],
    ) -> None:
        self._core, self._files, self._options = core, files, options
        self._manifest, self._show = manifest, show
        self._total = sum(int(entry[1]) for entry in manifest.inputs)
        # Raw files take half the room where every id fits; the other formats keep one type.
        largest = max(core.vocabulary(True).values(), default=0)
        small = options.format == "bin" and largest <= LARGEST_UINT16
        self._dtype = "uint16" if small else "uint32"

    def finish(self) -> None:
        """Make all shards that are missing."""
        sizes = [int(entry[1]) for entry in self._manifest.inputs]
        batches = read_batches(self._files, sizes, self._options, self._manifest.position)
        writer: ShardWriter | None = None
        end = self._manifest.position
        with ThreadPoolExecutor(1, "maxmunch-read") as reader:
            try:
                coming = reader.submit(next, batches, None)
                while (batch := coming.result()) is not None:
                    coming = reader.submit(next, batches, None)
                    writer = writer or self._next_writer()
                    writer.add(self._encode(batch), batch.text_bytes)
                    end = batch.end
                    self._show("encode", batch.read_bytes, self._total)
                    if batch.ends_shard:
                        self._manifest.append(writer.close(), end)
                        writer = None
                if writer is not None:
                    self._manifest.append(writer.close(), end)
                    writer = None
            finally:
                if writer is not None:
                    writer.abandon()
        self._manifest.complete = True
        self._manifest.write()

    def _next_writer(self) -> ShardWriter:
        number = len(self._manifest.shards)
        directory = self._manifest.directory
        return ShardWriter(directory, number, self._options.format, self._dtype)

    def _encode(self, batch: Batch) -> RaggedIds:
        ragged = encode_batch(self._ids, batch)
        if self._dtype == "uint16" and len(ragged.ids) and ragged.ids.max() > LARGEST_UINT16:
            # A template may name an id that the vocabulary does not have.
            message = f"format: id {ragged.ids.max()} does not fit into 16 bits; use 'npy'"
            raise InvalidArgumentError(message, "format")
        return ragged

    def _ids(self, texts: list[str | bytes]) -> RaggedIds:
        options = self._options
        arguments = (options.add_special_tokens, options.specials, options.threads)
        return RaggedIds(*self._core.encode_ids_batch(texts, *arguments))
