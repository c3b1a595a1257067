"""Counts where ours and `tokenizers` differ: every tokenizer file times every text, and edges.

Prints one line a tokenizer: the number of documents that differ in ids, tokens, offsets, word ids,
type ids, masks or decoded text, per text. 0 everywhere is the only good answer.

    python benchmarks/parity.py ../shared/data [--tokenizers gpt2,llama3] [--megabytes 1]
"""

from __future__ import annotations

import argparse
import lzma
import sys
import time
from pathlib import Path
from typing import Any

import tokenizers

import maxmunch as mm

DOCUMENT_BYTES = 10_000
COLUMNS = (
    "ids",
    "tokens",
    "offsets",
    "word_ids",
    "type_ids",
    "special_tokens_mask",
    "attention_mask",
    "sequence_ids",
)
EDGES = [
    "",
    " ",
    "\0",
    "\x00\x01\x1b\x7f\x85\xa0\xad",
    "a\r\nb\r\n\r\n  c\r",
    "   three  spaces   ",
    "\t\ttabs\t \t",
    "I'll I'LL we've don't 's 'S",
    "e\u0301 é \u0301 \u0301\u0301 a\u0323\u0307 a\u0307\u0323",
    "가각 \u1100\u1161\u11a8 \u1100\u1161",
    "👨‍👩‍👧‍👦🏳️‍🌈👍🏽 \u200d\ufe0f",
    "العربية \u202eabc\u202c עברית",
    "漢字かな交じり文。「」、",
    "ﬁ ﬀ Ⅷ ² ½ ① ㋿ \u32ff",
    "\u212b \u2126 \ufb1d \u0344 \u0958",
    "\ufeff\u200b\u2060\u180e\u3000\u2028\u2029",
    "\ufffd \U0010ffff \ue000 \u0378",
    "123 1234567 ١٢٣ 12.5e-10",
    "<s> a </s> <|endoftext|> b<|im_start|>x <mask> <pad> [CLS][SEP] [MASK]",
    "<bos><unk> <0x41> ▁▁a ▁ Ġ Ċ",
    "İıßΣς ǅ ŉ",
    "https://example.org/a?b=c&d=%20#e\n/\n",
    *(
        unit * (100_000 // len(unit.encode()))
        for unit in ("a", " ", "漢", "🙂", "\n", "ab", "-", "é")
    ),
]


def documents(path: Path, limit: int) -> list[str]:
    """Return the text cut into documents of about 10 kB, at characters."""
    data = lzma.decompress(path.read_bytes())[:limit]
    cuts = range(0, len(data), DOCUMENT_BYTES)
    return [data[cut : cut + DOCUMENT_BYTES].decode(errors="ignore") for cut in cuts]


def columns(encoding: Any) -> list[Any]:
    """Return everything that is compared of an encoding."""
    return [getattr(encoding, name) for name in COLUMNS]


def differences(ours: mm.Tokenizer, theirs: Any, texts: list[str]) -> int:
    """Return how many texts the two encode or decode differently."""
    expected = theirs.encode_batch(texts)
    found = ours.encode_batch(texts)
    rows = ours.encode_ids_batch(texts)
    count = 0
    for left, right, row in zip(expected, found, rows, strict=True):
        same = columns(left) == columns(right) and left.ids == row.tolist()
        same = same and theirs.decode(left.ids) == ours.decode(left.ids)
        whole = theirs.decode(left.ids, skip_special_tokens=False)
        count += not (same and whole == ours.decode(left.ids, skip_special_tokens=False))
    return count


def main() -> int:
    """Print the table; return 1 when anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with tokenizers/ and corpora/")
    parser.add_argument("--tokenizers", default="", help="names, with commas; all by default")
    parser.add_argument("--megabytes", type=float, default=1.0, help="of each text")
    arguments = parser.parse_args()
    limit = int(arguments.megabytes * 1_000_000)
    wanted = set(filter(None, arguments.tokenizers.split(",")))
    texts = {p.name.split(".")[0]: p for p in sorted((arguments.data / "corpora").glob("*.xz"))}
    total = 0
    for path in sorted((arguments.data / "tokenizers").glob("*.json.xz")):
        name = path.name.split(".")[0]
        if wanted and name not in wanted:
            continue
        data = lzma.decompress(path.read_bytes())
        try:
            ours = mm.Tokenizer.from_buffer(data)
        except mm.UnsupportedTokenizerError as error:
            print(f"{name:16} refused: {error}", flush=True)
            continue
        theirs = tokenizers.Tokenizer.from_buffer(data)
        started = time.perf_counter()
        cells = {"edges": differences(ours, theirs, EDGES)}
        for text, corpus in texts.items():
            cells[text] = differences(ours, theirs, documents(corpus, limit))
        total += sum(cells.values())
        bad = ", ".join(f"{text} {count}" for text, count in cells.items() if count) or "none"
        seconds = time.perf_counter() - started
        cell_count = f"{sum(cells.values()):6} documents of {len(cells)} texts differ"
        print(f"{name:16} {cell_count} ({bad}); {seconds:.0f} s", flush=True)
    print(f"mismatches: {total}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
