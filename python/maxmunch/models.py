"""Models: from the text of one piece to ids. Plain objects that describe themselves as JSON.

A model's vocabulary lives in the compiled core and nowhere else; Python holds the options.
"""

from __future__ import annotations

import json
import math
import struct
import warnings
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.components import Component, byte_level_table
from maxmunch.errors import InvalidArgumentError
from maxmunch.options import Option, count, flag, instance, maybe, number, text, warn_ignored
from maxmunch.strings import Token

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from maxmunch.trainers import Trainer

__all__ = ["BPE", "LongestMatch", "Model", "Unigram", "WordLevel", "WordPiece"]

_BYTES = 256
_TOO_LARGE = 2**32 - 1
_NO_LIMIT = 1_000_000_000
"""Characters that a piece may have before `tokenizers` gives up on it."""


class Model(Component, section="model"):
    """A model; build one of its subclasses. Itself, it is an empty `BPE`."""

    _made: _core.ModelCore

    def __init__(self) -> None:
        self._load({"type": "BPE", "vocab": {}, "merges": []})

    def _load(self, document: dict[str, Any], **options: Any) -> None:
        """Build the model of a JSON object; options that no file holds are set on it."""
        core = _core.ModelCore.from_json(json.dumps(document, ensure_ascii=False))
        if any(value is not None for value in options.values()):
            core = core.with_options(json.dumps(json.loads(core.options_json()) | options))
        self._take(core)

    def _take(self, core: _core.ModelCore) -> None:
        self._start(json.loads(core.options_json()))
        self._made = core

    @classmethod
    def from_core(cls, core: _core.ModelCore) -> Model:
        """Wrap a model of the compiled core."""
        options = json.loads(core.options_json())
        kind = options["type"]
        if kind == "WordPiece" and options["max_input_chars_per_word"] == _NO_LIMIT:
            kind = "WordPiece" if options["continuing_subword_prefix"] else _GREEDY
        found = cls._kinds[kind]
        own: Model = found.__new__(found)  # type: ignore[assignment]
        own._take(core)
        return own

    @classmethod
    def from_dict(cls, members: Mapping[str, Any]) -> Any:
        """Return the model that a JSON object describes."""
        text = json.dumps(dict(members), ensure_ascii=False)
        return Model.from_core(_core.ModelCore.from_json(text))

    def __setstate__(self, state: bytes) -> None:
        core = _core.ModelCore.from_json(bytes(state).decode())
        if type(self) is not Model:
            self.__class__ = type(Model.from_core(core))
        self._take(core)

    def to_dict(self) -> dict[str, Any]:
        """Return the members of the JSON object, its `type` first."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def _excerpt(self, most_elements: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.core().excerpt_json(most_elements))
        return found

    def to_json(self) -> str:
        """Return the JSON text of the model, as a file holds it."""
        return self.core().to_json(False)

    def core(self) -> _core.ModelCore:
        """Return the model of the compiled core, for the modules of this package."""
        return self._made

    def become(self, core: _core.ModelCore) -> None:
        """Become what training made of it, here and in the tokenizers that it is part of."""
        self._made = core
        self._members = json.loads(core.options_json())
        self._tell()

    def change(self, name: str, value: Any) -> None:
        """Set an option, here and in the tokenizers that this model is part of."""
        core, members = self._made, self._members
        changed = {**members, name: value}
        self._made = core.with_options(json.dumps(changed, ensure_ascii=False))
        self._members = changed
        self._tell()

    def tokenize(self, sequence: str) -> list[Token]:
        """Return the tokens of one piece, their offsets in bytes.

        Raises:
            UntokenizableError: There is no token for a part of it.
        """
        return [Token.of_core(*parts) for parts in self._made.tokenize(sequence)]

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, or None."""
        return self._made.id(token)

    def id_to_token(self, id: int) -> str | None:
        """Return the token with this id, or None."""
        return self._made.token(id)

    def save(
        self, folder: str | os.PathLike[str], prefix: str | None = None, name: str | None = None
    ) -> list[str]:
        """Write the model's own files into `folder` and return their paths.

        Args:
            folder: The folder, which exists.
            prefix: What the names of the files start with.
            name: The old name of `prefix`.

        Raises:
            OSError: A file cannot be written.
        """
        if name is not None:
            warnings.warn("Model.save(name=) is now prefix=", DeprecationWarning, stacklevel=2)
        start = prefix or name
        saved = []
        for file, content in self._files().items():
            path = Path(folder, f"{start}-{file}" if start else file)
            path.write_bytes(content.encode())
            saved.append(str(path))
        return saved

    def _files(self) -> dict[str, str]:
        return {"vocab.json": self._made.vocabulary_json()}

    def get_trainer(self) -> Trainer:
        """Return the trainer of this kind of model; needs the `tokenizers` package."""
        from maxmunch import trainers

        return trainers.of_model(self.to_json())

    def _clear_cache(self) -> None:
        """Do nothing: a model keeps no cache of its own."""

    def _resize_cache(self, capacity: int) -> None:
        """Do nothing: a model keeps no cache of its own."""


