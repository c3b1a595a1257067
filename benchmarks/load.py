"""How long a tokenizer.json takes to load, in fresh processes, ours and the reference in turns.

For each tokenizer it prints the processor seconds of loading alone: median and range of both, and
the ratio of the medians.

    python benchmarks/load.py ../shared/data [--tokenizers llama3,gemma3] [--rounds 7]
"""

from __future__ import annotations

import argparse
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

PROGRAM = """
import sys, time
import {module} as module
started = time.process_time()
module.Tokenizer.from_file(sys.argv[1])
print(time.process_time() - started)
"""


def seconds(module: str, file: Path) -> float:
    """Return the processor time of loading `file` in a process of its own."""
    command = [sys.executable, "-c", PROGRAM.format(module=module), str(file)]
    environment = os.environ | {"RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return float(done.stdout)


def shown(times: list[float]) -> str:
    """Return the median and the range of some times."""
    return f"{median(times):6.3f} ({min(times):.3f} to {max(times):.3f})"


def main() -> None:
    """Time each tokenizer and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tokenizers", default="llama3,gemma3,gptoss,gpt2,xlm-roberta")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tokenizers.split(","):
            packed = options.data / "tokenizers" / f"{name}.json.xz"
            file = Path(folder) / f"{name}.json"
            file.write_bytes(lzma.decompress(packed.read_bytes()))
            times: dict[str, list[float]] = {"maxmunch": [], "tokenizers": []}
            for _ in range(options.rounds):
                for module, found in times.items():
                    found.append(seconds(module, file))
            ours, theirs = times.values()
            ratio = median(ours) / median(theirs)
            print(f"{name:14} {shown(ours)}  {shown(theirs)}  {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
