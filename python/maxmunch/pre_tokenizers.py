"""Pre-tokenizers: how text is cut into pieces. Plain objects that describe themselves as JSON."""

from __future__ import annotations

from typing import Any

from maxmunch import _core
from maxmunch.components import byte_level_table
from maxmunch.composite import Composite, Customizable
from maxmunch.errors import InvalidArgumentError
from maxmunch.options import (
    Option,
    Regex,
    behavior,
    character,
    choice,
    count,
    flag,
    instance,
    pattern,
)
from maxmunch.strings import PreTokenizedString

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

_SCHEMES = {scheme: scheme for scheme in ("first", "never", "always")}


class PreTokenizer(Customizable, section="pre_tokenizer"):
    """A pre-tokenizer; build one of its subclasses."""

    @staticmethod
    def custom(pretok: Any) -> PreTokenizer:
        """Return a pre-tokenizer that calls `pretok.pre_tokenize(text)`.

        The text is a `PreTokenizedString`. It runs Python code for every text, one at a time, and
        cannot be saved or pickled.
        """
        made: PreTokenizer = PreTokenizer._of_object(pretok)
        return made

    def _build(self) -> Any:
        return _core.PreTokenizerCore.from_json(self._custom_json(), self._objects())

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Cut the pieces of a `PreTokenizedString` in place."""
        self.core().pre_tokenize(instance("pretok", pretok, PreTokenizedString).core)

    def pre_tokenize_str(self, sequence: str) -> list[tuple[str, tuple[int, int]]]:
        """Return the pieces of a text and where they stand in it, in characters."""
        return list(self.core().pre_tokenize_str(sequence))


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

    add_prefix_space = Option[bool](flag)
    trim_offsets = Option[bool](flag)
    use_regex = Option[bool](flag)

    def __init__(
        self,
        add_prefix_space: bool = True,
        trim_offsets: bool = True,
        use_regex: bool = True,
        **_kwargs: Any,
    ) -> None:
        super().__init__(
            add_prefix_space=flag("add_prefix_space", add_prefix_space),
            trim_offsets=flag("trim_offsets", trim_offsets),
            use_regex=flag("use_regex", use_regex),
        )

    @staticmethod
    def alphabet() -> list[str]:
        """Return the 256 characters that stand for bytes."""
        return byte_level_table()


class CharDelimiterSplit(PreTokenizer):
    """Cuts at one character, which is dropped."""

    delimiter = Option[str](character)

    def __init__(self, delimiter: str) -> None:
        super().__init__(delimiter=character("delimiter", delimiter))


class Digits(PreTokenizer):
    """Cuts at numeric characters (Nd, Nl, No).

    Args:
        individual_digits: Whether each is a piece, or each run of them.
    """

    individual_digits = Option[bool](flag)

    def __init__(self, individual_digits: bool = False) -> None:
        super().__init__(individual_digits=flag("individual_digits", individual_digits))


def _length(name: str, value: Any) -> int:
    if count(name, value) < 1:
        raise InvalidArgumentError(f"{name}: {value} should be 1 or more", name)
    return int(value)


class FixedLength(PreTokenizer):
    """Cuts after every `length` characters.

    Raises:
        InvalidArgumentError: `length` is below 1.
    """

    length = Option[int](_length)

    def __init__(self, length: int = 5) -> None:
        super().__init__(length=_length("length", length))


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

    replacement = Option[str](character)
    prepend_scheme = Option[str](choice(_SCHEMES))
    split = Option[bool](flag)

    def __init__(
        self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True
    ) -> None:
        super().__init__(
            replacement=character("replacement", replacement),
            prepend_scheme=choice(_SCHEMES)("prepend_scheme", prepend_scheme),
            split=flag("split", split),
        )


class Punctuation(PreTokenizer):
    """Cuts at ASCII punctuation and Unicode punctuation marks.

    Args:
        behavior: removed, isolated, merged_with_previous, merged_with_next or contiguous.

    Raises:
        InvalidArgumentError: `behavior` is none of the five.
    """

    behavior = Option[str](behavior, shown=str.lower)

    def __init__(self, behavior: str = "isolated") -> None:
        super().__init__(behavior=_behavior("behavior", behavior))


class Split(PreTokenizer):
    """Cuts at the matches of a pattern.

    Args:
        pattern: A literal text, or a `Regex`.
        behavior: removed, isolated, merged_with_previous, merged_with_next or contiguous.
        invert: Whether to cut at what the pattern does not match.

    Raises:
        InvalidArgumentError: `behavior` is none of the five.
    """

    behavior = Option[str](behavior, shown=str.lower)
    invert = Option[bool](flag)

    def __init__(self, pattern: str | Regex, behavior: str, invert: bool = False) -> None:
        super().__init__(
            pattern=_pattern("pattern", pattern),
            behavior=_behavior("behavior", behavior),
            invert=flag("invert", invert),
        )

    @property
    def pattern(self) -> Any:
        """Not to be had, as in `tokenizers`: raises TypeError."""
        raise TypeError("pattern: cannot be read; to_dict() has it")

    @pattern.setter
    def pattern(self, value: Any) -> None:  # noqa: ARG002
        raise TypeError("pattern: cannot be set; make a new Split")


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


class Sequence(Composite, PreTokenizer):
    """Several pre-tokenizers, each on every piece of the one before.

    Args:
        pretokenizers: The pre-tokenizers; a sequence among them is taken apart.
    """

    _member = "pretokenizers"

    def __init__(self, pretokenizers: list[PreTokenizer]) -> None:
        super().__init__(pretokenizers=self._flat(pretokenizers, PreTokenizer))


_behavior, _pattern = behavior, pattern
