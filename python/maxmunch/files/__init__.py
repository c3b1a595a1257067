"""From files of text to shards of ids that survive an interruption.

Encode flow, above the corpus readers; it never imports what trains or certifies.
"""

from __future__ import annotations

from maxmunch.files.batches import FileOptions
from maxmunch.files.manifest import Manifest, Shard
from maxmunch.files.run import encode_documents, encode_files

__all__ = ["FileOptions", "Manifest", "Shard", "encode_documents", "encode_files"]
