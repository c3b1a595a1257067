"""Self-contained HTML reports with charts; needs the `report` extra (jinja2, matplotlib)."""

from __future__ import annotations

from maxmunch.report.page import Chart, Page, Section, Table, render

__all__ = ["Chart", "Page", "Section", "Table", "render"]
