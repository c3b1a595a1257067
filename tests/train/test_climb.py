"""An ascent of the bound: killed and resumed, begun on the frequent pretokens, searched after."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import maxmunch as mm
from maxmunch.train import ascent

if TYPE_CHECKING:
    from pathlib import Path

QUIET = {"progress": False}


def test_an_ascent_goes_on_inside_and_gives_the_same_bytes(
    counts: mm.PretokenCounts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ascent, "KEEP_SECONDS", 0.0)
    monkeypatch.setattr(ascent, "BOUND_STEPS", 600)
    whole = mm.train(counts, 800, certify=True, **QUIET)

    class Killed(Exception):  # noqa: N818
        pass

    def kill(phase: str, done: int, _total: int) -> None:
        if phase == "bound" and done > 0 and (tmp_path / "bound.state").exists():
            raise Killed

    with pytest.raises(Killed):
        mm.train(counts, 800, certify=True, checkpoint=tmp_path, progress=kill)
    kept = (tmp_path / "bound.state").read_bytes()
    steps: list[int] = []

    def note(phase: str, done: int, _total: int) -> None:
        steps.extend([done] if phase == "bound" else [])

    resumed = mm.train(counts, 800, certify=True, checkpoint=tmp_path, progress=note)
    assert steps[0] > 0
    assert whole.certificate is not None
    assert resumed.certificate is not None
    assert whole.certificate.multipliers == resumed.certificate.multipliers
    assert whole.vocabulary == resumed.vocabulary
    assert not (tmp_path / "bound.state").exists()

    # A damaged or foreign state is refused.
    (tmp_path / "bound.json").unlink()
    for spoilt, word in (
        (kept[:-1], "damaged"),
        (b"0" + kept[1:], ""),
        (b"x" + kept, "another|other"),
    ):
        (tmp_path / "bound.state").write_bytes(spoilt)
        if word:
            with pytest.raises(mm.TrainingError, match=word):
                mm.train(counts, 800, certify=True, checkpoint=tmp_path, **QUIET)


def test_a_large_table_is_climbed_from_its_frequent_part(
    counts: mm.PretokenCounts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ascent, "BOUND_STEPS", 60)
    direct = mm.train(counts, 800, certify=True, **QUIET)
    monkeypatch.setattr(ascent, "LARGE", 1000)
    monkeypatch.setattr(ascent, "FREQUENT", 1000)
    monkeypatch.setattr(ascent, "FREQUENT_STEPS", 300)
    kept = {"certify": True, "checkpoint": tmp_path}
    climbed = mm.train(counts, 800, **kept, **QUIET)

    assert direct.bound is not None
    assert climbed.bound is not None
    assert climbed.bound.value <= min(direct.cost, climbed.cost)
    assert climbed.bound.value > 0.99 * direct.bound.value
    assert (tmp_path / "bound-below.json").exists()
    # Done again from the kept part, the rest is the same.
    (tmp_path / "bound.json").unlink()
    again = mm.train(counts, 800, **kept, **QUIET)
    assert climbed.certificate is not None
    assert again.certificate is not None
    assert climbed.certificate.multipliers == again.certificate.multipliers

    def interrupt(phase: str, *_: int) -> None:
        if phase == "bound":
            raise KeyboardInterrupt

    stopped = mm.train(counts, 800, certify=True, progress=interrupt)
    assert stopped.interrupted
    assert stopped.bound is None
    assert 800 == len(stopped.vocabulary)


def test_annealing_after_an_ascent_goes_several_ways_and_then_joins_them(
    counts: mm.PretokenCounts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ascent, "BOUND_STEPS", 300)
    kept = {"certify": True, "checkpoint": tmp_path}
    whole = mm.train(counts, 800, **kept, **QUIET)

    def costs(names: str) -> list[int]:
        return [json.loads(path.read_text())["result"]["cost"] for path in tmp_path.glob(names)]

    ways = costs("settle-way-*.json")
    assert len(costs("anneal-way-*.json")) > 1
    assert 1 == len(costs("anneal-joint.json"))
    assert whole.cost == min(costs("settle-*.json") + costs("polish-*.json"))
    assert whole.cost <= min(ways)

    # Killed among the ways, a run ends with the same vocabulary.
    for path in (*tmp_path.glob("*-joint*.json"), *tmp_path.glob("*-way-2*.json")):
        path.unlink()
    assert whole.vocabulary == mm.train(counts, 800, **kept, **QUIET).vocabulary
