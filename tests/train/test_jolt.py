from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests_train import cost_of, greedy_ids, optimum, tiny_corpora

import maxmunch as mm
from maxmunch import lp

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("highspy")

QUIET = {"progress": False}


def test_no_tiny_corpus_is_cheaper_than_its_optimum_and_a_full_program_bounds_it() -> None:
    above = 0
    for rows in tiny_corpora(200):
        counts = mm.PretokenCounts.from_items(rows)
        best = optimum(rows, 2)
        options = {"method": "jolt", "solver": "simplex", **QUIET}
        try:
            full = mm.train(counts, 258, max_order=8, whole_top=0, **options)
            short = mm.train(counts, 258, max_order=2, whole_top=0, **options)
        except mm.InvalidArgumentError:  # fewer than two tokens to choose
            continue
        assert best <= full.cost == cost_of(rows, tuple(full.vocabulary[256:]))
        assert best <= short.cost
        # With every segmentation in, and the intermediate price, the program is a relaxation.
        assert full.rounds[-2].objective <= best + 1e-6
        assert short.rounds[-2].objective <= best + 1e-6
        above += short.rounds[-1].objective > best + 1e-6

    # The repriced objective charges a token a byte for what it has not enumerated: it is no bound.
    assert above > 0


def test_rounds_tell_what_was_solved(counts: mm.PretokenCounts) -> None:
    result = mm.train(counts, 400, method="jolt", top=400, whole_top=50, **QUIET)

    assert ["escalate"] * (len(result.rounds) - 1) + ["reprice"] == [r.phase for r in result.rounds]
    assert all(r.variables and r.rows and r.nonzeros and r.peak_bytes for r in result.rounds)
    assert result.rounds[0].fallback_mass >= result.rounds[-1].fallback_mass
    assert 400 == len(set(result.vocabulary))
    longest = max(map(len, result.vocabulary))
    ids = {token: number for number, token in enumerate(result.vocabulary)}
    recounted = sum(n * len(greedy_ids(ids, longest, p)) for p, n in counts.top(400))
    assert recounted == result.cost
    assert "the 400 most frequent" in result.scope


def test_jolt_can_be_certified_and_resumed(counts: mm.PretokenCounts, tmp_path: Path) -> None:
    options = {"method": "jolt", "top": 200, "certify": True, "checkpoint": tmp_path, **QUIET}
    result = mm.train(counts, 330, **options)

    assert result.bound is not None
    assert result.bound.value <= result.cost
    assert result.vocabulary == mm.train(counts, 330, **options).vocabulary


def test_pins_and_rules_hold(counts: mm.PretokenCounts) -> None:
    result = mm.train(
        counts,
        330,
        method="jolt",
        top=200,
        pinned=["zzz"],
        forbidden=["self"],
        max_token_bytes=5,
        **QUIET,
    )

    chosen = result.vocabulary[256:]
    assert b"zzz" in chosen
    assert b"self" not in chosen
    assert max(map(len, chosen)) <= 5


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"solver": "guess"}, mm.InvalidArgumentError, "solver"),
        ({"theta": 2.0}, mm.InvalidArgumentError, "theta"),
        ({"epsilon": -1.0}, mm.InvalidArgumentError, "epsilon"),
        ({"max_order": 0}, mm.InvalidArgumentError, "max_order"),
        ({"vocab_size": 100_000}, mm.InvalidArgumentError, "vocab_size"),
        ({"time_limit": 1e-6}, mm.TrainingError, "round 1"),
    ],
)
def test_what_cannot_be_is_refused(
    counts: mm.PretokenCounts, options: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        mm.train(counts, **{"vocab_size": 330, "method": "jolt", "top": 300, **QUIET, **options})


def test_two_rounds_are_a_protocol_of_their_own(counts: mm.PretokenCounts) -> None:
    options = {"method": "jolt", "top": 300, "whole_top": 50, **QUIET}
    result = mm.train(counts, 400, max_rounds=2, **options)

    assert ["escalate", "escalate", "reprice"] == [r.phase for r in result.rounds]
    assert 400 == len(result.vocabulary)
    with pytest.raises(mm.InvalidArgumentError, match="max_rounds"):
        mm.train(counts, 400, max_rounds=0, **options)


def test_a_round_that_does_not_finish_leaves_the_vocabulary_of_the_last(
    counts: mm.PretokenCounts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"method": "jolt", "top": 300, "whole_top": 50, "checkpoint": tmp_path, **QUIET}
    solve = lp.solve
    solved = 0

    def limited(*arguments: object, **named: object) -> lp.Solution:
        nonlocal solved
        solved += 1
        if solved == 2:
            raise lp.TimeIsOver("time_limit is over")
        return solve(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(lp, "solve", limited)
    result = mm.train(counts, 400, **options)
    assert result.out_of_time
    assert 400 == len(result.vocabulary)
    assert ["escalate"] == [r.phase for r in result.rounds]

    monkeypatch.setattr(lp, "solve", solve)
    resumed = mm.train(counts, 400, **options)
    whole = mm.train(counts, 400, **{**options, "checkpoint": None})
    assert whole.vocabulary == resumed.vocabulary
    assert not resumed.out_of_time


def test_a_solver_that_fails_says_in_which_round(
    counts: mm.PretokenCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> lp.Solution:
        raise mm.TrainingError("the solver ended with 'Infeasible'")

    monkeypatch.setattr(lp, "solve", fail)
    with pytest.raises(mm.TrainingError, match=r"round 1 \(escalation\)"):
        mm.train(counts, 400, method="jolt", top=300, **QUIET)


def test_programs_are_solved_on_any_number_of_threads_one_after_another(
    counts: mm.PretokenCounts,
) -> None:
    options = {"method": "jolt", "top": 100, "whole_top": 20, **QUIET}
    one, two, again = (mm.train(counts, 300, threads=n, **options) for n in (1, 2, 1))

    assert one.vocabulary == two.vocabulary == again.vocabulary


def test_the_solver_writes_nothing(
    counts: mm.PretokenCounts, capfd: pytest.CaptureFixture[str]
) -> None:
    mm.train(counts, 300, method="jolt", top=100, **QUIET)

    assert ("", "") == capfd.readouterr()
