"""Cases from public bug reports: the right value in each, where the cases are on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support import SHARED

if TYPE_CHECKING:
    from pathlib import Path

# What is expected there contradicts the interface, or other frozen facts: see docs/differences.md.
CONTRADICTIONS = {
    # asks for an exception whose class is named Exception; ours is InvalidTokenizerError
    "fi-merge-unknown": "FAIL",
    # asks for the id of the file, which the loading documents say is ignored
    "fi-added-id-hole": "compat",
}


def test_every_case_gives_the_right_value(tmp_path: Path) -> None:
    cases = SHARED / "cases"
    if not (cases / "run_cases.py").exists():
        pytest.skip("the field cases are not on this machine")
    found = tmp_path / "found.json"
    run = [sys.executable, str(cases / "run_cases.py"), str(cases / "field_cases.json")]
    run += ["--module", "maxmunch", "--adapter", str(cases / "maxmunch_adapter.py")]

    subprocess.run([*run, "--json", str(found)], capture_output=True, check=False)

    rows = json.loads(found.read_text())
    others = {row["id"]: row["outcome"] for row in rows if row["outcome"] != "pass"}
    assert len(rows) > 150
    assert CONTRADICTIONS == {name: how for name, how in others.items() if how != "skip"}
