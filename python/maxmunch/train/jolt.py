"""JOLT as published: rounds of linear programs over segmentations, then rounding.

Source: the JOLT paper, sections 2.1 to 2.6. Where its excerpt is silent we chose: `epsilon` 1e-3,
ties of the rounding by bytes, rows aggregated by start and end (the same integer points, a tighter
relaxation), pretokens of more than 64 bytes left out of the programs. The vocabulary's cost is
recounted exactly on all pretokens of the scope; no objective of a program is a token count, and
the objective of the last, repriced one is no lower bound either.
"""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxmunch import _core, lp
from maxmunch.errors import InvalidArgumentError, MaxmunchError, TrainingError
from maxmunch.train.certificate import token_rules
from maxmunch.train.phases import Outcome
from maxmunch.train.result import Round

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxmunch.corpus.counts import PretokenCounts
    from maxmunch.train.checkpoint import Checkpoint
    from maxmunch.train.options import Choice

__all__ = ["DEFAULT_TOP", "Jolt"]

# The smallest scope of the paper; larger ones grow the programs in proportion.
DEFAULT_TOP = 100_000
FIRST_ORDER = 2


@dataclass(frozen=True)
class Jolt:
    """Everything a run needs; `run` carries it out.

    Attributes:
        max_order: M: largest order of an enumerated segmentation.
        whole_top: N_top: this many of the most frequent pretokens start unsplit.
        theta: Fallback mass from which a pretoken's order is raised.
        epsilon: Tokens of value 1 - epsilon or more are admitted outright.
    """

    table: PretokenCounts
    choice: Choice
    max_order: int
    whole_top: int
    theta: float
    epsilon: float
    solver: str
    threads: int
    until: float | None
    checkpoint: Checkpoint
    callback: Callable[[str, int, int], object]

    def __post_init__(self) -> None:
        for name, low, high in (
            ("max_order", 1, 64),
            ("whole_top", 0, 2**63),
            ("theta", 0.0, 1.0),
            ("epsilon", 0.0, 1.0),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                message = f"{name}: {value} is outside {low}..{high}"
                raise InvalidArgumentError(message, name)

    def run(self) -> Outcome:
        """Return the rounded vocabulary, its exact cost, and the rounds.

        Raises:
            TrainingError: A solve failed; says in which round. Finished rounds stay in the
                checkpoint.
        """
        began = time.monotonic()
        order = self._first_orders()
        rounds: list[Round] = []
        while True:
            solved = self._round(len(rounds) + 1, order, began, repriced=False)
            rounds.append(Round(**solved["round"]))
            raised = [
                p
                for p in solved["fallbacks"]
                if order[p] < min(self.max_order, len(self._pretoken(p)))
            ]
            if not raised:
                break
            for p in raised:
                order[p] += 1
        solved = self._round(len(rounds) + 1, order, began, repriced=True)
        tokens = self._rounded(solved)
        cost = _core.recount(self.table._table, tokens)  # noqa: SLF001 - one flow
        rounds.append(Round(**{**solved["round"], "cost": cost}))
        return Outcome(tokens, cost, rounds)

    def _first_orders(self) -> bytearray:
        whole = min(self.whole_top, len(self.table))
        first = min(FIRST_ORDER, self.max_order)
        return bytearray([1] * whole + [first] * (len(self.table) - whole))

    def _pretoken(self, rank: int) -> bytes:
        return self.table._table.rows(rank, rank + 1)[0][0]  # noqa: SLF001 - one flow

    def _round(
        self, number: int, order: bytearray, began: float, *, repriced: bool
    ) -> dict[str, Any]:
        def compute() -> dict[str, Any]:
            try:
                return self._solve(number, order, began, repriced=repriced)
            except MaxmunchError as error:
                message = f"round {number} ({'repricing' if repriced else 'escalation'}): {error}"
                raise TrainingError(message) from error

        return self.checkpoint.phase(f"round-{number}", compute)

    def _solve(
        self, number: int, order: bytearray, began: float, *, repriced: bool
    ) -> dict[str, Any]:
        import numpy as np

        left = None if self.until is None else self.until - time.monotonic()
        if left is not None and left <= 0:
            raise TrainingError("time_limit is over; raise it, or go on from the checkpoint")
        self.callback(f"program {number}", 0, 0)
        program = _core.SegmentationProgram(
            self.table._table,  # noqa: SLF001 - one flow
            token_rules(self.choice),
            order=bytes(order),
            budget=self.choice.budget,
            repriced=repriced,
        )
        columns, rows, nonzeros, _ = program.sizes()
        self.callback(f"solve {number}: {columns:,} x {rows:,}", 0, 0)
        solution = lp.solve(
            lp.LinearProgram(*program.arrays()),
            self.solver,
            threads=self.threads,
            time_limit=None if self.until is None else self.until - time.monotonic(),
        )
        fallback, mass, value, contribution = program.read(solution.values)
        done = Round(
            phase="reprice" if repriced else "escalate",
            seconds=round(time.monotonic() - began, 3),
            variables=columns,
            rows=rows,
            nonzeros=nonzeros,
            fallback_mass=float(mass),
            objective=float(solution.objective) + program.constant,
            peak_bytes=_peak_bytes(),
        )
        return {
            "round": vars(done),
            "fallbacks": np.flatnonzero(fallback >= self.theta).tolist(),
            "tokens": program.tokens() if repriced else [],
            "value": value.tolist() if repriced else [],
            "contribution": contribution.tolist() if repriced else [],
        }

    def _rounded(self, solved: dict[str, Any]) -> list[bytes]:
        """Admit what the program is sure of, then fill up by contribution."""
        pinned = set(self.choice.pinned)
        ranked = sorted(
            zip(solved["tokens"], solved["value"], solved["contribution"], strict=True),
            key=lambda row: (
                row[0] not in pinned,
                row[1] < 1 - self.epsilon,
                -row[2],
                row[0],
            ),
        )
        if len(ranked) < self.choice.budget:
            message = (
                f"vocab_size: {self.choice.budget} tokens of more than one byte are asked for, but"
                f" the programs hold {len(ranked)}; lower vocab_size, or raise top or max_order"
            )
            raise InvalidArgumentError(message, "vocab_size")
        return [token for token, *_ in ranked[: self.choice.budget]]


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
