"""What stops a long answer: limits of states and seconds, and signals."""

from __future__ import annotations

import gc
import signal
from typing import TYPE_CHECKING

import pytest

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

MANY = 1_000_000_000
WIDE = [
    ("all", "a|b|c"),
    ("wide", "a[ab]{11}c"),
    ("far", "b[abc]{9}aa"),
    ("runs", "(?:ab|bc|ca)+(?:aa|bb){2}c"),
]


def wide(last: str = "c") -> mm.TokenSet:
    """A lexer whose verifier is too large to be searched to its end."""
    return mm.TokenSet.regular([*WIDE[:3], ("runs", f"(?:ab|bc|ca)+(?:aa|bb){{2}}{last}")])


class Stopped(Exception):  # noqa: N818 - it is what a signal handler raises, not an error
    """Raised by the signal handler."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """A signal a moment from now, whose handler raises, as Ctrl-C does.

    It comes again every other second: Python drops what a handler raises where no exception can
    pass. Callbacks of the garbage collector are such a place, and it is busy in a long test run;
    what is dropped there fails a test, too. So nothing is collected meanwhile.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, 0.2, 2)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    gc.enable()
    signal.signal(signal.SIGALRM, before)


LONG: dict[str, Callable[[], object]] = {
    "audit": lambda: mm.audit(wide(), wide("a"), max_states=MANY),
    "counts": lambda: wide().inventory(14, max_states=MANY).counts,
    "automaton": lambda: mm.TokenSet.regular([("far", "[ab]*a[ab]{30}")], max_states=MANY),
    "edit trials": lambda: mm.edit_trials(mm.TokenSet.literal(["a", "b"]), "ab" * 999, trials=MANY),
}


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("name", LONG)
def test_a_signal_stops_a_long_answer(name: str) -> None:
    with pytest.raises(Stopped):
        LONG[name]()


@pytest.mark.parametrize(
    "ask",
    [
        lambda tokens: tokens.realised_origins("abcabc", time_limit=0),
        lambda tokens: tokens.shortest_certified_width(time_limit=0),
        lambda tokens: tokens.inventory(5, time_limit=0).counts,
        lambda tokens: mm.audit(tokens, wide("a"), time_limit=0),
    ],
)
def test_a_time_limit_is_named_by_the_error_that_it_causes(
    ask: Callable[[mm.TokenSet], object],
) -> None:
    with pytest.raises(mm.LimitError, match="larger time_limit") as reached:
        ask(wide())
    assert "time_limit" == reached.value.limit


def test_a_certify_without_time_is_undecided_and_says_so() -> None:
    verdict = wide().certify("abcabc", 0, time_limit=0)

    assert isinstance(verdict, mm.Undecided)
    assert "time_limit" in verdict.reason


def test_inventories_with_other_limits_share_what_was_decided() -> None:
    tokens = mm.TokenSet.literal(["ab", "b"])

    assert tokens.inventory(2) is tokens.inventory(2)
    assert tokens.inventory(2, max_states=5).handle is tokens.inventory(2).handle
    with pytest.raises(mm.LimitError, match="max_states"):
        _ = tokens.inventory(2, max_states=0).counts


@pytest.mark.parametrize("limits", [{"max_states": -1}, {"time_limit": -1}, {"time_limit": "a"}])
def test_limits_outside_their_range_are_refused(limits: dict[str, int]) -> None:
    tokens = mm.TokenSet.literal(["a"])

    with pytest.raises((mm.InvalidArgumentError, TypeError)):
        tokens.inventory(2, **limits)
    with pytest.raises((mm.InvalidArgumentError, TypeError)):
        tokens.certify("a", 0, **limits)
    with pytest.raises((mm.InvalidArgumentError, TypeError)):
        mm.audit(tokens, tokens, **limits)


@pytest.mark.parametrize("limit", [float("inf"), 1e300])
def test_a_time_limit_beyond_the_clock_is_none(limit: float) -> None:
    assert mm.Certified() == mm.TokenSet.literal(["a"]).certify("a", 0, time_limit=limit)


def test_a_million_tokens_are_a_token_set() -> None:
    tokens = mm.TokenSet.literal([f"{number:06}" for number in range(1_000_000)])

    assert [0, 6] == tokens.scan("000007999999").starts.tolist()
    assert 10 == 256 - tokens.inventory(1).counts[1].vacuous


def test_every_answer_tells_what_it_searched_and_that_plays_no_part_in_equality() -> None:
    lexer = [("all", "a|b|c"), ("wide", "a[ab]{3}c")]
    refuted = mm.TokenSet.regular(lexer).certify("ab", 0)
    undecided = mm.TokenSet.regular(lexer).certify("ab", 0, max_states=2)
    again = mm.TokenSet.regular(lexer)

    assert isinstance(refuted, mm.Refuted)
    assert refuted == mm.Refuted(refuted.witness)
    assert "searched" not in repr(refuted)
    assert refuted.searched_states > undecided.searched_states > 0
    assert again.certify("ab", 0).searched_states == refuted.searched_states
    # what is known is not searched again
    assert again.certify("ab", 0).searched_states < refuted.searched_states


def test_what_is_searched_is_what_the_limit_counts() -> None:
    lexer = [("all", "a|b|c"), ("wide", "a[ab]{3}c")]
    needed = mm.TokenSet.regular(lexer).inventory(2).span().searched_states

    enough = mm.TokenSet.regular(lexer).inventory(2, max_states=needed).span()
    assert needed == enough.searched_states
    with pytest.raises(mm.LimitError):
        mm.TokenSet.regular(lexer).inventory(2, max_states=needed - 1).span()


def test_words_answer_without_a_search() -> None:
    words = mm.TokenSet.literal(["ab", "b"])

    assert 0 == words.certify("b", 0).searched_states
    assert 0 == words.delimiter(b"b").searched_states
    assert 0 == mm.audit(words, mm.TokenSet.literal(["b", "ab"])).searched_states
