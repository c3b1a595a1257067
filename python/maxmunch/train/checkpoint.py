"""Finished phases of a long run, kept in a directory, so that it goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.corpus.counts import write_whole
from maxmunch.errors import TrainingError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

__all__ = ["Checkpoint"]


class Checkpoint:
    """What a run has finished, by phase; without a directory it keeps nothing.

    Phases are deterministic, so that a resumed run gives the bytes of one that was never stopped.

    Args:
        directory: Where to keep the phases; made when it is missing.
        identity: Everything that the result depends on; other values are another run.
    """

    def __init__(self, directory: str | os.PathLike[str] | None, identity: dict[str, Any]) -> None:
        text = json.dumps(identity, sort_keys=True, default=_plain)
        self._run = hashlib.sha256(text.encode()).hexdigest()
        self._folder = None if directory is None else Path(directory)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def phase(self, name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what `compute` gives, from the directory where it is kept, else anew.

        A result whose `"stopped"` is true is not kept: the phase is done again when the run goes
        on.

        Raises:
            TrainingError: The kept file belongs to another run, or is damaged.
        """
        if self._folder is None:
            return compute()
        path = self._folder / f"{name}.json"
        if path.exists():
            return self._read(path)
        result = compute()
        if not result.get("stopped"):
            content = {"run": self._run, "result": result}
            write_whole(path, [json.dumps(content, default=_plain).encode()])
        return result

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            content = json.loads(path.read_bytes(), object_hook=_rich)
            run, result = content["run"], content["result"]
        except (ValueError, KeyError, TypeError) as error:
            message = f"checkpoint: {path} is damaged; delete it to do that phase again"
            raise TrainingError(message) from error
        if run != self._run:
            message = (
                f"checkpoint: {path} belongs to a run with other counts or options;"
                " give another directory, or delete it"
            )
            raise TrainingError(message)
        found: dict[str, Any] = result
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    message = f"{type(value).__name__} has no place in a checkpoint"
    raise TypeError(message)


def _rich(value: dict[str, Any]) -> Any:
    return bytes.fromhex(value["bytes"]) if value.keys() == {"bytes"} else value
