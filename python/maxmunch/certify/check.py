"""An independent checker of saved inventories and of witnesses.

It shares no code with the search: it reads the file's JSON, knows nothing of `_core`, and follows
the definitions by the most direct route. Words are looked up in a Python set, automata are read
from their tables, and windows are decided by walking over *all* states of the unreduced armed-run
verifier: every pair of current run and set of armed runs that can be reached and can still be
accepted. That is for lexers and small vocabularies; windows of larger literal sets are decided by
scanning the inputs that can show anything (`check_words`), some of them at random where all would
take too long. For regular sets the automaton in the file is taken as the
definition of the tokens: that it is the automaton of the patterns is the one step that is trusted.

Imports the errors of maxmunch, `check_words`, and nothing else of it.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from maxmunch.certify.check_words import Scanned
from maxmunch.errors import CertificateError, LimitError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

BEFORE = -1
FORMAT = "maxmunch-inventory-1"
# Literal sets above this size are decided by scanning.
_MANY_WORDS = 1000
# Unstated windows that are looked at, at most.
_ABSENT = 1000
_State = tuple[int, frozenset[int]]
_Table = list[dict[int, int]]


@dataclass(frozen=True)
class CheckReport:
    """What was checked.

    Attributes:
        checked: Minimal windows whose certificate was re-verified, one for each row of byte
            classes.
        total: Minimal windows in the file, counted in the same way.
        trusted: What had to be taken on trust, in words.
        absent: Windows that the file does not state and that were found not to be minimal.
    """

    checked: int
    total: int
    trusted: str
    absent: int = 0


class Tokens:
    """The token language of a saved inventory, as an automaton over bytes read from the file."""

    def __init__(self, description: dict[str, Any]) -> None:
        if description["kind"] == "literal":
            self.next, self.accepting = _trie([bytes.fromhex(w) for w, _ in description["words"]])
            self.trusted = "nothing: the words are the token set"
        else:
            tables = description["automaton"]
            class_of = bytes.fromhex(tables["class_of"])
            self.next = [
                {byte: row[class_of[byte]] for byte in range(256) if row[class_of[byte]] >= 0}
                for row in tables["next"]
            ]
            self.accepting = {s for s, accepts in enumerate(tables["accepts"]) if accepts}
            self.trusted = "that the automaton in the file is the one of its patterns"

    def scan(self, data: bytes) -> list[int] | None:
        """Return the token starts of `data` by the definition, or None where it is stuck."""
        starts, at = [], 0
        while at < len(data):
            state, end = 0, 0
            for position in range(at, len(data)):
                following = self.next[state].get(data[position])
                if following is None:
                    break
                state = following
                if state in self.accepting:
                    end = position + 1
            if end == 0:
                return None
            starts.append(at)
            at = end
        return starts


def _trie(words: list[bytes]) -> tuple[_Table, set[int]]:
    table: _Table = [{}]
    accepting = set()
    for word in words:
        state = 0
        for byte in word:
            if byte not in table[state]:
                table.append({})
                table[state][byte] = len(table) - 1
            state = table[state][byte]
        accepting.add(state)
    return table, accepting


def check_witness(
    tokens: Tokens,
    window: bytes,
    origin: int,
    *,
    data: bytes,
    occurrence: int,
    actual: int,
) -> None:
    """Hold a refutation to its claim: scan its input, look at the token over the window's end.

    Raises:
        CertificateError: The witness does not show that the pair fails.
    """
    starts = tokens.scan(data)
    end = occurrence + len(window)
    if starts is None:
        raise CertificateError("the witness cannot be tokenized")
    if occurrence < 0 or data[occurrence:end] != window:
        raise CertificateError("the window does not occur where the witness says")
    covering = max((start for start in starts if start < end), default=None)
    if covering != actual or actual == occurrence + origin:
        raise CertificateError("the witness does not show another origin")


class Marked:
    """All states of the unreduced verifier that are reachable and can still be accepted."""

    def __init__(self, tokens: Tokens, max_states: int) -> None:
        self.tokens = tokens
        self.edges: dict[_State, list[tuple[int, bool, _State]]] = {}
        first: _State = (-1, frozenset())
        pending = [first]
        while pending:
            state = pending.pop()
            if state in self.edges:
                continue
            if len(self.edges) >= max_states:
                raise LimitError(
                    f"the checker needs more than {max_states} states; pass a larger max_states",
                    "max_states",
                )
            self.edges[state] = list(self._moves(state))
            pending += [target for _, _, target in self.edges[state]]
        self._trim()

    def _moves(self, state: _State) -> Iterator[tuple[int, bool, _State]]:
        run, armed = state
        table, accepting = self.tokens.next, self.tokens.accepting
        for marked in (False, True):
            if marked:
                if run >= 0 and run not in accepting:
                    continue
                source, arms = 0, armed | {run} if run >= 0 else armed
            else:
                if run < 0:
                    continue
                source, arms = run, armed
            for byte, target in table[source].items():
                moved = frozenset(table[a][byte] for a in arms if byte in table[a])
                if not moved & accepting:
                    yield byte, marked, (target, moved)

    def _trim(self) -> None:
        backward: dict[_State, set[_State]] = {state: set() for state in self.edges}
        for state, moves in self.edges.items():
            for _, _, target in moves:
                backward[target].add(state)
        live = {s for s in self.edges if s[0] < 0 or s[0] in self.tokens.accepting}
        pending = list(live)
        while pending:
            fresh = backward[pending.pop()] - live
            live |= fresh
            pending += fresh
        self.edges = {
            state: [move for move in moves if move[2] in live]
            for state, moves in self.edges.items()
            if state in live
        }

    def origins(self, window: bytes) -> set[int]:
        """Return the realised origins of `window`."""
        cloud = {(state, BEFORE) for state in self.edges}
        for place, byte in enumerate(window):
            cloud = {
                (target, place if marked else origin)
                for state, origin in cloud
                for letter, marked, target in self.edges[state]
                if letter == byte
            }
        return {origin for _, origin in cloud}


def check_inventory(
    path: str | os.PathLike[str],
    *,
    sample: int | None = None,
    seed: int = 0,
    max_states: int = 200_000,
) -> CheckReport:
    """Re-verify a saved inventory: its digest, its fingerprint, and its certificates.

    Args:
        path: The file that `Inventory.save` wrote.
        sample: Number of minimal windows to verify, drawn with `seed`; None for all of them.
        seed: Seed of the sample.
        max_states: States of the verifier that the checker may build.

    Raises:
        CertificateError: The file is damaged, or claims what is not so.
        LimitError: The verifier is larger than `max_states`.

    Complexity: the unreduced verifier, then `len(window)` steps of all its states per window; for
    literal sets of more than a thousand words some thousand short scans per window, so that a real
    vocabulary wants a `sample`.
    """
    payload = _payload(path)
    try:
        if _fingerprint(payload["token_set"]) != payload["fingerprint"]:
            raise CertificateError(f"{path}: the fingerprint is not that of its token set")
        total = sum(mask.bit_count() for _, _, mask in _rows(payload))
        decider, trusted = _decider(path, payload, max_states)
        _check_counts(path, payload)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"{path}: damaged: {error!r}") from error
    draw = random.Random(seed)  # noqa: S311 - a reproducible sample
    every = sample is None or sample >= total
    wanted = range(total) if sample is None or every else sorted(draw.sample(range(total), sample))
    for window, origin in _numbered(payload, wanted):
        if decider.origins(window) != {origin}:
            raise CertificateError(f"{path}: {window!r} is not certified at {origin}")
    absent = _check_absent(path, payload, decider, draw, min(total, sample or total))
    return CheckReport(len(wanted), total, trusted, absent)


class _Decider(Protocol):
    def origins(self, window: bytes) -> set[int]: ...


def _decider(path: object, payload: dict[str, Any], max_states: int) -> tuple[_Decider, str]:
    """What decides windows: all states of the verifier, or scans where those are too many."""
    description = payload["token_set"]
    if description["kind"] == "literal" and len(description["words"]) > _MANY_WORDS:
        if bytes.fromhex(payload["representatives"]) != bytes(range(256)):
            raise CertificateError(f"{path}: the bytes of a literal set are classes of their own")
        words = [bytes.fromhex(word) for word, _ in description["words"]]
        return Scanned(words, payload["max_width"]), "nothing: the words are the token set"
    tokens = Tokens(description)
    _check_classes(path, payload, tokens)
    return Marked(tokens, max_states), tokens.trusted


def _check_absent(
    path: object, payload: dict[str, Any], decider: _Decider, draw: random.Random, tries: int
) -> int:
    """Hold windows to the file that it does not state: they must not be minimal."""
    stated: dict[bytes, int] = {}
    for suffix, _, mask in _rows(payload):
        stated[suffix] = stated.get(suffix, 0) | mask
    suffixes, representatives = sorted(stated), sorted(_members(payload))
    absent = 0
    for _ in range(min(tries, _ABSENT) if suffixes else 0):
        suffix, byte = draw.choice(suffixes), draw.choice(representatives)
        if stated[suffix] >> byte & 1:
            continue
        origins = decider.origins(bytes([byte]) + suffix)
        if len(origins) == 1 and BEFORE not in origins:
            raise CertificateError(f"{path}: it leaves out {bytes([byte]) + suffix!r}")
        absent += 1
    return absent


def _check_counts(path: object, payload: dict[str, Any]) -> None:
    """Hold the counts to the minimal windows.

    Every certified window is a left extension of exactly one minimal window. Where no window is
    vacuous every left extension counts, so that the counts follow; elsewhere they are bounded.
    """
    if sorted(payload["counts"], key=int) != [str(w + 1) for w in range(payload["max_width"])]:
        raise CertificateError(f"{path}: the counts are not those of widths 1 to max_width")
    members = _members(payload)
    minimal: dict[int, int] = {}
    for suffix, rows in payload["minimal"]:
        weight = math.prod(len(members[byte]) for byte in bytes.fromhex(suffix))
        width = len(suffix) // 2 + 1
        if width > payload["max_width"]:
            raise CertificateError(f"{path}: it holds windows wider than max_width")
        for _, mask in rows:
            first = sum(len(members[byte]) for byte in _bytes_of(payload["masks"][mask]))
            minimal[width] = minimal.get(width, 0) + weight * first
    most = 0
    total = all(vacuous == 0 for _, vacuous in payload["counts"].values())
    for width in range(1, payload["max_width"] + 1):
        certified, vacuous = payload["counts"][str(width)]
        most = 256 * most + minimal.get(width, 0)
        too_few = certified < most if total else certified < minimal.get(width, 0)
        if certified > most or too_few or certified + vacuous > 256**width:
            raise CertificateError(f"{path}: the counts of width {width} contradict its windows")


def _payload(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        document = json.loads(Path(path).read_bytes())
        payload: dict[str, Any] = document["payload"]
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
        if document["format"] != FORMAT:
            raise CertificateError(f"{path}: not a saved inventory: its format is not {FORMAT!r}")
        intact = hashlib.sha256(text.encode()).hexdigest() == document["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"{path}: not a saved inventory: {error!r}") from error
    if not intact:
        raise CertificateError(f"{path}: damaged: the digest does not match")
    return payload


def _fingerprint(description: dict[str, Any]) -> str:
    if description["kind"] == "literal":
        parts = sorted(bytes.fromhex(word) for word, _ in description["words"])
    else:
        parts = [part.encode() for pair in description["patterns"] for part in pair]
    sha = hashlib.sha256(description["kind"].encode())
    for part in parts:
        sha.update(len(part).to_bytes(8, "little") + part)
    return sha.hexdigest()


def _members(payload: dict[str, Any]) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for byte, representative in enumerate(bytes.fromhex(payload["representatives"])):
        members.setdefault(representative, []).append(byte)
    return members


def _check_classes(path: object, payload: dict[str, Any], tokens: Tokens) -> None:
    """Bytes that share a representative must be interchangeable in every state of the automaton."""
    for representative, members in _members(payload).items():
        for byte in members:
            if byte == representative:
                continue
            for row in tokens.next:
                if row.get(byte) != row.get(representative):
                    raise CertificateError(f"{path}: byte {byte} is not of the class it is put in")


def _bytes_of(mask: str) -> list[int]:
    bits = int.from_bytes(bytes.fromhex(mask), "little")
    return [byte for byte in range(256) if bits >> byte & 1]


def _rows(payload: dict[str, Any]) -> Iterator[tuple[bytes, int, int]]:
    """Suffix, origin, and the bytes before it, as bits, of the minimal windows."""
    masks = [int.from_bytes(bytes.fromhex(mask), "little") for mask in payload["masks"]]
    for suffix, rows in payload["minimal"]:
        for origin, mask in rows:
            yield bytes.fromhex(suffix), origin, masks[mask]


def _numbered(payload: dict[str, Any], wanted: Sequence[int]) -> Iterator[tuple[bytes, int]]:
    """The minimal windows with these numbers, which increase; the others are not listed."""
    numbers = iter(wanted)
    number = next(numbers, None)
    before = 0
    for suffix, origin, mask in _rows(payload):
        count = mask.bit_count()
        if number is not None and number < before + count:
            members = [byte for byte in range(256) if mask >> byte & 1]
            while number is not None and number < before + count:
                yield bytes([members[number - before]]) + suffix, origin
                number = next(numbers, None)
        before += count
