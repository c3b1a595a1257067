"""The tour as it is told in the terminal: numbered steps, what each found, how long it took."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Story"]


class Story:
    """Prints steps to standard output and keeps the seconds that each took.

    Args:
        quiet: Print nothing, only keep the times.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        from rich.console import Console

        self._console = Console(quiet=quiet, highlight=False)
        self._started = time.perf_counter()
        self.seconds: dict[str, float] = {}
        self.checks: dict[str, bool] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Print a numbered heading, run the block, print its time."""
        self._console.print(f"\n[bold]{len(self.seconds) + 1}. {name}[/bold]")
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start
        self._console.print(f"   [dim]{self.seconds[name]:.1f} s[/dim]")

    def say(self, sentence: str) -> None:
        """Print one line of the current step, as it stands."""
        self._console.print(f"   {sentence}", markup=False)

    def check(self, name: str, *, holds: bool) -> None:
        """Record that something which must hold does, or does not."""
        self.checks[name] = holds
        mark = "[green]✓[/green]" if holds else "[bold red]✗ this must not happen:[/bold red]"
        self._console.print(f"   {mark} {name}")

    @property
    def total_seconds(self) -> float:
        """Seconds since the story began."""
        return time.perf_counter() - self._started
