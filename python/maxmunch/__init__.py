"""Exact, certified, fast tokenization: encode, train, certify.

Encode with any supported `tokenizer.json` and get the ids of `tokenizers`; train vocabularies for
greedy longest-match encoding; certify where text may be cut, with proof or counter-example.
"""

from __future__ import annotations

from maxmunch import baselines
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
from maxmunch.corpus import PretokenCounts, count_pretokens
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
from maxmunch.evaluate import Evaluation, evaluate
from maxmunch.train import Bound, TrainingResult, train

__version__ = "0.1.0"

__all__ = [
    "BEFORE",
    "BlockSupply",
    "Bound",
    "CertificateError",
    "Certified",
    "Counts",
    "Delimiter",
    "Evaluation",
    "InternalError",
    "InvalidArgumentError",
    "InvalidTokenSetError",
    "InvalidTokenizerError",
    "Inventory",
    "LimitError",
    "MaxmunchError",
    "Plan",
    "PretokenCounts",
    "Pump",
    "Refuted",
    "Scan",
    "Span",
    "Supply",
    "TokenSet",
    "TrainingError",
    "TrainingResult",
    "Undecided",
    "UnsupportedTokenizerError",
    "UntokenizableError",
    "Vacuous",
    "Verdict",
    "Witness",
    "__version__",
    "baselines",
    "count_pretokens",
    "evaluate",
    "parallel_scan",
    "supply",
    "train",
]
