"""The `tokenizers` package, for what is delegated to it: training, and ready-made pipelines.

The only module that imports it, when it is asked for and not before. Where a program has put
`maxmunch` in its place under its name, the package itself is found all the same.
"""

from __future__ import annotations

import importlib
import sys
import threading
from typing import Any

from maxmunch.errors import InvalidArgumentError

__all__ = ["library"]

_NAME = "tokenizers"
_LOCK = threading.Lock()
_found: Any = None


def library(purpose: str) -> Any:
    """Return the `tokenizers` package.

    Args:
        purpose: What it is needed for, to be named in the error.

    Raises:
        InvalidArgumentError: It is not installed.
    """
    global _found  # noqa: PLW0603
    with _LOCK:
        if _found is None:
            _found = _load(purpose)
        return _found


def _load(purpose: str) -> Any:
    present = sys.modules.get(_NAME)
    if present is not None and not _is_ours(present):
        return present
    aside = {
        name: sys.modules.pop(name)
        for name in list(sys.modules)
        if name == _NAME or name.startswith(f"{_NAME}.")
    }
    try:
        found = importlib.import_module(_NAME)
        for part in ("implementations", "trainers", "tools"):
            importlib.import_module(f"{_NAME}.{part}")
    except ImportError as missing:
        message = f"{purpose} needs the tokenizers package; install it with: pip install tokenizers"
        raise InvalidArgumentError(message, _NAME) from missing
    finally:
        if aside:
            for name in list(sys.modules):
                if name == _NAME or name.startswith(f"{_NAME}."):
                    del sys.modules[name]
            sys.modules.update(aside)
    return found


def _is_ours(module: Any) -> bool:
    return getattr(module, "__name__", "").split(".")[0] == "maxmunch"
