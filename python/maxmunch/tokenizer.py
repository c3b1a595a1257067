"""The tokenizer: from text to ids and back, exactly as `tokenizers` does it.

Stands on the compiled core and on the components; imports neither training nor the command line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from maxmunch import _core, decoders, models, normalizers, pre_tokenizers, processors
from maxmunch.components import AddedToken
from maxmunch.encoding import Encoding, RaggedIds
from maxmunch.errors import InvalidArgumentError, UnsupportedTokenizerError
from maxmunch.hub import find_tokenizer
from maxmunch.planned import PlannedCalls
from maxmunch.vocabulary import Vocabulary

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    Specials: TypeAlias = Literal["parse", "text", "error"] | Iterable[str]
    """What becomes of special tokens in the text: ids, text, an error; or the contents to parse."""

__all__ = ["Tokenizer"]

_SECTIONS: tuple[tuple[str, type[Any]], ...] = (
    ("normalizer", normalizers.Normalizer),
    ("pre_tokenizer", pre_tokenizers.PreTokenizer),
    ("post_processor", processors.PostProcessor),
    ("decoder", decoders.Decoder),
    ("model", models.Model),
)

_T = TypeVar("_T")

_STRATEGIES = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}
_DIRECTIONS = {"left": "Left", "right": "Right"}


class Tokenizer(PlannedCalls):
    """A tokenizer. Changing a part makes a new core: a running call never sees a half-changed one.

    Args:
        model: A component of `maxmunch.models`. A `LongestMatch` comes with the byte-level
            pre-tokenizer and decoder that it needs.

    Example:
        >>> import maxmunch as mm
        >>> tok = mm.Tokenizer(mm.models.LongestMatch({b"to": 0, b"t": 1, b"o": 2}))
        >>> tok.encode("toot").ids
        [0, 2, 1]
    """

    def __init__(self, model: models.Model) -> None:
        document: dict[str, Any] = {"version": "1.0", "model": model.to_dict()}
        if isinstance(model, models.LongestMatch):
            plain = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
            document |= {
                "pre_tokenizer": plain.to_dict(),
                "decoder": decoders.ByteLevel().to_dict(),
            }
        self._core = _core.TokenizerCore.from_json(json.dumps(document, ensure_ascii=False))
        self.encode_special_tokens = False

    # --- loading and saving ---

    @classmethod
    def _of(cls, core: _core.TokenizerCore) -> Tokenizer:
        tokenizer = cls.__new__(cls)
        tokenizer._core = core
        tokenizer.encode_special_tokens = False
        return tokenizer

    @classmethod
    def from_str(cls, json: str) -> Tokenizer:
        """Return the tokenizer that the text of a `tokenizer.json` describes.

        Raises:
            InvalidTokenizerError: The text is malformed; `.json_path` says where.
            UnsupportedTokenizerError: It asks for what is not reproduced id for id.
        """
        return cls._of(_core.TokenizerCore.from_json(json))

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Tokenizer:
        """Return the tokenizer that the bytes of a `tokenizer.json` describe; see `from_str`."""
        return cls._of(_core.TokenizerCore.from_json(bytes(buffer)))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Return the tokenizer of a `tokenizer.json`; see `from_str`.

        Raises:
            OSError: The file cannot be read.
        """
        return cls.from_buffer(Path(path).read_bytes())

    @classmethod
    def from_pretrained(
        cls, identifier: str | os.PathLike[str], revision: str = "main", token: str | None = None
    ) -> Tokenizer:
        """Return the tokenizer of a directory, a file, or a model in the local hub cache.

        Args:
            identifier: The directory or file, or a name such as `organisation/model`. A name that
                is not in the cache is fetched only if `huggingface_hub` is installed.
            revision: Which revision of the name.
            token: Access token for the fetch.

        Raises:
            InvalidArgumentError: Nothing has that name, or it has no tokenizer.json.
        """
        return cls.from_file(find_tokenizer(identifier, revision=revision, token=token))

    @classmethod
    def from_rwkv(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Return the greedy tokenizer of a vocabulary in the format of RWKV.

        Each line holds an id, a Python literal (str or bytes), and its length in bytes.

        Raises:
            OSError: The file cannot be read.
            InvalidTokenizerError: A line is malformed; `.json_path` names it.
        """
        from maxmunch.rwkv import read_vocabulary

        return cls(models.LongestMatch(read_vocabulary(Path(path).read_bytes())))

    def to_str(self, pretty: bool = False) -> str:
        """Return the text of the `tokenizer.json` that describes this tokenizer."""
        return self._core.to_json(pretty)

    def save(self, path: str | os.PathLike[str], pretty: bool = True) -> None:
        """Write the `tokenizer.json` that describes this tokenizer.

        Raises:
            OSError: The file cannot be written.
        """
        Path(path).write_bytes(self.to_str(pretty).encode())

    def __getstate__(self) -> dict[str, Any]:
        return {"json": self.to_str(), "encode_special_tokens": self.encode_special_tokens}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._core = _core.TokenizerCore.from_json(state["json"])
        self.encode_special_tokens = state["encode_special_tokens"]

    def __copy__(self) -> Tokenizer:
        copied = Tokenizer._of(self._core)
        copied.encode_special_tokens = self.encode_special_tokens
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"Tokenizer({self.get_vocab_size()} tokens)"

    # --- encoding ---

    def encode(
        self,
        sequence: str | Sequence[str],
        pair: str | Sequence[str] | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        specials: Specials = "parse",
    ) -> Encoding:
        """Return the encoding of a text, or of a pair.

        Args:
            sequence: The text, or its words with `is_pretokenized`.
            pair: A second text.
            is_pretokenized: Whether the inputs are lists of words.
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: What becomes of special tokens that stand in the text: "parse" makes them ids,
                "text" leaves them text, "error" refuses them; a set of contents parses those alone.

        Raises:
            InvalidArgumentError: A special token is refused.
            UnicodeEncodeError: A str has a lone surrogate; it says where.
            UntokenizableError: The model has no token for a part of the text.
        """
        _check_input("sequence", sequence, is_pretokenized=is_pretokenized)
        if pair is not None:
            _check_input("pair", pair, is_pretokenized=is_pretokenized)
        core = self._core.encode(sequence, pair, add_special_tokens, self._policy(specials), "char")
        return Encoding.from_core(core)

    def encode_batch(
        self,
        input: Iterable[Any],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        specials: Specials = "parse",
        threads: int | None = None,
    ) -> list[Encoding]:
        """Return the encodings of many texts or pairs; same results for every number of threads.

        Args:
            input: Texts, or pairs of texts; see `encode` for the rest.
            is_pretokenized: Whether each text is a list of words.
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: As in `encode`.
            threads: Threads to use; every core by default.
        """
        options = (add_special_tokens, self._policy(specials), "char", _threads(threads))
        return self._batch(input, options, is_pretokenized=is_pretokenized)

    def encode_batch_fast(
        self,
        input: Iterable[Any],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        *,
        specials: Specials = "parse",
        threads: int | None = None,
    ) -> list[Encoding]:
        """As `encode_batch`, without offsets and token texts: they are zero and empty."""
        options = (add_special_tokens, self._policy(specials), "none", _threads(threads))
        return self._batch(input, options, is_pretokenized=is_pretokenized)

    async def async_encode(
        self,
        sequence: str | Sequence[str],
        pair: str | Sequence[str] | None = None,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> Encoding:
        """As `encode`, in a thread of its own."""
        return await _in_thread(self.encode, sequence, pair, is_pretokenized, add_special_tokens)

    async def async_encode_batch(
        self,
        input: Iterable[Any],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[Encoding]:
        """As `encode_batch`, in a thread of its own."""
        return await _in_thread(self.encode_batch, input, is_pretokenized, add_special_tokens)

    async def async_encode_batch_fast(
        self,
        input: Iterable[Any],
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[Encoding]:
        """As `encode_batch_fast`, in a thread of its own."""
        return await _in_thread(self.encode_batch_fast, input, is_pretokenized, add_special_tokens)

    async def async_decode_batch(
        self, sequences: Iterable[Sequence[int]], skip_special_tokens: bool = True
    ) -> list[str]:
        """As `decode_batch`, in a thread of its own."""
        return await _in_thread(self.decode_batch, sequences, skip_special_tokens)

    def _batch(
        self,
        inputs: Iterable[Any],
        options: tuple[bool, str | list[str], str, int | None],
        *,
        is_pretokenized: bool,
    ) -> list[Encoding]:
        rows = [_row(row, is_pretokenized=is_pretokenized) for row in inputs]
        return [Encoding.from_core(core) for core in self._core.encode_batch(rows, *options)]

    def encode_ids(
        self,
        text: str | bytes,
        *,
        add_special_tokens: bool = True,
        specials: Specials = "parse",
        threads: int = 1,
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of `encode(text)`, and nothing else.

        Args:
            text: The text; `bytes` must be valid UTF-8.
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: As in `encode`.
            threads: Threads for this one text; its ids are the same for every number. One does
                the work today.

        Returns:
            uint32, shape (n_ids,).
        """
        _threads(threads)
        return self._core.encode_ids(text, add_special_tokens, self._policy(specials))

    def encode_ids_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        add_special_tokens: bool = True,
        specials: Specials = "parse",
        threads: int | None = None,
    ) -> RaggedIds:
        """Return the ids of many texts in one array; same ids for every number of threads.

        Args:
            texts: The texts; `bytes` must be valid UTF-8.
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: As in `encode`.
            threads: Threads to use; every core by default.
        """
        if isinstance(texts, str | bytes):
            raise InvalidArgumentError("texts: a single text; give a list of texts", "texts")
        policy = self._policy(specials)
        return RaggedIds(
            *self._core.encode_ids_batch(list(texts), add_special_tokens, policy, _threads(threads))
        )

    def count_tokens(self, text: str | bytes, *, add_special_tokens: bool = True) -> int:
        """Return the number of ids that `encode_ids(text)` has."""
        return self._core.count_tokens(text, add_special_tokens, self._policy("parse"))

    def _policy(self, specials: Specials) -> str | list[str]:
        if isinstance(specials, str):
            return "text" if specials == "parse" and self.encode_special_tokens else specials
        return list(specials)

    # --- decoding and look-ups ---

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Return the text of `ids`; ids without a token are skipped."""
        return self._core.decode(_id_list(ids), skip_special_tokens)

    def decode_batch(
        self,
        sequences: Iterable[Sequence[int]],
        skip_special_tokens: bool = True,
        *,
        threads: int | None = None,
    ) -> list[str]:
        """Return the texts of many lists of ids."""
        rows = [_id_list(ids) for ids in sequences]
        return self._core.decode_batch(rows, skip_special_tokens, _threads(threads))

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, or None."""
        return self._core.id(token)

    def id_to_token(self, id: int) -> str | None:
        """Return the token with this id, or None; a normalized added token is normalized."""
        return self._core.token(id)

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Return all tokens with their ids."""
        return self._core.vocabulary(with_added_tokens)

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """Return the number of different tokens."""
        return self._core.vocabulary_size(with_added_tokens)

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """Return the added tokens by id."""
        added = self._core.added_tokens()
        return {number: AddedToken.from_parts(parts) for number, parts in added}

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return how many tokens the post-processor adds."""
        return self._core.num_special_tokens_to_add(is_pair)

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes of each token by id."""
        return Vocabulary(self._core)

    # --- parts ---

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add contents that are matched as text; return how many were new or changed."""
        return self._add(tokens, special=False)

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add contents that decoding drops; return how many were new or changed."""
        return self._add(tokens, special=True)

    def _add(self, tokens: Sequence[str | AddedToken], *, special: bool) -> int:
        added = []
        for token in tokens:
            entry = AddedToken(token, special=special) if isinstance(token, str) else token
            entry.special = entry.special or special
            added.append(entry.parts())
        self._core, count = self._core.with_added(added)
        return count

    # --- truncation and padding ---

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
    ) -> None:
        """Keep at most `max_length` tokens, special ones included.

        Args:
            max_length: Most tokens of an encoding.
            stride: Tokens that neighbouring windows of `overflowing` share.
            strategy: Which sequence of a pair gives way: longest_first, only_first, only_second.
            direction: From which end tokens are taken away: right or left.

        Raises:
            InvalidArgumentError: A word is none of these, or `stride` is not below what special
                tokens leave for the text.
        """
        _choose("strategy", strategy, _STRATEGIES)
        _choose("direction", direction, _DIRECTIONS)
        room = max_length - self.num_special_tokens_to_add(is_pair=False)
        if stride > 0 and stride >= room:
            raise InvalidArgumentError(
                f"stride: {stride} should be below the {room} tokens that max_length {max_length} "
                "leaves beside special ones",
                "stride",
            )
        options = {
            "direction": _DIRECTIONS[direction],
            "max_length": max_length,
            "strategy": _STRATEGIES[strategy],
            "stride": stride,
        }
        self._set_part("truncation", options)

    def no_truncation(self) -> None:
        """Keep all tokens."""
        self._set_part("truncation", None)

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The truncation, as a dict of its options; None where there is none."""
        found = self._part("truncation")
        if found is None:
            return None
        return {
            "max_length": found["max_length"],
            "stride": found["stride"],
            "strategy": _name_of(found["strategy"], _STRATEGIES),
            "direction": _name_of(found["direction"], _DIRECTIONS),
        }

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Fill encodings up to one length.

        Args:
            direction: At which end: right or left.
            pad_id: Id of the padding token.
            pad_type_id: Its type id.
            pad_token: Its text.
            length: The length; by default that of the longest encoding of a batch.
            pad_to_multiple_of: The length is rounded up to a multiple of it.

        Raises:
            InvalidArgumentError: `direction` is neither, or a number is out of range.
        """
        _choose("direction", direction, _DIRECTIONS)
        options = {
            "strategy": "BatchLongest" if length is None else {"Fixed": length},
            "direction": _DIRECTIONS[direction],
            "pad_to_multiple_of": pad_to_multiple_of,
            "pad_id": pad_id,
            "pad_type_id": pad_type_id,
            "pad_token": pad_token,
        }
        self._set_part("padding", options)

    def no_padding(self) -> None:
        """Leave encodings as long as they are."""
        self._set_part("padding", None)

    @property
    def padding(self) -> dict[str, Any] | None:
        """The padding, as a dict of its options; None where there is none."""
        found = self._part("padding")
        if found is None:
            return None
        strategy = found["strategy"]
        return {
            "length": None if strategy == "BatchLongest" else strategy["Fixed"],
            "pad_to_multiple_of": found["pad_to_multiple_of"],
            "pad_id": found["pad_id"],
            "pad_token": found["pad_token"],
            "pad_type_id": found["pad_type_id"],
            "direction": _name_of(found["direction"], _DIRECTIONS),
        }

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Return the encodings truncated, joined with special tokens, and padded."""
        other = None if pair is None else pair.core
        return Encoding.from_core(self._core.finish(encoding.core, other, add_special_tokens))

    def _part(self, name: str) -> Any:
        return json.loads(self._core.part_json(name))

    def _set_part(self, name: str, value: Any) -> None:
        text = json.dumps(value, ensure_ascii=False)
        self._core = self._core.with_part(name, text)


