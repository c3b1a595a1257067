"""`maxmunch scan` and `maxmunch reproduce`: the papers, run here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import NO, YES, print_json, print_table
from maxmunch.cli.targets import directory
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import argparse

    from maxmunch.certify.artifact import ArtifactRun
    from maxmunch.comparison import Cell

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
        summary="recompute the certified-splitting paper, or a table of vocabularies",
        example="maxmunch reproduce --train corpus.txt --output table --time-limit 3600",
    )
    parser.add_argument("--twitter", type=Path, help="twitter.json; its digest is checked")
    parser.add_argument("--gpt2", type=Path, help="GPT-2's tokenizer.json; its digest is checked")
    parser.add_argument("--strict", action="store_true", help="a missing input is a failure")
    parser.add_argument("--train", type=Path, metavar="TEXT", help="vocabularies on this text")
    parser.add_argument(
        "--output", type=directory, help="where the table is kept; it goes on there"
    )
    parser.add_argument("--sizes", default="32000,64000", help="tokens, by commas")
    parser.add_argument(
        "--scopes", default="100000,200000,300000,400000", help="pretokens of JOLT, by commas"
    )
    parser.add_argument("--time-limit", type=float, metavar="SECONDS")
    parser.add_argument("--ablation", action="store_true", help="JOLT with M=4 as well")
    parser.add_argument("--no-bounds", action="store_true", help="prove no lower bounds")


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
        print(f"decided by sources {found.sources[:16]}")
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
    if options.train is not None:
        return _table(options)
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


def _table(options: argparse.Namespace) -> int:
    """Print the table of vocabularies: 0 when every cell is there, else 1."""
    import time

    from maxmunch.comparison import REFERENCE, Table, growth

    if options.output is None:
        raise InvalidArgumentError("output: --train needs --output, a directory", "output")
    until = None if options.time_limit is None else time.monotonic() + options.time_limit
    table = Table.of_corpus(
        options.train, options.output, until=until, certify=not options.no_bounds
    )
    sizes, scopes = _numbers(options.sizes, "sizes"), _numbers(options.scopes, "scopes")
    cells = list(table.run(sizes, scopes, ablation=options.ablation))
    grown = growth(cells)
    if options.json:
        shown = [{**vars(cell), "tokens": len(cell.tokens)} for cell in cells]
        print_json({"cells": shown, "growth": grown})
        return YES if all(cell.status == "done" for cell in cells) else NO
    native = {cell.vocab_size: cell.held_out_tokens for cell in cells if cell.method == REFERENCE}
    print_table(
        [
            "method",
            "size",
            "scope",
            "coverage %",
            "held-out",
            "fewer %",
            "gap %",
            "CPU s",
            "status",
        ],
        [_cell_row(cell, native.get(cell.vocab_size, 0)) for cell in cells],
    )
    for row in grown:
        print(
            f"JOLT on {row['scope']:,} pretokens at {row['vocab_size']:,}: at most"
            f" {row['variables']:,} x {row['rows']:,}, {row['nonzeros']:,} nonzeros;"
            f" {row['cpu_seconds']:,} s of processor, {row['peak_bytes'] / 1e9:.2f} GB"
        )
    return YES if all(cell.status == "done" for cell in cells) else NO


def _cell_row(cell: Cell, native: int) -> list[object]:
    fewer = 100 * (1 - cell.held_out_tokens / native) if native and cell.held_out_tokens else None
    gap = 100 * (cell.scope_tokens / cell.bound - 1) if cell.bound else None
    return [
        cell.method,
        cell.vocab_size,
        cell.scope or "all",
        round(100 * cell.coverage, 2),
        cell.held_out_tokens or None,
        None if fewer is None else round(fewer, 3),
        None if gap is None else round(gap, 4),
        cell.cpu_seconds,
        cell.status,
    ]
