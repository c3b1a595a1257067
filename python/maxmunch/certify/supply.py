"""How many positions of a text are anchored: the supply of a token set.

Three policies say which certified windows count. *ceiling*: all of them, the most that windows of
the given widths can give. *frozen*: the certified bytes, and those wider windows that occur in an
earlier text. *sampled*: the certified bytes, and a fixed number of frequent windows of an earlier
text. Stands above
`token_set`.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Literal

from maxmunch.certify.arguments import as_data
from maxmunch.certify.results import BlockSupply, Supply
from maxmunch.errors import InternalError, InvalidArgumentError, UntokenizableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import numpy.typing as npt

    from maxmunch.certify.arguments import Data
    from maxmunch.certify.token_set import TokenSet

# Bytes that are worked on at a time: texts larger than memory are mapped, never read whole.
_STRETCH = 1 << 22
# Windows up to this width are counted as numbers.
_PACKED = 8

Policy = Literal["ceiling", "frozen", "sampled"]


def supply(
    token_set: TokenSet,
    data: Data,
    *,
    max_width: int = 4,
    block_bytes: int = 1024,
    policy: Policy = "ceiling",
    train_data: Data | None = None,
    sample: int = 60,
    seed: int = 0,
) -> Supply:
    """Return how densely `data` is anchored, cumulatively for widths `1 .. max_width`.

    Distinct positions are counted, not windows: several windows may anchor one position. That every
    anchored position is a token start of the real scan is checked on the way.

    Args:
        token_set: The token set.
        data: A completely tokenizable text.
        max_width: Widest window, in bytes.
        block_bytes: Size of the blocks whose supply is compared.
        policy: `"ceiling"`, `"frozen"` (needs `train_data`), or `"sampled"`.
        train_data: The earlier text of the policies `frozen` and `sampled`; `sampled` reads `data`
            itself when there is none.
        sample: Number of frequent windows that `sampled` looks at.
        seed: Breaks ties between equally frequent windows in `sampled`.

    Raises:
        UntokenizableError: `data` is not completely tokenizable.
        InvalidArgumentError: An argument is outside its range.

    Complexity: one scan, `max_width` look-ups per byte, one decision per distinct window; memory
    for the distinct windows and a few million bytes at a time, whatever the length.
    Source: section 6 of the paper; the rule of each policy is recorded in the result.
    """
    if block_bytes < 1:
        raise InvalidArgumentError(
            f"block_bytes: it is {block_bytes}; a block has at least one byte", "block_bytes"
        )
    chosen = _chosen(
        token_set,
        max_width,
        policy,
        text=data,
        train=None if train_data is None else data_bytes(train_data),
        sample=sample,
        seed=seed,
    )
    text = byte_array(data)
    tallies = {width: _Tally(block_bytes) for width in range(1, max_width + 1)}
    boundaries = 0
    for low, high, starts in _stretches(token_set, text, block_bytes):
        boundaries += len(starts)
        # a window that anchors a position of the stretch overhangs it by less than max_width
        left, right = max(0, low - max_width + 1), min(len(text), high + max_width - 1)
        widths = chosen.widths(text[left:right])[low - left : high - left]
        _hold_to_scan(widths, starts - low, low)
        for width, tally in tallies.items():
            tally.add(low, (widths > 0) & (widths <= width))
        if chosen.distinct is None:
            _count_windows(tallies, text, low, high)
    kib = len(text) / 1024
    anchors = {width: tally.anchors for width, tally in tallies.items()}
    blocks = {width: tally.blocks() for width, tally in tallies.items()}
    return Supply(
        bytes=len(text),
        anchors=anchors,
        anchors_per_kib={width: n / kib if kib else 0.0 for width, n in anchors.items()},
        boundaries=boundaries,
        boundaries_per_kib=boundaries / kib if kib else 0.0,
        block_bytes=block_bytes,
        blocks=blocks,
        block_supply={width: _summary(counts) for width, counts in blocks.items()},
        widest_gap={width: tally.widest_gap(len(text)) for width, tally in tallies.items()},
        policy=policy,
        rule=chosen.rule,
        distinct_windows=chosen.distinct
        or {width: tally.windows() for width, tally in tallies.items()},
    )


class _Tally:
    """Anchors and windows of one width, gathered stretch by stretch."""

    def __init__(self, block_bytes: int) -> None:
        self.anchors = 0
        self._block_bytes = block_bytes
        self._blocks: list[npt.NDArray[np.int64]] = []
        self._last = -1
        self._gap = 0
        self._packed: npt.NDArray[np.uint64] | None = None
        self._wide: set[bytes] = set()

    def add(self, low: int, mask: npt.NDArray[np.bool_]) -> None:
        import numpy as np

        self.anchors += int(mask.sum())
        self._blocks.append(_per_block(mask, self._block_bytes))
        positions = np.flatnonzero(mask)
        if len(positions):
            edges = np.concatenate(([self._last], positions + low))
            self._gap = max(self._gap, int(np.diff(edges).max()) - 1)
            self._last = int(edges[-1])

    def see(self, windows: npt.NDArray[np.uint64] | set[bytes]) -> None:
        import numpy as np

        if isinstance(windows, set):
            self._wide |= windows
        elif self._packed is None:
            self._packed = windows
        else:
            self._packed = np.union1d(self._packed, windows)

    def windows(self) -> int:
        return len(self._wide) + (0 if self._packed is None else len(self._packed))

    def blocks(self) -> npt.NDArray[np.int64]:
        import numpy as np

        if not self._blocks:
            return np.zeros(1, dtype=np.int64)
        full = [counts for counts in self._blocks if len(counts)]
        return np.concatenate(full) if full else np.array([self.anchors], dtype=np.int64)

    def widest_gap(self, length: int) -> int:
        return max(self._gap, length - self._last - 1)


def _stretches(
    token_set: TokenSet, text: npt.NDArray[np.uint8], block_bytes: int
) -> Iterator[tuple[int, int, npt.NDArray[np.int64]]]:
    """Yield ranges of whole blocks with the token starts in them: no more is held in memory."""
    step = block_bytes * max(1, _STRETCH // block_bytes)
    at = 0
    for low in range(0, len(text), step):
        high = min(len(text), low + step)
        try:
            starts, _, at = token_set.handle.scan_stretch(text, at, high)
        except UntokenizableError:
            token_set.scan(text)  # fails as well, and tells all starts before the position
            raise
        yield low, high, starts


def _count_windows(
    tallies: dict[int, _Tally], text: npt.NDArray[np.uint8], low: int, high: int
) -> None:
    """Note the distinct windows that begin in a stretch."""
    import numpy as np

    packed = np.zeros(high - low, dtype=np.uint64)
    for width, tally in tallies.items():
        count = min(high, len(text) - width + 1) - low
        if count <= 0:
            return
        if width > _PACKED:
            tally.see(_windows(text[low : low + count + width - 1].tobytes(), width))
            continue
        column = text[low + width - 1 : low + width - 1 + count].astype(np.uint64)
        packed = (packed[:count] << np.uint64(8)) | column
        tally.see(np.unique(packed))


def byte_array(data: Data) -> npt.NDArray[np.uint8]:
    """Return `data` as an array of bytes, not copied unless it is a `str`."""
    import numpy as np

    if isinstance(data, str):
        data = data.encode()
    plain = as_data(data)
    return np.frombuffer(plain, dtype=np.uint8) if isinstance(plain, bytes) else plain  # type: ignore[return-value]


def data_bytes(data: Data) -> bytes:
    """Return `data` as bytes; a lone surrogate is refused with its position."""
    if isinstance(data, str):
        return data.encode()
    return bytes(as_data(data))  # type: ignore[arg-type]  # str is gone, arrays give their bytes


@dataclasses.dataclass(frozen=True)
class _Choice:
    """Which windows count: what gives each byte the narrowest one's width, the rule, how many."""

    widths: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.uint16]]
    rule: str
    distinct: dict[int, int] | None


