"""Where the commands write: a file, a directory, or standard output for `-`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["directory", "is_for_the_file", "write_to"]

STANDARD_OUTPUT = Path("-")


def directory(text: str) -> Path:
    """Return the directory that an option names; its files cannot all go to standard output."""
    if text == "-":
        message = "- is standard output, and a directory is needed"
        raise argparse.ArgumentTypeError(message)
    return Path(text)


def is_for_the_file(options: argparse.Namespace, *names: str) -> bool:
    """Return whether standard output is for a file that is written, so that no report goes there.

    Args:
        options: Those of the call.
        names: The options that name a file to write.

    Raises:
        InvalidArgumentError: It is for two things.
    """
    chosen = [f"--{name}" for name in names if getattr(options, name) == STANDARD_OUTPUT]
    wanting = [*chosen, *(["--json"] if options.json else [])]
    if chosen and len(wanting) > 1:
        message = f"{' and '.join(wanting)} both take standard output; give one of them a file"
        raise InvalidArgumentError(message, chosen[0].removeprefix("--"))
    return bool(chosen)


def write_to(path: Path | None, write: Callable[[Path], None]) -> None:
    """Have `write` write a file, if there is one to write; `-` puts it on standard output."""
    if path is None:
        return
    if path != STANDARD_OUTPUT:
        write(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "file"
        write(whole)
        sys.stdout.flush()
        sys.stdout.buffer.write(whole.read_bytes())
        sys.stdout.buffer.flush()
