"""Token sets: the questions of the certify flow and their answers.

Definitions and theorems are numbered in `docs/concepts/certified_splitting.md`. Positions are byte
positions throughout; `str` arguments are read as their UTF-8. Imports `_core` and the results only.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.certify.arguments import (
    as_data,
    checked_limits,
    checked_number,
    one_byte,
    window_bytes,
)
from maxmunch.certify.inventory import Inventory
from maxmunch.certify.results import (
    Audit,
    Certified,
    Delimiter,
    Disagreement,
    EditBounds,
    Plan,
    Refuted,
    Scan,
    Undecided,
    Vacuous,
    Verdict,
    Witness,
)
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from maxmunch.certify.arguments import Data, Window

_WIDEST = 256
_THREADS = 4096
_ALL_STATES = 1 << 32


def _literal(words: list[bytes], kinds: list[int]) -> TokenSet:
    return TokenSet.literal(words, kinds=kinds)


def _regular(patterns: list[tuple[str, str]]) -> TokenSet:
    return TokenSet.regular(patterns, max_states=_ALL_STATES)


class TokenSet:
    """A set of tokens with its maximal-munch scan; build one with `TokenSet.literal`.

    Immutable and safe to share between threads. `handle` is the compiled core's object, for the
    modules of this package.
    """

    def __init__(self, core: _core.TokenSetCore) -> None:
        self.handle = core
        self._cores: dict[int, _core.InventoryCore] = {}
        self._inventories: dict[tuple[int, int | None, float | None], Inventory] = {}

    @classmethod
    def literal(
        cls, tokens: Iterable[bytes | str], *, kinds: Sequence[int] | None = None
    ) -> TokenSet:
        """Return the token set of the given words.

        Args:
            tokens: The words; of equal words the first counts.
            kinds: What a scan reports for each word; by default its index in `tokens`.

        Raises:
            InvalidTokenSetError: There is no word, or one is empty.
            InvalidArgumentError: `kinds` has another length.
            UnicodeEncodeError: A `str` has a lone surrogate.

        Complexity: linear in the total length, plus sorting. Source: Definition 1.

        Example:
            >>> import maxmunch as mm
            >>> mm.TokenSet.literal(["ab", "b"]).realised_origins("b")
            frozenset({0, -1})
        """
        if isinstance(tokens, bytes | str):
            raise InvalidArgumentError(
                "tokens: a single string; give an iterable of tokens, such as [b'ab', b'b']",
                "tokens",
            )
        return cls(_core.TokenSetCore.literal(list(tokens), None if kinds is None else list(kinds)))

    @classmethod
    def regular(
        cls, patterns: Iterable[tuple[str, str]], *, max_states: int | None = None
    ) -> TokenSet:
        r"""Return the token set of named patterns, the first of equally long matches winning.

        Args:
            patterns: `(name, pattern)` pairs in order of priority; a token's kind is its pattern's
                index. A pattern is a regular expression over bytes, in the syntax of the Rust crate
                `regex-syntax`: `.` and `[^...]` range over bytes, `.` leaves out the newline unless
                `(?s)` is set, Unicode classes need `(?u:...)` and stand for their UTF-8. Greedy and
                lazy repetition mean the same here.
            max_states: States that the automaton may need; None for 100,000.

        Raises:
            InvalidTokenSetError: There is no pattern, one is malformed, holds an assertion (`^`,
                `\b`, look-around) or matches the empty word, or none matches anything.
            LimitError: The automaton needs more than `max_states` states.

        Complexity: that of the subset construction. Source: Definition 1.

        Example:
            >>> import maxmunch as mm
            >>> lexer = mm.TokenSet.regular([("name", "[a-z]+"), ("blank", " +")])
            >>> lexer.scan("to be").starts.tolist()
            [0, 2, 3]
        """
        return cls(_core.TokenSetCore.regular(list(patterns), max_states))

    def __reduce__(self) -> tuple[Callable[..., TokenSet], tuple[Any, ...]]:
        """Pickle what defines the tokens: the automaton is made anew, whatever it needs."""
        words = self.words
        if words is None:
            return _regular, (self.patterns,)
        return _literal, ([word for word, _ in words], [kind for _, kind in words])

    def __copy__(self) -> TokenSet:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TokenSet:
        return self

    @property
    def words(self) -> list[tuple[bytes, int]] | None:
        """The distinct words with their kinds, sorted by word; None for a regular set."""
        return self.handle.words()

    @property
    def patterns(self) -> list[tuple[str, str]] | None:
        """Names and patterns in order of priority; None for a literal set."""
        return self.handle.patterns()

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 of what defines the tokens, which is the words without kinds or the patterns.

        Equal fingerprints mean equal certificates; kinds play no part in them.
        """
        import hashlib

        digest = hashlib.sha256()
        if self.words is not None:
            digest.update(b"literal")
            parts = [word for word, _ in self.words]
        else:
            digest.update(b"regular")
            parts = [part.encode() for pair in self.patterns or [] for part in pair]
        for part in parts:
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()

    @property
    def longest_token(self) -> int | None:
        """Length of the longest token in bytes; None when tokens can be arbitrarily long."""
        return self.handle.longest_token

    def scan(self, data: Data) -> Scan:
        """Return the tokens of `data`: at each position the longest match.

        Raises:
            UntokenizableError: No token matches at `.position`; `.starts` are the tokens before it.

        Complexity: linear, also where matches are tried far ahead again and again: a literal set
        has failure links, a regular one notes what failed. Source: Definition 2.

        Example:
            >>> import maxmunch as mm
            >>> mm.TokenSet.literal(["a", "ab", "b"]).scan("aab").starts.tolist()
            [0, 1]
        """
        return Scan(*self.handle.scan(as_data(data)))

    def is_tokenizable(self, data: Data) -> bool:
        """Return whether `data` lies in the domain: its scan completes. The empty text does."""
        return self.handle.is_tokenizable(as_data(data))

    def realised_origins(
        self, window: Window, *, max_states: int | None = None, time_limit: float | None = None
    ) -> frozenset[int]:
        """Return every origin that occurs for `window` in some completely tokenizable input.

        An origin is where the token that covers the window's last byte starts, relative to the
        window; `BEFORE` (-1) stands for all starts before it. Empty: the window occurs nowhere.

        Args:
            window: 1 to 256 bytes.
            max_states: States that the verifier may tell apart; None for two million. Literal sets
                need none.
            time_limit: Seconds that it may take; None for no limit.

        Raises:
            InvalidArgumentError: The window is empty or longer than 256 bytes.
            LimitError: The verifier needs more than `max_states` states, or `time_limit` seconds.

        Complexity: for literal sets `O(h^2)` look-ups for most windows of `h` bytes, for regular
        ones one step of the verifier's cloud per byte, remembered. Source: Theorems 3 and 4.
        """
        limits = checked_limits(max_states, time_limit)
        return frozenset(self.handle.realised_origins(window_bytes(window), *limits))

    def shortest_certified_width(
        self, limit: int | None = None, *, time_limit: float | None = None
    ) -> int | None:
        """Return the least width of a certified window that occurs; None when there is none.

        Args:
            limit: States that the search may tell apart; None for two million.
            time_limit: Seconds that it may take; None for no limit.

        Raises:
            LimitError: The search needs more than `limit` states or `time_limit` seconds, or the
                set is too large for an automaton and has no certified window of up to 4 bytes.

        Source: Theorem 5.

        Example:
            >>> import maxmunch as mm
            >>> mm.TokenSet.literal(["aa"]).shortest_certified_width() is None
            True
        """
        width, _searched = self.handle.shortest_certified_width(
            *checked_limits(limit, time_limit, name="limit")
        )
        return width

    def certify(
        self,
        window: Window,
        origin: int,
        *,
        max_states: int | None = None,
        time_limit: float | None = None,
    ) -> Verdict:
        """Return whether the token over the window's last byte always starts at `origin`.

        Returns:
            `Certified()`, `Vacuous()` (the window never occurs), `Refuted(witness)` with a shortest
            refuting input, re-scanned, or `Undecided(reason)` when a limit was reached: the reason
            names `max_states` (None: two million) or `time_limit` (seconds; None: no limit).

        Raises:
            InvalidArgumentError: The window has no or more than 256 bytes, or the origin is not in
                `0 .. len(window) - 1`.

        Source: Definition 3, Theorem 4.

        Example:
            >>> import maxmunch as mm
            >>> words = mm.TokenSet.literal(["ab", "b"])
            >>> words.certify("a", 0)
            Certified()
            >>> words.certify("b", 0)
            Refuted(witness=Witness(data=b'ab', occurrence=1, claimed=1, actual=0))
        """
        window = window_bytes(window)
        checked_number("origin", origin, "an origin lies inside the window", least=0)
        limits = checked_limits(max_states, time_limit)
        name, witness, reason, searched = self.handle.certify(window, origin, *limits)
        if name == "certified":
            return Certified(searched_states=searched)
        if name == "vacuous":
            return Vacuous(searched_states=searched)
        if witness is not None:
            return Refuted(Witness(*witness), searched_states=searched)
        return Undecided(reason or "", searched_states=searched)

    def inventory(
        self,
        max_width: int,
        *,
        max_states: int | None = None,
        time_limit: float | None = None,
    ) -> Inventory:
        """Return what is certified at widths `1 .. max_width`, decided on demand and remembered.

        Args:
            max_width: Widest window, in bytes.
            max_states: States that `counts` and `span` may tell apart, each; None for a thousand
                million windows decided one by one, or two million states of an automaton.
            time_limit: Seconds that `counts` and `span` may take, each; None for no limit.

        Raises:
            InvalidArgumentError: `max_width` is not in 1 .. 256, or `time_limit` is negative.
        """
        checked_number("max_width", max_width, "windows have 1 to 256 bytes", least=1, most=_WIDEST)
        limits = checked_limits(max_states, time_limit)
        found = self._inventories.get((max_width, *limits))
        if found is None:
            # decisions do not depend on limits, so that what is remembered of them is shared
            core = self._cores.get(max_width)
            if core is None:
                core = self._cores[max_width] = self.handle.inventory(max_width)
            found = Inventory(self, core, max_states=limits[0], time_limit=limits[1])
            self._inventories[(max_width, *limits)] = found
        return found

    def delimiter(self, byte: bytes | int) -> Delimiter:
        r"""Return whether every input may be cut before, or after, every occurrence of `byte`.

        Args:
            byte: A `bytes` of length 1, or an int in 0 .. 255.

        Returns:
            A `Delimiter`; each "no" comes with a token that holds the byte elsewhere, which as a
            one-token input shows the damage.

        Raises:
            InvalidArgumentError: `byte` is not one byte.

        Complexity: linear in the size of the token set. Source: Theorem 11.

        Example:
            >>> import maxmunch as mm
            >>> mm.TokenSet.literal(["a", "b", "\n"]).delimiter(b"\n").before
            True
        """
        before, after, left, right, searched = self.handle.delimiter(one_byte(byte))
        return Delimiter(before, after, left, right, searched_states=searched)

    def plan_cuts(self, data: Data, parts: int, *, max_width: int = 4) -> Plan:
        """Return cuts of `data` into at most `parts` parts of nearly equal size.

        Each cut is the first anchor at or after a point of equal division and before the next one;
        where there is none the plan has one cut less.

        Raises:
            InvalidArgumentError: `parts` is below 1, or `max_width` is not in 1 .. 256.

        Complexity: reads only from each point of division to the anchor after it.
        Source: Theorem 8.
        """
        checked_number("parts", parts, "a text is cut into at least one part", least=1)
        plan = self.inventory(max_width).handle.plan_cuts(as_data(data), parts)
        return Plan(*plan)

    def edit_bounds(
        self,
        data: Data,
        position: int,
        *,
        removed: int = 1,
        inserted: int = 1,
        max_width: int = 4,
    ) -> EditBounds:
        """Return between which positions token starts can change when bytes are replaced.

        Args:
            data: The old text, completely tokenizable (not checked: only the surroundings of the
            edit
                are read).
            position: First replaced byte; `len(data)` to append.
            removed: Number of bytes that go.
            inserted: Number of bytes that come; bounds do not depend on it.
            max_width: Widest window that may witness an anchor.

        Returns:
            Anchors of the old text. The left one is witnessed by bytes before `position`, the right
            one by bytes from `position + removed` on. Every start that changes lies strictly
            between.

        Raises:
            InvalidArgumentError: The edit reaches past the text, or a number is negative.

        Complexity: `max_width` decisions per byte between the anchors. Source: Theorem 10.
        """
        _check_edit(position, removed, inserted)
        found = self.inventory(max_width).handle.edit_bounds(as_data(data), position, removed)
        return EditBounds(*found)

    def rescan(
        self,
        scan: Scan,
        old_data: Data,
        new_data: Data,
        position: int,
        *,
        removed: int,
        inserted: int,
        max_width: int = 4,
    ) -> Scan:
        """Return the scan of `new_data` from that of `old_data`, reading only around the edit.

        Args:
            scan: The scan of `old_data`.
            old_data: The text before the edit.
            new_data: The text after it; equal to the old one outside the edit (not checked).
            position: Where `removed` bytes were replaced by `inserted` bytes.
            removed: Number of bytes that went.
            inserted: Number of bytes that came.
            max_width: Widest window that may witness an anchor.

        Raises:
            UntokenizableError: As `scan(new_data)`: same position, same starts.
            InvalidArgumentError: Lengths do not fit together, or a number is negative.

        Complexity: reads from the left bound of the edit to where the old scan is met again; copies
        the rest. Source: Theorem 10.
        """
        _check_edit(position, removed, inserted)
        starts, kinds, _, _ = self.inventory(max_width).handle.rescan(
            scan.starts,
            scan.kinds,
            as_data(old_data),
            as_data(new_data),
            position,
            removed,
            inserted,
        )
        return Scan(starts, kinds)


