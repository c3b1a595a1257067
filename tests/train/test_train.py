from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests_train import greedy_ids

import maxmunch as mm

if TYPE_CHECKING:
    from pathlib import Path

QUIET = {"progress": False}
BYTES = [bytes([byte]) for byte in range(256)]


def recount(counts: mm.PretokenCounts, vocabulary: list[bytes]) -> int:
    ids = {token: number for number, token in enumerate(vocabulary)}
    longest = max(map(len, vocabulary))
    return sum(n * len(greedy_ids(ids, longest, pretoken)) for pretoken, n in counts)


def test_the_cost_is_an_exact_recount(
    counts: mm.PretokenCounts, trained: mm.TrainingResult
) -> None:
    assert 1000 == len(trained.vocabulary) == len(set(trained.vocabulary))
    assert BYTES == trained.vocabulary[:256]
    assert [b"<|end|>", b"<|user|>"] == trained.vocabulary[-2:]
    assert trained.cost == recount(counts, trained.model_tokens)
    assert counts.total <= trained.cost
    assert not trained.interrupted
    assert not trained.out_of_time


def test_threads_and_repeats_give_the_same_vocabulary(counts: mm.PretokenCounts) -> None:
    one = mm.train(counts, 500, threads=1, **QUIET)

    assert one.vocabulary == mm.train(counts, 500, threads=3, **QUIET).vocabulary
    assert one.vocabulary == mm.train(counts, 500, threads=1, **QUIET).vocabulary


@given(
    rows=st.dictionaries(
        st.text(alphabet="abc", min_size=1, max_size=5), st.integers(1, 40), min_size=1, max_size=5
    )
)
def test_no_vocabulary_of_the_size_is_cheaper_than_brute_force_finds(rows: dict[str, int]) -> None:
    counts = mm.PretokenCounts.from_items(rows)
    substrings = sorted(
        {
            word[i:j].encode()
            for word in rows
            for i in range(len(word))
            for j in range(i + 2, 6)
            if j <= len(word)
        }
    )
    if len(substrings) < 2:
        return
    best = min(recount(counts, [*BYTES, *pair]) for pair in itertools.combinations(substrings, 2))
    try:
        result = mm.train(counts, 258, **QUIET)
    except mm.InvalidArgumentError:  # pruning left fewer than two candidates that can save anything
        return

    assert best <= result.cost == recount(counts, result.vocabulary)


def test_pruning_keeps_substrings_of_a_pretoken_that_is_too_long() -> None:
    counts = mm.PretokenCounts.from_items({"abcdef": 10, "xy": 1})

    assert 22 == mm.train(counts, 258, max_token_bytes=3, **QUIET).cost


def test_rules_are_kept(counts: mm.PretokenCounts) -> None:
    pinned = ["    ", b"\xff\xfe", "return"]
    result = mm.train(
        counts,
        600,
        pinned=pinned,
        forbidden=[" self", "self"],
        max_token_bytes=6,
        valid_utf8=False,
        splittable=b"\n",
        **QUIET,
    )

    chosen = result.vocabulary[256:]
    assert {b"    ", b"\xff\xfe", b"return"} <= set(chosen)
    assert not {b" self", b"self"} & set(chosen)
    assert max(map(len, chosen)) <= 6
    assert not any(b"\n" in token[1:] for token in chosen)
    assert result.cost == recount(counts, result.vocabulary)


def test_tokens_are_whole_characters_when_asked(prose: str) -> None:
    counts = mm.count_pretokens(["東京 — café ½ “naïve” " * 50 + prose[:20_000]], **QUIET)

    for token in mm.train(counts, 500, valid_utf8=True, **QUIET).vocabulary[256:]:
        token.decode()


def test_more_text_than_the_most_frequent_pretokens_is_named_in_the_scope(
    counts: mm.PretokenCounts,
) -> None:
    result = mm.train(counts, 400, top=500, **QUIET)

    assert result.scope.startswith("the 500 most frequent of")
    assert result.cost == recount(counts.top(500), result.vocabulary)


