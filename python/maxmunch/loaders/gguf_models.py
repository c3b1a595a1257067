"""The models of tokens of llama.cpp in the form of `tokenizer.json`.

`tests/encode/test_loaders_gguf_llama_cpp.py` replays ids of llama.cpp; docs/differences.md lists
where it goes wrong and is not followed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from maxmunch.components import byte_level_table
from maxmunch.errors import InvalidTokenizerError, UnsupportedTokenizerError
from maxmunch.loaders.byte_pairs import merges_of
from maxmunch.loaders.gguf_patterns import IGNORES_MERGES, pre_tokenizer
from maxmunch.loaders.gguf_vocabulary import template
from maxmunch.loaders.ranks import bpe_model, byte_level
from maxmunch.loaders.sentencepiece import sentencepiece_normalizer, unigram_model
from maxmunch.loaders.sentencepiece_model import Kind, Piece, SentencePieceModel, check_pieces
from maxmunch.loaders.ties import check_ties

if TYPE_CHECKING:
    from maxmunch.loaders.gguf_vocabulary import GgufVocabulary

__all__ = ["bert", "bpe", "llama", "rwkv", "t5"]

_MARK = "▁"
_SIGNS = {
    "type": "Split",
    "pattern": {"Regex": r"[\p{P}!-/:-@\[-`{-~]"},
    "behavior": "Isolated",
    "invert": False,
}
_NO_LIMIT = 1_000_000_000
_SPACES_TO_MARKS = {"type": "Replace", "pattern": {"String": " "}, "content": _MARK}
_ADDS_BOS = (IGNORES_MERGES - {"minicpm5", "youtu", "glm4", "glm5", "granite-embed-multi-97m"}) | {
    "chameleon"
}
_WITH_MARKS = {"gemma4", "granite-embed-multi-311m", "sarvam-moe"}
"""Where spaces are marks and the merges are those of characters, not of bytes."""


def _document(vocabulary: GgufVocabulary, **sections: Any) -> dict[str, Any]:
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")
    start: dict[str, Any] = {"version": "1.0", "truncation": None, "padding": None}
    start["added_tokens"] = sections.get("added_tokens", vocabulary.added())
    return start | {name: sections.get(name) for name in names}


def _marks_decoder(*, strip: bool) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [
        {"type": "Replace", "pattern": {"String": _MARK}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    if strip:
        parts.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": parts}


def _check_bytes(vocab: dict[str, int]) -> None:
    """Check that every character has an id: its bytes have."""
    missing = [byte for byte in range(256) if f"<0x{byte:02X}>" not in vocab]
    if missing:
        name = f"<0x{missing[0]:02X}>"
        raise UnsupportedTokenizerError(
            f"tokenizer.ggml.tokens: {name} is no token ({len(missing)} bytes are none), so that "
            "llama.cpp has no id for some text; every byte should be a token",
            "tokenizer.ggml.tokens",
        )


def llama(vocabulary: GgufVocabulary) -> dict[str, Any]:
    """Return the document of a model that merges by score, tokens of every kind among them."""
    scores = vocabulary.scores()
    vocab = vocabulary.unique()
    _check_bytes(vocab)
    ranks = {token: -score for token, score in zip(vocabulary.tokens, scores, strict=True)}
    # Of equal scores the longest first: see `ties`.
    ordered = sorted(ranks, key=lambda token: (ranks[token], -len(token)))
    # No symbol of a text is a space: they are marks.
    merges = merges_of([token for token in ordered if " " not in token], ranks)
    check_ties(merges, ranks)
    prefix = bool(vocabulary.members.get("add_space_prefix", True))
    start = [{"type": "Prepend", "prepend": _MARK}] if prefix else []
    return _document(
        vocabulary,
        normalizer={"type": "Sequence", "normalizers": [*start, _SPACES_TO_MARKS]},
        post_processor=vocabulary.around(bos=1, eos=2, bos_too=True, eos_too=False),
        decoder=_marks_decoder(strip=prefix),
        model=bpe_model(vocab, merges, byte_fallback=True),
    )


def t5(vocabulary: GgufVocabulary) -> dict[str, Any]:
    """Return the document of a Unigram model; what the user defined cuts the text first."""
    numbered = zip(vocabulary.tokens, vocabulary.scores(), vocabulary.kinds, strict=True)
    pieces = [
        # Its own score counts for nothing.
        Piece(text, 0.0 if kind is Kind.USER_DEFINED else score, kind)
        for text, score, kind in numbered
    ]
    merges_spaces = bool(vocabulary.members.get("remove_extra_whitespaces", False))
    prefix = bool(vocabulary.members.get("add_space_prefix", False))
    charsmap = vocabulary.members.get("precompiled_charsmap") or []
    model = SentencePieceModel(
        pieces=pieces,
        # Where runs of spaces become one, so does the start of the text.
        add_dummy_prefix=prefix or merges_spaces,
        remove_extra_whitespaces=merges_spaces,
        precompiled_charsmap=bytes(value & 0xFF for value in charsmap),
    )
    check_pieces(model)
    unigram = unigram_model(model, (Kind.CONTROL, Kind.UNKNOWN, Kind.BYTE))
    unigram["sentencepiece"]["precision"] = "double"
    return _document(
        vocabulary,
        normalizer=sentencepiece_normalizer(model, [], prepends_later=False),
        post_processor=vocabulary.around(eos=1, bos_too=False, eos_too=True),
        decoder=_marks_decoder(strip=prefix),
        model=unigram,
    )


def bpe(vocabulary: GgufVocabulary) -> dict[str, Any]:
    """Return the document of a model with a list of merges, of bytes or of characters."""
    members = vocabulary.members
    is_gemma = members["model"] == "gemma4"
    name = "gemma4" if is_gemma else str(members.get("pre", "default"))
    merges: dict[tuple[str, str], None] = {}
    for index, merge in enumerate(vocabulary.items("merges", str)):
        at = merge.find(" ", 1)
        if at < 0 or at == len(merge) - 1:
            path = f"tokenizer.ggml.merges[{index}]"
            raise InvalidTokenizerError(f"{path}: {merge!r} should be two tokens", path)
        # Of two merges of one pair the first counts here, the last in tokenizer.json.
        merges.setdefault((merge[:at], merge[at + 1 :]))
    vocab = vocabulary.unique()
    with_marks = name in _WITH_MARKS
    if with_marks:
        _check_bytes(vocab)
    adds_bos = name in _ADDS_BOS or name in {"gemma4", "granite-embed-multi-311m"}
    default = None if is_gemma else 11
    if name in {"gemma4", "granite-embed-multi-311m"}:
        # Whatever the file says.
        members["add_bos_token"] = True
    return _document(
        vocabulary,
        normalizer=_SPACES_TO_MARKS if with_marks else None,
        pre_tokenizer=pre_tokenizer(name, in_bytes=not with_marks),
        post_processor=vocabulary.around(bos=default, eos=default, bos_too=adds_bos, eos_too=False),
        decoder=_marks_decoder(strip=False) if with_marks else byte_level(),
        model=bpe_model(
            vocab,
            list(merges),
            ignore_merges=name in IGNORES_MERGES,
            byte_fallback=with_marks,
        ),
    )


def bert(vocabulary: GgufVocabulary) -> dict[str, Any]:
    """Return the WordPiece form: tokens that start a word are marked there, others are not."""

    def spelled(token: str, kind: Kind) -> str:
        if kind is not Kind.NORMAL or (token.startswith("[") and token.endswith("]")):
            return token
        return token[1:] if token.startswith(_MARK) and len(token) > 1 else f"##{token}"

    tokens = zip(vocabulary.tokens, vocabulary.kinds, strict=True)
    words = [spelled(token, kind) for token, kind in tokens]
    first = vocabulary.number("bos_token_id", 101)
    last = vocabulary.number("seperator_token_id", 102)
    return _document(
        vocabulary,
        added_tokens=vocabulary.added(words),
        normalizer=_bert_normalizer(vocabulary.members),
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, _SIGNS]},
        post_processor=template(first, last),
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
        model={
            "type": "WordPiece",
            "unk_token": words[vocabulary.number("unknown_token_id", 100)[1]],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": _NO_LIMIT,
            "vocab": vocabulary.unique(words),
        },
    )


_FIRST_HANGUL, _LEADS, _OF_ONE_LEAD = 0xAC00, 19, 588


def _bert_normalizer(members: dict[str, Any]) -> dict[str, Any]:
    """Return the normalizer.

    Accents go with all marks, and of Hangul the first letter stays; code points without a meaning
    stay, others that nobody sees go.
    """
    lowercase = bool(members.get("normalizer.lowercase", True))
    strip_accents = bool(members.get("normalizer.strip_accents", lowercase))
    plain = {
        "type": "BertNormalizer",
        "clean_text": False,
        "handle_chinese_chars": True,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }
    unseen = _replace(r"[[\p{Cc}\p{Cf}\p{Co}\uFFFD]&&[^\s]]", "")
    if not strip_accents:
        return {"type": "Sequence", "normalizers": [unseen, plain]}
    hangul = []
    for lead in range(_LEADS):
        first = _FIRST_HANGUL + lead * _OF_ONE_LEAD
        syllables = f"[{chr(first)}-{chr(first + _OF_ONE_LEAD - 1)}]"
        hangul.append(_replace(syllables, chr(0x1100 + lead)))
    return {"type": "Sequence", "normalizers": [unseen, *hangul, plain, _replace(r"\p{M}", "")]}


def _replace(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


_ESCAPE = re.compile(rb"\\(x..|.)", re.DOTALL)
_ESCAPED = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def rwkv(vocabulary: GgufVocabulary) -> dict[str, Any]:
    """Return the document of a greedy model over bytes; tokens are spelled with escapes."""
    words = [_unescaped(token, index) for index, token in enumerate(vocabulary.tokens)]
    return _document(
        vocabulary,
        pre_tokenizer=byte_level(),
        decoder=byte_level(),
        model={
            "type": "WordPiece",
            "unk_token": "[no unknown token]",
            "continuing_subword_prefix": "",
            "max_input_chars_per_word": _NO_LIMIT,
            "vocab": vocabulary.unique(words),
        },
    )


def _unescaped(token: str, index: int) -> str:
    """Return the bytes that a token is spelled for, as byte-level characters."""
    table = byte_level_table()

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code[1:], 16)]) if len(code) > 1 else _ESCAPED.get(code, code)

    try:
        return "".join([table[value] for value in _ESCAPE.sub(byte, token.encode())])
    except ValueError as error:
        path = f"tokenizer.ggml.tokens[{index}]"
        message = f"{path}: {token!r} should have two hexadecimal digits after \\x"
        raise InvalidTokenizerError(message, path) from error