def _single(value: float | None) -> float | None:
    """Return the number that 32 bits hold, which is what the reference gives."""
    found: float | None = None
    if value is not None:
        (found,) = struct.unpack("f", struct.pack("f", value))
    return found


def _vocabulary(vocab: Any) -> dict[str, int]:
    """Return a vocabulary as a file holds it."""
    if not isinstance(vocab, Mapping):
        kind = type(vocab).__name__
        raise TypeError(f"vocab: {kind} given where a dict from tokens to ids is expected")
    if _is_plain(vocab, str) and _is_plain(vocab.values(), int):
        # PERF: nearly all are so, and each token alone takes three times as long.
        places = vocab.values()
        if not places or (min(places) >= 0 and max(places) < _TOO_LARGE):
            return dict(vocab)
    return {text("vocab", token): count("vocab", number) for token, number in vocab.items()}


def _is_plain(values: Iterable[Any], kind: type[Any]) -> bool:
    """Tell whether all are of this very class."""
    return set(map(type, values)) <= {kind}


def _merges(pairs: Iterable[Any]) -> list[Any]:
    """Return merges as a file holds them."""
    pairs = list(pairs)
    is_plain = _is_plain(pairs, tuple) and set(map(len, pairs)) <= {2}
    # PERF: as for vocabularies.
    if is_plain and _is_plain(chain.from_iterable(pairs), str):
        return pairs
    return [_merge(pair) for pair in pairs]


def _merge(pair: Any) -> list[str]:
    """Return a merge as a file holds it."""
    if not isinstance(pair, list | tuple) or len(pair) != 2:  # noqa: PLR2004
        raise TypeError(f"merges: {pair!r:.60} given where two tokens are expected")
    return [text("merges", token) for token in pair]


def _scores(entries: Iterable[Any]) -> list[Any]:
    """Return tokens and their scores as a file holds them."""
    entries = list(entries)
    if entries and _is_plain(entries, tuple) and set(map(len, entries)) <= {2}:
        tokens, scores = zip(*entries, strict=True)
        # PERF: as for vocabularies.
        if _is_plain(tokens, str) and _is_plain(scores, float) and all(map(math.isfinite, scores)):
            return entries
    return [_scored(entry) for entry in entries]


def _scored(entry: Any) -> list[Any]:
    """Return a token and its score as a file holds them."""
    if not isinstance(entry, list | tuple) or len(entry) != 2:  # noqa: PLR2004
        raise TypeError(f"vocab: {entry!r:.60} given where a token and its score are expected")
    return [text("vocab", entry[0]), number("vocab", entry[1])]


_WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""White space as Unicode has it; `str.strip` knows four controls more."""


def _read_text(path: str) -> str:
    """Return the text of a file, its ends of lines as they are."""
    data = Path(path).read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(
            f"{path} is not UTF-8 at byte {error.start}; it should be a text file", "vocab"
        ) from error


def _lines(path: str) -> list[str]:
    *lines, last = _read_text(path).split("\n")
    return [line.removesuffix("\r") for line in lines] + ([last] if last else [])


def _read_json(path: str) -> dict[str, int]:
    """Return the vocabulary of a JSON file.

    Raises:
        InvalidArgumentError: It is no object from tokens to ids; the reference leaves out entries
            that are no numbers.
    """
    rule = f"vocab: {path} should hold one JSON object from tokens to ids"
    try:
        vocab = json.loads(_read_text(path))
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(f"{rule}: {error}", "vocab") from error
    if not isinstance(vocab, dict):
        raise InvalidArgumentError(f"{rule}, and holds a {type(vocab).__name__}", "vocab")
    for token, place in vocab.items():
        if type(place) is not int or not 0 <= place < _TOO_LARGE:
            raise InvalidArgumentError(f"{rule}; that of {token!r} is {place!r:.60}", "vocab")
    return vocab


def _read_lines(path: str) -> dict[str, int]:
    return {line.rstrip(_WHITE): index for index, line in enumerate(_lines(path))}


class BPE(Model):
    """Byte-pair encoding.

    Args:
        vocab: Token to id, or the path of its file; `merges` has to be given along with it.
        merges: Pairs of tokens, the earliest merge first, or the path of their file.
        cache_capacity: Not used: there is no cache to size.
        dropout: Probability of skipping a merge, from 0 to 1: ids become random.
        unk_token: What characters without a token become.
        continuing_subword_prefix: Prefix of every symbol of a piece but the first.
        end_of_word_suffix: Suffix of the last symbol of a piece.
        fuse_unk: Whether a run of unknown characters is one token.
        byte_fallback: Whether a character without a token becomes its bytes `<0xHH>`.
        ignore_merges: Whether a piece that is a token is that token, whatever the merges say.
        seed: With it, the ids under `dropout` depend on the seed and the text alone.

    Raises:
        InvalidTokenizerError: A merge joins what is no token.
    """

    dropout = Option["float | None"](maybe(number), shown=_single)
    unk_token = Option["str | None"](maybe(text))
    continuing_subword_prefix = Option["str | None"](maybe(text))
    end_of_word_suffix = Option["str | None"](maybe(text))
    fuse_unk = Option[bool](flag)
    byte_fallback = Option[bool](flag)
    ignore_merges = Option[bool](flag)
    seed = Option["int | None"](maybe(count))

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        merges: Iterable[tuple[str, str]] | str | None = None,
        cache_capacity: int | None = None,
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool | None = None,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        *,
        seed: int | None = None,
        **unknown: Any,
    ) -> None:
        warn_ignored(unknown)
        _ = maybe(count)("cache_capacity", cache_capacity)
        if (vocab is None) != (merges is None):
            raise InvalidArgumentError("`vocab` and `merges` must be both specified", "vocab")
        if isinstance(vocab, str) != isinstance(merges, str):
            raise InvalidArgumentError(
                "`vocab` and `merges` must be both be from memory or both filenames", "vocab"
            )
        if isinstance(vocab, str) and isinstance(merges, str):
            vocab, merges = self.read_file(vocab, merges)
        self._load(
            {
                "type": "BPE",
                "dropout": maybe(number)("dropout", dropout),
                "unk_token": maybe(text)("unk_token", unk_token),
                "continuing_subword_prefix": maybe(text)(
                    "continuing_subword_prefix", continuing_subword_prefix
                ),
                "end_of_word_suffix": maybe(text)("end_of_word_suffix", end_of_word_suffix),
                "fuse_unk": maybe(flag)("fuse_unk", fuse_unk) is True,
                "byte_fallback": flag("byte_fallback", byte_fallback),
                "ignore_merges": flag("ignore_merges", ignore_merges),
                "vocab": _vocabulary({} if vocab is None else vocab),
                "merges": _merges(merges or ()),
            },
            seed=maybe(count)("seed", seed),
        )

    @staticmethod
    def read_file(vocab: str, merges: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Return the vocabulary and the merges of two files, vocab.json and merges.txt."""
        pairs: list[tuple[str, str]] = []
        for place, line in enumerate(_lines(merges), 1):
            if line.startswith("#version"):
                continue
            parts = line.split(" ")
            if len(parts) != 2:  # noqa: PLR2004
                raise InvalidArgumentError(
                    f"merges: line {place} of {merges}, {line!r}, should be two tokens with one "
                    "space between them",
                    "merges",
                )
            pairs.append((parts[0], parts[1]))
        return _read_json(vocab), pairs

    @classmethod
    def from_file(cls, vocab: str, merges: str, **kwargs: Any) -> BPE:
        """Return the model of two files, vocab.json and merges.txt; options as of the class."""
        return BPE(*cls.read_file(vocab, merges), **kwargs)

    def _files(self) -> dict[str, str]:
        return {**super()._files(), "merges.txt": "#version: 0.2\n" + self._made.merges_text()}


