"""The page that `maxmunch inventory --html` and `maxmunch supply --html` write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxmunch.cli.console import show_bytes
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from pathlib import Path

    from maxmunch.certify import Inventory, Supply
    from maxmunch.report import Page

__all__ = ["inventory_page", "supply_page", "write_page"]

SHOWN = 200


def write_page(path: Path, page: Page) -> None:
    """Write a page as one HTML file.

    Raises:
        InvalidArgumentError: The path cannot be written, or the report extra is not installed.
    """
    from maxmunch.report import render

    try:
        path.write_text(render(page), encoding="utf-8")
    except OSError as error:
        message = f"cannot write {str(path)!r}: {error.strerror}; give a path that can be written"
        raise InvalidArgumentError(message, "html") from error


def inventory_page(name: str, inventory: Inventory) -> Page:
    """Return the page of an inventory: counts by width and its first minimal windows."""
    from itertools import islice

    from maxmunch.report import Page, Section, Table

    counts = [[w, n.certified, n.vacuous, 256**w] for w, n in inventory.counts.items()]
    minimal = [[show_bytes(w), o] for w, o in islice(inventory.minimal(), SHOWN)]
    return Page(
        title=f"Certified windows of {name}",
        subtitle=f"All windows of up to {inventory.max_width} bytes.",
        sections=[
            Section(
                "By width",
                ["Certified: the window fixes where the token of its last byte starts."],
                [Table(["width", "certified", "vacuous", "windows"], counts)],
            ),
            Section(
                "Minimal windows",
                [f"The first {len(minimal)}: certified, and no shorter suffix of theirs is."],
                [Table(["window", "origin"], minimal)],
            ),
        ],
    )


def supply_page(name: str, supply: Supply) -> Page:
    """Return the page of the supply of a text: anchors by width, by block, and the gaps."""
    from maxmunch.report import Chart, Page, Section, Table
    from maxmunch.report.charts import bars, histogram

    widest = max(supply.blocks)
    by_width = {
        f"up to {w} byte{'s' if w > 1 else ''}": n for w, n in supply.anchors_per_kib.items()
    }
    gaps = [[width, gap] for width, gap in supply.widest_gap.items()]
    return Page(
        title=f"Anchors of {name}",
        subtitle=f"{supply.bytes:,} bytes; {supply.rule}.",
        figures=[
            (f"{supply.anchors_per_kib[widest]:.1f}", "anchors per KiB"),
            (f"{supply.boundaries_per_kib:.1f}", "token boundaries per KiB"),
            (f"{supply.widest_gap[widest]:,}", "bytes in the widest gap"),
        ],
        sections=[
            Section(
                "By width",
                [],
                [
                    Chart(
                        bars(
                            by_width | {"all boundaries": supply.boundaries_per_kib},
                            unit="anchors per KiB",
                        ),
                        "Anchors by the widest window that is looked at.",
                    ),
                    Table(["width", "widest gap in bytes"], gaps),
                ],
            ),
            Section(
                "By block",
                [],
                [
                    Chart(
                        histogram(
                            supply.blocks[widest].tolist(),
                            unit=f"anchors in a block of {supply.block_bytes:,} bytes",
                            count_of="blocks",
                        ),
                        "How many anchors the blocks of the text have, all widths.",
                    )
                ],
            ),
        ],
    )
