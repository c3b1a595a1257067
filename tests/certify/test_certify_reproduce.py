"""The paper's figures and the scanner artifact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import maxmunch as mm
from maxmunch.certify import artifact, conservative, reproduce
from support import shared_bytes

if TYPE_CHECKING:
    from pathlib import Path


def test_the_small_examples_and_grammar_facts_are_the_same() -> None:
    figures = reproduce.reproduce()

    verdicts = {figure.name: figure.verdict for figure in figures}
    examples = [name for name in verdicts if name.startswith(("{", "UTF-8"))]
    assert 5 == len(examples)
    for name in [
        *examples,
        "blank newline: starts, conventional and split-friendly",
        "conventional against itself: differences",
        "campaign grammars with unbounded span",
        "grammars by supply, least first",
    ]:
        assert "same" == verdicts[name]
    assert all(figure.because for figure in figures if figure.verdict != "same")
    assert "missing: the path of twitter and gpt2" == figures[-1].because


def test_a_missing_input_is_a_failure_when_strict() -> None:
    with pytest.raises(mm.InvalidArgumentError, match="twitter"):
        reproduce.reproduce(strict=True)


def test_another_file_is_a_failure_when_strict(tmp_path: Path) -> None:
    path = tmp_path / "twitter.json"
    path.write_text("{}")

    with pytest.raises(mm.CertificateError, match="another one"):
        reproduce.reproduce(twitter=path, gpt2=path, strict=True)


@pytest.mark.slow
def test_the_subword_figures_that_are_exact_are_the_same(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    text, model = tmp_path / "twitter.json", tmp_path / "gpt2.json"
    text.write_bytes(shared_bytes("data/twitter.json.xz"))
    model.write_bytes(shared_bytes("data/tokenizers/gpt2.json.xz"))

    figures = reproduce.reproduce(twitter=text, gpt2=model, strict=True)

    same = {figure.name for figure in figures if figure.verdict == "same"}
    assert "held-out slices on which 48 and 384 merges disagree" in same
    assert "trained: newline before, after, span bounded" in same
    assert "external: newline before, after, span bounded" in same
    (recorded,) = [f.ours for f in figures if f.name == "trained vocabularies, fingerprints"]
    assert recorded.startswith("384 merges ")


def test_the_conservative_model_refuses_what_maximal_munch_settles() -> None:
    tokens = mm.TokenSet.literal(["a", "ab", "b"])

    assert frozenset({0}) == tokens.realised_origins("ab")
    assert {0, 1} == conservative.Conservative(tokens).origins(b"ab")


def test_the_scanner_artifact_compares_every_configuration() -> None:
    found = artifact.scanner_artifact(threads=(1, 2, 3), copies=(1,), repetitions=1)

    assert [1, 2, 3] == [run.threads for run in found.runs]
    assert [1, 2, 3] == [run.chunks for run in found.runs]
    assert all(run.identical for run in found.runs)
    assert {artifact.HALF_MEBIBYTE} == {run.bytes for run in found.runs}
    again = artifact.scanner_artifact(threads=(), copies=())
    assert (found.pin, found.sources) == (again.pin, again.sources)
    assert 64 == len(found.sources)
