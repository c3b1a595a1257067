"""Linear programs, solved by HiGHS: the only module that knows the solver."""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError, TrainingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int32]

__all__ = ["SOLVERS", "LinearProgram", "Solution", "require_solver", "solve"]

SOLVERS = ("pdlp", "simplex", "ipm")
TOLERANCE = 1e-4


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
        objective: Objective at `values`; near the optimum as far as the solver's tolerance goes.
        seconds: Time of the solve.
    """

    values: Floats
    objective: float
    seconds: float


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

    Args:
        program: What to minimise.
        solver: `"pdlp"` (first order, for large programs, to a relative tolerance of 1e-4),
            `"simplex"` or `"ipm"` (exact, for small ones).
        threads: Threads that the solver may use.
        time_limit: Seconds.

    Raises:
        TrainingError: The solver failed, ran out of time, or the program has no solution.
    """
    highspy = _library()
    columns, rows = len(program.cost), len(program.row_lower)
    # Objectives in shares of the largest cost: first-order methods like numbers near 1.
    scale = float(program.cost.max(initial=1.0))
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = columns, rows
    model.col_cost_ = program.cost / scale
    model.col_lower_ = program.column_lower
    model.col_upper_ = program.column_lower * 0 + 1.0
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.start
    model.a_matrix_.index_ = program.index
    model.a_matrix_.value_ = program.value
    highs = highspy.Highs()
    options: dict[str, Any] = {"output_flag": False, "solver": solver, "threads": threads}
    if solver == "pdlp":
        options["kkt_tolerance"] = TOLERANCE
    if time_limit is not None:
        options["time_limit"] = max(time_limit, 1e-3)
    for name, value in options.items():
        highs.setOptionValue(name, value)
    began = time.monotonic()
    highs.passModel(model)
    highs.run()
    status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        message = (
            f"the solver {solver!r} ended with {highs.modelStatusToString(status)!r} on {columns:,}"
            f" columns and {rows:,} rows; raise time_limit, lower top, or try another solver"
        )
        raise TrainingError(message)
    import numpy as np

    values = np.array(highs.getSolution().col_value)
    return Solution(values, float(program.cost @ values), time.monotonic() - began)


def _library() -> Any:
    try:
        return importlib.import_module("highspy")
    except ImportError as error:
        message = "solver: linear programs need highspy: pip install 'maxmunch[lp]'"
        raise InvalidArgumentError(message, "solver") from error
