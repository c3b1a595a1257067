"""The tour: all three flows on the sources of the Python that runs it, and a report.

Nothing is fetched: the corpus is on every machine that has Python. The comparison with byte-pair
encoding needs the `hf` extra, the HTML report the `report` extra.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from maxmunch import __version__
from maxmunch.errors import InvalidArgumentError
from maxmunch.tour import steps
from maxmunch.tour.corpus import gather_sources
from maxmunch.tour.pages import tour_page
from maxmunch.tour.story import Story

__all__ = ["run_tour"]


def run_tour(
    output: str | os.PathLike[str],
    *,
    vocab_size: int = 4096,
    limit_bytes: int = 30_000_000,
    threads: int | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Train, compare, encode, certify and scan in parallel; write `report.html` and `report.json`.

    Args:
        output: Directory for the report and the trained tokenizer; made if it is not there.
        vocab_size: Tokens of the vocabulary, the 256 bytes included.
        limit_bytes: Most text to use, in bytes.
        threads: Cores to use; all of them when None.
        quiet: Print nothing.

    Returns:
        What `report.json` holds: figures by step, `seconds` by step, and `checks` by name, each of
        which must be True.

    Raises:
        InvalidArgumentError: No text, a size out of range, or an output that cannot be written.
    """
    directory = _made(Path(output))
    threads = threads or os.cpu_count() or 1
    story = Story(quiet=quiet)
    outcome: dict[str, Any] = {"versions": _versions(), "threads": threads}
    with story.step("Gather this Python's own sources"):
        corpus = gather_sources(limit_bytes)
        outcome["corpus"] = steps.describe_corpus(corpus, story)
    with story.step("Count pretokens"):
        counts, outcome["counts"] = steps.count(corpus, threads, story, quiet=quiet)
    with story.step(f"Train {vocab_size:,} tokens for greedy longest match"):
        result, outcome["training"] = steps.train(counts, vocab_size, threads, story, quiet=quiet)
        result.save(directory / "tokenizer")
    with story.step("Compare with byte-pair encoding of the same size on held-out files"):
        outcome["evaluation"] = steps.compare(corpus, result, vocab_size, story)
    with story.step(f"Encode everything on {threads} threads and decode it back"):
        outcome["encoding"] = steps.encode(corpus, result.tokenizer, threads, story)
    token_set = result.tokenizer.vocabulary.token_set()
    with story.step("Certify where text may be cut"):
        outcome["certify"] = steps.certify(token_set, corpus, story)
    with story.step("Cut the corpus at certified anchors and scan the parts in parallel"):
        outcome["parallel"] = steps.scan_in_parallel(token_set, corpus, threads, story)
    outcome["token_lengths"] = steps.token_lengths(result)
    outcome["seconds"] = story.seconds | {"total": story.total_seconds}
    outcome["checks"] = story.checks
    _write(directory, outcome)
    story.say(f"\nReport: {directory / 'report.html'} ({story.total_seconds:.0f} s in all)")
    return outcome


def _made(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make {str(directory)!r}: {error.strerror}; give another output directory"
        raise InvalidArgumentError(message, "output") from error
    return directory


def _versions() -> dict[str, str]:
    return {
        "maxmunch": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "implementation": sys.implementation.name,
    }


def _write(directory: Path, outcome: dict[str, Any]) -> None:
    from maxmunch.report import render

    text = json.dumps(outcome, indent=2, ensure_ascii=False, default=lambda value: value.tolist())
    (directory / "report.json").write_text(text + "\n", encoding="utf-8")
    (directory / "report.html").write_text(render(tour_page(outcome)), encoding="utf-8")
