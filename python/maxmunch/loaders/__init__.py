"""Vocabularies of other libraries, as the documents of `tokenizer.json` that give the same ids.

One module a format; each reads a file's bytes and returns a document, which the one builder in the
core then loads. Readers check every length before they use it: a damaged or hostile file gives an
`InvalidTokenizerError` with the place, what has no form in `tokenizer.json` an
`UnsupportedTokenizerError` with the reason.
"""

from __future__ import annotations

from maxmunch.loaders.gguf import gguf_document
from maxmunch.loaders.sentencepiece import sentencepiece_document
from maxmunch.loaders.tekken import tekken_document
from maxmunch.loaders.tiktoken import checked_specials, tiktoken_document

__all__ = [
    "checked_specials",
    "gguf_document",
    "sentencepiece_document",
    "tekken_document",
    "tiktoken_document",
]
