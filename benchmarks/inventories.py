"""Inventories of real vocabularies: what is certified, how densely it anchors text, what it costs.

    python benchmarks/inventories.py DATA_DIRECTORY [--megabytes 1] [--html DIRECTORY]

DATA_DIRECTORY holds `tokenizers/` (tokenizer.json or RWKV's .txt, as .xz) and
`corpora/english.txt.xz`. Every vocabulary is worked on in a process of its own, so that peak
memory is its own; times are processor seconds of one run. Anchors are those of the text as the
vocabulary's normalizer leaves it; where a pre-tokenizer takes out bytes that no token holds, a scan
of the whole text gets stuck, and there are none to count. A vocabulary that is refused is shown
with the reason. The table is printed as Markdown.
"""

from __future__ import annotations

import argparse
import json
import lzma
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WIDTH = 4


def loaded(path: Path) -> Any:
    """The tokenizer of a compressed file."""
    import maxmunch as mm

    text = lzma.decompress(path.read_bytes())
    if path.name.endswith(".txt.xz"):
        with tempfile.NamedTemporaryFile(suffix=".txt") as plain:
            plain.write(text)
            plain.flush()
            return mm.Tokenizer.from_rwkv(Path(plain.name))
    return mm.Tokenizer.from_buffer(text)


def measure(path: Path, text: Path, megabytes: float, html: Path | None) -> dict[str, Any]:
    """What one vocabulary gives; run in a process of its own."""
    import maxmunch as mm

    name = path.name.split(".")[0]
    try:
        tokenizer = loaded(path)
        tokens = tokenizer.vocabulary.token_set()
    except mm.MaxmunchError as error:
        return {"name": name, "refused": str(error)}
    loading = peak()
    started = time.process_time()
    inventory = tokens.inventory(WIDTH)
    counts = inventory.counts
    seconds = time.process_time() - started
    with lzma.open(text) as stream:
        sample = stream.read(int(megabytes * 1e6)).decode(errors="ignore")
    if tokenizer.normalizer is not None:
        sample = tokenizer.normalizer.normalize_str(sample)
    started = time.process_time()
    try:
        rates = list(mm.supply(tokens, sample).anchors_per_kib.values())
        boundaries = f"{mm.supply(tokens, sample).boundaries_per_kib:.1f}"
    except mm.UntokenizableError as error:
        rates, boundaries = [], f"stuck at byte {error.position}"
    supplied = time.process_time() - started
    if html is not None:
        from maxmunch.cli.pages import inventory_page, write_page

        write_page(html / f"{name}.html", inventory_page(name, inventory))
    return {
        "name": name,
        "tokens": len(tokens.words),
        "certified": [counts[width].certified for width in counts],
        "vacuous": [counts[width].vacuous for width in counts],
        "rates": rates,
        "boundaries": boundaries,
        "seconds": seconds,
        "supply_seconds": supplied,
        "loading_mib": loading,
        "peak_mib": peak(),
    }


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(rows: list[dict[str, Any]]) -> str:
    widths = [str(width) for width in range(1, WIDTH + 1)]
    head = ["vocabulary", "tokens"]
    head += [f"certified, width {width}" for width in widths]
    head += [f"vacuous, width {width}" for width in widths]
    head += [f"anchors/KiB to {width}" for width in widths]
    head += ["boundaries/KiB", "inventory s", "peak MiB"]
    lines = [" | ".join(head), " | ".join(["---"] * len(head))]
    for row in rows:
        if "refused" in row:
            lines.append(f"{row['name']} | refused: {row['refused']}" + " |" * (len(head) - 2))
            continue
        cells = [row["name"], f"{row['tokens']:,}"]
        cells += [f"{n:,}" for n in row["certified"] + row["vacuous"]]
        cells += [f"{rate:.1f}" for rate in row["rates"]] or ["none"] * WIDTH
        cells += [row["boundaries"], f"{row['seconds']:.2f}", f"{row['peak_mib']:.0f}"]
        lines.append(" | ".join(cells))
    return "\n".join(f"| {line} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--html", type=Path)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    text = options.data / "corpora" / "english.txt.xz"
    if options.one is not None:
        print(json.dumps(measure(options.one, text, options.megabytes, options.html)))
        return
    rows = []
    for path in sorted((options.data / "tokenizers").glob("*.xz")):
        command = [sys.executable, __file__, str(options.data), "--one", str(path)]
        command += ["--megabytes", str(options.megabytes)]
        command += [] if options.html is None else ["--html", str(options.html)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(json.loads(done.stdout))
        print(f"{rows[-1]['name']}: done", file=sys.stderr)
    print(table(rows))


if __name__ == "__main__":
    main()
