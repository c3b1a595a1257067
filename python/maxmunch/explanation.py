"""What each stage of a tokenizer did to a text, to print or to read by program.

Everything comes from an encoding of the text itself, without truncation, padding and added tokens
around it; only the reasons why an added token did not match are worked out here.
"""

from __future__ import annotations

import copy
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmunch.added_token import AddedToken
    from maxmunch.arguments import Specials
    from maxmunch.encoding import Encoding

__all__ = ["Explains", "Explanation", "Match", "Miss", "Piece", "Splitter"]


@dataclass(frozen=True)
class Match:
    """An added token that matched, with the white space that it took."""

    id: int
    content: str
    start: int
    end: int


@dataclass(frozen=True)
class Miss:
    """A place where an added token is spelled and did not match."""

    content: str
    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class Piece:
    """A piece of text that the model saw, where it stands, and the tokens it became."""

    text: str
    start: int
    end: int
    tokens: list[str]
    ids: list[int]


@dataclass(frozen=True)
class Splitter:
    """What the splitter, which cuts pieces where no merge can cross, made of a text.

    Attributes:
        refusal: Why pieces are not cut for this tokenizer; None when they are.
        pieces: Pieces of the pre-tokenizer, added tokens aside.
        parts: What the splitter made of them; ids are the same without it.
    """

    refusal: str | None
    pieces: int
    parts: int

    def __str__(self) -> str:
        if self.refusal is not None:
            return f"not in force: {self.refusal}"
        return f"{self.pieces:,} pieces, cut into {self.parts:,} parts"


@dataclass(frozen=True)
class Explanation:
    """What each stage did; positions count characters of the text.

    Attributes:
        text: The text.
        matches: The added tokens that matched.
        misses: Those that are spelled in the text and did not match, each with the reason.
        normalized: Each stretch between matches, before and after the normalizer.
        pieces: What the pre-tokenizer made of them, with the tokens of the model.
        splitter: Whether pieces are cut where no merge can cross, and into how many parts.
        ids: The ids of `encode(text)`, with what truncation, post-processor and padding did.
        tokens: Their texts.
    """

    text: str
    matches: list[Match]
    misses: list[Miss]
    normalized: list[tuple[str, str]]
    pieces: list[Piece]
    splitter: Splitter
    ids: list[int]
    tokens: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain lists and dicts."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the explanation as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __str__(self) -> str:
        lines = [f"text         {self.text!r}"]
        lines += [f"added token  {m.start}:{m.end} {m.content!r} -> {m.id}" for m in self.matches]
        lines += [f"no match     {m.start}:{m.end} {m.content!r}: {m.reason}" for m in self.misses]
        changed = [(old, new) for old, new in self.normalized if old != new]
        lines += [f"normalized   {old!r} -> {new!r}" for old, new in changed]
        lines += [
            f"piece        {p.start}:{p.end} {p.text!r} -> "
            + " ".join(f"{token!r}={own}" for token, own in zip(p.tokens, p.ids, strict=True))
            for p in self.pieces
        ]
        return "\n".join([*lines, f"splitter     {self.splitter}", f"ids          {self.ids}"])


class Explains:
    """The call of a tokenizer that explains what it did."""

    def explain(self, text: str, *, specials: Specials = "parse") -> Explanation:
        """Return what each stage does to `text`.

        Args:
            text: The text.
            specials: As in `encode`.

        Example:
            >>> import maxmunch as mm
            >>> tok = mm.Tokenizer(mm.models.LongestMatch({b"to": 0, b"t": 1, b"o": 2}))
            >>> _ = tok.add_special_tokens(["<x>"])
            >>> print(tok.explain("to<x>o"))
            text         'to<x>o'
            added token  2:5 '<x>' -> 3
            piece        0:2 'to' -> 'to'=0
            piece        5:6 'o' -> 'o'=2
            splitter     not in force: longest match reads a piece once: cuts gain nothing
            ids          [0, 3, 2]
        """
        tokenizer: Any = self
        whole = tokenizer.encode(text, specials=specials)
        plain = copy.copy(tokenizer)
        plain.no_truncation()
        plain.no_padding()
        plain.post_processor = None
        encoding = plain.encode(text, add_special_tokens=False, specials=specials)
        added: dict[int, AddedToken] = tokenizer.get_added_tokens_decoder()
        matches, pieces = _pieces(text, encoding, added)
        normalizer = tokenizer.normalizer
        gaps = _gaps(text, matches)
        return Explanation(
            text=text,
            matches=matches,
            misses=_misses(text, matches, added, specials),
            normalized=[
                (gap, normalizer.normalize_str(gap) if normalizer else gap) for gap in gaps
            ],
            pieces=pieces,
            splitter=Splitter(*tokenizer._core.splits(text)),  # noqa: SLF001 - the mixin's own part
            ids=whole.ids,
            tokens=whole.tokens,
        )


def _pieces(
    text: str, encoding: Encoding, added: dict[int, AddedToken]
) -> tuple[list[Match], list[Piece]]:
    """Return the matches and the pieces of an encoding, in order."""
    words: dict[int | None, list[int]] = {}
    for index, word in enumerate(encoding.word_ids):
        words.setdefault(word, []).append(index)
    matches, pieces = [], []
    ids, tokens, offsets = encoding.ids, encoding.tokens, encoding.offsets
    for own in words.values():
        start, end = offsets[own[0]][0], offsets[own[-1]][1]
        token = added.get(ids[own[0]])
        if len(own) == 1 and token and token.content.strip() == text[start:end].strip():
            matches.append(Match(ids[own[0]], token.content, start, end))
            continue
        of_piece = [tokens[i] for i in own]
        pieces.append(Piece(text[start:end], start, end, of_piece, [ids[i] for i in own]))
    return matches, pieces


def _gaps(text: str, matches: list[Match]) -> list[str]:
    ends = [0, *(match.end for match in matches)]
    starts = [*(match.start for match in matches), len(text)]
    gaps = (text[end:start] for end, start in zip(ends, starts, strict=True))
    return [gap for gap in gaps if gap]


def _misses(
    text: str, matches: list[Match], added: dict[int, AddedToken], specials: Specials
) -> list[Miss]:
    """Return where the content of an added token stands and no match begins or lies."""
    misses = []
    for token in added.values():
        for found in re.finditer(re.escape(token.content), text):
            start, end = found.span()
            over = next((m for m in matches if m.start < end and start < m.end), None)
            if over is not None and over.content == token.content:
                continue
            if over is not None:
                reason = f"{over.content!r} matched at {over.start}:{over.end}"
            elif token.special and specials != "parse":
                reason = f"special tokens are text here (specials={specials!r})"
            elif token.single_word and _beside_word(text, start, end):
                reason = "single_word: a word character stands beside it"
            else:
                reason = "a longer added token was tried here first, or the normalizer changed it"
            misses.append(Miss(token.content, start, end, reason))
    return sorted(misses, key=lambda miss: (miss.start, miss.end))


def _beside_word(text: str, start: int, end: int) -> bool:
    return bool(re.search(r"\w\Z", text[:start]) or re.match(r"\w", text[end:]))
