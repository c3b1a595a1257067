"""What is measured, and the cell that measures it: one process, one engine, one text."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from maxmunch.bench.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MEASURES", "Cell", "Measure", "Order", "documents"]

DOCUMENT_BYTES = 10_000


@dataclass(frozen=True)
class Measure:
    """One way to give a text to an engine."""

    title: str
    megabytes: float
    """Most text to encode; a text with less than half of it is left out."""
    several: bool = False
    """Whether it runs on several threads: then time is that of the clock, else processor time."""
    single: bool = False
    """Whether the text is one document."""


MEASURES = {
    "first": Measure("First sight: distinct documents of 10 kB, one call each", 2),
    "steady": Measure("Steady: distinct documents of 10 kB, one call each", 20),
    "document": Measure("One document in one call", 10, single=True),
    "batch": Measure("Documents of 10 kB in one call, on several threads", 20, several=True),
    "parallel": Measure("One document on several threads", 10, several=True, single=True),
}
"""By name."""


@dataclass(frozen=True)
class Cell:
    """The figures of one process."""

    bytes: int
    load_s: float
    """Seconds of processor time to load the tokenizer, the engine imported before."""
    load_mb: float
    """Growth of the process by that."""
    cpu_s: float
    wall_s: float
    peak_mb: float
    """Most memory of the process above what it had before it loaded, the text aside."""
    ids: str
    """A hash of all ids."""


def documents(text: Path, limit: int) -> list[str]:
    """Return documents at even strides over a file, together about `limit` bytes, none twice."""
    size, count = text.stat().st_size, max(1, limit // DOCUMENT_BYTES)
    starts = range(0, max(1, size - DOCUMENT_BYTES), max(DOCUMENT_BYTES, size // count))
    with text.open("rb") as file:
        cut = [_read(file, start, DOCUMENT_BYTES) for start in starts]
    return cut[:count]


def _read(file: BinaryIO, start: int, length: int) -> str:
    file.seek(start)
    return file.read(length).decode(errors="ignore")


def _stay() -> None:
    """Keep this process on one processor: one that moves leaves its caches behind."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _spin() -> None:
    """Work for half a second: a processor that was idle is slow at first, and cells are short."""
    end = time.process_time() + 0.5
    while time.process_time() < end:
        pass


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _hashed(results: list[Any]) -> str:
    import numpy as np

    seen = hashlib.sha256()
    for result in results:
        seen.update(np.asarray(getattr(result, "ids", result), dtype=np.uint32).tobytes())
    return seen.hexdigest()[:16]


def _work(measure: str, engine: Any, texts: list[str], threads: int) -> Callable[[], list[Any]]:
    """Return the timed part."""
    if measure == "batch":
        if engine.many is None:
            raise ValueError("the engine has no call for many texts")
        return lambda: [engine.many(texts, threads)]
    if measure == "parallel":
        if engine.one_on_threads is None:
            raise ValueError("the engine takes a single text on one thread only")
        return lambda: [engine.one_on_threads(texts[0], threads)]
    one: Callable[[str], Any] = engine.one
    return lambda: [one(text) for text in texts]


@dataclass(frozen=True)
class Order:
    """What one process is to do."""

    engine: str
    measure: str
    tokenizer: str
    text: str
    megabytes: float
    threads: int

    def texts(self) -> list[str]:
        """Return the texts to encode."""
        limit, path = int(self.megabytes * 1e6), Path(self.text)
        if not MEASURES[self.measure].single:
            return documents(path, limit)
        with path.open("rb") as file:
            return [_read(file, 0, limit)]

    def run(self) -> Cell:
        """Load, encode and hash, in this process."""
        import numpy as np

        if self.threads == 1:
            _stay()
        np.zeros(1)  # imported before the clock starts, for whoever returns arrays
        engine = ENGINES[self.engine]
        engine.warm()
        prepared, texts = engine.prepare(Path(self.tokenizer)), self.texts()
        size = sum(len(text.encode()) for text in texts)
        _spin()
        before, start = _peak(), time.process_time()
        loaded = engine.load(prepared)
        load_s, load_mb = time.process_time() - start, _peak() - before
        work = _work(self.measure, loaded, texts, self.threads)
        wall, cpu = time.perf_counter(), time.process_time()
        results = work()
        cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
        peak = _peak() - before
        if self.measure == "batch" and loaded.flat is not None:
            results = [loaded.flat(results[0])]
        return Cell(size, load_s, load_mb, cpu_s, wall_s, peak, _hashed(results))


def main() -> None:
    """Run the cell that the argument describes; one line of JSON."""
    print(json.dumps(asdict(Order(**json.loads(sys.argv[1])).run())))
