"""The trainers of the `tokenizers` package, which trains where it is installed.

`maxmunch.train` is another thing: it trains greedy vocabularies, and needs nothing.
"""

from __future__ import annotations

import json
from typing import Any

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

    def __init__(self, *arguments: Any, **options: Any) -> None:
        made = self._class()(*to_theirs(arguments), **to_theirs(options))
        object.__setattr__(self, "_theirs", made)

    @classmethod
    def _class(cls) -> Any:
        return getattr(library("training").trainers, cls.__name__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = getattr(self._theirs, name)
        return _calling(value) if callable(value) else _to_ours(value)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._theirs, name, to_theirs(value))

    def __repr__(self) -> str:
        return repr(self._theirs)

    def __getstate__(self) -> bytes:
        state: bytes = self._theirs.__getstate__()
        return state

    def __setstate__(self, state: bytes) -> None:
        made = self._class()()
        made.__setstate__(state)
        object.__setattr__(self, "_theirs", made)


class BpeTrainer(Trainer):
    """Trains `BPE`."""


class ParityBpeTrainer(Trainer):
    """Trains `BPE` on several corpora at once."""


class UnigramTrainer(Trainer):
    """Trains `Unigram`."""


class WordLevelTrainer(Trainer):
    """Trains `WordLevel`."""


class WordPieceTrainer(Trainer):
    """Trains `WordPiece`."""


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


def _calling(method: Any) -> Any:
    """Return a method that takes our tokenizers: theirs is trained, ours becomes the same."""

    def call(*arguments: Any, **options: Any) -> Any:
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

    return call
