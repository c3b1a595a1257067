"""How encoding time grows with the length of one text: linear, or the factor says otherwise.

For each tokenizer and each repeated text it prints the time per doubling up to `--megabytes` and
the largest factor between neighbours; 2.0 is linear.

    python benchmarks/growth.py ../shared/data [--tokenizers gpt2,rwkv] [--megabytes 8]
"""

from __future__ import annotations

import argparse
import base64
import itertools
import lzma
import random
import tempfile
import time
from pathlib import Path

import maxmunch as mm

STEPS = 4


def texts(size: int) -> dict[str, str]:
    """Return texts of `size` bytes that have been trouble for tokenizers."""
    noise = random.Random(0).randbytes(size)
    unspaced = "的一是不了人我在有他这为之大来以个中上们"
    picks = random.Random(1).choices(unspaced, k=size // 3)
    return {
        "a": "a" * size,
        "spaces": " " * size,
        "chinese": "".join(picks),
        "base64": base64.b64encode(noise).decode()[:size],
        "emoji": "🙂" * (size // 4),
    }


def seconds(tok: mm.Tokenizer, text: str) -> float:
    """Return the least of two times of encoding `text`."""
    best = float("inf")
    for _ in range(2):
        started = time.process_time()
        tok.encode_ids(text)
        best = min(best, time.process_time() - started)
    return best


def word_seconds(tok: mm.Tokenizer, count: int) -> float:
    """Return the time of encoding `count` words that come one by one."""
    words = ["word", "longer", "漢字", "x1"] * (count // 4)
    started = time.process_time()
    tok.encode(words, is_pretokenized=True)
    return time.process_time() - started


def show(name: str, what: str, times: list[float], megabytes: float) -> None:
    """Print a line: the times of doubled sizes, the greatest factor, the speed at the end."""
    factor = max(b / a for a, b in itertools.pairwise(times))
    shown = " ".join(f"{t:7.3f}" for t in times)
    speed = megabytes / times[-1]
    print(f"{name:14} {what:12} {shown} s  x{factor:4.2f}  {speed:6.1f} MB/s", flush=True)


def load(path: Path) -> mm.Tokenizer:
    """Return the tokenizer of a compressed file."""
    data = lzma.decompress(path.read_bytes())
    if path.name.endswith(".json.xz"):
        return mm.Tokenizer.from_buffer(data)
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "vocabulary.txt"
        unpacked.write_bytes(data)
        return mm.Tokenizer.from_rwkv(unpacked)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with tokenizers/")
    parser.add_argument("--tokenizers", default="", help="names, with commas; all by default")
    parser.add_argument("--megabytes", type=float, default=8.0, help="longest text")
    arguments = parser.parse_args()
    wanted = set(filter(None, arguments.tokenizers.split(",")))
    for path in sorted((arguments.data / "tokenizers").glob("*.xz")):
        name = path.name.split(".")[0]
        if wanted and name not in wanted:
            continue
        try:
            tok = load(path)
        except mm.UnsupportedTokenizerError as error:
            print(f"{name:12} refused: {error}")
            continue
        largest = int(arguments.megabytes * 1_000_000)
        for text, whole in texts(largest).items():
            sizes = [len(whole) >> shift for shift in range(STEPS - 1, -1, -1)]
            times = [seconds(tok, whole[:size]) for size in sizes]
            show(name, text, times, len(whole.encode()) / 1e6)
        counts = [100_000 >> shift for shift in range(STEPS - 1, -1, -1)]
        show(name, "100k words", [word_seconds(tok, count) for count in counts], 0.4)


if __name__ == "__main__":
    main()
