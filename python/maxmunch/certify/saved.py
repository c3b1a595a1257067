"""Inventories as files: what is in them, and what is refused when they are read.

A file is one JSON object. `payload` holds the token set (words as hexadecimal, or patterns with
their automaton), its fingerprint, the widths, the exact counts, and the minimal certified windows
grouped by the window without its first byte; `sha256` is the digest of the payload's canonical
form. What is read back is held to both the digest and the fingerprint, and answers are always
decided afresh from the token set: numbers in a file are claims for others to check, never a source
of answers.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.certify.token_set import TokenSet
from maxmunch.errors import CertificateError, MaxmunchError

if TYPE_CHECKING:
    import os

    from maxmunch.certify.inventory import Inventory

FORMAT = "maxmunch-inventory-1"


def digest(payload: dict[str, Any]) -> str:
    """Return the SHA-256 of a payload's canonical form."""
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def save(inventory: Inventory, path: str | os.PathLike[str]) -> None:
    """Write `inventory` to `path`; see `Inventory.save`."""
    payload = payload_of(inventory)
    document = {"format": FORMAT, "sha256": digest(payload), "payload": payload}
    Path(path).write_text(json.dumps(document, separators=(",", ":")) + "\n")


def payload_of(inventory: Inventory) -> dict[str, Any]:
    """Return what a saved inventory holds."""
    masks: dict[bytes, int] = {}
    minimal = [
        [suffix.hex(), [[origin, masks.setdefault(mask, len(masks))] for origin, mask in rows]]
        for suffix, rows in inventory.minimal_by_suffix()
    ]
    counts = {str(w): [c.certified, c.vacuous] for w, c in inventory.counts.items()}
    return {
        "token_set": _description(inventory.token_set),
        "fingerprint": inventory.fingerprint,
        "max_width": inventory.max_width,
        "counts": counts,
        "representatives": inventory.token_set.handle.representatives().hex(),
        "masks": [mask.hex() for mask in masks],
        "minimal": minimal,
    }


def _description(token_set: TokenSet) -> dict[str, Any]:
    words = token_set.words
    if words is not None:
        return {"kind": "literal", "words": [[word.hex(), kind] for word, kind in words]}
    class_of, targets, accepts = token_set.handle.automaton()
    return {
        "kind": "regular",
        "patterns": token_set.patterns,
        "automaton": {"class_of": class_of.hex(), "next": targets, "accepts": accepts},
    }


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the payload of a saved inventory, its digest checked.

    Raises:
        CertificateError: The file is no saved inventory, or is damaged.
    """
    try:
        document = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"{path}: not a saved inventory: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CertificateError(f"{path}: not a saved inventory: its format is not {FORMAT!r}")
    payload = document.get("payload")
    if not isinstance(payload, dict) or digest(payload) != document.get("sha256"):
        raise CertificateError(
            f"{path}: damaged: the digest does not match; save the inventory again"
        )
    return payload


def load(path: str | os.PathLike[str], token_set: TokenSet | None) -> Inventory:
    """Return the inventory in `path`; see `Inventory.load`."""
    payload = read(path)
    try:
        stored = _token_set(payload["token_set"])
        width, fingerprint = payload["max_width"], payload["fingerprint"]
    except (KeyError, TypeError, ValueError, MaxmunchError) as error:
        raise CertificateError(f"{path}: damaged: {error!r}") from error
    if stored.fingerprint != fingerprint:
        raise CertificateError(f"{path}: damaged: its token set has another fingerprint")
    if token_set is not None and token_set.fingerprint != fingerprint:
        raise CertificateError(
            f"{path}: it belongs to the token set {fingerprint[:16]}…, not to "
            f"{token_set.fingerprint[:16]}…; calculate the inventory of this token set instead"
        )
    try:
        return (stored if token_set is None else token_set).inventory(width)
    except (TypeError, ValueError, OverflowError) as error:
        raise CertificateError(f"{path}: damaged: max_width is {width!r}") from error


def _token_set(description: dict[str, Any]) -> TokenSet:
    if description["kind"] == "literal":
        words = [bytes.fromhex(word) for word, _ in description["words"]]
        return TokenSet.literal(words, kinds=[kind for _, kind in description["words"]])
    if description["kind"] != "regular":
        raise CertificateError(f"unknown kind of token set {description['kind']!r}")
    return TokenSet.regular([(name, pattern) for name, pattern in description["patterns"]])
