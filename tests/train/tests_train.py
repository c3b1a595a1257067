"""What the tests of the train flow share: hostile text, a slow greedy twin, small corpora."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxmunch import lp

BYTES = [bytes([byte]) for byte in range(256)]
WORDS = "the cat sat on a mat and the dog ran to the cat, didn't it? Yes: 1984 times!\n"


def hostile_text(size: int, seed: int = 0) -> list[str]:
    """Documents of about `size` bytes in all that stress every rule of the pattern."""
    generator = random.Random(seed)
    runs = ["a" * 500, "A" * 77, "\u0301" * 40, "\U0001f600" * 50, "東京" * 60, "/" * 40, "\0" * 70]
    parts = [
        *("\0", "\u00a0", "\u3000", "   ", "\t\t", "'s", "'LL", "'\u017f", "12345", "½", "ǅ", "ʰ"),
        *("\n\n  x", " \n ", "\r\n" * 9, "://", "don't", "İ", "ﬀ", "\ufeff", "\u200d", "é", "αβγ"),
        *(WORDS[at : at + 24] for at in range(0, len(WORDS), 6)),
    ]
    characters = [
        chr(c) for c in (*range(0x3000), *range(0xE000, 0xF000), *range(0x1F600, 0x1F650))
    ]
    documents = []
    length = 0
    while length < size:
        count = generator.randrange(1, 60)
        kinds = generator.choices([parts, characters, runs], [80, 18, 2], k=count)
        documents.append("".join(generator.choice(kind) for kind in kinds))
        length += len(documents[-1].encode())
    return documents


def greedy_ids(tokens: dict[bytes, int], longest: int, pretoken: bytes) -> list[int]:
    """Greedy longest match as one would explain it."""
    ids = []
    start = 0
    while start < len(pretoken):
        for end in range(min(len(pretoken), start + longest), start, -1):
            if (number := tokens.get(pretoken[start:end])) is not None:
                ids.append(number)
                start = end
                break
    return ids


def tiny_corpora(count: int) -> list[dict[str, int]]:
    """Corpora so small that every vocabulary can be tried."""
    generator = random.Random(0)
    return [
        {
            "".join(generator.choices("abc", k=generator.randrange(2, 7))): generator.randrange(
                1, 50
            )
            for _ in range(generator.randrange(2, 6))
        }
        for _ in range(count)
    ]


def cost_of(rows: dict[str, int], tokens: tuple[bytes, ...]) -> int:
    """Tokens that greedy longest match takes for the corpus."""
    ids = {token: number for number, token in enumerate([*BYTES, *tokens])}
    return sum(n * len(greedy_ids(ids, 8, word.encode())) for word, n in rows.items())


def optimum(rows: dict[str, int], budget: int) -> int:
    """The least cost of any vocabulary with `budget` tokens of more than one byte."""
    tokens = sorted(
        {w[i:j].encode() for w in rows for i in range(len(w)) for j in range(i + 2, len(w) + 1)}
    )
    return min(
        cost_of(rows, chosen)
        for size in range(budget + 1)
        for chosen in itertools.combinations(tokens, size)
    )


def covering_program(seed: int, columns: int, rows: int) -> lp.LinearProgram:
    """Return a covering program that all ones solve."""
    import numpy as np

    from maxmunch import lp

    generator = np.random.default_rng(seed)
    dense = generator.random((rows, columns)) < 0.2
    dense[np.arange(rows), generator.integers(0, columns, rows)] = True
    start = np.concatenate([[0], dense.sum(axis=1).cumsum()]).astype(np.int32)
    return lp.LinearProgram(
        cost=1.0 + generator.integers(0, 1000, columns).astype(float),
        column_lower=np.zeros(columns),
        row_lower=np.ones(rows),
        row_upper=np.full(rows, np.inf),
        start=start,
        index=np.nonzero(dense)[1].astype(np.int32),
        value=np.ones(int(start[-1])),
    )
