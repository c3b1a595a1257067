from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from tests_train import greedy_ids

import maxmunch as mm
from maxmunch.cli import main
from maxmunch.comparison import Cell, Table, growth, held_out_split

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tokenizers")
pytest.importorskip("highspy")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, prose: str) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text(prose)
    return path


def test_the_text_is_cut_at_newlines_and_nothing_is_lost(tmp_path: Path, corpus: Path) -> None:
    training, held_out = tmp_path / "a", tmp_path / "b"

    held_out_split(corpus, training, held_out)

    text, most, rest = (path.read_bytes() for path in (corpus, training, held_out))
    assert len(text) == len(most) + len(rest)
    first = text.rfind(b"\n", 0, 64 << 10) + 1
    assert rest.startswith(text[:first])
    assert most.startswith(text[first : first + 1000])
    short = tmp_path / "short"
    short.write_text("one block")
    with pytest.raises(mm.InvalidArgumentError, match="blocks"):
        held_out_split(short, training, held_out)
    # A line longer than a block stays whole.
    short.write_bytes(b"x" * 100_000 + b"\n" + b"y" * 10)
    held_out_split(short, training, held_out)
    assert (b"y" * 10, 100_001) == (training.read_bytes(), held_out.stat().st_size)


def test_the_table_is_made_once_and_goes_on(tmp_path: Path, corpus: Path) -> None:
    table = Table.of_corpus(corpus, tmp_path)
    cells = list(table.run([600], [400], ablation=True))

    assert [
        "BPE-native",
        "BPE-greedy",
        "WordPiece-greedy",
        "Unigram-native",
        "Unigram-greedy",
        "search",
        "JOLT",
        "JOLT M=4",
    ] == [cell.method for cell in cells]
    assert {"done"} == {cell.status for cell in cells}
    search, jolt = cells[5], cells[6]
    for cell in (search, jolt):
        ids = {
            token: number
            for number, token in enumerate(
                [*(bytes([b]) for b in range(256)), *map(bytes.fromhex, cell.tokens)]
            )
        }
        longest = max(map(len, ids))
        held_out = sum(n * len(greedy_ids(ids, longest, p)) for p, n in table.held_out)
        assert held_out == cell.held_out_tokens
        assert cell.bound is not None
        assert cell.bound <= cell.scope_tokens
    assert 0 < jolt.coverage < 1
    assert search.training_tokens < cells[0].training_tokens
    assert [400] == [row["scope"] for row in growth(cells)]

    again = list(Table.of_corpus(corpus, tmp_path, until=time.monotonic()).run([600], [400, 500]))

    assert cells[:7] == again[:7]
    assert "not begun" in again[7].status


def test_what_does_not_fit_says_so(tmp_path: Path, corpus: Path) -> None:
    table = Table.of_corpus(corpus, tmp_path)

    cell = next(c for c in table.run([50_000_000], []) if c.method == "search")

    assert cell.status.startswith("no result: vocab_size")
    assert Cell("JOLT", 5, 10).name == "jolt-5-10"


def test_the_command_prints_the_table(
    tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["reproduce", "--train", str(corpus), "--output", str(tmp_path)]
    options += ["--sizes", "520", "--scopes", "300", "--no-bounds"]

    assert 0 == main(options)
    shown = capsys.readouterr().out
    assert "JOLT on 300 pretokens" in shown
    assert "BPE-native" in shown
    assert 0 == main([*options, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert {"done"} == {cell["status"] for cell in found["cells"]}
    assert 1 == main([*options[:-3], "--scopes", "301", "--time-limit", "0.000001"])
    assert "not begun" in capsys.readouterr().out
