"""Linear programs, solved by HiGHS: the only module that knows the solver."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError, TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int32]

__all__ = [
    "SOLVERS",
    "LinearProgram",
    "Solution",
    "TimeIsOver",
    "repaired_bound",
    "require_solver",
    "solve",
]

SOLVERS = ("pdlp", "simplex", "ipm")
# Loosest relative tolerance of first-order solves, and how far a row may be off in their values.
TOLERANCE = 1e-4
FEASIBLE = 2e-2


class TimeIsOver(TrainingError):  # noqa: N818 - it says what happened
    """The time limit ended a solve."""


@dataclass(frozen=True)
class LinearProgram:
    """Minimise `cost @ v` with `row_lower <= A v <= row_upper` and `column_lower <= v <= 1`.

    Attributes:
        cost: float64, shape (columns,).
        column_lower: float64, shape (columns,).
        row_lower: float64, shape (rows,).
        row_upper: float64, shape (rows,).
        start: int32, shape (rows + 1,): where each row of A starts in `index` and `value`.
        index: int32, shape (nonzeros,): columns.
        value: float64, shape (nonzeros,).
    """

    cost: Floats
    column_lower: Floats
    row_lower: Floats
    row_upper: Floats
    start: Integers
    index: Integers
    value: Floats


@dataclass(frozen=True)
class Solution:
    """What the solver gave.

    Attributes:
        values: float64, shape (columns,).
        duals: float64, shape (rows,): what the objective would give for a unit of each side.
        objective: Objective at `values`; near the optimum as far as the solver's tolerance goes.
        seconds: Time of all attempts.
        solver: Name of the solver whose solution this is.
        tolerance: Relative tolerance that it was given; 0 for its own.
        row_error: Largest amount by which `values` miss a row, recomputed from them.
    """

    values: Floats
    duals: Floats
    objective: float
    seconds: float
    solver: str
    tolerance: float
    row_error: float


def require_solver(solver: str | None) -> str:
    """Return the solver's name, `"pdlp"` by default, if HiGHS is installed.

    Raises:
        InvalidArgumentError: An unknown solver, or highspy is not installed.
    """
    name = solver or SOLVERS[0]
    if name not in SOLVERS:
        message = f"solver: {name!r} is not one of {', '.join(SOLVERS)}"
        raise InvalidArgumentError(message, "solver")
    _library()
    return name


def solve(
    program: LinearProgram,
    solver: str = "pdlp",
    *,
    threads: int = 1,
    time_limit: float | None = None,
) -> Solution:
    """Return a solution.

    A first-order solution is judged by what we recompute from it, not by the solver's word: no row
    may be off by more than `FEASIBLE`. One that fails is solved again at a tenth of the tolerance,
    then by the interior point method; `Solution.solver` says which was taken.

    Args:
        program: What to minimise.
        solver: `"pdlp"` (first order, for large programs), `"simplex"` or `"ipm"` (exact, for
            small ones).
        threads: Threads that the solver may use.
        time_limit: Seconds, for all attempts together.

    Raises:
        TimeIsOver: The solver ran out of time.
        TrainingError: Every attempt failed, or the program has no solution.
    """
    highspy = _library()
    began = time.monotonic()
    statuses = highspy.HighsModelStatus
    model = _model(program, highspy)
    failures = []
    for name, tolerance in _attempts(program, solver):
        with _silence():
            highs = highspy.Highs()
        options: dict[str, Any] = {"output_flag": False, "solver": name, "threads": threads}
        if tolerance is not None:
            # Interior points need no vertex here, and crossover can take longer than the solve.
            options |= {"kkt_tolerance": tolerance, "run_crossover": "off"}
        if time_limit is not None:
            options["time_limit"] = max(time_limit - (time.monotonic() - began), 1e-3)
        for option, value in options.items():
            highs.setOptionValue(option, value)
        highs.passModel(model)
        # The library's threads belong to the process, and it refuses another number of them.
        highspy.Highs.resetGlobalScheduler(True)
        highs.run()
        status = highs.getModelStatus()
        if status == statuses.kTimeLimit:
            raise TimeIsOver("time_limit is over")
        word = f"{name!r} ended with {highs.modelStatusToString(status)!r}"
        if status == statuses.kOptimal or (tolerance and status == statuses.kUnknown):
            solution = _read(program, highs, name, tolerance, began)
            if tolerance is None or solution.row_error <= FEASIBLE:
                return solution
            word += f", a row off by {solution.row_error:.2g}"
        failures.append(word)
        if status in {statuses.kInfeasible, statuses.kUnbounded}:
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
    first = _tolerance(program)
    return [("pdlp", first), ("pdlp", first / 10), ("ipm", TOLERANCE)]


def _model(program: LinearProgram, highspy: Any) -> Any:
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.cost), len(program.row_lower)
    model.col_cost_ = program.cost / _scale(program)
    model.col_lower_ = program.column_lower
    model.col_upper_ = program.column_lower * 0 + 1.0
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.start
    model.a_matrix_.index_ = program.index
    model.a_matrix_.value_ = program.value
    return model


def _scale(program: LinearProgram) -> float:
    """Return the largest cost: first-order methods like numbers near 1."""
    return float(program.cost.max(initial=1.0))


def _read(
    program: LinearProgram, highs: Any, solver: str, tolerance: float | None, began: float
) -> Solution:
    """Take the values, inside their bounds, with the rows' error recomputed from them."""
    import numpy as np

    found = highs.getSolution()
    values = np.clip(np.array(found.col_value), program.column_lower, 1.0)
    duals = np.array(found.row_dual) * _scale(program)
    return Solution(
        values,
        duals,
        float(program.cost @ values),
        time.monotonic() - began,
        solver,
        tolerance or 0.0,
        _row_error(program, values),
    )


