"""What each step of the tour does: call public functions, say what came out, keep the figures."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import maxmunch as mm
    from maxmunch.tour.corpus import SourceCorpus
    from maxmunch.tour.story import Story

__all__ = [
    "certify",
    "compare",
    "count",
    "describe_corpus",
    "encode",
    "scan_in_parallel",
    "token_lengths",
    "train",
]

SUPPLY_BYTES = 2_000_000
MAX_WIDTH = 4


def _size(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def describe_corpus(corpus: SourceCorpus, story: Story) -> dict[str, Any]:
    """Return the sizes of the corpus and what was left out of it."""
    figures: dict[str, Any] = {
        "training": {"files": len(corpus.training), "bytes": _size(corpus.training)},
        "held_out": {"files": len(corpus.held_out), "bytes": _size(corpus.held_out)},
        "duplicates": corpus.duplicates,
        "not_utf8": corpus.not_utf8,
        "unreadable": corpus.unreadable,
    }
    for name in ("training", "held_out"):
        part = figures[name]
        story.say(f"{name.replace('_', '-')}: {part['files']:,} files, {part['bytes']:,} bytes")
    story.say(
        f"left out: {corpus.duplicates:,} empty or repeated, {corpus.not_utf8:,} not UTF-8, "
        f"{corpus.unreadable:,} unreadable"
    )
    return figures


def count(
    corpus: SourceCorpus, threads: int, story: Story, *, quiet: bool
) -> tuple[mm.PretokenCounts, dict[str, Any]]:
    """Count the pretokens of the training texts."""
    import maxmunch as mm

    start = time.perf_counter()
    counts = mm.count_pretokens(corpus.training, threads=threads, progress=not quiet)
    seconds = time.perf_counter() - start
    size = _size(corpus.training)
    story.say(
        f"{counts.total:,} pretokens, {len(counts):,} distinct, {size / seconds / 1e6:.0f} MB/s"
    )
    return counts, {"total": counts.total, "distinct": len(counts), "mb_s": size / seconds / 1e6}


def train(
    counts: mm.PretokenCounts, vocab_size: int, threads: int, story: Story, *, quiet: bool
) -> tuple[mm.TrainingResult, dict[str, Any]]:
    """Train the vocabulary by exact search on the whole table."""
    import maxmunch as mm

    result = mm.train(counts, vocab_size, threads=threads, progress=not quiet)
    story.say(f"{result.cost:,} tokens on the training texts")
    return result, {"vocab_size": len(result.vocabulary), "cost": result.cost}


def compare(
    corpus: SourceCorpus, result: mm.TrainingResult, vocab_size: int, story: Story
) -> dict[str, Any]:
    """Train byte-pair encoding of the same size on the same texts and compare on held-out ones."""
    import maxmunch as mm

    bpe = mm.baselines.train(corpus.training, vocab_size, kind="bpe")
    tokenizers = {"BPE": bpe, "maxmunch": result.tokenizer}
    measured = mm.evaluate(tokenizers, corpus.held_out, reference="BPE")
    ours, theirs = measured["maxmunch"], measured["BPE"]
    saved = ours.fewer_percent
    story.say(f"BPE {theirs.tokens:,} tokens, maxmunch {ours.tokens:,}: {saved:.2f} % fewer")
    story.check("fewer tokens than byte-pair encoding of the same size", holds=saved > 0)
    return measured.to_dict() | {"bpe_token_lengths": _lengths(bpe.vocabulary)}


def encode(
    corpus: SourceCorpus, tokenizer: mm.Tokenizer, threads: int, story: Story
) -> dict[str, Any]:
    """Encode every text on all cores, and check that decoding gives each text back."""
    texts = corpus.texts
    size = _size(texts)
    start = time.perf_counter()
    ragged = tokenizer.encode_ids_batch(texts, threads=threads)
    seconds = time.perf_counter() - start
    story.say(f"{len(ragged.ids):,} ids, {size / seconds / 1e6:.0f} MB/s")
    same = all(
        tokenizer.decode(ids.tolist(), skip_special_tokens=False) == text
        for ids, text in zip(ragged, texts, strict=True)
    )
    story.check("decoding gives every byte back", holds=same)
    return {"bytes": size, "ids": len(ragged.ids), "mb_s": size / seconds / 1e6}


def certify(token_set: mm.TokenSet, corpus: SourceCorpus, story: Story) -> dict[str, Any]:
    """Take the inventory of certified windows, ask about newline and the span, measure supply."""
    import maxmunch as mm

    start = time.perf_counter()
    inventory = token_set.inventory(MAX_WIDTH)
    widths = {
        w: {"certified": c.certified, "vacuous": c.vacuous} for w, c in inventory.counts.items()
    }
    seconds = time.perf_counter() - start
    story.say(
        f"{widths[MAX_WIDTH]['certified']:,} of {256**MAX_WIDTH:,} windows of {MAX_WIDTH} bytes"
    )
    newline = token_set.delimiter(b"\n")
    story.say(_newline(newline))
    span = inventory.span()
    story.say(_span(span))
    data = "".join(corpus.held_out).encode()[:SUPPLY_BYTES]
    supply = mm.supply(token_set, data, max_width=MAX_WIDTH)
    by_width = {int(w): float(v) for w, v in supply.anchors_per_kib.items()}
    story.say(
        f"{by_width[MAX_WIDTH]:.0f} anchors per KiB of held-out text, of "
        f"{supply.boundaries_per_kib:.0f} boundaries; "
        f"widest gap {supply.widest_gap[MAX_WIDTH]:,} bytes"
    )
    return {
        "inventory_seconds": seconds,
        "widths": widths,
        "newline": {
            "before": newline.before,
            "after": newline.after,
            "refutation_before": _shown(newline.refutation_before),
            "refutation_after": _shown(newline.refutation_after),
        },
        "span": {"bounded": span.bounded, "value": span.value, "sentence": _span(span)},
        "supply": {
            "bytes": len(data),
            "per_kib": by_width,
            "per_block": supply.blocks[MAX_WIDTH].tolist(),
            "boundaries_per_kib": supply.boundaries_per_kib,
            "widest_gap": supply.widest_gap[MAX_WIDTH],
        },
    }


def _shown(data: bytes | str | None) -> str | None:
    return None if data is None else repr(data)


def _newline(answer: mm.Delimiter) -> str:
    if answer.before or answer.after:
        side = "before" if answer.before else "after"
        return f"cutting {side} every newline is safe"
    return f"newline is no safe delimiter: the token {answer.refutation_before!r} refutes it"


def _span(span: mm.Span) -> str:
    if isinstance(span.witness, bytes):
        return f"no stretch without an anchor is longer than {span.value:,} bytes"
    cycle = span.witness.cycle
    return f"a stretch without an anchor can get arbitrarily long: repeat {cycle!r} to see it"


def scan_in_parallel(
    token_set: mm.TokenSet, corpus: SourceCorpus, threads: int, story: Story
) -> dict[str, Any]:
    """Scan the whole corpus as one text, in one piece and in parts; the starts must be equal."""
    import numpy as np

    import maxmunch as mm

    data = "".join(corpus.texts).encode()
    plan = token_set.plan_cuts(data, threads, max_width=MAX_WIDTH)
    start = time.perf_counter()
    whole = token_set.scan(data)
    middle = time.perf_counter()
    parts = mm.parallel_scan(token_set, data, threads=threads, max_width=MAX_WIDTH)
    end = time.perf_counter()
    equal = np.array_equal(whole.starts, parts.starts) and np.array_equal(whole.kinds, parts.kinds)
    speedup = (middle - start) / (end - middle)
    story.say(f"cut at {plan.cuts}, {plan.snap_distances} past target")
    story.say(
        f"{len(whole.starts):,} tokens; one thread {len(data) / (middle - start) / 1e6:.0f} MB/s, "
        f"{threads} threads {speedup:.2f} times that"
    )
    story.check("the parallel scan equals the sequential one", holds=bool(equal))
    return {
        "bytes": len(data),
        "tokens": len(whole.starts),
        "cuts": plan.cuts,
        "snap_distances": plan.snap_distances,
        "sequential_seconds": middle - start,
        "parallel_seconds": end - middle,
    }


def token_lengths(result: mm.TrainingResult) -> dict[int, int]:
    """Return how many tokens of the vocabulary have each length in bytes."""
    return _lengths(result.vocabulary)


def _lengths(tokens: Any) -> dict[int, int]:
    return dict(sorted(Counter(len(token) for token in tokens if token is not None).items()))
