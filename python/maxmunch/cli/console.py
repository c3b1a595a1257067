"""What every command shares: tables for people, JSON for machines, escapes, exit codes."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["NO", "TROUBLE", "YES", "parse_bytes", "print_json", "print_table", "show_bytes"]

# Exit codes: yes (or the work is done), no, and the call could not be answered.
YES, NO, TROUBLE = 0, 1, 2


def parse_bytes(text: str, name: str) -> bytes:
    r"""Return the bytes that a command-line argument names: UTF-8 text with Python's escapes.

    Args:
        text: The argument, such as ``ab``, ``\n`` or ``\xe2\x96\x81``.
        name: The argument's name, for the message.

    Raises:
        InvalidArgumentError: A backslash starts a broken escape.

    Example:
        >>> parse_bytes(r"a\n\xff", "window")
        b'a\n\xff'
    """
    import codecs

    try:
        # What bytes literals use: \n, \t, \\, \xHH, octal; other bytes stay as they are.
        value, _ = codecs.escape_decode(text.encode())
    except ValueError as error:
        message = (
            f"{name} is {text!r}: {error}; write bytes as text with Python's escapes, such as \\n"
        )
        raise InvalidArgumentError(message, name) from error
    return bytes(value)


def show_bytes(data: bytes | str, limit: int = 60) -> str:
    r"""Return `data` (text as its UTF-8) as a readable literal, cut after `limit` bytes.

    Example:
        >>> print(show_bytes(b"a\n"))
        "a\n"
    """
    data = data.encode() if isinstance(data, str) else data
    shown = data[:limit]
    try:
        literal = json.dumps(shown.decode(), ensure_ascii=False)
    except UnicodeDecodeError:
        literal = repr(shown)
    return literal + (f"… ({len(data):,} bytes)" if len(data) > limit else "")


def print_json(value: Any) -> None:
    """Print `value` as one JSON document; numpy values, bytes and paths become plain ones."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False, default=_plain)
    sys.stdout.write("\n")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    message = f"cannot write {type(value).__name__} as JSON"
    raise TypeError(message)


def print_table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None
) -> None:
    """Print an aligned table; numbers stand right, grouped by thousands."""
    from rich.console import Console
    from rich.table import Table

    body = [list(row) for row in rows]
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, header in enumerate(headers):
        numeric = bool(body) and all(isinstance(row[index], (int, float)) for row in body)
        table.add_column(header, justify="right" if numeric else "left", header_style="dim")
    for row in body:
        table.add_row(*(_cell(value) for value in row))
    Console(highlight=False).print(table)


def _cell(value: object) -> str:
    from rich.markup import escape

    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.3f}"
    return escape(str(value))
