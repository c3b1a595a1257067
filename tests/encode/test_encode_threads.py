"""One text on several threads, and what is remembered: same ids whatever is chosen."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from encode_helpers import GPT2, HOSTILE, byte_level
from hypothesis import given, settings
from hypothesis import strategies as st

import maxmunch as mm
from support import shared_bytes

PIECE = "漢字かな ab é🙂 the theta <x> 1234567, don't!\n\n"


def byte_level_bpe(*, split: bool) -> mm.Tokenizer:
    """Return a byte-level tokenizer with a few merges and an added token."""
    merges = [["t", "h"], ["th", "e"], ["Ġ", "the"]]
    kanji = byte_level("漢")
    merges += [[kanji[0], kanji[1]], [kanji[:2], kanji[2]]]
    vocab = {
        byte_level_char: i for i, byte_level_char in enumerate(mm.components.byte_level_table())
    }
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    split_part = {
        "type": "Split",
        "pattern": {"Regex": GPT2},
        "behavior": "Isolated",
        "invert": False,
    }
    plain = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    parts = [split_part, plain] if split else [plain]
    document = {
        "version": "1.0",
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": parts},
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    }
    tokenizer = mm.Tokenizer.from_str(json.dumps(document))
    tokenizer.add_tokens(["<x>"])
    return tokenizer


@pytest.mark.parametrize("split", [True, False])
@settings(max_examples=10, deadline=None)
@given(
    parts=st.lists(st.sampled_from([PIECE, *HOSTILE]), min_size=1, max_size=6),
    threads=st.integers(2, 5),
)
def test_a_long_text_has_the_same_ids_on_every_number_of_threads(split, parts, threads):
    tokenizer = byte_level_bpe(split=split)
    text = "".join(parts)
    text = text * (300_000 // (len(text.encode()) + 1) + 1)

    expected = tokenizer.encode_ids(text)

    assert np.array_equal(expected, tokenizer.encode_ids(text, threads=threads))


@pytest.mark.parametrize("name", ["gpt2", "llama2", "gemma3", "llama3", "bert-uncased"])
def test_real_tokenizers_give_the_same_ids_on_two_threads(name):
    tokenizer = mm.Tokenizer.from_buffer(shared_bytes(f"data/tokenizers/{name}.json.xz"))
    for corpus in ("turkish", "khmer"):
        text = shared_bytes(f"data/corpora/{corpus}.txt.xz")[:600_000].decode(errors="ignore")
        assert np.array_equal(tokenizer.encode_ids(text), tokenizer.encode_ids(text, threads=2))


def test_threads_survive_a_fork():
    tokenizer = byte_level_bpe(split=True)
    text = PIECE * 10_000
    expected = tokenizer.encode_ids(text, threads=2)
    child = os.fork()
    if child == 0:
        same = np.array_equal(expected, tokenizer.encode_ids(text, threads=2))
        os._exit(0 if same else 1)

    assert os.waitpid(child, 0)[1] == 0


def test_the_cache_changes_no_ids_and_keeps_its_size():
    tokenizer = byte_level_bpe(split=True)
    expected = tokenizer.encode_ids(PIECE).tolist()
    for size in (0, 1, 100_000, 1 << 30):
        tokenizer.cache_bytes = size

        assert size == tokenizer.cache_bytes
        assert expected == tokenizer.encode_ids(PIECE).tolist() == tokenizer.encode(PIECE).ids
    tokenizer.cache_bytes = 0
    tokenizer.normalizer = mm.normalizers.NFC()
    assert tokenizer.cache_bytes == 0
    with pytest.raises(mm.InvalidArgumentError, match="cache_bytes: -1 should be 0 or more"):
        tokenizer.cache_bytes = -1


def test_a_changed_part_forgets_what_pieces_became_under_the_old_one():
    tokenizer = byte_level_bpe(split=True)
    before = tokenizer.encode_ids("the the").tolist()
    model = json.loads(tokenizer.to_str())["model"]
    model["merges"] = []
    tokenizer.model = mm.models.Model.from_dict(model)

    assert before != tokenizer.encode_ids("the the").tolist()
    assert 7 == tokenizer.count_tokens("the the")
