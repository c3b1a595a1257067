from __future__ import annotations

import collections
import gzip
import json
import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxmunch as mm

QUIET = {"progress": False}


def count(source: object, **options: object) -> dict[bytes, int]:
    return dict(mm.count_pretokens(source, **QUIET, **options).items())


def test_counts_are_by_decreasing_count_then_bytes() -> None:
    counts = mm.count_pretokens(["b a b a c"], pattern="[a-z]", **QUIET)

    assert [(b" ", 4), (b"a", 2), (b"b", 2), (b"c", 1)] == counts.items()
    assert 9 == counts.total
    assert 9 == counts.total_bytes
    assert counts.items() == list(counts)


@given(
    texts=st.lists(st.text(alphabet="ab 1'sé東\n/.", max_size=40), min_size=1, max_size=6),
    threads=st.integers(1, 3),
)
def test_documents_are_counted_as_the_reference_splits_them(texts: list[str], threads: int) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    pattern = mm.PretokenCounts.from_items({"a": 1}).pattern
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    expected = collections.Counter(
        piece.encode() for text in texts for piece, _ in split.pre_tokenize_str(text)
    )

    if expected:
        assert expected == count(texts, threads=threads)
    else:
        with pytest.raises(mm.InvalidArgumentError, match="no text"):
            count(texts, threads=threads)


def test_a_large_file_is_counted_as_its_text(tmp_path: Path, prose: str) -> None:
    text = prose * (40_000_000 // len(prose))
    (tmp_path / "large.txt").write_text(text)

    counts = mm.count_pretokens(tmp_path / "large.txt", threads=3, **QUIET)

    assert len(text.encode()) == counts.bytes_read
    assert counts == mm.count_pretokens([text], threads=1, **QUIET)


def test_every_kind_of_file_gives_the_same_counts(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    zstandard = pytest.importorskip("zstandard")
    texts = ["to be or not to be\n", "that's the question\n", "東京 1984\n"]
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    (tmp_path / "plain").mkdir()
    for number, text in enumerate(texts):
        (tmp_path / "plain" / f"{number}.txt").write_text(text)
    (tmp_path / "rows.jsonl").write_bytes(lines)
    (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "rows.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(lines))
    table = pa.table({"text": texts})
    parquet.write_table(table, tmp_path / "rows.parquet")
    expected = count(texts)

    sources = [
        tmp_path / "plain",
        str(tmp_path / "plain"),
        str(tmp_path / "plain" / "*.txt"),
        sorted((tmp_path / "plain").iterdir()),
        [str(path) for path in (tmp_path / "plain").iterdir()],
        iter(texts),
        [text.encode() for text in texts],
        tmp_path / "rows.jsonl",
        tmp_path / "rows.jsonl.gz",
        tmp_path / "rows.jsonl.zst",
        tmp_path / "rows.parquet",
        table,
    ]
    for source in sources:
        assert expected == count(source), source


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        count(tmp_path / "missing.txt")
    with pytest.raises(mm.InvalidArgumentError, match="holds no file"):
        count(tmp_path)
    with pytest.raises(mm.InvalidArgumentError, match="matches no file"):
        count(str(tmp_path / "*.txt"))
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(mm.InvalidArgumentError, match="no text"):
        count(tmp_path / "empty.txt")
    (tmp_path / "rows.jsonl").write_text('{"text": "a"}\n{"other": 1}\n')
    with pytest.raises(mm.InvalidArgumentError, match="line 2"):
        count(tmp_path / "rows.jsonl")


@pytest.mark.parametrize("source", [b"bytes", 7, None, [3]])
def test_what_is_no_corpus_is_refused(source: object) -> None:
    with pytest.raises(mm.InvalidArgumentError, match="source"):
        count(source)


def test_invalid_utf8_follows_the_policy_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")

    replaced = mm.count_pretokens(tmp_path / "latin.txt", **QUIET)
    assert 1 == replaced.invalid
    assert 1 == dict(replaced.items())["\ufffd".encode()]
    assert 1 == count(tmp_path / "latin.txt", errors="ignore")[b"caf"]
    with pytest.raises(mm.InvalidArgumentError, match="byte 3"):
        count(tmp_path / "latin.txt", errors="strict")
    with pytest.raises(mm.InvalidArgumentError, match="policy"):
        count(["a"], errors="whatever")
    with pytest.raises(ValueError, match="position 1"):
        count(["a\ud800"])


def test_invalid_utf8_in_a_line_of_json_follows_the_policy(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"text": "a\xff b"}\n{"text": "x\\ud800"}\n')

    assert 4 == mm.count_pretokens(tmp_path / "rows.jsonl", **QUIET).invalid
    with pytest.raises(mm.InvalidArgumentError, match="errors"):
        count(tmp_path / "rows.jsonl", errors="strict")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"threads": 0}, "threads"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"pattern": "("}, "pattern"),
    ],
)
def test_arguments_out_of_range_are_named(options: dict[str, object], name: str) -> None:
    with pytest.raises(mm.InvalidArgumentError) as caught:
        count(["a"], **options)

    assert name == caught.value.name


