"""Cases from public bug reports, frozen: the right value in each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from field_calls import CALLS, apply

import maxmunch as mm

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "field_cases.json"
APART = Path(__file__).with_name("field_calls_apart.py")
DOCUMENT = json.loads(VECTORS.read_text())


def prepared(case: dict[str, Any]) -> mm.Tokenizer | None:
    """Return the tokenizer of a case after its setup; None where the call loads one."""
    spec = case.get("tokenizer")
    spec = DOCUMENT["tokenizers"][spec] if isinstance(spec, str) else spec
    if spec is None:
        return None
    tok = mm.Tokenizer.from_str(json.dumps(spec))
    apply(tok, case.get("setup", []))
    return tok


def called(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the call of a case gives, or how it is refused: only ever by an error."""
    try:
        return {"clean": True, **CALLS[case["call"]](prepared(case), case["input"])}
    except mm.InternalError:
        raise
    except (mm.MaxmunchError, ValueError) as error:
        return {"clean": True, "raises": type(error).__name__, "message": str(error)}


def holds(rule: str, value: Any, found: Any) -> bool:
    """Return whether what was found keeps a rule of the cases."""
    if rule == "$has":
        return isinstance(found, str) and value.lower() in found.lower()
    if rule == "$not":
        return bool(value != found)
    if rule == "$le":
        return bool(found <= value)
    return rule == "$any" and found in value


def part_of(expected: Any, found: Any) -> Any:
    """Return `found` without what `expected` does not name; a rule that is kept in place of it."""
    if isinstance(expected, dict) and any(name.startswith("$") for name in expected):
        return expected if all(holds(*rule, found) for rule in expected.items()) else found
    if isinstance(expected, dict):
        return {name: part_of(value, found.get(name)) for name, value in expected.items()}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [part_of(one, other) for one, other in zip(expected, found, strict=True)]
    return found


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["id"])
def test_a_field_case_gives_the_right_value(case: dict[str, Any]) -> None:
    assert case["expected"] == part_of(case["expected"], called(case)), case["source"]


@pytest.mark.parametrize("case", DOCUMENT["apart"], ids=lambda case: case["id"])
def test_a_field_case_gives_the_right_value_in_a_process_of_its_own(case: dict[str, Any]) -> None:
    if (case["call"] == "fork" and not hasattr(os, "fork")) or (
        case["call"] == "memory" and not Path("/proc/self/statm").exists()
    ):
        pytest.skip("the system does not have it")
    whole = {**case, "tokenizer": DOCUMENT["tokenizers"][case["tokenizer"]]}

    done = subprocess.run(
        [sys.executable, str(APART)],
        input=json.dumps(whole),
        capture_output=True,
        text=True,
        timeout=case["timeout_s"],
        check=False,
    )

    assert 0 == done.returncode, done.stderr
    assert case["expected"] == part_of(case["expected"], json.loads(done.stdout)), case["source"]
