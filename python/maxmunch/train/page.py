"""The report page of a training run: what was asked, what came out, what is proven about it."""

from __future__ import annotations

import importlib.util
from collections import Counter
from typing import TYPE_CHECKING

from maxmunch.report import Chart, Page, Section, Table, render

if TYPE_CHECKING:
    from pathlib import Path

    from maxmunch.train.result import TrainingResult

__all__ = ["training_page", "write_page"]

LONGEST_SHOWN = 24
SAMPLE = 40


def write_page(result: TrainingResult, path: Path) -> bool:
    """Write the page, if the report extra is installed; say whether it was written."""
    if any(importlib.util.find_spec(name) is None for name in ("jinja2", "matplotlib")):
        return False
    path.write_text(render(training_page(result)), encoding="utf-8")
    return True


def training_page(result: TrainingResult) -> Page:
    """Return the page that tells how a vocabulary was trained."""
    per_pretoken = result.cost / result.pretokens if result.pretokens else 0.0
    figures = [
        (f"{len(result.vocabulary):,}", "tokens in the vocabulary"),
        (f"{result.cost:,}", "tokens on the training scope"),
        (f"{per_pretoken:.3f}", "tokens per pretoken"),
    ]
    if result.gap is not None:
        figures.append((f"{100 * result.gap:.3f} %", "above the proven lower bound, at most"))
    return Page(
        title="A vocabulary for greedy longest match",
        subtitle=f"Trained on {result.scope}.",
        figures=figures,
        sections=[_bound(result), _rounds(result), _tokens(result), _options(result)],
        footer="The figures behind this page: report.json. The tokenizer: tokenizer.json.",
    )


def _bound(result: TrainingResult) -> Section:
    if result.bound is None:
        said = "No lower bound was asked for; train with certify=True to have one proven."
        return Section("How good can it be?", [said])
    return Section(
        "How good can it be?",
        [
            f"No vocabulary in its scope needs fewer than {result.bound.value:,} tokens.",
            f"The scope: {result.bound.scope}.",
        ],
    )


def _rounds(result: TrainingResult) -> Section:
    rows = [
        [step.phase, step.cost or None, step.members or None, step.swaps or None, step.seconds]
        for step in result.rounds
    ]
    sentences = []
    if result.interrupted:
        sentences.append("The run was interrupted; this is the best vocabulary it had.")
    if result.out_of_time:
        sentences.append("The time limit ended the run; this is the best vocabulary it had.")
    headers = ["phase", "cost", "tokens of two bytes or more", "swaps", "seconds"]
    return Section("What was done", sentences, [Table(headers, rows)])


def _tokens(result: TrainingResult) -> Section:
    from maxmunch.report.charts import lines

    of_length = Counter(len(token) for token in result.vocabulary)
    lengths = list(range(1, LONGEST_SHOWN + 1))
    chosen = [token for token in result.model_tokens if len(token) > 1][:SAMPLE]
    return Section(
        "The tokens",
        [f"The {len(chosen)} most used: " + "  ".join(_shown(token) for token in chosen)],
        [
            Chart(
                lines(
                    {"tokens": [of_length.get(length, 0) for length in lengths]},
                    x=lengths,
                    x_unit="bytes of a token",
                    y_unit="tokens in the vocabulary",
                ),
                f"How long the tokens are, up to {LONGEST_SHOWN} bytes.",
            )
        ],
    )


def _shown(token: bytes) -> str:
    return token.decode("utf-8", "backslashreplace").replace(" ", "␣").replace("\n", "⏎")


def _options(result: TrainingResult) -> Section:
    rows = [[name, str(value)] for name, value in result.options.items()]
    return Section("Options", [f"Pattern: {result.pattern}"], [Table(["option", "value"], rows)])