def _check_edit(position: int, removed: int, inserted: int) -> None:
    for name, value in (("position", position), ("removed", removed), ("inserted", inserted)):
        checked_number(name, value, "it must not be negative", least=0)


def audit(
    left: TokenSet,
    right: TokenSet,
    *,
    max_states: int | None = None,
    time_limit: float | None = None,
) -> Audit:
    r"""Return whether two token sets ever differ: in token starts, or in what they can tokenize.

    Kinds and priorities are not compared: sets whose boundaries always agree do not differ.

    Args:
        left: One token set.
        right: The other.
        max_states: States that each search may tell apart; None for two million.
        time_limit: Seconds that it may take; None for no limit.

    Returns:
        An `Audit`: each answer is None (proved absent) or a shortest input that shows the
        difference, re-scanned.

    Raises:
        LimitError: A search needs more than `max_states` states or `time_limit` seconds.

    Complexity: reachability in the product of both verifiers, and of both subset automata for the
    domains; for vocabularies, whose tokens are made of bytes or characters that are tokens
    themselves, linear. Source: Theorems 12 and 13.

    Example:
        >>> import maxmunch as mm
        >>> joined = mm.TokenSet.regular([("blank", r"[ \n]+"), ("name", "[a-z]+")])
        >>> apart = mm.TokenSet.regular([("line", r"\n"), ("blank", " +"), ("name", "[a-z]+")])
        >>> mm.audit(joined, apart).boundary.left_starts
        [0]
    """
    boundary, domain, boundary_states, domain_states = _core.audit(
        left.handle, right.handle, *checked_limits(max_states, time_limit)
    )
    return Audit(
        None if boundary is None else Disagreement(*boundary),
        None if domain is None else Disagreement(*domain),
        boundary_states,
        domain_states,
    )


def parallel_scan(
    token_set: TokenSet, data: Data, *, threads: int | None = None, max_width: int = 4
) -> Scan:
    """Return exactly `token_set.scan(data)`, worked out on several threads.

    The text is cut at anchors of width up to `max_width`; each part must end exactly at the next
    cut, else the rest is scanned sequentially, so that also inputs that cannot be tokenized give
    the same error at the same position.

    Args:
        token_set: The token set.
        data: The text.
        threads: Number of threads; None for one per core. The result is the same for every number.
        max_width: Widest window that is used to find cuts.

    Raises:
        UntokenizableError: As `token_set.scan(data)`.
        InvalidArgumentError: `threads` is 0, or `max_width` is not in 1 .. 256.

    Source: Theorems 8 and 9.
    """
    core = token_set.inventory(max_width).handle
    if threads is not None:
        checked_number("threads", threads, "at least one thread is needed", least=1, most=_THREADS)
    return Scan(*core.parallel_scan(as_data(data), threads))
