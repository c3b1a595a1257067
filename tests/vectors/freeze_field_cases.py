"""Freezes the public field cases with the right values.

    python tests/vectors/freeze_field_cases.py FIELD_CASES.json

`cases` are those that one call on a tokenizer decides, `apart` those that need a process of their
own: for time, memory, threads, forks, or NumPy's absence.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CALLS = {
    "clone",
    "configure",
    "decode",
    "encode",
    "encode_batch",
    "encode_hash",
    "encode_pair",
    "load",
    "normalize",
    "round_trip",
    "save_load",
    "stream",
    "stream_encode",
    "vocab",
}
KEPT = ("id", "source", "tokenizer", "setup", "call", "input", "expected", "timeout_s")
SETUPS = {"add_tokens", "add_special_tokens", "enable_truncation", "enable_padding", "set"}
APART = {"fork", "memory", "one_cpu", "scaling", "threads", "timed", "words_no_numpy"}
SETTLED: dict[str, Any] = {
    # The class of an error is ours: one about a value is a ValueError.
    "fi-merge-unknown": {"clean": True, "raises": "InvalidTokenizerError"},
    # Ids of added tokens go by their order in the file, as in the reference.
    "fi-added-id-hole": {"loaded": True, "ids": [0, 8]},
}
"""Cases whose value contradicts other facts: what is right there, see docs/differences.md."""


def is_plain(case: dict[str, Any]) -> bool:
    """Return whether the case is one call with plain values."""
    return (
        case["call"] in CALLS
        and "isolate" not in case
        and all(step[0] in SETUPS for step in case.get("setup", ()))
        and len(json.dumps([case["expected"], case["input"]])) < 4000
    )


def is_apart(case: dict[str, Any]) -> bool:
    """Return whether the case needs a process of its own."""
    return "isolate" in case and case["call"] in APART | CALLS


def frozen(case: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a case."""
    kept = {name: case[name] for name in KEPT if name in case}
    # Where the stream of the reference is wrong, ours is right.
    is_own = case["call"] == "stream" and case["verdict"] == "reference_wrong"
    kept["expected"] = SETTLED.get(case["id"], case["expected"])
    return kept | ({"call": "own_stream"} if is_own else {})


def main() -> None:
    """Write field_cases.json beside this file."""
    document = json.loads(Path(sys.argv[1]).read_text())
    cases = [frozen(case) for case in document["cases"] if is_plain(case)]
    apart = [frozen(case) for case in document["cases"] if is_apart(case)]
    named = {case["tokenizer"] for case in cases + apart if isinstance(case.get("tokenizer"), str)}
    written = {
        "provenance": "field_cases.json, whose inputs and tokenizers were made for it; the values "
        "are those that are right, checked against tokenizers 0.23.3 where it is",
        "tokenizers": {name: document["tokenizers"][name] for name in sorted(named)},
        "cases": cases,
        "apart": apart,
    }
    text = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
    (HERE / "field_cases.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
