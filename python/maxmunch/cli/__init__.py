"""The command line: `maxmunch COMMAND`, one module a flow.

Every command has `--help` with an example and `--json` for machines. The exit code is 0 when the
work is done or the answer is yes, 1 when the answer is no (refuted, differs), 2 when the call could
not be answered (usage, bad input, a limit).
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from maxmunch import __version__
from maxmunch.cli import bench, certify, encode, explain, measure, paper, tour, train
from maxmunch.cli.console import TROUBLE
from maxmunch.errors import MaxmunchError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["build_parser", "main"]


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="maxmunch",
        description="Exact, certified, fast tokenization: encode, train, certify.",
        epilog="maxmunch COMMAND --help shows an example of each command.",
    )
    parser.add_argument("--version", action="version", version=f"maxmunch {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for flow in (tour, encode, explain, train, certify, measure, paper, bench):
        flow.register(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = build_parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except MaxmunchError as error:
        print(f"maxmunch: {error}", file=sys.stderr)
        return TROUBLE
    except FileNotFoundError as error:
        print(f"maxmunch: there is no file {error.filename!r}; check the path", file=sys.stderr)
        return TROUBLE
    except BrokenPipeError:
        sys.stderr.close()
        return TROUBLE
    except OSError as error:
        print(f"maxmunch: {error.filename!r}: {error.strerror}", file=sys.stderr)
        return TROUBLE
    except KeyboardInterrupt:
        print("maxmunch: interrupted", file=sys.stderr)
        return TROUBLE
    return code
