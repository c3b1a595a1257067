"""What an encoding tells beyond ids is found out when it is asked for: then it is what it was."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from encode_helpers import columns

import maxmunch as mm

TEXTS = ["hello world", "", "naïve 東京 ab<x>cd", "a b" * 50, "<x>"]


def tokenizer(**options: Any) -> mm.Tokenizer:
    merges = [("h", "e"), ("he", "l"), ("a", "b"), ("Ġ", "a")]
    letters = sorted(set(mm.pre_tokenizers.ByteLevel.alphabet()))
    vocabulary = {token: i for i, token in enumerate(letters)}
    for left, right in merges:
        vocabulary[left + right] = len(vocabulary)
    made = mm.Tokenizer(mm.models.BPE(vocabulary, merges, **options))
    made.pre_tokenizer = mm.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.add_special_tokens(["<x>", "[CLS]"])
    made.post_processor = mm.processors.TemplateProcessing(
        single="[CLS]:3 $A:2", special_tokens=[("[CLS]", made.token_to_id("[CLS]"))]
    )
    return made


def whole(made: mm.Tokenizer, text: str) -> dict[str, Any]:
    """Return what `encode` gives where nothing can be put off."""
    bounded = mm.Tokenizer.from_str(made.to_str())
    bounded.enable_truncation(100_000)
    return columns(bounded.encode(text))


def test_all_columns_are_those_of_the_whole_encoding() -> None:
    made = tokenizer()

    for text in TEXTS:
        expected = whole(made, text)
        assert expected == columns(made.encode(text))
        for name, value in expected.items():
            assert value == getattr(made.encode(text), name), name
    for threads in (1, 3):
        found = made.encode_batch(TEXTS, threads=threads)
        assert [whole(made, text) for text in TEXTS] == [columns(each) for each in found]


def test_an_encoding_tells_of_the_tokenizer_that_made_it() -> None:
    made = tokenizer()
    before = whole(made, TEXTS[2])
    encoding, first = made.encode(TEXTS[2]), made.encode_batch(TEXTS)[2]

    made.add_tokens(["cd", "naïve"])
    made.pre_tokenizer = mm.pre_tokenizers.Whitespace()
    made.post_processor = None

    assert before == columns(encoding) == columns(first)


def test_copies_and_merged_encodings_have_everything() -> None:
    made = tokenizer()
    expected = whole(made, TEXTS[0])

    for copied in (
        pickle.loads(pickle.dumps(made.encode(TEXTS[0]))),  # noqa: S301
        copy.deepcopy(made.encode(TEXTS[0])),
        mm.Encoding.merge([made.encode(TEXTS[0])]),
    ):
        assert expected == columns(copied)


def test_threads_may_ask_at_the_same_time() -> None:
    made = tokenizer()
    encodings = made.encode_batch(TEXTS * 20, threads=2)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(columns, encodings))

    assert [whole(made, text) for text in TEXTS] * 20 == found


def test_what_is_drawn_at_random_is_drawn_once() -> None:
    made = tokenizer(dropout=0.5)

    for _ in range(50):
        encoding = made.encode("hello abab hello")
        assert [made.id_to_token(each) for each in encoding.ids] == encoding.tokens