def _chosen(
    token_set: TokenSet,
    max_width: int,
    policy: Policy,
    *,
    text: Data,
    train: bytes | None,
    sample: int,
    seed: int,
) -> _Choice:
    if policy == "ceiling":
        rule = f"every window of width 1..{max_width} that occurs in the text was decided"
        return _Choice(token_set.inventory(max_width).handle.anchor_widths, rule, None)
    if policy == "frozen":
        certified = frozen_windows(token_set, train, max_width)
        rule = (
            f"certified bytes, and the certified windows of width 2..{max_width} that occur in the "
            f"{len(train or b'')} bytes of train_data"
        )
    elif policy == "sampled":
        if sample < 1:
            raise InvalidArgumentError(
                f"sample: it is {sample}; keep at least one window", "sample"
            )
        source = data_bytes(text) if train is None else train
        kept, rule = _sample(source, max_width, sample, seed)
        certified = _certified(token_set, kept, max_width)
    else:
        raise InvalidArgumentError(
            f"policy: {policy!r} is none of 'ceiling', 'frozen', 'sampled'", "policy"
        )
    distinct = {
        width: sum(len(window) == width for window in certified)
        for width in range(1, max_width + 1)
    }
    return _Choice(
        lambda stretch: _anchored_by(stretch.tobytes(), certified, max_width), rule, distinct
    )


