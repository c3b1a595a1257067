"""The command line: what it prints, and the three exit codes."""

from __future__ import annotations

import io
import json
import mmap
from typing import TYPE_CHECKING

import pytest

import maxmunch as mm
from maxmunch.cli import build_parser, main
from maxmunch.cli.sources import map_bytes, map_edited

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tokenizer_path(tmp_path: Path) -> Path:
    vocabulary = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" be": 257}
    path = tmp_path / "tokenizer.json"
    mm.Tokenizer(mm.models.LongestMatch(vocabulary)).save(str(path))
    return path


def commands() -> list[str]:
    parser = build_parser()
    (action,) = [a for a in parser._actions if a.choices and not a.option_strings]
    return sorted(action.choices)


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])

    assert 0 == stopped.value.code
    printed = capsys.readouterr().out
    assert f"maxmunch {name}" in printed.split("example:")[1]
    assert "--json" in printed


def test_encode_prints_ids_and_decode_gives_the_text_back(
    tokenizer_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("to be\n")

    assert 0 == main(["encode", str(tokenizer_path), str(text)])
    printed = capsys.readouterr().out
    assert "256 257 10\n" == printed

    ids = tmp_path / "ids.txt"
    ids.write_text(printed)
    assert 0 == main(["decode", str(tokenizer_path), str(ids)])
    assert "to be\n" == capsys.readouterr().out


def test_encode_writes_shards_that_decode_reads(
    tokenizer_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, ids = tmp_path / "text.txt", tmp_path / "ids"
    text.write_text("to be, not to be\n")
    call = ["encode", str(tokenizer_path), str(text), "--output", str(ids), "--json"]

    assert 0 == main(call)
    assert 1 == json.loads(capsys.readouterr().out)["documents"]
    assert 0 == main(["decode", str(tokenizer_path), str(ids / "shard-00000.npy"), "--json"])
    assert "to be, not to be\n" == json.loads(capsys.readouterr().out)["text"]


def test_lines_are_texts_of_their_own(
    tokenizer_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("to\n be\n\n")

    assert 0 == main(["encode", str(tokenizer_path), str(text), "--lines", "--json"])
    documents = json.loads(capsys.readouterr().out)["documents"]
    assert [[256], [257], []] == [document["ids"] for document in documents]


def test_a_certified_window_exits_with_0_and_a_refuted_one_with_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 0 == main(["certify", "tokens:ab,b", "a", "0"])
    capsys.readouterr()

    assert 1 == main(["certify", "tokens:ab,b", "b", "0", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert "refuted" == answer["verdict"]
    assert {"data": "ab", "occurrence": 1, "claimed": 1, "actual": 0} == answer["witness"]


def test_cuts_of_a_file_larger_than_memory_read_only_around_the_points_of_division(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "zeros"
    with path.open("wb") as stream:
        stream.truncate(1 << 36)  # a hole: it takes no room on the disk

    assert 0 == main(["cuts", r"tokens:\x00", str(path), "--parts", "4", "--json"])

    assert [1 << 34, 1 << 35, 3 << 34] == json.loads(capsys.readouterr().out)["cuts"]


def test_limits_are_options_and_a_reached_one_exits_with_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 2 == main(["inventory", "grammar:conventional", "--max-states", "3"])
    assert "max_states" in capsys.readouterr().err

    assert 2 == main(["certify", "grammar:conventional", "ab", "0", "--max-states", "3"])
    assert "max_states" in capsys.readouterr().out


def test_bad_input_exits_with_2_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(["encode", str(tmp_path / "nothing.json")])
    assert "there is no file" in capsys.readouterr().err

    broken = tmp_path / "broken.json"
    broken.write_text("{")
    assert 2 == main(["encode", str(broken)])
    assert "maxmunch:" in capsys.readouterr().err

    assert 2 == main(["certify", "tokens:ab,b", "a", "7"])
    assert "origin" in capsys.readouterr().err


def test_inventory_counts_windows(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["inventory", "tokens:ab,b", "--width", "1", "--json"])
    (row,) = json.loads(capsys.readouterr().out)["widths"]
    assert {"width": 1, "certified": 1, "vacuous": 254, "windows": 256} == row


def test_count_train_and_evaluate_work_on_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the cat sat on the mat with the other cat\n" * 20)
    table, output = tmp_path / "corpus.counts", tmp_path / "mine"

    assert 0 == main(["count", str(corpus), "--output", str(table), "--quiet"])
    assert "distinct" in capsys.readouterr().out
    train = ["train", str(table), "--vocab-size", "264", "--output", str(output), "--quiet"]
    assert 0 == main(train)
    more = ["--splittable", r"\n\x20", "--top", "5", "--checkpoint", str(tmp_path / "kept")]
    assert 0 == main([*train[:2], "--vocab-size", "258", *train[4:], *more])
    report = json.loads((output / "report.json").read_text())
    assert "\n " == report["options"]["rules"]["splittable"]
    assert (tmp_path / "kept" / "search-1.json").exists()
    assert 2 == main([*train, "--memory-limit", "10"])
    assert 2 == main([*train, "--splittable", "\\x"])
    assert 0 == main(train)
    capsys.readouterr()
    evaluate = ["evaluate", str(output), "--source", str(corpus), "--json"]
    assert 0 == main(evaluate)
    assert str(output) in capsys.readouterr().out


def test_tables_are_added_up_and_never_read_as_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [tmp_path / "first.txt", tmp_path / "second.txt"]
    names[0].write_text("one two two\n")
    names[1].write_text("two three\n")
    tables = [str(name.with_suffix(".counts")) for name in names]
    for name, table in zip(names, tables, strict=True):
        assert 0 == main(["count", str(name), "--output", table, "--quiet"])
    capsys.readouterr()

    whole = [str(tmp_path / "whole.counts"), "--quiet", "--json"]
    assert 0 == main(["count", *tables, "--output", *whole])
    summed = json.loads(capsys.readouterr().out)
    assert 0 == main(["count", *map(str, names), "--quiet", "--json"])
    assert summed == json.loads(capsys.readouterr().out)
    assert (7, 0) == (summed["total"], summed["dropped"])
    assert 0 == main(["count", whole[0], "--pattern", "o200k", "--quiet"])
    assert 2 == main(["count", whole[0], "--pattern", r"\S+", "--quiet"])
    assert "counted with" in capsys.readouterr().err
    assert 2 == main(["count", tables[0], str(names[1]), "--quiet"])
    assert "is a table and others are texts" in capsys.readouterr().err
    for name, value in (("--field", "body"), ("--column", "body"), ("--memory-limit", "99999")):
        assert 2 == main(["count", whole[0], name, value, "--quiet"])
        assert f"{name} is for texts" in capsys.readouterr().err


def test_counting_within_a_memory_limit_says_what_it_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(" ".join(f"w{number}x" for number in range(5000)))

    assert 0 == main(["count", str(corpus), "--memory-limit", "20000", "--quiet"])
    assert "were dropped to keep the memory limit" in capsys.readouterr().out


def test_train_takes_named_fields_and_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, output = tmp_path / "corpus.jsonl", tmp_path / "mine"
    corpus.write_text(json.dumps({"body": "the cat sat on the caf\u00e9 mat"}) + "\n")
    named = [str(corpus), "--field", "body", "--quiet"]
    rules = ["--pinned", r"\x20c", "--pinned", r"\xff\xfe", "--forbidden", "the"]
    rules += ["--max-token-bytes", "4", "--splittable", r"\x20", "--splittable-at", "start"]

    assert 0 == main(["count", *named, "--json"])
    assert 7 == json.loads(capsys.readouterr().out)["total"]
    assert 0 == main(
        ["train", *named, *rules, "--vocab-size", "261", "--output", str(output), "--json"]
    )
    report = json.loads((output / "report.json").read_text())["options"]["rules"]
    assert ([" c", r"\xff\xfe"], ["the"], 4, " ", "start") == (
        report["pinned"],
        report["forbidden"],
        report["max_token_bytes"],
        report["splittable"],
        report["splittable_at"],
    )
    assert 0 == main(
        ["train", *named, "--valid-utf8", "--vocab-size", "258", "--output", str(output)]
    )
    assert json.loads((output / "report.json").read_text())["options"]["rules"]["valid_utf8"]
    assert 0 == main(["evaluate", str(output), "--source", str(corpus), "--field", "body"])
    assert 2 == main(["evaluate", str(output), "--source", str(corpus)])
    assert 2 == main(["count", str(corpus), "--column", "body"])
    assert 2 == main(["train", *named, "--pinned", r"\x", "--output", str(output)])


def test_audit_shows_an_input_or_proves_that_there_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 1 == main(["audit", "tokens:a,b,ab", "tokens:a,b", "--json"])
    found = json.loads(capsys.readouterr().out)["boundary"]
    assert ("ab", [0], [0, 1]) == (found["data"], found["left_starts"], found["right_starts"])

    assert 0 == main(["audit", "tokens:a,b", "tokens:b,a"])
    assert "proved" in capsys.readouterr().out


def test_span_is_yes_when_bounded_and_no_when_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["span", "tokens:ab,b", "--width", "2"])
    assert "longer than 1 bytes" in capsys.readouterr().out

    assert 1 == main(["span", "tokens:aa", "--width", "2"])
    assert "arbitrarily long" in capsys.readouterr().out


def test_patterns_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lexer = tmp_path / "lexer.txt"
    lexer.write_text("# a tiny lexer\nname [a-z]+\nspace [ ]+\n")

    assert 0 == main(["certify", f"patterns:{lexer}", " a", "1"])
    assert "certified" in capsys.readouterr().out

    lexer.write_text("name\n")
    assert 2 == main(["certify", f"patterns:{lexer}", "a", "0"])
    assert "line 1" in capsys.readouterr().err


def test_edit_and_supply_read_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.txt"
    text.write_text("abbab" * 5)

    edited = ["edit", "tokens:ab,b,a", str(text), "--at", "6", "--insert", "a", "--json"]
    assert 0 == main(edited)
    answer = json.loads(capsys.readouterr().out)
    assert answer["left"] < 8
    assert [6, 7] == answer["changed_starts"]
    assert 0 == main(["supply", "tokens:ab,b", str(text), "--width", "2", "--json"])
    widths = json.loads(capsys.readouterr().out)["widths"]
    assert [10, 15] == [width["anchors"] for width in widths]


def test_every_decision_tells_what_it_searched(capsys: pytest.CaptureFixture[str]) -> None:
    lexer = "grammar:bare"
    commands = {
        "certify": [lexer, r"\n", "0"],
        "inventory": [lexer, "--width", "2"],
        "span": [lexer, "--width", "2"],
        "delimiter": [lexer, r"\n"],
        "audit": [lexer, "grammar:conventional"],
    }
    for name, arguments in commands.items():
        main([name, *arguments, "--json"])
        assert json.loads(capsys.readouterr().out)["searched_states"] > 0, name


@pytest.mark.parametrize("removed", [0, 1, 3])
def test_an_edited_text_is_mapped_whatever_its_size(tmp_path: Path, removed: int) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"abc" * 3)
    mapped = map_bytes(str(path))

    for start in range(10 - removed):
        for inserted in (b"", b"x", b"xyz"):
            expected = path.read_bytes()[:start] + inserted + path.read_bytes()[start + removed :]
            found = map_edited(mapped, start, start + removed, inserted)
            assert isinstance(found, mmap.mmap)
            assert expected == found[:]
    assert b"" == map_edited(mapped, 0, 9, b"")


def test_sources_may_be_directories_and_a_missing_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("one two")
    (tmp_path / "b.txt").write_text("two three")

    assert 0 == main(["count", str(tmp_path), "--json", "--quiet"])
    assert 4 == json.loads(capsys.readouterr().out)["total"]
    assert 0 == main(["count", str(tmp_path / "*.txt"), "--json", "--quiet"])
    assert 4 == json.loads(capsys.readouterr().out)["total"]

    assert 2 == main(["count", str(tmp_path / "nothing.txt"), "--quiet"])
    assert "nothing.txt" in capsys.readouterr().err


def test_scan_compares_every_boundary_stream(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["scan", "--threads", "1,2", "--copies", "1", "--repetitions", "1", "--json"]

    assert 0 == main(arguments)
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(1, True), (2, True)] == [(run["threads"], run["identical"]) for run in runs]

    assert 2 == main(["scan", "--threads", "1,x"])
    assert "threads" in capsys.readouterr().err


def test_inventories_are_saved_and_pages_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, page = tmp_path / "set.inventory", tmp_path / "set.html"
    arguments = ["inventory", "grammar:bare", "--width", "2", "--save", str(saved)]

    assert 0 == main([*arguments, "--html", str(page)])
    capsys.readouterr()
    assert mm.Inventory.load(saved).max_width == 2
    assert "Certified windows" in page.read_text()


def test_standard_output_is_a_file_that_has_it_for_itself(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text, counts, saved = tmp_path / "text.txt", tmp_path / "a.counts", tmp_path / "a.inventory"
    text.write_text("to be or not to be")
    counting = ["count", str(text), "--quiet", "--output"]
    listing = ["inventory", "tokens:ab,b", "--save"]
    for call, path in ((counting, counts), (listing, saved)):
        assert 0 == main([*call, str(path)])
        capfdbinary.readouterr()
        assert 0 == main([*call, "-"])
        assert path.read_bytes() == capfdbinary.readouterr().out
    assert 0 == main(["inventory", "tokens:ab,b", "--html", "-"])
    assert b"Certified windows" in capfdbinary.readouterr().out


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (["count", "x", "--output", "-", "--json"], "--output and --json"),
        (["inventory", "tokens:a", "--save", "-", "--html", "-"], "--save and --html"),
        (["train", "x", "--output", "-"], "a directory is needed"),
        (["train", "x", "--output", "y", "--checkpoint", "-"], "a directory is needed"),
        (["encode", "x", "y", "--output", "-"], "a directory is needed"),
        (["tour", "--output", "-"], "a directory is needed"),
        (["reproduce", "--output", "-"], "a directory is needed"),
    ],
)
def test_standard_output_takes_one_file(
    call: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        assert 2 == main(call)
    except SystemExit as stopped:
        assert 2 == stopped.code  # noqa: PT017 - argparse ends the process
    assert why in capsys.readouterr().err


def test_explain_and_inspect_read_standard_input(
    tokenizer_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for call, what in (
        (["explain", str(tokenizer_path), "-"], "ids          [256, 257]"),
        (["inspect", str(tokenizer_path), "--sample", "-"], "splitter, 5 characters"),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"to be")))
        assert 0 == main(call)
        assert what in capsys.readouterr().out


def test_explain_and_inspect_look_into_a_tokenizer(
    tokenizer_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == main(["explain", str(tokenizer_path), "to be"])
    assert "ids          [256, 257]" in capsys.readouterr().out
    assert 0 == main(["explain", str(tokenizer_path), "to be", "--json"])
    assert [256, 257] == json.loads(capsys.readouterr().out)["ids"]
    assert 0 == main(["inspect", str(tokenizer_path), "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert ("WordPiece", 258, 3) == tuple(
        facts[name] for name in ("model", "tokens", "longest token, bytes")
    )
