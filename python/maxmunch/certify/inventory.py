"""Inventories: all certified windows up to a width, counted, looked up, found in text, saved.

Built by `TokenSet.inventory`. Definitions and theorems are numbered in
`docs/concepts/certified_splitting.md`; positions are byte positions throughout.
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING, Any

from maxmunch.certify.arguments import as_data, bytes_of_mask, window_bytes
from maxmunch.certify.results import Counts, Pump, Span

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    import numpy as np
    import numpy.typing as npt

    from maxmunch import _core
    from maxmunch.certify.arguments import Data, Window
    from maxmunch.certify.token_set import TokenSet

__all__ = ["Inventory"]

_CHUNK = 4096


def _inventory(
    token_set: TokenSet, max_width: int, max_states: int | None, time_limit: float | None
) -> Inventory:
    return token_set.inventory(max_width, max_states=max_states, time_limit=time_limit)


class Inventory:
    """All certified windows of a token set up to a width; get one from `TokenSet.inventory`.

    Nothing is enumerated: windows are decided when they are asked about, counts are calculated.
    `handle` is the compiled core's object, for the modules of this package.
    """

    def __init__(
        self,
        token_set: TokenSet,
        core: _core.InventoryCore,
        *,
        max_states: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        self._token_set = token_set
        self.handle = core
        self._max_width = core.max_width
        self._limits = (max_states, time_limit)

    def __reduce__(self) -> tuple[Callable[..., Inventory], tuple[Any, ...]]:
        """Pickle the question, not the answers: they are found again when they are asked for."""
        return _inventory, (self._token_set, self._max_width, *self._limits)

    def __copy__(self) -> Inventory:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Inventory:
        return self

    @property
    def token_set(self) -> TokenSet:
        """The token set whose inventory this is."""
        return self._token_set

    @property
    def max_width(self) -> int:
        """The largest width, in bytes."""
        return self._max_width

    @cached_property
    def _counted(self) -> tuple[dict[int, Counts], int]:
        rows, searched = self.handle.counts(*self._limits)
        counts = {width: Counts(*row) for width, row in enumerate(rows, start=1)}
        return counts, searched

    @property
    def counts(self) -> dict[int, Counts]:
        """Width to exact `Counts`, over all 256 bytes.

        Raises:
            LimitError: More states or seconds than this inventory may spend; ask for one with
                larger limits.

        Complexity: linear in the number of windows that hold only pairs of bytes that occur inside
        tokens (GPT-2, width 4: 1.7 million). Source: Theorem 6.
        """
        return dict(self._counted[0])

    @property
    def searched_states(self) -> int:
        """How many cases the counts told apart one by one."""
        return self._counted[1]

    def origin(self, window: Window) -> int | None:
        """Return the origin at which `window` is certified and occurs, or None.

        A window longer than `max_width` is answered through its last `max_width` bytes.

        Raises:
            InvalidArgumentError: The window has no or more than 256 bytes.
        """
        return self.handle.origin(window_bytes(window))

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the token set; see `TokenSet.fingerprint`."""
        return self._token_set.fingerprint

    def minimal(self) -> Iterator[tuple[bytes, int]]:
        """Yield every minimal certified window with its origin, narrow ones first.

        Minimal: it is certified, it occurs, and its certificate is not that of a shorter suffix.
        All other certified windows that occur are left extensions of these. The order is fixed.

        Raises:
            LimitError: The verifier needs more states than it may.

        Complexity: 256 decisions per open window of each width (GPT-2: 65 thousand of width 3),
        plus the number of windows yielded. Source: Theorem 6.

        Example:
            >>> import maxmunch as mm
            >>> list(mm.TokenSet.literal(["ab", "b"]).inventory(2).minimal())
            [(b'a', 0), (b'ab', 0), (b'bb', 1)]
        """
        stands_for = self._token_set.handle.representatives()
        members: dict[int, bytes] = {}
        for byte, representative in enumerate(stands_for):
            members[representative] = members.get(representative, b"") + bytes([byte])
        for suffix, certified in self.minimal_by_suffix():
            for origin, mask in certified:
                parts = [members[byte] for byte in suffix]
                for first in bytes_of_mask(mask):
                    for letters in itertools.product(members[first], *parts):
                        yield bytes(letters), origin

    def minimal_by_suffix(self) -> Iterator[tuple[bytes, list[tuple[int, bytes]]]]:
        """Yield open windows, each with the origins and bytes before it that make it certified.

        The compact form of `minimal`: sets of bytes are masks of 32 bytes, the lowest bit first.
        For regular sets one byte stands for each class.
        """
        open_windows = [b""]
        for width in range(1, self._max_width + 1):
            following: list[bytes] = []
            for start in range(0, len(open_windows), _CHUNK):
                chunk = open_windows[start : start + _CHUNK]
                for suffix, (certified, mask) in zip(
                    chunk, self.handle.left_extensions(chunk), strict=True
                ):
                    if certified:
                        yield suffix, certified
                    if width < self._max_width:
                        following += [bytes([byte]) + suffix for byte in bytes_of_mask(mask)]
            open_windows = following

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the inventory to a file that others can check, with its token set's fingerprint.

        The file is JSON: token set, counts, and all minimal certified windows in compact form,
        under a SHA-256. `maxmunch.certify.check` re-verifies it without using our search.

        Raises:
            LimitError: As `counts` and `minimal`.
            OSError: The file cannot be written.
        """
        from maxmunch.certify import saved

        saved.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, token_set: TokenSet | None = None) -> Inventory:
        """Return the inventory that `save` wrote.

        Args:
            path: The file.
            token_set: The token set that it must belong to; None to take the one in the file.

        Raises:
            CertificateError: The file is damaged, is no inventory, or belongs to another token set.
            OSError: The file cannot be read.
        """
        from maxmunch.certify import saved

        return saved.load(path, token_set)

    def anchors(self, data: Data) -> npt.NDArray[np.int64]:
        """Return the anchored byte positions of `data`, increasing: int64, shape `(n,)`.

        In a completely tokenizable text each of them is a token start.

        Complexity: at most `max_width` look-ups per byte, plus one decision per distinct window.
        """
        return self.handle.anchors(as_data(data))

    def span(self) -> Span:
        """Return the longest stretch without an anchor, over all completely tokenizable inputs.

        Returns:
            A `Span`: exact value with an input that attains it, or unbounded with a `Pump`.

        Raises:
            LimitError: The search needs more states or seconds than this inventory may spend; ask
                for one with larger limits, or of a smaller width.

        Source: Theorem 7.
        """
        value, parts, searched = self.handle.span(*self._limits)
        witness = parts[0] if value is not None else Pump(*parts)
        return Span(value is not None, value, witness, searched_states=searched)
