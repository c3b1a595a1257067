"""The trainers of the `tokenizers` package, which trains where it is installed.

`maxmunch.train` is another thing: it trains greedy vocabularies, and needs nothing.
"""

from __future__ import annotations

import inspect
import json
from typing import Any, ClassVar

from maxmunch.added_token import AddedToken
from maxmunch.delegates import library

__all__ = [
    "BpeTrainer",
    "ParityBpeTrainer",
    "Trainer",
    "UnigramTrainer",
    "WordLevelTrainer",
    "WordPieceTrainer",
    "of_model",
    "to_theirs",
    "trained",
]


class Trainer:
    """A trainer of `tokenizers`, with its options as attributes; build one of its subclasses.

    Raises:
        InvalidArgumentError: The `tokenizers` package is not installed.
    """

    _theirs: Any

    _options: ClassVar[dict[str, Any]] = {}
    """The options of the class with their defaults."""
    _calls: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        parameters = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for name, default in cls._options.items()
        ]
        cls.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        for name in cls._options:
            if name not in _ONLY_GIVEN:
                setattr(cls, name, _forwarded(name))
        for name in cls._calls:
            setattr(cls, name, _forwarded_call(name))

    def __init__(self, *arguments: Any, **options: Any) -> None:
        made = self._class()(*to_theirs(arguments), **to_theirs(options))
        object.__setattr__(self, "_theirs", made)

    @classmethod
    def _class(cls) -> Any:
        return getattr(library("training").trainers, cls.__name__)

    def __repr__(self) -> str:
        return repr(self._theirs)

    def __getstate__(self) -> bytes:
        state: bytes = self._theirs.__getstate__()
        return state

    def __setstate__(self, state: bytes) -> None:
        made = self._class()()
        made.__setstate__(state)
        object.__setattr__(self, "_theirs", made)


_ONLY_GIVEN = {"shrinking_factor", "unk_token", "max_piece_length", "n_sub_iterations", "ratio"}
"""Options that can be given and not read again."""


def _forwarded(name: str) -> property:
    def read(self: Trainer) -> Any:
        return _to_ours(getattr(self._theirs, name))

    def write(self: Trainer, value: Any) -> None:
        setattr(self._theirs, name, to_theirs(value))

    return property(read, write, doc=f"The option `{name}` of the trainer of `tokenizers`.")


def _forwarded_call(name: str) -> Any:
    def call(self: Trainer, *arguments: Any, **options: Any) -> Any:
        return _called(getattr(self._theirs, name), arguments, options)

    call.__name__ = name
    call.__doc__ = f"Call `{name}` of the trainer of `tokenizers`."
    return call


class BpeTrainer(Trainer):
    """Trains `BPE`."""

    _options: ClassVar = {
        "vocab_size": 30000,
        "min_frequency": 0,
        "show_progress": True,
        "progress_format": "indicatif",
        "special_tokens": [],
        "limit_alphabet": None,
        "initial_alphabet": [],
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "max_token_length": None,
    }
    _calls = ("get_word_count",)


class ParityBpeTrainer(Trainer):
    """Trains `BPE` on several corpora at once."""

    _options: ClassVar = {
        "num_merges": 32000,
        "variant": "base",
        "min_frequency": 0,
        "ratio": None,
        "global_merges": 0,
        "window_size": 100,
        "alpha": 2.0,
        "total_symbols": False,
        "special_tokens": None,
        "show_progress": True,
        "limit_alphabet": None,
        "initial_alphabet": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "max_token_length": None,
    }
    _calls = ("train_from_iterator",)


class UnigramTrainer(Trainer):
    """Trains `Unigram`."""

    _options: ClassVar = {
        "vocab_size": 8000,
        "show_progress": True,
        "special_tokens": [],
        "initial_alphabet": [],
        "shrinking_factor": 0.75,
        "unk_token": None,
        "max_piece_length": 16,
        "n_sub_iterations": 2,
    }


class WordLevelTrainer(Trainer):
    """Trains `WordLevel`."""

    _options: ClassVar = {
        "vocab_size": 30000,
        "min_frequency": 0,
        "show_progress": True,
        "special_tokens": [],
    }


class WordPieceTrainer(Trainer):
    """Trains `WordPiece`."""

    _options: ClassVar = {
        "vocab_size": 30000,
        "min_frequency": 0,
        "show_progress": True,
        "special_tokens": [],
        "limit_alphabet": None,
        "initial_alphabet": [],
        "continuing_subword_prefix": "##",
        "end_of_word_suffix": None,
    }


def of_model(model_json: str) -> Trainer:
    """Return the trainer for the kind of model that a JSON text describes."""
    document = {"version": "1.0", "model": json.loads(model_json)}
    theirs = library("training").Tokenizer.from_str(json.dumps(document)).model.get_trainer()
    return _wrapped(theirs)


def _wrapped(theirs: Any) -> Trainer:
    classes = {cls.__name__: cls for cls in Trainer.__subclasses__()}
    own = object.__new__(classes[type(theirs).__name__])
    object.__setattr__(own, "_theirs", theirs)
    return own


def trained(json_text: str, call: str, arguments: tuple[Any, ...]) -> str:
    """Return the file of a tokenizer after `call(*arguments)` of the same name was made on it.

    Args:
        json_text: The file before.
        call: "train" or "train_from_iterator".
        arguments: What the call gets.
    """
    theirs = library("training").Tokenizer.from_str(json_text)
    getattr(theirs, call)(*to_theirs(arguments))
    result: str = theirs.to_str()
    return result


def to_theirs(value: Any) -> Any:
    """Return trainers and added tokens in a value as those of `tokenizers`."""
    if isinstance(value, Trainer):
        return value._theirs
    if isinstance(value, AddedToken):
        return library("training").AddedToken(**value.given())
    if type(value) in (list, tuple):
        return type(value)(to_theirs(element) for element in value)
    if type(value) is dict:
        return {name: to_theirs(element) for name, element in value.items()}
    return value


def _to_ours(value: Any) -> Any:
    if type(value) is list:
        return [_to_ours(element) for element in value]
    if type(value).__name__ == "AddedToken":
        return AddedToken(**value.__getstate__())
    return value


def _called(method: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a method of theirs; our tokenizers among its arguments become what it makes of them."""
    changed = []

    def convert(value: Any) -> Any:
        if hasattr(value, "take_json") and hasattr(value, "to_str"):
            theirs = library("training").Tokenizer.from_str(value.to_str())
            changed.append((value, theirs))
            return theirs
        return to_theirs(value)

    result = method(
        *(convert(value) for value in arguments),
        **{name: convert(value) for name, value in options.items()},
    )
    for ours, theirs in changed:
        ours.take_json(theirs.to_str())
    return result
