"""Fixtures of the train flow: real text that every machine has, its counts, a vocabulary."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import maxmunch as mm


@pytest.fixture(scope="session")
def prose() -> str:
    """Real text that every machine has: sources of the running Python."""
    library = Path(random.__file__).parent
    names = ["argparse.py", "ast.py", "datetime.py", "inspect.py", "random.py", "typing.py"]
    return "\n".join((library / name).read_text() for name in names if (library / name).exists())


@pytest.fixture(scope="session")
def counts(prose: str) -> mm.PretokenCounts:
    return mm.count_pretokens([prose], progress=False)


@pytest.fixture(scope="session")
def trained(counts: mm.PretokenCounts) -> mm.TrainingResult:
    return mm.train(counts, 1000, special_tokens=["<|end|>", "<|user|>"], threads=2, progress=False)
