"""Ours and the rivals on many tokenizers and texts: the matrix of `maxmunch bench`.

    python benchmarks/peers.py [DATA] [--tokenizers gpt2,llama3] [--texts english,code]
        [--measures first,steady,document,batch,parallel] [--engines maxmunch,gigatoken]
        [--rounds 5] [--cache KEPT.json] [--record FILE.md]

The data folder has `tokenizers/NAME.json.xz` and `corpora/NAME.txt.xz`. Without one, a vocabulary
is trained on the spot and the text is this Python's own sources. How a cell is measured is told in
`maxmunch.bench`.
"""

from __future__ import annotations

import argparse
import lzma
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import maxmunch as mm
from maxmunch.bench import MEASURES, Bench
from maxmunch.bench.matrix import dated, loads, summary
from maxmunch.tour.corpus import gather_sources

if TYPE_CHECKING:
    from maxmunch.bench import Row

TOKENIZERS = (
    "gpt2,llama3,qwen3,gptoss,deepseek,tekken,llama2,mistral-v1,phi3,gemma3,bert-uncased,"
    "roberta-layout,xlm-roberta,falcon,rwkv"
)
TEXTS = "english,code,chinese,russian,hindi,japanese,json,email"


def unpacked(folder: Path, into: Path, name: str) -> Path:
    """Return the unpacked copy of a file of the data folder, whatever it ends in."""
    packed = next(folder.glob(f"{name}.*.xz"))
    path = into / packed.stem
    if not path.exists():
        path.write_bytes(lzma.decompress(packed.read_bytes()))
    return path


def made_here(into: Path) -> list[tuple[Path, Path]]:
    """Train a tokenizer on this Python's own sources; return it with them."""
    sources = "\n".join(gather_sources(25_000_000).texts)
    tokenizer, text = into / "trained.json", into / "sources.txt"
    text.write_text(sources, encoding="utf-8")
    counts = mm.count_pretokens([sources[:5_000_000]], progress=False)
    tokenizer.write_text(mm.train(counts, 4096, progress=False).to_json(), encoding="utf-8")
    return [(tokenizer, text)]


def line(cells: list[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def table(
    bench: Bench, measure: str, files: list[tuple[Path, Path]], lines: list[str]
) -> list[Row]:
    """Measure all rows of one table; print each as it comes, and add it to `lines`."""

    def say(text: str) -> None:
        lines.append(text)
        print(text, flush=True)

    most = bench.megabytes or MEASURES[measure].megabytes
    clock = "wall" if MEASURES[measure].several else "processor"
    say(f"\n## {MEASURES[measure].title}\n")
    say(f"Up to {most:g} MB; per second of {clock} time.\n")
    say(line(["tokenizer", "text", *bench.engines, "ours / best exact rival"]))
    say("| --- | --- |" + " --- |" * (len(bench.engines) + 1))
    rows = []
    for tokenizer, text in files:
        row = bench.row(tokenizer, text, measure)
        if row is not None:
            rows.append(row)
            say(line(row.columns()))
    say(f"\n{summary(rows)}")
    return rows


def main() -> None:
    """Measure the matrix, print it and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", help="folder with tokenizers/ and corpora/")
    parser.add_argument("--tokenizers", default=TOKENIZERS)
    parser.add_argument("--texts", default=TEXTS)
    parser.add_argument("--measures", default="first")
    parser.add_argument("--engines")
    parser.add_argument("--megabytes", type=float)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", type=Path, help="file that keeps the reference's ids, hashed")
    parser.add_argument("--record", type=Path, help="write the tables there as well")
    options = parser.parse_args()
    bench = Bench(
        engines=options.engines.split(",") if options.engines else (),
        rounds=options.rounds,
        threads=options.threads,
        megabytes=options.megabytes,
        kept=options.cache,
    )
    lines = [
        f"# Ours and the rivals, {dated()}",
        "",
        bench.about(),
        f"{bench.rounds} rounds in turns, each cell a new process; MB of UTF-8 a second, median "
        "(range); ✗: ids are not those of the reference, ?: the reference was not asked; such a "
        "speed does not count.",
    ]
    print("\n".join(lines))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder)
        if options.data is None:
            files = made_here(into)
        else:
            files = [
                (
                    unpacked(options.data / "tokenizers", into, tokenizer),
                    unpacked(options.data / "corpora", into, text),
                )
                for tokenizer in options.tokenizers.split(",")
                for text in options.texts.split(",")
            ]
        for measure in options.measures.split(","):
            rows += table(bench, measure, files, lines)
    lines += ["", "## Load: processor seconds, growth of the process", ""]
    lines += [line(["tokenizer", *bench.engines]), "| --- |" + " --- |" * len(bench.engines)]
    lines += map(line, loads(rows))
    print("\n".join(lines[-len(loads(rows)) - 4 :]))
    if options.record:
        options.record.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
