"""The theorem as a scanner: chunks cut at anchors, scanned in parallel, compared byte for byte.

The inventory comes first and is pinned by a digest of the token set and its windows, beside one of
the sources that decide it; then a text is cut at anchors, every chunk is scanned on its own thread,
and the joined boundary stream is compared with the sequential one. Times are the best of several
runs of the whole parallel scan, planning, threads and joining included; deriving the inventory is
excluded and timed apart.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch import _core
from maxmunch.certify import grammars
from maxmunch.certify.token_set import parallel_scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maxmunch.certify.token_set import TokenSet

HALF_MEBIBYTE = 1 << 19


@dataclass(frozen=True)
class ArtifactRun:
    """One configuration.

    Attributes:
        bytes: Length of the text.
        threads: Number of threads asked for.
        chunks: Number of chunks that the anchors allowed.
        snap_distances: Bytes from each point of equal division to its cut.
        seconds: Best time of the parallel scan; the sequential scan for one thread.
        identical: Whether the boundary streams are equal, byte for byte.
    """

    bytes: int
    threads: int
    chunks: int
    snap_distances: list[int]
    seconds: float
    identical: bool


@dataclass(frozen=True)
class Artifact:
    """What a run of the scanner artifact found.

    Attributes:
        grammar: Name of the campaign grammar.
        pin: SHA-256 of the token set's fingerprint and of the minimal certified windows.
        sources: SHA-256 of what decides them here: this package's files and the compiled core.
        inventory_seconds: Time to derive the inventory, not part of any run's time.
        runs: One row per text and number of threads.
        excluded: What the times leave out, in words.
    """

    grammar: str
    pin: str
    sources: str
    inventory_seconds: float
    runs: list[ArtifactRun]
    excluded: str


def scanner_artifact(
    grammar: str = "conventional",
    *,
    threads: Sequence[int] = (1, 2, 4, 8, 16, 32),
    copies: Sequence[int] = (1, 16),
    repetitions: int = 5,
    max_width: int = 4,
    seed: int = 0,
) -> Artifact:
    """Scan half a MiB of campaign text, and copies of it, at every number of threads.

    Args:
        grammar: Name of a campaign grammar.
        threads: Numbers of threads.
        copies: Texts: this many copies of half a MiB each (16 copies are 8,388,608 bytes).
        repetitions: Runs per configuration, of which the fastest counts.
        max_width: Widest window that may anchor.
        seed: Seed of the text.

    Raises:
        InvalidArgumentError: There is no grammar of that name.
    """
    token_set = grammars.token_set(grammar)
    started = time.perf_counter()
    pin = inventory_pin(token_set, max_width)
    inventory_seconds = time.perf_counter() - started
    text = grammars.text(grammar, HALF_MEBIBYTE, seed=seed)
    runs = [
        _run(token_set, text * count, number, repetitions, max_width)
        for count in copies
        for number in threads
    ]
    return Artifact(
        grammar,
        pin,
        sources_digest(),
        inventory_seconds,
        runs,
        "deriving the inventory and making the text; planning, threads and joining are included",
    )


def inventory_pin(token_set: TokenSet, max_width: int) -> str:
    """Return a digest that changes with the token set and with its certified windows."""
    sha = hashlib.sha256(f"{token_set.fingerprint} {max_width}".encode())
    for suffix, rows in token_set.inventory(max_width).minimal_by_suffix():
        sha.update(repr((suffix, rows)).encode())
    return sha.hexdigest()


def sources_digest() -> str:
    """Return a digest of the files that decide windows: this package's, and the compiled core."""
    sha = hashlib.sha256()
    for path in [*sorted(Path(__file__).parent.glob("*.py")), Path(_core.__file__)]:
        sha.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return sha.hexdigest()


def _run(
    token_set: TokenSet, data: bytes, threads: int, repetitions: int, max_width: int
) -> ArtifactRun:
    expected = token_set.scan(data).starts
    plan = token_set.plan_cuts(data, threads, max_width=max_width)
    best, identical = float("inf"), True
    for _ in range(repetitions):
        started = time.perf_counter()
        if threads == 1:
            found = token_set.scan(data)
        else:
            found = parallel_scan(token_set, data, threads=threads, max_width=max_width)
        best = min(best, time.perf_counter() - started)
        identical = identical and found.starts.tobytes() == expected.tobytes()
    return ArtifactRun(len(data), threads, len(plan.cuts) + 1, plan.snap_distances, best, identical)
