"""Rank files of tiktoken and tekken: the same ids as the library that owns the format."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from encode_helpers import HOSTILE, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import maxmunch as mm
from maxmunch.loaders.patterns import NAMED, to_oniguruma

if TYPE_CHECKING:
    from pathlib import Path

MERGED = b" a|ab|aba|bab| ab|  |\n\n|\xc3\xa9|\xe6\xbc|\xe6\xbc\xa2|12|123|ll|'ll|aaaa|.\n".split(
    b"|"
)
# Nothing merges into it: it is a token only as a whole piece.
UNREACHED = b" xyz"
SPECIALS = {"<|end|>": 300, "<|x|>": 305}


def small_ranks() -> dict[bytes, int]:
    tokens = [bytes([byte]) for byte in range(256)]
    return {token: rank for rank, token in enumerate([*tokens, *MERGED, UNREACHED])}


def rank_file(ranks: dict[bytes, int]) -> bytes:
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
    return b"".join(lines)


@pytest.fixture(scope="module")
def path(tmp_path_factory: Any) -> Path:
    file = tmp_path_factory.mktemp("ranks") / "small.tiktoken"
    file.write_bytes(rank_file(small_ranks()))
    return file


@pytest.mark.parametrize(
    "name", ["cl100k_base", "o200k_base", "gpt2", "llama3", r"\w+|\s|\d{1,2}+"]
)
def test_ids_equal_those_of_tiktoken(path: Path, name: str) -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="the owner of the format is not installed")
    pattern = NAMED.get(name, name)
    theirs = tiktoken.Encoding(
        "small", pat_str=pattern, mergeable_ranks=small_ranks(), special_tokens=SPECIALS
    )
    ours = mm.Tokenizer.from_tiktoken(path, pattern=name, special_tokens=SPECIALS)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.one_of(texts, st.text(st.sampled_from("ab xyz\n12é漢'l."), max_size=30)))
    def check(text: str) -> None:
        assert theirs.encode(text, allowed_special="all") == ours.encode_ids(text).tolist()
        plain = theirs.encode(text, disallowed_special=())
        assert plain == ours.encode_ids(text, specials="text").tolist()
        assert theirs.decode(plain) == ours.decode(plain)

    check()
    for text in [*HOSTILE, "<|end|>a<|x|> xyz", "\n  ", " xyz xy"]:
        assert theirs.encode(text, allowed_special="all") == ours.encode_ids(text).tolist()


def test_the_saved_file_runs_in_the_reference(path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")
    ours = mm.Tokenizer.from_tiktoken(path, pattern="cl100k_base", special_tokens=SPECIALS)
    theirs = tokenizers.Tokenizer.from_str(ours.to_str())

    assert 305 == theirs.token_to_id("<|x|>")
    for text in [*HOSTILE, "<|end|>a<|x|> xyz"]:
        assert theirs.encode(text).ids == ours.encode_ids(text).tolist()


def test_a_special_that_is_one_piece_stays_text_when_told_so(path: Path) -> None:
    ours = mm.Tokenizer.from_tiktoken(path, pattern="cl100k_base", special_tokens={"stop": 400})

    assert [400] == ours.encode_ids("stop").tolist()
    assert list(b"stop") == ours.encode_ids("stop", specials="text").tolist()


def test_tekken_counts_ranks_behind_the_special_tokens(tmp_path: Path) -> None:
    entries = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for token, rank in small_ranks().items()
    ]
    document = {
        "config": {
            "pattern": NAMED["tekken"],
            "num_vocab_tokens": len(entries),
            "default_vocab_size": len(entries) + 9,
            "default_num_special_tokens": 10,
            "version": "v3",
        },
        "vocab": entries,
        "special_tokens": [{"rank": 1, "token_str": "<s>", "is_control": True}],
    }
    file = tmp_path / "tekken.json"
    file.write_text(json.dumps(document))

    ours = mm.Tokenizer.from_tekken(file)

    assert [1, 10 + 256 + MERGED.index(b"ab")] == ours.encode_ids("<s>ab").tolist()
    # The last token lies beyond the size.
    assert ours.token_to_id("Ġxyz") is None
    assert "<SPECIAL_3>" == ours.id_to_token(3)

    # Files that list none are older than the list.
    del document["special_tokens"]
    file.write_text(json.dumps(document))
    old = mm.Tokenizer.from_tekken(file)
    assert ["<unk>", "[TOOL_CALLS]"] == [old.id_to_token(0), old.id_to_token(9)]


def test_a_rank_file_may_be_written_oddly(path: Path, tmp_path: Path) -> None:
    plain = path.read_bytes()
    odd = tmp_path / "odd.tiktoken"
    odd.write_bytes(b"\n" + plain.replace(b"\n", b" \r\n").replace(b"= ", b"=\t "))

    assert (
        mm.Tokenizer.from_tiktoken(path, pattern="gpt2").to_str()
        == mm.Tokenizer.from_tiktoken(odd, pattern="gpt2").to_str()
    )


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"", "$"),
        (b"YQ== 0\nYg==", "line 2"),
        (b"YQ== x", "line 1"),
        (b"Y! 0", "line 1"),
        (b"YQ== 0\nYQ== 1", "line 2"),
        (b"YQ== 0\nYg== 0", "line 2"),
        (b"YQ== -1", "line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, data: bytes, place: str) -> None:
    file = tmp_path / "bad"
    file.write_bytes(data)

    with pytest.raises(mm.InvalidTokenizerError) as refused:
        mm.Tokenizer.from_tiktoken(file, pattern="gpt2")

    assert place == refused.value.json_path


def test_what_would_change_ids_is_refused(tmp_path: Path, path: Path) -> None:
    ranks = small_ranks()
    del ranks[b"\x00"]
    file = tmp_path / "holes"
    file.write_bytes(rank_file(ranks))

    with pytest.raises(mm.UnsupportedTokenizerError, match="0x00"):
        mm.Tokenizer.from_tiktoken(file, pattern="gpt2")
    with pytest.raises(mm.InvalidArgumentError, match="pattern"):
        mm.Tokenizer.from_tiktoken(path)
    with pytest.raises(mm.InvalidArgumentError, match="id 3"):
        mm.Tokenizer.from_tiktoken(path, pattern="gpt2", special_tokens={"<a>": 3})


@pytest.mark.parametrize(
    ("special_tokens", "error"),
    [
        ({"<s>": "x"}, TypeError),
        ({"<s>": 1.5}, TypeError),
        ({1: 5}, TypeError),
        ("ab", TypeError),
        ({"<s>": -1}, OverflowError),
        ({"": 500}, mm.InvalidArgumentError),
        # One piece of text, so that all ids below it would be taken by tokens without text.
        ({"special": 10**9}, mm.UnsupportedTokenizerError),
    ],
)
def test_special_tokens_that_cannot_be_are_refused(
    path: Path, special_tokens: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match="special_tokens"):
        mm.Tokenizer.from_tiktoken(path, pattern="gpt2", special_tokens=special_tokens)


def test_a_pattern_is_a_text(path: Path) -> None:
    for pattern in (1, b"a"):
        with pytest.raises(TypeError, match="pattern"):
            mm.Tokenizer.from_tiktoken(path, pattern=pattern)  # type: ignore[arg-type]


def test_special_tokens_of_a_tekken_file_are_so_many_at_most(tmp_path: Path) -> None:
    config = {
        "pattern": NAMED["tekken"],
        "default_vocab_size": 10**12,
        "default_num_special_tokens": 10**9,
    }
    file = tmp_path / "tekken.json"
    file.write_text(json.dumps({"config": config, "vocab": []}))

    with pytest.raises(mm.InvalidTokenizerError, match="from 0 to 65536"):
        mm.Tokenizer.from_tekken(file)


def test_patterns_are_rewritten_where_the_syntax_differs() -> None:
    assert r"(?>\p{N}{1,3})|\s++\z" == to_oniguruma(r"\p{N}{1,3}+|\s++$")
    assert r"\A(?>(?:a[$^]){2})b" == to_oniguruma(r"^(?:a[$^]){2}+b")
    for unknown in ("(?P<a>b)", "(?s:.)", "[[:alpha:]]", "[a--b]", "(?i)a"):
        with pytest.raises(mm.UnsupportedTokenizerError):
            to_oniguruma(unknown)
