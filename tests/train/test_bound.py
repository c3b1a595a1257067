from __future__ import annotations

import hashlib
import itertools
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests_train import greedy_ids

import maxmunch as mm

if TYPE_CHECKING:
    from pathlib import Path

QUIET = {"progress": False}
# Rows of one sign: what the multipliers alone prove stays below the optimum.
ROWS = mm.PretokenCounts.from_items({"=" * size: 400 // size for size in range(2, 21)})
BYTES = [bytes([byte]) for byte in range(256)]


@pytest.fixture(scope="module")
def small(counts: mm.PretokenCounts) -> mm.PretokenCounts:
    return counts.top(400)


@pytest.fixture(scope="module")
def certified(small: mm.PretokenCounts) -> mm.TrainingResult:
    return mm.train(small, 400, certify=True, threads=2, **QUIET)


def test_the_gap_is_cost_over_checked_bound(
    counts: mm.PretokenCounts, small: mm.PretokenCounts, certified: mm.TrainingResult
) -> None:
    assert certified.bound is not None
    assert certified.certificate is not None
    assert certified.bound == mm.check_bound(certified.certificate, small)
    assert certified.gap == certified.cost / certified.bound.value - 1
    assert 0 <= certified.gap < 0.02
    assert "at most 144 other tokens" in certified.bound.scope
    assert f"the 400 most frequent of {len(counts):,}" in certified.bound.scope


def test_a_certificate_comes_back(
    small: mm.PretokenCounts, certified: mm.TrainingResult, tmp_path: Path
) -> None:
    assert certified.certificate is not None
    certified.certificate.save(tmp_path / "c")

    loaded = mm.Certificate.load(tmp_path / "c")

    assert certified.certificate == loaded
    assert certified.bound == mm.check_bound(loaded, small)


def test_rows_of_one_sign_are_proven_by_cases(tmp_path: Path) -> None:
    result = mm.train(ROWS, 259, certify=True, checkpoint=tmp_path / "kept", **QUIET)

    whole, bound = result.certificate, result.bound
    assert whole is not None
    assert bound is not None
    without = mm.check_bound(replace(whole, parts=b""), ROWS)
    assert without.value < bound.value <= result.cost
    assert [step.phase for step in result.rounds].count("cases") == 1
    assert (
        whole
        == mm.train(ROWS, 259, certify=True, checkpoint=tmp_path / "kept", **QUIET).certificate
    )
    whole.save(tmp_path / "c")
    assert whole == mm.Certificate.load(tmp_path / "c")
    for damaged in (whole.parts[:-1], whole.parts + b"\0", b"\xff" * 9):
        with pytest.raises(mm.CertificateError):
            mm.check_bound(replace(whole, parts=damaged), ROWS)


@given(position=st.integers(0, 100_000), bit=st.integers(0, 7))
def test_a_damaged_certificate_is_refused(
    certified: mm.TrainingResult,
    tmp_path_factory: pytest.TempPathFactory,
    position: int,
    bit: int,
) -> None:
    path = tmp_path_factory.mktemp("certificate") / "c"
    assert certified.certificate is not None
    certified.certificate.save(path)
    data = bytearray(path.read_bytes())
    data[position % len(data)] ^= 1 << bit
    path.write_bytes(data)

    with pytest.raises(mm.CertificateError):
        mm.Certificate.load(path)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 2}, "has version 2, this program reads 3"),
        ({"version": None}, "has version None"),
        ({"choice": {}}, "not a certificate"),
        ({"choice": None}, "not a certificate"),
        ({"parts": "1"}, "not a certificate"),
        ({"numbers": -1}, "no whole numbers"),
        ({"numbers": 1 << 70}, "no whole numbers"),
        ({"numbers": 1.5}, "no whole numbers"),
        ({"top": "a"}, "no whole numbers"),
        (None, "not a certificate"),
        ([], "not a certificate"),
    ],
)
def test_a_file_with_a_right_digest_and_wrong_contents_is_refused(
    certified: mm.TrainingResult, tmp_path: Path, change: Any, why: str
) -> None:
    path = tmp_path / "c"
    assert certified.certificate is not None
    certified.certificate.save(path)
    magic, head, packed = path.read_bytes()[:-32].split(b"\n", 2)
    header = {**json.loads(head), **change} if isinstance(change, dict) else change
    body = b"\n".join([magic, json.dumps(header).encode(), packed])
    for wrong in (body, b"\n".join([magic, head, packed[:40]]), magic + b"\n"):
        path.write_bytes(wrong + hashlib.sha256(wrong).digest())
        with pytest.raises(mm.CertificateError, match=why if wrong is body else "not a cert"):
            mm.Certificate.load(path)


