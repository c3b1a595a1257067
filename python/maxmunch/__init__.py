"""Exact, certified, fast tokenization: encode, train, certify.

Encode with any supported `tokenizer.json` and get the ids of `tokenizers`; train vocabularies for
greedy longest-match encoding; certify where text may be cut, with proof or counter-example.
"""

from __future__ import annotations

from typing import Any

from maxmunch import (
    baselines,
    decoders,
    implementations,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    tools,
    trainers,
)
from maxmunch.added_token import AddedToken
from maxmunch.arguments import (
    EncodeInput,
    InputSequence,
    Offsets,
    PreTokenizedEncodeInput,
    PreTokenizedInputSequence,
    TextEncodeInput,
    TextInputSequence,
)
from maxmunch.certify import (
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
    audit,
    edit_trials,
    parallel_scan,
    supply,
)
from maxmunch.corpus import PretokenCounts, count_pretokens
from maxmunch.encoding import Encoding, RaggedIds
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
from maxmunch.files import Manifest, Shard
from maxmunch.options import OffsetReferential, OffsetType, Regex, SplitDelimiterBehavior
from maxmunch.streams import StreamDecoder, StreamEncoder
from maxmunch.strings import NormalizedString, PreTokenizedString, Token
from maxmunch.tokenizer import Tokenizer
from maxmunch.train import (
    Bound,
    Certificate,
    SplittingCost,
    TrainingResult,
    check_bound,
    splitting_cost,
    train,
)
from maxmunch.vocabulary import Vocabulary

__version__ = "0.1.0"

__all__ = [
    "AddedToken",
    "Audit",
    "BEFORE",
    "BlockSupply",
    "Bound",
    "Certificate",
    "CertificateError",
    "Certified",
    "Counts",
    "Delimiter",
    "Disagreement",
    "EditBounds",
    "EditMeasures",
    "EditTrials",
    "EncodeInput",
    "Encoding",
    "Evaluation",
    "InputSequence",
    "InternalError",
    "InvalidArgumentError",
    "InvalidTokenSetError",
    "InvalidTokenizerError",
    "Inventory",
    "LimitError",
    "Manifest",
    "MaxmunchError",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "Plan",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "PretokenCounts",
    "Pump",
    "RaggedIds",
    "Refuted",
    "Regex",
    "Scan",
    "Shard",
    "Span",
    "SplitDelimiterBehavior",
    "SplittingCost",
    "StreamDecoder",
    "StreamEncoder",
    "Supply",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "TokenSet",
    "Tokenizer",
    "TrainingError",
    "TrainingResult",
    "Undecided",
    "UnsupportedTokenizerError",
    "UntokenizableError",
    "Vacuous",
    "Verdict",
    "Vocabulary",
    "Witness",
    "__version__",
    "audit",
    "baselines",
    "check_bound",
    "count_pretokens",
    "decoders",
    "edit_trials",
    "evaluate",
    "implementations",
    "models",
    "normalizers",
    "parallel_scan",
    "pre_tokenizers",
    "processors",
    "splitting_cost",
    "supply",
    "tools",
    "train",
    "trainers",
]

_READY_MADE = (
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
)


def __getattr__(name: str) -> Any:
    """Return a ready-made pipeline of the `tokenizers` package."""
    if name in _READY_MADE:
        return getattr(implementations, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
