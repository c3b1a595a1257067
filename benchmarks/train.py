"""Train on one corpus, ours and BPE in one run; print what each costs on held-out text.

The corpus (text, or text in .xz) is cut into blocks of 64 KiB that end at a newline; block i is
held out iff i mod 13 is 0, 4 or 8. Costs are exact: each distinct pretoken is encoded once and
weighted by its count. One line of JSON a measurement, so that a record can be kept.

Run: python benchmarks/train.py CORPUS --sizes 2000 8000 32000
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import platform
import resource
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import maxmunch as mm
from maxmunch import baselines

BLOCK = 64 << 10
HELD_OUT = {0, 4, 8}


def split(text: bytes) -> tuple[bytes, bytes]:
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    start = number = 0
    while start < len(text):
        end = text.rfind(b"\n", start, start + BLOCK) + 1
        if start + BLOCK >= len(text):
            end = len(text)
        elif end <= start:
            end = (text.find(b"\n", start) + 1) or len(text)
        parts[number % 13 in HELD_OUT].append(text[start:end])
        start, number = end, number + 1
    return b"".join(parts[0]), b"".join(parts[1])


def cost(tokenizer: Any, counts: mm.PretokenCounts) -> int:
    rows = counts.items()
    total = 0
    for first in range(0, len(rows), 50_000):
        part = rows[first : first + 50_000]
        encodings = tokenizer.encode_batch_fast([p.decode() for p, _ in part])
        total += sum(n * len(e.ids) for (_, n), e in zip(part, encodings, strict=True))
    return total


def say(what: str, **facts: Any) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"what": what, **facts, "peak_mb": peak}), flush=True)


def counted(text: bytes, threads: int) -> mm.PretokenCounts:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.txt"
        path.write_bytes(text)
        wall, cpu = time.perf_counter(), time.process_time()
        counts = mm.count_pretokens(path, threads=threads, progress=False)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    say(
        "count",
        megabytes=round(len(text) / 1e6, 1),
        wall_s=round(wall, 2),
        mb_per_cpu_s=round(len(text) / 1e6 / cpu, 1),
        distinct=len(counts),
        total=counts.total,
    )
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 8000, 32000])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--certify", action="store_true")
    parser.add_argument("--top", type=int)
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--no-baseline", action="store_true")
    arguments = parser.parse_args()
    packed = arguments.corpus.read_bytes()
    text = lzma.decompress(packed) if arguments.corpus.suffix == ".xz" else packed
    say(
        "run",
        corpus=arguments.corpus.name,
        machine=platform.machine(),
        cores=os.cpu_count(),
        load=os.getloadavg()[0],
        maxmunch=version("maxmunch"),
        tokenizers=version("tokenizers"),
        date=time.strftime("%Y-%m-%d"),
    )
    training, held_out = (counted(part, arguments.threads) for part in split(text))
    for size in arguments.sizes:
        wall, cpu = time.perf_counter(), time.process_time()
        result = mm.train(
            training,
            size,
            certify=arguments.certify,
            top=arguments.top,
            time_limit=arguments.time_limit,
            threads=arguments.threads,
            progress=False,
        )
        say(
            "search",
            size=size,
            wall_s=round(time.perf_counter() - wall, 1),
            cpu_s=round(time.process_time() - cpu, 1),
            cost=result.cost,
            bound=result.bound and result.bound.value,
            gap_percent=result.gap and round(100 * result.gap, 4),
        )
        if result.certificate is not None:
            wall = time.perf_counter()
            mm.check_bound(result.certificate, training)
            say("check", size=size, wall_s=round(time.perf_counter() - wall, 2))
        if arguments.no_baseline:
            continue
        wall = time.perf_counter()
        bpe = baselines.train(training, size, "bpe")
        seconds = round(time.perf_counter() - wall, 1)
        ours = result.tokenizer
        for name, counts in (("training", training), ("held-out", held_out)):
            theirs, mine = cost(bpe, counts), cost(ours, counts)
            say(
                "tokens",
                size=size,
                text=name,
                bpe=theirs,
                search=mine,
                fewer_percent=round(100 * (1 - mine / theirs), 3),
                bpe_wall_s=seconds,
            )


if __name__ == "__main__":
    main()
