from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests_train import cost_of, optimum, tiny_corpora

import maxmunch as mm
from maxmunch import lp
from maxmunch.train.arcs import arc_bound
from maxmunch.train.options import Choice

pytest.importorskip("highspy")

QUIET = {"progress": False}


def choice(size: int, **rules: object) -> Choice:
    options: dict[str, object] = {
        "special_tokens": (),
        "pinned": (),
        "forbidden": (),
        "max_token_bytes": None,
        "valid_utf8": False,
        "splittable": b"",
    }
    return Choice.checked(size, **{**options, **rules})  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", [2, 3])
def test_every_bound_is_below_the_optimum_and_every_method_above(budget: int) -> None:
    whole = 0
    for rows in tiny_corpora(220 if budget == 2 else 30):
        counts = mm.PretokenCounts.from_items(rows)
        best = optimum(rows, budget)

        arcs = arc_bound(counts, choice(256 + budget))

        assert arcs.value <= best
        if arcs.integral:
            # Whole tokens leave greedy encoding no choice: the program's optimum is the true one.
            whole += 1
            assert arcs.value == best == cost_of(rows, tuple(arcs.chosen))
        try:
            searched = mm.train(counts, 256 + budget, certify=True, **QUIET)
        except mm.InvalidArgumentError:  # fewer tokens to choose than places
            continue
        assert searched.bound is not None
        assert searched.bound.value <= best <= searched.cost
    assert whole > 10


def test_the_relaxation_comes_near_the_program(counts: mm.PretokenCounts) -> None:
    small = counts.top(250)

    arcs = arc_bound(small, choice(330))
    result = mm.train(small, 330, certify=True, **QUIET)

    assert result.bound is not None
    assert arcs.value <= result.cost
    assert 0.995 * arcs.value <= result.bound.value <= result.cost
    needed, all_of_them = arcs.greedy_rows
    # Few rows of greedy consistency are ever needed: they are added where they are broken.
    assert needed < all_of_them / 4


def test_starts_that_land_together_prove_more_than_the_program() -> None:
    rows = {
        "baaba": 1, "abbbaaaa": 40, "bbabaab": 12, "abbb": 45, "aaabbab": 30, "aa": 58,
        "bbbbbbbb": 48, "ab": 24, "aba": 18, "aaababba": 8, "abbbaba": 13, "abbbabb": 38,
        "bbbbabb": 20, "abaaaa": 8,
    }  # fmt: skip
    counts = mm.PretokenCounts.from_items(rows)

    arcs = arc_bound(counts, choice(260))
    result = mm.train(counts, 260, certify=True, **QUIET)

    # The program lets parts of a token serve some pretokens, and other parts others.
    assert result.bound is not None
    assert arcs.objective + 5 < result.bound.value <= result.cost


def test_a_host_that_may_not_be_a_token_keeps_its_substrings() -> None:
    counts = mm.PretokenCounts.from_items({"abcdef": 10, "xy": 1})

    assert 22 == arc_bound(counts, choice(258, max_token_bytes=3)).value
    assert 22 == mm.train(counts, 258, max_token_bytes=3, **QUIET).cost


@settings(max_examples=60)
@given(
    rows=st.dictionaries(
        st.text(alphabet="ab|", min_size=1, max_size=6), st.integers(1, 50), min_size=1, max_size=5
    ),
    at=st.sampled_from(["start", "end"]),
    longest=st.integers(2, 6),
)
def test_rules_mean_the_same_to_both(rows: dict[str, int], at: str, longest: int) -> None:
    counts = mm.PretokenCounts.from_items(rows)
    rules = {"splittable": b"|", "splittable_at": at, "max_token_bytes": longest}
    try:
        result = mm.train(counts, 258, certify=True, **rules, **QUIET)
    except mm.InvalidArgumentError:
        return

    arcs = arc_bound(counts, choice(258, **rules))

    assert result.bound is not None
    assert arcs.value <= result.cost
    assert result.bound.value <= result.cost
    for token in result.vocabulary[256:]:
        assert b"|" not in (token[1:] if at == "start" else token[:-1])


def test_wrong_duals_still_give_a_bound(counts: mm.PretokenCounts) -> None:
    from dataclasses import replace

    from maxmunch.train.arcs import _Program

    program = _Program(counts.top(60), choice(280))
    arrays = program.arrays(program.rows)
    solution = lp.solve(arrays, "simplex")
    exact = lp.repaired_bound(arrays, solution)

    assert solution.objective == pytest.approx(exact)
    for factor in (-1.0, 0.0, 0.5, 1.1):
        other = replace(solution, duals=factor * solution.duals)
        assert lp.repaired_bound(arrays, other) <= exact + 1e-6


def test_a_large_table_is_refused(
    counts: mm.PretokenCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[arc_bound.__module__], "MOST_ARCS", 100)
    with pytest.raises(mm.InvalidArgumentError, match="small tables"):
        arc_bound(counts, choice(300))
