"""Profiles of Hypothesis and the places where real vocabularies and texts may be found."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile(
    "ci", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

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
