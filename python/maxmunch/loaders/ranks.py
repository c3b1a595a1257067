"""The document of a byte-level vocabulary with ranks: what tiktoken and tekken files hold."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from maxmunch.components import byte_level_table
from maxmunch.errors import InvalidArgumentError, UnsupportedTokenizerError
from maxmunch.loaders.byte_pairs import last_merges

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["added_entries", "bpe_model", "byte_level", "rank_document"]


_MOST_UNUSED = 1 << 18
"""Most ids that are taken by tokens that no text becomes."""


def bpe_model(
    vocab: dict[str, int], merges: list[tuple[str, str]], **options: Any
) -> dict[str, Any]:
    """Return a BPE model; what `options` leave out has its plain value."""
    plain = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
    }
    return plain | options | {"vocab": vocab, "merges": merges}


def byte_level() -> dict[str, Any]:
    """Return the `ByteLevel` that writes bytes as characters and does nothing else."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }


def added_entries(specials: Mapping[str, int], **flags: bool) -> list[dict[str, Any]]:
    """Return the `added_tokens` of contents with ids, in the order of ids."""
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    plain = dict.fromkeys(names, False) | flags
    ordered = sorted(specials.items(), key=lambda item: item[1])
    return [{"id": number, "content": content} | plain for content, number in ordered]


def rank_document(
    ranks: Mapping[bytes, int],
    specials: Mapping[str, int],
    split: dict[str, Any],
    *,
    first_id: int = 0,
    reserve: bool = False,
) -> dict[str, Any]:
    """Return the document of a ranked vocabulary.

    Args:
        ranks: Rank of each token; all 256 bytes are among them.
        specials: Special tokens with their ids.
        split: The pre-tokenizer that cuts the text.
        first_id: Id of rank 0.
        reserve: Whether ids between tokens and specials are taken by tokens that no text becomes.
            By default specials are put among the tokens when their ids do not follow on them.

    Raises:
        UnsupportedTokenizerError: A byte is no token, or a special spells a token with another id.
        InvalidArgumentError: An id is used twice.
    """
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise UnsupportedTokenizerError(
            f"the byte 0x{missing[0]:02X} is no token ({len(missing)} bytes are none): text with "
            "it would lose it; every byte should be a token",
            "model.vocab",
        )
    ordered = sorted(ranks, key=ranks.__getitem__)
    numbers = sorted(ranks.values())
    # One character a byte, so that places in bytes are places in characters; all at once.
    text = b"".join(ordered).decode("latin-1").translate(dict(enumerate(byte_level_table())))
    ends = list(itertools.accumulate(map(len, ordered)))
    spelled = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    vocab = dict(zip(spelled, (first_id + number for number in numbers), strict=True))
    places = last_merges(ordered, numbers)
    merges = [
        (text[:place], text[place:]) for text, place in zip(spelled, places, strict=True) if place
    ]
    _place(vocab, specials, reserve=reserve)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added_entries(specials, special=True),
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level()]},
        "post_processor": None,
        "decoder": byte_level(),
        # A piece that is a token is that token, whether or not its own merges make it.
        "model": bpe_model(
            vocab,
            merges,
            ignore_merges=True,
        ),
    }


def _place(vocab: dict[str, int], specials: Mapping[str, int], *, reserve: bool) -> None:
    """Make the vocabulary give each special its id: added tokens are numbered, not read."""
    if not specials:
        return
    taken = {number: token for token, number in vocab.items()}
    for content, number in specials.items():
        if content in vocab and vocab[content] != number:
            raise UnsupportedTokenizerError(
                f"special_tokens: {content!r} with id {number} is spelled like the token "
                f"{vocab[content]}; give it the id of that token or another content",
                "special_tokens",
            )
        if taken.get(number, content) != content:
            raise InvalidArgumentError(
                f"special_tokens: the id {number} of {content!r} is that of {taken[number]!r}",
                "special_tokens",
            )
        taken[number] = content
    follows = sorted(set(specials.values()) - set(vocab.values()))
    if follows == list(range(len(vocab), len(vocab) + len(follows))):
        return
    if reserve:
        unused = max(specials.values()) - len(taken)
        if unused > _MOST_UNUSED:
            raise UnsupportedTokenizerError(
                f"special_tokens: {unused} ids below {max(specials.values())} are of no token, "
                f"where one of the contents is spelled like a piece of text; there should be at "
                f"most {_MOST_UNUSED}; give lower ids",
                "special_tokens",
            )
        # A space is no byte-level character: no text becomes these, and no piece equals them.
        for number in range(max(specials.values())):
            if number not in taken:
                vocab[f"<|unused {number}|>"] = number
        return
    vocab.update(specials)
