"""Taking texts apart: where a cut changes no id, and whether a delimiter always is such a place."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from maxmunch.certify.results import Delimiter
from maxmunch.errors import InvalidArgumentError, LimitError
from maxmunch.state import TokenizerState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import numpy.typing as npt

__all__ = ["CutsTexts"]

# What may stand beside a delimiter in a refutation: one of each kind that pipelines tell apart.
_NEIGHBOURS = (
    "a",
    " ",
    "\n",
    "1",
    ".",
    "A",
    "é",
    "漢",
    "'",
    "s",
    "\t",
    "\r",
    "!",
    "/",
    "\u0301",
    "▁",
)
_LONGEST_CONTEXT = 2
_MOST_TOKENS = 20_000


class CutsTexts(TokenizerState):
    """The calls of a tokenizer that say where texts may be taken apart."""

    def cut_points(self, text: str | bytes, parts: int) -> npt.NDArray[np.int64]:
        """Return places where `text` can be cut so that the parts have the ids of the whole.

        Encoding each part without special tokens of the post-processor, and joining the ids, gives
        the ids of `text`. Each cut is proven from the two characters beside it, for added tokens,
        normalizer, pre-tokenizer and model together; a greedy vocabulary without pre-tokenizer is
        cut at certified anchors.

        Args:
            text: The text; `bytes` must be valid UTF-8.
            parts: How many parts are wanted, at least 1.

        Returns:
            int64, at most `parts - 1` increasing byte positions (of the UTF-8), each the first
            place after a point of equal division; none where no place is proven, and for a
            tokenizer that truncates or pads.

        Raises:
            InvalidArgumentError: `parts` is below 1.

        Complexity: only the text between a point of division and its cut is read.
        Source: docs/decisions/0010-seams.md.

        Example:
            >>> import maxmunch as mm
            >>> tok = mm.Tokenizer(mm.models.WordLevel({"to": 0, "be": 1, "?": 2}, unk_token="?"))
            >>> tok.pre_tokenizer = mm.pre_tokenizers.Whitespace()
            >>> tok.cut_points("to be to be", 2)
            array([6])
        """
        if parts < 1:
            message = f"parts: {parts} should be 1 or more"
            raise InvalidArgumentError(message, "parts")
        return self._cuts().plan(text, parts, continued=False)

    def truncate_text(self, text: str, max_tokens: int) -> str:
        """Return the longest beginning of `text` that has at most `max_tokens` ids.

        Special tokens that the post-processor adds are counted, as in `count_tokens`. The rest of
        a long text is not read.

        Args:
            text: The text.
            max_tokens: Most ids, at least as many as every text gets.

        Raises:
            InvalidArgumentError: `max_tokens` is below what every text gets, or the tokenizer
                truncates, pads or samples by itself.
            LimitError: A long stretch has no place that is known to keep its ids whatever follows.

        Complexity: that of encoding a few times the answer, where such places are frequent.

        Example:
            >>> import maxmunch as mm
            >>> tok = mm.Tokenizer(mm.models.WordLevel({"to": 0, "be": 1, "?": 2}, unk_token="?"))
            >>> tok.pre_tokenizer = mm.pre_tokenizers.WhitespaceSplit()
            >>> tok.truncate_text("to be or not", 2)
            'to be '
        """
        if max_tokens < 0:
            raise InvalidArgumentError(
                f"max_tokens: {max_tokens} should be 0 or more", "max_tokens"
            )
        length = self._cuts().truncated_len(text, max_tokens, self._policy("parse"))
        return text[:length] if text.isascii() else text.encode()[:length].decode()

    def delimiter(self, text: str) -> Delimiter:
        r"""Return whether a corpus may be cut before, or after, every occurrence of `text`.

        Safe means for every text of at most a billion bytes: the ids of the parts, one after the
        other and without special tokens of the post-processor, are the ids of the whole. Otherwise
        a text shows the difference.

        Args:
            text: The delimiter, such as ``"\n"``.

        Raises:
            InvalidArgumentError: It is empty.
            LimitError: Neither a proof nor a text that shows a difference was found.

        Complexity: a question for each character there is; then encodings of some ten thousand
        short texts.

        Example:
            >>> import maxmunch as mm
            >>> tok = mm.Tokenizer(mm.models.WordLevel({"to": 0, "be": 1, "?": 2}, unk_token="?"))
            >>> tok.pre_tokenizer = mm.pre_tokenizers.WhitespaceSplit()
            >>> tok.delimiter("\n").before, tok.delimiter("o").refutation_before
            (True, 'to')
        """
        if not text:
            raise InvalidArgumentError("text: the delimiter is empty; give a text", "text")
        before = self._refutation(text, after=False)
        after = self._refutation(text, after=True)
        return Delimiter(before is None, after is None, before, after)

    def _refutation(self, delimiter: str, *, after: bool) -> str | None:
        if self._cuts().proves_delimiter(delimiter, after):
            return None

        def differs(text: str) -> bool:
            pieces = _cut_at(text, delimiter, after=after)
            parts = [self._bare_ids(piece) for piece in pieces]
            return self._bare_ids(text) != [number for part in parts for number in part]

        for text in itertools.chain(
            _contexts(delimiter), self._spelled(delimiter), _contexts(delimiter, _LONGEST_CONTEXT)
        ):
            if differs(text):
                return _shrunk(text, delimiter, differs)
        side = "after" if after else "before"
        message = (
            f"delimiter: whether cutting {side} every {delimiter!r} is safe was not decided: the "
            "stages give no proof, and no short text shows a difference; cut with cut_points"
        )
        raise LimitError(message, "delimiter")

    def _bare_ids(self, text: str) -> list[int]:
        ids: list[int] = self._core.encode_ids(text, False, "parse").tolist()
        return ids

    def _spelled(self, delimiter: str) -> Iterator[str]:
        """Texts of tokens that hold the delimiter, alone and between neighbours."""
        spaced = delimiter.replace(" ", "▁")
        found = 0
        for token in self._core.vocabulary(True):
            text = token.replace("▁", " ").replace("Ġ", " ").replace("Ċ", "\n")
            if delimiter not in text and spaced not in token:
                continue
            found += 1
            if found > _MOST_TOKENS:
                return
            for left, right in itertools.product(("", "a", " "), repeat=2):
                yield left + text + right


def _contexts(delimiter: str, longest: int = 1) -> Iterator[str]:
    around = [
        "".join(kinds)
        for length in range(longest + 1)
        for kinds in itertools.product((*_NEIGHBOURS, delimiter), repeat=length)
    ]
    for left, right in itertools.product(around, repeat=2):
        yield left + delimiter + right


def _cut_at(text: str, delimiter: str, *, after: bool) -> list[str]:
    """Cut before every occurrence, or after it; occurrences may overlap."""
    shift = len(delimiter) if after else 0
    cuts = [
        at + shift for at in range(len(text)) if text.startswith(delimiter, at) and at + shift > 0
    ]
    return [text[a:b] for a, b in itertools.pairwise([0, *cuts, len(text)]) if a < b]


def _shrunk(text: str, delimiter: str, differs: Callable[[str], bool]) -> str:
    """Leave out characters as long as the text still holds the delimiter and shows a difference."""
    at = 0
    while at < len(text):
        shorter = text[:at] + text[at + 1 :]
        if delimiter in shorter and differs(shorter):
            text, at = shorter, 0
        else:
            at += 1
    return text
