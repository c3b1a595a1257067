"""Freezes the answers of `tokenizers` about added tokens, which the suite replays without it.

Reads the oracle files of the shared data folder; writes `added_tokens.json` beside this script.
Columns that hold nothing but their default are left out.

    python tests/vectors/freeze_added_tokens.py ../shared/oracles/added_tokens
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SUITES = (
    "matching_core",
    "bytelevel_bpe",
    "llama_bpe",
    "unigram_metaspace",
    "wordpiece",
    "input_shapes",
)
DEFAULTS = {"type_ids": 0, "attention_mask": 1, "special_tokens_mask": 0, "sequence_ids": 0}
OPTIONS = ("is_pretokenized", "add_special_tokens", "encode_special_tokens")


def compact(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case without what the defaults say."""
    kept = {name: case[name] for name in ("tokenizer", "input", "pair") if name in case}
    kept |= {name: 1 for name in OPTIONS if case[name]}
    if "error" in case:
        return kept | {"error": case["error"]}
    for name in (
        "ids",
        "tokens",
        "offsets",
        "word_ids",
        *DEFAULTS,
        "decoded",
        "decoded_skip_special",
    ):
        plain = name in DEFAULTS and set(case[name]) <= {DEFAULTS[name]}
        if not plain:
            kept[name] = case[name]
    return kept


def main() -> None:
    """Write the file."""
    folder = Path(sys.argv[1])
    suites = {name: json.loads((folder / f"{name}.json").read_text()) for name in SUITES}
    loading = json.loads((folder / "loading.json").read_text())
    document = {
        "source": "added-token oracles: answers of the reference on stored tokenizers and texts",
        "reference": loading["reference"],
        "script": "tests/vectors/freeze_added_tokens.py",
        "suites": {
            name: {
                "tokenizers": {key: t["json"] for key, t in suite["tokenizers"].items()},
                "cases": [compact(case) for case in suite["cases"]],
            }
            for name, suite in suites.items()
        },
        "loading": loading["documents"],
    }
    target = Path(__file__).with_name("added_tokens.json")
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    target.write_text(text.replace('},{"tokenizer"', '},\n{"tokenizer"') + "\n")


if __name__ == "__main__":
    main()
