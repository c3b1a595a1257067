"""Ids and nothing else: the calls of a tokenizer that compute no offsets and no token texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxmunch.arguments import thread_count, threads_or_cores
from maxmunch.encoding import RaggedIds
from maxmunch.errors import InvalidArgumentError
from maxmunch.state import TokenizerState

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    import numpy as np
    import numpy.typing as npt

    from maxmunch.arguments import Specials
    from maxmunch.files import Manifest

__all__ = ["GivesIds"]


class GivesIds(TokenizerState):
    """The calls of a tokenizer that give ids, or count them."""

    @property
    def cache_bytes(self) -> int:
        """Most bytes for remembering what pieces of text became, for all threads together.

        Assigning forgets everything; 0 remembers nothing. Ids are the same for every value. What is
        remembered is freed with the tokenizer. Each thread begins with up to 32,768 words that are
        one token, which takes up to 5 MB, the first one when the tokenizer is loaded.
        """
        return self._core.cache_bytes()

    @cache_bytes.setter
    def cache_bytes(self, value: int) -> None:
        if value < 0:
            raise InvalidArgumentError(f"cache_bytes: {value} should be 0 or more", "cache_bytes")
        self._core = self._core.with_cache_bytes(value)

    def encode_ids(
        self,
        text: str | bytes,
        *,
        add_special_tokens: bool = True,
        specials: Specials = "parse",
        threads: int | None = 1,
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of `encode(text)`, and nothing else.

        Args:
            text: The text; `bytes` must be valid UTF-8.
            add_special_tokens: Whether the post-processor adds its tokens.
            specials: As in `encode`.
            threads: Threads for this one text; its ids are the same for every number. The text is
                cut where the cut is proven to change no id (see `cut_points`); where no such place
                is known, one thread does the work.

        Returns:
            uint32, shape (n_ids,).
        """
        threads = threads_or_cores(threads)
        if threads > 1:
            return self._cuts().encode_ids(
                text, add_special_tokens, self._policy(specials), threads
            )
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
            *self._core.encode_ids_batch(
                list(texts), add_special_tokens, policy, thread_count(threads)
            )
        )

    def count_tokens(self, text: str | bytes, *, add_special_tokens: bool = True) -> int:
        """Return the number of ids that `encode_ids(text)` has."""
        return self._core.count_tokens(text, add_special_tokens, self._policy("parse"))

    def encode_files(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        output: str | os.PathLike[str],
        *,
        format: str = "npy",
        separator: str | bytes | None = None,
        field: str | None = None,
        column: str | None = None,
        add_special_tokens: bool = True,
        specials: Specials = "parse",
        threads: int | None = None,
        progress: bool | Callable[[str, int, int], object] = True,
        resume: bool = True,
        errors: str = "strict",
        shard_bytes: int = 256 << 20,
    ) -> Manifest:
        """Encode the documents of files, in order, into shards of ids in one directory.

        Interrupted at any moment and called again, it goes on after the last finished shard; the
        shards are then those of an undisturbed run. They do not depend on `threads`.

        Args:
            paths: Files, globs or directories (text, `.jsonl`, `.parquet`, each also `.gz` or
                `.zst`), or `"-"` for standard input.
            output: The directory; made if it is missing.
            format: `"npy"`; `"bin"`, raw little-endian uint16 where every id fits, else uint32;
                or `"parquet"`, a list of ids a row. An int64 `.offsets.npy` stands beside each.
            separator: What stands between two documents of a text file; by default a file is one
                document.
            field: Name of the text in a line of JSON, `"text"` by default.
            column: Name of the text column of a table, `"text"` by default.
            add_special_tokens: Whether the post-processor adds its tokens to each document.
            specials: As in `encode`.
            threads: Threads to use; every core by default.
            progress: Draw a bar, or a function called with `(phase, done, total)` bytes.
            resume: Go on from what `output` holds; otherwise replace it.
            errors: What becomes of bytes that are not UTF-8: `"strict"` refuses them, `"replace"`
                puts U+FFFD in their place, `"ignore"` drops them.
            shard_bytes: A shard ends after the document with which its text has this many bytes.

        Raises:
            InvalidArgumentError: An argument is out of range, a document is no text, or `output`
                holds shards of another tokenizer, other options or other inputs.
            OSError: A file cannot be read or written.

        Complexity: one pass; memory for some batches of 16 MiB and the longest document.
        """
        from maxmunch.files import FileOptions, encode_files

        options = FileOptions(
            format=format,
            separator=separator,
            field=field,
            column=column,
            add_special_tokens=add_special_tokens,
            specials=self._policy(specials),
            errors=errors,
            shard_bytes=shard_bytes,
            threads=thread_count(threads),
        )
        return encode_files(self._core, paths, output, options, resume=resume, progress=progress)
