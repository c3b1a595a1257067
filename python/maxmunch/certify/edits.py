"""Seeded trials of single-byte edits: how many token starts move, and within which bounds.

The same edits can be tried on two token sets, which makes their damage comparable pair by pair.
Stands above `token_set`.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Literal, NamedTuple

from maxmunch.certify.results import EditMeasures, EditTrials
from maxmunch.certify.supply import data_bytes, frozen_windows
from maxmunch.errors import InternalError, InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxmunch.certify.arguments import Data
    from maxmunch.certify.results import Scan
    from maxmunch.certify.token_set import TokenSet

    Bounds = Callable[[int], tuple[int | None, int | None]]

_ATTEMPTS_PER_TRIAL = 1000


class _Measure(NamedTuple):
    moved: int
    hull: int
    room: int


def edit_trials(
    token_set: TokenSet,
    data: Data,
    *,
    paired: TokenSet | None = None,
    policy: Literal["ceiling", "frozen"] = "ceiling",
    train_data: Data | None = None,
    trials: int = 200,
    seed: int = 0,
    max_width: int = 4,
) -> EditTrials:
    """Return what random single-byte substitutions do to the token starts of `data`.

    A trial draws a position uniformly and a substitute uniformly from the bytes of `data` that
    differ from the one there; edits after which the text is not tokenizable (by both sets) are
    drawn again.

    Args:
        token_set: The token set.
        data: A completely tokenizable text.
        paired: Another token set that is tried on the same edits.
        policy: Which windows flank: all certified ones (`"ceiling"`), or certified bytes and the
            windows of `train_data` (`"frozen"`).
        train_data: The earlier text of the policy `frozen`.
        trials: Number of edits.
        seed: Seed of the draws; the same seed gives the same trials.
        max_width: Widest window that may anchor.

    Raises:
        UntokenizableError: `data` is not completely tokenizable.
        InvalidArgumentError: An argument is outside its range, or no edit keeps the text
            tokenizable.

    Complexity: a local re-scan and a copy of the scan per trial and set.
    Source: Theorem 10 and section 6 of the paper.
    """
    import numpy as np

    text = data_bytes(data)
    train = None if train_data is None else data_bytes(train_data)
    if trials < 0:
        raise InvalidArgumentError(f"trials: it is {trials}; it must not be negative", "trials")
    sets = [token_set] if paired is None else [token_set, paired]
    scans = [each.scan(text) for each in sets]
    bounds = [_bounds(each, text, policy, train, max_width) for each in sets]
    draw = random.Random(seed)  # noqa: S311 - a reproducible choice, not a secret
    letters = sorted(set(text))
    if trials and len(letters) < 2:  # noqa: PLR2004 - one letter has no substitute
        raise InvalidArgumentError(
            "data: it holds fewer than two distinct bytes, so that none can be substituted", "data"
        )
    drawn: list[tuple[int, int]] = []
    rows: list[list[_Measure]] = [[] for _ in sets]
    for _ in range(trials):
        position, substitute, edited = _draw(draw, text, letters, sets)
        drawn.append((position, substitute))
        for index, each in enumerate(sets):
            rows[index].append(
                _measure(each, scans[index], text, edited, position=position, bounds=bounds[index])
            )
    kept = (
        "all certified windows"
        if policy == "ceiling"
        else "certified bytes and the windows of train_data"
    )
    return EditTrials(
        positions=np.array([position for position, _ in drawn], dtype=np.int64),
        substitutes=np.array([substitute for _, substitute in drawn], dtype=np.uint8),
        first=_measures(rows[0]),
        paired=None if paired is None else _measures(rows[1]),
        rule=(
            f"{trials} substitutions, seed {seed}: position uniform, substitute uniform among the "
            "other bytes of the text, drawn again where the result is not tokenizable; anchors of "
            f"width 1..{max_width} from {kept}"
        ),
    )


def _draw(
    draw: random.Random, text: bytes, letters: list[int], sets: list[TokenSet]
) -> tuple[int, int, bytes]:
    for _ in range(_ATTEMPTS_PER_TRIAL):
        position = draw.randrange(len(text))
        substitute = draw.choice([letter for letter in letters if letter != text[position]])
        edited = text[:position] + bytes([substitute]) + text[position + 1 :]
        if all(each.is_tokenizable(edited) for each in sets):
            return position, substitute, edited
    raise InvalidArgumentError(
        f"data: {_ATTEMPTS_PER_TRIAL} substitutions in a row made it untokenizable", "data"
    )


def _bounds(
    token_set: TokenSet, text: bytes, policy: str, train: bytes | None, max_width: int
) -> Bounds:
    if policy == "ceiling":

        def ceiling(position: int) -> tuple[int | None, int | None]:
            found = token_set.edit_bounds(text, position, max_width=max_width)
            return found.left, found.right

        return ceiling
    if policy != "frozen":
        raise InvalidArgumentError(
            f"policy: {policy!r} is neither 'ceiling' nor 'frozen'", "policy"
        )
    kept = frozen_windows(token_set, train, max_width)

    def frozen(position: int) -> tuple[int | None, int | None]:
        return (
            _left_of(kept, text, position, max_width),
            _right_of(kept, text, position + 1, max_width),
        )

    return frozen


def _left_of(kept: dict[bytes, int], text: bytes, before: int, max_width: int) -> int | None:
    best = -1
    for end in range(before, 0, -1):
        if best >= end:
            break
        for start in range(max(0, end - max_width), end):
            origin = kept.get(text[start:end])
            if origin is not None:
                best = max(best, start + origin)
    return None if best < 0 else best


def _right_of(kept: dict[bytes, int], text: bytes, start: int, max_width: int) -> int | None:
    best = len(text)
    for at in range(start, len(text)):
        if at >= best:
            break
        for end in range(at + 1, min(at + max_width, len(text)) + 1):
            origin = kept.get(text[at:end])
            if origin is not None:
                best = min(best, at + origin)
    return None if best == len(text) else best


def _measure(
    token_set: TokenSet,
    scan: Scan,
    text: bytes,
    edited: bytes,
    *,
    position: int,
    bounds: Bounds,
) -> _Measure:
    import numpy as np

    after = token_set.rescan(scan, text, edited, position, removed=1, inserted=1)
    moved = np.setxor1d(scan.starts, after.starts, assume_unique=True)
    left, right = bounds(position)
    low = 0 if left is None else left
    high = len(text) if right is None else right
    if len(moved) and not (low < moved[0] and moved[-1] < high):
        raise InternalError(
            f"a token start moved outside the anchors {low} and {high} around an edit at "
            f"{position}; please report it with the token set and the text"
        )
    hull = int(moved[-1] - moved[0]) + 1 if len(moved) else 0
    return _Measure(len(moved), hull, max(high - low - 1, 0))


def _measures(rows: list[_Measure]) -> EditMeasures:
    import numpy as np

    moved, hull, room = (
        np.array([row[column] for row in rows], dtype=np.int64) for column in range(3)
    )
    return EditMeasures(moved, hull, room, room - hull, room - moved)
