"""Tokenizers from files and to files, pickles and copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.hub import find_tokenizer
from maxmunch.models import LongestMatch, Model
from maxmunch.options import instance
from maxmunch.state import TokenizerState

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from typing_extensions import Self

__all__ = ["LoadsAndSaves"]


class LoadsAndSaves(TokenizerState):
    """The calls of a tokenizer that read or write it."""

    if TYPE_CHECKING:

        def __init__(self, model: Model) -> None: ...

    @classmethod
    def from_str(cls, json: str) -> Self:
        """Return the tokenizer that the text of a `tokenizer.json` describes.

        Raises:
            TypeError: It is no str; `from_buffer` takes bytes.
            InvalidTokenizerError: The text is malformed; `.json_path` says where.
            UnsupportedTokenizerError: It asks for what is not reproduced id for id.
        """
        return cls._of(_core.TokenizerCore.from_json(instance("json", json, str)))

    @classmethod
    def from_buffer(cls, buffer: bytes) -> Self:
        """Return the tokenizer that the bytes of a `tokenizer.json` describe; see `from_str`."""
        if not isinstance(buffer, bytes | bytearray | memoryview):
            # `bytes` would make as many zeros of a number.
            raise TypeError(f"buffer: {type(buffer).__name__} given where bytes are expected")
        return cls._of(_core.TokenizerCore.from_json(bytes(buffer)))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tokenizer of a `tokenizer.json`; see `from_str`.

        Raises:
            OSError: The file cannot be read.
        """
        return cls.from_buffer(Path(path).read_bytes())

    @classmethod
    def from_pretrained(
        cls, identifier: str | os.PathLike[str], revision: str = "main", token: str | None = None
    ) -> Self:
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
    def from_tiktoken(
        cls,
        path: str | os.PathLike[str],
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
    ) -> Self:
        """Return the tokenizer of a rank file of tiktoken, with the same ids.

        Args:
            path: The file: one token a line, as base64 and rank.
            pattern: The regular expression that cuts the text, as tiktoken's `pat_str`, or a name:
                r50k_base, p50k_base, cl100k_base, o200k_base, llama3, llama4, qwen2. It may be left
                out for the files that tiktoken itself publishes.
            special_tokens: Contents with their ids. They are matched in text as in any tokenizer
                here: `specials` of the calls decides.

        Raises:
            OSError: The file cannot be read.
            InvalidTokenizerError: A line is malformed; `.json_path` names it.
            UnsupportedTokenizerError: The pattern or a special has no form that gives the same ids.
            InvalidArgumentError: No pattern is given, or two tokens have one id.
        """
        from maxmunch.loaders import checked_specials, tiktoken_document

        data = Path(path).read_bytes()
        specials = checked_specials({} if special_tokens is None else special_tokens)
        document = tiktoken_document(data, pattern=pattern, special_tokens=specials)
        tokenizer = cls._of_document(document)
        for content, number in specials.items():
            # A special that is one piece would be found among the tokens, whatever `specials` says.
            if [number] == tokenizer._core.encode_ids(content, False, "text").tolist():
                document = tiktoken_document(
                    data, pattern=pattern, special_tokens=specials, reserve=True
                )
                return cls._of_document(document)
        return tokenizer

    @classmethod
    def from_tekken(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tokenizer of a tekken.json, with the same ids and no tokens added around.

        Raises:
            OSError: The file cannot be read.
            InvalidTokenizerError: A value is missing or malformed; `.json_path` names it.
        """
        from maxmunch.loaders import tekken_document

        return cls._of_document(tekken_document(Path(path).read_bytes()))

    @classmethod
    def from_sentencepiece(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tokenizer of a SentencePiece `.model`, BPE or Unigram, with the same ids.

        Control pieces in the text become ids as everywhere here; `specials="text"` leaves them
        text, as SentencePiece does. No tokens are added around a text.

        Raises:
            OSError: The file cannot be read.
            InvalidTokenizerError: The file is damaged; `.json_path` is the piece or the byte.
            UnsupportedTokenizerError: It has no form that gives the same ids.
        """
        from maxmunch.loaders import sentencepiece_document

        return cls._of_document(sentencepiece_document(Path(path).read_bytes()))

    @classmethod
    def from_gguf(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tokenizer of the vocabulary in a GGUF file.

        Raises:
            OSError: The file cannot be read.
            InvalidTokenizerError: The file is damaged; `.json_path` is the key or the byte.
            UnsupportedTokenizerError: Its model or pre-tokenizer is not known.
        """
        from maxmunch.loaders import gguf_document

        return cls._of_document(gguf_document(Path(path)))

    @classmethod
    def _of_document(cls, document: dict[str, Any]) -> Self:
        return cls.from_str(json.dumps(document, ensure_ascii=False))

    @classmethod
    def from_rwkv(cls, path: str | os.PathLike[str]) -> Self:
        """Return the greedy tokenizer of a vocabulary in the format of RWKV.

        Each line holds an id, a Python literal (str or bytes), and its length in bytes.

        Raises:
            OSError: The file cannot be read.
            InvalidTokenizerError: A line is malformed; `.json_path` names it.
        """
        from maxmunch.rwkv import read_vocabulary

        return cls(LongestMatch(read_vocabulary(Path(path).read_bytes())))

    def to_str(self, pretty: bool = False) -> str:
        """Return the text of the `tokenizer.json` that describes this tokenizer."""
        return self._core.to_json(pretty)

    def save(self, path: str | os.PathLike[str], pretty: bool = True) -> None:
        """Write the `tokenizer.json` that describes this tokenizer.

        Raises:
            OSError: The file cannot be written.
        """
        Path(path).write_bytes(self.to_str(pretty).encode())

    def __getstate__(self) -> bytes:
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        self._start(_core.TokenizerCore.from_json(bytes(state)))

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.encode_special_tokens:
            return _with_flag, (type(self), self.__getstate__())
        return super().__reduce_ex__(protocol)

    def __copy__(self) -> Self:
        copied = self._of(self._core)
        copied.encode_special_tokens = self.encode_special_tokens
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()


def _with_flag(cls: type[LoadsAndSaves], state: bytes) -> LoadsAndSaves:
    """Return the tokenizer of a pickle whose special tokens in text stay text."""
    tokenizer = cls.__new__(cls)
    tokenizer.__setstate__(state)
    tokenizer.encode_special_tokens = True
    return tokenizer
