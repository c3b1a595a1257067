"""The phases of a training run: search, annealing, ascent of the bound, cases, annealing again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maxmunch import _core
from maxmunch.train.ascent import Ascent
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
# Sweeps of an annealing run.
SWEEPS = 64
# Sweeps of each run on the tokens that an ascent held now and then, their seeds, and the sweeps of
# the run on what these runs found.
LATE_SWEEPS = 256
SEEDS = (1, 2, 3)
JOINT_SWEEPS = 512
# Share of the time left that an ascent or an annealing run may take; search after it has the rest.
SHARE = 0.8
# The same for annealing before an ascent, and for cases after it.
EARLY_SHARE = 0.2


@dataclass
class Outcome:
    """The best vocabulary so far, and what is known about it."""

    tokens: list[bytes]
    cost: int
    rounds: list[Round] = field(default_factory=list)
    multipliers: bytes | None = None
    parts: bytes = b""
    numbers: int = 0
    stopped: bool = False
    error: BaseException | None = None


@dataclass
class Shake:
    """One annealing run, and the search after it.

    Attributes:
        phases: Names under which the two are kept.
        instance: The candidates.
        start: The vocabulary to start from.
        sweeps: Walks over the tokens that are worth a try.
        share: Share of the time left that it may take.
        seed: Seed of its steps.
    """

    phases: tuple[str, str]
    instance: _core.TrainingInstance
    start: list[bytes]
    sweeps: int
    share: float
    seed: int = 1


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
            first = Shake(("anneal", "settle"), instance, outcome.tokens, SWEEPS, share)
            self._anneal(outcome, first)
            if self.certify:
                # The steps of an ascent follow the cost: the better it is, the straighter they go.
                held = self._ascend(outcome, instance, budget)
                self._refine(outcome, instance, held)
        outcome.tokens = [*outcome.tokens, *instance.absent_pins]
        return outcome

    def bound(self, outcome: Outcome) -> None:
        """Prove a bound for a vocabulary that was found by other means."""
        instance, budget = self._instance()
        outcome.numbers = instance.numbers
        raised = self._raise(instance, budget, outcome.tokens)
        outcome.multipliers = raised["multipliers"]
        self._note_stop(outcome, raised)
        self._divide(outcome, instance, raised["value"])

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

    def _ascend(
        self, outcome: Outcome, instance: _core.TrainingInstance, budget: int
    ) -> list[bytes]:
        """Raise the bound, and search from the vocabulary that its relaxation holds on average.

        Returns what is worth a closer look: the tokens that it held now and then, and those of both
        vocabularies.
        """
        raised = self._raise(instance, budget, outcome.tokens)
        outcome.rounds.append(
            Round("bound", objective=raised["value"], seconds=round(raised["seconds"], 3))
        )
        outcome.multipliers = raised["multipliers"]
        self._note_stop(outcome, raised)
        if outcome.error is not None:
            return []
        self._divide(outcome, instance, raised["value"])
        before = outcome.tokens
        again = self._search("polish", instance, budget, raised["start"])
        self._take(outcome, again)
        return [*before, *again["tokens"], *raised["held"]]

    def _divide(self, outcome: Outcome, instance: _core.TrainingInstance, value: float) -> None:
        """Prove by cases what the multipliers leave loose in pretokens of one sign."""
        multipliers = outcome.multipliers
        if outcome.error is not None or multipliers is None:
            return

        def compute() -> dict[str, Any]:
            parts, gain, seconds, stopped, error = instance.prove_by_cases(
                members=outcome.tokens,
                multipliers=multipliers,
                threads=self.threads,
                seconds=self._share(EARLY_SHARE),
                callback=self.callback,
            )
            return {
                "parts": parts,
                "gain": gain,
                "seconds": seconds,
                "stopped": stopped,
                "error": error,
            }

        done = self.checkpoint.phase("cases", compute)
        outcome.parts = done["parts"]
        seconds = round(done["seconds"], 3)
        outcome.rounds.append(Round("cases", objective=value + done["gain"], seconds=seconds))
        self._note_stop(outcome, done)

    def _refine(
        self, outcome: Outcome, instance: _core.TrainingInstance, held: list[bytes]
    ) -> None:
        """Anneal in several ways among few tokens, then among those that these ways found.

        What several good vocabularies share is seldom wrong, and the rest is so little that a run
        goes through it thoroughly.
        """
        if self._is_over(outcome):
            return
        few = instance.restricted(held)
        begin, family = outcome.tokens, [*outcome.tokens]
        for number, seed in enumerate(SEEDS):
            # Each way has an equal part of the time; so has the last run.
            share = SHARE / (len(SEEDS) + 1 - number)
            names = (f"anneal-way-{seed}", f"settle-way-{seed}")
            family += self._anneal(outcome, Shake(names, few, begin, LATE_SWEEPS, share, seed))
        joint = instance.restricted(family)
        names = ("anneal-joint", "settle-joint")
        self._anneal(outcome, Shake(names, joint, outcome.tokens, JOINT_SWEEPS, SHARE))
        if not self._is_over(outcome):
            self._take(outcome, self._search("settle-all", instance, len(begin), outcome.tokens))

    def _anneal(self, outcome: Outcome, shake: Shake) -> list[bytes]:
        """Anneal, and search from where that leads; return what is found, be it better or not."""
        if self._is_over(outcome):
            return []
        budget = len(shake.start)

        def compute() -> dict[str, Any]:
            tokens, cost, seconds, stopped, error = shake.instance.anneal(
                budget=budget,
                start=shake.start,
                threads=self.threads,
                sweeps=shake.sweeps,
                seed=shake.seed,
                seconds=self._share(shake.share),
                callback=self.callback,
            )
            return {
                "tokens": tokens,
                "cost": cost,
                "seconds": seconds,
                "stopped": stopped,
                "error": error,
            }

        name, settle = shake.phases
        done = self.checkpoint.phase(name, compute)
        outcome.rounds.append(
            Round(
                "anneal",
                cost=done["cost"],
                seconds=round(done["seconds"], 3),
                members=len(done["tokens"]),
            )
        )
        self._note_stop(outcome, done)
        if done["error"] is not None:
            return []
        found = self._search(settle, shake.instance, budget, done["tokens"])
        self._take(outcome, found)
        tokens: list[bytes] = found["tokens"]
        return tokens

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

    def _take(self, outcome: Outcome, found: dict[str, Any]) -> None:
        outcome.rounds += [
            Round(phase, cost=cost, seconds=round(seconds, 3), members=members, swaps=swaps)
            for phase, members, swaps, cost, seconds in found["rounds"]
        ]
        self._note_stop(outcome, found)
        if found["cost"] <= outcome.cost:
            outcome.tokens, outcome.cost = found["tokens"], found["cost"]

    def _raise(
        self, instance: _core.TrainingInstance, budget: int, members: list[bytes]
    ) -> dict[str, Any]:
        ascent = Ascent(
            table=self.table,
            choice=self.choice,
            threads=self.threads,
            memory_limit=self.memory_limit,
            checkpoint=self.checkpoint,
            callback=self.callback,
            share=self._share,
        )
        return ascent.raised(instance, budget, members)

    @staticmethod
    def _note_stop(outcome: Outcome, result: dict[str, Any]) -> None:
        outcome.stopped |= bool(result["stopped"])
        outcome.error = outcome.error or result.get("error")

    def _is_over(self, outcome: Outcome) -> bool:
        """Whether nothing more is to be begun.

        A phase that used up its share of the time leaves the others theirs.
        """
        return outcome.error is not None or self._left() == 0.0

    def _left(self) -> float | None:
        return None if self.until is None else max(0.0, self.until - time.monotonic())

    def _share(self, share: float) -> float | None:
        left = self._left()
        return None if left is None else share * left
