"""Patterns that cut text before merging: known ones by name, and others in Oniguruma's syntax.

tiktoken and tekken write their patterns for the regular expressions of Rust with look-around. Most
of that syntax means the same to Oniguruma; `to_oniguruma` rewrites what does not, and refuses what
it does not know.
"""

from __future__ import annotations

import re

from maxmunch.errors import InvalidArgumentError, UnsupportedTokenizerError

__all__ = ["GPT2", "LLAMA3", "NAMED", "O200K", "QWEN2", "split_part", "to_oniguruma"]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_R50K = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_TAIL = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTIONS}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTIONS}|\p{{N}}{{1,3}}" + _TAIL
)
TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*|\p{{N}}"
    + _TAIL
)

NAMED = {
    "gpt2": _R50K,
    "r50k_base": _R50K,
    "p50k_base": _R50K,
    "p50k_edit": _R50K,
    "cl100k_base": _CL100K,
    "o200k_base": O200K,
    "o200k_harmony": O200K,
    "llama3": LLAMA3,
    "llama4": O200K,
    "qwen2": QWEN2,
    "tekken": TEKKEN,
}
"""The patterns of tiktoken encodings and of model families that use its format."""

# Patterns that match at every position of every text: nothing between matches is lost.
_COVERING = {GPT2, *NAMED.values()}

_WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\u200c\u200d"
_WORDS = {r"\w": f"[{_WORD}]", r"\W": f"[^{_WORD}]"}
"""Oniguruma's own word characters are others."""
_UNKNOWN = {r"\b", r"\B", r"\h", r"\H", r"\K", r"\G", r"\R", r"\X", r"\Z", "\\"}

_GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?i)")
_QUANTIFIER = re.compile(r"[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\}")


def split_part(pattern: str) -> dict[str, object]:
    """Return the `Split` that keeps exactly what `pattern` matches, as tiktoken does.

    Args:
        pattern: A name of `NAMED`, or a regular expression of Rust with look-around.
    """
    source = NAMED.get(pattern, pattern)
    covers = source in _COVERING
    return {
        "type": "Split",
        "pattern": {"Regex": to_oniguruma(source)},
        "behavior": "Isolated" if covers else "Removed",
        "invert": not covers,
    }


def to_oniguruma(pattern: str) -> str:
    """Return a pattern of Rust's syntax, with look-around, in Oniguruma's.

    Raises:
        UnsupportedTokenizerError: It uses what is not known to mean the same.
        InvalidArgumentError: A bracket is not closed.
    """
    return _Translation(pattern).run()


class _Translation:
    """One pass over a pattern that copies atoms and knows where the last one starts."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        self.groups: list[int] = []
        self.atom = 0

    def run(self) -> str:
        while self.at < len(self.pattern):
            self.step(self.pattern[self.at])
        if self.groups:
            raise InvalidArgumentError(f"pattern: {self.pattern!r} has an open group", "pattern")
        return "".join(self.out)

    def step(self, character: str) -> None:
        quantifier = _QUANTIFIER.match(self.pattern, self.at)
        if character == "\\":
            self.escape()
        elif character == "[":
            self.bracket()
        elif character == "(":
            self.open_group()
        elif character == ")":
            self.copy(1)
            self.atom = self.groups.pop() if self.groups else len(self.out)
        elif character == "^" or character == "$":  # noqa: PLR1714 (clearer so)
            # The ends of the text, not of a line.
            self.emit(r"\A" if character == "^" else r"\z", 1)
        elif quantifier and self.out:
            self.quantify(quantifier[0])
        else:
            self.emit(character, 1)

    def emit(self, text: str, consumed: int) -> None:
        self.atom = len(self.out)
        self.out.append(text)
        self.at += consumed

    def copy(self, count: int) -> None:
        self.out.append(self.pattern[self.at : self.at + count])
        self.at += count

    def escape(self) -> None:
        escaped = self.pattern[self.at : self.at + 2]
        if escaped in _WORDS:
            self.emit(_WORDS[escaped], 2)
            return
        if escaped in _UNKNOWN:
            raise self.unsupported(f"{escaped!r}")
        property_name = re.compile(r"\\[pP](?:\{[^}]*\}|.)").match(self.pattern, self.at)
        length = len(property_name[0]) if property_name else 2
        self.emit(self.pattern[self.at : self.at + length], length)

    def bracket(self) -> None:
        depth, end = 0, self.at
        while end < len(self.pattern):
            character = self.pattern[end]
            if character == "\\":
                end += 1
            elif character == "[":
                if self.pattern[end + 1 : end + 2] == ":":
                    raise self.unsupported("a named class [: :]")
                depth += 1
            elif character == "]" and not self.pattern[:end].endswith(("[", "[^")):
                depth -= 1
                if depth == 0:
                    break
            elif self.pattern[end : end + 2] in {"--", "~~"}:
                raise self.unsupported("a difference of classes")
            end += 1
        else:
            raise InvalidArgumentError(f"pattern: {self.pattern!r} has an open [", "pattern")
        inside = self.pattern[self.at : end + 1]
        for escaped, meant in _WORDS.items():
            inside = inside.replace(escaped, meant)
        self.emit(inside, end + 1 - self.at)

    def open_group(self) -> None:
        self.groups.append(len(self.out))
        if self.pattern[self.at + 1 : self.at + 2] != "?":
            self.copy(1)
            return
        known = next((g for g in _GROUPS if self.pattern.startswith(g, self.at)), None)
        if known is None:
            raise self.unsupported(f"the group {self.pattern[self.at : self.at + 5]!r}")
        self.copy(len(known))
        if known == "(?i)":
            # To the end of the group in both syntaxes, but Oniguruma lets it span alternatives.
            raise self.unsupported("a flag without a group; write (?i:…)")

    def quantify(self, quantifier: str) -> None:
        self.at += len(quantifier)
        mode = self.pattern[self.at : self.at + 1]
        mode = mode if mode in {"+", "?"} else ""
        self.at += len(mode)
        if mode == "+" and quantifier.startswith("{"):
            # Oniguruma reads X{1,3}+ as (X{1,3})+.
            atom = "".join(self.out[self.atom :])
            self.out[self.atom :] = [f"(?>{atom}{quantifier})"]
        else:
            self.out.append(quantifier + mode)

    def unsupported(self, what: str) -> UnsupportedTokenizerError:
        message = f"pattern: {what} is not known to mean the same in tokenizer.json; rewrite it"
        return UnsupportedTokenizerError(message, "pattern")
