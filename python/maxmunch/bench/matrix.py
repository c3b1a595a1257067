"""Rounds of cells in turns, and the table that they make."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from maxmunch.bench.engines import ENGINES, OURS, reference_for
from maxmunch.bench.measures import MEASURES, Cell, Order
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Bench", "Row", "dated", "loads", "summary"]

CELL_SECONDS = 600
"""Most time of one process; an engine that takes longer shows a dash."""


def _names(given: Sequence[str], known: Sequence[str], argument: str) -> list[str]:
    for name in given:
        if name not in known:
            message = f"{argument}: {name!r} is none; known are {', '.join(known)}"
            raise InvalidArgumentError(message, argument)
    return list(given)


@functools.cache
def _digest(path: Path) -> str:
    """Return a hash of a file, read once: reading before each process would cool its caches."""
    with path.open("rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


@dataclass(frozen=True)
class Row:
    """One tokenizer, one text, one measure: the figures of every engine."""

    tokenizer: str
    text: str
    measure: str
    cells: dict[str, list[Cell]]
    """By engine, round by round; empty where the engine failed."""
    expected: str | None
    """The hash of the reference's ids; None when it gave none."""

    def rates(self, engine: str) -> list[float]:
        """Return MB of UTF-8 a second, round by round."""
        wall = MEASURES[self.measure].several
        return [
            c.bytes / 1e6 / max(1e-9, c.wall_s if wall else c.cpu_s) for c in self.cells[engine]
        ]

    def exact(self, engine: str) -> bool:
        """Return whether every round gave the ids of the reference."""
        return bool(self.cells[engine]) and {c.ids for c in self.cells[engine]} == {self.expected}

    def _mark(self, engine: str) -> str:
        if self.exact(engine):
            return ""
        return " ?" if self.expected is None else " ✗"

    @property
    def ratio(self) -> float | None:
        """Our median over that of the fastest exact rival; None where there is none."""
        rivals = [e for e in self.cells if e != OURS and self.exact(e)]
        if OURS not in self.cells or not self.exact(OURS) or not rivals:
            return None
        fastest = max(statistics.median(self.rates(engine)) for engine in rivals)
        return statistics.median(self.rates(OURS)) / fastest

    def columns(self) -> list[str]:
        """Return what stands in the table: names, a column an engine, the ratio."""
        shown = [self.tokenizer, self.text]
        for engine in self.cells:
            rates = self.rates(engine)
            if not rates:
                shown.append("-")
                continue
            middle = statistics.median(rates)
            shown.append(f"{middle:.1f} ({min(rates):.1f}-{max(rates):.1f}){self._mark(engine)}")
        return [*shown, "-" if self.ratio is None else f"{self.ratio:.2f}"]


