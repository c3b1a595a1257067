"""Encoding files: every reader, every format, and what an interruption leaves."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import maxmunch as mm
from maxmunch.corpus.documents import split_stream

if TYPE_CHECKING:
    from pathlib import Path

VOCABULARY = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" be": 257}
TEXTS = ["to be", "", "or not\nto be", "héé, deux", "to to to be"]


@pytest.fixture
def tokenizer() -> mm.Tokenizer:
    return mm.Tokenizer(mm.models.LongestMatch(VOCABULARY))


def rows(manifest: mm.Manifest) -> list[list[int]]:
    return [ids.tolist() for shard in manifest.shards for ids in shard.load()]


def expected(tokenizer: mm.Tokenizer, texts: list[str]) -> list[list[int]]:
    return [tokenizer.encode_ids(text).tolist() for text in texts]


def written(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


@pytest.mark.parametrize("name", ["npy", "bin", "parquet"])
@pytest.mark.parametrize("shard_bytes", [1, 12, 1 << 20])
def test_shards_hold_the_ids_of_every_document_in_order(
    tokenizer: mm.Tokenizer, tmp_path: Path, name: str, shard_bytes: int
) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    source = tmp_path / "texts.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))

    manifest = tokenizer.encode_files(
        source, tmp_path / "ids", format=name, shard_bytes=shard_bytes, progress=False
    )

    assert expected(tokenizer, TEXTS) == rows(manifest)
    assert expected(tokenizer, TEXTS) == rows(mm.Manifest.load(tmp_path / "ids"))
    assert len(TEXTS) == manifest.documents
    assert sum(map(len, rows(manifest))) == manifest.ids
    assert {"uint16" if name == "bin" else "uint32"} == {s.dtype for s in manifest.shards}


def test_an_npy_shard_opens_with_numpy_alone(tokenizer: mm.Tokenizer, tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    source.write_text("to be")

    (shard,) = tokenizer.encode_files(source, tmp_path / "ids", progress=False).shards

    assert [256, 257] == np.load(shard.path).tolist()
    assert [0, 2] == np.load(shard.offsets_path).tolist()


def test_text_files_are_one_document_or_split_at_a_separator(
    tokenizer: mm.Tokenizer, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("to be<|end|>to<|end|>")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b" be<|end|><|end|>to"))
    paths = [tmp_path / "a.txt", tmp_path / "b.txt.gz"]

    whole = tokenizer.encode_files(paths, tmp_path / "whole", progress=False)
    split = tokenizer.encode_files(
        paths, tmp_path / "split", separator="<|end|>", shard_bytes=4, progress=False
    )

    texts = ["to be<|end|>to<|end|>", " be<|end|><|end|>to"]
    assert expected(tokenizer, texts) == rows(whole)
    assert expected(tokenizer, ["to be", "to", " be", "", "to"]) == rows(split)


def test_tables_and_other_fields_are_read(tokenizer: mm.Tokenizer, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"body": ["to", None, " be"]}), tmp_path / "t.parquet")
    (tmp_path / "lines.txt").write_text('{"body": "to be"}\n\n')

    manifest = tokenizer.encode_files(
        [tmp_path / "t.parquet", tmp_path / "lines.txt"],
        tmp_path / "ids",
        column="body",
        field="body",
        progress=False,
    )

    assert expected(tokenizer, ["to", " be", "to be"]) == rows(manifest)


def test_a_separator_is_found_across_blocks() -> None:
    class Slow:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, _size: int) -> bytes:
            block, self.data = self.data[:1], self.data[1:]
            return block

    slow: Any = Slow(b"ab<><>c<>")
    assert [b"ab", b"", b"c"] == list(split_stream(slow, b"<>"))


@pytest.mark.parametrize("threads", [1, 2, None])
def test_threads_change_no_byte(
    tokenizer: mm.Tokenizer, tmp_path: Path, threads: int | None
) -> None:
    source = tmp_path / "text.txt"
    source.write_text("to be or not to be\n" * 500)
    options: dict[str, Any] = {"separator": "\n", "shard_bytes": 1000, "progress": False}

    tokenizer.encode_files(source, tmp_path / "one", threads=1, **options)
    tokenizer.encode_files(source, tmp_path / "some", threads=threads, **options)

    assert written(tmp_path / "one") == written(tmp_path / "some")


def test_a_finished_run_is_not_repeated(tokenizer: mm.Tokenizer, tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    source.write_text("to be")
    tokenizer.encode_files(source, tmp_path / "ids", progress=False)
    shard = tmp_path / "ids" / "shard-00000.npy"
    before = shard.stat().st_mtime_ns

    manifest = tokenizer.encode_files(source, tmp_path / "ids", progress=False)

    assert manifest.complete
    assert before == shard.stat().st_mtime_ns


CHILD = """
import sys, maxmunch as mm
vocabulary = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" be": 257}
tokenizer = mm.Tokenizer(mm.models.LongestMatch(vocabulary))
tokenizer.encode_files(sys.argv[1], sys.argv[2], separator="\\n", shard_bytes=2000, progress=False)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_a_killed_run_goes_on_and_gives_the_same_bytes(
    tokenizer: mm.Tokenizer, tmp_path: Path
) -> None:
    source, broken = tmp_path / "text.txt", tmp_path / "broken"
    source.write_text("".join(f"to be {number} or not\n" for number in range(20_000)))
    options: dict[str, Any] = {"separator": "\n", "shard_bytes": 2000, "progress": False}
    tokenizer.encode_files(source, tmp_path / "whole", **options)
    kills = 0
    for kill_at in (1, 5, 20, 60, 120):
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(source), str(broken)])
        while child.poll() is None and not (broken / f"shard-{kill_at:05d}.npy").exists():
            time.sleep(0.0005)
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
            kills += 1
        child.wait()

    finished = mm.Manifest.load(broken)
    times = {shard.path: shard.path.stat().st_mtime_ns for shard in finished.shards}
    tokenizer.encode_files(source, broken, **options)

    assert kills >= 1
    assert written(tmp_path / "whole") == written(broken)
    assert times == {path: path.stat().st_mtime_ns for path in times}


