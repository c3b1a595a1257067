"""Where the tokenizer.json of a name is: a file, a directory, the local hub cache, or the hub.

The network is asked only when `huggingface_hub` is installed and the name is in no cache.
"""

from __future__ import annotations

import os
from pathlib import Path

from maxmunch.errors import InvalidArgumentError

__all__ = ["find_tokenizer"]


def find_tokenizer(
    identifier: str | os.PathLike[str], *, revision: str = "main", token: str | None = None
) -> Path:
    """Return the path of the tokenizer.json that `identifier` names.

    Args:
        identifier: A file, a directory, or a name such as `organisation/model`.
        revision: Which revision of the name.
        token: Access token, should the file have to be fetched.

    Raises:
        InvalidArgumentError: Nothing has that name, or it has no tokenizer.json.
    """
    path = Path(identifier)
    if path.is_file():
        return path
    if path.is_dir():
        if (path / "tokenizer.json").is_file():
            return path / "tokenizer.json"
        message = f"identifier: {str(path)!r} has no tokenizer.json; convert the tokenizer first"
        raise InvalidArgumentError(message, "identifier")
    name = os.fspath(identifier)
    return _cached(name, revision) or _fetched(name, revision, token)


def _cached(name: str, revision: str) -> Path | None:
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    model = cache / f"models--{name.replace('/', '--')}"
    reference = model / "refs" / revision
    commit = reference.read_text().strip() if reference.is_file() else revision
    found = model / "snapshots" / commit / "tokenizer.json"
    return found if found.is_file() else None


def _fetched(name: str, revision: str, token: str | None) -> Path:
    try:
        from huggingface_hub import hf_hub_download
    except ImportError:
        raise InvalidArgumentError(
            f"identifier: {name!r} is no directory here and not in the hub cache; give a directory "
            "with a tokenizer.json, or install huggingface_hub to fetch it",
            "identifier",
        ) from None
    return Path(hf_hub_download(name, "tokenizer.json", revision=revision, token=token))
