"""Texts that know what they were: what custom components work on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.encoding import Encoding
from maxmunch.errors import InvalidArgumentError
from maxmunch.options import Regex, behavior, choice, count, instance, pattern, text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Slice: TypeAlias = slice

__all__ = ["NormalizedString", "PreTokenizedString", "Token"]


class Token:
    """A token of a piece.

    Args:
        id: Its id.
        value: Its text.
        offsets: Where it stands, in bytes of the piece.
    """

    __slots__ = ("_id", "_offsets", "_value")

    def __init__(self, id: int, value: str, offsets: tuple[int, int]) -> None:
        start, end = offsets
        self._id = count("id", id)
        self._value = text("value", value)
        self._offsets = (count("offsets", start), count("offsets", end))

    @property
    def id(self) -> int:
        """Its id."""
        return self._id

    @property
    def value(self) -> str:
        """Its text."""
        return self._value

    @property
    def offsets(self) -> tuple[int, int]:
        """Where it stands, in bytes of the piece."""
        return self._offsets

    def as_tuple(self) -> tuple[int, str, tuple[int, int]]:
        """Return id, text and offsets."""
        return self._id, self._value, self._offsets

    @classmethod
    def of_core(cls, id: int, value: str, offsets: tuple[int, int]) -> Token:
        """Return the token that the compiled core gave."""
        token = cls.__new__(cls)
        token._id, token._value, token._offsets = id, value, offsets
        return token

    def __repr__(self) -> str:
        return f"Token(id={self._id}, value={self._value!r}, offsets={self._offsets})"


class NormalizedString:
    """A text as it is, as it was, and from where each part of it came.

    Args:
        sequence: The text.

    Example:
        >>> import maxmunch as mm
        >>> text = mm.NormalizedString("Été")
        >>> text.lowercase()
        >>> text
        NormalizedString(original="Été", normalized="été")
    """

    def __init__(self, sequence: str) -> None:
        self._core = _core.NormalizedStringCore.from_text(sequence)

    @classmethod
    def from_core(cls, core: _core.NormalizedStringCore) -> NormalizedString:
        """Wrap a text of the compiled core."""
        own = cls.__new__(cls)
        own._core = core
        return own

    @property
    def core(self) -> _core.NormalizedStringCore:
        """The text of the compiled core, for the modules of this package."""
        return self._core

    @property
    def normalized(self) -> str:
        """The text as it is now."""
        return self._core.text()

    @property
    def original(self) -> str:
        """The text as it was."""
        return self._core.original()

    def nfd(self) -> None:
        """Decompose characters."""
        self._apply('{"type":"NFD"}')

    def nfkd(self) -> None:
        """Decompose characters and compatibility forms."""
        self._apply('{"type":"NFKD"}')

    def nfc(self) -> None:
        """Compose characters."""
        self._apply('{"type":"NFC"}')

    def nfkc(self) -> None:
        """Compose characters after decomposing compatibility forms."""
        self._apply('{"type":"NFKC"}')

    def lowercase(self) -> None:
        """Write every character in lower case."""
        self._apply('{"type":"Lowercase"}')

    def uppercase(self) -> None:
        """Write every character in upper case."""
        self._core.uppercase()

    def prepend(self, s: str) -> None:
        """Put a text in front, unless there is no text."""
        self._apply(json.dumps({"type": "Prepend", "prepend": s}, ensure_ascii=False))

    def append(self, s: str) -> None:
        """Put a text behind."""
        self._core.append(s)

    def lstrip(self) -> None:
        """Take white space off the start."""
        self._apply('{"type":"Strip","strip_left":true,"strip_right":false}')

    def rstrip(self) -> None:
        """Take white space off the end."""
        self._apply('{"type":"Strip","strip_left":false,"strip_right":true}')

    def strip(self) -> None:
        """Take white space off both ends."""
        self._apply('{"type":"Strip","strip_left":true,"strip_right":true}')

    def clear(self) -> None:
        """Drop all text."""
        self._core.clear()

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keep the characters for which `func` is true."""
        _callable("func", func)
        self._core.retain([bool(func(character)) for character in self.normalized])

    def for_each(self, func: Callable[[str], Any]) -> None:
        """Call `func` with every character."""
        _callable("func", func)
        for character in self.normalized:
            func(character)

    def map(self, func: Callable[[str], str]) -> None:
        """Replace every character by the one that `func` returns."""
        _callable("func", func)
        self._core.map([func(character)[:1] for character in self.normalized])

    def split(self, pattern: str | Regex, behavior: str) -> list[NormalizedString]:
        """Return the parts between, or with, the matches of a pattern.

        Args:
            pattern: A literal text, or a `Regex`.
            behavior: removed, isolated, merged_with_previous, merged_with_next or contiguous.
        """
        source, is_regex = _pattern(pattern)
        parts = self._core.split(source, is_regex, _behavior("behavior", behavior))
        return [NormalizedString.from_core(part) for part in parts]

    def replace(self, pattern: str | Regex, content: str) -> None:
        """Replace the matches of a pattern by a text."""
        source, is_regex = _pattern(pattern)
        self._core.replace(source, is_regex, content)

    def slice(self, range: int | tuple[int, int] | Slice) -> NormalizedString | None:
        """Return the characters of a range, with the original behind them; None outside the text.

        As in `tokenizers`, negative positions count from the number of *bytes*, and an end before
        the start is the end of the text.
        """
        text = self.normalized
        start, end = _range(range, len(text.encode()))
        if start >= len(text) and not (start == end == 0):
            return None
        # As in the reference: an end before the start is no end.
        end = len(text) if end < start else min(end, len(text))
        first = len(text[:start].encode())
        found = self._core.slice(first, first + len(text[start:end].encode()))
        return None if found is None else NormalizedString.from_core(found)

    def __getitem__(self, range: int | tuple[int, int] | Slice) -> NormalizedString | None:
        return self.slice(range)

    def __str__(self) -> str:
        return self.normalized

    def __repr__(self) -> str:
        return f'NormalizedString(original="{self.original}", normalized="{self.normalized}")'

    def _apply(self, json: str) -> None:
        self._core.normalize(_core.NormalizerCore.from_json(json, []))


