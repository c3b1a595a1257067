"""Counting: one pass over the corpus, on all cores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.arguments import threads_or_cores
from maxmunch.corpus.counts import PretokenCounts
from maxmunch.corpus.sources import open_corpus
from maxmunch.errors import InvalidArgumentError
from maxmunch.options import Regex
from maxmunch.progress import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["count_pretokens"]

# What a ByteLevel pre-tokenizer cuts by.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


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
            68 characters), a regular expression whose matches and gaps are the pretokens, or a
            pre-tokenizer of ours that cuts so: a Split that isolates, a ByteLevel, both.
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
        _pattern_text(pattern), errors, threads_or_cores(threads), memory_limit
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
    """Return the regular expression that cuts as `pattern` does.

    The exported tokenizer cuts by one expression, so that only those pre-tokenizers will do that
    isolate the matches of one.
    """
    if isinstance(pattern, str):
        return pattern
    if isinstance(pattern, Regex):
        return pattern.pattern
    described = pattern.to_dict() if hasattr(pattern, "to_dict") else {}
    parts = described.get("pretokenizers", [described])
    texts = [text for part in parts if (text := _part_text(part)) is not None]
    if len(texts) == 1:
        return texts[0]
    message = (
        f"pattern: {pattern!r} does not cut at the matches of one expression; give 'o200k', a"
        " regular expression, a Split that isolates, a ByteLevel, or a Sequence of the two"
    )
    raise InvalidArgumentError(message, "pattern")


def _part_text(part: dict[str, Any]) -> str | None:
    """Return the expression by which a pre-tokenizer cuts, None where it does not cut."""
    if part.get("type") == "Split" and part["behavior"] == "Isolated" and not part["invert"]:
        cut = part["pattern"]
        return str(cut["Regex"]) if "Regex" in cut else re.escape(cut["String"])
    if part.get("type") == "ByteLevel" and not part["add_prefix_space"]:
        return GPT2_PATTERN if part["use_regex"] else None
    message = (
        f"pattern: {part.get('type', 'this object')!r} does not cut at the matches of one"
        " expression; give a Split that isolates, a ByteLevel without a prefix space, or both"
    )
    raise InvalidArgumentError(message, "pattern")
