"""The solver's word is not taken: what it gives is judged by what we recompute."""

from __future__ import annotations

import pytest
from tests_train import covering_program

import maxmunch as mm
from maxmunch import lp
from maxmunch.errors import TrainingError

np = pytest.importorskip("numpy")
pytest.importorskip("highspy")


def random_program(seed: int) -> lp.LinearProgram:
    return covering_program(seed, columns=40, rows=30)


def slow_row_error(program: lp.LinearProgram, values: list[float]) -> float:
    worst = 0.0
    for row, (low, high) in enumerate(zip(program.row_lower, program.row_upper, strict=True)):
        span = range(program.start[row], program.start[row + 1])
        total = sum(program.value[at] * values[program.index[at]] for at in span)
        worst = max(worst, low - total, total - high)
    return worst


@pytest.mark.parametrize("seed", range(20))
def test_the_error_of_rows_is_recomputed(seed: int) -> None:
    program = random_program(seed)
    values = np.random.default_rng(seed).random(len(program.cost))

    slow = slow_row_error(program, values.tolist())
    assert slow == pytest.approx(lp.row_error(program, values))
    assert lp.row_error(program, values * np.nan) == np.inf
    assert lp.row_error(program, values[:0]) == np.inf


@pytest.mark.parametrize("seed", range(5))
def test_every_solver_comes_to_the_same_optimum(seed: int) -> None:
    program = random_program(seed)
    exact = lp.solve(program, "simplex")

    assert ("simplex", 0.0) == (exact.solver, exact.tolerance)
    for name in ("pdlp", "ipm"):
        other = lp.solve(program, name)
        assert other.objective == pytest.approx(exact.objective, rel=1e-2)
        assert other.row_error <= lp.FEASIBLE
        assert lp.repaired_bound(program, other) <= exact.objective + 1e-6


def test_a_solution_that_misses_rows_is_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    program = random_program(3)
    judged: list[str] = []
    read = lp._read

    def spoilt(*arguments: object) -> lp.Solution:
        from dataclasses import replace

        solution = read(*arguments)  # type: ignore[arg-type]
        judged.append(solution.solver)
        return replace(solution, row_error=0.5) if len(judged) < 4 else solution

    monkeypatch.setattr(lp, "_read", spoilt)
    solution = lp.solve(program)

    assert ["hipdlp", "hipdlp", "pdlp", "ipm"] == judged
    assert "ipm" == solution.solver
    assert solution.objective == pytest.approx(lp.solve(program, "simplex").objective, rel=1e-3)


def test_when_nothing_helps_every_attempt_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lp, "FEASIBLE", -1.0)
    with pytest.raises(TrainingError, match=r"'hipdlp' ended .* then 'pdlp' .* then 'ipm' ended"):
        lp.solve(random_program(1))


def test_a_program_without_solution_is_refused() -> None:
    from dataclasses import replace

    program = random_program(2)
    impossible = replace(program, row_lower=program.row_lower + len(program.cost))
    for name in lp.SOLVERS:
        with pytest.raises(TrainingError, match=f"{name}' ended with"):
            lp.solve(impossible, name)


def test_rounds_say_whose_solution_was_taken(counts: mm.PretokenCounts) -> None:
    result = mm.train(counts, 300, method="jolt", top=100, whole_top=20, progress=False)

    for step in result.rounds:
        assert step.solver in {"hipdlp", "pdlp", "ipm"}
        assert 0 < step.tolerance <= lp.TOLERANCE
        assert step.row_error <= lp.FEASIBLE
