"""A tokenizer.json in the forms that `tiktoken` and `sentencepiece` take, so that they compete.

Where a form cannot say what the file says (a normalizer in `tiktoken`, say), the engine gives
other ids, and the table shows it: nothing here has to be exact for a comparison to be honest.
"""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["is_rwkv", "ranks", "sentencepiece_model"]

# What the ByteLevel pre-tokenizer splits by when it has no Split before it.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6
UNIGRAM, BPE = 1, 2
BYTE_PIECE = re.compile("<0x[0-9A-F]{2}>")


def is_rwkv(path: str | Path) -> bool:
    """Return whether this is a vocabulary file of RWKV (text, one piece a line)."""
    return str(path).endswith(".txt")


def _members(component: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    if component is None:
        return
    inner = component.get("pretokenizers") or component.get("normalizers")
    for member in inner or ():
        yield from _members(member)
    if not inner:
        yield component


def ranks(path: Path) -> dict[str, Any]:
    """Return the arguments of `tiktoken.Encoding` for a byte-level BPE file."""
    import maxmunch as mm

    spec = json.loads(path.read_bytes())
    members = list(_members(spec["pre_tokenizer"]))
    splits = [member["pattern"]["Regex"] for member in members if member["type"] == "Split"]
    if spec["model"]["type"] != "BPE" or members[-1]["type"] != "ByteLevel" or len(splits) > 1:
        raise ValueError("tiktoken takes byte-level BPE with one pattern only")
    added = {token["content"]: token["id"] for token in spec["added_tokens"]}
    pieces = enumerate(mm.Tokenizer.from_file(path).vocabulary[:])
    special = set(added.values())
    return {
        "pat_str": splits[0] if splits else GPT2_PATTERN,
        "mergeable_ranks": {b: i for i, b in pieces if b is not None and i not in special},
        "special_tokens": added,
    }


def _kind(piece: str, added: dict[str, bool], unknown: str | None) -> int:
    if piece == unknown:
        return UNKNOWN
    if piece in added:
        return CONTROL if added[piece] else USER_DEFINED
    return BYTE if BYTE_PIECE.fullmatch(piece) else NORMAL


def _pair(merge: str | list[str]) -> list[str]:
    return merge.split(" ") if isinstance(merge, str) else merge


def sentencepiece_model(path: Path) -> bytes:
    """Return a serialized SentencePiece model for a file that was made from one."""
    from sentencepiece import sentencepiece_model_pb2 as schema

    spec = json.loads(path.read_bytes())
    model = spec["model"]
    normalizers = list(_members(spec["normalizer"]))
    if model["type"] == "Unigram":
        pieces = [(piece, score) for piece, score in model["vocab"]]
        unknown = pieces[model["unk_id"]][0]
    elif model["type"] == "BPE" and model["byte_fallback"]:
        order = {"".join(_pair(merge)): -float(i) for i, merge in enumerate(model["merges"])}
        pieces = [(p, order.get(p, -1e6)) for p in sorted(model["vocab"], key=model["vocab"].get)]
        unknown = model["unk_token"]
    else:
        raise ValueError("no SentencePiece model was the origin of this file")
    added = {token["content"]: token["special"] for token in spec["added_tokens"]}
    made: Any = schema.ModelProto()
    for piece, score in pieces:
        made.pieces.add(piece=piece, score=score, type=_kind(piece, added, unknown))
    ids = {piece: number for number, (piece, _) in enumerate(pieces)}
    trainer, normalizer = made.trainer_spec, made.normalizer_spec
    trainer.model_type = UNIGRAM if model["type"] == "Unigram" else BPE
    trainer.byte_fallback = bool(model.get("byte_fallback"))
    trainer.unk_id = ids[unknown]
    trainer.unk_piece = unknown
    trainer.bos_id = trainer.eos_id = trainer.pad_id = -1
    maps = [n["precompiled_charsmap"] for n in normalizers if n["type"] == "Precompiled"]
    normalizer.precompiled_charsmap = base64.b64decode(maps[0]) if maps else b""
    normalizer.add_dummy_prefix = bool(maps) or any(n["type"] == "Prepend" for n in normalizers)
    normalizer.remove_extra_whitespaces = bool(maps)
    normalizer.escape_whitespaces = True
    serialized: bytes = made.SerializeToString()
    return serialized
