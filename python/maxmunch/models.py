"""Models: from the text of one piece to ids. Plain objects that describe themselves as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.components import Component, byte_level_table
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["BPE", "LongestMatch", "Model", "Unigram", "WordLevel", "WordPiece"]

_BYTES = 256
_NO_LIMIT = 1_000_000_000
"""Characters that a piece may have before `tokenizers` gives up on it."""


class Model(Component, section=True):
    """A model; build one of its subclasses."""


class BPE(Model):
    """Byte-pair encoding.

    Args:
        vocab: Token to id.
        merges: Pairs of tokens, the earliest merge first.
        dropout: Probability of skipping a merge; only None and 0 give reproducible ids.
        unk_token: What characters without a token become.
        continuing_subword_prefix: Prefix of every symbol of a piece but the first.
        end_of_word_suffix: Suffix of the last symbol of a piece.
        fuse_unk: Whether a run of unknown characters is one token.
        byte_fallback: Whether a character without a token becomes its bytes `<0xHH>`.
        ignore_merges: Whether a piece that is a token is that token, whatever the merges say.
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | None = None,
        merges: Iterable[tuple[str, str]] | None = None,
        *,
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
    ) -> None:
        super().__init__(
            dropout=dropout,
            unk_token=unk_token,
            continuing_subword_prefix=continuing_subword_prefix,
            end_of_word_suffix=end_of_word_suffix,
            fuse_unk=fuse_unk,
            byte_fallback=byte_fallback,
            ignore_merges=ignore_merges,
            vocab=dict(vocab or {}),
            merges=[list(pair) for pair in merges or ()],
        )


class Unigram(Model):
    """The segmentation of a piece with the highest sum of scores.

    Args:
        vocab: Tokens with their scores; the place in the list is the id. None is `<unk>` alone.
        unk_id: The id that a run of characters without a token becomes.
        byte_fallback: Whether such a run becomes its bytes `<0xHH>`, if all of them are tokens.
    """

    def __init__(
        self,
        vocab: Iterable[tuple[str, float]] | None = None,
        unk_id: int | None = None,
        byte_fallback: bool = False,
    ) -> None:
        if vocab is None:
            vocab, unk_id = [("<unk>", 0.0)], 0
        super().__init__(
            unk_id=unk_id,
            vocab=[[token, float(score)] for token, score in vocab],
            byte_fallback=byte_fallback,
        )


class WordLevel(Model):
    """One token a piece.

    Args:
        vocab: Token to id.
        unk_token: What a piece without a token becomes.
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | None = None,
        unk_token: str = "<unk>",
    ) -> None:
        super().__init__(vocab=dict(vocab or {}), unk_token=unk_token)


class WordPiece(Model):
    """Longest match first, from the left; a piece that gets stuck is unknown as a whole.

    Args:
        vocab: Token to id.
        unk_token: What an unknown piece becomes.
        max_input_chars_per_word: A longer piece is unknown.
        continuing_subword_prefix: Prefix of tokens that continue a piece.
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | None = None,
        unk_token: str = "[UNK]",
        max_input_chars_per_word: int = 100,
        continuing_subword_prefix: str = "##",
    ) -> None:
        super().__init__(
            unk_token=unk_token,
            continuing_subword_prefix=continuing_subword_prefix,
            max_input_chars_per_word=max_input_chars_per_word,
            vocab=dict(vocab or {}),
        )


class LongestMatch(Model, kind="WordPiece (greedy)"):
    r"""Greedy longest match over bytes: maximal munch, in linear time for any text.

    Args:
        vocab: Token to id; a token is any `bytes`, or `str` for its UTF-8.
        unk_token: The token that a piece with no way through becomes. Without one such text raises
            `UntokenizableError`.

    Raises:
        InvalidArgumentError: A token is empty or given twice, or `unk_token` is not in `vocab`.

    Written to files as `WordPiece` with an empty prefix over byte-level characters, which
    `tokenizers` runs unchanged.

    Example:
        >>> import maxmunch as mm
        >>> tok = mm.Tokenizer(mm.models.LongestMatch({"a": 0, "ab": 1, b"\xff": 2}))
        >>> tok.encode("aaba").ids
        [0, 1, 0]
    """

    def __init__(self, vocab: Mapping[Any, int], unk_token: bytes | str | None = None) -> None:
        tokens: dict[bytes, int] = {}
        for token, number in vocab.items():
            key = token.encode() if isinstance(token, str) else token
            if not key or key in tokens:
                rule = "is given twice, as bytes and as str" if key else "is empty"
                raise InvalidArgumentError(f"vocab: the token {token!r} {rule}", "vocab")
            tokens[key] = number
        table = byte_level_table()
        super().__init__(
            unk_token=_unknown(tokens, unk_token, table),
            continuing_subword_prefix="",
            max_input_chars_per_word=_NO_LIMIT,
            vocab={"".join(table[b] for b in token): number for token, number in tokens.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the members of the JSON object of the `WordPiece` that stands for it."""
        return {**super().to_dict(), "type": "WordPiece"}


def _unknown(tokens: dict[bytes, int], unk_token: bytes | str | None, table: list[str]) -> str:
    """Return how the unknown token is spelled in the file, which must name one."""
    if unk_token is not None:
        key = unk_token.encode() if isinstance(unk_token, str) else unk_token
        if key not in tokens:
            raise InvalidArgumentError(
                f"unk_token: {unk_token!r} is not in vocab; add it, or pass None to have text that "
                "no token matches refused",
                "unk_token",
            )
        return "".join(table[b] for b in key)
    if all(bytes([b]) in tokens for b in range(_BYTES)):
        return table[0]
    # No token, and no spelling of bytes: the first text without a way through is an error.
    return "[no unknown token]"
