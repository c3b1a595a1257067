"""tekken.json: a ranked vocabulary with its pattern, and special tokens in front."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from maxmunch.errors import InvalidTokenizerError
from maxmunch.loaders.patterns import split_part
from maxmunch.loaders.ranks import rank_document

__all__ = ["tekken_document"]

_MOST_SPECIAL = 1 << 16
"""Most special tokens of a file: each place takes memory, named or not."""
_UNNAMED = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]",
    "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)  # fmt: skip
"""The first special tokens of files that list none, older than the list."""


def tekken_document(data: bytes) -> dict[str, Any]:
    """Return the document of a tekken.json.

    Ids 0 to `default_num_special_tokens` - 1 are special tokens, the rank of a token counts from
    there, and tokens beyond `default_vocab_size` are not used.

    Raises:
        InvalidTokenizerError: A value is missing or malformed; `.json_path` names it.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidTokenizerError(f"$: the file is not JSON: {error}", "$") from error
    config = _member(content, "config", dict, "$")
    pattern = _member(config, "pattern", str, "config")
    size = _member(config, "default_vocab_size", int, "config")
    reserved = _member(config, "default_num_special_tokens", int, "config")
    most = min(size, _MOST_SPECIAL)
    if not 0 <= reserved <= most:
        path = "config.default_num_special_tokens"
        raise InvalidTokenizerError(f"{path}: {reserved} should be from 0 to {most}", path)
    entries = _member(content, "vocab", list, "$")
    ranks: dict[bytes, int] = {}
    for index, entry in enumerate(entries[: size - reserved]):
        path = f"vocab[{index}]"
        rank = _member(entry, "rank", int, path)
        try:
            token = base64.b64decode(_member(entry, "token_bytes", str, path), validate=True)
        except (ValueError, binascii.Error) as error:
            path += ".token_bytes"
            raise InvalidTokenizerError(f"{path}: should be base64", path) from error
        if rank != index or not token or token in ranks:
            rule = "should have the rank of its place and bytes that no other token has"
            raise InvalidTokenizerError(f"{path}: {str(entry)[:60]} {rule}", path)
        ranks[token] = rank
    specials = _specials(content, reserved)
    return rank_document(ranks, specials, split_part(pattern), first_id=reserved)


def _specials(content: dict[str, Any], reserved: int) -> dict[str, int]:
    """Return the special tokens of the file; places without one have a name of their own."""
    names = {number: f"<SPECIAL_{number}>" for number in range(reserved)}
    listed = content.get("special_tokens")
    if listed is None:
        names.update(zip(range(reserved), _UNNAMED, strict=False))
        listed = []
    if not isinstance(listed, list):
        raise InvalidTokenizerError("special_tokens: should be a list", "special_tokens")
    for index, entry in enumerate(listed):
        path = f"special_tokens[{index}]"
        rank = _member(entry, "rank", int, path)
        if not 0 <= rank < reserved:
            raise InvalidTokenizerError(f"{path}.rank: {rank} should be below {reserved}", path)
        names[rank] = _member(entry, "token_str", str, path)
    specials = {name: number for number, name in names.items()}
    if len(specials) != len(names):
        raise InvalidTokenizerError("special_tokens: a text comes twice", "special_tokens")
    return specials


def _member(value: Any, name: str, kind: type, path: str) -> Any:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind) or isinstance(found, bool):
        where = name if path == "$" else f"{path}.{name}"
        shown = "nothing" if found is None else repr(found)[:60]
        raise InvalidTokenizerError(f"{where}: {shown} should be a {kind.__name__}", where)
    return found