class PreTokenizedString:
    """A text in pieces. A piece that has tokens is never cut or changed again.

    Args:
        sequence: The text, one piece to begin with.

    Example:
        >>> import maxmunch as mm
        >>> text = mm.PreTokenizedString("to be")
        >>> mm.pre_tokenizers.Whitespace().pre_tokenize(text)
        >>> text.get_splits()
        [('to', (0, 2), None), ('be', (3, 5), None)]
    """

    def __init__(self, sequence: str) -> None:
        self._core = _core.PreTokenizedStringCore.from_text(sequence)

    @classmethod
    def from_core(cls, core: _core.PreTokenizedStringCore) -> PreTokenizedString:
        """Wrap a text of the compiled core."""
        own = cls.__new__(cls)
        own._core = core
        return own

    @property
    def core(self) -> _core.PreTokenizedStringCore:
        """The text of the compiled core, for the modules of this package."""
        return self._core

    def split(self, func: Callable[[int, NormalizedString], list[NormalizedString]]) -> None:
        """Replace each piece by the pieces that `func` returns for its number and its text.

        Pieces should come from `split` or `slice` of the text, so that offsets stay right.
        """
        _callable("func", func)

        def cut(index: int, core: _core.NormalizedStringCore) -> list[_core.NormalizedStringCore]:
            parts = func(index, NormalizedString.from_core(core))
            return [instance("func", part, NormalizedString).core for part in parts]

        self._core.split(cut)

    def normalize(self, func: Callable[[NormalizedString], Any]) -> None:
        """Let `func` change the text of each piece in place."""
        _callable("func", func)
        self._core.normalize(lambda core: func(NormalizedString.from_core(core)))

    def tokenize(self, func: Callable[[str], list[Token]]) -> None:
        """Give each piece the tokens that `func` returns for its text."""
        _callable("func", func)
        self._core.tokenize(
            lambda text: [instance("func", token, Token).as_tuple() for token in func(text)]
        )

    def to_encoding(self, type_id: int = 0, word_idx: int | None = None) -> Encoding:
        """Return the encoding of the tokens.

        Args:
            type_id: The type of all of them.
            word_idx: The word of all of them; by default the number of their piece.

        Raises:
            InvalidArgumentError: A piece has no tokens yet.
        """
        return Encoding.from_core(self._core.encoding(type_id, word_idx))

    def get_splits(
        self, offset_referential: str = "original", offset_type: str = "char"
    ) -> list[tuple[str, tuple[int, int], list[Token] | None]]:
        """Return text, offsets and tokens of each piece.

        Args:
            offset_referential: "original", or "normalized": the pieces one after another.
            offset_type: "char" or "byte".
        """
        of = choice({"original": "original", "normalized": "normalized"})
        unit = choice({"char": "char", "byte": "byte"})
        splits = self._core.splits(
            of("offset_referential", offset_referential) == "original",
            unit("offset_type", offset_type) == "char",
        )
        return [
            (text, offsets, None if tokens is None else [Token(*token) for token in tokens])
            for text, offsets, tokens in splits
        ]


_behavior = behavior


def _pattern(value: str | Regex) -> tuple[str, bool]:
    ((kind, source),) = pattern("pattern", value).items()
    return source, kind == "Regex"


def _range(range: Any, length: int) -> tuple[int, int]:
    if isinstance(range, slice):
        start, end, _ = range.indices(length)
        return start, end
    if isinstance(range, tuple):
        start, end = range
        return start, end
    if range >= 0:
        return range, range + 1
    if -range > length:
        raise InvalidArgumentError(f"range: {range} is before the start of the text", "range")
    return length + range, length + range + 1


def _callable(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"{name}: {type(value).__name__} given where a callable is expected")
