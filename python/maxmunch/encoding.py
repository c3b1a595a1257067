"""The results of encoding: `Encoding`, with all about each token, and `RaggedIds`, ids alone."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any, overload

from maxmunch import _core
from maxmunch.options import choice, instance, warn_ignored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["Encoding", "RaggedIds"]

_side = choice({"left": "left", "right": "right"})


class Encoding:
    """What a text became: parallel lists, one element a token.

    Lists are made when they are asked for. Where texts are neither truncated nor padded, a call
    finds out the ids; the rest is found out for all its texts when some of it is asked for, with
    the tokenizer as it was. Offsets are half-open ranges of characters of the
    sequence that the token came from.
    """

    def __init__(self) -> None:
        self._core = _core.EncodingCore()

    @classmethod
    def from_core(cls, core: _core.EncodingCore) -> Encoding:
        """Wrap an encoding of the compiled core."""
        encoding = cls.__new__(cls)
        encoding._core = core
        return encoding

    @property
    def core(self) -> _core.EncodingCore:
        """The encoding of the compiled core, for the modules of this package."""
        return self._core

    def __len__(self) -> int:
        return len(self._core)

    @property
    def ids(self) -> list[int]:
        """Ids."""
        return self._core.ids()

    @property
    def type_ids(self) -> list[int]:
        """Which part of a template each token belongs to."""
        return self._core.type_ids()

    @property
    def tokens(self) -> list[str]:
        """The tokens' texts, as the vocabulary spells them."""
        return self._core.tokens()

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token comes from."""
        return self._core.offsets()

    @property
    def word_ids(self) -> list[int | None]:
        """The piece (or input word) of each token; None for tokens that were put in."""
        return self._core.words()

    @property
    def words(self) -> list[int | None]:
        """The old name of `word_ids`."""
        message = "Encoding.words is now Encoding.word_ids"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self._core.words()

    @property
    def sequence_ids(self) -> list[int | None]:
        """The input sequence of each token; None for tokens that were put in."""
        return self._core.sequence_ids()

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that a template or padding put in."""
        return self._core.special_tokens_mask()

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding."""
        return self._core.attention_mask()

    @property
    def overflowing(self) -> list[Encoding]:
        """What truncation cut off."""
        return [Encoding.from_core(part) for part in self._core.overflowing()]

    @property
    def n_sequences(self) -> int:
        """Number of input sequences."""
        return self._core.n_sequences()

    @property
    def unknown_tokens(self) -> list[int] | None:
        """Places of the tokens that stand for text of which the model has no tokens.

        A word of more than 100 characters is such a text for most WordPiece models. Also places of
        the unknown token where the text spells it; None for an encoding that was pickled, or joined
        of those of several tokenizers, which knows no model.

        Example:
            >>> import maxmunch as mm
            >>> tok = mm.Tokenizer(mm.models.WordPiece({"[UNK]": 0, "a": 1, "##a": 2}))
            >>> tok.encode("a" * 101).unknown_tokens
            [0]
        """
        model = self._core.model()
        if model is None:
            return None
        options = json.loads(model.options_json())
        token = options.get("unk_token")
        unknown = options.get("unk_id") if token is None else model.id(token)
        columns = zip(self.ids, self.special_tokens_mask, strict=True)
        return [
            at for at, (number, is_put) in enumerate(columns) if number == unknown and not is_put
        ]

    def set_sequence_id(self, sequence_id: int) -> None:
        """Mark all tokens as those of one input sequence."""
        self._core = self._core.with_sequence_id(sequence_id)

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Keep at most `max_length` tokens; the rest goes to `overflowing`.

        Raises:
            InvalidArgumentError: There are more tokens and `stride` is not below `max_length`, or
                `direction` is neither left nor right.
        """
        is_left = _side("direction", direction) == "left"
        truncated = self._core.truncated(max_length, stride, is_left)
        self._core = self._core if truncated is None else truncated

    def pad(
        self,
        length: int,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        **unknown: Any,
    ) -> None:
        """Fill up to `length` tokens.

        Raises:
            InvalidArgumentError: `direction` is neither left nor right.
        """
        warn_ignored(unknown)
        is_left = _side("direction", direction) == "left"
        padded = self._core.padded(length, is_left, pad_id, pad_type_id, pad_token)
        self._core = self._core if padded is None else padded

    @staticmethod
    def merge(encodings: Sequence[Encoding], growing_offsets: bool = True) -> Encoding:
        """Return the encodings joined; growing offsets continue from one to the next."""
        parts = [instance("encodings", encoding, Encoding)._core for encoding in encodings]
        return Encoding.from_core(_core.EncodingCore.merged(parts, growing_offsets))

    def token_to_sequence(self, token_index: int) -> int | None:
        """Return the input sequence of a token."""
        return self._core.token_to_sequence(token_index)

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """Return the offsets of a token of an input sequence."""
        return self._core.token_to_chars(token_index)

    def token_to_word(self, token_index: int) -> int | None:
        """Return the word of a token of an input sequence."""
        return self._core.token_to_word(token_index)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return the half-open range of the tokens of a word."""
        return self._core.word_to_tokens(word_index, sequence_index)

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return the characters of a word."""
        return self._core.word_to_chars(word_index, sequence_index)

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the first token that covers a character."""
        return self._core.char_to_token(char_pos, sequence_index)

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the word that covers a character."""
        return self._core.char_to_word(char_pos, sequence_index)

    def __repr__(self) -> str:
        return (
            f"Encoding(num_tokens={len(self)}, attributes=[ids, type_ids, tokens, offsets, "
            "attention_mask, special_tokens_mask, overflowing])"
        )

    def __getstate__(self) -> bytes:
        return self._core.state()

    def __setstate__(self, state: bytes) -> None:
        self._core = _core.EncodingCore.from_state(state)


class RaggedIds:
    """The ids of many texts in one array.

    Attributes:
        ids: uint32, shape (n_ids,).
        offsets: int64, shape (n_texts + 1,): text `i` has `ids[offsets[i]:offsets[i + 1]]`.
    """

    __slots__ = ("ids", "offsets")

    def __init__(self, ids: npt.NDArray[np.uint32], offsets: npt.NDArray[np.int64]) -> None:
        self.ids = ids
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> npt.NDArray[np.uint32]: ...
    @overload
    def __getitem__(self, index: slice) -> list[npt.NDArray[np.uint32]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> npt.NDArray[np.uint32] | list[npt.NDArray[np.uint32]]:
        """Return the ids of a text, or those of several."""
        count = len(self)
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(count))]
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range for {count} texts")
        index %= count
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[npt.NDArray[np.uint32]]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"RaggedIds({len(self)} texts, {len(self.ids)} ids)"
