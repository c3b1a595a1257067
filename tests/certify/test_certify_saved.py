"""Minimal windows, saved inventories, and the checker that does not use our search."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_certify_regular import lexers, token_set, words

import maxmunch as mm
from maxmunch.certify import check, check_words, saved

quiet = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inventory.json"


def sets(data: st.DataObject) -> mm.TokenSet:
    if data.draw(st.booleans()):
        return mm.TokenSet.literal(data.draw(words))
    return token_set(data.draw(lexers))


@given(st.data())
def test_minimal_windows_are_the_certified_ones_without_certified_suffix(
    data: st.DataObject,
) -> None:
    inventory = sets(data).inventory(3)
    expected = {
        (window.encode(), origin)
        for width in (1, 2, 3)
        for window in map("".join, itertools.product("abc", repeat=width))
        if (origin := inventory.origin(window)) is not None
        and (width == 1 or inventory.origin(window[1:]) is None)
    }

    found = list(inventory.minimal())

    assert expected == set(found)
    assert len(found) == len(expected)


@quiet
@given(st.data())
def test_a_saved_inventory_passes_the_independent_checker(path: Path, data: st.DataObject) -> None:
    inventory = sets(data).inventory(3)
    inventory.save(path)

    report = check.check_inventory(path)
    loaded = mm.Inventory.load(path)

    assert report.checked == report.total
    assert inventory.fingerprint == loaded.fingerprint
    assert inventory.counts == loaded.counts
    assert list(inventory.minimal()) == list(loaded.minimal())


@quiet
@given(st.data())
def test_any_change_of_a_saved_inventory_is_refused_or_still_true(
    path: Path, data: st.DataObject
) -> None:
    inventory = sets(data).inventory(2)
    inventory.save(path)
    document = json.loads(path.read_text())
    payload = document["payload"]
    what = data.draw(st.sampled_from(["byte", "origin", "mask", "count", "word"]))
    if what == "byte":
        raw = bytearray(path.read_bytes())
        raw[data.draw(st.integers(0, len(raw) - 2))] ^= data.draw(st.integers(1, 255))
        path.write_bytes(raw)
    else:
        change(payload, what, data)
        document["sha256"] = saved.digest(payload)
        path.write_text(json.dumps(document))

    try:
        check.check_inventory(path)
    except mm.CertificateError:
        pass
    else:
        assert holds(path)
    try:
        loaded = mm.Inventory.load(path, token_set=inventory.token_set)
    except mm.CertificateError:
        return
    counts = inventory.token_set.inventory(loaded.max_width).counts
    assert counts == loaded.counts


def change(payload: dict, what: str, data: st.DataObject) -> None:
    if what == "count":
        width = data.draw(st.sampled_from(sorted(payload["counts"])))
        payload["counts"][width][0] += data.draw(st.sampled_from([-1, 1]))
    elif what == "word":
        payload["max_width"] = data.draw(st.sampled_from([1, 2, 3, "2", None]))
    elif payload["minimal"]:
        row = data.draw(st.sampled_from(payload["minimal"]))
        if what == "origin":
            row[1][0][0] += data.draw(st.sampled_from([-1, 1]))
        else:
            mask = bytearray.fromhex(payload["masks"][row[1][0][1]])
            mask[12] ^= 1 << data.draw(st.integers(1, 3))
            payload["masks"][row[1][0][1]] = mask.hex()


def holds(path: Path) -> bool:
    """Whether what a file claims about single windows is so."""
    payload = saved.read(path)
    inventory = mm.Inventory.load(path)
    every = sum(mask.bit_count() for _, _, mask in check._rows(payload))
    stated = dict(check._numbered(payload, range(every)))
    return all(inventory.origin(window) == origin for window, origin in stated.items())


def test_an_inventory_of_another_token_set_is_refused(path: Path) -> None:
    mm.TokenSet.literal(["ab", "b"]).inventory(2).save(path)

    with pytest.raises(mm.CertificateError, match="belongs to the token set"):
        mm.Inventory.load(path, token_set=mm.TokenSet.literal(["ab", "c"]))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": "maxmunch-inventory-1"}'])
def test_what_is_no_inventory_is_refused(path: Path, text: str) -> None:
    path.write_text(text)

    for read in (mm.Inventory.load, check.check_inventory):
        with pytest.raises(mm.CertificateError):
            read(path)


def test_the_checker_accepts_true_witnesses_and_refuses_false_ones() -> None:
    tokens = check.Tokens({"kind": "literal", "words": [[b"aab".hex(), 0]]})

    check.check_witness(tokens, b"ba", 0, data=b"aabaab", occurrence=2, actual=3)
    for data, occurrence, actual in [(b"aaba", 2, 3), (b"aabaab", 1, 3), (b"aabaab", 2, 0)]:
        with pytest.raises(mm.CertificateError):
            check.check_witness(tokens, b"ba", 0, data=data, occurrence=occurrence, actual=actual)


@quiet
@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=7))
def test_scanning_and_the_verifier_of_the_checker_agree(words: list[str]) -> None:
    encoded = sorted({word.encode() for word in words})
    description = {"kind": "literal", "words": [[word.hex(), 0] for word in encoded]}
    marked = check.Marked(check.Tokens(description), 10_000)
    scanned = check.Scanned(encoded, 4)

    for width in range(1, 5):
        for letters in itertools.product(b"abc", repeat=width):
            assert marked.origins(bytes(letters)) == scanned.origins(bytes(letters))


def large(path: Path) -> mm.TokenSet:
    """A saved vocabulary of all bytes and two thousand words."""
    words = [a + b + c for a in "etaoins" for b in "hrdluc mfw" for c in "etaoinshrdlucmfwypvbgkj "]
    tokens = mm.TokenSet.literal([bytes([byte]) for byte in range(256)] + words)
    tokens.inventory(3).save(path)
    return tokens


def test_the_checker_scales_to_large_vocabularies_by_sampling(path: Path) -> None:
    large(path)

    report = check.check_inventory(path, sample=300, seed=1)

    assert 300 == report.checked
    assert report.total > 10_000
    assert report.absent > 0


@pytest.mark.parametrize("change", ["certify", "leave out"])
def test_a_changed_window_of_a_large_vocabulary_is_found(path: Path, change: str) -> None:
    large(path)
    document = json.loads(path.read_text())
    payload = document["payload"]
    for index, mask in enumerate(payload["masks"]):
        bits = bytes.fromhex(mask)
        other = bytes(32) if change == "leave out" else bytes(byte ^ 0xFF for byte in bits)
        payload["masks"][index] = other.hex()
    document["sha256"] = saved.digest(payload)
    path.write_text(json.dumps(document))

    with pytest.raises(mm.CertificateError):
        check.check_inventory(path, sample=300, seed=1)


def test_the_checker_shares_no_code_with_the_search() -> None:
    source = Path(check.__file__).read_text()
    words = Path(check_words.__file__).read_text()

    assert "_core" not in source.replace("nothing of `_core`", "")
    assert [
        "from maxmunch.certify.check_words import Scanned",
        "from maxmunch.errors import CertificateError, LimitError",
    ] == [line for line in source.splitlines() if "import" in line and "maxmunch" in line]
    assert not [line for line in words.splitlines() if "import" in line and "maxmunch" in line]


@pytest.mark.parametrize(
    "token_set",
    [
        mm.TokenSet.literal(["ab", b"\xff", "b"], kinds=[7, 7, 0]),
        mm.TokenSet.regular([("a", "a+"), ("b", "(?s:.)b?")]),
    ],
)
def test_token_sets_and_inventories_survive_pickles_and_copies(token_set: mm.TokenSet) -> None:
    inventory = token_set.inventory(2)
    data = b"abb\xffa" if token_set.patterns else b"abb\xffb"

    read = pickle.loads(pickle.dumps((token_set, inventory)))  # noqa: S301
    for other, others in (read, copy.deepcopy((token_set, inventory)), copy.copy(read)):
        assert token_set.fingerprint == other.fingerprint == others.token_set.fingerprint
        assert token_set.scan(data).kinds.tolist() == other.scan(data).kinds.tolist()
        assert inventory.counts == others.counts
