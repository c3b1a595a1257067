"""Speed and memory of certify on real vocabularies and text, beside an independent program.

    python benchmarks/certify.py DATA_DIRECTORY [--megabytes 100] [--threads 2]

DATA_DIRECTORY holds `tokenizers/*.json.xz` and `corpora/english.txt.xz`. Every count is compared
with the one that was found independently; a difference is an error. Times are processor
seconds of one run each. Scans are run five times on one thread and on several, in turn: processor
time tells what several threads cost, also on a machine that others use; wall time tells what they
gain, on one that nobody else does.
"""

from __future__ import annotations

import argparse
import json
import lzma
import resource
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import maxmunch as mm
from maxmunch.certify import grammars
from maxmunch.certify.subword import byte_characters

if TYPE_CHECKING:
    from collections.abc import Callable

# Tokens, certified windows of widths 1 to 4, seconds for width 4 of an independent C program.
KNOWN = {
    "gpt2": (50256, [73, 62987, 16712404, 4287405391], 0.4),
    "gptoss": (199998, [51, 55132, 16474367, 4256916091], 12.4),
}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What `work` gives, and its processor time: the machine may be shared."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def both(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and processor time."""
    started, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - processor


def parallel(token_set: mm.TokenSet, text: bytes, threads: int) -> mm.Scan:
    return mm.parallel_scan(token_set, text, threads=threads)


def row(name: str, ours: str, known: str = "") -> None:
    print(f"{name:58} {ours:>18} {known:>18}")


def vocabulary(path: Path) -> list[bytes]:
    model = json.loads(lzma.decompress(path.read_bytes()))
    table = byte_characters()
    added = {token["content"] for token in model["added_tokens"]}
    words = [word for word in model["model"]["vocab"] if word not in added]
    return [bytes(table[character] for character in word) for word in words]


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def vocabularies(data: Path) -> None:
    for name, (size, certified, seconds) in KNOWN.items():
        path = data / "tokenizers" / f"{name}.json.xz"
        if not path.exists():
            row(name, "not at hand")
            continue
        words = vocabulary(path)
        if len(words) != size:
            sys.exit(f"{name}: {len(words)} tokens instead of {size}")
        token_set, built = timed(lambda words=words: mm.TokenSet.literal(words))
        _, tables = timed(lambda s=token_set: s.realised_origins(b"a"))
        row(f"{name}: trie, tables", f"{built:.2f} s, {tables:.2f} s")
        counts, counted = timed(lambda s=token_set: s.inventory(4).counts)
        if certified != [counts[width].certified for width in (1, 2, 3, 4)]:
            sys.exit(f"{name}: counts differ from the known ones")
        row(f"{name}: inventory to width 4, counts equal", f"{counted:.2f} s", f"{seconds} s")
        direct, decided = timed(lambda s=token_set: s.inventory(3).handle.counts_directly())
        if direct != certified[:3]:
            sys.exit(f"{name}: direct decisions differ from the known counts")
        row(f"{name}: all 2^24 windows of width 3 decided", f"{decided:.2f} s", "1.3 s (gpt2)")
        row(f"{name}: peak memory", f"{peak_mib():.0f} MiB", "1536 MiB")


def scans(data: Path, megabytes: int, threads: int) -> None:
    words = vocabulary(data / "tokenizers" / "gpt2.json.xz")
    token_set = mm.TokenSet.literal(words)
    with lzma.open(data / "corpora" / "english.txt.xz") as stream:
        text = stream.read(megabytes * 1_000_000)
    token_set.realised_origins(b"a")  # builds the tables, which loading includes
    fresh = token_set.inventory(3)
    _, planned = timed(lambda: token_set.plan_cuts(text, 16))
    row("gpt2: 16 cuts, first call", f"{planned * 1000:.2f} ms", "10 ms")
    sample = text[: 1 << 20]
    anchors, found = timed(lambda: fresh.anchors(sample))
    row("gpt2: anchors of 1 MiB, width 3, empty memo", f"{found * 1e6 / len(sample):.2f} us/byte")
    runs = [
        (both(lambda: token_set.scan(text)), both(lambda: parallel(token_set, text, threads)))
        for _ in range(5)
    ]
    walls, processors = (
        ([one[kind] for one, _ in runs], [many[kind] for _, many in runs]) for kind in (0, 1)
    )
    rate = len(text) / min(processors[0]) / 1e6
    row("gpt2: sequential scan, processor time", f"{rate:.0f} MB/s")
    spent = median(b / a for a, b in zip(*processors, strict=True))
    row(f"gpt2: processor time of {threads} threads against one", f"{spent:.2f} x", "1")
    gained = median(a / b for a, b in zip(*walls, strict=True))
    row(f"gpt2: wall time of one thread against {threads}", f"{gained:.2f} x", "1.85 x (2)")
    del anchors


def lexers() -> None:
    for name in grammars.GRAMMARS:
        token_set = grammars.token_set(name)
        inventory, counted = timed(lambda s=token_set: s.inventory(6).counts)
        row(f"{name}: inventory to width 6", f"{counted:.3f} s")
        del inventory
        _, spanned = timed(lambda s=token_set: s.inventory(6).span())
        row(f"{name}: span", f"{spanned:.3f} s")
    names = list(grammars.GRAMMARS)
    sets = [grammars.token_set(name) for name in names]
    _, audited = timed(lambda: [mm.audit(a, b) for a in sets for b in sets])
    row("all pairwise audits of the grammars", f"{audited:.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    row("", "ours", "reference")
    lexers()
    vocabularies(options.data)
    scans(options.data, options.megabytes, options.threads)


if __name__ == "__main__":
    main()