def _row_error(program: LinearProgram, values: Floats) -> float:
    """Return by how much the worst row misses its range; infinite when a value is no number."""
    import numpy as np

    if len(values) != len(program.cost) or not np.isfinite(values).all():
        return float("inf")
    count = len(program.row_lower)
    rows = np.repeat(np.arange(count), np.diff(program.start))
    sums = np.bincount(rows, weights=program.value * values[program.index], minlength=count)
    off = np.maximum(program.row_lower - sums, sums - program.row_upper)
    return max(0.0, float(off.max(initial=0.0)))


def repaired_bound(program: LinearProgram, solution: Solution) -> float:
    """Return a lower bound on the optimum that holds for any duals, exact or not.

    Duals of the wrong sign count as 0; whatever reduced cost is left is charged at the better end
    of its column's range.
    """
    import numpy as np

    duals = solution.duals.copy()
    duals[(duals > 0) & np.isinf(program.row_lower)] = 0.0
    duals[(duals < 0) & np.isinf(program.row_upper)] = 0.0
    side = np.where(duals > 0, program.row_lower, program.row_upper)
    rows = np.repeat(np.arange(len(duals)), np.diff(program.start))
    reduced = program.cost - np.bincount(
        program.index, weights=program.value * duals[rows], minlength=len(program.cost)
    )
    used = duals != 0
    return float(
        duals[used] @ side[used] + np.minimum(reduced * program.column_lower, reduced).sum()
    )


def _tolerance(program: LinearProgram) -> float:
    """Return the relative tolerance at which all rows together are off by `FEASIBLE`.

    The solver measures against the norm of the right-hand sides, and the budget of a vocabulary
    outweighs the other rows by far.
    """
    import numpy as np

    sides = np.where(np.isfinite(program.row_upper), program.row_upper, 0.0)
    return min(TOLERANCE, FEASIBLE / (1.0 + float(np.linalg.norm(sides))))


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Send file descriptor 1 nowhere: the library greets there, before its options can be set."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device, not a path
            os.dup2(nowhere.fileno(), 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _library() -> Any:
    try:
        return importlib.import_module("highspy")
    except ImportError as error:
        message = "solver: linear programs need highspy: pip install 'maxmunch[lp]'"
        raise InvalidArgumentError(message, "solver") from error
