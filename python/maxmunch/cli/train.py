"""`maxmunch count`, `maxmunch train` and `maxmunch evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import YES, parse_bytes, print_json, print_table, show_bytes
from maxmunch.cli.sources import load_tokenizer
from maxmunch.cli.targets import directory, is_for_the_file, write_to
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import argparse

    from maxmunch.corpus import PretokenCounts

__all__ = ["register"]


SOURCES = "files, directories or globs, or .counts files, which are added up"


def register(commands: Commands) -> None:
    """Add the commands of the train flow."""
    parser = command(
        commands,
        "count",
        count,
        summary="count the pretokens of a corpus",
        example="maxmunch count corpus/ --output corpus.counts",
    )
    parser.add_argument("sources", nargs="+", help=SOURCES)
    parser.add_argument("--output", type=Path, help="write the table, for `maxmunch train`; or -")
    parser.add_argument("--top", type=int, default=10, help="how many to show (default: 10)")
    parser.add_argument(
        "--memory-limit", type=int, metavar="BYTES", help="drop the rarest pretokens beyond it"
    )
    _add_reading(parser)

    parser = command(
        commands,
        "train",
        train,
        summary="train a vocabulary for greedy longest-match encoding",
        example="maxmunch train corpus/ --vocab-size 8000 --output my-tokenizer",
    )
    parser.add_argument("sources", nargs="+", help=SOURCES)
    parser.add_argument("--vocab-size", type=int, default=32_000, help="tokens, bytes included")
    parser.add_argument("--output", type=directory, required=True, help="directory for the result")
    parser.add_argument("--method", default="search", help="search (default) or jolt")
    parser.add_argument("--special-token", action="append", default=[], metavar="TOKEN")
    _add_rules(parser)
    parser.add_argument("--time-limit", type=float, metavar="SECONDS")
    parser.add_argument(
        "--memory-limit", type=int, metavar="BYTES", help="refuse tables that would take more"
    )
    parser.add_argument("--top", type=int, help="train on the most frequent pretokens only")
    parser.add_argument("--start", metavar="FILE", help="a tokenizer.json or ranks to start from")
    parser.add_argument(
        "--checkpoint", type=directory, metavar="DIRECTORY", help="go on from there"
    )
    parser.add_argument("--certify", action="store_true", help="prove a lower bound beside it")
    _add_reading(parser)

    parser = command(
        commands,
        "evaluate",
        evaluate,
        summary="compare tokenizers on the same texts",
        example="maxmunch evaluate gpt2.json mine/tokenizer.json --source held-out/",
    )
    parser.add_argument("tokenizers", nargs="+", help="tokenizers; the first is reference")
    parser.add_argument("--source", action="append", required=True, help="files or directories")
    parser.add_argument("--examples", type=int, default=0, metavar="N", help="best and worst words")
    _add_names(parser)


def _add_rules(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--pinned", action="append", default=[], metavar="TOKEN", help=r"must be in, as '\x20the'")
    add("--forbidden", action="append", default=[], metavar="TOKEN", help="must not be in")
    add("--max-token-bytes", type=int, metavar="BYTES", help="most bytes of a token")
    add("--valid-utf8", action="store_true", help="whole characters, and the single bytes, alone")
    add("--splittable", default="", metavar="BYTES", help=r"text may be cut at each, as '\n'")
    add("--splittable-at", default="start", metavar="PLACE", help="start (default) or end")


def _add_names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--field", help="name of the text in a line of JSON (default: text)")
    parser.add_argument("--column", help="name of the text column of a table (default: text)")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    _add_names(parser)
    parser.add_argument("--pattern", help="o200k (default) or a regex")
    parser.add_argument("--threads", type=int, help="default: all cores")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def _counts(options: argparse.Namespace, memory_limit: int | None = None) -> PretokenCounts:
    import maxmunch as mm

    tables = [source for source in options.sources if source.endswith(".counts")]
    if not tables:
        return mm.count_pretokens(
            [Path(source) for source in options.sources],
            pattern=options.pattern or "o200k",
            field=options.field,
            column=options.column,
            memory_limit=memory_limit,
            threads=options.threads,
            progress=not options.quiet,
        )
    if len(tables) < len(options.sources):
        message = f"sources: {tables[0]} is a table and others are texts; count these first"
        raise InvalidArgumentError(message, "sources")
    given = {"field": options.field, "column": options.column, "memory-limit": memory_limit}
    wrong = next((name for name, value in given.items() if value is not None), None)
    if wrong is not None:
        message = f"--{wrong} is for texts, and {tables[0]} is counted already; leave it out"
        raise InvalidArgumentError(message, wrong.replace("-", "_"))
    counts = mm.PretokenCounts.load(tables[0])
    for table in tables[1:]:
        counts += mm.PretokenCounts.load(table)
    _check_pattern(options.pattern, counts)
    return counts


def _check_pattern(pattern: str | None, counts: PretokenCounts) -> None:
    """Refuse a pattern that a table was not counted with."""
    import maxmunch as mm

    if pattern is None:
        return
    if counts.pattern != mm.count_pretokens(["a"], pattern=pattern, progress=False).pattern:
        message = f"pattern: the table was counted with {counts.pattern!r}; count the texts again"
        raise InvalidArgumentError(message, "pattern")


def count(options: argparse.Namespace) -> int:
    """Run `maxmunch count`."""
    if options.top < 0:
        message = f"--top is {options.top}; it must be 0 or more"
        raise InvalidArgumentError(message, "top")
    is_silent = is_for_the_file(options, "output")
    counts = _counts(options, options.memory_limit)
    write_to(options.output, counts.save)
    if is_silent:
        return YES
    top = list(counts.top(options.top).items())
    if options.json:
        rows = [{"pretoken": pretoken, "count": number} for pretoken, number in top]
        known = {"total": counts.total, "distinct": len(counts), "dropped": counts.dropped}
        print_json({**known, "top": rows})
        return YES
    print(f"{counts.total:,} pretokens, {len(counts):,} distinct")
    if counts.dropped:
        print(f"{counts.dropped:,} occurrences of rare ones were dropped to keep the memory limit")
    if options.output is not None:
        print(f"written to {options.output}")
    if top:
        shares = [(show_bytes(p), n, round(100 * n / counts.total, 2)) for p, n in top]
        print_table(["pretoken", "count", "%"], shares)
    return YES


def train(options: argparse.Namespace) -> int:
    """Run `maxmunch train`."""
    import maxmunch as mm

    # A place that cannot be written is better known before a long run than after it.
    options.output.mkdir(parents=True, exist_ok=True)
    result = mm.train(
        _counts(options),
        options.vocab_size,
        method=options.method,
        certify=options.certify,
        special_tokens=tuple(options.special_token),
        pinned=[parse_bytes(token, "pinned") for token in options.pinned],
        forbidden=[parse_bytes(token, "forbidden") for token in options.forbidden],
        max_token_bytes=options.max_token_bytes,
        valid_utf8=options.valid_utf8,
        time_limit=options.time_limit,
        memory_limit=options.memory_limit,
        top=options.top,
        start=options.start,
        splittable=parse_bytes(options.splittable, "splittable"),
        splittable_at=options.splittable_at,
        checkpoint=options.checkpoint,
        threads=options.threads,
        progress=not options.quiet,
    )
    result.save(options.output)
    summary: dict[str, Any] = {
        "output": options.output,
        "vocab_size": len(result.vocabulary),
        "cost": result.cost,
        "bound": None if result.bound is None else result.bound.value,
        "gap": result.gap,
    }
    if options.json:
        print_json(summary)
        return YES
    if result.interrupted or result.out_of_time:
        print("stopped early: this is the best vocabulary so far")
    print(f"{summary['vocab_size']:,} tokens written to {options.output}")
    print(f"{result.cost:,} tokens on the training scope")
    if result.bound is not None and result.gap is not None:
        print(f"no vocabulary of this size needs fewer than {result.bound.value:,} tokens")
        print(f"({result.bound.scope}): within {100 * result.gap:.3f} %")
    return YES


def evaluate(options: argparse.Namespace) -> int:
    """Run `maxmunch evaluate`."""
    import maxmunch as mm

    tokenizers = {path: load_tokenizer(path) for path in options.tokenizers}
    evaluation = mm.evaluate(
        tokenizers,
        [Path(source) for source in options.source],
        reference=options.tokenizers[0],
        field=options.field,
        column=options.column,
        examples=options.examples,
    )
    if options.json:
        print_json(evaluation.to_dict())
    else:
        print(evaluation)
    return YES
