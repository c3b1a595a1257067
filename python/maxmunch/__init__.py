"""Exact, certified, fast tokenization: encode, train, certify.

Encode with any supported `tokenizer.json` and get the ids of `tokenizers`; train vocabularies for
greedy longest-match encoding; certify where text may be cut, with proof or counter-example.
"""

from __future__ import annotations

from maxmunch.certify import (
    BEFORE,
    BlockSupply,
    Certified,
    Counts,
    Delimiter,
    Inventory,
    Plan,
    Pump,
    Refuted,
    Scan,
    Span,
    Supply,
    TokenSet,
    Undecided,
    Vacuous,
    Verdict,
    Witness,
    parallel_scan,
    supply,
)
from maxmunch.errors import (
    CertificateError,
    InternalError,
    InvalidArgumentError,
    InvalidTokenizerError,
    InvalidTokenSetError,
    LimitError,
    MaxmunchError,
    TrainingError,
    UnsupportedTokenizerError,
    UntokenizableError,
)

__version__ = "0.1.0"

__all__ = [
    "BEFORE",
    "BlockSupply",
    "CertificateError",
    "Certified",
    "Counts",
    "Delimiter",
    "InternalError",
    "InvalidArgumentError",
    "InvalidTokenSetError",
    "InvalidTokenizerError",
    "Inventory",
    "LimitError",
    "MaxmunchError",
    "Plan",
    "Pump",
    "Refuted",
    "Scan",
    "Span",
    "Supply",
    "TokenSet",
    "TrainingError",
    "Undecided",
    "UnsupportedTokenizerError",
    "UntokenizableError",
    "Vacuous",
    "Verdict",
    "Witness",
    "__version__",
    "parallel_scan",
    "supply",
]
