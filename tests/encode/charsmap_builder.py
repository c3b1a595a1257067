"""Builds the character maps of SentencePiece models, small ones, without their library."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_END = -1
"""The edge of a node to the value of the key that ends there."""


def charsmap(mapping: Mapping[str, str]) -> str:
    """Return the map, in base64, under which each key becomes its text.

    The double array is placed by trying bases upwards: slow, and plain to see through.
    """
    texts = b""
    root: dict[int, Any] = {}
    for key, text in mapping.items():
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[_END] = len(texts)
        texts += text.encode() + b"\0"
    cells = {0: 0}
    _place(0, root, cells, set())
    size = (max(cells) // 256 + 2) * 256
    array = struct.pack(f"<{size}I", *(cells.get(at, 0) for at in range(size)))
    return base64.b64encode(struct.pack("<I", len(array)) + array + texts).decode()


def _place(at: int, node: dict[int, Any], cells: dict[int, int], bases: set[int]) -> None:
    """Give the children of the node in cell `at` a base of their own."""
    if not node:
        return
    labels = [max(edge, 0) for edge in node]
    base = 1
    while base in bases or any(base ^ label in cells for label in labels):
        base += 1
    bases.add(base)
    cells[at] |= (at ^ base) << 10
    for edge, child in node.items():
        if edge == _END:
            cells[at] |= 1 << 8
            cells[base] = 1 << 31 | child
        else:
            cells[base ^ edge] = edge
    for edge, child in node.items():
        if edge != _END:
            _place(base ^ edge, child, cells, bases)
