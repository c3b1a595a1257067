"""`maxmunch certify`, `inventory`, `span`, `delimiter` and `cuts`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import (
    NO,
    TROUBLE,
    YES,
    parse_bytes,
    print_json,
    print_table,
    show_bytes,
)
from maxmunch.cli.pages import inventory_page, write_page
from maxmunch.cli.sources import (
    SET_HELP,
    is_token_set,
    load_token_set,
    load_tokenizer,
    map_bytes,
)
from maxmunch.cli.targets import is_for_the_file, write_to
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import argparse

    from maxmunch.certify import Verdict

__all__ = ["add_limits", "add_width", "limits", "on_token_set", "register"]


def register(commands: Commands) -> None:
    """Add the commands of the certify flow."""
    parser = on_token_set(
        commands,
        "certify",
        certify,
        summary="decide whether a window fixes where its last byte's token starts",
        example="maxmunch certify tokens:ab,b a 0\nmaxmunch certify gpt2.json 'e\\n' 1",
    )
    parser.add_argument("window", help=r"bytes, with escapes such as \n or \xe2")
    parser.add_argument("origin", type=int, help="offset in the window, from 0")
    add_limits(parser)

    parser = on_token_set(
        commands,
        "inventory",
        inventory,
        summary="count the certified windows of every width",
        example="maxmunch inventory gpt2.json --width 4 --save gpt2.inventory",
    )
    add_width(parser)
    add_limits(parser)
    parser.add_argument("--save", type=Path, help="write the inventory, to be loaded; or -")
    parser.add_argument("--html", type=Path, help="write a page about it; or -")

    parser = on_token_set(
        commands,
        "delimiter",
        delimiter,
        summary="decide whether cutting at every occurrence of a delimiter is safe",
        example="maxmunch delimiter gpt2.json '\\n'\nmaxmunch delimiter tokens:ab,b b",
    )
    parser.add_argument("delimiter", help=r"with escapes such as \n; one byte for a token set")
    parser.add_argument(
        "--vocabulary",
        action="store_true",
        help="of a tokenizer file ask the token set alone, not the whole pipeline",
    )

    parser = on_token_set(
        commands,
        "span",
        span,
        summary="decide how long a stretch without an anchor can get",
        example="maxmunch span gpt2.json --width 4",
    )
    add_width(parser)
    add_limits(parser)

    parser = on_token_set(
        commands,
        "cuts",
        cuts,
        summary="plan certified cuts of a text into parts of about equal size",
        example="maxmunch cuts gpt2.json book.txt --parts 8",
    )
    parser.add_argument("text", nargs="?", default="-", help="a file; - is standard input")
    parser.add_argument("--parts", type=int, default=8, help="how many parts (default: 8)")
    add_width(parser)


def on_token_set(commands: Commands, name: str, run: Any, **texts: str) -> argparse.ArgumentParser:
    """Add a command whose first argument is a token set."""
    parser = command(commands, name, run, **texts)
    parser.add_argument(
        "token_set",
        metavar="TOKEN_SET",
        help=SET_HELP,
    )
    return parser


def add_width(parser: argparse.ArgumentParser) -> None:
    """Add the option for the widest window."""
    parser.add_argument("--width", type=int, default=4, help="widest window, in bytes (default: 4)")


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the options for how much an answer may cost."""
    parser.add_argument("--max-states", type=int, help="states that a search may tell apart")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="give up after them")


def limits(options: argparse.Namespace) -> dict[str, Any]:
    """Return the limits as arguments of the library."""
    return {"max_states": options.max_states, "time_limit": options.time_limit}


def certify(options: argparse.Namespace) -> int:
    """Run `maxmunch certify`: 0 certified or vacuous, 1 refuted, 2 undecided."""
    import maxmunch as mm

    window = parse_bytes(options.window, "window")
    token_set = load_token_set(options.token_set)
    verdict = token_set.certify(window, options.origin, **limits(options))
    answer: dict[str, Any] = {
        "window": window,
        "origin": options.origin,
        "verdict": type(verdict).__name__.lower(),
        "searched_states": verdict.searched_states,
    }
    if isinstance(verdict, mm.Refuted):
        answer["witness"] = verdict.witness
    if isinstance(verdict, mm.Undecided):
        answer["reason"] = verdict.reason
    if options.json:
        print_json(answer)
    else:
        print(f"{show_bytes(window)} at {options.origin}: {answer['verdict']}")
        print(_why(verdict))
    return {mm.Refuted: NO, mm.Undecided: TROUBLE}.get(type(verdict), YES)