def test_a_start_is_improved_never_worsened(counts: mm.PretokenCounts, tmp_path: Path) -> None:
    first = mm.train(counts, 700, **QUIET)
    again = mm.train(counts, 700, start=first.vocabulary, **QUIET)
    assert again.cost <= first.cost

    first.save(tmp_path)
    assert again.cost == mm.train(counts, 700, start=tmp_path / "tokenizer.json", **QUIET).cost
    grown = mm.train(counts, 800, start=first.vocabulary, **QUIET)
    assert 800 == len(grown.vocabulary)
    assert grown.cost < first.cost


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"vocab_size": 255}, mm.InvalidArgumentError, "below 256"),
        ({"vocab_size": 256, "special_tokens": ["<s>"]}, mm.InvalidArgumentError, "below 257"),
        ({"vocab_size": 10_000_000}, mm.InvalidArgumentError, "candidates"),
        ({"vocab_size": 257, "pinned": ["ab", "cd"]}, mm.TrainingError, "pinned"),
        ({"vocab_size": 256, "pinned": ["which no text has"]}, mm.TrainingError, "pinned"),
        ({"vocab_size": 257, "pinned": ["ab", "cd"], "method": "jolt"}, mm.TrainingError, "pinned"),
        ({"pinned": ["ab"], "forbidden": ["ab"]}, mm.InvalidArgumentError, "pinned"),
        ({"pinned": ["abc"], "max_token_bytes": 2}, mm.InvalidArgumentError, "pinned"),
        ({"pinned": "abc"}, mm.InvalidArgumentError, "list"),
        ({"forbidden": ["a"]}, mm.InvalidArgumentError, "single byte"),
        ({"max_token_bytes": 0}, mm.InvalidArgumentError, "max_token_bytes"),
        ({"max_token_bytes": 256}, mm.InvalidArgumentError, "max_token_bytes"),
        ({"method": "guess"}, mm.InvalidArgumentError, "method"),
        ({"threads": 0}, mm.InvalidArgumentError, "threads"),
        ({"top": 0}, mm.InvalidArgumentError, "below 1"),
        ({"time_limit": 0}, mm.InvalidArgumentError, "time_limit"),
        ({"memory_limit": 1}, mm.LimitError, "memory_limit"),
        ({"special_tokens": ["<s>", "<s>"]}, mm.InvalidArgumentError, "distinct"),
        ({"special_tokens": "<s>"}, mm.InvalidArgumentError, "list"),
        ({"special_tokens": [""]}, mm.InvalidArgumentError, "non-empty"),
        ({"special_tokens": ["a"]}, mm.InvalidArgumentError, "byte"),
        ({"start": 7}, mm.InvalidArgumentError, "start"),
        ({"splittable": "x"}, mm.InvalidArgumentError, "bytes"),
        ({"splittable_at": "middle"}, mm.InvalidArgumentError, "splittable_at"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    counts: mm.PretokenCounts, options: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        mm.train(counts, **{"vocab_size": 300, **QUIET, **options})


def test_a_special_token_is_never_learned_as_well() -> None:
    counts = mm.PretokenCounts.from_items({"<s>": 1000, "<s": 10, "s>": 10, "abab": 5, "ab": 4})

    result = mm.train(counts, 260, special_tokens=["<s>"], **QUIET)

    assert 1 == result.vocabulary.count(b"<s>")


def test_ctrl_c_gives_the_best_vocabulary_so_far(counts: mm.PretokenCounts) -> None:
    def interrupt(phase: str, *_: int) -> None:
        if phase != "candidates":
            raise KeyboardInterrupt

    result = mm.train(counts, 800, progress=interrupt)

    assert result.interrupted
    assert 800 == len(result.vocabulary)
    assert result.cost == recount(counts, result.vocabulary)


def test_a_time_limit_gives_the_best_vocabulary_so_far(counts: mm.PretokenCounts) -> None:
    result = mm.train(counts, 800, time_limit=1e-9, **QUIET)

    assert result.out_of_time
    assert 800 == len(result.vocabulary)


def test_an_error_of_the_callback_is_raised(counts: mm.PretokenCounts) -> None:
    def fail(phase: str, *_: int) -> None:
        raise RuntimeError(phase)

    with pytest.raises(RuntimeError):
        mm.train(counts, 800, progress=fail)


def test_the_report_says_what_was_done(trained: mm.TrainingResult, tmp_path: Path) -> None:
    trained.save(tmp_path)

    report = json.loads((tmp_path / "report.json").read_text())
    assert trained.cost == report["cost"]
    phases = {step["phase"] for step in report["rounds"]}
    assert {"shrink", "swap", "anneal"} <= phases
    assert trained.cost == min(s["cost"] for s in report["rounds"] if s["phase"] == "swap")


def test_text_may_be_cut_before_a_splittable_byte(counts: mm.PretokenCounts) -> None:
    plain = mm.train(counts, 1200, **QUIET)
    split = mm.train(counts, 1200, splittable=b"\n", **QUIET)

    assert {} == plain.delimiters()
    assert [b"\n"] == list(split.delimiters())
    assert split.delimiters()[b"\n"].before
    assert not mm.TokenSet.literal(plain.model_tokens).delimiter(b"\n").before
    # The guarantee is paid for in tokens: it only takes candidates away.
    assert plain.cost <= split.cost * 1.001


def test_text_may_be_cut_after_a_splittable_byte(counts: mm.PretokenCounts) -> None:
    split = mm.train(counts, 900, splittable=b"\n )", splittable_at="end", **QUIET)

    cuts = split.delimiters()
    assert [b"\n", b" ", b")"] == list(cuts)
    assert all(cut.after for cut in cuts.values())
    for token in split.vocabulary:
        assert not set(token[:-1]) & set(b"\n )")


def test_what_the_guarantee_costs_is_measured(counts: mm.PretokenCounts, prose: str) -> None:
    plain = mm.train(counts, 700, **QUIET)
    split = mm.train(counts, 700, splittable=b"\n", **QUIET)
    text = prose[:20_000]

    cost = mm.splitting_cost(split, plain, text, trials=30)

    assert cost.split.cuts[b"\n"].before
    assert not cost.plain.cuts[b"\n"].before
    assert cost.more_tokens_percent == pytest.approx(100 * (split.cost / plain.cost - 1))
    for result, side in ((split, cost.split), (plain, cost.plain)):
        tokens = mm.TokenSet.literal(result.model_tokens)
        assert len(tokens.scan(text)) == side.tokens
        assert result.cost == side.training_tokens
        supplied = mm.supply(tokens, text)
        assert supplied.anchors_per_kib[4] == side.anchors_per_kib
    # Every newline is an anchor now.
    assert cost.split.anchors_per_kib > cost.plain.anchors_per_kib
    assert "anchors per KiB" in str(cost)
    json.dumps(cost.to_dict())
    with pytest.raises(mm.InvalidArgumentError, match="without splittable"):
        mm.splitting_cost(plain, split, text)
    other = mm.train(counts, 701, **QUIET)
    with pytest.raises(mm.InvalidArgumentError, match="one scope"):
        mm.splitting_cost(split, other, text)


def test_a_killed_search_goes_on_from_its_last_pass(
    counts: mm.PretokenCounts, tmp_path: Path
) -> None:
    whole = mm.train(counts, 900, threads=1, **QUIET)
    passes = 0

    def interrupt(phase: str, done: int, _: int) -> None:
        nonlocal passes
        passes += phase == "swap" and done == 0
        if passes > 2:
            raise KeyboardInterrupt

    stopped = mm.train(counts, 900, threads=1, checkpoint=tmp_path, progress=interrupt)
    assert stopped.interrupted
    assert (tmp_path / "search-1.json").exists()

    resumed = mm.train(counts, 900, threads=1, checkpoint=tmp_path, **QUIET)

    assert whole.vocabulary == resumed.vocabulary


def test_train_takes_counts_alone() -> None:
    with pytest.raises(TypeError, match="counts: str given"):
        mm.train("a text", **QUIET)
