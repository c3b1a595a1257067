"""The direction of dependencies, as CONTRIBUTING.md draws it, held against the source."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RUST = ROOT / "crates" / "maxmunch" / "src"
PYTHON = ROOT / "python" / "maxmunch"

# What each top-level module of the core may import from the others.
RUST_MAY_IMPORT = {
    "units": set(),
    "random": set(),
    "error": {"units"},
    "monitor": {"units", "error"},
    "machine": {"units", "error", "monitor"},
    "scan": {"units", "error", "monitor", "machine"},
    "certify": {"units", "error", "monitor", "machine", "scan"},
    "encode": {"units", "random", "error", "monitor", "machine", "scan"},
    "parallel": {"units", "error", "monitor", "machine", "scan", "certify", "encode"},
    "train": {"units", "random", "error", "monitor", "machine", "scan", "encode"},
}

# Layers of the Python package: a module may import only from lower layers, or its own name.
PYTHON_LAYERS = [
    {"errors"},
    {"_core"},
    {"delegates", "hub", "options", "progress", "representation"},
    {"added_token", "arguments", "encoding", "implementations", "tools"},
    {"components", "strings", "trainers"},
    {"composite", "state"},
    {"models", "normalizers", "pre_tokenizers", "processors", "decoders"},
    {"certify", "corpus", "export", "lp", "report"},
    {"files", "loaders", "rwkv", "vocabulary"},
    {"cuts", "explanation", "ids", "limits", "loading", "parts", "streams"},
    {"tokenizer"},
    {"words"},
    {"baselines", "evaluate", "train"},
    {"bench", "comparison", "tour"},
    {"cli"},
    {"__main__"},
]


def rust_modules() -> list[Path]:
    return sorted(p for p in RUST.rglob("*.rs") if p.name != "lib.rs")


@pytest.mark.parametrize("path", rust_modules(), ids=lambda p: str(p.relative_to(RUST)))
def test_a_core_module_imports_only_what_its_flow_may(path: Path) -> None:
    own = path.relative_to(RUST).parts[0].removesuffix(".rs")
    text = path.read_text().split("#[cfg(test)]")[0]
    used = set(re.findall(r"crate::(?:\{)?(\w+)", text))
    for group in re.findall(r"use crate::\{(.*?)\};", text, re.DOTALL):
        used |= set(re.findall(r"(?:^|,)\s*(\w+)", group))

    known = used & set(RUST_MAY_IMPORT)

    assert known <= RUST_MAY_IMPORT[own] | {own}


@pytest.mark.parametrize("name", ["check.rs", "check_sums.rs"])
def test_the_checker_of_bounds_shares_no_code_with_the_search(name: str) -> None:
    text = (RUST / "train" / name).read_text()

    # Counts, rules and parts are what it is given; what a token must satisfy it spells out itself.
    used = set(re.findall(r"(?:super|train)::(\w+)", text))
    assert used <= {"check", "check_sums", "multipliers", "parts", "pretokens", "rules"}
    assert ".admits(" not in text
    assert set(re.findall(r"crate::(\w+)", text)) <= {"error"}


def layer_of(name: str) -> int:
    for index, names in enumerate(PYTHON_LAYERS):
        if name in names:
            return index
    pytest.fail(f"{name} has no layer: add it to PYTHON_LAYERS and to CONTRIBUTING.md")


def python_modules() -> list[Path]:
    return sorted(p for p in PYTHON.rglob("*.py") if p != PYTHON / "__init__.py")


@pytest.mark.parametrize("path", python_modules(), ids=lambda p: str(p.relative_to(PYTHON)))
def test_a_python_module_imports_only_from_lower_layers(path: Path) -> None:
    own = path.relative_to(PYTHON).parts[0].removesuffix(".py")
    used = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "maxmunch":
            used |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("maxmunch."):
            used.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            used |= {n[1] for n in names if n[0] == "maxmunch" and len(n) > 1}
    used -= {own, "__version__"}

    too_high = {name for name in used if layer_of(name) >= layer_of(own)}

    assert set() == too_high


def test_the_binding_is_a_tenth_of_the_core_or_less() -> None:
    def lines(root: Path) -> int:
        return sum(
            1
            for path in root.rglob("*.rs")
            for line in path.read_text().splitlines()
            if line.strip() and not line.strip().startswith("//")
        )

    binding = lines(ROOT / "crates" / "maxmunch-python" / "src")
    core = lines(RUST)
    if core < 5000:
        pytest.skip("the core is too young for the ratio to mean anything")

    assert binding <= core * 0.2
