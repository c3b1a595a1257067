"""Reads vocabularies in the format of RWKV: one token a line, as `id literal length`."""

from __future__ import annotations

import ast

from maxmunch.errors import InvalidTokenizerError

__all__ = ["read_vocabulary"]

# Characters that mean something else in a literal, or may not stand in one.
NOT_PLAIN = "\\\0\r\n"


def read_vocabulary(data: bytes) -> dict[bytes, int]:
    """Return the tokens of a vocabulary file with their ids.

    Raises:
        InvalidTokenizerError: A line is malformed, a length is wrong, a token or id comes twice.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidTokenizerError(f"the file is not UTF-8 at byte {error.start}", "$") from error
    tokens: dict[bytes, int] = {}
    ids: set[int] = set()
    # Only newlines end a line: literals may hold other characters that split lines.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        index, token = _read_line(line.rstrip("\r"), f"line {number}")
        if token in tokens or index in ids:
            what = f"the token {token!r}" if token in tokens else f"the id {index}"
            raise InvalidTokenizerError(f"line {number}: {what} comes twice", f"line {number}")
        tokens[token] = index
        ids.add(index)
    if not tokens:
        raise InvalidTokenizerError("the file has no token; one a line is expected", "$")
    return tokens


def _value(literal: str) -> object:
    """Return what a literal of Python means; most are plain strings, which need no compiler."""
    quote, inner = literal[:1], literal[1:-1]
    is_plain = quote in {"'", '"'} and inner and literal[-1] == quote and quote not in inner
    if is_plain and not any(character in inner for character in NOT_PLAIN):
        return inner
    return ast.literal_eval(literal)


def _read_line(line: str, path: str) -> tuple[int, bytes]:
    rule = "should be an id, a str or bytes literal, and its length in bytes"
    try:
        first, rest = line.split(" ", 1)
        literal, last = rest.rsplit(" ", 1)
        index, length = int(first), int(last)
        value = _value(literal.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise InvalidTokenizerError(f"{path}: {line[:60]!r} {rule}", path) from error
    if not isinstance(value, str | bytes) or not value or index < 0:
        raise InvalidTokenizerError(f"{path}: {line[:60]!r} {rule}", path)
    try:
        token = value.encode() if isinstance(value, str) else value
    except UnicodeEncodeError as error:
        raise InvalidTokenizerError(f"{path}: {literal} has a lone surrogate", path) from error
    if len(token) != length:
        raise InvalidTokenizerError(
            f"{path}: {literal[:60]} has {len(token)} bytes, the line says {length}", path
        )
    return index, token
