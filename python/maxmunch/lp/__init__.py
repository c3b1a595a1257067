"""Linear programs, solved by HiGHS and judged by what we recompute."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from maxmunch.errors import InvalidArgumentError, TrainingError
from maxmunch.lp.highs import Attempt, Outcome, attempt, library
from maxmunch.lp.process import attempt_apart
from maxmunch.lp.program import (
    FEASIBLE,
    TOLERANCE,
    LinearProgram,
    Solution,
    first_tolerance,
    repaired_bound,
    row_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FEASIBLE",
    "SOLVERS",
    "TOLERANCE",
    "LinearProgram",
    "Solution",
    "TimeIsOver",
    "repaired_bound",
    "require_solver",
    "row_error",
    "solve",
]

SOLVERS = ("pdlp", "simplex", "ipm")
# Programs with fewer nonzeros are solved in this process: that takes less than starting another.
SMALL = 50_000


class TimeIsOver(TrainingError):  # noqa: N818 - it says what happened
    """The time limit ended a solve."""


def require_solver(solver: str | None) -> str:
    """Return the solver's name, `"pdlp"` by default, if HiGHS is installed.

    Raises:
        InvalidArgumentError: An unknown solver, or highspy is not installed.
    """
    name = solver or SOLVERS[0]
    if name not in SOLVERS:
        message = f"solver: {name!r} is not one of {', '.join(SOLVERS)}"
        raise InvalidArgumentError(message, "solver")
    library()
    return name


def solve(
    program: LinearProgram,
    solver: str = "pdlp",
    *,
    threads: int = 1,
    time_limit: float | None = None,
    watch: Callable[[], object] = lambda: None,
) -> Solution:
    """Return a solution.

    A first-order solution is judged by what we recompute from it, not by the solver's word: no row
    may be off by more than `FEASIBLE`. One that fails is solved again at a tenth of the tolerance,
    by the older first-order solver, and by the interior point method; `Solution.solver` says which
    was taken. Programs that are not small are solved in a process of their own, which Ctrl-C, the
    time limit and an exception of `watch` end at once.

    Args:
        program: What to minimise.
        solver: `"pdlp"` (first order, for large programs), `"simplex"` or `"ipm"` (exact, for
            small ones).
        threads: Threads that the solver may use.
        time_limit: Seconds, for all attempts together.
        watch: Called a few times a second while another process solves.

    Raises:
        TimeIsOver: The solver ran out of time.
        TrainingError: Every attempt failed, or the program has no solution.
    """
    began = time.monotonic()
    failures = []
    for name, tolerance in _attempts(program, solver):
        left = None if time_limit is None else time_limit - (time.monotonic() - began)
        if left is not None and left <= 0:
            raise TimeIsOver("time_limit is over")
        outcome = _run(Attempt(program, name, tolerance, threads, left), watch)
        if outcome.out_of_time:
            raise TimeIsOver("time_limit is over")
        word = f"{name!r} ended with {outcome.word}"
        if outcome.solved:
            solution = _read(program, outcome, name, tolerance, began)
            if tolerance is None or solution.row_error <= FEASIBLE:
                return solution
            word += f", a row off by {solution.row_error:.2g}"
        failures.append(word)
        if outcome.hopeless:
            break
    message = (
        f"the solver {'; then '.join(failures)}, on {len(program.cost):,} columns and"
        f" {len(program.row_lower):,} rows; lower top, or try another solver"
    )
    raise TrainingError(message)


def _attempts(program: LinearProgram, solver: str) -> list[tuple[str, float | None]]:
    """Return solvers in the order in which they are tried, with tolerances if not their own."""
    if solver != "pdlp":
        return [(solver, None)]
    first = first_tolerance(program)
    return [
        ("hipdlp", first),
        ("hipdlp", first / 10),
        ("pdlp", first / 10),
        ("ipm", TOLERANCE),
    ]


def _run(asked: Attempt, watch: Callable[[], object]) -> Outcome:
    if len(asked.program.value) < SMALL or not sys.executable:
        return attempt(asked)
    return attempt_apart(asked, watch)


def _read(
    program: LinearProgram, outcome: Outcome, solver: str, tolerance: float | None, began: float
) -> Solution:
    """Take the values, inside their bounds, with the rows' error recomputed from them."""
    import numpy as np

    none = np.zeros(0)
    values = none if outcome.values is None else outcome.values
    if len(values) == len(program.cost):
        values = np.clip(values, program.column_lower, 1.0)
    return Solution(
        values=values,
        duals=none if outcome.duals is None else outcome.duals,
        objective=float(program.cost @ values) if len(values) == len(program.cost) else np.nan,
        seconds=time.monotonic() - began,
        solver=solver,
        tolerance=tolerance or 0.0,
        row_error=row_error(program, values),
        peak_bytes=outcome.peak_bytes,
    )
