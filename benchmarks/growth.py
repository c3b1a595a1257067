"""How encoding time grows with the length of one text: linear, or the factor says otherwise.

For each tokenizer and each repeated text it prints the processor time per doubling up to
`--megabytes`, the largest factor between neighbours (2.0 is linear), and at the end the speed and
the memory pages that were new to the process, per call. A page costs the kernel a microsecond or
more whatever the program does with it: results beyond 32 MB are always new pages, shorter ones only
at first. With `--instructions` valgrind counts the instructions instead, a measure that does not
depend on machine, neighbours or pages.

    python benchmarks/growth.py ../shared/data [--tokenizers gpt2,rwkv] [--megabytes 8]
"""

from __future__ import annotations

import argparse
import base64
import itertools
import lzma
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEPS = 4
ROUNDS = 5
ENTRY = "maxmunch::encode::ids::<impl maxmunch::encode::tokenizer::Tokenizer>::encode_ids_into"


UNSPACED = "的一是不了人我在有他这为之大来以个中上们"
AB = bytes(b"ab"[byte % 2] for byte in range(256))
CHINESE = {byte: UNSPACED[byte % len(UNSPACED)] for byte in range(256)}
TEXTS: dict[str, Callable[[int, random.Random], str]] = {
    "a": lambda size, _: "a" * size,
    "ab": lambda size, source: source.randbytes(size).translate(AB).decode(),
    "spaces": lambda size, _: " " * size,
    "chinese": lambda size, source: (
        source.randbytes(size // 3).decode("latin-1").translate(CHINESE)
    ),
    "base64": lambda size, source: base64.b64encode(source.randbytes(size)).decode()[:size],
    "emoji": lambda size, _: "🙂" * (size // 4),
}
"""Texts of so many bytes that have been trouble for tokenizers."""


def small_models() -> dict[str, mm.Tokenizer]:
    """Return tokenizers of the kinds of which no file is there."""
    letters = ["a", "b", "的", "🙂", " "]
    pieces = [*letters, *(f"##{letter}" for letter in letters), "##aa", "##ab", "[UNK]"]
    numbered = {piece: index for index, piece in enumerate(pieces)}
    pairs = [("a", "a"), ("aa", "aa"), ("a", "b"), ("ab", "ab"), ("aa", "b"), ("b", "b")]
    joined = list(dict.fromkeys(["a", "b", *(left + right for left, right in pairs)]))
    models: dict[str, mm.models.Model] = {
        # A word as long as the text, and no limit after which it is unknown.
        "WordPiece": mm.models.WordPiece(numbered, max_input_chars_per_word=10**9),
        "WordLevel": mm.models.WordLevel(numbered, "[UNK]"),
        "Unigram": mm.models.Unigram([("[UNK]", 0.0), *((p, -1.0) for p in letters)], 0),
        "LongestMatch": mm.models.LongestMatch({bytes([byte]): byte for byte in range(256)}),
        # Nothing cuts its texts: all pairs of its characters merge.
        "BPE": mm.models.BPE({piece: index for index, piece in enumerate(joined)}, pairs),
    }
    return {name: mm.Tokenizer(model) for name, model in models.items()}


def calls(tok: mm.Tokenizer, megabytes: float) -> Iterator[tuple[str, float, list[Callable]]]:
    """Yield each text's name and megabytes, and the calls that encode it, doubling.

    No text is drawn twice: what is remembered of one that came before, or of its beginning, would
    help the short ones more than the long ones, and bend the growth.
    """
    seeds = itertools.count()
    for name, draw in TEXTS.items():
        sizes = [int(megabytes * 1_000_000) >> shift for shift in range(STEPS - 1, -1, -1)]
        drawn = [
            iter([draw(size, random.Random(next(seeds))) for _ in range(ROUNDS)]) for size in sizes
        ]
        yield name, sizes[-1] / 1e6, [lambda of=of: tok.encode_ids(next(of)) for of in drawn]


def word_calls(tok: mm.Tokenizer) -> list[Callable]:
    """Return the calls that encode up to 100,000 words that come one by one."""
    counts = [100_000 >> shift for shift in range(STEPS - 1, -1, -1)]
    lists = [["word", "longer", "漢字", "x1"] * (count // 4) for count in counts]
    return [lambda words=words: tok.encode(words, is_pretokenized=True) for words in lists]


def seconds(doubling: list[Callable]) -> tuple[list[float], int]:
    """Return the least of some times of each call, taken in turns, and the new pages of the last.

    In turns, so that a neighbour who is busy for a while does not slow down one size alone.
    """
    times: list[list[float]] = [[] for _ in doubling]
    pages = 0
    for _ in range(ROUNDS):
        for call, taken in zip(doubling, times, strict=True):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            started = time.process_time()
            call()
            taken.append(time.process_time() - started)
            pages = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return [min(taken) for taken in times], pages


def show(name: str, what: str, doubling: list[Callable], megabytes: float) -> None:
    """Print a line: the times of doubled sizes, the greatest factor, speed and pages at the end."""
    times, pages = seconds(doubling)
    factor = max(b / a for a, b in itertools.pairwise(times))
    shown = " ".join(f"{taken:7.4f}" for taken in times)
    speed = megabytes / times[-1]
    end = f"x{factor:4.2f}  {speed:6.1f} MB/s  {pages:6} pages"
    print(f"{name:14} {what:10} {shown} s  {end}", flush=True)


def instructions(arguments: argparse.Namespace, name: str) -> None:
    """Print the instructions of each text, counted by valgrind in one other process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [
            *("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"),
            *(f"--toggle-collect={ENTRY}", f"--dump-after={ENTRY}", sys.executable, __file__),
            *(str(arguments.data), "--tokenizers", name, "--once"),
            *("--megabytes", str(arguments.megabytes)),
        ]
        subprocess.run(command, check=True, capture_output=True)
        dumps = sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        found = [re.search(r"^summary: (\d+)", dump.read_text(), re.MULTILINE) for dump in dumps]
        # The first dump is that of the first call, the last one that of the end of the process.
        counts = [int(match[1]) for match in found if match][1:]
    for index, what in enumerate(TEXTS):
        row = counts[index * STEPS : (index + 1) * STEPS]
        factor = max(b / a for a, b in itertools.pairwise(row))
        shown = " ".join(f"{count / 1e6:8.2f}" for count in row)
        print(f"{name:14} {what:10} {shown} million instructions  x{factor:4.2f}", flush=True)


def load(path: Path) -> mm.Tokenizer:
    """Return the tokenizer of a compressed file."""
    data = lzma.decompress(path.read_bytes())
    if path.name.endswith(".json.xz"):
        return mm.Tokenizer.from_buffer(data)
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "vocabulary.txt"
        unpacked.write_bytes(data)
        return mm.Tokenizer.from_rwkv(unpacked)


def tokenizers(data: Path, wanted: set[str]) -> Iterator[tuple[str, mm.Tokenizer]]:
    """Yield the tokenizers of the folder and the small models, by name."""
    for path in sorted((data / "tokenizers").glob("*.xz")):
        name = path.name.split(".")[0]
        if wanted and name not in wanted:
            continue
        try:
            yield name, load(path)
        except mm.UnsupportedTokenizerError as error:
            print(f"{name:12} refused: {error}")
    for name, tok in small_models().items():
        if not wanted or name in wanted:
            yield name, tok


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with tokenizers/")
    parser.add_argument("--tokenizers", default="", help="names, with commas; all by default")
    parser.add_argument("--megabytes", type=float, default=8.0, help="longest text")
    parser.add_argument("--instructions", action="store_true", help="count, do not time")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    wanted = set(filter(None, arguments.tokenizers.split(",")))
    for name, tok in tokenizers(arguments.data, wanted):
        if arguments.instructions:
            instructions(arguments, name)
            continue
        tok.encode_ids("What is built by the first call is not counted.")
        for what, megabytes, doubling in calls(tok, arguments.megabytes):
            if arguments.once:
                for call in doubling:
                    call()
            else:
                show(name, what, doubling, megabytes)
        if not arguments.once:
            show(name, "100k words", word_calls(tok), 0.4)


if __name__ == "__main__":
    main()
