"""Progress bars for calls that take more than a moment.

The core reports `(phase, done, total)` a few times a second; a `ProgressBar` draws it on standard
error, with the time that has passed and an estimate of what is left. Nothing is drawn when standard
error is not a terminal, or when the caller asked for quiet.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID
    from typing_extensions import Self

__all__ = ["ProgressBar"]


class ProgressBar:
    """A context manager that is called with `(phase, done, total)` and draws one bar a phase.

    Args:
        enabled: Draw at all. Even then nothing is drawn unless standard error is a terminal.
        bytes_per_second: The units are bytes: show their rate, too.

    Example:
        >>> with ProgressBar(enabled=False) as bar:
        ...     bar("counting", 1, 2)
    """

    def __init__(self, *, enabled: bool = True, bytes_per_second: bool = False) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._bytes_per_second = bytes_per_second
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._enabled:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
                TransferSpeedColumn,
            )

            self._progress = Progress(
                TextColumn("{task.description:<24}"),
                BarColumn(bar_width=32),
                TextColumn("{task.percentage:>3.0f} %"),
                *([TransferSpeedColumn()] if self._bytes_per_second else []),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(compact=True),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show that `done` of `total` units of `phase` are finished; `total` 0 means unknown."""
        if self._progress is None:
            return
        known = total if total > 0 else None
        if phase not in self._tasks:
            self._tasks[phase] = self._progress.add_task(phase, total=known)
        self._progress.update(self._tasks[phase], completed=done, total=known)
