"""Where tests find frozen answers, and real vocabularies and texts on machines that have them."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests" / "vectors"
SHARED = ROOT.parent / "shared"


def shared_bytes(relative: str) -> bytes:
    """The unpacked bytes of a file of the shared data folder; skips where the folder is absent."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"{relative} is not on this machine: it is never committed")
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data
