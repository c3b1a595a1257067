"""The calls that the frozen field cases make, and what each gives as plain values."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from typing import TYPE_CHECKING, Any

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable

Case = dict[str, Any]


def drawn(recipe: dict[str, Any]) -> str:
    """Return a text of pieces that a linear congruential generator picks."""
    state, picked = recipe["seed"], []
    for _ in range(recipe["count"]):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        picked.append(recipe["mix"][(state >> 33) % len(recipe["mix"])])
    return "".join(picked)


def written(value: Any) -> Any:
    """Return a text, or the long one that a recipe describes."""
    if isinstance(value, dict) and "repeat" in value:
        return value.get("before", "") + value["repeat"] * value["times"] + value.get("after", "")
    if isinstance(value, dict) and "code_units" in value:
        return "".join(map(chr, value["code_units"]))
    if isinstance(value, dict) and "mix" in value:
        return drawn(value)
    return value


def apply(tok: mm.Tokenizer, steps: list[list[Any]]) -> None:
    """Change a tokenizer step by step."""
    for name, *arguments in steps:
        if name == "set":
            setattr(tok, *arguments)
        elif name.startswith("add"):
            parts = [{"content": t} if isinstance(t, str) else t for t in arguments[0]]
            getattr(tok, name)([mm.AddedToken(**part) for part in parts])
        else:
            getattr(tok, name)(**arguments[0])


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
        found["offsets_in_range"] = all(0 <= a <= b <= len(text) for a, b in encoding.offsets)
        found["n"] = len(encoding.ids)
    found["overflowing"] = [columns(part, None) for part in encoding.overflowing]
    found["n_overflowing"] = len(found["overflowing"])
    return found


def encode(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    text, pair = written(given["text"]), written(given.get("pair"))
    words, special = given.get("is_pretokenized", False), given.get("add_special_tokens", True)
    encoding = tok.encode(text, pair, words, special)
    found = columns(encoding, text)
    if given.get("decode"):
        found["decoded"] = tok.decode(encoding.ids)
        found["round_trip"] = found["decoded"] == text
    for name, (call, *arguments) in given.get("lookups", {}).items():
        found[name] = getattr(encoding, call)(*arguments)
    return found


def encode_batch(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    special = given.get("add_special_tokens", True)
    texts = [written(text) for text in given["texts"]]
    rows = [tuple(row) if given.get("pairs") else row for row in texts]
    found = [columns(row, None) for row in tok.encode_batch(rows, add_special_tokens=special)]
    if given.get("compare_single"):
        alone = [tok.encode(row, add_special_tokens=special) for row in texts]
        same = found == [columns(row, None) for row in alone]
        return {"same_as_single": same, "count": len(found)}
    return {"encodings": found, "count": len(found)}


def encode_hash(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    ids = tok.encode(written(given["text"]), add_special_tokens=False).ids
    return {"n": len(ids), "sha256": hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()}


def decode(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    return {"text": tok.decode(given["ids"], given.get("skip_special_tokens", True))}


def normalize(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    assert tok.normalizer is not None
    return {"text": tok.normalizer.normalize_str(written(given["text"]))}


def round_trip(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    text = written(given["text"])
    ids = tok.encode(text, add_special_tokens=False).ids
    back = tok.decode(ids, given.get("skip_special_tokens", False))
    return {"same": back == text, "text": back}


def stream_encode(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    stream = tok.stream_encoder(add_special_tokens=given.get("add_special_tokens", False))
    chunks = [bytes(c["bytes"]) if isinstance(c, dict) else c for c in given["chunks"]]
    parts = [*map(stream.feed, chunks), stream.finish()]
    return {"ids": [number for part in parts for number in part.tolist()]}


def _decoded(before: str, parts: list[str | None], whole: str) -> dict[str, Any]:
    text = "".join(part for part in parts if part)
    return {"chunks": parts, "text": text, "equals_decode": before + text == whole}


def stream(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    """Decode ids one by one as the reference does it."""
    ids = given.get("ids") or tok.encode(given["text"], add_special_tokens=False).ids
    skip, prompt = given.get("skip_special_tokens", True), given.get("prompt", [])
    reader = mm.decoders.DecodeStream(ids=prompt, skip_special_tokens=skip)
    before = tok.decode(prompt, skip) if prompt else ""
    parts = [reader.step(tok, number) for number in ids]
    return _decoded(before, parts, tok.decode([*prompt, *ids], skip))


def own_stream(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    """As `stream`, where the reference is wrong."""
    ids = given.get("ids") or tok.encode(given["text"], add_special_tokens=False).ids
    reader = tok.stream_decoder(skip_special_tokens=given.get("skip_special_tokens", True))
    parts: list[str | None] = [*(reader.feed([number]) for number in ids), reader.finish()]
    return _decoded("", parts, tok.decode(ids, given.get("skip_special_tokens", True)))


def vocab(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    known = tok.get_vocab(True)
    return {
        "size": tok.get_vocab_size(True),
        "model_size": tok.get_vocab_size(False),
        "entries": len(known),
        "unique_ids": len(set(known.values())) == len(known),
        "ids": {token: tok.token_to_id(token) for token in given.get("tokens", [])},
        "names": [tok.id_to_token(number) for number in given.get("ids", [])],
    }


def save_load(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    saved = tok.to_str()
    loaded = mm.Tokenizer.from_str(saved)
    before = [columns(tok.encode(text), None) for text in given["texts"]]
    after = [columns(loaded.encode(text), None) for text in given["texts"]]
    return {
        "same_encodings": before == after,
        "stable_json": json.loads(saved) == json.loads(loaded.to_str()),
        "ids": [row["ids"] for row in after],
    }


def clone(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    ids = tok.encode(given["text"]).ids
    added = pickle.loads(pickle.dumps(mm.AddedToken("<x>", lstrip=True)))  # noqa: S301 (our own)
    again = pickle.loads(pickle.dumps(tok))  # noqa: S301 (our own)
    encoding = pickle.loads(pickle.dumps(tok.encode(given["text"])))  # noqa: S301 (our own)
    return {
        "pickle": ids == again.encode(given["text"]).ids,
        "deepcopy": ids == copy.deepcopy(tok).encode(given["text"]).ids,
        "encoding": ids == encoding.ids,
        "added_token": (added.content, added.lstrip) == ("<x>", True),
    }


def configure(tok: mm.Tokenizer, given: Case) -> dict[str, Any]:
    apply(tok, given["ops"])
    return {"accepted": True}


def load(_: mm.Tokenizer | None, given: Case) -> dict[str, Any]:
    text = given["json"] if isinstance(given["json"], str) else json.dumps(given["json"])
    tok = mm.Tokenizer.from_str(text)
    if "encode" not in given:
        return {"loaded": True}
    encoding = tok.encode(given["encode"])
    decoded = tok.decode(encoding.ids)
    return {"loaded": True, "ids": encoding.ids, "tokens": encoding.tokens, "decoded": decoded}


CALLS: dict[str, Callable[[Any, Case], dict[str, Any]]] = {
    "clone": clone,
    "configure": configure,
    "decode": decode,
    "encode": encode,
    "encode_batch": encode_batch,
    "encode_hash": encode_hash,
    "encode_pair": encode,
    "load": load,
    "normalize": normalize,
    "own_stream": own_stream,
    "round_trip": round_trip,
    "save_load": save_load,
    "stream": stream,
    "stream_encode": stream_encode,
    "vocab": vocab,
}
