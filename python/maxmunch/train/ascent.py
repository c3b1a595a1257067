"""The ascent of the bound, in legs that are kept; on large tables from the frequent pretokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.train.certificate import token_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxmunch.corpus.counts import PretokenCounts
    from maxmunch.train.checkpoint import Checkpoint
    from maxmunch.train.options import Choice

__all__ = ["Ascent"]

# Steps of the ascent.
BOUND_STEPS = 2500
# An ascent on a table of at least so many pretokens starts from one on the most frequent of them.
LARGE = 200_000
FREQUENT = 50_000
FREQUENT_STEPS = 1000
# Most passes of the search before that one; it ends by itself long before.
PASSES = 40
# Share of the time left that the ascent may take, and of that on the frequent pretokens.
SHARE = 0.8
EARLY_SHARE = 0.2
# How often the state is kept, in seconds: for all English it has 250 MB.
KEEP_SECONDS = 60.0


@dataclass
class Ascent:
    """What an ascent needs; `raised` makes it.

    Attributes:
        table: The pretokens.
        choice: Which tokens are allowed, and how many.
        threads: Threads; they change the time, never the result.
        memory_limit: Bytes that the tables of the frequent pretokens may take.
        checkpoint: Where the state is kept.
        callback: Called with phase, steps done and all steps.
        share: Returns a share of the seconds that are left; None without a limit.
    """

    table: PretokenCounts
    choice: Choice
    threads: int
    memory_limit: int | None
    checkpoint: Checkpoint
    callback: Callable[[str, int, int], object]
    share: Callable[[float], float | None]

    def raised(
        self, instance: _core.TrainingInstance, budget: int, members: list[bytes]
    ) -> dict[str, Any]:
        """Return the multipliers, and what the relaxation held of each token on average.

        `start` is the vocabulary that it held most of, `held` whatever it held now and then.
        """
        done = self.checkpoint.phase("bound", lambda: self._climb(instance, budget, members))
        if not done["stopped"]:
            self.checkpoint.drop_state("bound")
        return done

    def _climb(
        self, instance: _core.TrainingInstance, budget: int, members: list[bytes]
    ) -> dict[str, Any]:
        saved = self.checkpoint.state("bound")
        below = None
        if saved is None and len(self.table) >= LARGE:
            lower, raised = self._below(members)
            if raised.get("error") is not None:
                return {**raised, "multipliers": None, "start": members, "held": []}
            below = None if lower is None else (lower, raised["multipliers"])
        value, multipliers, start, held, _, seconds, stopped, error = instance.raise_bound(
            budget=budget,
            members=members,
            threads=self.threads,
            steps=BOUND_STEPS,
            seconds=self.share(SHARE),
            callback=self.callback,
            saved=saved,
            keep=self._keep if self.checkpoint.kept else None,
            keep_seconds=KEEP_SECONDS,
            below=below,
        )
        return {
            "value": value,
            "multipliers": multipliers,
            "start": start,
            "held": held,
            "seconds": seconds,
            "stopped": stopped,
            "error": error,
        }

    def _below(self, members: list[bytes]) -> tuple[_core.TrainingInstance | None, dict[str, Any]]:
        """Return the most frequent pretokens of a large table, and where an ascent on them ends.

        Their steps take a tenth of the time, and they are most of the text.
        """
        lower = _core.TrainingInstance(
            self.table._table.top(FREQUENT),  # noqa: SLF001 - the two modules are one flow
            token_rules(self.choice),
            memory_limit=self.memory_limit,
            callback=self.callback,
        )
        budget = self.choice.budget - len(lower.absent_pins)
        if lower.candidates < budget:
            return None, {}

        def compute() -> dict[str, Any]:
            start, *_ = lower.search(
                budget=budget,
                start=members,
                threads=self.threads,
                passes=PASSES,
                seconds=self.share(EARLY_SHARE),
                callback=self.callback,
            )
            value, multipliers, _, _, _, seconds, stopped, error = lower.raise_bound(
                budget=budget,
                members=start,
                threads=self.threads,
                steps=FREQUENT_STEPS,
                seconds=self.share(EARLY_SHARE),
                callback=self.callback,
            )
            return {
                "value": value,
                "multipliers": multipliers,
                "seconds": seconds,
                "stopped": stopped,
                "error": error,
            }

        return lower, self.checkpoint.phase("bound-below", compute)

    def _keep(self, state: bytes) -> None:
        self.checkpoint.keep_state("bound", state)
