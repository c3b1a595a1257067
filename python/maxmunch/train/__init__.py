"""From pretoken counts to a vocabulary for greedy longest-match encoding, and its tokenizer.json.

Train flow. It reads no corpus (`maxmunch.corpus` does) and knows no solver (`maxmunch.lp` does).
"""

from __future__ import annotations

from maxmunch.train.certificate import Bound, Certificate, check_bound
from maxmunch.train.result import Round, TrainingResult
from maxmunch.train.run import train
from maxmunch.train.splitting import SplittingCost, SplittingSide, splitting_cost

__all__ = [
    "Bound",
    "Certificate",
    "Round",
    "SplittingCost",
    "SplittingSide",
    "TrainingResult",
    "check_bound",
    "splitting_cost",
    "train",
]
