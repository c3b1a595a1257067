"""One self-contained HTML page: figures first, then sections of prose, tables and charts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Chart", "Page", "Section", "Table", "render"]


@dataclass(frozen=True)
class Table:
    """Rows under headers; numbers are set right."""

    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


@dataclass(frozen=True)
class Chart:
    """An SVG picture with the sentence that says what it shows."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Section:
    """A heading, a few sentences, and what they speak of."""

    title: str
    sentences: Sequence[str] = ()
    parts: Sequence[Table | Chart] = ()


@dataclass(frozen=True)
class Page:
    """A report: its headline figures as (value, what it is), then its sections."""

    title: str
    subtitle: str
    figures: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = field(default_factory=list)
    footer: str = ""


def render(page: Page) -> str:
    """Return the page as HTML without any outside reference.

    Raises:
        InvalidArgumentError: The report extra (jinja2, matplotlib) is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        message = "HTML reports need jinja2: pip install 'maxmunch[report]'"
        raise InvalidArgumentError(message, "report") from error
    environment = Environment(
        loader=PackageLoader("maxmunch.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cell"] = _cell
    environment.tests["number"] = lambda value: isinstance(value, (int, float))
    environment.tests["table"] = lambda part: isinstance(part, Table)
    return environment.get_template("page.html.j2").render(page=page)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    return str(value)
