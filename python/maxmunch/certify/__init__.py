"""Certified splitting: where text may be cut, with a proof or a counter-example.

Maximal munch takes the longest token at each position, so that whether a position is a token start
may depend on text far away. A *certificate* is a window of bytes and an origin in it such that,
wherever the window occurs in any completely tokenizable text, the token over its last byte starts
at that origin. Cutting there changes no token. This package decides such questions about literal
vocabularies and about lexers given by regular expressions, and every answer carries evidence.

Imports `_core` and `errors` of maxmunch, nothing else of it.
"""

from __future__ import annotations

from maxmunch.certify.edits import edit_trials
from maxmunch.certify.inventory import Inventory
from maxmunch.certify.results import (
    BEFORE,
    Audit,
    BlockSupply,
    Certified,
    Counts,
    Delimiter,
    Disagreement,
    EditBounds,
    EditMeasures,
    EditTrials,
    Plan,
    Pump,
    Refuted,
    Scan,
    Span,
    Supply,
    Undecided,
    Vacuous,
    Verdict,
    Witness,
)
from maxmunch.certify.supply import supply
from maxmunch.certify.token_set import TokenSet, audit, parallel_scan

__all__ = [
    "BEFORE",
    "Audit",
    "BlockSupply",
    "Certified",
    "Counts",
    "Delimiter",
    "Disagreement",
    "EditBounds",
    "EditMeasures",
    "EditTrials",
    "Inventory",
    "Plan",
    "Pump",
    "Refuted",
    "Scan",
    "Span",
    "Supply",
    "TokenSet",
    "Undecided",
    "Vacuous",
    "Verdict",
    "Witness",
    "audit",
    "edit_trials",
    "parallel_scan",
    "supply",
]
