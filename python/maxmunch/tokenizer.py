"""The tokenizer: from text to ids and back, exactly as `tokenizers` does it.

Stands on the compiled core and on the components; imports neither training nor the command line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from maxmunch import _core, decoders, models, pre_tokenizers
from maxmunch.added_token import AddedToken
from maxmunch.arguments import batch_row, check_input, id_list, in_order, thread_count
from maxmunch.cuts import CutsTexts
from maxmunch.encoding import Encoding
from maxmunch.explanation import Explains
from maxmunch.ids import GivesIds
from maxmunch.limits import TruncatesAndPads
from maxmunch.loading import LoadsAndSaves
from maxmunch.options import instance
from maxmunch.parts import HasParts
from maxmunch.representation import represented
from maxmunch.streams import GreedyBytes, StreamDecoder, StreamEncoder
from maxmunch.trainers import Trainer, trained
from maxmunch.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from maxmunch.arguments import Specials

__all__ = ["Tokenizer"]

_T = TypeVar("_T")


class Tokenizer(LoadsAndSaves, HasParts, TruncatesAndPads, GivesIds, CutsTexts, Explains):
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

    _greedy: tuple[_core.TokenizerCore, GreedyBytes | None] | None = None

    def __init__(self, model: models.Model) -> None:
        if not isinstance(model, models.Model):
            raise TypeError(
                f"model: {type(model).__name__} given where a model of maxmunch.models is expected"
            )
        self._start(_core.TokenizerCore.from_model(model.core()))
        self._adopt("model", model)
        if isinstance(model, models.LongestMatch):
            plain = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
            self._set_component("pre_tokenizer", plain)
            self._set_component("decoder", decoders.ByteLevel())

    def __repr__(self) -> str:
        return self._shown(most_elements=100)

    def __str__(self) -> str:
        return self._shown(most_elements=6, most_bytes=100)

    def _shown(self, *, most_elements: int, most_bytes: int | None = None) -> str:
        document = json.loads(self._core.excerpt_json(most_elements))
        return represented(
            "tokenizer", document, most_elements=most_elements, most_bytes=most_bytes
        )

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
        check_input("sequence", sequence, is_pretokenized=is_pretokenized)
        if pair is not None:
            check_input("pair", pair, is_pretokenized=is_pretokenized)
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
        options = (add_special_tokens, self._policy(specials), "char", thread_count(threads))
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
        options = (add_special_tokens, self._policy(specials), "none", thread_count(threads))
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
        inputs = in_order("input", inputs)
        rows = [batch_row(row, is_pretokenized=is_pretokenized) for row in inputs]
        return [Encoding.from_core(core) for core in self._core.encode_batch(rows, *options)]

    # --- decoding and look-ups ---

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """Return the text of `ids`; ids without a token are skipped."""
        return self._core.decode(id_list(ids), skip_special_tokens)

    def decode_batch(
        self,
        sequences: Iterable[Sequence[int]],
        skip_special_tokens: bool = True,
        *,
        threads: int | None = None,
    ) -> list[str]:
        """Return the texts of many lists of ids."""
        rows = [id_list(ids) for ids in in_order("sequences", sequences)]
        return self._core.decode_batch(rows, skip_special_tokens, thread_count(threads))

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

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes of each token by id."""
        return Vocabulary(self._core)

    # --- streams ---

    def stream_decoder(self, skip_special_tokens: bool = True) -> StreamDecoder:
        """Return a decoder of ids that come one by one; what it writes is never taken back.

        Example:
            >>> import maxmunch as mm
            >>> tok = mm.Tokenizer(mm.models.LongestMatch({bytes([b]): b for b in range(256)}))
            >>> stream = tok.stream_decoder()
            >>> [stream.feed([number]) for number in "né".encode()] + [stream.finish()]
            ['n', '', 'é', '']
        """
        return StreamDecoder(self._core, skip_special_tokens=skip_special_tokens)

    def stream_encoder(
        self, add_special_tokens: bool = True, specials: Specials = "parse"
    ) -> StreamEncoder:
        """Return an encoder of text that comes in chunks, with the ids of the whole text.

        Args:
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: As in `encode`.
        """
        return StreamEncoder(
            self._core,
            self._cuts(),
            add_special_tokens=add_special_tokens,
            specials=self._policy(specials),
            greedy=self._longest_match(),
        )

    def _longest_match(self) -> GreedyBytes | None:
        """The model, if it takes the longest token over all bytes and nothing else has a say."""
        parts = ("normalizer", "truncation", "padding", "added_tokens")
        pieces = self._part("pre_tokenizer") or {}
        is_plain = not any(self._part(name) for name in parts)
        is_whole = (
            pieces.get("type") == "ByteLevel"
            and not pieces["add_prefix_space"]
            and not pieces["use_regex"]
        )
        if not (is_plain and is_whole and isinstance(self.model, models.LongestMatch)):
            return None
        core, made = self._core, self._greedy
        if made is None or made[0] is not core:
            made = core, GreedyBytes.of(self.vocabulary)
            self._greedy = made
        return made[1]

    # --- training by the tokenizers package ---

    def train(self, files: Sequence[str], trainer: Trainer | None = None) -> None:
        """Train the model on files, as `tokenizers` does; needs that package.

        Args:
            files: Paths of text files.
            trainer: One of `maxmunch.trainers`; by default that of the model.

        Raises:
            InvalidArgumentError: The `tokenizers` package is not installed.
        """
        files = list(in_order("files", files))
        self._learn(trained(self.to_str(), "train", (files, trainer)))

    def train_from_iterator(
        self, iterator: Iterable[Any], trainer: Trainer | None = None, length: int | None = None
    ) -> None:
        """Train the model on texts, or lists of texts, as `tokenizers` does; needs that package.

        Args:
            iterator: The texts.
            trainer: One of `maxmunch.trainers`; by default that of the model.
            length: How many there are, for the progress bar.

        Raises:
            InvalidArgumentError: The `tokenizers` package is not installed.
        """
        arguments = (iterator, trainer, length)
        self._learn(trained(self.to_str(), "train_from_iterator", arguments))

    def _learn(self, text: str) -> None:
        """Become the tokenizer of a file; its components stay those that they were."""
        before = self._components
        self.take_json(text)
        core = self._core.model()
        for name, component in before.items():
            self._adopt(name, component)
            if isinstance(component, models.Model):
                component.become(core)

    # --- parts ---

    def add_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add contents that are matched as text; return how many were new or changed."""
        return self._add(tokens, special=False)

    def add_special_tokens(self, tokens: Sequence[str | AddedToken]) -> int:
        """Add contents that decoding drops; return how many were new or changed."""
        return self._add(tokens, special=True)

    def _add(self, tokens: Sequence[str | AddedToken], *, special: bool) -> int:
        added = []
        for token in in_order("tokens", tokens):
            if not isinstance(token, str | AddedToken):
                raise TypeError(
                    f"tokens: {type(token).__name__} given; Input must be a "
                    "List[Union[str, AddedToken]]"
                )
            entry = AddedToken(token, special=special) if isinstance(token, str) else token
            if special:
                entry.special = True
            added.append(entry.parts())
        self._core, count = self._core.with_added(added)
        return count

    def post_process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Return the encodings truncated, joined with special tokens, and padded."""
        first = instance("encoding", encoding, Encoding).core
        other = None if pair is None else instance("pair", pair, Encoding).core
        return Encoding.from_core(self._core.finish(first, other, add_special_tokens))


async def _in_thread(call: Callable[..., _T], *arguments: Any) -> _T:
    import asyncio

    return await asyncio.to_thread(call, *arguments)
