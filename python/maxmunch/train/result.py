"""What training gives: a vocabulary, its exact cost, and what is proven about it."""

from __future__ import annotations

import functools
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.corpus.count import count_pretokens
from maxmunch.corpus.counts import write_whole
from maxmunch.errors import TrainingError
from maxmunch.export import (
    greedy_tokenizer_json,
    plain_vocabulary,
    ranks,
    spelled,
    transformers_config,
)
from maxmunch.tokenizer import Tokenizer
from maxmunch.train.page import write_page

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from maxmunch.certify import Delimiter
    from maxmunch.train.certificate import Bound, Certificate

__all__ = ["Round", "TrainingResult", "check_export"]

# What an exported file is tried on: its last tokens, the rarest, and text that is hard to cut.
SAMPLE = 2000
HOSTILE = (
    "It's  1984,\r\n\n\tisn't it?   \U0001f600\U0001f600 e\u0301\u0301 東京 "
    + "a" * 200
    + "!" * 100
)


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
        peak_bytes: Largest memory of the process so far, and of the solver's beside it.
        solver: Solver whose solution was taken; empty when none was asked.
        tolerance: Relative tolerance that it was given; 0 for its own.
        row_error: Largest amount by which its solution misses a row of the program.
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
    solver: str = ""
    tolerance: float = 0.0
    row_error: float = 0.0


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
        """Write the tokenizer, its vocabulary in plain forms, and the report.

        `tokenizer.json` and `tokenizer_config.json` are what `tokenizers` and `transformers` load;
        `vocabulary.jsonl` lists the tokens, `greedy.ranks` serves decoders that take the longest
        match; `report.json` and, with the report extra, `report.html` say how it was trained;
        `certificate.mmb` is there when a bound was proven.

        Raises:
            TrainingError: The file that was written does not give the ids of the vocabulary.
            OSError: A file cannot be written; complete files stay as they were.
        """
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        text = self.to_json()
        check_export(text, self.model_tokens, self.pattern)
        write_whole(folder / "tokenizer.json", [text.encode()])
        written = (folder / "tokenizer.json").read_text("utf-8")
        check_export(written, self.model_tokens, self.pattern)
        config = transformers_config(self.special_tokens)
        write_whole(folder / "tokenizer_config.json", [json.dumps(config, indent=1).encode()])
        listed = plain_vocabulary(self.model_tokens, self.special_tokens)
        write_whole(folder / "vocabulary.jsonl", [listed.encode()])
        write_whole(folder / "greedy.ranks", [ranks(self.model_tokens)])
        report = json.dumps(self.summary(), indent=1).encode()
        write_whole(folder / "report.json", [report])
        if self.certificate is not None:
            self.certificate.save(folder / "certificate.mmb")
        write_page(self, folder / "report.html")


def _byte(character: str) -> bytes:
    return character.encode("latin-1")


def check_export(text: str, tokens: Sequence[bytes], pattern: str) -> None:
    """Load a tokenizer.json, encode text made of its tokens, compare with a plain longest match.

    Raises:
        TrainingError: A token, an id or a decoded text differs.
    """
    if [*json.loads(text)["model"]["vocab"]] != [spelled(token) for token in tokens]:
        raise TrainingError("the exported vocabulary is not the trained one; nothing was written")
    tokenizer = Tokenizer.from_str(text)
    ids = {token: number for number, token in enumerate(tokens)}
    longest = max(map(len, tokens))
    sample = [token.decode("utf-8", "ignore") for token in tokens[-SAMPLE:]]
    for line in ("".join(sample), " ".join(sample), HOSTILE):
        expected: Counter[int] = Counter()
        for pretoken, times in count_pretokens([line], pattern=pattern, progress=False):
            for number in _longest_match(pretoken, ids, longest):
                expected[number] += times
        found = tokenizer.encode_ids(line, add_special_tokens=False, specials="text").tolist()
        if Counter(found) != expected or tokenizer.decode(found, skip_special_tokens=False) != line:
            message = f"the exported file gives other ids than the vocabulary on {line[:40]!r}"
            raise TrainingError(message)


def _longest_match(piece: bytes, ids: dict[bytes, int], longest: int) -> Iterator[int]:
    start = 0
    while start < len(piece):
        end = min(len(piece), start + longest)
        while piece[start:end] not in ids:
            end -= 1
        yield ids[piece[start:end]]
        start = end
