"""Counts where ours and `tokenizers` differ: every tokenizer file times every text, and edges.

Prints one line a tokenizer: the number of documents that differ per text, and in which columns:
ids, tokens, offsets, word ids, type ids, masks, sequence ids, or decoded text with and without
special tokens. 0 everywhere is the only good answer.

    python benchmarks/parity.py ../shared/data [--tokenizers gpt2,llama3] [--megabytes 1]

The reference is slow. With `--cache FOLDER` its answers are kept there, as a digest per document
and column under the digests of tokenizer and text, so that a second run takes only our own time:

    python benchmarks/parity.py ../shared/data --cache /tmp/parity-cache

A vocabulary of longest match (RWKV) takes the reference quadratic time; there the other side is the
longest token at each place, in plain Python: ids, tokens, offsets, and the decoded text. With
`pyrwkv-tokenizer` installed, the package that owns the format, its ids are asked for, too.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import itertools
import json
import lzma
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import maxmunch as mm
from maxmunch.components import byte_level_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    "".join(map(chr, range(0x250))),
    "".join(chr(code) + "a" for code in (*range(0x300, 0x370), *range(0x1AB0, 0x1AFF))),
    "".join(map(chr, (*range(0x2000, 0x2070), *range(0xFE00, 0xFE10), *range(0xFFF0, 0x10000)))),
    "".join(map(chr, (*range(0x1F1E6, 0x1F200), 0x1F3FB, *range(0xE0020, 0xE0080)))),
    *(
        unit * (100_000 // len(unit.encode()))
        for unit in ("a", " ", "漢", "🙂", "\n", "ab", "-", "é", "\u0301", "\r\n", "1", "\u200d")
    ),
]


def documents(data: bytes, limit: int) -> list[str]:
    """Return the text cut into documents of about 10 kB, at characters."""
    data = data[:limit]
    cuts = range(0, len(data), DOCUMENT_BYTES)
    return [data[cut : cut + DOCUMENT_BYTES].decode(errors="ignore") for cut in cuts]


def digest(value: Any) -> str:
    """Return a short digest of a value, equal for equal values of plain types."""
    return hashlib.blake2b(repr(value).encode(errors="surrogatepass"), digest_size=6).hexdigest()


def format_owner() -> Callable[[str], list[int]] | None:
    """Return how the package that owns the RWKV format gives ids, where it is installed."""
    if importlib.util.find_spec("pyrwkv_tokenizer") is None:
        return None
    return importlib.import_module("pyrwkv_tokenizer").RWKVTokenizer().encode


def longest_match(document: dict[str, Any], texts: list[str]) -> list[dict[str, str]]:
    """Return the digests of ids, tokens, offsets and decoded text by taking the longest token."""
    vocab = document["model"]["vocab"]
    table = byte_level_table()
    spelled = str.maketrans({chr(byte): symbol for byte, symbol in enumerate(table)})
    # The lengths of the tokens that begin with the same two characters, longest first.
    lengths: dict[str, list[int]] = {}
    for head, group in itertools.groupby(sorted(vocab), key=lambda token: token[:2]):
        lengths[head] = sorted({len(token) for token in group}, reverse=True)
    owner = format_owner()
    rows = []
    for text in texts:
        data = text.encode()
        written = data.decode("latin-1").translate(spelled)
        places = [place for place, character in enumerate(text) for _ in character.encode()]
        tokens: list[str] = []
        offsets: list[tuple[int, int]] = []
        start = 0
        while start < len(written):
            head = written[start : start + 2]
            longer = (min(start + length, len(written)) for length in lengths.get(head, ()))
            ends = (end for end in longer if written[start:end] in vocab)
            end = next(ends, start + 1)
            tokens.append(written[start:end])
            offsets.append((places[start], places[end - 1] + 1))
            start = end
        ids = owner(text) if owner else [vocab[token] for token in tokens]
        row = {"ids": digest(ids), "tokens": digest(tokens)}
        rows.append(row | {"offsets": digest(offsets), "decoded": digest(text)})
    return rows


def answers(tok: Any, texts: list[str]) -> list[dict[str, str]]:
    """Return, for each text, a digest of each column of its encoding and of its decoded text."""
    rows = []
    for encoding in tok.encode_batch(texts):
        row = {name: digest(getattr(encoding, name)) for name in COLUMNS}
        row["decoded"] = digest(tok.decode(encoding.ids))
        row["decoded_whole"] = digest(tok.decode(encoding.ids, skip_special_tokens=False))
        rows.append(row)
    return rows


def remembered(cache: Path | None, key: str, ask: Callable[[], Any]) -> Any:
    """Return the cached answers under `key`, asking for them the first time."""
    if cache is None:
        return ask()
    path = cache / f"{key}.json"
    if path.exists():
        return json.loads(path.read_text())
    found = ask()
    cache.mkdir(parents=True, exist_ok=True)
    # Written aside and renamed: a run that is stopped leaves no half file.
    with tempfile.NamedTemporaryFile("w", dir=cache, delete=False) as aside:
        json.dump(found, aside)
    Path(aside.name).replace(path)
    return found


def differences(
    ours: mm.Tokenizer, expected: list[dict[str, str]], texts: list[str]
) -> Iterator[list[str]]:
    """Yield the columns that differ, for each text."""
    rows = ours.encode_ids_batch(texts)
    for left, right, row in zip(expected, answers(ours, texts), rows, strict=True):
        bad = [name for name in left if left[name] != right[name]]
        yield bad + ["encode_ids"] * (left["ids"] != digest(row.tolist()))


def tokenizer_files(folder: Path, wanted: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the tokenizer.json text of each tokenizer of the folder."""
    for path in sorted(folder.iterdir()):
        name = path.name.split(".json")[0].split(".txt")[0]
        if wanted and name not in wanted:
            continue
        data = path.read_bytes()
        data = lzma.decompress(data) if path.suffix == ".xz" else data
        if ".json" in path.name:
            yield name, data.decode()
        elif ".txt" in path.name:
            with tempfile.TemporaryDirectory() as aside:
                unpacked = Path(aside) / "vocabulary.txt"
                unpacked.write_bytes(data)
                yield name, mm.Tokenizer.from_rwkv(unpacked).to_str()


