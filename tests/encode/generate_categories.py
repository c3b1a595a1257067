"""Writes the character classes of the reference's `unicode_categories` as a table of ranges.

The classes are swept out of `tokenizers` over all code points: which characters does cleaning drop,
which does accent stripping drop after decomposition.

    python tests/encode/generate_categories.py > crates/maxmunch/src/encode/categories.rs
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from tokenizers import normalizers

if TYPE_CHECKING:
    from collections.abc import Iterable

SURROGATES = range(0xD800, 0xE000)
OFF = {
    "clean_text": False,
    "handle_chinese_chars": False,
    "strip_accents": False,
    "lowercase": False,
}


def ranges(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Return maximal runs."""
    found: list[tuple[int, int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def table(name: str, text: str, codes: Iterable[int]) -> None:
    """Print a Rust constant."""
    runs = ranges(codes)
    print(f"\n/// {text}\nconst {name}: [(char, char); {len(runs)}] = [")
    for first, last in runs:
        print(f"    ('\\u{{{first:X}}}', '\\u{{{last:X}}}'),")
    print("];")


def main() -> None:
    """Print the module."""
    codes = [code for code in range(0x110000) if code not in SURROGATES]
    clean = normalizers.BertNormalizer(**{**OFF, "clean_text": True})
    strip = normalizers.BertNormalizer(**{**OFF, "strip_accents": True})
    beside = {code: f"a{chr(code)}a" for code in codes}
    print(HEADER.replace("VERSION", version("tokenizers")))
    table(
        "OTHER",
        "Controls, formats, private use; unassigned characters are not in it.",
        (c for c in codes if c not in (0, 0xFFFD) and clean.normalize_str(beside[c]) == "aa"),
    )
    table(
        "MARK",
        "Nonspacing marks.",
        (c for c in codes if strip.normalize_str(beside[c]) == "aa"),
    )


HEADER = """\
//! Character classes of BERT's normalizer, whose tables are older than the others.
//!
//! Swept out of `tokenizers` VERSION by `tests/encode/generate_categories.py`; do not edit.

/// Whether cleaning drops it.
pub(in crate::encode) fn is_other(character: char) -> bool {
    is_in(&OTHER, character)
}

/// Whether accent stripping drops it, after decomposition.
pub(in crate::encode) fn is_mark(character: char) -> bool {
    is_in(&MARK, character)
}

fn is_in(ranges: &[(char, char)], character: char) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= character);
    after.checked_sub(1).is_some_and(|index| character <= ranges[index].1)
}"""

if __name__ == "__main__":
    main()
