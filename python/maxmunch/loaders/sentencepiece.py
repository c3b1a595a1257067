"""The document of a SentencePiece model: BPE or Unigram.

What the form of tokenizer.json cannot say exactly stands in members named `sentencepiece`, which
maxmunch follows and other readers pass over: they run the plain parts beside it, which give the
same ids except in the cases that docs/differences.md lists.
"""

from __future__ import annotations

import base64
from typing import Any

from maxmunch.errors import UnsupportedTokenizerError
from maxmunch.loaders.byte_pairs import merges_of
from maxmunch.loaders.ranks import added_entries, bpe_model
from maxmunch.loaders.sentencepiece_model import Kind, SentencePieceModel, read_model
from maxmunch.loaders.ties import check_ties

__all__ = [
    "sentencepiece_decoder",
    "sentencepiece_document",
    "sentencepiece_normalizer",
    "spm_document",
    "unigram_model",
]

_MARK = "▁"
_UNKNOWN_PENALTY = 10.0
_NOT_TEXT = (Kind.CONTROL, Kind.UNKNOWN, Kind.UNUSED, Kind.BYTE)


def sentencepiece_document(data: bytes) -> dict[str, Any]:
    """Return the document of a `.model` file.

    Raises:
        InvalidTokenizerError: The file is damaged; `.json_path` is the piece or the byte.
        UnsupportedTokenizerError: It has no form that gives the same ids.
    """
    return spm_document(read_model(data))


def spm_document(model: SentencePieceModel) -> dict[str, Any]:
    """Return the document of a model that was read."""
    special = {p.text: i for i, p in model.of_kind(Kind.CONTROL)}
    user_defined = {p.text: i for i, p in model.of_kind(Kind.USER_DEFINED)}
    is_bpe = model.type == "bpe"
    entries = added_entries(special, special=True)
    if is_bpe:
        entries += added_entries(user_defined)
    first = {"type": "Metaspace", "replacement": _MARK, "prepend_scheme": "first", "split": False}
    prepends_later = is_bpe and bool(user_defined) and model.add_dummy_prefix
    prepends_later &= not model.treat_whitespace_as_suffix and model.escape_whitespaces
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": sorted(entries, key=lambda entry: entry["id"]),
        "normalizer": sentencepiece_normalizer(
            model, list(user_defined), prepends_later=prepends_later
        ),
        # Gaps between user-defined pieces take no mark, for readers that cut there.
        "pre_tokenizer": first if prepends_later else None,
        "post_processor": None,
        "decoder": sentencepiece_decoder(model),
        "model": _bpe(model) if is_bpe else unigram_model(model, _NOT_TEXT),
    }


def sentencepiece_normalizer(
    model: SentencePieceModel, user_defined: list[str], *, prepends_later: bool
) -> dict[str, Any]:
    """Return the normalizer: character map, spaces, the added mark.

    Args:
        model: What the file says.
        user_defined: Pieces that stay as they are.
        prepends_later: Whether the pre-tokenizer adds the mark.
    """
    parts: list[dict[str, Any]] = []
    charsmap = base64.b64encode(model.precompiled_charsmap).decode()
    if charsmap:
        parts.append({"type": "Precompiled", "precompiled_charsmap": charsmap})
    mark = _MARK if model.escape_whitespaces else " "
    if model.remove_extra_whitespaces:
        # Where gaps are cut at user-defined pieces, their ends are not those of the text.
        ends = [] if prepends_later else [_replace({"Regex": r"\A +| +\z"}, "")]
        parts += [*ends, _replace({"Regex": " {2,}"}, " ")]
    if model.add_dummy_prefix and not prepends_later:
        if model.treat_whitespace_as_suffix:
            parts.append(_replace({"Regex": r"(?<=[\s\S])\z"}, mark))
        else:
            parts.append({"type": "Prepend", "prepend": mark})
    if mark != " ":
        parts.append(_replace({"String": " "}, mark))
    document: dict[str, Any] = {"type": "Sequence", "normalizers": parts}
    is_plain = not (charsmap or user_defined or model.remove_extra_whitespaces)
    if is_plain and not model.treat_whitespace_as_suffix:
        return document
    exact = {
        "precompiled_charsmap": charsmap or None,
        "user_defined": user_defined or None,
        "add_dummy_prefix": model.add_dummy_prefix,
        "remove_extra_whitespaces": model.remove_extra_whitespaces,
        "escape_whitespaces": model.escape_whitespaces,
        "treat_whitespace_as_suffix": model.treat_whitespace_as_suffix,
    }
    return document | {"sentencepiece": exact}


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def sentencepiece_decoder(model: SentencePieceModel) -> dict[str, Any]:
    """Return the decoder: marks to spaces, bytes to text, and the added mark taken off."""
    parts: list[dict[str, Any]] = [
        _replace({"String": model.pieces[model.unknown_id].text}, model.unk_surface),
        _replace({"String": _MARK}, " "),
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    if model.add_dummy_prefix and not model.treat_whitespace_as_suffix:
        parts.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": parts}


def _bpe(model: SentencePieceModel) -> dict[str, Any]:
    ranks = {p.text: -p.score for _, p in model.of_kind(Kind.NORMAL, Kind.UNUSED)}
    normal = [p for _, p in model.of_kind(Kind.NORMAL) if len(p.text) > 1]
    # Of equal scores the longest first: see `ties`.
    normal.sort(key=lambda piece: (-piece.score, -len(piece.text)))
    for left, right in merges_of([p.text for _, p in model.of_kind(Kind.UNUSED)], ranks):
        raise UnsupportedTokenizerError(
            f"pieces: {left + right!r} is made by merging and then undone, being UNUSED, which "
            "tokenizer.json cannot say",
            "pieces",
        )
    merges = merges_of([p.text for p in normal], ranks)
    check_ties(merges, ranks)
    document = bpe_model(
        {piece.text: i for i, piece in enumerate(model.pieces)},
        merges,
        unk_token=model.pieces[model.unknown_id].text,
        fuse_unk=True,
        byte_fallback=model.byte_fallback,
    )
    user_defined = [piece.text for _, piece in model.of_kind(Kind.USER_DEFINED)]
    return document | ({"sentencepiece": {"user_defined": user_defined}} if user_defined else {})


def unigram_model(model: SentencePieceModel, not_text: tuple[Kind, ...]) -> dict[str, Any]:
    """Return a Unigram model in which pieces of the kinds `not_text` stand for no text."""
    normal = [piece.score for _, piece in model.of_kind(Kind.NORMAL)]
    return {
        "type": "Unigram",
        "unk_id": model.unknown_id,
        "vocab": [[piece.text, piece.score] for piece in model.pieces],
        "byte_fallback": model.byte_fallback,
        "sentencepiece": {
            "not_text": [i for i, _ in model.of_kind(*not_text)],
            "unk_score": min(normal, default=0.0) - _UNKNOWN_PENALTY,
        },
    }
