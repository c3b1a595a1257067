"""Run the Python test-suite of `tokenizers` on maxmunch, under its name.

The suite is not part of this repository: it is in the source distribution of `tokenizers`, in
`bindings/python/tests`. Every module of `tokenizers` that it imports is ours; what we delegate
(training, ready-made pipelines) still finds the package itself. Tests that need the network are
left out unless `--network` asks for them.

    python benchmarks/reference_suite.py path/to/bindings/python/tests [arguments of pytest]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

import pytest

NAME = "tokenizers"
PARTS = (
    "decoders",
    "implementations",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "tools",
    "trainers",
)


def put_in_place() -> None:
    """Make `import tokenizers`, and of its modules, give maxmunch."""
    ours = importlib.import_module("maxmunch")
    sys.modules[NAME] = ours
    # The compiled module of the package, where a few tests import from.
    sys.modules[f"{NAME}.{NAME}"] = ours
    for part in PARTS:
        module = importlib.import_module(f"maxmunch.{part}")
        sys.modules[f"{NAME}.{part}"] = module
        sys.modules[f"{NAME}.{NAME}.{part}"] = module


def main() -> int:
    """Run the suite; the exit code is that of pytest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("suite", type=Path, help="the folder bindings/python/tests")
    parser.add_argument("--network", action="store_true", help="run tests that need the network")
    known, rest = parser.parse_known_args()
    put_in_place()
    root = known.suite.resolve().parent
    sys.path.insert(0, str(root))
    chosen = [] if known.network else ["-m", "not network"]
    options = ["-p", "no:cacheprovider", "--rootdir", str(root), "-c", "/dev/null", "-q"]
    options += ["-W", "ignore::pytest.PytestUnknownMarkWarning"]
    # One page of its documentation needs a library of data sets.
    if not known.network and importlib.util.find_spec("datasets") is None:
        options.append(f"--ignore-glob={root}/*/documentation/test_tutorial*")
    arguments = [str(known.suite.resolve()), *options, *chosen, *rest]
    with tempfile.TemporaryDirectory() as scratch:
        # The suite leaves files in the working directory.
        os.chdir(scratch)
        return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
