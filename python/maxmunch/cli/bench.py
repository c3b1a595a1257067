"""`maxmunch bench`: ours and the rivals that are installed, on a user's own files."""

from __future__ import annotations

import statistics
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.bench import ENGINES, MEASURES, Bench
from maxmunch.bench.matrix import summary
from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import NO, YES, print_json, print_table
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import argparse

    from maxmunch.bench import Row

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "bench",
        bench,
        summary="compare the speed of the engines that are installed, and their ids",
        example="maxmunch bench tokenizer.json book.txt mail.txt --measures first,batch",
    )
    parser.add_argument("tokenizer", type=Path, help="tokenizer.json, or an RWKV vocabulary (.txt)")
    parser.add_argument("texts", type=Path, nargs="+", help="files of UTF-8 text")
    parser.add_argument("--engines", help=f"of {', '.join(ENGINES)}; all that are installed")
    parser.add_argument(
        "--measures", default="first", help=f"of {', '.join(MEASURES)} (default: first)"
    )
    parser.add_argument("--megabytes", type=float, help="most text to encode; by measure")
    parser.add_argument("--rounds", type=int, default=5, help="processes an engine (default: 5)")
    parser.add_argument("--threads", type=int, default=2, help="of batch and parallel (default: 2)")
    parser.add_argument("--cache", type=Path, help="file that keeps the reference's ids, hashed")


def bench(options: argparse.Namespace) -> int:
    """Run `maxmunch bench`: 0 when our ids are the reference's in every row, 1 when not."""
    for path in (options.tokenizer, *options.texts):
        if not path.is_file():
            message = f"{str(path)!r} is no file; give a tokenizer and files of text"
            raise InvalidArgumentError(message, "tokenizer")
    runs = Bench(
        engines=options.engines.split(",") if options.engines else (),
        rounds=options.rounds,
        threads=options.threads,
        megabytes=options.megabytes,
        kept=options.cache,
    )
    rows: list[Row] = []
    for measure in options.measures.split(","):
        for text in options.texts:
            row = runs.row(options.tokenizer, text, measure)
            if row is None:
                wanted = MEASURES[measure].megabytes
                print(
                    f"{text.name} is shorter than half of the {wanted:g} MB of {measure!r}: "
                    "left out; --megabytes sets another size",
                    file=sys.stderr,
                )
            else:
                rows.append(row)
    if options.json:
        print_json({"about": runs.about(), "rows": [asdict(row) for row in rows]})
    else:
        _tell(runs, rows)
    wrong = [row for row in rows if row.cells.get("maxmunch") and not row.exact("maxmunch")]
    return NO if wrong and wrong[0].expected is not None else YES


def _tell(runs: Bench, rows: list[Row]) -> None:
    print(runs.about())
    names = ["engine", "MB/s", "range", "load, s", "load, MB", "peak, MB", "ids"]
    for row in rows:
        several = MEASURES[row.measure].several
        clock = "wall" if several else "processor"
        print(f"\n{row.tokenizer}, {row.text}. {MEASURES[row.measure].title}; {clock} time")
        print_table(names, [_line(row, engine) for engine in row.cells])
        if row.ratio is not None:
            print(f"ours / best exact rival: {row.ratio:.2f}")
    print(f"\n{summary(rows)} The speed of an engine whose ids differ does not count.")


def _line(row: Row, engine: str) -> list[str]:
    cells, rates = row.cells[engine], row.rates(engine)
    if not cells:
        return [engine, "-", "", "", "", "", "cannot"]
    same = "same" if row.exact(engine) else "differ"
    middle = statistics.median
    return [
        engine,
        f"{middle(rates):.1f}",
        f"{min(rates):.1f} to {max(rates):.1f}",
        f"{middle(cell.load_s for cell in cells):.3f}",
        f"{middle(cell.load_mb for cell in cells):.0f}",
        f"{middle(cell.peak_mb for cell in cells):.0f}",
        same if row.expected is not None else "no reference",
    ]
