"""What certify answers with: small frozen values, each carrying its evidence.

Stands at the bottom of the certify flow; imports nothing of maxmunch.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

BEFORE: Final = -1
"""The realised origin that stands for "the covering token starts before the window"."""


@dataclasses.dataclass(frozen=True, eq=False)
class Scan:
    """The tokens of a text in order.

    Attributes:
        starts: int64, shape `(n,)`: byte position at which each token starts.
        kinds: uint32, shape `(n,)`: index of each token in its token set (or the kind given there).
    """

    starts: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.starts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scan):
            return NotImplemented
        return (
            len(self) == len(other)
            and bool((self.starts == other.starts).all())
            and bool((self.kinds == other.kinds).all())
        )

    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass(frozen=True)
class Witness:
    """A completely tokenizable input that refutes a pair of window and origin.

    Attributes:
        data: The input; no shorter one refutes the pair.
        occurrence: Where the window occurs in it, in bytes.
        claimed: `occurrence + origin`: where the pair claims that the covering token starts.
        actual: Where the token that covers the window's last byte really starts.
    """

    data: bytes
    occurrence: int
    claimed: int
    actual: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Searched:
    """What an answer cost; two answers that differ in nothing else are equal.

    Attributes:
        searched_states: Windows or states that were told apart for the answer, the number that
            `max_states` limits. What earlier questions to the same token set left known is not
            counted again; 0 where the tokens themselves give the answer.
    """

    searched_states: int = dataclasses.field(default=0, compare=False, repr=False)


@dataclasses.dataclass(frozen=True)
class Certified(Searched):
    """At every occurrence the covering token starts at the origin, and the window does occur."""


@dataclasses.dataclass(frozen=True)
class Vacuous(Searched):
    """The window occurs in no completely tokenizable input, so that every origin holds of it."""


@dataclasses.dataclass(frozen=True)
class Refuted(Searched):
    """The pair does not hold; `witness` shows it."""

    witness: Witness


@dataclasses.dataclass(frozen=True)
class Undecided(Searched):
    """A limit was reached before the answer was known; `reason` names it."""

    reason: str


Verdict: TypeAlias = Certified | Vacuous | Refuted | Undecided
"""The answer of `TokenSet.certify`."""


@dataclasses.dataclass(frozen=True)
class Counts:
    """Windows of one width over all 256 bytes; both numbers are exact.

    Attributes:
        certified: Windows that occur and have exactly one realised origin, inside the window.
        vacuous: Windows that occur in no completely tokenizable input.
    """

    certified: int
    vacuous: int


@dataclasses.dataclass(frozen=True)
class Pump:
    """Inputs with longer and longer stretches without an anchor: `prefix + cycle * n + suffix`."""

    prefix: bytes
    cycle: bytes
    suffix: bytes

    def data(self, repetitions: int) -> bytes:
        """Return the input with `repetitions` copies of the cycle."""
        return self.prefix + self.cycle * repetitions + self.suffix


@dataclasses.dataclass(frozen=True)
class Span(Searched):
    """The longest stretch without an anchor.

    Attributes:
        bounded: Whether there is a longest stretch.
        value: Its length in bytes, over all completely tokenizable inputs; None when unbounded.
        witness: An input that attains it, or a `Pump` when unbounded.
    """

    bounded: bool
    value: int | None
    witness: bytes | Pump


@dataclasses.dataclass(frozen=True)
class Delimiter(Searched):
    """Whether cutting at every occurrence of a delimiter keeps the tokens of every input.

    Attributes:
        before: Cutting before every occurrence is sound.
        after: Cutting after every occurrence is sound.
        refutation_before: What shows that it is not: for a token set a token with the byte past its
            start, for a tokenizer a text whose parts have other ids. None when `before`.
        refutation_after: As above, for cutting after it. None when `after`.
    """

    before: bool
    after: bool
    refutation_before: bytes | str | None
    refutation_after: bytes | str | None


@dataclasses.dataclass(frozen=True)
class Plan:
    """Cuts of one text.

    Attributes:
        cuts: Strictly increasing byte positions inside the text, each an anchor.
        snap_distances: For each cut, how many bytes after its point of equal division it lies.
    """

    cuts: list[int]
    snap_distances: list[int]


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """An input on which two token sets differ; no shorter one shows the same kind of difference.

    Attributes:
        data: The input.
        left_starts: Token starts of the left set; None where it cannot tokenize the input.
        right_starts: Token starts of the right set; None where it cannot tokenize the input.
    """

    data: bytes
    left_starts: list[int] | None
    right_starts: list[int] | None


@dataclasses.dataclass(frozen=True)
class Audit:
    """Where two token sets differ; None is a proof that they never do.

    Attributes:
        boundary: An input that both tokenize, with different token starts.
        domain: An input that exactly one of them tokenizes.
        boundary_states: States that were told apart for `boundary`.
        domain_states: States that were told apart for `domain`.
    """

    boundary: Disagreement | None
    domain: Disagreement | None
    boundary_states: int = dataclasses.field(default=0, compare=False)
    domain_states: int = dataclasses.field(default=0, compare=False)

    @property
    def searched_states(self) -> int:
        """States that were told apart for both answers."""
        return self.boundary_states + self.domain_states


@dataclasses.dataclass(frozen=True)
class EditBounds:
    """Positions in the old text between which every changed token start lies, exclusively.

    Attributes:
        left: The last anchor whose witness ends at or before the edit; None: no anchor, use 0.
        right: The first anchor whose witness begins at or after the edited bytes; None: no anchor,
            use the end of the text.
        proven_left: No token start up to here changes, since tokens are short; None when tokens can
            be arbitrarily long.
    """

    left: int | None
    right: int | None
    proven_left: int | None


@dataclasses.dataclass(frozen=True, eq=False)
class EditMeasures:
    """What single-byte edits did to the token starts of one token set; int64 arrays, one per trial.

    Attributes:
        moved: Number of positions that are a token start before or after the edit, but not both.
        hull: From the first to the last of them, in bytes, both included; 0 when none moved.
        room: Positions strictly between the flanking anchors.
        hull_slack: `room - hull`.
        unoccupied: `room - moved`.
    """

    moved: npt.NDArray[np.int64]
    hull: npt.NDArray[np.int64]
    room: npt.NDArray[np.int64]
    hull_slack: npt.NDArray[np.int64]
    unoccupied: npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class EditTrials:
    """Measures of seeded single-byte substitutions, for one token set or two on the same edits.

    Attributes:
        positions: int64, shape `(trials,)`: the edited byte of each trial.
        substitutes: uint8, shape `(trials,)`: what it became.
        first: Measures of the token set.
        paired: Measures of the other one on the same edits, or None.
        rule: How the edits were drawn and which windows anchored.
    """

    positions: npt.NDArray[np.int64]
    substitutes: npt.NDArray[np.uint8]
    first: EditMeasures
    paired: EditMeasures | None
    rule: str

    @property
    def moved(self) -> npt.NDArray[np.int64]:
        """Moved token starts of the first set."""
        return self.first.moved

    @property
    def hull(self) -> npt.NDArray[np.int64]:
        """Hull of the first set, in bytes."""
        return self.first.hull

    @property
    def hull_slack(self) -> npt.NDArray[np.int64]:
        """Hull slack of the first set, in bytes."""
        return self.first.hull_slack

    @property
    def unoccupied(self) -> npt.NDArray[np.int64]:
        """Unoccupied admissible positions of the first set."""
        return self.first.unoccupied


@dataclasses.dataclass(frozen=True)
class BlockSupply:
    """Anchors per block of one width (cumulative): the least, the median and the most."""

    minimum: int
    median: float
    maximum: int


@dataclasses.dataclass(frozen=True, eq=False)
class Supply:
    """How many positions of a text are anchored.

    Attributes:
        bytes: Length of the text.
        anchors: Width to number of distinct positions anchored by windows up to that width.
        anchors_per_kib: The same per 1,024 bytes.
        boundaries: Number of token starts: the most that any inventory could anchor.
        boundaries_per_kib: The same per 1,024 bytes.
        block_bytes: Size of a block.
        blocks: Width to int64 array, shape `(n_blocks,)`: anchors in each full block (windows may
            straddle blocks); a text shorter than a block is one block.
        block_supply: Width to the least, median and most of `blocks`.
        widest_gap: Width to the longest run of positions without an anchor.
        policy: Which windows counted: `ceiling`, `frozen` or `sampled`.
        rule: How they were chosen, in words, with every parameter.
        distinct_windows: Width to the number of distinct windows that were decided or kept.
    """

    bytes: int
    anchors: Mapping[int, int]
    anchors_per_kib: Mapping[int, float]
    boundaries: int
    boundaries_per_kib: float
    block_bytes: int
    blocks: Mapping[int, npt.NDArray[np.int64]]
    block_supply: Mapping[int, BlockSupply]
    widest_gap: Mapping[int, int]
    policy: str
    rule: str
    distinct_windows: Mapping[int, int]
