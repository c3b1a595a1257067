"""Ours and its rivals: fresh processes in turns, ids compared in the same run.

    python benchmarks/peers.py ../shared/data [--tokenizers gpt2,llama3] [--texts english,code]
        [--engines maxmunch,gigatoken] [--megabytes 2] [--rounds 5] [--record FILE.md]

Every cell is a new process: it loads the tokenizer, then encodes documents of about 10 kB at even
strides over the text, each once, one call a document: the speed at first sight. Given are medians
and ranges of MB of UTF-8 a second of CPU time (processes share the machine; wall time would measure
the neighbours). The ids of all documents are hashed; where an engine's hash is not that of
`tokenizers`, its speed does not count. Engines that cannot load a file show a dash.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import lzma
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Cells: TypeAlias = dict[str, list[dict[str, Any]]]
    """The figures of each engine, round by round."""

DOCUMENT_BYTES = 10_000
REFERENCE = "tokenizers"
OURS = "maxmunch"
ENGINES = (OURS, "gigatoken", "fastokens", "tokie", "kitoken", REFERENCE)
TOKENIZERS = "gpt2,llama3,qwen3,gptoss,deepseek,llama2,gemma3,bert-uncased,xlm-roberta"
TEXTS = "english,code,chinese,russian"


def documents(data: bytes, limit: int) -> list[str]:
    """Return documents at even strides, together about `limit` bytes, none twice."""
    stride = max(DOCUMENT_BYTES, len(data) // max(1, limit // DOCUMENT_BYTES))
    starts = range(0, max(1, len(data) - DOCUMENT_BYTES), stride)
    cut = [data[start : start + DOCUMENT_BYTES].decode(errors="ignore") for start in starts]
    return cut[: max(1, limit // DOCUMENT_BYTES)]


def load(engine: str, path: str) -> Callable[[str], Any]:
    """Return a function from text to ids, without special tokens."""
    if engine == OURS:
        import maxmunch

        ours = maxmunch.Tokenizer.from_file(path)
        return lambda text: ours.encode_ids(text, add_special_tokens=False)
    if engine == "gigatoken":
        import gigatoken

        return gigatoken.Tokenizer(path).encode
    if engine == "fastokens":
        import fastokens

        return fastokens.Tokenizer.from_file(path).encode
    if engine == "tokie":
        import tokie

        theirs = tokie.Tokenizer.from_json(path)
        return lambda text: theirs.encode(text, add_special_tokens=False)
    if engine == "kitoken":
        import kitoken

        known = kitoken.Kitoken.from_tokenizers_file(path)
        return lambda text: known.encode(text, True)
    import tokenizers

    reference = tokenizers.Tokenizer.from_file(path)
    return lambda text: reference.encode(text, add_special_tokens=False).ids


def measure(engine: str, tokenizer: str, text: str, limit: int) -> dict[str, Any]:
    """Return the figures of one cell, in this process."""
    import numpy as np

    np.zeros(1)  # imported before the clock starts, for whoever returns arrays
    texts = documents(Path(text).read_bytes(), limit)
    size = sum(len(document.encode()) for document in texts)
    start = time.process_time()
    encode = load(engine, tokenizer)
    loaded = time.process_time()
    results = [encode(document) for document in texts]
    end = time.process_time()
    seen = hashlib.sha256()
    for result in results:
        seen.update(array("I", list(getattr(result, "ids", result))).tobytes())
    return {
        "load": loaded - start,
        "rate": size / 1e6 / (end - loaded),
        "ids": seen.hexdigest()[:16],
    }


def run(engine: str, tokenizer: Path, text: Path, limit: int) -> dict[str, Any] | None:
    """Return the figures of one cell, in a new process; None where the engine fails."""
    command = [sys.executable, __file__, "--cell", engine, str(tokenizer), str(text), str(limit)]
    environment = os.environ | {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, env=environment, check=False
        )
        return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, json.JSONDecodeError, IndexError):
        return None


def row(name: str, text: str, cells: Cells) -> tuple[str, float | None]:
    """Return a line of the table, and our speed over that of the best exact rival."""
    expected = cells[REFERENCE][0]["ids"] if cells.get(REFERENCE) else None
    columns, exact = [], {}
    for engine, found in cells.items():
        if not found:
            columns.append("-")
            continue
        rates = [cell["rate"] for cell in found]
        middle = statistics.median(rates)
        same = {cell["ids"] for cell in found} == {expected}
        if same:
            exact[engine] = middle
        mark = "" if same else " ✗"
        columns.append(f"{middle:.1f} ({min(rates):.1f}-{max(rates):.1f}){mark}")
    rivals = [rate for engine, rate in exact.items() if engine != OURS]
    ratio = exact[OURS] / max(rivals) if OURS in exact and rivals else None
    shown = "-" if ratio is None else f"{ratio:.2f}"
    return f"| {name} | {text} | {' | '.join(columns)} | {shown} |", ratio


def header(engines: list[str], options: argparse.Namespace) -> list[str]:
    """Return what stands above the table."""

    def version(engine: str) -> str:
        try:
            return f"{engine} {importlib.metadata.version(engine)}"
        except importlib.metadata.PackageNotFoundError:
            return f"{engine} (not installed)"

    versions = ", ".join(map(version, engines))
    return [
        f"# First sight, {time.strftime('%Y-%m-%d')}",
        "",
        f"{versions}; Python {platform.python_version()}, {platform.machine()}.",
        f"{options.megabytes} MB of distinct 10 kB documents a cell, {options.rounds} rounds in "
        f"turns, load average {os.getloadavg()[0]:.1f} at the start.",
        "MB of UTF-8 per second of CPU time: median (range); ✗: ids are not those of `tokenizers`.",
        "",
        f"| tokenizer | text | {' | '.join(engines)} | ours / best exact rival |",
        "| --- | --- |" + " --- |" * (len(engines) + 1),
    ]


def rounds(engines: list[str], files: tuple[Path, Path], options: argparse.Namespace) -> Cells:
    """Return the figures of each engine, round by round."""
    cells: Cells = {engine: [] for engine in engines}
    for turn in range(options.rounds):
        for engine in engines:
            # The reference gives the ids; its speed needs no second look.
            if turn == 0 or (cells[engine] and engine != REFERENCE):
                cell = run(engine, *files, int(options.megabytes * 1e6))
                cells[engine] += [cell] if cell else []
    return cells


def unpacked(data: Path, folder: Path, name: str) -> Path:
    """Return the unpacked copy of a file of the data folder."""
    path = folder / Path(name).name
    if not path.exists():
        path.write_bytes(lzma.decompress((data / f"{name}.xz").read_bytes()))
    return path


def matrix(options: argparse.Namespace) -> list[str]:
    """Print and return the table, row by row."""
    engines = options.engines.split(",")
    lines, ratios = header(engines, options), []
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tokenizers.split(","):
            for text in options.texts.split(","):
                names = (f"tokenizers/{name}.json", f"corpora/{text}.txt")
                files = [unpacked(options.data, Path(folder), file) for file in names]
                line, ratio = row(name, text, rounds(engines, (files[0], files[1]), options))
                ratios += [] if ratio is None else [ratio]
                lines.append(line)
                print(line, flush=True)
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        lines += ["", f"Geometric mean of the ratios: {mean:.2f}; least {min(ratios):.2f}."]
        print(lines[-1])
    return lines


def main() -> None:
    """Run one cell, or the whole matrix."""
    if sys.argv[1:2] == ["--cell"]:
        engine, tokenizer, text, limit = sys.argv[2:]
        print(json.dumps(measure(engine, tokenizer, text, int(limit))))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with tokenizers/ and corpora/")
    parser.add_argument("--tokenizers", default=TOKENIZERS)
    parser.add_argument("--texts", default=TEXTS)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--megabytes", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", type=Path, help="write the table there as well")
    options = parser.parse_args()
    lines = matrix(options)
    if options.record:
        options.record.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
