"""The engines that are compared: how each loads a file, encodes one text, and encodes many.

Each does the same work: ids of the text, added tokens matched where the engine can, no special
tokens put around it, and the ids in the form in which the engine itself gives them.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxmunch.bench import conversion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Many: TypeAlias = Callable[[Sequence[str], int], Any]

__all__ = ["ENGINES", "OURS", "Engine", "Loaded", "reference_for"]

OURS = "maxmunch"


@dataclass(frozen=True)
class Loaded:
    """An engine with a tokenizer in it."""

    one: Callable[[str], Any]
    """From a text to its ids, in the engine's own form."""
    many: Many | None = None
    """From texts and a number of threads to their ids, in the engine's own form."""
    flat: Callable[[Any], NDArray[np.uint32]] | None = None
    """From what `many` returns to one array of ids; called when the clock has stopped."""
    one_on_threads: Callable[[str, int], Any] | None = None
    """From one text and a number of threads to its ids."""


@dataclass(frozen=True)
class Engine:
    """One engine: the name of its distribution, and how it opens a tokenizer."""

    package: str
    load: Callable[[Any], Loaded]
    prepare: Callable[[Path], Any] = str
    """From the file to what `load` takes: the path, or a form of the engine's own."""
    modules: tuple[str, ...] = ()
    """What to import before the clock starts; the name of the distribution when empty."""

    def warm(self) -> None:
        """Import the engine, so that its load time is that of the file."""
        for module in self.modules or (self.package,):
            importlib.import_module(module)

    def version(self) -> str | None:
        """Return the version that is installed, None when none is."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return None


def _joined(results: Any) -> NDArray[np.uint32]:
    """Return lists of ids, or of encodings, as one array."""
    import numpy as np

    parts = [np.asarray(getattr(ids, "ids", ids), dtype=np.uint32) for ids in results]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint32)


def _maxmunch(path: str) -> Loaded:
    import maxmunch as mm

    rwkv = conversion.is_rwkv(path)
    opened = mm.Tokenizer.from_rwkv(path) if rwkv else mm.Tokenizer.from_file(path)
    return Loaded(
        lambda text: opened.encode_ids(text, add_special_tokens=False),
        lambda texts, threads: opened.encode_ids_batch(
            texts, add_special_tokens=False, threads=threads
        ),
        lambda ragged: ragged.ids,
        lambda text, threads: opened.encode_ids(text, add_special_tokens=False, threads=threads),
    )


def _gigatoken(path: str) -> Loaded:
    import gigatoken

    opened = gigatoken.Tokenizer(path)

    def flat(result: Any) -> NDArray[np.uint32]:
        import awkward

        ids: NDArray[np.uint32] = awkward.to_numpy(awkward.flatten(result))
        return ids

    return Loaded(opened.encode, lambda texts, _: opened.encode_batch(list(texts)), flat)


def _fastokens(path: str) -> Loaded:
    import fastokens
    import numpy as np

    opened = fastokens.Tokenizer.from_file(path)
    return Loaded(
        opened.encode,
        lambda texts, _: opened.encode_batch_flat(list(texts)),
        lambda result: np.frombuffer(result[0], dtype="<u4"),
    )


def _tokie(path: str) -> Loaded:
    import tokie

    opened: Any = tokie.Tokenizer.from_json(path)
    return Loaded(
        lambda text: opened.encode(text, add_special_tokens=False),
        lambda texts, _: opened.encode_batch_flat(list(texts), add_special_tokens=False),
        lambda result: result[0],
    )


def _kitoken(path: str) -> Loaded:
    import kitoken

    opened = kitoken.Kitoken.from_tokenizers_file(path)
    return Loaded(
        lambda text: opened.encode(text, True),
        lambda texts, _: opened.encode_all(list(texts), True),
        _joined,
    )


def _tiktoken(parts: dict[str, Any]) -> Loaded:
    import tiktoken

    opened = tiktoken.Encoding("of a tokenizer.json", **parts)
    return Loaded(
        lambda text: opened.encode(text, allowed_special="all"),
        lambda texts, threads: opened.encode_batch(
            list(texts), num_threads=threads, allowed_special="all"
        ),
        _joined,
    )


def _sentencepiece(model: bytes) -> Loaded:
    import sentencepiece

    opened = sentencepiece.SentencePieceProcessor(model_proto=model)
    return Loaded(
        opened.encode,
        lambda texts, threads: opened.encode(list(texts), num_threads=threads),
        _joined,
    )


def _pyrwkv(path: str) -> Loaded:
    import pyrwkv_tokenizer

    if not conversion.is_rwkv(path):
        raise ValueError("pyrwkv-tokenizer reads RWKV's vocabulary files only")
    opened = pyrwkv_tokenizer.WorldTokenizer(path)
    return Loaded(opened.encode, lambda texts, _: opened.encode_batch(list(texts)), _joined)


def _tokenizers(path: str) -> Loaded:
    import tokenizers

    opened = tokenizers.Tokenizer.from_file(path)
    return Loaded(
        lambda text: opened.encode_batch_fast([text], add_special_tokens=False)[0].ids,
        lambda texts, _: opened.encode_batch_fast(list(texts), add_special_tokens=False),
        _joined,
    )


ENGINES = {
    OURS: Engine("maxmunch", _maxmunch),
    "gigatoken": Engine("gigatoken", _gigatoken, modules=("gigatoken", "awkward")),
    "fastokens": Engine("fastokens", _fastokens),
    "tokie": Engine("tokie", _tokie),
    "kitoken": Engine("kitoken", _kitoken),
    "tiktoken": Engine("tiktoken", _tiktoken, conversion.ranks),
    "sentencepiece": Engine("sentencepiece", _sentencepiece, conversion.sentencepiece_model),
    "pyrwkv": Engine("pyrwkv-tokenizer", _pyrwkv, modules=("pyrwkv_tokenizer",)),
    "tokenizers": Engine("tokenizers", _tokenizers),
}
"""By name; ours first, the slow reference last."""


def reference_for(tokenizer: Path) -> str:
    """Return the engine whose ids are the right ones for this file."""
    return "pyrwkv" if conversion.is_rwkv(tokenizer) else "tokenizers"
