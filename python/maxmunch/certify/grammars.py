r"""Four C-like token sets, from bare tokens to block comments, and a generator of text for them.

They differ in what the paper varies: `bare` has identifiers, numbers, operators, punctuation and
runs of blanks that include the newline; `conventional` adds strings without raw newline and `//`
comments; `split-friendly` makes the newline a token of its own; `block-comments` adds `/* ... */`
to
`conventional`. Bytes that no pattern mentions occur only inside strings and comments.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from maxmunch.certify.token_set import TokenSet
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NAME = ("identifier", "[A-Za-z_][A-Za-z_0-9]*")
_NUMBER = ("number", "[0-9]+")
_OPERATOR = ("operator", r"[-/*+=<>!&|%^~?:.]")
_PUNCTUATION = ("punctuation", r"[(){}\[\];,]")
_BLANKS = ("blanks", r"[ \t\n]+")
_STRING = ("string", r'"[^"\n]*"')
_LINE_COMMENT = ("line comment", r"//[^\n]*")
_BLOCK_COMMENT = ("block comment", r"/\*(?:[^*]|\*+[^*/])*\*+/")
_BARE = (_NAME, _NUMBER, _OPERATOR, _PUNCTUATION)

GRAMMARS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "bare": (*_BARE, _BLANKS),
    "conventional": (*_BARE, _BLANKS, _STRING, _LINE_COMMENT),
    "split-friendly": (
        *_BARE,
        ("newline", r"\n"),
        ("blanks", r"[ \t]+"),
        _STRING,
        _LINE_COMMENT,
    ),
    "block-comments": (*_BARE, _BLANKS, _STRING, _LINE_COMMENT, _BLOCK_COMMENT),
}
"""Name to `(name, pattern)` pairs, as `TokenSet.regular` takes them."""

CLASSES: Final[Mapping[str, bytes]] = {
    "alpha": b"aZ_",
    "digit": b"07",
    "slash": b"/",
    "star": b"*",
    "operator": b"+=<",
    "punctuation": b"({;",
    "quote": b'"',
    "newline": b"\n",
    "blank": b" \t",
    "other": b"#\\@\x00\xff",
}
"""The byte classes of the grammars, each with bytes that stand for it in checks."""


def _known(name: str) -> str:
    if name not in GRAMMARS:
        raise InvalidArgumentError(
            f"name: {name!r} is no campaign grammar; there are {', '.join(GRAMMARS)}", "name"
        )
    return name


def token_set(name: str) -> TokenSet:
    r"""Return a campaign grammar as a token set.

    Args:
        name: `"bare"`, `"conventional"`, `"split-friendly"` or `"block-comments"`.

    Raises:
        InvalidArgumentError: There is no grammar of that name.

    Example:
        >>> from maxmunch.certify import grammars
        >>> grammars.token_set("split-friendly").delimiter(b"\n").before
        True
    """
    return TokenSet.regular(GRAMMARS[_known(name)])


def text(name: str, size: int, *, seed: int = 0) -> bytes:
    """Return `size` bytes of C-like text that a campaign grammar tokenizes.

    Statements, nested blocks and, where the grammar has them, strings and comments, drawn from a
    seeded generator: the same arguments give the same bytes on every machine.

    Raises:
        InvalidArgumentError: There is no grammar of that name, or `size` is negative.
    """
    if size < 0:
        raise InvalidArgumentError(f"size: it is {size}; it must not be negative", "size")
    writer = _Writer(_known(name), random.Random(seed))  # noqa: S311 - reproducible text
    parts: list[str] = []
    written = 0
    while written < size:
        parts.append(writer.function())
        written += len(parts[-1])
    data = "".join(parts).encode()[:size]
    # the cut may fall into a string or comment; blanks are tokens of every grammar
    end = data.rfind(b"\n}\n") + 3
    return data[:end] + b" " * (size - end) if end > 2 else b" " * size  # noqa: PLR2004


_WORDS: Final = [
    "int",
    "char",
    "long",
    "void",
    "static",
    "const",
    "struct",
    "return",
    "if",
    "else",
    "while",
    "for",
    "sizeof",
    "count",
    "index",
    "value",
    "buffer",
    "length",
    "node",
    "next",
    "prev",
    "state",
    "table",
    "entry",
    "flags",
    "error",
    "result",
    "offset",
    "size",
    "key",
    "map",
    "list",
]


class _Writer:
    """Draws C-like text, line by line."""

    def __init__(self, name: str, draw: random.Random) -> None:
        self._draw = draw
        self._quotes = name != "bare"
        self._blocks = name == "block-comments"

    def _name(self) -> str:
        word = self._draw.choice(_WORDS)
        suffix = self._draw.choice(["", "", "", "_t", "2", "_" + self._draw.choice(_WORDS)])
        return word + suffix

    def _prose(self) -> str:
        letters = [self._draw.choice([*_WORDS, "don't", "#1", "50%", "a\\b", "(see)"])]
        letters += [self._draw.choice(_WORDS) for _ in range(self._draw.randrange(8))]
        return " ".join(letters)

    def _atom(self) -> str:
        kinds: list[Callable[[], str]] = [
            self._name,
            self._name,
            lambda: str(self._draw.randrange(10_000)),
            lambda: f"{self._name()}[{self._name()}]",
            lambda: f"{self._name()}({self._name()}, {self._name()})",
            lambda: f"*{self._name()}",
            lambda: f"{self._name()}->{self._name()}",
        ]
        if self._quotes:
            kinds.append(lambda: f'"{self._prose()}"')
        return self._draw.choice(kinds)()

    def _expression(self) -> str:
        atoms = [self._atom()]
        while self._draw.random() < 0.4:  # noqa: PLR2004 - the mean length of expressions
            operator = self._draw.choice(["+", "-", "*", "/", "<", "==", "&&", "|", "%", ">>"])
            atoms += [operator, self._atom()]
        return " ".join(atoms)

    def _statement(self, depth: int) -> list[str]:
        tab = "\t" * depth if self._draw.random() < 0.5 else "    " * depth  # noqa: PLR2004
        kind = self._draw.randrange(10)
        comment = f" // {self._prose()}" if self._quotes and kind in {0, 3} else ""
        if kind == 1 and self._blocks:
            return [f"{tab}/* {self._prose()}", f"{tab} * {self._prose()}", f"{tab} */"]
        if kind == 2 and depth < 4:  # noqa: PLR2004 - how deep blocks nest
            inner = []
            for _ in range(self._draw.randint(1, 4)):
                inner += self._statement(depth + 1)
            return [f"{tab}if ({self._expression()}) {{", *inner, f"{tab}}}"]
        if kind == 3:  # noqa: PLR2004
            return [f"{tab}return {self._expression()};{comment}"]
        if kind == 4:  # noqa: PLR2004
            return [""]
        return [f"{tab}{self._name()} = {self._expression()};{comment}"]

    def function(self) -> str:
        """Return one function."""
        head = f"{self._name()} {self._name()}({self._name()} {self._name()})"
        body = [line for _ in range(self._draw.randint(3, 15)) for line in self._statement(1)]
        return "\n".join([head, "{", *body, "}", ""]) + "\n"
