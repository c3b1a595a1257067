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
            self._write(path, json.dumps(content, default=_plain).encode())
        return result

    @property
    def kept(self) -> bool:
        """Whether anything is kept."""
        return self._folder is not None

    def state(self, name: str) -> bytes | None:
        """Return what `keep_state` kept last; None when there is nothing.

        Raises:
            TrainingError: As `phase`.
        """
        if self._folder is None or not (path := self._folder / f"{name}.state").exists():
            return None
        run, digest, content = _state_parts(path.read_bytes())
        if hashlib.sha256(content).hexdigest() != digest:
            raise _damaged(path)
        self._check_run(path, run)
        return content

    def keep_state(self, name: str, content: bytes) -> None:
        """Keep the state inside a phase that is long, in place of the one before.

        Raises:
            TrainingError: It cannot be written.
        """
        if self._folder is not None:
            digest = hashlib.sha256(content).hexdigest()
            self._write(
                self._folder / f"{name}.state", f"{self._run}\n{digest}\n".encode(), content
            )

    def drop_state(self, name: str) -> None:
        """Delete the state of a phase: it is finished."""
        if self._folder is not None:
            (self._folder / f"{name}.state").unlink(missing_ok=True)

    @staticmethod
    def _write(path: Path, *parts: bytes) -> None:
        try:
            write_whole(path, parts)
        except OSError as error:
            message = (
                f"checkpoint: {path} cannot be written ({error.strerror}); what was finished before"
                " is kept: make room, and the same call goes on there"
            )
            raise TrainingError(message) from error

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            content = json.loads(path.read_bytes(), object_hook=_rich)
            run, result = content["run"], content["result"]
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged(path) from error
        self._check_run(path, run)
        found: dict[str, Any] = result
        return found

    def _check_run(self, path: Path, run: str) -> None:
        if run != self._run:
            message = (
                f"checkpoint: {path} belongs to a run with other counts or options;"
                " give another directory, or delete it"
            )
            raise TrainingError(message)


def _state_parts(data: bytes) -> tuple[str, str, bytes]:
    """Return the run, the digest and the content; a file that is too short has a wrong digest."""
    run, _, rest = data.partition(b"\n")
    digest, _, content = rest.partition(b"\n")
    return run.decode("latin-1"), digest.decode("latin-1"), content


def _damaged(path: Path) -> TrainingError:
    return TrainingError(f"checkpoint: {path} is damaged; delete it to do that phase again")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    message = f"{type(value).__name__} has no place in a checkpoint"
    raise TypeError(message)


def _rich(value: dict[str, Any]) -> Any:
    return bytes.fromhex(value["bytes"]) if value.keys() == {"bytes"} else value
