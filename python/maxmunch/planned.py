"""What the interface has and this version does not do yet: asked for, it says so by name."""

from __future__ import annotations

from typing import Any

__all__ = ["PlannedCalls"]

_CALLS = {
    "truncate_text": "use encode and its offsets",
}


class PlannedCalls:
    """Names the remedy when a call of a later version is asked for."""

    def __getattr__(self, name: str) -> Any:
        kind = type(self).__name__
        if name in _CALLS:
            message = f"{kind}.{name} is not available in this version; {_CALLS[name]}"
            raise AttributeError(message, name=name, obj=self)
        raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)
