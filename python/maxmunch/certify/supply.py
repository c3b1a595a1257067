"""How many positions of a text are anchored: the supply of a token set.

Three policies say which certified windows count. *ceiling*: all of them, the most that windows of
the given widths can give. *frozen*: the certified bytes, and those wider windows that occur in an
earlier text. *sampled*: the certified bytes, and a fixed number of frequent windows of an earlier
text. Stands above
`token_set`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from maxmunch.certify.arguments import as_data
from maxmunch.certify.results import BlockSupply, Supply
from maxmunch.errors import InternalError, InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from maxmunch.certify.arguments import Data
    from maxmunch.certify.token_set import TokenSet

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

    Complexity: one scan, `max_width` look-ups per byte, one decision per distinct window.
    Source: section 6 of the paper; the rule of each policy is recorded in the result.
    """
    import numpy as np

    if block_bytes < 1:
        raise InvalidArgumentError(
            f"block_bytes: it is {block_bytes}; a block has at least one byte", "block_bytes"
        )
    text = data_bytes(data)
    starts = token_set.scan(text).starts
    widths, rule, distinct = _chosen(
        token_set,
        text,
        max_width,
        policy,
        train=None if train_data is None else data_bytes(train_data),
        sample=sample,
        seed=seed,
    )
    _hold_to_scan(widths, starts)
    kib = len(text) / 1024
    anchors, blocks, gaps = {}, {}, {}
    for width in range(1, max_width + 1):
        mask = (widths > 0) & (widths <= width)
        anchors[width] = int(mask.sum())
        blocks[width] = _per_block(mask, block_bytes)
        gaps[width] = _widest_gap(np.flatnonzero(mask), len(text))
    return Supply(
        bytes=len(text),
        anchors=anchors,
        anchors_per_kib={width: n / kib if kib else 0.0 for width, n in anchors.items()},
        boundaries=len(starts),
        boundaries_per_kib=len(starts) / kib if kib else 0.0,
        block_bytes=block_bytes,
        blocks=blocks,
        block_supply={width: _summary(counts) for width, counts in blocks.items()},
        widest_gap=gaps,
        policy=policy,
        rule=rule,
        distinct_windows=distinct,
    )


def data_bytes(data: Data) -> bytes:
    """Return `data` as bytes; a lone surrogate is refused with its position."""
    if isinstance(data, str):
        return data.encode()
    return bytes(as_data(data))  # type: ignore[arg-type]  # str is gone, arrays give their bytes


def _chosen(
    token_set: TokenSet,
    text: bytes,
    max_width: int,
    policy: Policy,
    *,
    train: bytes | None,
    sample: int,
    seed: int,
) -> tuple[npt.NDArray[np.uint16], str, dict[int, int]]:
    """Return the narrowest chosen window's width for each byte, the rule, the counts."""
    inventory = token_set.inventory(max_width)
    if policy == "ceiling":
        distinct = {width: len(_windows(text, width)) for width in range(1, max_width + 1)}
        rule = f"every window of width 1..{max_width} that occurs in the text was decided"
        return inventory.handle.anchor_widths(text), rule, distinct
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
        kept, rule = _sample(text if train is None else train, max_width, sample, seed)
        certified = _certified(token_set, kept, max_width)
    else:
        raise InvalidArgumentError(
            f"policy: {policy!r} is none of 'ceiling', 'frozen', 'sampled'", "policy"
        )
    distinct = {
        width: sum(len(window) == width for window in certified)
        for width in range(1, max_width + 1)
    }
    return _anchored_by(text, certified, max_width), rule, distinct


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


def _hold_to_scan(widths: npt.NDArray[np.uint16], starts: npt.NDArray[np.int64]) -> None:
    boundary = widths.astype(bool)
    boundary[starts] = False
    if boundary.any():
        raise InternalError(
            f"byte {int(boundary.argmax())} is anchored but is no token start; please report it "
            "with the token set and the text"
        )


def _per_block(mask: npt.NDArray[np.bool_], block_bytes: int) -> npt.NDArray[np.int64]:
    import numpy as np

    full = len(mask) // block_bytes
    if full == 0:
        return np.array([mask.sum()], dtype=np.int64)
    blocks = mask[: full * block_bytes].reshape(full, block_bytes)
    counts: npt.NDArray[np.int64] = blocks.sum(axis=1, dtype=np.int64)
    return counts


def _summary(blocks: npt.NDArray[np.int64]) -> BlockSupply:
    import numpy as np

    return BlockSupply(int(blocks.min()), float(np.median(blocks)), int(blocks.max()))


def _widest_gap(anchors: npt.NDArray[np.intp], length: int) -> int:
    import numpy as np

    edges = np.concatenate(([-1], anchors, [length]))
    return int(np.diff(edges).max()) - 1
