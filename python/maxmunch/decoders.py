"""Decoders: from token texts back to text. Plain objects that describe themselves as JSON."""

from __future__ import annotations

import json
import operator
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.arguments import id_list
from maxmunch.composite import Composite, Customizable
from maxmunch.errors import UnsupportedTokenizerError
from maxmunch.options import (
    Option,
    Regex,
    character,
    choice,
    count,
    flag,
    instance,
    maybe,
    pattern,
    text,
)
from maxmunch.state import TokenizerState

if TYPE_CHECKING:
    from collections.abc import Sequence as Many

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]

_SCHEMES = {scheme: scheme for scheme in ("first", "never", "always")}


class Decoder(Customizable, section="decoder"):
    """A decoder; build one of its subclasses."""

    @staticmethod
    def custom(decoder: Any) -> Decoder:
        """Return a decoder that calls `decoder.decode_chain(tokens)` for the decoded texts.

        It runs Python code for every call, one at a time, and cannot be saved or pickled.
        """
        made: Decoder = Decoder._of_object(decoder)
        return made

    def _build(self) -> Any:
        return _core.DecoderCore.from_json(self._custom_json(), self._objects())

    def decode(self, tokens: list[str]) -> str:
        """Return the text of the tokens."""
        return str(self.core().decode(tokens))


class BPEDecoder(Decoder):
    """Turns the suffix of word ends into spaces; after the last token there is none."""

    suffix = Option[str](text)

    def __init__(self, suffix: str = "</w>") -> None:
        super().__init__(suffix=text("suffix", suffix))


class ByteFallback(Decoder):
    """Decodes runs of tokens `<0xHH>`; a run that is not UTF-8 becomes one U+FFFD a byte."""

    def __init__(self) -> None:
        super().__init__()


class ByteLevel(Decoder):
    """Printable characters back to bytes; a token with any other character is text."""

    def __init__(self, **_kwargs: Any) -> None:
        super().__init__(add_prefix_space=True, trim_offsets=True, use_regex=True)


class CTC(Decoder):
    """Takes out repeated tokens, then padding.

    Args:
        pad_token: The text of padding.
        word_delimiter_token: What `cleanup` turns into a space.
        cleanup: Whether to take out spaces around English punctuation.
    """

    pad_token = Option[str](text)
    word_delimiter_token = Option[str](text)
    cleanup = Option[bool](flag)

    def __init__(
        self,
        pad_token: str = "<pad>",
        word_delimiter_token: str = "|",
        cleanup: bool = True,
    ) -> None:
        super().__init__(
            pad_token=text("pad_token", pad_token),
            word_delimiter_token=text("word_delimiter_token", word_delimiter_token),
            cleanup=flag("cleanup", cleanup),
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


class Replace(Decoder):
    """Replaces what a pattern matches, in each token for itself.

    Args:
        pattern: A literal text, or a `Regex`.
        content: What is put in, as it is.
    """

    def __init__(self, pattern: str | Regex, content: str) -> None:
        super().__init__(pattern=_pattern("pattern", pattern), content=text("content", content))


class Strip(Decoder):
    """Takes a character off the ends of each token.

    Args:
        content: The character.
        left: How often at most at the start; the file calls it `start`.
        right: How often at most at the end; the file calls it `stop`.

    Raises:
        InvalidArgumentError: `content` is not one character.
        OverflowError: A number is negative.
    """

    content = Option[str](character)
    start = Option[int](count)
    stop = Option[int](count)

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        super().__init__(
            content=character("content", content),
            start=count("left", left),
            stop=count("right", right),
        )


class WordPiece(Decoder):
    """Joins continued words, puts spaces between the others.

    Args:
        prefix: What marks a token that continues a word.
        cleanup: Whether to take out spaces around English punctuation.
    """

    prefix = Option[str](text)
    cleanup = Option[bool](flag)

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        super().__init__(prefix=text("prefix", prefix), cleanup=flag("cleanup", cleanup))


class Sequence(Composite, Decoder):
    """Several decoders, one after the other.

    Args:
        decoders: The decoders, copied; changing them later changes nothing here.
    """

    _member = "decoders"

    def __init__(self, decoders: list[Decoder]) -> None:
        parts = []
        for decoder in self._of(decoders, Decoder):
            if isinstance(decoder, Customizable) and decoder._objects():
                raise UnsupportedTokenizerError(
                    "decoders: a custom decoder cannot be part of a sequence; call the others from "
                    "its decode_chain",
                    "decoders",
                )
            parts.append(Decoder.from_dict(json.loads(decoder.to_json())))
        super().__init__(decoders=parts)


_pattern = pattern


def _step_ids(id: Any) -> list[int]:
    try:
        return [operator.index(id)]
    except TypeError:
        return id_list(id)


class DecodeStream:
    """Decodes ids as they come, as the class of this name of `tokenizers` does.

    Text that may still change is held back. Where a decoder changes text that was given already,
    `step` raises; `Tokenizer.stream_decoder` never does.

    Args:
        ids: Ids that were decoded before, the prompt.
        skip_special_tokens: Whether special tokens add no text.

    Example:
        >>> import maxmunch as mm
        >>> tok = mm.Tokenizer(mm.models.LongestMatch({b"to": 0, b" be": 1}))
        >>> stream = mm.decoders.DecodeStream()
        >>> [stream.step(tok, 0), stream.step(tok, [1])]
        ['to', ' be']
    """

    def __init__(self, ids: Many[int] | None = None, skip_special_tokens: bool = False) -> None:
        skips = maybe(flag)("skip_special_tokens", skip_special_tokens) is True
        self._core = _core.DecodeStreamCore([] if ids is None else id_list(ids), skips)

    def step(self, tokenizer: TokenizerState, id: int | Many[int]) -> str | None:
        """Return the text that one or more ids add, or None while it may still change.

        Raises:
            InvalidArgumentError: The ids change text that was given already.
            TypeError: It is neither an id nor a list of ids, from 0 to 2^32 - 1.
        """
        core = instance("tokenizer", tokenizer, TokenizerState)._core
        try:
            if type(id) is int:
                return self._core.step_one(core, id)
            return self._core.step(core, _step_ids(id))
        except OverflowError as error:
            raise TypeError(
                f"id: {id!r:.60} given; StreamInput must be either an integer or a list of "
                "integers, from 0 to 2^32 - 1"
            ) from error

    def __copy__(self) -> DecodeStream:
        copied = DecodeStream.__new__(DecodeStream)
        copied._core = self._core.copy()
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> DecodeStream:
        return self.__copy__()
