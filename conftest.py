"""Every example in the README, the documentation and the docstrings runs under pytest."""

from __future__ import annotations

from doctest import ELLIPSIS, NORMALIZE_WHITESPACE

from sybil import Sybil
from sybil.parsers.myst import DocTestDirectiveParser, PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE

pages = Sybil(
    parsers=[
        SkipParser(),
        PythonCodeBlockParser(doctest_optionflags=FLAGS),
        DocTestDirectiveParser(optionflags=FLAGS),
    ],
    patterns=["README.md", "docs/**/*.md"],
)
docstrings = Sybil(parsers=[DocTestParser(optionflags=FLAGS)], patterns=["python/maxmunch/**/*.py"])

pytest_collect_file = (pages + docstrings).pytest()