def test_a_memory_limit_drops_the_rarest_and_says_how_much() -> None:
    generator = random.Random(0)
    rare = ["".join(generator.choices("abcdefgh", k=12)) for _ in range(60_000)]
    text = " ".join(word for name in rare for word in (name, "often"))

    counts = mm.count_pretokens([text], memory_limit=1_500_000, **QUIET)

    assert counts.dropped > 0
    assert counts.total + counts.dropped == 120_000
    assert 60_000 == dict(counts.items())[b" often"]


def test_count_files_come_back_and_add_up(tmp_path: Path) -> None:
    left = mm.count_pretokens(["to be or not to be"], **QUIET)
    right = mm.count_pretokens(["that is the question", "to be"], **QUIET)
    left.save(tmp_path / "left.counts")

    loaded = mm.PretokenCounts.load(tmp_path / "left.counts")
    assert left == loaded
    assert left.fingerprint == loaded.fingerprint
    both = loaded + right
    assert both == mm.count_pretokens(
        ["to be or not to be", "that is the question", "to be"], **QUIET
    )
    assert 3 == both.documents
    assert [(b" be", 3)] == both.top(1).items()
    with pytest.raises(mm.InvalidArgumentError, match="different patterns"):
        _ = left + mm.count_pretokens(["a"], pattern="a", **QUIET)


@given(position=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_damaged_count_file_is_refused(
    tmp_path_factory: pytest.TempPathFactory, position: int, bit: int
) -> None:
    path = tmp_path_factory.mktemp("counts") / "c"
    mm.count_pretokens(["to be or not to be"], **QUIET).save(path)
    data = bytearray(path.read_bytes())
    data[position % len(data)] ^= 1 << bit
    path.write_bytes(data)

    with pytest.raises(mm.InvalidArgumentError, match="count"):
        mm.PretokenCounts.load(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"maxmunch pretoken counts\n", b"\0" * 100])
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c").write_bytes(content)

    with pytest.raises(mm.InvalidArgumentError):
        mm.PretokenCounts.load(tmp_path / "c")


def test_saving_keeps_the_old_file_when_it_fails(tmp_path: Path) -> None:
    if os.geteuid() == 0 and not Path("/dev/full").exists():
        pytest.skip("needs a place that cannot be written")
    counts = mm.count_pretokens(["a"], **QUIET)

    with pytest.raises(OSError, match=re.escape("absent")):
        counts.save(tmp_path / "absent" / "c")


def test_items_may_come_from_elsewhere() -> None:
    assert [(b"a", 3), (b"b", 1)] == mm.PretokenCounts.from_items({"a": 3, "b": 1}).items()
    assert [(b"a", 5)] == mm.PretokenCounts.from_items([("a", 3), (b"a", 2)]).items()
    for wrong in ({"": 1}, {"a": 0}, {"a": -1}, {"a": 2**64}):
        with pytest.raises(mm.InvalidArgumentError):
            mm.PretokenCounts.from_items(wrong)


def test_a_list_of_long_texts_is_text_not_paths() -> None:
    counts = mm.count_pretokens(["word " * 1000], progress=False)

    assert 1001 == counts.total


def test_a_pre_tokenizer_is_a_pattern() -> None:
    text = "it's 1984, isn't it?  yes\n\nno"
    pre = mm.pre_tokenizers
    byte_level = pre.ByteLevel(add_prefix_space=False)
    mapped = pre.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre.Split(mm.Regex(r"\w+"), "isolated")

    def counted(pattern: object) -> list[tuple[bytes, int]]:
        return mm.count_pretokens([text], pattern=pattern, **QUIET).items()

    assert counted(r"\w+") == counted(split) == counted(mm.Regex(r"\w+"))
    assert counted(r"\w+") == counted(pre.Sequence([split, mapped]))
    assert counted(r"\?") == counted(pre.Split("?", "isolated"))
    pieces = [
        piece.replace("Ġ", " ").replace("Ċ", "\n") for piece, _ in byte_level.pre_tokenize_str(text)
    ]
    assert dict(counted(byte_level)) == {p.encode(): pieces.count(p) for p in pieces}
    for refused in (
        pre.Split(mm.Regex("a"), "removed"),
        pre.Sequence([split, byte_level]),
        pre.Whitespace(),
        pre.ByteLevel(add_prefix_space=True),
        mapped,
        7,
    ):
        with pytest.raises(mm.InvalidArgumentError, match="pattern"):
            counted(refused)


def test_a_vocabulary_for_a_pre_tokenizer_runs_with_it() -> None:
    text = "the cat sat on the mat, the cat sat " * 20
    byte_level = mm.pre_tokenizers.ByteLevel(add_prefix_space=False)
    counts = mm.count_pretokens([text], pattern=byte_level, **QUIET)

    result = mm.train(counts, 262, **QUIET)

    assert result.cost == len(result.tokenizer.encode(text).ids)
