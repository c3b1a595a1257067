"""`maxmunch audit`, `supply` and `edit`: what two token sets, a text and an edit show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.cli.certify import add_limits, add_width, limits, on_token_set
from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import NO, YES, parse_bytes, print_json, print_table, show_bytes
from maxmunch.cli.pages import supply_page, write_page
from maxmunch.cli.sources import (
    SET_HELP,
    load_token_set,
    map_bytes,
    map_edited,
    read_bytes,
)
from maxmunch.cli.targets import is_for_the_file, write_to

if TYPE_CHECKING:
    import argparse

    from maxmunch.certify import Disagreement

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the commands that compare and measure."""
    parser = command(
        commands,
        "audit",
        audit,
        summary="decide whether two token sets ever disagree",
        example="maxmunch audit tokens:a,b,ab tokens:a,b",
    )
    parser.add_argument("left", help=SET_HELP)
    parser.add_argument("right", help=SET_HELP)
    add_limits(parser)

    parser = on_token_set(
        commands,
        "supply",
        supply,
        summary="count the anchors of a text, by width and by block",
        example="maxmunch supply gpt2.json book.txt --width 4",
    )
    parser.add_argument("text", nargs="?", default="-", help="a file; - is standard input")
    parser.add_argument("--policy", choices=["ceiling", "frozen", "sampled"], default="ceiling")
    parser.add_argument("--train-text", help="the earlier text of the policies frozen and sampled")
    parser.add_argument("--html", type=Path, help="write a page with charts; or -")
    parser.add_argument("--block-bytes", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=0)
    add_width(parser)

    parser = on_token_set(
        commands,
        "edit",
        edit,
        summary="bound how far an edit of a text can move token starts",
        example="maxmunch edit gpt2.json book.txt --at 1000 --removed 1 --insert x",
    )
    parser.add_argument("text", nargs="?", default="-", help="a file; - is standard input")
    parser.add_argument("--at", type=int, required=True, help="byte position of the edit")
    parser.add_argument("--removed", type=int, default=1, help="bytes taken out (default: 1)")
    parser.add_argument("--insert", default="", help=r"bytes put in, with escapes such as \n")
    add_width(parser)


def audit(options: argparse.Namespace) -> int:
    """Run `maxmunch audit`: 0 when they never disagree, 1 with an input when they do."""
    import maxmunch as mm

    left, right = load_token_set(options.left), load_token_set(options.right)
    result = mm.audit(left, right, **limits(options))
    if options.json:
        names = ("boundary", "domain", "boundary_states", "domain_states", "searched_states")
        print_json({name: getattr(result, name) for name in names})
    else:
        _tell(result.boundary, "both tokenize, with different starts")
        _tell(result.domain, "exactly one tokenizes")
    return YES if result.boundary is None and result.domain is None else NO


def _tell(found: Disagreement | None, what: str) -> None:
    if found is None:
        print(f"no input that {what}: proved")
        return
    print(f"an input that {what}: {show_bytes(found.data)}")
    for side, starts in (("left", found.left_starts), ("right", found.right_starts)):
        print(f"  {side}: {'not tokenizable' if starts is None else [int(s) for s in starts]}")


def supply(options: argparse.Namespace) -> int:
    """Run `maxmunch supply`."""
    import maxmunch as mm

    is_silent = is_for_the_file(options, "html")
    train = None if options.train_text is None else read_bytes(options.train_text)
    found = mm.supply(
        load_token_set(options.token_set),
        map_bytes(options.text),
        max_width=options.width,
        block_bytes=options.block_bytes,
        policy=options.policy,
        train_data=train,
        seed=options.seed,
    )
    write_to(options.html, lambda path: write_page(path, supply_page(options.text, found)))
    if is_silent:
        return YES
    names = ["width", "anchors", "per KiB", "block min", "median", "max", "widest gap"]
    rows: list[list[Any]] = []
    for width, anchors in found.anchors.items():
        block = found.block_supply[width]
        least, median, most = block.minimum, float(block.median), block.maximum
        per_kib, gap = float(found.anchors_per_kib[width]), found.widest_gap[width]
        rows.append([width, anchors, per_kib, least, median, most, gap])
    if options.json:
        widths = [dict(zip(names, row, strict=True)) for row in rows]
        print_json(
            {
                "bytes": found.bytes,
                "boundaries_per_kib": found.boundaries_per_kib,
                "rule": found.rule,
                "widths": widths,
            }
        )
        return YES
    print(f"{found.bytes:,} bytes, {found.boundaries_per_kib:.1f} boundaries per KiB; {found.rule}")
    print_table(names, rows)
    return YES


def edit(options: argparse.Namespace) -> int:
    """Run `maxmunch edit`."""
    import numpy as np

    token_set = load_token_set(options.token_set)
    data = map_bytes(options.text)
    inserted = parse_bytes(options.insert, "insert")
    sizes = {"removed": options.removed, "inserted": len(inserted)}
    bounds = token_set.edit_bounds(data, options.at, max_width=options.width, **sizes)
    end = options.at + options.removed
    changed = map_edited(data, options.at, end, inserted)
    scan = token_set.scan(data)
    rescan = token_set.rescan(scan, data, changed, options.at, max_width=options.width, **sizes)
    shift = len(inserted) - options.removed
    before = np.where(scan.starts >= end, scan.starts + shift, scan.starts)
    moved = np.setxor1d(before, rescan.starts).tolist()
    answer = {
        "left": bounds.left,
        "right": bounds.right,
        "proven_left": bounds.proven_left,
        "tokens_before": len(scan),
        "tokens_after": len(rescan),
        "changed_starts": moved,
    }
    if options.json:
        print_json(answer)
        return YES
    left = "the start of the text" if bounds.left is None else f"byte {bounds.left:,}"
    right = "the end of the text" if bounds.right is None else f"byte {bounds.right:,}"
    print(f"every changed token start lies strictly between {left} and {right} of the old text")
    print(f"{len(moved):,} starts changed; {len(scan):,} tokens before, {len(rescan):,} after")
    return YES
