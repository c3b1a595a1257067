"""One attempt at a program by HiGHS, in this process: the only module that knows the solver."""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError
from maxmunch.lp.program import LinearProgram, scale

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxmunch.lp.program import Floats

__all__ = ["Attempt", "Outcome", "attempt", "library", "peak_bytes"]


@dataclass(frozen=True)
class Attempt:
    """What is asked.

    Attributes:
        program: What to minimise.
        solver: Its name in HiGHS.
        tolerance: Relative tolerance of a solution that need not be a vertex; None for the
            solver's own, and a vertex.
        threads: Threads it may use.
        seconds: Time it has; None for any.
    """

    program: LinearProgram
    solver: str
    tolerance: float | None
    threads: int
    seconds: float | None


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Attributes:
        word: How the solver ended, in its own words.
        solved: There are values, as good as the solver could make them.
        out_of_time: The time was over first.
        hopeless: The program has no solution, so that another solver need not be asked.
        values: float64, shape (columns,).
        duals: float64, shape (rows,).
        peak_bytes: Largest memory of the process that solved it; 0 when it was the caller's.
    """

    word: str
    solved: bool = False
    out_of_time: bool = False
    hopeless: bool = False
    values: Floats | None = None
    duals: Floats | None = None
    peak_bytes: int = 0


def attempt(asked: Attempt) -> Outcome:
    """Return what HiGHS makes of it. It cannot be stopped from outside before it ends by itself."""
    import numpy as np

    highspy = library()
    with _silence():
        highs = highspy.Highs()
    options: dict[str, Any] = {
        "output_flag": False,
        "solver": asked.solver,
        "threads": asked.threads,
    }
    if asked.tolerance is not None:
        # Interior points need no vertex here, and crossover can take longer than the solve.
        options |= {"kkt_tolerance": asked.tolerance, "run_crossover": "off"}
    if asked.seconds is not None:
        options["time_limit"] = max(asked.seconds, 1e-3)
    for option, value in options.items():
        if highs.setOptionValue(option, value) != highspy.HighsStatus.kOk:
            return Outcome(f"{option} {value!r} unknown to this version of HiGHS")
    highs.passModel(_model(asked.program, highspy))
    # The library's threads belong to the process, and it refuses another number of them.
    highspy.Highs.resetGlobalScheduler(True)
    highs.run()
    status, statuses = highs.getModelStatus(), highspy.HighsModelStatus
    word = repr(highs.modelStatusToString(status))
    if status == statuses.kTimeLimit:
        return Outcome(word, out_of_time=True)
    # A first-order solver calls a solution unknown that others would take; the caller judges it.
    if status != statuses.kOptimal and not (asked.tolerance and status == statuses.kUnknown):
        return Outcome(word, hopeless=status in {statuses.kInfeasible, statuses.kUnbounded})
    found = highs.getSolution()
    duals = np.array(found.row_dual) * scale(asked.program)
    return Outcome(word, solved=True, values=np.array(found.col_value), duals=duals)


def _model(program: LinearProgram, highspy: Any) -> Any:
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.cost), len(program.row_lower)
    model.col_cost_ = program.cost / scale(program)
    model.col_lower_ = program.column_lower
    model.col_upper_ = program.column_lower * 0 + 1.0
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.start
    model.a_matrix_.index_ = program.index
    model.a_matrix_.value_ = program.value
    return model


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


def peak_bytes() -> int:
    """Return the largest memory that this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def library() -> Any:
    """Return the module highspy.

    Raises:
        InvalidArgumentError: It is not installed.
    """
    try:
        return importlib.import_module("highspy")
    except ImportError as error:
        message = "solver: linear programs need highspy: pip install 'maxmunch[lp]'"
        raise InvalidArgumentError(message, "solver") from error
