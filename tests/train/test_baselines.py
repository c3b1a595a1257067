from __future__ import annotations

import json
from typing import Any

import pytest

import maxmunch as mm
from maxmunch import baselines

tokenizers = pytest.importorskip("tokenizers")


def as_reference(text: str) -> Any:
    return tokenizers.Tokenizer.from_str(text)


def test_bpe_from_counts_is_bpe_from_the_text(prose: str, counts: mm.PretokenCounts) -> None:
    ours = json.loads(baselines.train_json(counts, 600))["model"]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(counts.pattern), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600, show_progress=False, initial_alphabet=alphabet
    )
    theirs.train_from_iterator([prose], trainer)

    expected = json.loads(theirs.to_str())["model"]
    assert expected["vocab"] == ours["vocab"]
    assert expected["merges"] == ours["merges"]


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
def test_a_baseline_holds_all_bytes_and_keeps_its_size(
    counts: mm.PretokenCounts, kind: str
) -> None:
    tokenizer = as_reference(baselines.train_json(counts, 900, kind))

    assert tokenizer.get_vocab_size() <= 900
    text = "any \u6771\u4eac byte \U0001f600 at all: \x00\x7f\u00ff"
    assert text.replace(" ", "") == tokenizer.decode(tokenizer.encode(text).ids).replace(" ", "")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [((100, "bpe"), "below 256"), ((300, "wordpiece"), "below 512"), ((900, "morfessor"), "kind")],
)
def test_what_cannot_be_trained_is_refused(
    counts: mm.PretokenCounts, arguments: tuple[int, str], text: str
) -> None:
    with pytest.raises(mm.InvalidArgumentError, match=text):
        baselines.train_json(counts, *arguments)


def test_too_little_text_is_said(counts: mm.PretokenCounts) -> None:
    with pytest.raises(mm.TrainingError, match="lower vocab_size"):
        baselines.train_json(counts.top(3), 900)


def test_search_takes_fewer_tokens_than_bpe_of_its_size(
    counts: mm.PretokenCounts, prose: str
) -> None:
    searched = as_reference(mm.train(counts, 900, progress=False).to_json())
    bpe = as_reference(baselines.train_json(counts, 900))

    report = mm.evaluate({"bpe": bpe, "search": searched}, [prose])

    assert "bpe" == report.reference
    assert report["bpe"].tokens == len(bpe.encode(prose).ids)
    assert report["search"].tokens < report["bpe"].tokens
    assert report["search"].fewer_low <= report["search"].fewer_percent
    assert report["search"].fewer_percent <= report["search"].fewer_high
    assert 0.0 == report["bpe"].fewer_percent
    assert len(prose.encode()) == report.text_bytes
    assert "search" in str(report)
    json.dumps(report.to_dict())


def test_metrics_of_a_known_text() -> None:
    vocabulary = mm.PretokenCounts.from_items({"ab": 3, "abc": 1})
    tokenizer = as_reference(mm.train(vocabulary, 257, progress=False).to_json())

    measured = mm.evaluate({"t": tokenizer}, ["abab", "ab c"])["t"]

    # ab ab | ab, the space, c
    assert 5 == measured.tokens
    assert 257 == measured.vocabulary
    assert 254 == measured.unused
    assert 2 / 5 == measured.single_byte_share
    assert 8 / 5 == measured.bytes_per_token
    assert 5 / 3 == measured.fertility


def test_the_words_that_save_and_cost_most_are_named() -> None:
    def made(words: dict[str, int]) -> mm.Tokenizer:
        counts = mm.PretokenCounts.from_items(words)
        return mm.train(counts, 258, progress=False).tokenizer

    good, bad = made({" the": 9, " of": 1}), made({" ox": 9, " ax": 1})
    text = "x the the of ox " * 3

    found = mm.evaluate({"bad": bad, "good": good}, [text], examples=1)

    best, worst = found.examples["good"]
    assert list(found.examples) == ["good"]
    assert (" the", 6) == (best.word, best.count)
    assert best.saved == 6 * (len(best.reference) - len(best.pieces)) > 0
    assert " the" == "".join(best.pieces) == "".join(best.reference)
    assert " ox" == worst.word
    assert worst.saved < 0
    assert "tokens saved by word" in str(found)
    json.dumps(found.to_dict())
    assert {} == mm.evaluate({"bad": bad, "good": good}, [text]).examples
    with pytest.raises(mm.InvalidArgumentError, match="examples: -1 is negative"):
        mm.evaluate({"a": good}, ["a"], examples=-1)


def test_a_reference_that_is_not_there_is_refused() -> None:
    with pytest.raises(mm.InvalidArgumentError, match="none is given"):
        mm.evaluate({}, ["a"])
    with pytest.raises(TypeError, match="int given as 'a'"):
        mm.evaluate({"a": 1}, ["a"])
    with pytest.raises(mm.InvalidArgumentError, match="reference"):
        mm.evaluate({"a": None}, ["a"], reference="b")
