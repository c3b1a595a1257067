"""Counting: one pass over the corpus, on all cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.arguments import available_cores
from maxmunch.corpus.counts import PretokenCounts
from maxmunch.corpus.sources import open_corpus
from maxmunch.errors import InvalidArgumentError
from maxmunch.progress import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["count_pretokens"]


def count_pretokens(
    source: Any,
    *,
    pattern: Any = "o200k",
    field: str | None = None,
    column: str | None = None,
    errors: str = "replace",
    memory_limit: int | None = None,
    threads: int | None = None,
    progress: bool | Callable[[str, int, int], object] = True,
) -> PretokenCounts:
    r"""Return how often each pretoken occurs in the corpus.

    A document is a file, a line of JSON, a row of a table, or an item of an iterable. Counts do not
    depend on `threads` or on how the files are read.

    Args:
        source: A path, directory or glob (text, `.jsonl`, `.parquet`, each also `.gz` or `.zst`),
            `"-"` for standard input, a sequence of paths, an iterable of `str` (or `bytes`)
            documents, or an Arrow table or dataset. A list of strings that all name existing files
            is a list of paths.
        pattern: `"o200k"` (its repeats end after 32 characters, so that no pretoken is longer than
            68 characters), or a regular expression whose matches and gaps are the pretokens.
        field: Name of the text in a line of JSON, `"text"` by default.
        column: Name of the text column of a table, `"text"` by default.
        errors: What becomes of bytes that are not UTF-8: `"replace"` them by U+FFFD, `"ignore"`
            them (both are counted in `.invalid`), or `"strict"`: refuse.
        memory_limit: Bytes for the count table. Where they do not suffice the rarest pretokens are
            dropped and `.dropped` says how many occurrences that were.
        threads: Threads; all cores by default.
        progress: Draw a bar, or a function called with `(phase, done, total)` bytes.

    Raises:
        InvalidArgumentError: An argument out of range, an empty corpus, text that breaks `errors`.
        OSError: A file cannot be read.
        LimitError: A regular expression backtracks too much.

    Complexity: one pass. Source: docs/concepts/training.md.

    Example:
        >>> count_pretokens(["to be or not to be"], progress=False).items()[:2]
        [(b' be', 2), (b' not', 1)]
    """
    if memory_limit is not None and memory_limit < 1:
        message = f"memory_limit: {memory_limit} is below 1; give bytes, or None"
        raise InvalidArgumentError(message, "memory_limit")
    counter = _core.PretokenCounter(
        _pattern_text(pattern), errors, thread_count(threads), memory_limit
    )
    corpus = open_corpus(source, field=field, column=column)
    with ProgressBar(enabled=progress is True) as bar:
        show = progress if callable(progress) else bar
        for chunk in corpus.chunks:
            if chunk.documents is not None:
                counter.documents(chunk.documents)
            else:
                counter.feed(chunk.data)
                if chunk.last:
                    counter.end_document()
            show("count", chunk.position, max(corpus.stored_bytes, chunk.position))
    documents, read, invalid, dropped = counter.seen()
    counts = PretokenCounts(counter.finish(), counter.source, documents, read, invalid, dropped)
    if len(counts) == 0:
        message = f"source: the corpus has no text ({documents} documents, {read} bytes); check it"
        raise InvalidArgumentError(message, "source")
    return counts


def _pattern_text(pattern: Any) -> str:
    if isinstance(pattern, str):
        return pattern
    message = (
        f"pattern: {type(pattern).__name__} is not a pattern; give 'o200k' or a regular expression"
    )
    raise InvalidArgumentError(message, "pattern")


def thread_count(threads: int | None) -> int:
    """Return `threads`, or the number of cores this process may use.

    Raises:
        InvalidArgumentError: `threads` is below 1.
    """
    if threads is None:
        return available_cores()
    if threads < 1:
        message = f"threads: {threads} is below 1; give a number of threads, or None for all cores"
        raise InvalidArgumentError(message, "threads")
    return threads
