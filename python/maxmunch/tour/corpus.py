"""Real text that every machine with Python has: the sources of its own library and packages."""

from __future__ import annotations

import hashlib
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SourceCorpus", "gather_sources"]

HELD_OUT_ONE_IN = 5
LEAST_BYTES = 100_000


@dataclass(frozen=True)
class SourceCorpus:
    """Source texts, split by file into training and held-out.

    Attributes:
        training: Texts to train on, in the order of their paths.
        held_out: Texts that training never sees: one file in five, chosen by its digest.
        duplicates: Files left out because an earlier file has the same bytes.
        not_utf8: Files left out because they are not valid UTF-8.
        unreadable: Files left out because they vanished or may not be read.
    """

    training: list[str] = field(default_factory=list)
    held_out: list[str] = field(default_factory=list)
    duplicates: int = 0
    not_utf8: int = 0
    unreadable: int = 0

    @property
    def texts(self) -> list[str]:
        """Every text, training first."""
        return self.training + self.held_out


def gather_sources(limit_bytes: int) -> SourceCorpus:
    """Return this Python's own sources, standard library first, until `limit_bytes` are reached.

    Args:
        limit_bytes: Most bytes to take, at least 100,000.

    Raises:
        InvalidArgumentError: The limit is too small, or no source file was found.
    """
    if limit_bytes < LEAST_BYTES:
        message = f"the limit is {limit_bytes:,} bytes; a vocabulary needs at least {LEAST_BYTES:,}"
        raise InvalidArgumentError(message, "megabytes")
    training: list[str] = []
    held_out: list[str] = []
    seen: set[bytes] = set()
    left_out = {"duplicates": 0, "not_utf8": 0, "unreadable": 0}
    total = 0
    for path in _source_files():
        try:
            data = path.read_bytes()
        except OSError:
            left_out["unreadable"] += 1
            continue
        digest = hashlib.sha256(data).digest()
        if not data or digest in seen:
            left_out["duplicates"] += 1
            continue
        if total + len(data) > limit_bytes:
            break
        try:
            text = data.decode()
        except UnicodeDecodeError:
            left_out["not_utf8"] += 1
            continue
        seen.add(digest)
        total += len(data)
        (held_out if digest[0] % HELD_OUT_ONE_IN == 0 else training).append(text)
    if not training or not held_out:
        message = "this Python has no source files beside it, so the tour has no text to work on"
        raise InvalidArgumentError(message, "corpus")
    return SourceCorpus(training, held_out, **left_out)


def _source_files() -> Iterator[Path]:
    """The .py files of the standard library, then of the installed packages, each in path order."""
    paths = sysconfig.get_paths()
    library = Path(paths["stdlib"])
    packages = {Path(paths["purelib"]), Path(paths["platlib"])}
    for path in sorted(library.rglob("*.py")):
        if "site-packages" not in path.parts:
            yield path
    for root in sorted(packages):
        yield from sorted(root.rglob("*.py"))
