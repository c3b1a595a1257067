"""What stops a long run from outside: Ctrl-C in a solver, a killed process, a full disk."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests_train import covering_program

import maxmunch as mm
from maxmunch import lp
from maxmunch.corpus.counts import write_whole
from maxmunch.lp import process

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("numpy")
pytest.importorskip("highspy")

QUIET = {"progress": False}
JOLT = {"method": "jolt", "top": 300, "whole_top": 50, "threads": 1}


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve programs of any size in another process."""
    monkeypatch.setattr(lp, "SMALL", 0)


@pytest.mark.usefixtures("apart")
def test_another_process_gives_the_same_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    # More than a pipe holds, in both directions.
    program = covering_program(1, columns=700, rows=700)
    found = lp.solve(program)
    assert found.peak_bytes > 0

    monkeypatch.setattr(lp, "SMALL", sys.maxsize)
    here = lp.solve(program)
    assert here.values.tolist() == found.values.tolist()
    assert here.duals.tolist() == found.duals.tolist()
    assert 0 == here.peak_bytes


@pytest.mark.usefixtures("apart")
def test_a_solver_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START", "import time; time.sleep(1000)")
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.0)
    began = time.monotonic()
    with pytest.raises(lp.TimeIsOver):
        lp.solve(covering_program(1, columns=60, rows=60), time_limit=0.3)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lp.solve(covering_program(1, columns=60, rows=60), watch=stop)
    assert time.monotonic() - began < 60


@pytest.mark.usefixtures("apart")
def test_a_solver_that_crashes_is_an_error_of_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START", "import os; os.abort()")
    with pytest.raises(mm.TrainingError, match="a crash: its process ended with -"):
        lp.solve(covering_program(1, columns=60, rows=60))


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at SIGINT, which a process started in the background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("apart", "heeds_ctrl_c")
def test_ctrl_c_in_a_solver_leaves_the_last_vocabulary_and_the_checkpoint(
    counts: mm.PretokenCounts, tmp_path: Path
) -> None:
    seen = 0

    def press(phase: str, *_: int) -> None:
        nonlocal seen
        seen += phase.startswith("solve 2")
        # The first call announces the solve, later ones come while the other process works.
        if seen == 2:
            signal.raise_signal(signal.SIGINT)

    result = mm.train(counts, 400, checkpoint=tmp_path, progress=press, **JOLT)
    assert seen == 2
    assert result.interrupted
    assert 400 == len(result.vocabulary)
    assert ["escalate"] == [r.phase for r in result.rounds]

    resumed = mm.train(counts, 400, checkpoint=tmp_path, **JOLT, **QUIET)
    assert mm.train(counts, 400, **JOLT, **QUIET).vocabulary == resumed.vocabulary


@pytest.mark.usefixtures("apart")
def test_ctrl_c_in_the_first_solve_is_raised(counts: mm.PretokenCounts) -> None:
    def press(phase: str, *_: int) -> None:
        if phase.startswith("solve 1"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mm.train(counts, 400, progress=press, **JOLT)


FULL = """
import resource, sys
import maxmunch as mm
counts = mm.PretokenCounts.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    if sys.argv[4] == "checkpoint":
        mm.train(counts, 500, checkpoint=sys.argv[2], progress=False)
    else:
        mm.train(counts, 500, progress=False).save(sys.argv[2])
except mm.TrainingError as error:
    print("TrainingError", error)
except OSError as error:
    print("OSError", error)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs a limit on the size of files")
@pytest.mark.parametrize("what", ["checkpoint", "result"])
def test_a_file_that_cannot_be_written_whole_is_not_there(
    counts: mm.PretokenCounts, tmp_path: Path, what: str
) -> None:
    counts.save(tmp_path / "some.counts")
    folder = tmp_path / "output"
    run = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path / "some.counts", folder, "3000", what],
        capture_output=True,
        text=True,
        check=True,
    )

    if what == "checkpoint":
        assert run.stdout.startswith("TrainingError checkpoint: ")
        assert "make room" in run.stdout
    else:
        assert run.stdout.startswith("OSError")
        assert "tokenizer.json" in run.stdout
    assert [] == [path for path in folder.iterdir() if path.stat().st_size == 3000]
    assert [] == list(folder.glob("*.partial"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "result"
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device.*result") as caught:
        write_whole(target, [b"new"])

    assert errno.ENOSPC == caught.value.errno
    assert b"old" == target.read_bytes()
    assert [target] == list(tmp_path.iterdir())


def test_a_part_of_a_table_says_so_in_every_scope(
    counts: mm.PretokenCounts, tmp_path: Path
) -> None:
    part = counts.top(200)
    share = f"({100 * part.total / counts.total:.2f} % of the text's)"
    expected = f"the 200 most frequent of {len(counts):,} distinct pretokens"

    part.save(tmp_path / "part.counts")
    for table in (part, mm.PretokenCounts.load(tmp_path / "part.counts")):
        result = mm.train(table, 300, certify=True, **QUIET)
        assert result.bound is not None
        assert result.certificate is not None
        for scope in (
            result.scope,
            result.bound.scope,
            mm.check_bound(result.certificate, table).scope,
        ):
            assert expected in scope
            assert share in scope
    again = part.top(100)
    assert again.text_total == counts.total
    assert len(counts) == again.text_distinct
    # Parts of two texts make no most frequent part of both.
    both = part + part
    assert 2 * counts.total == both.text_total
    assert "200 distinct pretokens of a text that has more" in mm.train(both, 300, **QUIET).scope
    assert "all" in mm.train(counts, 300, **QUIET).scope
