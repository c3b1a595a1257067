"""The paper's table on a corpus of one's own: baselines, JOLT and search, sizes by scopes.

Each cell is computed once and kept in a directory, so that the table goes on where it stopped. What
does not fit into the time is a cell that says so, with how large its programs were; no number of
the paper is printed.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from maxmunch import _core, baselines
from maxmunch.corpus import PretokenCounts, count_pretokens
from maxmunch.corpus.counts import write_whole
from maxmunch.errors import InvalidArgumentError, TrainingError
from maxmunch.lp import TimeIsOver
from maxmunch.lp.highs import peak_bytes
from maxmunch.tokenizer import Tokenizer
from maxmunch.train import TrainingResult, train

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["REFERENCE", "Cell", "Table", "growth", "held_out_split"]

BLOCK = 64 << 10
PERIOD = 13
HELD_OUT = frozenset({0, 4, 8})
BATCH = 50_000
REFERENCE = "BPE-native"
# From this scope on the programs are solved by the protocol of two rounds.
LARGE = 300_000


@dataclass
class Cell:
    """One vocabulary: what it is, and what it costs.

    Attributes:
        method: `"BPE-native"`, ..., `"JOLT"`, `"search"`.
        vocab_size: All tokens, bytes included.
        scope: Most frequent pretokens that it was trained on; 0 for all.
        coverage: Share of the training text's pretokens in the scope.
        status: `"done"`, or why there is no result.
        scope_tokens: Tokens on the scope.
        training_tokens: Tokens on the training text.
        held_out_tokens: Tokens on the held-out text.
        bound: Proven lower bound on the scope.
        seconds: Wall time of training.
        cpu_seconds: Processor time of training, the solver's process included.
        peak_bytes: Largest memory of the process so far, with the solver's beside it.
        rounds: What each step did.
        tokens: The vocabulary in hexadecimal, for greedy ones.
    """

    method: str
    vocab_size: int
    scope: int = 0
    coverage: float = 1.0
    status: str = "done"
    scope_tokens: int = 0
    training_tokens: int = 0
    held_out_tokens: int = 0
    bound: int | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    rounds: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The cell's file, without its ending."""
        scope = f"-{self.scope}" if self.scope else ""
        return f"{self.method.lower().replace(' ', '-')}-{self.vocab_size}{scope}"


