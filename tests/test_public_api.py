"""The public surface is a sorted list, and importing it loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import maxmunch as mm


def test_every_public_name_exists_and_the_list_is_sorted() -> None:
    assert sorted(mm.__all__) == mm.__all__
    assert [] == [name for name in mm.__all__ if not hasattr(mm, name)]


def test_importing_maxmunch_loads_no_heavy_library() -> None:
    heavy = ["numpy", "tokenizers", "rich", "pyarrow", "highspy", "matplotlib", "jinja2"]
    code = f"import maxmunch, sys; print([name for name in {heavy} if name in sys.modules])"

    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)

    assert b"[]" == printed.stdout.strip()
