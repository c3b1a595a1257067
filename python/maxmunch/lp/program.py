"""A linear program as arrays, a solution, and what can be said of one without trusting a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int32]

__all__ = [
    "FEASIBLE",
    "TOLERANCE",
    "LinearProgram",
    "Solution",
    "first_tolerance",
    "repaired_bound",
    "row_error",
    "scale",
]

# Loosest relative tolerance of first-order solves, and how far a row may be off in their values.
TOLERANCE = 1e-4
FEASIBLE = 2e-2


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
        peak_bytes: Largest memory of the process that solved it; 0 when it was this one.
    """

    values: Floats
    duals: Floats
    objective: float
    seconds: float
    solver: str
    tolerance: float
    row_error: float
    peak_bytes: int = 0


def scale(program: LinearProgram) -> float:
    """Return the largest cost: first-order methods like numbers near 1."""
    return float(program.cost.max(initial=1.0))


def row_error(program: LinearProgram, values: Floats) -> float:
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


def first_tolerance(program: LinearProgram) -> float:
    """Return the relative tolerance at which all rows together are off by `FEASIBLE`.

    The solver measures against the norm of the right-hand sides, and the budget of a vocabulary
    outweighs the other rows by far.
    """
    import numpy as np

    sides = np.where(np.isfinite(program.row_upper), program.row_upper, 0.0)
    return min(TOLERANCE, FEASIBLE / (1.0 + float(np.linalg.norm(sides))))
