"""The document of the vocabulary in a GGUF file: what llama.cpp calls llama, gpt2, t5 and bert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.errors import InvalidTokenizerError, UnsupportedTokenizerError
from maxmunch.loaders.gguf_file import read_metadata
from maxmunch.loaders.gguf_patterns import IGNORES_MERGES, pre_tokenizer
from maxmunch.loaders.ranks import added_entries, bpe_model, byte_level
from maxmunch.loaders.sentencepiece import spm_document
from maxmunch.loaders.sentencepiece_model import Kind, Piece, SentencePieceModel, check_pieces

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["gguf_document", "vocabulary_document"]


def gguf_document(path: Path) -> dict[str, Any]:
    """Return the document of a file's vocabulary.

    Raises:
        OSError: The file cannot be read.
        InvalidTokenizerError: It is damaged; `.json_path` is the key or the byte.
        UnsupportedTokenizerError: Its model or pre-tokenizer is not known.
    """
    return vocabulary_document(read_metadata(path))


def vocabulary_document(members: dict[str, Any]) -> dict[str, Any]:
    """Return the document of the members of `tokenizer.ggml.`."""
    kind = members.get("model")
    build = {"llama": _llama, "gpt2": _gpt2, "t5": _t5, "bert": _bert}.get(str(kind))
    if build is None:
        raise UnsupportedTokenizerError(
            f"tokenizer.ggml.model: {kind!r} is not loaded; llama, gpt2, t5 and bert are",
            "tokenizer.ggml.model",
        )
    tokens = _list(members, "tokens", str)
    kinds = members.get("token_type") or [1] * len(tokens)
    if len(kinds) != len(tokens) or set(kinds) - set(Kind):
        path = "tokenizer.ggml.token_type"
        raise InvalidTokenizerError(f"{path}: should have a kind from 1 to 6 for each token", path)
    return build(members, tokens, [Kind(kind) for kind in kinds])


def _list(members: dict[str, Any], name: str, kind: type) -> list[Any]:
    found = members.get(name)
    if not isinstance(found, list) or not all(isinstance(item, kind) for item in found):
        path = f"tokenizer.ggml.{name}"
        raise InvalidTokenizerError(f"{path}: should be a list of {kind.__name__}", path)
    return found


def _model(members: dict[str, Any], tokens: list[str], kinds: list[Kind]) -> SentencePieceModel:
    scores = _list(members, "scores", float)
    if len(scores) != len(tokens):
        path = "tokenizer.ggml.scores"
        raise InvalidTokenizerError(f"{path}: should have a score for each token", path)
    pieces = [
        Piece(text, score, kind) for text, score, kind in zip(tokens, scores, kinds, strict=True)
    ]
    return SentencePieceModel(
        pieces=pieces,
        byte_fallback=Kind.BYTE in kinds,
        add_dummy_prefix=bool(members.get("add_space_prefix", True)),
        remove_extra_whitespaces=bool(members.get("remove_extra_whitespaces", False)),
        treat_whitespace_as_suffix=bool(members.get("treat_whitespace_as_suffix", False)),
        precompiled_charsmap=bytes(
            value & 0xFF for value in members.get("precompiled_charsmap") or []
        ),
    )


def _llama(members: dict[str, Any], tokens: list[str], kinds: list[Kind]) -> dict[str, Any]:
    model = _model(members, tokens, kinds)
    model.type = "bpe"
    check_pieces(model)
    document = spm_document(model)
    # Here user-defined tokens cut the text before anything is normalized, as added tokens do.
    document["model"].pop("sentencepiece", None)
    document["pre_tokenizer"] = None
    prefix = [{"type": "Prepend", "prepend": "▁"}] if model.add_dummy_prefix else []
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    document["normalizer"] = {"type": "Sequence", "normalizers": [*prefix, spaces]}
    return document


def _t5(members: dict[str, Any], tokens: list[str], kinds: list[Kind]) -> dict[str, Any]:
    model = _model(members, tokens, kinds)
    check_pieces(model)
    return spm_document(model)


def _added(tokens: list[str], kinds: list[Kind]) -> list[dict[str, Any]]:
    def of(*wanted: Kind) -> dict[str, int]:
        return {tokens[i]: i for i, kind in enumerate(kinds) if kind in wanted}

    entries = added_entries(of(Kind.CONTROL, Kind.UNKNOWN), special=True)
    entries += added_entries(of(Kind.USER_DEFINED))
    return sorted(entries, key=lambda entry: entry["id"])


def _document(**sections: Any) -> dict[str, Any]:
    names = ("added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder", "model")
    start = {"version": "1.0", "truncation": None, "padding": None}
    return start | {name: sections.get(name) for name in names}


def _unique(tokens: list[str]) -> dict[str, int]:
    vocab = {token: index for index, token in enumerate(tokens)}
    if len(vocab) != len(tokens):
        path = "tokenizer.ggml.tokens"
        raise InvalidTokenizerError(f"{path}: a token comes twice", path)
    return vocab


def _gpt2(members: dict[str, Any], tokens: list[str], kinds: list[Kind]) -> dict[str, Any]:
    name = str(members.get("pre", "default"))
    merges = []
    for index, merge in enumerate(_list(members, "merges", str)):
        at = merge.find(" ", 1)
        if at < 0 or at == len(merge) - 1:
            path = f"tokenizer.ggml.merges[{index}]"
            raise InvalidTokenizerError(f"{path}: {merge!r} should be two tokens", path)
        merges.append([merge[:at], merge[at + 1 :]])
    return _document(
        added_tokens=_added(tokens, kinds),
        pre_tokenizer=pre_tokenizer(name),
        decoder=byte_level(),
        model=bpe_model(_unique(tokens), merges, ignore_merges=name in IGNORES_MERGES),
    )


def _bert(members: dict[str, Any], tokens: list[str], kinds: list[Kind]) -> dict[str, Any]:
    """Return the WordPiece form: tokens that start a word are marked there, others are not."""

    def spelled(token: str, kind: Kind) -> str:
        if kind is not Kind.NORMAL or (token.startswith("[") and token.endswith("]")):
            return token
        return token[1:] if token.startswith("▁") and len(token) > 1 else f"##{token}"

    words = [spelled(token, kind) for token, kind in zip(tokens, kinds, strict=True)]
    unknown = members.get("unknown_token_id", 100)
    if not isinstance(unknown, int) or not 0 <= unknown < len(words):
        path = "tokenizer.ggml.unknown_token_id"
        raise InvalidTokenizerError(f"{path}: {unknown!r} should be the id of a token", path)
    flags = dict.fromkeys(
        ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), True
    )
    return _document(
        added_tokens=_added(words, kinds),
        normalizer={"type": "BertNormalizer"} | flags,
        pre_tokenizer={"type": "BertPreTokenizer"},
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
        model={
            "type": "WordPiece",
            "unk_token": words[unknown],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": _unique(words),
        },
    )
