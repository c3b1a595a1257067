"""Cases from public bug reports, frozen: the right value in each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import maxmunch as mm

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "field_cases.json"
DOCUMENT = json.loads(VECTORS.read_text())


def written(value: Any) -> Any:
    """Return a text, or the long one that a recipe describes."""
    if isinstance(value, dict) and "repeat" in value:
        return value.get("before", "") + value["repeat"] * value["times"] + value.get("after", "")
    if isinstance(value, dict) and "code_units" in value:
        return "".join(map(chr, value["code_units"]))
    return value


def prepared(case: dict[str, Any]) -> mm.Tokenizer:
    """Return the tokenizer of a case after its setup."""
    spec = case["tokenizer"]
    spec = DOCUMENT["tokenizers"][spec] if isinstance(spec, str) else spec
    tok = mm.Tokenizer.from_str(json.dumps(spec))
    for name, *arguments in case.get("setup", ()):
        if name.startswith("add"):
            parts = [{"content": t} if isinstance(t, str) else t for t in arguments[0]]
            getattr(tok, name)([mm.AddedToken(**part) for part in parts])
        else:
            getattr(tok, name)(**arguments[0])
    return tok


def columns(encoding: mm.Encoding, text: Any) -> dict[str, Any]:
    """Return all that an encoding says."""
    found = {
        name: getattr(encoding, name)
        for name in ("ids", "tokens", "type_ids", "special_tokens_mask", "attention_mask")
    }
    found |= {name: getattr(encoding, name) for name in ("word_ids", "sequence_ids", "n_sequences")}
    found["offsets"] = [list(span) for span in encoding.offsets]
    if isinstance(text, str):
        found["pieces"] = [text[start:end] for start, end in encoding.offsets]
    found["overflowing"] = [columns(part, None) for part in encoding.overflowing]
    found["n_overflowing"] = len(found["overflowing"])
    return found


def called(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the call of a case gives."""
    tok, given = prepared(case), case["input"]
    special = given.get("add_special_tokens", True)
    if case["call"] == "decode":
        return {"text": tok.decode(given["ids"], given.get("skip_special_tokens", True))}
    if case["call"] == "normalize":
        assert tok.normalizer is not None
        return {"text": tok.normalizer.normalize_str(written(given["text"]))}
    if case["call"] == "stream_encode":
        stream = tok.stream_encoder(add_special_tokens=given.get("add_special_tokens", False))
        chunks = [bytes(c["bytes"]) if isinstance(c, dict) else c for c in given["chunks"]]
        parts = [*map(stream.feed, chunks), stream.finish()]
        return {"ids": [number for part in parts for number in part.tolist()]}
    if case["call"] == "encode_batch":
        texts = [written(text) for text in given["texts"]]
        rows = [tuple(row) if given.get("pairs") else row for row in texts]
        found = [columns(row, None) for row in tok.encode_batch(rows, add_special_tokens=special)]
        if given.get("compare_single"):
            alone = [tok.encode(row, add_special_tokens=special) for row in texts]
            same = found == [columns(row, None) for row in alone]
            return {"same_as_single": same, "count": len(found)}
        return {"encodings": found, "count": len(found)}
    text, pair = written(given["text"]), written(given.get("pair"))
    words = given.get("is_pretokenized", False)
    return columns(tok.encode(text, pair, words, special), text)


def part_of(expected: Any, found: Any) -> Any:
    """Return `found` without the members that `expected` does not name."""
    if isinstance(expected, dict):
        return {name: part_of(value, found.get(name)) for name, value in expected.items()}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [part_of(one, other) for one, other in zip(expected, found, strict=True)]
    return found


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["id"])
def test_a_field_case_gives_the_right_value(case: dict[str, Any]) -> None:
    assert case["expected"] == part_of(case["expected"], called(case)), case["source"]
