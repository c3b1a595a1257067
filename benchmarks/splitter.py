"""What the splitter gives: a tokenizer with its exact cuts and without, in turns, ids compared.

    python benchmarks/splitter.py ../shared/data [--tokenizers gemma3,llama2]
        [--texts english,chinese] [--megabytes 2] [--rounds 5]

Without: a token that no merge makes shares the id of another one, which is a reason not to cut and
changes no id. Long pieces are still merged in blocks that are proven to meet. For each cell it
prints MB of UTF-8 per second of processor time, median of the rounds, at first sight of documents
of 10 kB; each round has a new tokenizer that has encoded one short text.
"""

from __future__ import annotations

import argparse
import json
import lzma
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import maxmunch as mm
from maxmunch.bench.measures import documents

SHORT = "Hello, world 漢字"
NEVER = "\u0378\u0379"
"""Two code points that no vocabulary has, as none is assigned."""


def without_cuts(document: dict[str, Any]) -> dict[str, Any]:
    """Return the tokenizer.json with a reason not to cut."""
    model = document["model"]
    vocab = model["vocab"] | {NEVER: max(model["vocab"].values())}
    return document | {"model": model | {"vocab": vocab}}


def measured(file: str, texts: list[str]) -> tuple[float, bytes]:
    """Return the seconds that a new tokenizer takes for texts, and their ids."""
    tokenizer = mm.Tokenizer.from_str(file)
    tokenizer.encode_ids(SHORT)
    start = time.process_time()
    ids = [tokenizer.encode_ids(text, add_special_tokens=False) for text in texts]
    seconds = time.process_time() - start
    return seconds, np.concatenate(ids).tobytes()


def row(name: str, text: str, files: list[str], texts: list[str], rounds: int) -> str:
    """Measure one cell; return its line of the table."""
    size = sum(len(text.encode()) for text in texts)
    speeds: list[list[float]] = [[] for _ in files]
    seen = set()
    for _ in range(rounds):
        for speed, file in zip(speeds, files, strict=True):
            seconds, ids = measured(file, texts)
            speed.append(size / seconds / 1e6)
            seen.add(ids)
    cut, whole = map(statistics.median, speeds)
    same = "yes" if len(seen) == 1 else "NO"
    return f"| {name} | {text} | {cut:.1f} | {whole:.1f} | {cut / whole:.2f} | {same} |"


def main() -> None:
    """Measure all cells and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with tokenizers/ and corpora/")
    parser.add_argument("--tokenizers", default="gemma3,llama2,mistral-v1,phi3")
    parser.add_argument("--texts", default="english,chinese,code,russian")
    parser.add_argument("--megabytes", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| tokenizer | text | with cuts, MB/s | without | ratio | same ids |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tokenizers.split(","):
            packed = options.data / "tokenizers" / f"{name}.json.xz"
            document = json.loads(lzma.decompress(packed.read_bytes()))
            files = [json.dumps(document), json.dumps(without_cuts(document))]
            for text in options.texts.split(","):
                corpus = Path(folder) / text
                if not corpus.exists():
                    packed = options.data / "corpora" / f"{text}.txt.xz"
                    corpus.write_bytes(lzma.decompress(packed.read_bytes()))
                texts = documents(corpus, int(options.megabytes * 1e6))
                print(row(name, text, files, texts, options.rounds), flush=True)


if __name__ == "__main__":
    main()
