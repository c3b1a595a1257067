"""Ours and the reference on the same documents in the same run, ids compared.

    python benchmarks/encode.py TOKENIZER.json [TEXT ...] [--megabytes 2] [--rounds 5]

Each text is cut into documents of about 10 kB at newlines; every document is encoded once per
round, and the engines take turns. Printed are the medians and ranges of MB/s of wall time, one
thread, and whether all ids were equal. Without arguments: a vocabulary trained on the spot, and
this Python's own sources.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import maxmunch as mm
from maxmunch.tour.corpus import gather_sources

DOCUMENT_BYTES = 10_000


def documents(text: str, limit: int) -> list[str]:
    """Pieces of about 10 kB that end at a newline, until the limit is reached."""
    found: list[str] = []
    start = 0
    while start < min(len(text), limit):
        end = text.find("\n", start + DOCUMENT_BYTES) + 1 or len(text)
        found.append(text[start:end])
        start = end
    return found


def measure(texts: list[str], tokenizer_json: str, rounds: int) -> dict[str, list[float]]:
    """MB/s of each engine by round; stops with a message when ids differ."""
    from tokenizers import Tokenizer

    size = sum(len(text.encode()) for text in texts) / 1e6
    rates: dict[str, list[float]] = {"maxmunch": [], "tokenizers": []}
    for _ in range(rounds):
        # Loaded anew, so that no round profits from the caches of the one before.
        ours, theirs = mm.Tokenizer.from_str(tokenizer_json), Tokenizer.from_str(tokenizer_json)
        start = time.perf_counter()
        ids = [ours.encode_ids(text, add_special_tokens=False).tolist() for text in texts]
        middle = time.perf_counter()
        expected = [theirs.encode(text, add_special_tokens=False).ids for text in texts]
        end = time.perf_counter()
        if ids != expected:
            sys.exit("ids differ: this benchmark measures nothing")
        rates["maxmunch"].append(size / (middle - start))
        rates["tokenizers"].append(size / (end - middle))
    return rates


def main() -> None:
    """Print one block of figures a text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokenizer", nargs="?", type=Path)
    parser.add_argument("texts", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    limit = int(options.megabytes * 1e6)
    corpora = {path.name: path.read_text(encoding="utf-8") for path in options.texts}
    if not corpora:
        corpora = {"Python sources": "".join(gather_sources(limit + 100_000).texts)}
    if options.tokenizer is None:
        counts = mm.count_pretokens(list(corpora.values()), progress=False)
        tokenizer_json = mm.train(counts, 4096, progress=False).to_json()
    else:
        tokenizer_json = options.tokenizer.read_text(encoding="utf-8")
    for name, text in corpora.items():
        texts = documents(text, limit)
        print(f"{name}: {len(texts)} documents, {sum(map(len, texts)) / 1e6:.1f} M characters")
        for engine, rates in measure(texts, tokenizer_json, options.rounds).items():
            low, middle, high = min(rates), statistics.median(rates), max(rates)
            print(f"  {engine:<12} {middle:8.1f} MB/s  ({low:.1f} to {high:.1f})")
    print("all ids equal")


if __name__ == "__main__":
    main()
