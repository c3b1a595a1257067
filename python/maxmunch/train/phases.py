"""The phases of a training run: search, annealing, ascent of the bound, annealing again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.train.certificate import token_rules
from maxmunch.train.result import Round

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxmunch.corpus.counts import PretokenCounts
    from maxmunch.train.checkpoint import Checkpoint
    from maxmunch.train.options import Choice

__all__ = ["Outcome", "Plan"]

# Most passes of a search; it ends by itself long before.
PASSES = 40
# Places in the rows that the core's search gives: phase, members, swaps, cost, seconds.
SWAPS = 2
SECONDS = 4
# Steps of the ascent of the bound.
BOUND_STEPS = 1500
# An ascent on a table of at least so many pretokens starts from one on the most frequent of them.
LARGE = 200_000
FREQUENT = 50_000
FREQUENT_STEPS = 1000
# Sweeps of an annealing run, and of the one after an ascent, which takes longer than either.
SWEEPS = 64
LATE_SWEEPS = 512
SEED = 1
# Share of the time left that an ascent or an annealing run may take; search after it has the rest.
SHARE = 0.8
# The same for annealing before an ascent.
EARLY_SHARE = 0.2
# How often the state of an ascent is kept, in seconds: for all English it has 140 MB.
KEEP_SECONDS = 20.0


@dataclass
class Outcome:
    """The best vocabulary so far, and what is known about it."""

    tokens: list[bytes]
    cost: int
    rounds: list[Round] = field(default_factory=list)
    multipliers: bytes | None = None
    numbers: int = 0
    stopped: bool = False
    error: BaseException | None = None


@dataclass
class Plan:
    """Everything a run needs; `search` carries it out."""

    table: PretokenCounts
    choice: Choice
    start: list[bytes] | None
    certify: bool
    threads: int
    until: float | None
    memory_limit: int | None
    checkpoint: Checkpoint
    callback: Callable[[str, int, int], object]

    def search(self) -> Outcome:
        """Return the best vocabulary that the phases find."""
        instance, budget = self._instance()
        found = self._search("search", instance, budget, self.start)
        outcome = Outcome(found["tokens"], found["cost"], numbers=instance.numbers)
        self._take(outcome, found)
        if budget > 0:
            share = EARLY_SHARE if self.certify else SHARE
            self._anneal(("anneal", "settle"), outcome, instance, SWEEPS, share)
            if self.certify:
                # The steps of an ascent follow the cost: the better it is, the straighter they go.
                self._ascend(outcome, instance, budget)
                self._anneal(("anneal-2", "settle-2"), outcome, instance, LATE_SWEEPS, SHARE)
        outcome.tokens = [*outcome.tokens, *instance.absent_pins]
        return outcome

    def bound(self, outcome: Outcome) -> None:
        """Prove a bound for a vocabulary that was found by other means."""
        instance, budget = self._instance()
        outcome.numbers = instance.numbers
        raised = self.checkpoint.phase(
            "bound", lambda: self._raise(instance, budget, outcome.tokens)
        )
        if not raised["stopped"]:
            self.checkpoint.drop_state("bound")
        outcome.multipliers = raised["multipliers"]
        self._note_stop(outcome, raised)

    def _instance(self) -> tuple[_core.TrainingInstance, int]:
        """The candidates, and how many of them are to be chosen."""
        instance = _core.TrainingInstance(
            self.table._table,  # noqa: SLF001 - the two modules are one flow
            token_rules(self.choice),
            memory_limit=self.memory_limit,
            callback=self.callback,
        )
        # Pinned tokens that occur nowhere take their places beside the candidates.
        budget = self.choice.budget - len(instance.absent_pins)
        instance.check_budget(budget)
        return instance, budget

    def _ascend(self, outcome: Outcome, instance: _core.TrainingInstance, budget: int) -> None:
        """Raise the bound, and search from the vocabulary that its relaxation holds on average."""
        raised = self.checkpoint.phase(
            "bound", lambda: self._raise(instance, budget, outcome.tokens)
        )
        if not raised["stopped"]:
            self.checkpoint.drop_state("bound")
        outcome.rounds.append(
            Round("bound", objective=raised["value"], seconds=round(raised["seconds"], 3))
        )
        outcome.multipliers = raised["multipliers"]
        self._note_stop(outcome, raised)
        if outcome.error is not None:
            return
        again = self._search("polish", instance, budget, raised["start"])
        self._take(outcome, again)

    def _anneal(
        self,
        phases: tuple[str, str],
        outcome: Outcome,
        instance: _core.TrainingInstance,
        sweeps: int,
        share: float,
    ) -> None:
        """Shake the best vocabulary so far, and search from where that leads."""
        if outcome.stopped or outcome.error is not None:
            return
        shake, settle = phases
        members = outcome.tokens
        budget = len(members)

        def compute() -> dict[str, Any]:
            tokens, cost, seconds, stopped, error = instance.anneal(
                budget=budget,
                start=members,
                threads=self.threads,
                sweeps=sweeps,
                seed=SEED,
                seconds=self._share(share),
                callback=self.callback,
            )
            return {
                "tokens": tokens,
                "cost": cost,
                "seconds": seconds,
                "stopped": stopped,
                "error": error,
            }

        done = self.checkpoint.phase(shake, compute)
        outcome.rounds.append(
            Round(
                "anneal",
                cost=done["cost"],
                seconds=round(done["seconds"], 3),
                members=len(done["tokens"]),
            )
        )
        self._note_stop(outcome, done)
        if outcome.error is None:
            self._take(outcome, self._search(settle, instance, budget, done["tokens"]))

    def _search(
        self,
        phase: str,
        instance: _core.TrainingInstance,
        budget: int,
        start: list[bytes] | None,
    ) -> dict[str, Any]:
        """Search until a pass makes no swap; each pass is kept, so that a killed run loses one."""
        found = self._pass(f"{phase}-1", instance, budget, start)
        for number in range(2, PASSES + 1):
            if found["stopped"] or not found["rounds"] or found["rounds"][-1][SWAPS] == 0:
                break
            # A pass depends on nothing but the vocabulary that it starts from.
            later = self._pass(f"{phase}-{number}", instance, budget, found["tokens"])
            seconds = found["rounds"][-1][SECONDS]
            later["rounds"] = [(*row[:SECONDS], row[SECONDS] + seconds) for row in later["rounds"]]
            found = {**later, "rounds": found["rounds"] + later["rounds"]}
        return found

    def _pass(
        self,
        phase: str,
        instance: _core.TrainingInstance,
        budget: int,
        start: list[bytes] | None,
    ) -> dict[str, Any]:
        def compute() -> dict[str, Any]:
            tokens, cost, rounds, stopped, error = instance.search(
                budget=budget,
                start=start,
                threads=self.threads,
                passes=1,
                seconds=self._left(),
                callback=self.callback,
            )
            return {
                "tokens": tokens,
                "cost": cost,
                "rounds": [tuple(row) for row in rounds],
                "stopped": stopped,
                "error": error,
            }

        return self.checkpoint.phase(phase, compute)

    def _raise(
        self, instance: _core.TrainingInstance, budget: int, members: list[bytes]
    ) -> dict[str, Any]:
        saved = self.checkpoint.state("bound")
        below = None
        if saved is None and len(self.table) >= LARGE:
            lower, raised = self._below(members)
            if raised.get("error") is not None:
                return {**raised, "multipliers": None, "start": members}
            below = None if lower is None else (lower, raised["multipliers"])
        value, multipliers, start, _, seconds, stopped, error = instance.raise_bound(
            budget=budget,
            members=members,
            threads=self.threads,
            steps=BOUND_STEPS,
            seconds=self._share(SHARE),
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
                seconds=self._share(EARLY_SHARE),
                callback=self.callback,
            )
            value, multipliers, _, _, seconds, stopped, error = lower.raise_bound(
                budget=budget,
                members=start,
                threads=self.threads,
                steps=FREQUENT_STEPS,
                seconds=self._share(EARLY_SHARE),
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

    def _take(self, outcome: Outcome, found: dict[str, Any]) -> None:
        outcome.rounds += [
            Round(phase, cost=cost, seconds=round(seconds, 3), members=members, swaps=swaps)
            for phase, members, swaps, cost, seconds in found["rounds"]
        ]
        self._note_stop(outcome, found)
        if found["cost"] <= outcome.cost:
            outcome.tokens, outcome.cost = found["tokens"], found["cost"]

    @staticmethod
    def _note_stop(outcome: Outcome, result: dict[str, Any]) -> None:
        outcome.stopped |= bool(result["stopped"])
        outcome.error = outcome.error or result.get("error")

    def _left(self) -> float | None:
        return None if self.until is None else max(0.0, self.until - time.monotonic())

    def _share(self, share: float) -> float | None:
        left = self._left()
        return None if left is None else share * left
