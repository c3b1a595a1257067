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

    from maxmunch.certify import TokenSet
    from maxmunch.vocabulary import Vocabulary

__all__ = ["StreamDecoder", "StreamEncoder"]

_MOST = 2**32
_BYTES = 256
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


class GreedyBytes:
    """A model that takes the longest token wherever it is, over all bytes, and nothing around it.

    Such a token is certain as soon as the bytes of the longest one are there.
    """

    def __init__(self, tokens: TokenSet, longest: int) -> None:
        self._tokens = tokens
        self.longest = longest

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> GreedyBytes | None:
        """Return the model of these tokens; None where some byte has none."""
        tokens = vocabulary.token_set()
        known = [token for token in vocabulary if token is not None]
        if len({token for token in known if len(token) == 1}) < _BYTES:
            return None
        return cls(tokens, max(map(len, known)))

    def certain(self, data: bytes) -> tuple[npt.NDArray[np.uint32], bytes]:
        """Return the ids that no further bytes can change, and the bytes that have none yet."""
        scan = self._tokens.scan(data)
        count = int(scan.starts.searchsorted(len(data) - self.longest, side="right"))
        rest = data[scan.starts[count] :] if count < len(scan.starts) else b""
        return scan.kinds[:count], rest

    def ids(self, data: bytes) -> npt.NDArray[np.uint32]:
        """Return the ids of the rest."""
        return self._tokens.scan(data).kinds


class StreamEncoder:
    """Gives the ids of a text that comes in chunks, cut anywhere, also inside a character.

    All that `feed` and `finish` return, joined, is the ids of the whole text. Ids are given out up
    to the last place where the text so far may be taken apart, which is proven as for
    `Tokenizer.cut_points`; a tokenizer without such places holds everything back until the end. A
    greedy model over all bytes without normalizer, added tokens and pattern gives out every token
    that is certain.
    """

    max_pending_bytes: int | None
    """Most bytes that are held back after a call, or None where no bound is proven.

    Greedy models over all bytes have one, twice the longest token and what is there of a character;
    a run of one letter may be one token or one pretoken of any length for all other tokenizers.
    """

    def __init__(
        self,
        core: _core.TokenizerCore,
        cuts: _core.TextCutsCore,
        *,
        add_special_tokens: bool,
        specials: str | list[str],
        greedy: GreedyBytes | None = None,
    ) -> None:
        self._core, self._cuts = core, cuts
        self._add_special_tokens, self._specials = add_special_tokens, specials
        self._frame = cuts.frame(add_special_tokens)
        self._greedy = greedy if self._frame is not None else None
        # A call leaves less than two of the longest tokens, and up to three bytes of a character.
        bound = None if self._greedy is None else 2 * self._greedy.longest + 2
        self.max_pending_bytes = bound
        self._start()

    def _start(self) -> None:
        self._decoder: Any = codecs.getincrementaldecoder("utf-8")()
        self._pending: list[str] = []
        self._bytes = b""
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
        if self._greedy is not None:
            return self._longest_matches(self._greedy, text)
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

    def _longest_matches(self, model: GreedyBytes, text: str) -> npt.NDArray[np.uint32]:
        import numpy as np

        self._bytes += text.encode()
        if len(self._bytes) < 2 * model.longest:
            return np.empty(0, np.uint32)
        ids, rest = model.certain(self._bytes)
        before = self._before()
        self._given += len(self._bytes) - len(rest)
        self._bytes = rest
        return np.concatenate([before, ids])

    def _before(self) -> npt.NDArray[np.uint32]:
        """What stands before the first ids of a text."""
        import numpy as np

        is_first = self._frame is not None and self._given == 0
        return np.array(self._frame[0] if self._frame and is_first else [], np.uint32)

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
        before = self._before()
        self._given += len(text.encode())
        return np.concatenate([before, ids]) if len(before) else ids

    def _bare(self, text: str) -> npt.NDArray[np.uint32]:
        if self._given:
            # What stands in front of every text (`Prepend`) stands in front of the first part only.
            return self._cuts.continued_ids(text, self._specials)
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
        after = np.array(self._frame[1] if self._frame is not None else [], np.uint32)
        if self._greedy is not None:
            rest = self._bytes + text.encode()
            ids = np.concatenate([self._before(), self._greedy.ids(rest), after])
        elif self._given == 0:
            ids = self._core.encode_ids(text, self._add_special_tokens, self._specials)
        else:
            ids = np.concatenate([self._give(text), after])
        self._start()
        return ids
