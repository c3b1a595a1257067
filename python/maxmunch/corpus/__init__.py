"""From files, tables and iterables of text to pretoken counts: the only reader of files.

Train flow, first stage. It never imports what trains.
"""

from __future__ import annotations

from maxmunch.corpus.count import count_pretokens
from maxmunch.corpus.counts import PretokenCounts

__all__ = ["PretokenCounts", "count_pretokens"]
