"""Charts as SVG text, in one quiet style, so that a report is a single file."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

__all__ = ["bars", "histogram", "lines"]

ACCENT, QUIET, INK, GRID = "#0f766e", "#94a3b8", "#334155", "#e2e8f0"
THREE_DIGITS = 100
PALETTE = (ACCENT, QUIET, "#b45309", "#4f46e5")


@contextmanager
def _figure(width: float, height: float) -> Iterator[tuple[Axes, list[str]]]:
    """A figure without a display; the drawn SVG is put into the list that comes with it."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style: dict[str, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "maxmunch",
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": INK,
        "axes.edgecolor": GRID,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.patch.set_alpha(0)
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0)
        drawn: list[str] = []
        yield axes, drawn
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
        svg = text.getvalue()
        drawn.append(svg[svg.index("<svg") :])


def bars(
    values: Mapping[str, float],
    *,
    unit: str,
    highlight: str | None = None,
    start_at_zero: bool = True,
) -> str:
    """Return horizontal bars, one a name, each labelled with its value.

    Args:
        values: Name to value.
        unit: What the values count, written below the axis.
        highlight: The name that is drawn in the accent colour; all are when None.
        start_at_zero: Begin the axis at zero; if not, a little below the least value.
    """
    names = list(values)
    numbers = [values[name] for name in names]
    with _figure(6.4, 0.55 * len(names) + 0.7) as (axes, drawn):
        colors = [ACCENT if highlight in (None, name) else QUIET for name in names]
        drawn_bars = axes.barh(names, numbers, color=colors, height=0.6)
        axes.bar_label(drawn_bars, labels=[_short(number) for number in numbers], padding=4)
        axes.invert_yaxis()
        axes.set_xlabel(unit)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=6)
        low = 0 if start_at_zero else min(numbers) - 0.6 * (max(numbers) - min(numbers))
        axes.set_xlim(low, max(numbers) + 0.14 * (max(numbers) - low))
        axes.grid(axis="x", color=GRID)
    return drawn[0]


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= THREE_DIGITS else f"{number:,.4g}"


def histogram(values: Sequence[float], *, unit: str, count_of: str, bins: int = 30) -> str:
    """Return how often values fall into each of `bins` equal ranges."""
    with _figure(6.4, 2.6) as (axes, drawn):
        axes.hist(values, bins=bins, color=ACCENT, edgecolor="white", linewidth=0.5)
        axes.set_xlabel(unit)
        axes.set_ylabel(count_of)
        axes.grid(axis="y", color=GRID)
    return drawn[0]


def lines(
    series: Mapping[str, Sequence[float]], *, x: Sequence[float], x_unit: str, y_unit: str
) -> str:
    """Return one line a series over the same `x`."""
    with _figure(6.4, 2.8) as (axes, drawn):
        for color, (name, values) in zip(PALETTE, series.items(), strict=False):
            axes.plot(x, values, color=color, linewidth=2, marker="o", markersize=3, label=name)
        axes.set_xlabel(x_unit)
        axes.set_ylabel(y_unit)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.grid(axis="y", color=GRID)
        if len(series) > 1:
            axes.legend(frameon=False)
    return drawn[0]
