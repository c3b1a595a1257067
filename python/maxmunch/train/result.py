"""What training gives: a vocabulary, its exact cost, and what is proven about it."""

from __future__ import annotations

import functools
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.corpus.counts import write_whole
from maxmunch.errors import TrainingError
from maxmunch.export import greedy_tokenizer_json, spelled
from maxmunch.tokenizer import Tokenizer
from maxmunch.train.page import write_page

if TYPE_CHECKING:
    import os

    from maxmunch.certify import Delimiter
    from maxmunch.train.certificate import Bound, Certificate

__all__ = ["Round", "TrainingResult"]


@dataclass(frozen=True)
class Round:
    """One step of training; what a step does not have is 0.

    Attributes:
        phase: What was done.
        cost: Exact cost after it, in tokens.
        seconds: Seconds since the phase's run began.
        members: Tokens of more than one byte in the vocabulary after it.
        swaps: Swaps made.
        variables: Columns of the program.
        rows: Rows of the program.
        nonzeros: Nonzeros of the program.
        fallback_mass: Share of the pretokens' mass on the fallback.
        objective: Objective of the program; not a token count.
        peak_bytes: Largest memory of the process so far.
    """

    phase: str
    cost: int = 0
    seconds: float = 0.0
    members: int = 0
    swaps: int = 0
    variables: int = 0
    rows: int = 0
    nonzeros: int = 0
    fallback_mass: float = 0.0
    objective: float = 0.0
    peak_bytes: int = 0


@dataclass(frozen=True)
class TrainingResult:
    """A trained vocabulary.

    Attributes:
        vocabulary: Token bytes in the order of their ids: the 256 bytes, the chosen tokens by
            decreasing use, the special tokens.
        special_tokens: Contents of the special tokens, whose ids come last.
        pattern: The regular expression that cuts text into pretokens.
        cost: Tokens that greedy encoding gives on the training scope, recounted exactly.
        pretokens: Pretokens of the training scope, repeats included: no vocabulary costs less.
        scope: What `cost` counts.
        bound: None, or a proven lower bound and what it bounds.
        certificate: None, or what `check_bound` needs to check it.
        gap: None, or `cost / bound - 1` on the scope of the bound.
        rounds: What each step of training did.
        interrupted: Ctrl-C stopped the training early; the vocabulary is the best one so far.
        out_of_time: `time_limit` stopped the training early.
        options: The options of the run, as recorded in report.json.
    """

    vocabulary: list[bytes]
    special_tokens: list[str]
    pattern: str
    cost: int
    pretokens: int
    scope: str
    bound: Bound | None = None
    certificate: Certificate | None = None
    gap: float | None = None
    rounds: list[Round] = field(default_factory=list)
    interrupted: bool = False
    out_of_time: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        proven = "" if self.gap is None else f", within {100 * self.gap:.3f} % of the best possible"
        return f"TrainingResult({len(self.vocabulary):,} tokens, cost {self.cost:,}{proven})"

    @property
    def model_tokens(self) -> list[bytes]:
        """The vocabulary without the special tokens."""
        return self.vocabulary[: len(self.vocabulary) - len(self.special_tokens)]

    @functools.cached_property
    def tokenizer(self) -> Tokenizer:
        """The greedy tokenizer of this vocabulary."""
        return Tokenizer.from_str(self.to_json())

    def to_json(self) -> str:
        """Return the tokenizer.json that `tokenizers` and `transformers` run unchanged."""
        content = greedy_tokenizer_json(
            self.model_tokens, pattern=self.pattern, special_tokens=self.special_tokens
        )
        return json.dumps(content, ensure_ascii=False, indent=1)

    def delimiters(self) -> dict[bytes, Delimiter]:
        """Return, for each `splittable` byte, whether text may be cut before and after it.

        Decided by `TokenSet.delimiter` on the vocabulary alone, so it holds with or without the
        pattern; a "no" comes with a text that shows it.
        """
        from maxmunch.certify import TokenSet

        rules = self.options.get("rules", {})
        tokens = TokenSet.literal(self.model_tokens)
        split: str = rules.get("splittable", "")
        return {byte: tokens.delimiter(byte) for byte in map(_byte, split)}

    def summary(self) -> dict[str, Any]:
        """Return what report.json holds: options, cost, bound, rounds; no tokens."""
        return {
            "vocab_size": len(self.vocabulary),
            "special_tokens": self.special_tokens,
            "pattern": self.pattern,
            "scope": self.scope,
            "pretokens": self.pretokens,
            "cost": self.cost,
            "tokens_per_pretoken": self.cost / self.pretokens if self.pretokens else None,
            "bound": None if self.bound is None else asdict(self.bound),
            "gap": self.gap,
            "interrupted": self.interrupted,
            "out_of_time": self.out_of_time,
            "options": self.options,
            "rounds": [asdict(step) for step in self.rounds],
        }

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write `tokenizer.json`, `report.json` and, with the report extra, `report.html`.

        The tokenizer is loaded back and must give the trained vocabulary before anything is
        replaced.

        Raises:
            OSError: A file cannot be written; complete files stay as they were.
        """
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        text = self.to_json()
        self._check_export(text)
        write_whole(folder / "tokenizer.json", [text.encode()])
        report = json.dumps(self.summary(), indent=1).encode()
        write_whole(folder / "report.json", [report])
        if self.certificate is not None:
            self.certificate.save(folder / "certificate.mmb")
        write_page(self, folder / "report.html")

    def _check_export(self, text: str) -> None:
        vocabulary = json.loads(text)["model"]["vocab"]
        if [*vocabulary] != [spelled(token) for token in self.model_tokens]:
            raise TrainingError(
                "the exported vocabulary is not the trained one; nothing was written"
            )


def _byte(character: str) -> bytes:
    return character.encode("latin-1")
