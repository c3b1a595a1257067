"""`train`: options in, vocabulary out."""

from __future__ import annotations

import time
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from maxmunch.arguments import threads_or_cores
from maxmunch.corpus.counts import PretokenCounts
from maxmunch.errors import InvalidArgumentError
from maxmunch.lp import require_solver
from maxmunch.options import instance
from maxmunch.progress import ProgressBar
from maxmunch.train.certificate import Certificate, check_bound, scope_text
from maxmunch.train.checkpoint import Checkpoint
from maxmunch.train.jolt import DEFAULT_TOP, Jolt
from maxmunch.train.options import Choice, read_start
from maxmunch.train.phases import Plan
from maxmunch.train.result import TrainingResult

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["train"]


def train(
    counts: PretokenCounts,
    vocab_size: int = 32_000,
    *,
    method: str = "search",
    certify: bool = False,
    top: int | None = None,
    max_order: int = 3,
    whole_top: int = 8_000,
    theta: float = 0.01,
    epsilon: float = 1e-3,
    max_rounds: int | None = None,
    start: Any = None,
    pinned: Iterable[str | bytes] = (),
    forbidden: Iterable[str | bytes] = (),
    max_token_bytes: int | None = None,
    valid_utf8: bool = False,
    splittable: bytes = b"",
    splittable_at: str = "start",
    special_tokens: Sequence[str] = (),
    solver: str | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[str, int, int], object] = True,
    seed: int = 0,
) -> TrainingResult:
    """Return a vocabulary with which greedy longest-match encoding of the text takes few tokens.

    The same counts and options give the same vocabulary, whatever `threads` is, unless
    `time_limit` or Ctrl-C stops the run. Ctrl-C does not raise: the best valid vocabulary so far
    is returned with `.interrupted` set.

    Args:
        counts: What `count_pretokens` gave.
        vocab_size: Number of ids: the 256 bytes, which are always in, the chosen tokens, the
            special tokens.
        method: `"search"`, exact search on all counts, or `"jolt"`, the linear programs of the
            paper.
        certify: Also prove a lower bound on the cost of every such vocabulary.
        top: Train on the most frequent pretokens only; all by default, 100,000 for `"jolt"`.
        max_order: Most pieces of an enumerated segmentation (`"jolt"`).
        whole_top: Pretokens that start with their unsplit form only (`"jolt"`).
        theta: Mass on the fallback from which a pretoken gets longer segmentations (`"jolt"`).
        max_rounds: Most programs before the repriced one; 2 is the published protocol for large
            scopes, as we read it (`"jolt"`).
        epsilon: Tokens with `x >= 1 - epsilon` are admitted outright (`"jolt"`).
        start: A vocabulary to start the search from: tokens, a tokenizer, or a file of one.
        pinned: Tokens that must be in.
        forbidden: Tokens that must not be in.
        max_token_bytes: Most bytes of a token, 1 to 255 (the default).
        valid_utf8: Take only tokens that are whole characters, apart from the single bytes.
        splittable: Bytes that may stand at one place of a token only, so that cutting text there
            changes no token, with or without the pattern; `splitting_cost` says what it costs.
        splittable_at: `"start"`: text may be cut before each of them; `"end"`: after.
        special_tokens: Contents of special tokens; their ids come last.
        solver: `"pdlp"` (the default), `"simplex"` or `"ipm"` (`"jolt"`, needs the `lp` extra).
        time_limit: Seconds after which the best vocabulary so far is returned.
        memory_limit: Bytes that the tables of the search may take; estimated before they are built.
        threads: Threads; all cores by default.
        checkpoint: Directory in which long runs keep their state.
        progress: Draw bars, or a function called with `(phase, done, total)`.
        seed: Seed of whatever is random.

    Raises:
        InvalidArgumentError: A value out of range: its name, the value, the rule.
        TrainingError: Pinned tokens that do not fit.
        LimitError: The tables would pass `memory_limit`.

    Source: docs/concepts/training.md.

    Example:
        >>> import maxmunch as mm
        >>> counts = mm.count_pretokens(["low lower lowest low low"], progress=False)
        >>> result = mm.train(counts, 258, progress=False)
        >>> result.vocabulary[256:], result.cost
        ([b' low', b' lowest'], 9)
    """
    if method not in {"search", "jolt"}:
        raise InvalidArgumentError(f"method: {method!r} is not 'search' or 'jolt'", "method")
    if len(instance("counts", counts, PretokenCounts)) == 0:
        raise InvalidArgumentError("counts: the table is empty; count some text first", "counts")
    if method == "jolt":
        solver = require_solver(solver)
        top = min(DEFAULT_TOP, len(counts)) if top is None else top
    if time_limit is not None and not time_limit > 0:
        message = f"time_limit: {time_limit} is not above 0; give seconds, or None"
        raise InvalidArgumentError(message, "time_limit")
    choice = Choice.checked(
        vocab_size,
        special_tokens=special_tokens,
        pinned=pinned,
        forbidden=forbidden,
        max_token_bytes=max_token_bytes,
        valid_utf8=valid_utf8,
        splittable=splittable,
        splittable_at=splittable_at,
    )
    first = read_start(start)
    options: dict[str, Any] = {
        "method": method,
        "certify": certify,
        "top": top,
        "max_order": max_order,
        "whole_top": whole_top,
        "theta": theta,
        "epsilon": epsilon,
        "max_rounds": max_rounds,
        "solver": solver,
        "seed": seed,
        "choice": asdict(choice),
        "start": first,
        "counts_sha256": counts.fingerprint,
        "version": version("maxmunch"),
    }
    table = counts if top is None else counts.top(top)
    with ProgressBar(enabled=progress is True) as bar:
        keep = Checkpoint(checkpoint, options)
        callback = progress if callable(progress) else bar
        until = None if time_limit is None else time.monotonic() + time_limit
        plan = Plan(
            table=table,
            choice=choice,
            start=first,
            certify=certify,
            threads=threads_or_cores(threads),
            until=until,
            memory_limit=memory_limit,
            checkpoint=keep,
            callback=callback,
        )
        if method == "jolt" and solver is not None:
            jolt = Jolt(
                table=table,
                choice=choice,
                max_order=max_order,
                whole_top=whole_top,
                theta=theta,
                epsilon=epsilon,
                max_rounds=max_rounds,
                solver=solver,
                threads=plan.threads,
                until=until,
                checkpoint=keep,
                callback=callback,
            )
            outcome = jolt.run()
            if certify:
                plan.bound(outcome)
        else:
            outcome = plan.search()
    if outcome.error is not None and not isinstance(outcome.error, KeyboardInterrupt):
        raise outcome.error
    certificate = bound = None
    if outcome.multipliers is not None:
        certificate = Certificate(
            counts.fingerprint,
            top,
            choice,
            outcome.numbers,
            outcome.multipliers,
            outcome.parts,
        )
        bound = check_bound(certificate, counts)
    return TrainingResult(
        vocabulary=[
            *(bytes([byte]) for byte in range(256)),
            *outcome.tokens,
            *(content.encode() for content in choice.special_tokens),
        ],
        special_tokens=choice.special_tokens,
        pattern=table.pattern,
        cost=outcome.cost,
        pretokens=table.total,
        scope=scope_text(counts, table),
        bound=bound,
        certificate=certificate,
        gap=None if bound is None else outcome.cost / bound.value - 1,
        rounds=outcome.rounds,
        interrupted=outcome.error is not None,
        out_of_time=outcome.stopped and outcome.error is None,
        options={**options, "choice": None, "start": None, "rules": choice.described()},
    )