def _section(name: str, base: type[Any]) -> property:
    """Make the property of a component: reading gives a copy, assigning makes a new core."""

    def read(self: Tokenizer) -> Any:
        found = self._part(name)
        return None if found is None else base.from_dict(found)

    def write(self: Tokenizer, value: Any) -> None:
        if value is not None and not isinstance(value, base):
            raise UnsupportedTokenizerError(
                f"{name}: {type(value).__name__} is no component of maxmunch; use one of "
                f"{base.__module__}",
                name,
            )
        self._set_part(name, None if value is None else value.to_dict())

    return property(read, write, doc=f"The {name.replace('_', '-')}, or None.")


for _name, _base in _SECTIONS:
    setattr(Tokenizer, _name, _section(_name, _base))


def _check_input(name: str, value: Any, *, is_pretokenized: bool) -> None:
    if is_pretokenized == isinstance(value, str | bytes):
        wanted = "a list of words" if is_pretokenized else "a str"
        raise TypeError(f"{name}: {type(value).__name__} given where {wanted} is expected")


def _row(row: Any, *, is_pretokenized: bool) -> tuple[Any, Any]:
    """Return a batch element as a pair whose second half may be None."""
    if isinstance(row, str) or (is_pretokenized and all(isinstance(word, str) for word in row)):
        _check_input("input", row, is_pretokenized=is_pretokenized)
        return row, None
    first, second = row
    _check_input("input", first, is_pretokenized=is_pretokenized)
    _check_input("input", second, is_pretokenized=is_pretokenized)
    return first, second


async def _in_thread(call: Callable[..., _T], *arguments: Any) -> _T:
    import asyncio

    return await asyncio.to_thread(call, *arguments)


def _choose(name: str, value: str, known: dict[str, str]) -> None:
    if value not in known:
        raise InvalidArgumentError(f"{name}: {value!r} should be one of {', '.join(known)}", name)


def _name_of(value: str, known: dict[str, str]) -> str:
    return next(name for name, spelled in known.items() if spelled == value)


def _id_list(ids: Any) -> list[int]:
    return ids.tolist() if hasattr(ids, "tolist") else list(ids)


def _threads(threads: int | None) -> int | None:
    if threads is not None and threads < 1:
        raise InvalidArgumentError(f"threads: {threads} should be 1 or more, or None", "threads")
    return threads
