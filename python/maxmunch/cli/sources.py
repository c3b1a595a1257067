"""Where the commands get their tokenizers, token sets and texts from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.cli.console import parse_bytes
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import mmap

    from maxmunch.certify import TokenSet
    from maxmunch.tokenizer import Tokenizer

__all__ = [
    "SET_HELP",
    "is_token_set",
    "load_token_set",
    "load_tokenizer",
    "map_bytes",
    "map_edited",
    "read_bytes",
    "read_text",
]

INLINE = "tokens:"
PATTERNS = "patterns:"
GRAMMAR = "grammar:"
# Bytes that are copied at a time.
_PIECE = 1 << 22
SET_HELP = (
    "tokenizer.json, its directory, an RWKV vocabulary, tokens:ab,b, "
    "patterns:FILE (a name and a pattern a line), or grammar:NAME (bare, conventional, …)"
)


def load_tokenizer(path: str) -> Tokenizer:
    """Return the tokenizer of a file: RWKV's vocabulary if it ends in .txt, else tokenizer.json.

    A directory stands for the `tokenizer.json` inside it.

    Raises:
        InvalidArgumentError: There is no such file.
        InvalidTokenizerError: The file is malformed.
        UnsupportedTokenizerError: The file asks for what is not reproduced.
    """
    from maxmunch.tokenizer import Tokenizer

    file = Path(path)
    if file.is_dir():
        file /= "tokenizer.json"
    if not file.is_file():
        message = f"there is no file {path!r}; give the path of a tokenizer.json"
        raise InvalidArgumentError(message, "tokenizer")
    return Tokenizer.from_rwkv(file) if file.suffix == ".txt" else Tokenizer.from_file(file)


def is_token_set(source: str) -> bool:
    """Return whether `source` names a token set that is no tokenizer's vocabulary."""
    return source.startswith((INLINE, PATTERNS, GRAMMAR))


def load_token_set(source: str) -> TokenSet:
    r"""Return the token set of a tokenizer file, an inline list, or a file of patterns.

    Inline tokens, as in ``tokens:ab,b``, are separated by commas and take Python's escapes
    (``\x2c`` is a comma). A file of patterns has a name, white space and a regular expression on
    each line, in order of priority; empty lines and lines that begin with ``#`` are passed over.
    ``grammar:NAME`` is one of the C-like grammars of `maxmunch.certify.grammars`.
    """
    from maxmunch.certify import TokenSet, grammars

    if source.startswith(INLINE):
        names = source.removeprefix(INLINE).split(",")
        return TokenSet.literal([parse_bytes(name, "tokens") for name in names])
    if source.startswith(PATTERNS):
        return TokenSet.regular(_patterns(source.removeprefix(PATTERNS)))
    if source.startswith(GRAMMAR):
        return grammars.token_set(source.removeprefix(GRAMMAR))
    return load_tokenizer(source).vocabulary.token_set()


def _patterns(path: str) -> list[tuple[str, str]]:
    patterns = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, pattern = line.strip().partition(" ")
        if not pattern.strip():
            message = f"{path!r}, line {number}: {line!r} has no pattern; write NAME PATTERN"
            raise InvalidArgumentError(message, "patterns")
        patterns.append((name, pattern.strip()))
    return patterns


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``.

    Raises:
        InvalidArgumentError: The file cannot be read.
    """
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        message = f"cannot read {path!r}: {error.strerror}; give a readable file, or - for stdin"
        raise InvalidArgumentError(message, "path") from error


def map_bytes(path: str) -> bytes | mmap.mmap:
    """Return the bytes of a file without reading it: only what is looked at comes into memory.

    Standard input, pipes and empty files, which cannot be mapped, are read.

    Raises:
        InvalidArgumentError: The file cannot be read.
    """
    import mmap

    if path == "-":
        return read_bytes(path)
    try:
        with Path(path).open("rb") as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return read_bytes(path)


def map_edited(data: bytes | mmap.mmap, start: int, end: int, inserted: bytes) -> bytes | mmap.mmap:
    """Return `data` with `inserted` in place of the bytes from `start` to `end`.

    A mapped text gives a mapped one, over a temporary file that goes with it.

    Raises:
        InvalidArgumentError: There is no room for the temporary file.
    """
    import mmap
    import tempfile

    if isinstance(data, bytes):
        return data[:start] + inserted + data[end:]
    if len(data) - (end - start) + len(inserted) == 0:
        return b""  # cannot be mapped
    try:
        with tempfile.TemporaryFile() as stream:
            for low, high, after in ((0, start, inserted), (end, len(data), b"")):
                for at in range(low, high, _PIECE):
                    stream.write(data[at : min(high, at + _PIECE)])
                stream.write(after)
            stream.flush()
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        message = (
            f"no temporary copy of the text with the edit: {error.strerror}; set TMPDIR to a "
            "directory with room for it"
        )
        raise InvalidArgumentError(message, "text") from error


def read_text(path: str) -> str:
    """Return the text of a UTF-8 file, or of standard input for ``-``.

    Raises:
        InvalidArgumentError: The file cannot be read, or is not valid UTF-8.
    """
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        message = (
            f"{path!r} is not valid UTF-8 at byte {error.start}; convert it first, "
            "for example with iconv -f latin1 -t utf-8"
        )
        raise InvalidArgumentError(message, "path") from error
