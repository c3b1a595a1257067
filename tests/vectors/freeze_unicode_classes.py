"""Freezes which characters `tokenizers` treats as punctuation, digit, word, script.

    python tests/vectors/freeze_unicode_classes.py

Every scalar value is put between two letters and given to the reference, which answers by cutting
or not. Takes a few minutes; needs `tokenizers`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import tokenizers
from tokenizers import pre_tokenizers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HERE = Path(__file__).resolve().parent
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]

Pieces = list[tuple[str, tuple[int, int]]]


def ranges(codes: Iterable[int]) -> list[list[int]]:
    """The first and last code of each run of neighbours; surrogates do not interrupt a run."""
    found: list[list[int]] = []
    for code in codes:
        if found and found[-1][1] in {code - 1, 0xD7FF if code == 0xE000 else -1}:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def swept(pre_tokenizer: pre_tokenizers.PreTokenizer, is_in: Callable[[Pieces], bool]) -> list:
    return ranges(c for c in SCALARS if is_in(pre_tokenizer.pre_tokenize_str(f"a{chr(c)}a")))


def script_runs() -> dict[str, list]:
    """Characters of any script, and runs of characters of one script, numbered by first use."""
    cut = pre_tokenizers.UnicodeScripts().pre_tokenize_str
    any_script = [c for c in SCALARS if not cut(chr(c))]
    skipped = set(any_script)
    runs: list[list[int]] = []
    for code in SCALARS:
        if code in skipped:
            continue
        if runs and len(cut(chr(runs[-1][1]) + chr(code))) == 1 and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    firsts: list[int] = []
    for run in runs:
        same = (i for i, first in enumerate(firsts) if len(cut(chr(first) + chr(run[0]))) == 1)
        number = next(same, len(firsts))
        if number == len(firsts):
            firsts.append(run[0])
        run.append(number)
    return {"any_script": ranges(any_script), "scripts": runs}


def main() -> None:
    classes = {
        "white_space": swept(pre_tokenizers.WhitespaceSplit(), lambda pieces: len(pieces) == 2),
        "numeric": swept(pre_tokenizers.Digits(individual_digits=True), lambda p: len(p) == 3),
        "punctuation": swept(pre_tokenizers.Punctuation(), lambda pieces: len(pieces) == 3),
        "word": swept(pre_tokenizers.Whitespace(), lambda pieces: len(pieces) == 1),
        **script_runs(),
    }
    provenance = {
        "source": "every scalar value between two letters, given to each pre-tokenizer",
        "library": "tokenizers",
        "version": tokenizers.__version__,
        "script": "tests/vectors/freeze_unicode_classes.py",
    }
    rows = [f'"{name}":{json.dumps(row, separators=(",", ":"))}' for name, row in classes.items()]
    text = f'{{"provenance":{json.dumps(provenance)},\n' + ",\n".join(rows) + "}\n"
    (HERE / "unicode_classes.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