def test_another_tokenizer_other_options_or_inputs_are_refused(
    tokenizer: mm.Tokenizer, tmp_path: Path
) -> None:
    source, other = tmp_path / "text.txt", tmp_path / "other.txt"
    source.write_text("to be")
    other.write_text("be")
    output = tmp_path / "ids"
    tokenizer.encode_files(source, output, progress=False)
    smaller = mm.Tokenizer(mm.models.LongestMatch({b"to": 0, b" be": 1}))

    with pytest.raises(mm.InvalidArgumentError, match="another tokenizer"):
        smaller.encode_files(source, output, progress=False)
    with pytest.raises(mm.InvalidArgumentError, match="other options"):
        tokenizer.encode_files(source, output, format="bin", progress=False)
    with pytest.raises(mm.InvalidArgumentError, match="other inputs"):
        tokenizer.encode_files(other, output, progress=False)

    manifest = smaller.encode_files(source, output, progress=False, resume=False)
    assert [[0, 1]] == rows(manifest)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"format": "csv"}, "format: 'csv'"),
        ({"errors": "quiet"}, "errors: 'quiet'"),
        ({"shard_bytes": 0}, "shard_bytes: 0"),
        ({"separator": ""}, "separator"),
        ({"threads": 0}, "threads: 0"),
    ],
)
def test_bad_options_are_named(
    tokenizer: mm.Tokenizer, tmp_path: Path, options: dict[str, Any], match: str
) -> None:
    source = tmp_path / "text.txt"
    source.write_text("to be")

    with pytest.raises(mm.InvalidArgumentError, match=match):
        tokenizer.encode_files(source, tmp_path / "ids", progress=False, **options)


def test_a_document_that_is_not_utf8_is_named_or_replaced(
    tokenizer: mm.Tokenizer, tmp_path: Path
) -> None:
    source = tmp_path / "text.txt"
    source.write_bytes(b"to\nbe\xff\n")

    with pytest.raises(
        mm.InvalidArgumentError, match=r"text\.txt:2 is not valid UTF-8 at its byte 2"
    ):
        tokenizer.encode_files(source, tmp_path / "ids", separator="\n", progress=False)
    assert [] == [path.name for path in (tmp_path / "ids").glob("*shard*")]

    manifest = tokenizer.encode_files(
        source, tmp_path / "replaced", separator="\n", errors="replace", progress=False
    )
    assert expected(tokenizer, ["to", "be\ufffd"]) == rows(manifest)


def test_missing_files_and_damaged_manifests_are_refused(
    tokenizer: mm.Tokenizer, tmp_path: Path
) -> None:
    source = tmp_path / "text.txt"
    source.write_text("to be")
    (tmp_path / "ids").mkdir()
    (tmp_path / "ids" / "manifest.json").write_text('{"version": 1, "shards": 7}')

    with pytest.raises(mm.InvalidArgumentError, match="no file"):
        tokenizer.encode_files(tmp_path / "nothing.txt", tmp_path / "other", progress=False)
    with pytest.raises(mm.InvalidArgumentError, match="the list is empty"):
        tokenizer.encode_files([], tmp_path / "other", progress=False)
    with pytest.raises(mm.InvalidArgumentError, match="no manifest of shards"):
        tokenizer.encode_files(source, tmp_path / "ids", progress=False)


def test_two_runs_do_not_write_into_one_directory(tokenizer: mm.Tokenizer, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    source, output = tmp_path / "text.txt", tmp_path / "ids"
    source.write_text("to be")
    output.mkdir()

    with (output / ".lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(mm.InvalidArgumentError, match="another run"):
            tokenizer.encode_files(source, output, progress=False)
