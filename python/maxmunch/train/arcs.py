"""The arc program of small instances, solved by HiGHS: the cross-check of the relaxation's bound.

One variable for each candidate and for each step that greedy encoding may take through a pretoken;
the rows of greedy consistency are added where a solution breaks them. The bound is repaired from
the duals, so that it holds however exactly the solver worked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maxmunch import lp
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from maxmunch.corpus.counts import PretokenCounts
    from maxmunch.train.options import Choice

__all__ = ["ArcBound", "arc_bound"]

# Largest number of steps that are listed: Python lists them, one by one.
MOST_ARCS = 1_000_000
VIOLATION = 1e-6
INFINITE = float("inf")
# Digits in which a bound is trusted before it is rounded up to whole tokens.
SLACK = 1e-6


@dataclass(frozen=True)
class ArcBound:
    """What the arc program proves.

    Attributes:
        value: Tokens that no vocabulary goes below.
        objective: Optimum of the program, as the solver gave it.
        integral: Whether the solution chooses whole tokens; then its cost is the optimum.
        chosen: The tokens with a value of more than one half.
        greedy_rows: Rows of greedy consistency that were needed, and how many there are.
        solves: Programs solved.
    """

    value: int
    objective: float
    integral: bool
    chosen: list[bytes]
    greedy_rows: tuple[int, int]
    solves: int


def arc_bound(counts: PretokenCounts, choice: Choice, *, solver: str = "simplex") -> ArcBound:
    """Return the bound of the arc program for vocabularies of `choice` on all of `counts`.

    Args:
        counts: A small table: every candidate at every place is a variable.
        choice: Size and rules.
        solver: What `maxmunch.lp.solve` takes.

    Raises:
        InvalidArgumentError: The table is too large, or the solver is not installed.
        TrainingError: The solver failed.

    Source: the theorem on arcs in docs/concepts/training.md.
    """
    lp.require_solver(solver)
    program = _Program(counts, choice)
    greedy = list(program.greedy_rows())
    rows = [*program.rows]
    waiting = greedy
    solves = 0
    while True:
        solves += 1
        arrays = program.arrays(rows)
        solution = lp.solve(arrays, solver)
        values = solution.values.tolist()
        broken = [row for row in waiting if row.activity(values) > row.upper + VIOLATION]
        if not broken:
            break
        taken = set(map(id, broken))
        rows += broken
        waiting = [row for row in waiting if id(row) not in taken]
    x = values[: len(program.tokens)]
    repaired = lp.repaired_bound(arrays, solution) + program.constant
    return ArcBound(
        value=math.ceil(repaired - SLACK),
        objective=solution.objective + program.constant,
        integral=all(min(value, 1 - value) < SLACK for value in x),
        chosen=[t for t, value in zip(program.tokens, x, strict=True) if value > 1 / 2],
        greedy_rows=(len(greedy) - len(waiting), len(greedy)),
        solves=solves,
    )


@dataclass(frozen=True)
class _Row:
    lower: float
    upper: float
    entries: list[tuple[int, float]]

    def activity(self, values: list[float]) -> float:
        return sum(value * values[column] for column, value in self.entries)


class _Program:
    """Columns (tokens, then steps) and the rows that are always there."""

    def __init__(self, counts: PretokenCounts, choice: Choice) -> None:
        self.constant = sum(n for p, n in counts if len(p) == 1)
        self._words = [(p, n) for p, n in counts if len(p) > 1]
        self.tokens = _candidates([p for p, _ in self._words], choice)
        self._column = {token: number for number, token in enumerate(self.tokens)}
        self.cost = [0.0] * len(self.tokens)
        self.lower = [float(token in choice.pinned) for token in self.tokens]
        absent = sum(token not in self._column for token in choice.pinned)
        budget = float(choice.budget - absent)
        self.rows = [_Row(-INFINITE, budget, [(t, 1.0) for t in range(len(self.tokens))])]
        self._steps: list[dict[tuple[int, int], int]] = []
        for word, count in self._words:
            self._add(word, count)

    def _add(self, word: bytes, count: int) -> None:
        size = len(word)
        whole = self._column.get(word)
        if whole is not None:
            # The whole pretoken, where it is a token, is always taken.
            self.cost[whole] += count
        steps: dict[tuple[int, int], int] = {}
        for start, end in _spans(size):
            if end - start == 1 or (word[start:end] in self._column and end - start < size):
                steps[start, end] = len(self.cost)
                self.cost.append(float(count))
        if len(self.cost) > MOST_ARCS:
            message = f"counts: more than {MOST_ARCS:,} steps; the arc program is for small tables"
            raise InvalidArgumentError(message, "counts")
        self._steps.append(steps)
        first = [(c, 1.0) for (start, _), c in steps.items() if start == 0]
        self.rows.append(_Row(1.0, 1.0, first + ([] if whole is None else [(whole, 1.0)])))
        for at in range(1, size):
            leave = [(c, 1.0) for (start, _), c in steps.items() if start == at]
            arrive = [(c, -1.0) for (_, end), c in steps.items() if end == at]
            self.rows.append(_Row(0.0, 0.0, leave + arrive))
        for (start, end), column in steps.items():
            if end - start > 1:
                token = self._column[word[start:end]]
                self.rows.append(_Row(-INFINITE, 0.0, [(column, 1.0), (token, -1.0)]))

    def greedy_rows(self) -> Iterator[_Row]:
        """No step is shorter than a token of the vocabulary that fits."""
        for (word, _), steps in zip(self._words, self._steps, strict=True):
            for start, end in _spans(len(word)):
                token = self._column.get(word[start:end])
                if token is None or end - start == len(word):
                    continue
                shorter = [(c, 1.0) for (s, e), c in steps.items() if s == start and e < end]
                yield _Row(-INFINITE, 1.0, [*shorter, (token, 1.0)])

    def arrays(self, rows: list[_Row]) -> lp.LinearProgram:
        import numpy as np

        entries = [entry for row in rows for entry in row.entries]
        return lp.LinearProgram(
            cost=np.array(self.cost),
            column_lower=np.array(self.lower + [0.0] * (len(self.cost) - len(self.lower))),
            row_lower=np.array([row.lower for row in rows]),
            row_upper=np.array([row.upper for row in rows]),
            start=np.cumsum([0, *(len(row.entries) for row in rows)]).astype(np.int32),
            index=np.array([column for column, _ in entries], dtype=np.int32),
            value=np.array([value for _, value in entries], dtype=np.float64),
        )


def _spans(size: int) -> Iterator[tuple[int, int]]:
    return ((start, end) for start in range(size) for end in range(start + 1, size + 1))


def _candidates(words: Iterable[bytes], choice: Choice) -> list[bytes]:
    """The tokens that may pay: proposition "Pruning" in docs/concepts/training.md, spelled out."""
    hosts: dict[bytes, set[bytes]] = {}
    for word in words:
        for start, end in _spans(len(word)):
            if end - start > 1:
                hosts.setdefault(word[start:end], set()).add(word)
    return sorted(
        token
        for token, found in hosts.items()
        if choice.admits(token)
        and (
            token in found
            or len(found) > 1
            or token in choice.pinned
            or not choice.admits(next(iter(found)))
        )
    )