class Unigram(Model):
    """The segmentation of a piece with the highest sum of scores.

    Args:
        vocab: Tokens with their scores; the place in the list is the id. None is `<unk>` alone.
        unk_id: The id that a run of characters without a token becomes.
        byte_fallback: Whether such a run becomes its bytes `<0xHH>`, if all of them are tokens.
        alpha: Ids become random: a segmentation of score s has the weight exp(alpha · s).
        nbest_size: Whether to draw from that many of the best segmentations instead of from all.
        seed: With it, the ids under `alpha` depend on the seed and the text alone.
    """

    alpha = Option["float | None"](maybe(number))
    nbest_size = Option["int | None"](maybe(count))
    seed = Option["int | None"](maybe(count))

    def __init__(
        self,
        vocab: Iterable[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool | None = None,
        alpha: float | None = None,
        nbest_size: int | None = None,
        *,
        seed: int | None = None,
    ) -> None:
        if vocab is None:
            if unk_id is not None:
                raise InvalidArgumentError("`vocab` and `unk_id` must be both specified", "unk_id")
            vocab, unk_id = [("<unk>", 0.0)], 0
        self._load(
            {
                "type": "Unigram",
                "unk_id": maybe(count)("unk_id", unk_id),
                "vocab": _scores(vocab),
                "byte_fallback": maybe(flag)("byte_fallback", byte_fallback) is True,
            },
            alpha=maybe(number)("alpha", alpha),
            nbest_size=maybe(count)("nbest_size", nbest_size),
            seed=maybe(count)("seed", seed),
        )

    def _files(self) -> dict[str, str]:
        return {"unigram.json": self._made.to_json(True)}


class WordLevel(Model):
    """One token a piece.

    Args:
        vocab: Token to id, or the path of its file.
        unk_token: What a piece without a token becomes; `<unk>` unless it is given.
    """

    unk_token = Option[str](text)

    def __init__(
        self, vocab: Mapping[str, int] | str | None = None, unk_token: str | None = None
    ) -> None:
        if isinstance(vocab, str):
            vocab = self.read_file(vocab)
        unk_token = "<unk>" if unk_token is None else text("unk_token", unk_token)
        self._load(
            {
                "type": "WordLevel",
                "vocab": _vocabulary({} if vocab is None else vocab),
                "unk_token": unk_token,
            }
        )

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Return the vocabulary of a vocab.json."""
        return _read_json(vocab)

    @classmethod
    def from_file(cls, vocab: str, unk_token: str | None = None) -> WordLevel:
        """Return the model of a vocab.json."""
        return WordLevel(cls.read_file(vocab), unk_token)


class WordPiece(Model):
    """Longest match first, from the left; a piece that gets stuck is unknown as a whole.

    Args:
        vocab: Token to id, or the path of its file.
        unk_token: What an unknown piece becomes.
        max_input_chars_per_word: A longer piece is unknown.
        continuing_subword_prefix: Prefix of tokens that continue a piece.
    """

    unk_token = Option[str](text)
    max_input_chars_per_word = Option[int](count)
    continuing_subword_prefix = Option[str](text)

    def __init__(
        self,
        vocab: Mapping[str, int] | str | None = None,
        unk_token: str = "[UNK]",
        max_input_chars_per_word: int = 100,
        continuing_subword_prefix: str = "##",
        **unknown: Any,
    ) -> None:
        warn_ignored(unknown)
        if isinstance(vocab, str):
            vocab = self.read_file(vocab)
        self._load(
            {
                "type": "WordPiece",
                "unk_token": text("unk_token", unk_token),
                "continuing_subword_prefix": text(
                    "continuing_subword_prefix", continuing_subword_prefix
                ),
                "max_input_chars_per_word": count(
                    "max_input_chars_per_word", max_input_chars_per_word
                ),
                "vocab": _vocabulary({} if vocab is None else vocab),
            }
        )

    @staticmethod
    def read_file(vocab: str) -> dict[str, int]:
        """Return the vocabulary of a vocab.txt: a token a line, its id the number of the line."""
        return _read_lines(vocab)

    @classmethod
    def from_file(cls, vocab: str, **kwargs: Any) -> WordPiece:
        """Return the model of a vocab.txt; options as of the class."""
        return WordPiece(cls.read_file(vocab), **kwargs)

    def _files(self) -> dict[str, str]:
        return {"vocab.txt": "".join(f"{token}\n" for token in self._made.vocabulary())}


_GREEDY = "WordPiece (greedy)"


class LongestMatch(Model, kind=_GREEDY):
    r"""Greedy longest match over bytes: maximal munch, in linear time for any text.

    Args:
        vocab: Token to id; a token is any `bytes`, or `str` for its UTF-8.
        unk_token: The token that a piece with no way through becomes. Without one such text raises
            `UntokenizableError`.

    Raises:
        InvalidArgumentError: A token is empty or given twice, or `unk_token` is not in `vocab`.

    Written to files as `WordPiece` with an empty prefix over byte-level characters, which
    `tokenizers` runs unchanged.

    Example:
        >>> import maxmunch as mm
        >>> tok = mm.Tokenizer(mm.models.LongestMatch({"a": 0, "ab": 1, b"\xff": 2}))
        >>> tok.encode("aaba").ids
        [0, 1, 0]
    """

    def __init__(self, vocab: Mapping[Any, int], unk_token: bytes | str | None = None) -> None:
        tokens: dict[bytes, int] = {}
        if not isinstance(vocab, Mapping):
            raise TypeError(f"vocab: {type(vocab).__name__} given where a mapping is expected")
        for token, place in vocab.items():
            key = token.encode() if isinstance(token, str) else instance("vocab", token, bytes)
            if not key or key in tokens:
                rule = "is given twice, as bytes and as str" if key else "is empty"
                raise InvalidArgumentError(f"vocab: the token {token!r} {rule}", "vocab")
            tokens[key] = count("vocab", place)
        table = byte_level_table()
        self._load(
            {
                "type": "WordPiece",
                "unk_token": _unknown(tokens, unk_token, table),
                "continuing_subword_prefix": "",
                "max_input_chars_per_word": _NO_LIMIT,
                "vocab": {"".join(table[b] for b in token): i for token, i in tokens.items()},
            }
        )


def _unknown(tokens: dict[bytes, int], unk_token: bytes | str | None, table: list[str]) -> str:
    """Return how the unknown token is spelled in the file, which must name one."""
    if unk_token is not None:
        key = unk_token.encode() if isinstance(unk_token, str) else unk_token
        if key not in tokens:
            raise InvalidArgumentError(
                f"unk_token: {unk_token!r} is not in vocab; add it, or pass None to have text that "
                "no token matches refused",
                "unk_token",
            )
        return "".join(table[b] for b in key)
    if all(bytes([b]) in tokens for b in range(_BYTES)):
        return table[0]
    # No token, and no spelling of bytes: the first text without a way through is an error.
    return "[no unknown token]"