@dataclass
class Bench:
    """How to compare; the engines that are not installed are left out and named.

    Args:
        engines: Names of `ENGINES`; all that are installed when empty.
        rounds: Processes an engine and cell.
        threads: Threads of the measures `batch` and `parallel`.
        megabytes: Most text a cell; each measure's own when None.
        kept: A file that keeps the reference's hashes from run to run; it is slow.

    Raises:
        InvalidArgumentError: An unknown engine.
    """

    engines: Sequence[str] = ()
    rounds: int = 5
    threads: int = 2
    megabytes: float | None = None
    kept: Path | None = None
    missing: list[str] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Sort out what is not installed."""
        named = _names(self.engines or list(ENGINES), list(ENGINES), "engines")
        self.missing = [name for name in named if ENGINES[name].version() is None]
        self.engines = [name for name in named if name not in self.missing]

    def about(self) -> str:
        """Return versions and machine, for the head of a record."""
        versions = ", ".join(f"{name} {ENGINES[name].version()}" for name in self.engines)
        absent = f" Not installed: {', '.join(self.missing)}." if self.missing else ""
        return (
            f"{versions}; Python {platform.python_version()}, {platform.machine()}, "
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start.{absent}"
        )

    def row(self, tokenizer: Path, text: Path, measure: str) -> Row | None:
        """Return one row; None when the text is less than half as long as the measure wants.

        Raises:
            InvalidArgumentError: An unknown measure.
        """
        _names([measure], list(MEASURES), "measures")
        wanted = self.megabytes or MEASURES[measure].megabytes
        if self.megabytes is None and text.stat().st_size < wanted * 5e5:
            return None
        cells: dict[str, list[Cell]] = {engine: [] for engine in self.engines}
        reference = reference_for(tokenizer)
        for turn in range(self.rounds):
            for engine in self.engines:
                # The reference of tokenizer.json is slow: it gives the ids, once.
                again = turn == 0 or (cells[engine] and engine != "tokenizers")
                if again and not (engine == "tokenizers" and self._kept(tokenizer, text, measure)):
                    cell = self._process(engine, measure, tokenizer, text, wanted)
                    cells[engine] += [cell] if cell else []
        expected = self._kept(tokenizer, text, measure)
        if expected is None and cells.get(reference):
            expected = cells[reference][0].ids
            self._keep(tokenizer, text, measure, expected)
        return Row(tokenizer.stem, text.stem, measure, cells, expected)

    def _process(
        self, engine: str, measure: str, tokenizer: Path, text: Path, megabytes: float
    ) -> Cell | None:
        several = MEASURES[measure].several
        threads = self.threads if several else 1
        order = Order(engine, measure, str(tokenizer), str(text), megabytes, threads)
        command = [sys.executable, "-m", "maxmunch.bench", json.dumps(asdict(order))]
        environment = os.environ | {
            "TOKENIZERS_PARALLELISM": "true" if several else "false",
            "RAYON_NUM_THREADS": str(threads),
        }
        try:
            done = subprocess.run(  # noqa: S603
                command,
                capture_output=True,
                text=True,
                timeout=CELL_SECONDS,
                env=environment,
                check=False,
            )
            found = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
        except (subprocess.TimeoutExpired, json.JSONDecodeError, IndexError):
            return None
        return None if found is None else Cell(**found)

    def _key(self, tokenizer: Path, text: Path, measure: str) -> str:
        digests = "".join(map(_digest, (tokenizer, text)))
        size = self.megabytes or MEASURES[measure].megabytes
        shape = "document" if MEASURES[measure].single else "documents"
        return f"{digests} {shape} {size}"

    def _all_kept(self) -> dict[str, Any]:
        if self.kept is None or not self.kept.exists():
            return {}
        found: dict[str, Any] = json.loads(self.kept.read_text(encoding="utf-8"))
        return found

    def _kept(self, tokenizer: Path, text: Path, measure: str) -> str | None:
        kept = self._all_kept()
        return kept.get(self._key(tokenizer, text, measure)) if kept else None

    def _keep(self, tokenizer: Path, text: Path, measure: str, ids: str) -> None:
        if self.kept is not None:
            kept = self._all_kept() | {self._key(tokenizer, text, measure): ids}
            self.kept.write_text(json.dumps(kept, indent=0), encoding="utf-8")


def summary(rows: Sequence[Row]) -> str:
    """Return the geometric mean of the ratios, and the least."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    if not ratios:
        return "No cell has an exact rival."
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    below = sum(ratio < 1 for ratio in ratios)
    return (
        f"Geometric mean of the ratios: {mean:.2f}; least {min(ratios):.2f}; "
        f"{below} of {len(ratios)} cells below 1."
    )


def loads(rows: Sequence[Row]) -> list[list[str]]:
    """Return, for each tokenizer, each engine's median load: CPU seconds and MB."""
    found: dict[str, dict[str, list[Cell]]] = {}
    for row in rows:
        engines = found.setdefault(row.tokenizer, {})
        for engine, cells in row.cells.items():
            engines.setdefault(engine, []).extend(cells)
    lines = []
    for tokenizer, engines in found.items():
        line = [tokenizer]
        for cells in engines.values():
            seconds = [cell.load_s for cell in cells]
            memory = [cell.load_mb for cell in cells]
            line.append(
                f"{statistics.median(seconds):.3f} s, {statistics.median(memory):.0f} MB"
                if cells
                else "-"
            )
        lines.append(line)
    return lines


def dated() -> str:
    """Return today's date, for the head of a record."""
    return time.strftime("%Y-%m-%d")
