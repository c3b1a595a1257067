"""Ours and its rivals on a user's own files: fresh processes in turns, ids compared.

Every cell is a new process that loads the tokenizer and encodes the text once, so that no engine
profits from the caches of another round. Speeds count only where the ids are those of the
reference, which is `tokenizers` (and `pyrwkv-tokenizer` for RWKV's vocabulary files). Engines come
with the `bench` extra; one that is not installed, or that cannot load the file, shows a dash.
"""

from __future__ import annotations

from maxmunch.bench.engines import ENGINES, OURS
from maxmunch.bench.matrix import Bench, Row
from maxmunch.bench.measures import MEASURES

__all__ = ["ENGINES", "MEASURES", "OURS", "Bench", "Row"]
