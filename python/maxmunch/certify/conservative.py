"""The older, conservative model, to compare: a token may begin wherever one could have ended.

It forgets maximal munch between tokens, so that it admits every factorisation into tokens, a
superset of the real scans. What it certifies is certified; the question is how much it misses.
Over {a, ab, b} it refuses the window `ab`, since it cannot rule out the factorisation a, b.

Works on the automaton's tables by the shortest route; for small sets. Imports `token_set` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxmunch.certify.results import BEFORE

if TYPE_CHECKING:
    from maxmunch.certify.token_set import TokenSet

_Cloud = frozenset[tuple[int, int]]


class Conservative:
    """Decides windows of a token set by the conservative model."""

    def __init__(self, token_set: TokenSet) -> None:
        self._class_of, self._next, self._accepts = token_set.handle.automaton()
        # every state can go on to acceptance; -1 stands for the start of the input, and the
        # automaton's start counts as a run only where some byte leads back to it
        entered = {target for row in self._next for target in row if target >= 0}
        self._everywhere: _Cloud = frozenset((state, BEFORE) for state in {-1, *entered})

    def origins(self, window: bytes) -> set[int]:
        """Return the origins that some factorisation realises."""
        cloud = self._everywhere
        for place, byte in enumerate(window):
            cloud = self._step(cloud, place, self._class_of[byte])
        return {origin for _, origin in cloud}

    def _step(self, cloud: _Cloud, place: int, letter: int) -> _Cloud:
        moved = set()
        for state, origin in cloud:
            if state >= 0 and (target := self._next[state][letter]) >= 0:
                moved.add((target, origin))
            begins = state < 0 or self._accepts[state]
            if begins and (target := self._next[0][letter]) >= 0:
                moved.add((target, place))
        return frozenset(moved)


def conservative_certified(token_set: TokenSet, max_width: int) -> tuple[int, int]:
    """Return how many class windows up to `max_width` are certified, and how many the model misses.

    Windows are counted over one byte for each class of the automaton; each must occur.

    Complexity: all class windows up to the width.
    """
    inventory = token_set.inventory(max_width)
    letters = sorted(set(token_set.handle.representatives()))
    model = Conservative(token_set)
    exact = missed = 0
    pending = [b""]
    while pending:
        window = pending.pop()
        if window and not token_set.realised_origins(window):
            continue  # neither it nor any right extension occurs
        if window and (origin := inventory.origin(window)) is not None:
            exact += 1
            missed += model.origins(window) != {origin}
        if len(window) < max_width:
            pending += [window + bytes([letter]) for letter in letters]
    return exact, missed
