"""Freezes the public field cases that one call on a tokenizer decides, with the right values.

    python tests/vectors/freeze_field_cases.py FIELD_CASES.json

Left out are cases that need a process of their own, time, memory, files, training or NumPy's
absence: `tests/encode/test_field_cases.py` runs those where the cases are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CALLS = {"encode", "encode_pair", "decode", "normalize", "stream_encode", "encode_batch"}
KEPT = ("id", "source", "tokenizer", "setup", "call", "input", "expected")
SETUPS = {"add_tokens", "add_special_tokens", "enable_truncation", "enable_padding"}


def is_plain(case: dict[str, Any]) -> bool:
    """Return whether the case is one call with plain values."""
    matchers = ('"$', '"lookups"', '"n":', '"offsets_in_range"', '"round_trip"', '"decoded"')
    asked = json.dumps([case["expected"], case["input"]])
    return (
        case["call"] in CALLS
        and "isolate" not in case
        and "error" not in case["expected"]
        and not any(matcher in asked for matcher in matchers)
        and all(step[0] in SETUPS for step in case.get("setup", ()))
        and len(asked) < 4000
    )


def main() -> None:
    """Write field_cases.json beside this file."""
    document = json.loads(Path(sys.argv[1]).read_text())
    cases = [
        {name: case[name] for name in KEPT if name in case}
        for case in document["cases"]
        if is_plain(case)
    ]
    named = {case["tokenizer"] for case in cases if isinstance(case["tokenizer"], str)}
    frozen = {
        "provenance": "field_cases.json, whose inputs and tokenizers were made for it; the values "
        "are those that are right, checked against tokenizers 0.23.3 where it is",
        "tokenizers": {name: document["tokenizers"][name] for name in sorted(named)},
        "cases": cases,
    }
    text = json.dumps(frozen, ensure_ascii=False, separators=(",", ":"))
    (HERE / "field_cases.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
