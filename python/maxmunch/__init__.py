"""Exact, certified, fast tokenization: encode, train, certify.

Encode with any supported `tokenizer.json` and get the ids of `tokenizers`; train vocabularies for
greedy longest-match encoding; certify where text may be cut, with proof or counter-example.
"""

from __future__ import annotations

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
    "CertificateError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidTokenSetError",
    "InvalidTokenizerError",
    "LimitError",
    "MaxmunchError",
    "TrainingError",
    "UnsupportedTokenizerError",
    "UntokenizableError",
    "__version__",
]
