"""The comparison of engines: processes, ids, and what counts."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

import maxmunch as mm
from maxmunch.bench import ENGINES, Bench, Row
from maxmunch.bench.matrix import loads, summary
from maxmunch.bench.measures import Cell, Order, documents
from maxmunch.cli import main

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["cat", "dog", "fish", "sea", "mat", "sand", "tree", "bird", "stone", "river"]
TEXT = " ".join(f"the {a}{b} {b}s on {a}" for a in WORDS for b in WORDS) * 40


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("bench")
    tokenizer, text = folder / "tokenizer.json", folder / "text.txt"
    text.write_text(TEXT)
    counts = mm.count_pretokens([TEXT], progress=False)
    tokenizer.write_text(mm.train(counts, 270, progress=False).to_json())
    return tokenizer, text


def cell(rate: float, ids: str = "right") -> Cell:
    return Cell(1_000_000, 0.1, 1.0, 1 / rate, 1 / rate, 2.0, ids)


def test_a_row_compares_with_the_fastest_rival_that_is_exact() -> None:
    cells = {
        "maxmunch": [cell(20), cell(30), cell(40)],
        "gigatoken": [cell(15)],
        "tokie": [cell(100, "wrong")],
        "kitoken": [],
    }
    row = Row("t", "text", "first", cells, "right")
    assert 2.0 == pytest.approx(row.ratio)
    assert row.columns()[2:] == [
        "30.0 (20.0-40.0)",
        "15.0 (15.0-15.0)",
        "100.0 (100.0-100.0) ✗",
        "-",
        "2.00",
    ]
    assert summary([row]).startswith("Geometric mean of the ratios: 2.00; least 2.00; 0 of 1")
    assert [["t", "0.100 s, 1 MB", "0.100 s, 1 MB", "0.100 s, 1 MB", "-"]] == loads([row])


def test_a_row_without_the_reference_says_so() -> None:
    row = Row("t", "text", "first", {"maxmunch": [cell(9)], "tokie": [cell(1)]}, None)
    assert ["t", "text", "9.0 (9.0-9.0) ?", "1.0 (1.0-1.0) ?", "-"] == row.columns()


def test_wrong_ids_of_ours_never_count() -> None:
    row = Row("t", "text", "first", {"maxmunch": [cell(9, "x")], "tokie": [cell(1)]}, "right")
    assert row.ratio is None


def test_documents_are_distinct_and_spread_over_the_text(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"".join(b"%09d\n" % n for n in range(20_000)))
    found = documents(path, 50_000)
    assert 5 == len(found) == len(set(found))
    assert all(9_900 <= len(document) <= 10_000 for document in found)
    assert "0000" in found[0]
    assert "00160" in found[-1]


def test_rounds_run_in_processes_and_keep_the_ids_of_the_reference(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    pytest.importorskip("tokenizers", reason="the ids of the reference need `tokenizers`")
    kept = tmp_path / "kept.json"
    bench = Bench(engines=["maxmunch", "tokenizers"], rounds=1, megabytes=0.05, kept=kept)
    for measure in ("first", "batch"):
        row = bench.row(*files, measure)
        assert row is not None
        assert row.exact("maxmunch"), row
    assert 1 == len(json.loads(kept.read_text())), "the same documents have the same ids"
    assert [] == row.cells["tokenizers"], "kept ids are not computed again"


def test_a_short_text_is_left_out_by_its_measure_and_said_so(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    bench = [str(path) for path in files]
    assert 0 == main(["bench", *bench, "--engines", "maxmunch", "--measures", "steady"])
    assert "left out" in capsys.readouterr().err


def test_unknown_engines_measures_and_files_are_named(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(path) for path in files]
    assert 2 == main(["bench", *given, "--engines", "fastest"])
    assert "'fastest'" in capsys.readouterr().err
    assert 2 == main(["bench", *given, "--engines", "maxmunch", "--measures", "warm"])
    assert "'warm'" in capsys.readouterr().err
    assert 2 == main(["bench", "nowhere.json", given[1]])
    assert "nowhere.json" in capsys.readouterr().err


def test_the_command_prints_a_row_an_engine(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(path) for path in files]
    options = ["--engines", "maxmunch", "--rounds", "1", "--megabytes", "0.05"]
    assert 0 == main(["bench", *given, *options])
    assert "no reference" in capsys.readouterr().out
    assert 0 == main(["bench", *given, *options, "--json"])
    cells = json.loads(capsys.readouterr().out)["rows"][0]["cells"]
    assert 1 == len(cells["maxmunch"])


def test_every_engine_names_its_distribution() -> None:
    assert all(engine.package for engine in ENGINES.values())


def test_a_cell_is_one_line_of_a_process_that_says_nothing_else(files: tuple[Path, Path]) -> None:
    tokenizer, text = map(str, files)
    order = Order("maxmunch", "first", tokenizer, text, megabytes=0.1, threads=1)
    command = [sys.executable, "-m", "maxmunch.bench", json.dumps(asdict(order))]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "" == done.stderr
    assert Cell(**json.loads(done.stdout)).bytes > 0
