"""Ready-made pipelines: the classes of `tokenizers.implementations`, where it is installed."""

from __future__ import annotations

from typing import Any

from maxmunch.delegates import library


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'maxmunch.implementations' has no attribute {name!r}")
    return getattr(library("implementations").implementations, name)