def test_a_certificate_for_other_counts_is_refused(
    counts: mm.PretokenCounts, certified: mm.TrainingResult, small: mm.PretokenCounts
) -> None:
    assert certified.certificate is not None
    with pytest.raises(mm.CertificateError, match="other counts"):
        mm.check_bound(certified.certificate, counts)
    cut = replace(certified.certificate, numbers=certified.certificate.numbers - 1)
    with pytest.raises(mm.CertificateError, match="damaged"):
        mm.check_bound(cut, small)
    endless = replace(certified.certificate, numbers=1 << 60)
    with pytest.raises(mm.CertificateError, match="more than its pretokens have room for"):
        mm.check_bound(endless, small)


@given(
    rows=st.dictionaries(
        st.text(alphabet="ab", min_size=2, max_size=6), st.integers(1, 50), min_size=2, max_size=5
    )
)
def test_bound_optimum_and_search_stand_in_order(rows: dict[str, int]) -> None:
    counts = mm.PretokenCounts.from_items(rows)
    try:
        result = mm.train(counts, 258, certify=True, **QUIET)
    except mm.InvalidArgumentError:  # fewer than two candidates
        return
    substrings = sorted(
        {w[i:j].encode() for w in rows for i in range(len(w)) for j in range(i + 2, len(w) + 1)}
    )

    def cost(tokens: tuple[bytes, ...]) -> int:
        ids = {token: number for number, token in enumerate([*BYTES, *tokens])}
        return sum(n * len(greedy_ids(ids, 6, word.encode())) for word, n in rows.items())

    optimum = min(cost(c) for size in range(3) for c in itertools.combinations(substrings, size))
    assert result.bound is not None
    assert result.bound.value <= optimum <= result.cost


def test_rules_are_part_of_what_is_bounded(counts: mm.PretokenCounts) -> None:
    small = counts.top(300)
    result = mm.train(
        small,
        330,
        certify=True,
        pinned=["return", b"\xff\xfe"],
        forbidden=[" self"],
        max_token_bytes=7,
        splittable=b"\n",
        special_tokens=["<s>"],
        **QUIET,
    )

    assert result.bound is not None
    assert result.certificate is not None
    assert result.bound == mm.check_bound(result.certificate, small)
    assert result.bound.value <= result.cost
    assert "2 pinned" in result.bound.scope
    assert "at most 7 bytes" in result.bound.scope


def test_a_bound_on_the_top_pretokens_names_them(counts: mm.PretokenCounts) -> None:
    result = mm.train(counts, 330, top=200, certify=True, **QUIET)

    assert result.bound is not None
    assert result.certificate is not None
    assert "the 200 most frequent of" in result.bound.scope
    assert result.bound == mm.check_bound(result.certificate, counts)


def test_an_ascent_that_used_up_its_share_of_the_time_leaves_the_rest_to_search() -> None:
    def slow(phase: str, _done: int, _total: int) -> None:
        time.sleep(1.65 if phase == "bound" else 0)

    result = mm.train(ROWS, 259, certify=True, time_limit=4, progress=slow)

    assert result.out_of_time
    assert [step.phase for step in result.rounds].count("anneal") > 2


def test_a_stopped_run_goes_on_and_gives_the_same_bytes(
    small: mm.PretokenCounts, certified: mm.TrainingResult, tmp_path: Path
) -> None:
    def interrupt(phase: str, _done: int, _: int) -> None:
        if phase == "bound":
            raise KeyboardInterrupt

    options = {"certify": True, "threads": 1, "checkpoint": tmp_path}
    stopped = mm.train(small, 400, progress=interrupt, **options)
    assert stopped.interrupted
    assert stopped.bound is not None

    resumed = mm.train(small, 400, **QUIET, **options)

    assert certified.vocabulary == resumed.vocabulary
    assert certified.certificate == resumed.certificate
    again = mm.train(small, 400, **QUIET, **options)
    assert certified.vocabulary == again.vocabulary
    with pytest.raises(mm.TrainingError, match="other counts or options"):
        mm.train(small, 401, **QUIET, **options)
    (tmp_path / "search-1.json").write_text("{")
    with pytest.raises(mm.TrainingError, match="damaged"):
        mm.train(small, 400, **QUIET, **options)
