"""`maxmunch tour`: the main job on this machine's own Python sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import NO, YES, print_json
from maxmunch.cli.targets import directory

if TYPE_CHECKING:
    import argparse

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the tour."""
    parser = command(
        commands,
        "tour",
        tour,
        summary="train, encode, certify on this machine's own Python sources, and write a report",
        example="maxmunch tour --output tour-report",
    )
    parser.add_argument(
        "--output", type=directory, default=Path("tour-report"), help="report directory"
    )
    parser.add_argument("--vocab-size", type=int, default=4096, help="tokens, bytes included")
    parser.add_argument("--megabytes", type=float, default=30.0, help="most text to use, in MB")
    parser.add_argument("--threads", type=int, help="default: all cores")


def tour(options: argparse.Namespace) -> int:
    """Run `maxmunch tour`: 0 when every check held, 1 when one did not."""
    from maxmunch.tour import run_tour

    outcome = run_tour(
        options.output,
        vocab_size=options.vocab_size,
        limit_bytes=int(options.megabytes * 1_000_000),
        threads=options.threads,
        quiet=options.json,
    )
    if options.json:
        print_json(outcome)
    return YES if all(outcome["checks"].values()) else NO
