"""How the documentation is built: MyST pages, the API from its docstrings, no network."""

from __future__ import annotations

import maxmunch

project = "maxmunch"
author = "the maxmunch developers"
copyright = "the maxmunch developers"  # noqa: A001 - Sphinx's name for it
release = maxmunch.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "maxmunch"
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# Without the network no foreign inventory can be fetched, so foreign names are not resolved.
nitpick_ignore_regex = [
    (r"py:.*", r"(np|numpy|collections|pathlib|typing|os|Path|Iterable|Sequence|Mapping).*"),
    (r"py:.*", r"(ValueError|Exception|KeyError|TypeError|KeyboardInterrupt)"),
]
