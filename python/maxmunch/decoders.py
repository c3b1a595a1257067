"""Decoders: from token texts back to text. Plain objects that describe themselves as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.components import Component, character, metaspace
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]


class Decoder(Component, section=True):
    """A decoder; build one of its subclasses."""


class BPEDecoder(Decoder):
    """Turns the suffix of word ends into spaces; after the last token there is none."""

    def __init__(self, suffix: str = "</w>") -> None:
        super().__init__(suffix=suffix)


class ByteFallback(Decoder):
    """Decodes runs of tokens `<0xHH>`; a run that is not UTF-8 becomes one U+FFFD a byte."""

    def __init__(self) -> None:
        super().__init__()


class ByteLevel(Decoder):
    """Printable characters back to bytes; a token with any other character is text."""

    def __init__(self) -> None:
        super().__init__(add_prefix_space=True, trim_offsets=True, use_regex=True)


class CTC(Decoder):
    """Takes out repeated tokens, then padding.

    Args:
        pad_token: The text of padding.
        word_delimiter_token: What `cleanup` turns into a space.
        cleanup: Whether to take out spaces around English punctuation.
    """

    def __init__(
        self,
        pad_token: str = "<pad>",
        word_delimiter_token: str = "|",
        cleanup: bool = True,
    ) -> None:
        super().__init__(
            pad_token=pad_token, word_delimiter_token=word_delimiter_token, cleanup=cleanup
        )


class Fuse(Decoder):
    """Joins all tokens into one, for what comes after it in a sequence."""

    def __init__(self) -> None:
        super().__init__()


class Metaspace(Decoder):
    """Turns the mark of spaces into spaces; the first token loses it unless the scheme is never.

    Raises:
        InvalidArgumentError: `replacement` is not one character, or there is no such scheme.
    """

    def __init__(
        self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True
    ) -> None:
        super().__init__(**metaspace(replacement, prepend_scheme, split=split))


class Replace(Decoder):
    """Replaces what a pattern matches, in each token for itself.

    Args:
        pattern: A literal text, or a regular expression as `{"Regex": …}`.
        content: What is put in, as it is.
    """

    def __init__(self, pattern: str | dict[str, str], content: str) -> None:
        super().__init__(
            pattern={"String": pattern} if isinstance(pattern, str) else dict(pattern),
            content=content,
        )


class Strip(Decoder):
    """Takes a character off the ends of each token.

    Args:
        content: The character.
        left: How often at most at the start; the file calls it `start`.
        right: How often at most at the end; the file calls it `stop`.

    Raises:
        InvalidArgumentError: `content` is not one character, or a number is negative.
    """

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        for name, value in (("left", left), ("right", right)):
            if value < 0:
                raise InvalidArgumentError(f"{name}: {value} should be 0 or more", name)
        super().__init__(content=character("content", content), start=left, stop=right)


class WordPiece(Decoder):
    """Joins continued words, puts spaces between the others.

    Args:
        prefix: What marks a token that continues a word.
        cleanup: Whether to take out spaces around English punctuation.
    """

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        super().__init__(prefix=prefix, cleanup=cleanup)


class Sequence(Decoder):
    """Several decoders, one after the other."""

    def __init__(self, decoders: Iterable[Decoder]) -> None:
        super().__init__(decoders=list(decoders))

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        parts = [Decoder.from_dict(part) for part in members["decoders"]]
        return {**members, "decoders": parts}