def frozen_windows(token_set: TokenSet, train: bytes | None, max_width: int) -> dict[bytes, int]:
    """Return the certified bytes and certified windows of an earlier text, with their origins."""
    if train is None:
        raise InvalidArgumentError(
            "train_data: the policy 'frozen' keeps the windows of an earlier text; give it",
            "train_data",
        )
    kept = {bytes([byte]) for byte in range(256)}
    for width in range(2, max_width + 1):
        kept |= _windows(train, width)
    return _certified(token_set, kept, max_width)


def _certified(token_set: TokenSet, kept: set[bytes], max_width: int) -> dict[bytes, int]:
    inventory = token_set.inventory(max_width)
    return {
        window: origin
        for window in sorted(kept)
        if (origin := inventory.origin(window)) is not None
    }


def _windows(text: bytes, width: int) -> set[bytes]:
    return {text[at : at + width] for at in range(len(text) - width + 1)}


def _sample(text: bytes, max_width: int, sample: int, seed: int) -> tuple[set[bytes], str]:
    import random

    counts: Counter[bytes] = Counter()
    for width in range(2, max_width + 1):
        counts.update(text[at : at + width] for at in range(len(text) - width + 1))
    ties = random.Random(seed)  # noqa: S311 - a reproducible choice, not a secret
    order = sorted(counts)
    ties.shuffle(order)
    order.sort(key=lambda window: -counts[window])
    rule = (
        f"certified bytes, and of the {sample} most frequent windows of width 2..{max_width}, ties "
        f"broken by a shuffle with seed {seed}, those that are certified"
    )
    return {bytes([byte]) for byte in range(256)} | set(order[:sample]), rule


def _anchored_by(
    text: bytes, certified: dict[bytes, int], max_width: int
) -> npt.NDArray[np.uint16]:
    import numpy as np

    widths = np.zeros(len(text), dtype=np.uint16)
    for width in range(max_width, 0, -1):
        kept = {window: origin for window, origin in certified.items() if len(window) == width}
        if not kept:
            continue
        for at in range(len(text) - width + 1):
            origin = kept.get(text[at : at + width])
            if origin is not None:
                widths[at + origin] = width
    return widths


def _hold_to_scan(widths: npt.NDArray[np.uint16], starts: npt.NDArray[np.int64], low: int) -> None:
    boundary = widths.astype(bool)
    boundary[starts] = False
    if boundary.any():
        raise InternalError(
            f"byte {low + int(boundary.argmax())} is anchored but is no token start; please report "
            "it with the token set and the text"
        )


def _per_block(mask: npt.NDArray[np.bool_], block_bytes: int) -> npt.NDArray[np.int64]:
    """Count the anchors of each full block."""
    import numpy as np

    full = len(mask) // block_bytes
    blocks = mask[: full * block_bytes].reshape(full, block_bytes)
    counts: npt.NDArray[np.int64] = blocks.sum(axis=1, dtype=np.int64)
    return counts


def _summary(blocks: npt.NDArray[np.int64]) -> BlockSupply:
    import numpy as np

    return BlockSupply(int(blocks.min()), float(np.median(blocks)), int(blocks.max()))
