"""Text and ids as they come: what is given out is never taken back."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    import numpy.typing as npt

__all__ = ["StreamDecoder", "StreamEncoder"]

_MOST = 2**32


class StreamDecoder:
    """Writes the text of ids as soon as no later id can change it.

    All that `feed` and `finish` return, joined, is the text of all ids.
    """

    def __init__(self, core: _core.TokenizerCore, *, skip_special_tokens: bool) -> None:
        self._core = _core.StreamDecoderCore(core, skip_special_tokens)

    def feed(self, ids: int | Iterable[int]) -> str:
        """Return the text that is certain now; an id without a token adds nothing.

        Complexity: amortised, the length of the tokens.
        """
        numbers = [ids] if isinstance(ids, int) else [int(number) for number in ids]
        return self._core.feed([number for number in numbers if 0 <= number < _MOST])

    def finish(self) -> str:
        """Return the text that was held back; the stream starts anew."""
        return self._core.finish()


class StreamEncoder:
    """Gives the ids of a text that comes in chunks, cut anywhere, also inside a character.

    All that `feed` and `finish` return, joined, is the ids of the whole text.
    """

    max_pending_bytes: int | None = None
    """Most bytes that are held back; None: no bound is proven, `finish` gives what was held."""

    def __init__(self, encode: Callable[[str], npt.NDArray[np.uint32]]) -> None:
        self._encode = encode
        self._start()

    def _start(self) -> None:
        self._decoder: Any = codecs.getincrementaldecoder("utf-8")()
        self._parts: list[str] = []
        self._bytes = 0
        self._of_bytes: bool | None = None

    def feed(self, chunk: str | bytes) -> npt.NDArray[np.uint32]:
        """Take a chunk; return the ids that are certain now.

        Args:
            chunk: The next part of the text, all of them `str` or all of them `bytes`.

        Returns:
            uint32, shape (n_ids,).

        Raises:
            InvalidArgumentError: The bytes are not UTF-8; the position counts from the first chunk.
            TypeError: A `str` follows `bytes`, or the other way round.
        """
        is_bytes = not isinstance(chunk, str)
        if self._of_bytes not in (None, is_bytes):
            raise TypeError("chunk: str and bytes cannot be mixed in one stream")
        self._of_bytes = is_bytes
        self._parts.append(chunk if isinstance(chunk, str) else self._text(bytes(chunk)))
        return self._encode("")[:0]

    def _text(self, chunk: bytes, *, final: bool = False) -> str:
        before = len(self._decoder.getstate()[0])
        try:
            text: str = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            position = self._bytes - before + error.start
            raise InvalidArgumentError(
                f"chunk: the bytes are not valid UTF-8 at byte {position} of the stream", "chunk"
            ) from error
        self._bytes += len(chunk)
        return text

    def finish(self) -> npt.NDArray[np.uint32]:
        """Return the ids that were held back, special tokens included; the stream starts anew.

        Raises:
            InvalidArgumentError: The stream ends inside a character.
        """
        if self._of_bytes:
            self._parts.append(self._text(b"", final=True))
        text = "".join(self._parts)
        self._start()
        return self._encode(text)
