"""Long texts that are not ASCII: their UTF-8 is made for a call, and nothing of it stays."""

from __future__ import annotations

import sys
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = "ёлка 漢字 🙂 and more; " * 100


class Odd(str):
    """A text that does not tell the truth about itself."""

    __slots__ = ()

    def isascii(self) -> bool:
        return True

    def __len__(self) -> int:
        return 2000


def tokenizer() -> mm.Tokenizer:
    alphabet = mm.pre_tokenizers.ByteLevel.alphabet()
    made = mm.Tokenizer(mm.models.BPE({token: i for i, token in enumerate(alphabet)}, []))
    made.pre_tokenizer = mm.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = mm.decoders.ByteLevel()
    return made


CALLS: dict[str, Callable[[mm.Tokenizer, str], Any]] = {
    "encode_ids": lambda tok, text: tok.encode_ids(text),
    "encode_ids on threads": lambda tok, text: tok.encode_ids(text, threads=2),
    "encode_ids_batch": lambda tok, text: tok.encode_ids_batch([text, "a", text]),
    "count_tokens": lambda tok, text: tok.count_tokens(text),
    "truncate_text": lambda tok, text: tok.truncate_text(text, 10),
    "cut_points": lambda tok, text: tok.cut_points(text, 2),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_long_text_takes_no_more_memory_afterwards(
    call: Callable[[mm.Tokenizer, str], Any],
) -> None:
    text = LONG + "end"
    before = sys.getsizeof(text)

    call(tokenizer(), text)

    assert before == sys.getsizeof(text)


@pytest.mark.parametrize(
    "text",
    [LONG, LONG.encode(), Odd(LONG), "a" * 5000, LONG[:1023]],
    ids=["long", "bytes", "odd", "ASCII", "short"],
)
def test_every_kind_of_text_gives_the_same_ids(text: str | bytes) -> None:
    tok = tokenizer()
    plain = text if isinstance(text, bytes) else str.encode(text)

    ids = tok.encode_ids(text)

    assert len(plain) == len(ids) == tok.count_tokens(text)
    assert plain.decode() == tok.decode(ids.tolist())
    assert ids.tolist() == tok.encode_ids_batch([text])[0].tolist()


def test_a_text_that_comes_many_times_in_a_row_is_made_once() -> None:
    tok, text = tokenizer(), LONG + "end"
    tok.encode_ids(text)
    tracemalloc.start()

    ids = tok.encode_ids_batch([text] * 300 + ["a", text])

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    taken = sum(array.nbytes for array in (ids.ids, ids.offsets))
    assert peak < taken + 100 * len(text)
    assert ids[0].tolist() == ids[299].tolist() == ids[301].tolist()


def test_a_lone_surrogate_in_a_long_text_is_refused_with_its_position() -> None:
    tok, text = tokenizer(), LONG + "\ud800"

    for call in (tok.encode_ids, tok.count_tokens):
        with pytest.raises(UnicodeEncodeError, match=f"position {len(LONG)}: "):
            call(text)
    with pytest.raises(UnicodeEncodeError, match=f"position {len(LONG)}: "):
        tok.encode_ids_batch(["a", text])
