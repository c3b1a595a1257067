"""`maxmunch scan` and `maxmunch reproduce`: the certified-splitting paper, run here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import NO, YES, print_json, print_table
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import argparse

    from maxmunch.certify.artifact import ArtifactRun

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the commands that rerun the paper."""
    parser = command(
        commands,
        "scan",
        scan,
        summary="cut campaign text at anchors, scan it in parallel, compare with one thread",
        example="maxmunch scan --threads 1,2,4,8,16,32",
    )
    parser.add_argument("--grammar", default="conventional", help="bare, conventional, ...")
    parser.add_argument("--threads", default="1,2,4,8,16,32", help="numbers, by commas")
    parser.add_argument("--copies", default="1,16", help="copies of half a MiB, by commas")
    parser.add_argument(
        "--repetitions", type=int, default=5, help="the fastest counts (default: 5)"
    )
    parser.add_argument("--width", type=int, default=4, help="widest window, in bytes (default: 4)")
    parser.add_argument("--seed", type=int, default=0)

    parser = command(
        commands,
        "reproduce",
        reproduce,
        summary="recompute the figures of the certified-splitting paper, its value beside ours",
        example="maxmunch reproduce --twitter twitter.json --gpt2 gpt2.json",
    )
    parser.add_argument("--twitter", type=Path, help="twitter.json; its digest is checked")
    parser.add_argument("--gpt2", type=Path, help="GPT-2's tokenizer.json; its digest is checked")
    parser.add_argument("--strict", action="store_true", help="a missing input is a failure")


def _numbers(text: str, name: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError as error:
        message = f"{name}: {text!r} is no list of numbers; write them as 1,2,4"
        raise InvalidArgumentError(message, name) from error
    if min(numbers) < 1:
        message = f"{name}: {min(numbers)} is below 1"
        raise InvalidArgumentError(message, name)
    return numbers


def scan(options: argparse.Namespace) -> int:
    """Run `maxmunch scan`: 0 when all boundary streams are the sequential one, else 1."""
    from maxmunch.certify.artifact import scanner_artifact

    found = scanner_artifact(
        options.grammar,
        threads=_numbers(options.threads, "threads"),
        copies=_numbers(options.copies, "copies"),
        repetitions=options.repetitions,
        max_width=options.width,
        seed=options.seed,
    )
    if options.json:
        print_json(found)
    else:
        seconds = found.inventory_seconds
        print(f"grammar {found.grammar}, inventory {found.pin[:16]} in {seconds:.3f} s")
        names = ["bytes", "threads", "chunks", "largest snap", "ms", "MB/s", "identical"]
        print_table(names, [_row(run) for run in found.runs])
        print(f"best of {options.repetitions}; not in the times: {found.excluded}")
    return YES if all(run.identical for run in found.runs) else NO


def _row(run: ArtifactRun) -> list[object]:
    rate = run.bytes / run.seconds / 1e6
    snap = max(run.snap_distances, default=0)
    return [run.bytes, run.threads, run.chunks, snap, 1e3 * run.seconds, rate, run.identical]


def reproduce(options: argparse.Namespace) -> int:
    """Run `maxmunch reproduce`: 0, or 2 with --strict when an input is missing."""
    from rich.console import Console

    from maxmunch.certify.reproduce import reproduce as recompute

    console = Console(stderr=True)
    with console.status("…") as status:
        figures = recompute(
            twitter=options.twitter,
            gpt2=options.gpt2,
            strict=options.strict,
            progress=status.update,
        )
    if options.json:
        print_json({"figures": figures})
        return YES
    rows = [[f.name, f.paper, f.ours, f.verdict, f.because] for f in figures]
    print_table(["figure", "paper", "ours", "verdict", "because"], rows)
    verdicts = [figure.verdict for figure in figures]
    counted = [f"{verdicts.count(v)} {v}" for v in ("same", "differs", "not reproducible")]
    print(", ".join(counted))
    return YES
