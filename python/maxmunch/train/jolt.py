"""JOLT as published: rounds of linear programs over segmentations, then rounding.

Source: the JOLT paper, sections 2.1 to 2.6. Where its excerpt is silent we chose: `epsilon` 1e-3,
ties of the rounding by bytes, rows aggregated by start and end (the same integer points, a tighter
relaxation), pretokens of more than 64 bytes left out of the programs. The vocabulary's cost is
recounted exactly on all pretokens of the scope; no objective of a program is a token count, and
the objective of the last, repriced one is no lower bound either.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maxmunch import _core, lp
from maxmunch.errors import InvalidArgumentError, MaxmunchError, TrainingError
from maxmunch.lp import TimeIsOver
from maxmunch.lp.highs import peak_bytes
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
        max_rounds: Programs before the repriced one; None for as many as escalation takes. With 2
            this is the protocol of two rounds for large scopes, as we read its name.
    """

    table: PretokenCounts
    choice: Choice
    max_order: int
    whole_top: int
    theta: float
    epsilon: float
    max_rounds: int | None
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
            ("max_rounds", 1, 2**63),
        ):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                message = f"{name}: {value} is outside {low}..{high}"
                raise InvalidArgumentError(message, name)

    def run(self) -> Outcome:
        """Return the rounded vocabulary, its exact cost, and the rounds.

        When time runs out or Ctrl-C comes inside a round, the vocabulary is that of the last
        finished one.

        Raises:
            TrainingError: A solve failed, or the first did not finish in time; says in which
                round. Finished rounds stay in the checkpoint.
        """
        began = time.monotonic()
        order = self._first_orders()
        solved: list[dict[str, Any]] = []
        error: BaseException | None = None
        stopped = False
        try:
            while True:
                solved.append(self._round(len(solved) + 1, order, began, repriced=False))
                raised = [p for p in solved[-1]["fallbacks"] if self._can_rise(p, order[p])]
                if not raised or len(solved) == self.max_rounds:
                    break
                for p in raised:
                    order[p] += 1
            solved.append(self._round(len(solved) + 1, order, began, repriced=True))
        except (TimeIsOver, KeyboardInterrupt) as reason:
            if not solved:
                raise
            stopped, error = True, None if isinstance(reason, TimeIsOver) else reason
        tokens = solved[-1]["tokens"]
        self._check_size(tokens)
        cost = _core.recount(self.table._table, tokens)  # noqa: SLF001 - one flow
        rounds = [Round(**one["round"]) for one in solved]
        rounds[-1] = replace(rounds[-1], cost=cost)
        return Outcome(tokens, cost, rounds, stopped=stopped, error=error)

    def _can_rise(self, rank: int, order: int) -> bool:
        return order < self.max_order and order < len(self._pretoken(rank))

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
            except TimeIsOver as error:
                message = f"round {number}: {error}; raise time_limit, or go on from the checkpoint"
                raise TimeIsOver(message) from error
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
            raise TimeIsOver("time_limit is over")
        self.callback(f"program {number}", 0, 0)
        program = _core.SegmentationProgram(
            self.table._table,  # noqa: SLF001 - one flow
            token_rules(self.choice),
            order=bytes(order),
            budget=self.choice.budget,
            repriced=repriced,
        )
        columns, rows, nonzeros, _ = program.sizes()
        what = f"solve {number}: {columns:,} x {rows:,}"
        self.callback(what, 0, 0)
        solution = lp.solve(
            lp.LinearProgram(*program.arrays()),
            self.solver,
            threads=self.threads,
            time_limit=None if self.until is None else self.until - time.monotonic(),
            watch=lambda: self.callback(what, 0, 0),
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
            peak_bytes=peak_bytes() + solution.peak_bytes,
            solver=solution.solver,
            tolerance=solution.tolerance,
            row_error=solution.row_error,
        )
        return {
            "round": vars(done),
            "fallbacks": np.flatnonzero(fallback >= self.theta).tolist(),
            "tokens": self._rounded(program.tokens(), value.tolist(), contribution.tolist()),
        }

    def _rounded(
        self, tokens: list[bytes], value: list[float], contribution: list[float]
    ) -> list[bytes]:
        """Admit what the program is sure of, then fill up by contribution."""
        pinned = set(self.choice.pinned)
        ranked = sorted(
            zip(tokens, value, contribution, strict=True),
            key=lambda row: (
                row[0] not in pinned,
                row[1] < 1 - self.epsilon,
                -row[2],
                row[0],
            ),
        )
        return [token for token, *_ in ranked[: self.choice.budget]]

    def _check_size(self, tokens: list[bytes]) -> None:
        if len(tokens) < self.choice.budget:
            message = (
                f"vocab_size: {self.choice.budget} tokens of more than one byte are asked for, but"
                f" the programs hold {len(tokens)}; lower vocab_size, or raise top or max_order"
            )
            raise InvalidArgumentError(message, "vocab_size")
