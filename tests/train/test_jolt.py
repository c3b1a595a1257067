from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from tests_train import greedy_ids

import maxmunch as mm

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("highspy")

QUIET = {"progress": False}
BYTES = [bytes([byte]) for byte in range(256)]


def tiny_corpora(count: int) -> list[dict[str, int]]:
    generator = random.Random(0)
    return [
        {
            "".join(generator.choices("abc", k=generator.randrange(2, 7))): generator.randrange(
                1, 50
            )
            for _ in range(generator.randrange(2, 6))
        }
        for _ in range(count)
    ]


def cost_of(rows: dict[str, int], tokens: tuple[bytes, ...]) -> int:
    ids = {token: number for number, token in enumerate([*BYTES, *tokens])}
    return sum(n * len(greedy_ids(ids, 8, word.encode())) for word, n in rows.items())


def optimum(rows: dict[str, int], budget: int) -> int:
    tokens = sorted(
        {w[i:j].encode() for w in rows for i in range(len(w)) for j in range(i + 2, len(w) + 1)}
    )
    return min(
        cost_of(rows, chosen)
        for size in range(budget + 1)
        for chosen in itertools.combinations(tokens, size)
    )


def test_no_tiny_corpus_is_cheaper_than_its_optimum_and_a_full_program_bounds_it() -> None:
    above = 0
    for rows in tiny_corpora(60):
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
