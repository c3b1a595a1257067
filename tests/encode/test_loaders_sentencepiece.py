"""SentencePiece models: the same ids as the library that owns the format, and damaged files."""

from __future__ import annotations

import contextlib
import io
import random
from typing import TYPE_CHECKING, Any

import pytest
from encode_helpers import HOSTILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import maxmunch as mm
from maxmunch.loaders.byte_pairs import merges_of
from maxmunch.loaders.ties import check_ties

if TYPE_CHECKING:
    from pathlib import Path

HARD = [
    *HOSTILE,
    "<x>",
    "a<x>b <x>  <x>c",
    " <x> ",
    "▁a▁▁b▁",
    "x ▁",
    "<unk><s></s><0x41>",
    "ａｂｃ①②",
    "\u3000全角　スペース ",
    "\u1100\u1161\u11a8e\u0301①\u0301",
    "﷽…",
    "a" * 300,
    "foo bar" * 3,
    "wh<x>ere ab cd abc abcd <x",
    " " * 40,
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"byte_fallback": True},
    {"normalization_rule_name": "identity"},
    {"normalization_rule_name": "nfkc_cf"},
    {"remove_extra_whitespaces": False},
    {"add_dummy_prefix": False},
    {"user_defined_symbols": ["<x>", "ab", "abcd", "①"]},
    {"user_defined_symbols": ["<x>", "ab"], "remove_extra_whitespaces": False},
    {"treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False, "byte_fallback": True},
    {"control_symbols": ["<c>"], "pad_id": 3},
]
WORDS = ["the", "of", "and", "to", "a", "in", "is", "it", "you", "that", "he", "was", "with"]


def trained(kind: str, options: dict[str, Any]) -> bytes:
    """Return a small model, the same each time."""
    spm = pytest.importorskip("sentencepiece", reason="the owner of the format is not installed")
    source = random.Random(1)
    lines = [
        " ".join(source.choices([*WORDS, "über", "漢字", "ab", "x1"], k=9)) for _ in range(300)
    ]
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type=kind,
        vocab_size=420 if options.get("byte_fallback") else 160,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
        **options,
    )
    return model.getvalue()


def loaded(data: bytes, folder: Path) -> mm.Tokenizer:
    file = folder / "small.model"
    file.write_bytes(data)
    return mm.Tokenizer.from_sentencepiece(file)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: ",".join(options) or "plain")
def test_ids_and_text_equal_those_of_sentencepiece(
    kind: str, options: dict[str, Any], tmp_path: Path
) -> None:
    data = trained(kind, options)
    import sentencepiece

    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = loaded(data, tmp_path)
    again = mm.Tokenizer.from_str(ours.to_str())

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
    @given(
        st.one_of(
            st.text(st.sampled_from("the ab <x>①\u0301é漢 \n▁\u3000"), max_size=30),
            st.lists(st.sampled_from([*HARD, *WORDS, " "]), max_size=6).map("".join),
        )
    )
    def check(text: str) -> None:
        expected = theirs.encode(text)
        assert expected == ours.encode_ids(text, specials="text").tolist()
        assert expected == again.encode_ids(text, specials="text").tolist()
        assert expected == ours.encode(text, specials="text").ids
        # A mark of the text itself that comes first is a listed difference.
        if not text.lstrip().startswith("▁"):
            assert theirs.decode(expected) == ours.decode(expected)

    check()
    for text in HARD:
        expected = theirs.encode(text)
        assert expected == ours.encode_ids(text, specials="text").tolist()


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_any_ids_are_decoded_as_sentencepiece_does(kind: str, tmp_path: Path) -> None:
    options = {"byte_fallback": True, "control_symbols": ["<c>"], "user_defined_symbols": ["<x>"]}
    data = trained(kind, options)
    import sentencepiece

    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = loaded(data, tmp_path)
    marked = [i for i in range(theirs.get_piece_size()) if theirs.id_to_piece(i).startswith("▁")]
    first = theirs.piece_to_id("▁the")
    # A word in front: what comes before all text is a listed difference, as bytes of no UTF-8 are.
    parts = st.one_of(
        st.integers(0, theirs.get_piece_size() - 1)
        .filter(lambda number: not theirs.is_byte(number))
        .map(lambda number: [number]),
        st.text(max_size=2).map(lambda t: [theirs.piece_to_id(f"<0x{b:02X}>") for b in t.encode()]),
        st.sampled_from(marked).map(lambda number: [number]),
    )

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(parts, max_size=8).map(lambda lists: sum(lists, [first])))
    def check(ids: list[int]) -> None:
        assert theirs.decode(ids) == ours.decode(ids)

    check()
    assert theirs.decode([]) == ours.decode([])
    # Ids that do not exist: an error there, nothing here, as in tokenizer.json.
    with pytest.raises(IndexError):
        theirs.decode([10_000])
    assert not ours.decode([10_000])


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_the_saved_file_runs_in_the_reference(kind: str, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")
    ours = loaded(trained(kind, {}), tmp_path)
    theirs = tokenizers.Tokenizer.from_str(ours.to_str())

    for text in ["the ab  of it", " über 漢字 x1 ", "that was\nfor", "①", ""]:
        assert theirs.encode(text).ids == ours.encode_ids(text).tolist()
        assert theirs.decode(theirs.encode(text).ids) == ours.decode(ours.encode(text).ids)


def test_a_damaged_file_is_an_error_with_its_place(tmp_path: Path) -> None:
    data = trained("unigram", {"user_defined_symbols": ["<x>"]})
    source = random.Random(2)
    broken = [data[: source.randrange(len(data))] for _ in range(20)]
    for _ in range(40):
        changed = bytearray(data)
        for _ in range(source.randrange(1, 4)):
            changed[source.randrange(len(changed))] = source.randrange(256)
        broken.append(bytes(changed))

    for data in [*broken, b"", b"\xff" * 20, b"\x0a\xff\xff\xff\xff\x0f"]:
        # Whatever was damaged: an answer, or an error of ours that is no bug.
        refusals = (mm.InvalidTokenizerError, mm.UnsupportedTokenizerError, mm.UntokenizableError)
        with contextlib.suppress(*refusals):
            loaded(data, tmp_path).encode_ids("the ab <x> ①")
    with pytest.raises(mm.InvalidTokenizerError) as refused:
        loaded(b"\x0a\xff\xff\xff\xff\x0f", tmp_path)
    assert "byte 0" == refused.value.json_path


def test_equal_scores_that_a_list_of_merges_cannot_say_are_refused() -> None:
    with pytest.raises(mm.UnsupportedTokenizerError, match="one score"):
        check_ties([("a", "b"), ("b", "c")], {"ab": 1.0, "bc": 1.0})
    runs = {"▁" * length: 1.0 for length in range(2, 9)}

    check_ties(merges_of(sorted(runs, key=len, reverse=True), runs), runs)
    # Merges that never want the same symbol: any order will do.
    check_ties([("--", "-"), ("--", ">")], {"---": 1.0, "-->": 1.0})
    # The result of one is what a better merge waits for.
    with pytest.raises(mm.UnsupportedTokenizerError, match="one score"):
        check_ties([("ab", "c"), ("a", "b"), ("c", "d")], {"abc": 0.0, "ab": 1.0, "cd": 1.0})
