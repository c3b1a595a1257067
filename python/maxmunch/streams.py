"""Text and ids as they come: what is given out is never taken back."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.errors import InvalidArgumentError, UntokenizableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

__all__ = ["StreamDecoder", "StreamEncoder"]

_MOST = 2**32
# Characters before a chunk that still matter to what is asked of it.
_CONTEXT = 8


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

    All that `feed` and `finish` return, joined, is the ids of the whole text. Ids are given out up
    to the last place where the text so far may be cut, see `Tokenizer.cut_points`; a tokenizer
    without such places holds everything back until the end.
    """

    max_pending_bytes: int | None = None
    """Most bytes that are held back, or None where no bound is proven and `finish` gives them."""

    def __init__(
        self,
        core: _core.TokenizerCore,
        cuts: _core.TextCutsCore,
        *,
        add_special_tokens: bool,
        specials: str | list[str],
    ) -> None:
        self._core, self._cuts = core, cuts
        self._add_special_tokens, self._specials = add_special_tokens, specials
        self._frame = cuts.frame(add_special_tokens)
        self._start()

    def _start(self) -> None:
        self._decoder: Any = codecs.getincrementaldecoder("utf-8")()
        self._pending: list[str] = []
        self._tail = ""
        self._read = self._given = 0
        self._of_bytes: bool | None = None

    def feed(self, chunk: str | bytes) -> npt.NDArray[np.uint32]:
        """Take a chunk; return the ids that are certain now.

        Args:
            chunk: The next part of the text, all of them `str` or all of them `bytes`.

        Returns:
            uint32, shape (n_ids,).

        Raises:
            InvalidArgumentError: The bytes are not UTF-8; the position counts from the first chunk.
            UntokenizableError: The model has no token for a part; positions count likewise.
            TypeError: A `str` follows `bytes`, or the other way round.

        Complexity: the length of the chunk, and of what it releases.
        """
        import numpy as np

        is_bytes = not isinstance(chunk, str)
        if self._of_bytes not in (None, is_bytes):
            raise TypeError("chunk: str and bytes cannot be mixed in one stream")
        self._of_bytes = is_bytes
        text = chunk if isinstance(chunk, str) else self._text(bytes(chunk))
        # Places further back were asked for before; the last few may be certain only now.
        window = self._tail + text
        self._pending.append(text)
        self._tail = window[-_CONTEXT:]
        cut = self._cuts.last(window) if self._frame is not None and text else None
        if cut is None:
            return np.empty(0, np.uint32)
        held = len(window.encode()[cut:].decode())
        whole = "".join(self._pending)
        ready, rest = whole[: len(whole) - held], whole[len(whole) - held :]
        self._pending, self._tail = [rest], rest[-_CONTEXT:]
        return self._give(ready)

    def _give(self, text: str) -> npt.NDArray[np.uint32]:
        """The ids of the next part of the text, after what stands before the first."""
        import numpy as np

        try:
            ids = self._bare(text)
        except UntokenizableError as error:
            base = self._given
            message = f"{error} (counted from byte {base} of the stream)"
            starts = [start + base for start in error.starts]
            raise UntokenizableError(message, error.position + base, starts) from error
        before = self._frame[0] if self._frame is not None and self._given == 0 else []
        self._given += len(text.encode())
        return np.concatenate([np.array(before, np.uint32), ids]) if before else ids

    def _bare(self, text: str) -> npt.NDArray[np.uint32]:
        return self._core.encode_ids(text, False, self._specials)

    def _text(self, chunk: bytes, *, final: bool = False) -> str:
        before = len(self._decoder.getstate()[0])
        try:
            text: str = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            position = self._read - before + error.start
            raise InvalidArgumentError(
                f"chunk: the bytes are not valid UTF-8 at byte {position} of the stream", "chunk"
            ) from error
        self._read += len(chunk)
        return text

    def finish(self) -> npt.NDArray[np.uint32]:
        """Return the ids that were held back, special tokens included; the stream starts anew.

        Raises:
            InvalidArgumentError: The stream ends inside a character.
            UntokenizableError: As `feed`.
        """
        import numpy as np

        if self._of_bytes:
            self._pending.append(self._text(b"", final=True))
        text = "".join(self._pending)
        if self._given == 0:
            ids = self._core.encode_ids(text, self._add_special_tokens, self._specials)
        else:
            after = self._frame[1] if self._frame is not None else []
            ids = np.concatenate([self._give(text), np.array(after, np.uint32)])
        self._start()
        return ids
