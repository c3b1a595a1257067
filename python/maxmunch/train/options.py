"""The arguments of `train`, checked before any work is done."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError, TrainingError
from maxmunch.export import byte_level_characters, unspelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["MAX_TOKEN_BYTES", "Choice", "as_tokens", "read_start"]

MAX_TOKEN_BYTES = 255
BYTES = 256


@dataclass(frozen=True)
class Choice:
    """Which tokens a vocabulary may, must and must not hold.

    Attributes:
        vocab_size: All ids: bytes, chosen tokens, special tokens.
        special_tokens: Contents of the special tokens.
        pinned: Tokens of more than one byte that must be in.
        forbidden: Tokens that must not be in.
        max_token_bytes: Most bytes of a token.
        valid_utf8: Whether tokens of more than one byte are whole characters.
        splittable: Bytes that stand at one place of a token only.
        split_after: Whether that place is a token's end; else its start.
    """

    vocab_size: int
    special_tokens: list[str]
    pinned: list[bytes]
    forbidden: list[bytes]
    max_token_bytes: int
    valid_utf8: bool
    splittable: bytes
    split_after: bool = False

    @classmethod
    def checked(
        cls,
        vocab_size: int,
        *,
        special_tokens: Sequence[str],
        pinned: Iterable[str | bytes],
        forbidden: Iterable[str | bytes],
        max_token_bytes: int | None,
        valid_utf8: bool,
        splittable: bytes,
        splittable_at: str = "start",
    ) -> Choice:
        """Return the choice, or refuse it.

        Raises:
            InvalidArgumentError: A value out of range, or rules that contradict each other.
            TrainingError: More tokens are pinned than there are places.
        """
        if isinstance(special_tokens, (str, bytes)):
            message = f"special_tokens: {special_tokens!r} is one token; give a list of them"
            raise InvalidArgumentError(message, "special_tokens")
        specials = list(special_tokens)
        wrong = next((s for s in specials if not isinstance(s, str) or not s), None)
        if wrong is not None or len(set(specials)) != len(specials):
            message = f"special_tokens: {specials!r} are not distinct, non-empty strings"
            raise InvalidArgumentError(message, "special_tokens")
        least = BYTES + len(specials)
        if vocab_size < least:
            message = (
                f"vocab_size: {vocab_size} is below {least}, the 256 bytes and"
                f" {len(specials)} special tokens; raise it"
            )
            raise InvalidArgumentError(message, "vocab_size")
        longest = MAX_TOKEN_BYTES if max_token_bytes is None else max_token_bytes
        if not 1 <= longest <= MAX_TOKEN_BYTES:
            message = f"max_token_bytes: {longest} is outside 1..{MAX_TOKEN_BYTES}"
            raise InvalidArgumentError(message, "max_token_bytes")
        if splittable_at not in {"start", "end"}:
            message = f"splittable_at: {splittable_at!r} is not 'start' or 'end'"
            raise InvalidArgumentError(message, "splittable_at")
        given: object = splittable
        if not isinstance(given, (bytes, bytearray)):
            message = f"splittable: {splittable!r} is not bytes; write b'\\n'"
            raise InvalidArgumentError(message, "splittable")
        _check_specials(specials)
        # A learned token that is spelled like a special token would be that token's twin in the
        # file.
        twins = [token for s in specials if (token := unspelled(s)) is not None]
        tokens = dict.fromkeys(as_tokens("pinned", pinned))
        wanted = [token for token in tokens if len(token) > 1]
        places = vocab_size - least
        if len(wanted) > places:
            raise TrainingError(
                f"pinned: {len(wanted)} tokens do not fit into {places} places beside the 256 bytes"
                f" and the special tokens; raise vocab_size to {least + len(wanted)}"
            )
        return cls(
            vocab_size=vocab_size,
            special_tokens=specials,
            pinned=wanted,
            forbidden=[*as_tokens("forbidden", forbidden), *twins],
            max_token_bytes=longest,
            valid_utf8=valid_utf8,
            splittable=bytes(splittable),
            split_after=splittable_at == "end",
        )

    @property
    def budget(self) -> int:
        """Tokens of more than one byte to choose, pinned ones included."""
        return self.vocab_size - BYTES - len(self.special_tokens)

    def admits(self, token: bytes) -> bool:
        """Return whether a token of more than one byte may be in the vocabulary."""
        rest = token[:-1] if self.split_after else token[1:]
        if self.valid_utf8:
            try:
                token.decode()
            except UnicodeDecodeError:
                return False
        return (
            1 < len(token) <= self.max_token_bytes
            and not any(byte in self.splittable for byte in rest)
            and token not in self.forbidden
        )

    def described(self) -> dict[str, Any]:
        """Return the rules as plain data for a report."""
        return {
            "max_token_bytes": self.max_token_bytes,
            "valid_utf8": self.valid_utf8,
            "splittable": self.splittable.decode("latin-1"),
            "splittable_at": "end" if self.split_after else "start",
            "pinned": [token.decode("utf-8", "backslashreplace") for token in self.pinned],
            "forbidden": [token.decode("utf-8", "backslashreplace") for token in self.forbidden],
        }


def _check_specials(specials: list[str]) -> None:
    single = next((s for s in specials if s in byte_level_characters()), None)
    if single is not None:
        message = f"special_tokens: {single!r} is how the file spells a byte; use a longer text"
        raise InvalidArgumentError(message, "special_tokens")


def as_tokens(name: str, tokens: Iterable[str | bytes]) -> list[bytes]:
    """Return the tokens as bytes.

    Raises:
        InvalidArgumentError: One is empty, or neither `str` nor `bytes`.
    """
    if isinstance(tokens, (str, bytes)):
        message = f"{name}: {tokens!r} is one token; give a list of them"
        raise InvalidArgumentError(message, name)
    found: list[bytes] = []
    for token in tokens:
        if not isinstance(token, (str, bytes)) or not token:
            message = f"{name}: {token!r} is not a token; a token is str or bytes, not empty"
            raise InvalidArgumentError(message, name)
        found.append(token.encode() if isinstance(token, str) else token)
    return found


def read_start(start: Any) -> list[bytes] | None:
    """Return the tokens of a vocabulary to start from.

    Args:
        start: None, an iterable of tokens, a tokenizer with a `vocabulary`, or the path of a
            tokenizer.json or of a file of tiktoken ranks.

    Raises:
        InvalidArgumentError: It is none of these.
    """
    if start is None:
        return None
    if isinstance(start, (str, os.PathLike)):
        return _read_file(Path(start))
    vocabulary = getattr(start, "vocabulary", start)
    try:
        tokens = list(vocabulary)
    except TypeError as error:
        message = (
            f"start: a {type(start).__name__} is no vocabulary; give tokens, a tokenizer or a path"
        )
        raise InvalidArgumentError(message, "start") from error
    return as_tokens("start", [token for token in tokens if token])


def _read_file(path: Path) -> list[bytes]:
    if path.suffix == ".json":
        try:
            vocabulary = json.loads(path.read_bytes())["model"]["vocab"]
        except (ValueError, KeyError, TypeError) as error:
            message = f"start: {path} has no model.vocab ({error}); give a tokenizer.json"
            raise InvalidArgumentError(message, "start") from error
        names = list(vocabulary) if isinstance(vocabulary, dict) else [row[0] for row in vocabulary]
        return [token for name in names if (token := unspelled(name))]
    import base64
    import binascii

    try:
        rows = [line.split() for line in path.read_bytes().splitlines() if line.strip()]
        return [base64.b64decode(row[0], validate=True) for row in rows if int(row[1]) >= 0]
    except (ValueError, IndexError, binascii.Error) as error:
        message = f"start: {path} is neither a tokenizer.json nor a file of tiktoken ranks"
        raise InvalidArgumentError(message, "start") from error