def compare(name: str, document: str, texts: dict[str, list[str]], cache: Path | None) -> int:
    """Print the line of one tokenizer; return how many documents differ."""
    try:
        ours = mm.Tokenizer.from_str(document)
    except mm.UnsupportedTokenizerError as error:
        print(f"{name:16} refused: {error}", flush=True)
        return 0
    loaded: list[Any] = []
    model = json.loads(document)["model"]
    is_longest_match = model.get("continuing_subword_prefix") == ""

    def reference(parts: list[str]) -> list[dict[str, str]]:
        if model["type"] == "WordPiece" and is_longest_match:
            return longest_match(json.loads(document), parts)
        import tokenizers

        if not loaded:
            loaded.append(tokenizers.Tokenizer.from_str(document))
        return answers(loaded[0], parts)

    started = time.process_time()
    fingerprint = digest(document)
    cells: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    for text, parts in texts.items():
        key = f"{name}-{fingerprint}-{text}-{digest(parts)}"
        expected = remembered(cache, key, partial(reference, parts))
        for index, bad in enumerate(differences(ours, expected, parts)):
            cells[text] += bool(bad)
            columns.update(bad)
            if bad and cells[text] == 1:
                print(f"{name:16}   first: {text}[{index}] {', '.join(bad)}", flush=True)
    total = sum(cells.values())
    shown = ", ".join(f"{text} {count}" for text, count in cells.items() if count) or "none"
    shown += f"; columns {dict(columns)}" if columns else ""
    seconds = time.process_time() - started
    print(f"{name:16} {total:6} documents of {len(texts)} texts differ ({shown}); {seconds:.0f} s")
    sys.stdout.flush()
    return total


def main() -> int:
    """Print the table; return 1 when anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with tokenizers/ and corpora/")
    parser.add_argument("--tokenizers", default="", help="names, with commas; all by default")
    parser.add_argument("--texts", default="", help="names, with commas; all by default")
    parser.add_argument("--folder", type=Path, help="other tokenizer.json files to compare")
    parser.add_argument("--megabytes", type=float, default=1.0, help="of each text")
    parser.add_argument("--cache", type=Path, help="folder that keeps the reference's answers")
    arguments = parser.parse_args()
    limit = int(arguments.megabytes * 1_000_000)
    names = set(filter(None, arguments.tokenizers.split(",")))
    chosen = set(filter(None, arguments.texts.split(",")))
    texts = {"edges": EDGES}
    for path in sorted((arguments.data / "corpora").glob("*.xz")):
        if not chosen or path.name.split(".")[0] in chosen:
            data = lzma.decompress(path.read_bytes())
            texts[path.name.split(".")[0]] = documents(data, limit)
    folder = arguments.folder or arguments.data / "tokenizers"
    total = 0
    for name, document in tokenizer_files(folder, names):
        total += compare(name, document, texts, arguments.cache)
    print(f"mismatches: {total}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