@dataclass
class Table:
    """Computes the cells; `run` yields them as they are ready.

    Attributes:
        folder: Where counts, cells and checkpoints are kept.
        training: Counts of the training text.
        held_out: Counts of the held-out text.
        until: When to stop, on the monotonic clock; None for never.
        certify: Whether to prove bounds for JOLT and search.
        threads: Threads of search and bound.
        progress: What `train` takes.
    """

    folder: Path
    training: PretokenCounts
    held_out: PretokenCounts
    until: float | None = None
    certify: bool = True
    threads: int | None = None
    progress: Any = False

    @classmethod
    def of_corpus(cls, corpus: Path, folder: Path, **options: Any) -> Table:
        """Return the table of a text file, which is split and counted once.

        Raises:
            InvalidArgumentError: The text is too short to hold anything out.
            OSError: A file cannot be read or written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        names = ("training", "held-out")
        files = [folder / f"{name}.counts" for name in names]
        if not all(path.exists() for path in files):
            texts = [folder / f"{name}.txt" for name in names]
            try:
                held_out_split(corpus, *texts)
                for text, path in zip(texts, files, strict=True):
                    count_pretokens(text, progress=options.get("progress", False)).save(path)
            finally:
                for text in texts:
                    text.unlink(missing_ok=True)
        training, held_out = (PretokenCounts.load(path) for path in files)
        return cls(folder, training, held_out, **options)

    def run(
        self, sizes: Sequence[int], scopes: Sequence[int], *, ablation: bool = False
    ) -> Iterator[Cell]:
        """Yield the cells, the cheap ones first; those that are kept come at once."""
        for size in sizes:
            for kind, name in (("bpe", "BPE"), ("wordpiece", "WordPiece"), ("unigram", "Unigram")):
                yield from self._baselines(kind, name, size)
            yield self._kept(Cell("search", size), self._search)
        for scope in scopes:
            for size in sizes:
                yield self._kept(self._scoped("JOLT", size, scope), self._jolt)
        if ablation and scopes and sizes:
            cell = self._scoped("JOLT M=4", min(sizes), min(scopes))
            yield self._kept(cell, lambda one: self._jolt(one, max_order=4))

    def _scoped(self, method: str, size: int, scope: int) -> Cell:
        top = self.training.top(scope)
        return Cell(method, size, scope, top.total / self.training.total)

    def _kept(self, cell: Cell, compute: Callable[[Cell], None]) -> Cell:
        """The cell from its file, else computed and written; an unfinished one is tried again."""
        path = self.folder / f"{cell.name}.json"
        with contextlib.suppress(OSError, ValueError, TypeError):
            return Cell(**json.loads(path.read_bytes()))
        if self.until is not None and time.monotonic() >= self.until:
            cell.status = "not begun: the time limit is over"
            return cell
        wall, cpu = time.perf_counter(), _processor_seconds()
        try:
            compute(cell)
        except TimeIsOver as error:
            cell.status = f"did not fit: {error}"
        except (TrainingError, InvalidArgumentError) as error:
            cell.status = f"no result: {error}"
        cell.seconds = round(time.perf_counter() - wall, 1)
        cell.cpu_seconds = round(_processor_seconds() - cpu, 1)
        solving = [step.get("peak_bytes", 0) for step in cell.rounds]
        cell.peak_bytes = max(peak_bytes(), *solving, 0)
        if cell.status == "done":
            write_whole(path, [json.dumps(asdict(cell)).encode()])
        return cell

    def _baselines(self, kind: str, name: str, size: int) -> Iterator[Cell]:
        """The native tokenizer of a trainer, and where it makes sense the greedy one."""
        native = Cell("WordPiece-greedy" if kind == "wordpiece" else f"{name}-native", size)
        file = self.folder / f"{kind}-{size}.tokenizer.json"

        def trained(cell: Cell) -> None:
            if not file.exists():
                text = baselines.train_json(self.training, size, kind)
                write_whole(file, [text.encode()])
            self._encode(cell, Tokenizer.from_file(str(file)))

        yield self._kept(native, trained)
        if kind != "wordpiece" and file.exists():
            greedy = Cell(f"{name}-greedy", size)
            yield self._kept(
                greedy,
                lambda cell: self._encode(cell, baselines.greedy(Tokenizer.from_file(str(file)))),
            )

    def _encode(self, cell: Cell, tokenizer: Tokenizer) -> None:
        cell.training_tokens = cell.scope_tokens = tokens_of(tokenizer, self.training)
        cell.held_out_tokens = tokens_of(tokenizer, self.held_out)

    def _search(self, cell: Cell) -> None:
        self._fill(
            cell,
            train(
                self.training,
                cell.vocab_size,
                certify=self.certify,
                time_limit=self._left(),
                threads=self.threads,
                progress=self.progress,
            ),
        )

    def _jolt(self, cell: Cell, max_order: int = 3) -> None:
        result = train(
            self.training,
            cell.vocab_size,
            method="jolt",
            top=cell.scope,
            max_order=max_order,
            max_rounds=2 if cell.scope >= LARGE else None,
            certify=self.certify,
            time_limit=self._left(),
            threads=self.threads,
            checkpoint=self.folder / f"{cell.name}.checkpoint",
            progress=self.progress,
        )
        self._fill(cell, result)

    def _fill(self, cell: Cell, result: TrainingResult) -> None:
        chosen = result.vocabulary[256:]
        cell.tokens = [token.hex() for token in chosen]
        cell.scope_tokens = result.cost
        cell.training_tokens = _core.recount(self.training._table, chosen)  # noqa: SLF001
        cell.held_out_tokens = _core.recount(self.held_out._table, chosen)  # noqa: SLF001
        cell.bound = None if result.bound is None else result.bound.value
        cell.rounds = [asdict(step) for step in result.rounds]
        if result.out_of_time:
            cell.status = "did not finish: the time limit ended it; the figures are the best so far"
        if result.interrupted:
            raise KeyboardInterrupt

    def _left(self) -> float | None:
        return None if self.until is None else max(1e-3, self.until - time.monotonic())


def _processor_seconds() -> float:
    """Return what this process and those that it waited for have used so far."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def tokens_of(tokenizer: Tokenizer, counts: PretokenCounts) -> int:
    """Return how many tokens the text of `counts` takes: each distinct pretoken is encoded once."""
    total = 0
    rows = counts.items()
    for first in range(0, len(rows), BATCH):
        part = rows[first : first + BATCH]
        encodings = tokenizer.encode_batch_fast([pretoken.decode() for pretoken, _ in part])
        total += sum(n * len(e.ids) for (_, n), e in zip(part, encodings, strict=True))
    return total


def held_out_split(corpus: Path, training: Path, held_out: Path) -> None:
    """Split a text into blocks of 64 KiB that end at a newline; blocks 0, 4, 8 of 13 are held out.

    Raises:
        InvalidArgumentError: The text has too few blocks.
        OSError: A file cannot be read or written.
    """
    number = 0
    with corpus.open("rb") as source, training.open("wb") as most, held_out.open("wb") as rest:
        kept = b""
        while block := kept + source.read(BLOCK - len(kept)):
            last = len(block) < BLOCK
            end = len(block) if last else block.rfind(b"\n") + 1
            if end == 0:
                block += source.readline()
                end = len(block)
            (rest if number % PERIOD in HELD_OUT else most).write(block[:end])
            kept = block[end:]
            number += 1
    if number < 2:  # noqa: PLR2004 - one block on each side
        message = f"corpus: {corpus} has {number} blocks of 64 KiB; give at least two"
        raise InvalidArgumentError(message, "corpus")


def growth(cells: Sequence[Cell]) -> list[dict[str, float]]:
    """Return how large JOLT's largest program was, by scope: what larger ones can be judged by."""
    found: list[dict[str, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.scope):
        if cell.method != "JOLT" or not any(step.get("nonzeros") for step in cell.rounds):
            continue
        largest = max(cell.rounds, key=lambda step: step.get("nonzeros", 0))
        found.append(
            {
                "scope": cell.scope,
                "vocab_size": cell.vocab_size,
                "variables": largest["variables"],
                "rows": largest["rows"],
                "nonzeros": largest["nonzeros"],
                "cpu_seconds": cell.cpu_seconds,
                "peak_bytes": cell.peak_bytes,
            }
        )
    return found
