"""The files of a greedy vocabulary: tokenizer.json, a plain list, ranks for greedy decoders.

The tokenizer.json has the one form that `tokenizers` runs as it is: WordPiece with an empty prefix
over byte-level characters is greedy longest match inside each pretoken; the pattern that counted
the text cuts it again, so that training and inference see the same pretokens.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "byte_level_characters",
    "greedy_tokenizer_json",
    "plain_vocabulary",
    "ranks",
    "spelled",
    "transformers_config",
    "unspelled",
]

# WordPiece turns a longer word into one unknown token; no pretoken is that long.
UNLIMITED = 1_000_000_000


def byte_level_characters() -> list[str]:
    """Return the character that stands for each byte: itself, or one from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def spelled(token: bytes) -> str:
    """Return `token` in byte-level characters."""
    characters = byte_level_characters()
    return "".join(characters[byte] for byte in token)


def unspelled(text: str) -> bytes | None:
    """Return the bytes that byte-level `text` stands for, or None where it is not byte-level."""
    numbers = {character: byte for byte, character in enumerate(byte_level_characters())}
    return bytes(numbers[c] for c in text) if all(c in numbers for c in text) else None


def greedy_tokenizer_json(
    tokens: Sequence[bytes], *, pattern: str, special_tokens: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the tokenizer.json of a greedy vocabulary, as a dictionary.

    Args:
        tokens: All tokens, the 256 single bytes among them; the position is the id.
        pattern: The regular expression that cuts text into pretokens.
        special_tokens: Contents of special added tokens; their ids follow those of `tokens`.
    """
    characters = byte_level_characters()
    vocabulary = {
        "".join(characters[byte] for byte in token): number for number, token in enumerate(tokens)
    }
    added = [
        {
            "id": len(tokens) + offset,
            "content": content,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for offset, content in enumerate(special_tokens)
    ]
    byte_level = {"add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, {"type": "ByteLevel", **byte_level}],
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel", **byte_level, "add_prefix_space": True, "use_regex": True},
        "model": {
            "type": "WordPiece",
            # The format asks for an unknown token; with all bytes in the vocabulary none is made.
            "unk_token": characters[0],
            "continuing_subword_prefix": "",
            "max_input_chars_per_word": UNLIMITED,
            "vocab": vocabulary,
        },
    }


def transformers_config(special_tokens: Sequence[str]) -> dict[str, Any]:
    """Return the tokenizer_config.json with which `transformers` loads the directory by its name.

    Without it that library would tidy up spaces when it decodes.
    """
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "additional_special_tokens": list(special_tokens),
    }


def plain_vocabulary(tokens: Sequence[bytes], special_tokens: Sequence[str] = ()) -> str:
    """Return one line of JSON a token, in the order of ids: its bytes in hexadecimal, and as text.

    The text is there to be read; where the bytes are not whole characters, it escapes them.
    """
    rows = [
        {"id": number, "bytes": token.hex(), "text": token.decode("utf-8", "backslashreplace")}
        for number, token in enumerate(tokens)
    ]
    rows += [
        {"id": len(tokens) + offset, "bytes": content.encode().hex(), "text": content, "special": 1}
        for offset, content in enumerate(special_tokens)
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def ranks(tokens: Sequence[bytes]) -> bytes:
    """Return a file of ranks: a line a token, its bytes in base64 and its id.

    Only for decoders that take the longest match: merging by rank gives other ids. Special tokens
    are no part of such a file.
    """
    return b"".join(
        base64.b64encode(token) + b" %d\n" % number for number, token in enumerate(tokens)
    )
