"""Rank files of tiktoken: one token a line, as base64 and rank."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from maxmunch.errors import InvalidArgumentError, InvalidTokenizerError
from maxmunch.loaders.patterns import NAMED, split_part
from maxmunch.loaders.ranks import rank_document
from maxmunch.options import count
from maxmunch.options import text as checked_text

__all__ = ["checked_specials", "read_ranks", "tiktoken_document"]

_KNOWN_FILES = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": "r50k_base",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": "p50k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": "cl100k_base",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": "o200k_base",
}
"""SHA-256 of published rank files: the pattern goes without saying for these."""


def tiktoken_document(
    data: bytes,
    *,
    pattern: str | None,
    special_tokens: Mapping[str, int],
    reserve: bool = False,
) -> dict[str, Any]:
    """Return the document of a rank file.

    Args:
        data: The bytes of the file.
        pattern: A name of `NAMED` or a regular expression; None where the file is a published one.
        special_tokens: Contents with their ids.
        reserve: See `rank_document`.

    Raises:
        InvalidTokenizerError: A line is malformed; `.json_path` names it.
        InvalidArgumentError: No pattern is given and the file is none of the published ones.
    """
    if pattern is None:
        pattern = _KNOWN_FILES.get(hashlib.sha256(data).hexdigest())
    if pattern is None:
        raise InvalidArgumentError(
            "pattern: None fits published files only; give a regular expression or one of "
            f"{', '.join(NAMED)}",
            "pattern",
        )
    split = split_part(checked_text("pattern", pattern))
    return rank_document(read_ranks(data), special_tokens, split, reserve=reserve)


def checked_specials(special_tokens: Any) -> dict[str, int]:
    """Return special tokens with their ids, as `tiktoken_document` takes them.

    Raises:
        TypeError: They are no mapping, a content is no text, or an id no whole number.
        OverflowError: An id is negative.
        InvalidArgumentError: A content is empty: no text has it.
    """
    if not isinstance(special_tokens, Mapping):
        kind = type(special_tokens).__name__
        raise TypeError(f"special_tokens: {kind} given where contents with their ids are expected")
    checked = {
        checked_text("special_tokens", content): count("special_tokens", number)
        for content, number in special_tokens.items()
    }
    if "" in checked:
        raise InvalidArgumentError(
            "special_tokens: '' should be a text of one character or more; leave it out",
            "special_tokens",
        )
    return checked


_PLAIN = re.compile(rb"(?:[A-Za-z0-9+/]+={0,2} [0-9]{1,9}\n)*")


def read_ranks(data: bytes) -> dict[bytes, int]:
    """Return the rank of each token of a rank file.

    Raises:
        InvalidTokenizerError: A line is malformed, or a token or rank comes twice.
    """
    ranks = _read_plain(data)
    if ranks:
        return ranks
    used: set[int] = set()
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        path = f"line {number}"
        try:
            encoded, rank_text = line.split()
            token, rank = base64.b64decode(encoded, validate=True), int(rank_text)
        except (ValueError, binascii.Error) as error:
            raise InvalidTokenizerError(
                f"{path}: {line[:60]!r} should be a token in base64, a space and its rank", path
            ) from error
        if not token or not 0 <= rank < 1 << 31:
            rule = "should hold a token that is not empty and a rank from 0 to 2147483647"
            raise InvalidTokenizerError(f"{path}: {line[:60]!r} {rule}", path)
        if token in ranks or rank in used:
            what = f"the token {token!r}" if token in ranks else f"the rank {rank}"
            raise InvalidTokenizerError(f"{path}: {what} comes twice", path)
        ranks[token] = rank
        used.add(rank)
    if not ranks:
        raise InvalidTokenizerError("the file has no token; one a line is expected", "$")
    return ranks


def _read_plain(data: bytes) -> dict[bytes, int]:
    """Return the ranks of a file without anything odd, at once; none of any other."""
    if not _PLAIN.fullmatch(data):
        return {}
    words = data.split()
    try:
        tokens = list(map(binascii.a2b_base64, words[::2]))
    except binascii.Error:
        return {}
    numbers = list(map(int, words[1::2]))
    ranks = dict(zip(tokens, numbers, strict=True))
    is_odd = len(ranks) < len(tokens) or len(set(numbers)) < len(numbers) or b"" in ranks
    return {} if is_odd else ranks
