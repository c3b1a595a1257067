"""Pre-tokenizers: how text is cut into pieces. Plain objects that describe themselves as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.components import Component, byte_level_table, character, metaspace
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "PreTokenizer",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
]

_BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}


class PreTokenizer(Component, section=True):
    """A pre-tokenizer; build one of its subclasses."""


def _behavior(name: str) -> str:
    """Return how files spell a behavior.

    Raises:
        InvalidArgumentError: There is none with that name.
    """
    if name not in _BEHAVIORS:
        raise InvalidArgumentError(
            f"behavior: {name!r} should be one of {', '.join(_BEHAVIORS)}", "behavior"
        )
    return _BEHAVIORS[name]


class BertPreTokenizer(PreTokenizer):
    """Drops white space; each punctuation mark is a piece."""

    def __init__(self) -> None:
        super().__init__()


class ByteLevel(PreTokenizer):
    """Writes bytes as printable characters, after a cut by the pattern of GPT-2.

    Args:
        add_prefix_space: Whether a piece that does not start with a space gets one.
        trim_offsets: Kept in the file; only post-processors trim.
        use_regex: Whether to cut by the pattern first.
    """

    def __init__(
        self,
        add_prefix_space: bool = True,
        trim_offsets: bool = True,
        use_regex: bool = True,
    ) -> None:
        super().__init__(
            add_prefix_space=add_prefix_space, trim_offsets=trim_offsets, use_regex=use_regex
        )

    @staticmethod
    def alphabet() -> list[str]:
        """Return the 256 characters that stand for bytes."""
        return byte_level_table()


class CharDelimiterSplit(PreTokenizer):
    """Cuts at one character, which is dropped."""

    def __init__(self, delimiter: str) -> None:
        super().__init__(delimiter=character("delimiter", delimiter))


class Digits(PreTokenizer):
    """Cuts at numeric characters (Nd, Nl, No).

    Args:
        individual_digits: Whether each is a piece, or each run of them.
    """

    def __init__(self, individual_digits: bool = False) -> None:
        super().__init__(individual_digits=individual_digits)


class FixedLength(PreTokenizer):
    """Cuts after every `length` characters.

    Raises:
        InvalidArgumentError: `length` is below 1.
    """

    def __init__(self, length: int = 5) -> None:
        if length < 1:
            raise InvalidArgumentError(f"length: {length} should be 1 or more", "length")
        super().__init__(length=length)


class Metaspace(PreTokenizer):
    """Writes spaces as a visible mark, which starts each word.

    Args:
        replacement: The mark.
        prepend_scheme: Which pieces get a mark in front: always (all), never (none), first (the one
            where the text starts).
        split: Whether a mark starts a piece.

    Raises:
        InvalidArgumentError: `replacement` is not one character, or the scheme none of the three.
    """

    def __init__(
        self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True
    ) -> None:
        super().__init__(**metaspace(replacement, prepend_scheme, split=split))


class Punctuation(PreTokenizer):
    """Cuts at ASCII punctuation and Unicode punctuation marks.

    Args:
        behavior: removed, isolated, merged_with_previous, merged_with_next or contiguous.

    Raises:
        InvalidArgumentError: `behavior` is none of the five.
    """

    def __init__(self, behavior: str = "isolated") -> None:
        super().__init__(behavior=_behavior(behavior))


class Split(PreTokenizer):
    """Cuts at the matches of a pattern.

    Args:
        pattern: A literal text, or a regular expression as `{"Regex": …}`.
        behavior: removed, isolated, merged_with_previous, merged_with_next or contiguous.
        invert: Whether to cut at what the pattern does not match.

    Raises:
        InvalidArgumentError: `behavior` is none of the five.
    """

    def __init__(
        self, pattern: str | dict[str, str], behavior: str, *, invert: bool = False
    ) -> None:
        super().__init__(
            pattern={"String": pattern} if isinstance(pattern, str) else dict(pattern),
            behavior=_behavior(behavior),
            invert=invert,
        )


class UnicodeScripts(PreTokenizer):
    """Cuts where the script changes; what comes before the first script is dropped."""

    def __init__(self) -> None:
        super().__init__()


class Whitespace(PreTokenizer):
    r"""Keeps runs of word characters and runs of symbols: `\w+|[^\w\s]+`."""

    def __init__(self) -> None:
        super().__init__()


class WhitespaceSplit(PreTokenizer):
    """Keeps what stands between white space."""

    def __init__(self) -> None:
        super().__init__()


class Sequence(PreTokenizer):
    """Several pre-tokenizers, each on every piece of the one before."""

    def __init__(self, pretokenizers: Iterable[PreTokenizer]) -> None:
        super().__init__(pretokenizers=list(pretokenizers))

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        parts = [PreTokenizer.from_dict(part) for part in members["pretokenizers"]]
        return {**members, "pretokenizers": parts}