def _why(verdict: Verdict) -> str:
    import maxmunch as mm

    if isinstance(verdict, mm.Refuted):
        witness = verdict.witness
        return (
            f"in {show_bytes(witness.data)} the window stands at {witness.occurrence}, and the "
            f"token of its last byte starts at {witness.actual}, not at {witness.claimed}"
        )
    if isinstance(verdict, mm.Undecided):
        return verdict.reason
    if isinstance(verdict, mm.Vacuous):
        return "the window stands in no tokenizable input"
    return "wherever the window stands, its last byte's token starts there"


def inventory(options: argparse.Namespace) -> int:
    """Run `maxmunch inventory`."""
    is_silent = is_for_the_file(options, "save", "html")
    found = load_token_set(options.token_set).inventory(options.width, **limits(options))
    rows = [(width, n.certified, n.vacuous, 256**width) for width, n in found.counts.items()]
    write_to(options.save, found.save)
    write_to(options.html, lambda path: write_page(path, inventory_page(options.token_set, found)))
    if is_silent:
        return YES
    names = ["width", "certified", "vacuous", "windows"]
    if options.json:
        widths = [dict(zip(names, row, strict=True)) for row in rows]
        print_json({"widths": widths, "searched_states": found.searched_states})
    else:
        print_table(names, rows)
    return YES


def delimiter(options: argparse.Namespace) -> int:
    """Run `maxmunch delimiter`: 0 when one side is safe, 1 when neither is."""
    byte = parse_bytes(options.delimiter, "delimiter")
    if options.vocabulary or is_token_set(options.token_set):
        answer = load_token_set(options.token_set).delimiter(byte)
    else:
        answer = load_tokenizer(options.token_set).delimiter(_text(byte))
    if options.json:
        names = ("before", "after", "refutation_before", "refutation_after", "searched_states")
        print_json({name: getattr(answer, name) for name in names})
    else:
        for side, safe, refutation in (
            ("before", answer.before, answer.refutation_before),
            ("after", answer.after, answer.refutation_after),
        ):
            verdict = "safe" if safe else f"unsafe, see {show_bytes(refutation or b'')}"
            print(f"cutting {side} every {show_bytes(byte)}: {verdict}")
    return YES if answer.before or answer.after else NO


def _text(delimiter: bytes) -> str:
    try:
        return delimiter.decode()
    except UnicodeDecodeError as error:
        message = (
            f"delimiter: {delimiter!r} is not UTF-8, which texts are; give text, or ask the token "
            "set with --vocabulary"
        )
        raise InvalidArgumentError(message, "delimiter") from error


def span(options: argparse.Namespace) -> int:
    """Run `maxmunch span`: 0 when bounded, 1 when not."""
    import maxmunch as mm

    token_set = load_token_set(options.token_set)
    answer = token_set.inventory(options.width, **limits(options)).span()
    if options.json:
        names = ("bounded", "value", "witness", "searched_states")
        print_json({name: getattr(answer, name) for name in names})
    elif isinstance(answer.witness, mm.Pump):
        prefix, cycle, suffix = (
            show_bytes(part)
            for part in (answer.witness.prefix, answer.witness.cycle, answer.witness.suffix)
        )
        print("a stretch without an anchor can get arbitrarily long:")
        print(f"{prefix}, then {cycle} any number of times, then {suffix}")
    else:
        print(f"no stretch without an anchor is longer than {answer.value:,} bytes")
        print(f"{show_bytes(answer.witness)} has one of that length")
    return YES if answer.bounded else NO


def cuts(options: argparse.Namespace) -> int:
    """Run `maxmunch cuts`."""
    data = map_bytes(options.text)
    token_set = load_token_set(options.token_set)
    plan = token_set.plan_cuts(data, options.parts, max_width=options.width)
    if options.json:
        print_json({"cuts": plan.cuts, "snap_distances": plan.snap_distances})
        return YES
    rows = list(zip(plan.cuts, plan.snap_distances, strict=True))
    print(f"{len(rows) + 1} of {options.parts} parts")
    print_table(["cut at byte", "bytes past the target"], rows)
    return YES
