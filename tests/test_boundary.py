"""What crosses between Python and the core: errors, never panics."""

from __future__ import annotations

import pytest

import maxmunch as mm
from maxmunch import _core


def test_a_panic_in_the_core_becomes_an_internal_error() -> None:
    with pytest.raises(mm.InternalError, match="something impossible"):
        _core._provoke_panic("something impossible")


def test_a_lone_surrogate_is_refused_with_its_place() -> None:
    tokenizer = mm.Tokenizer(mm.models.LongestMatch({"a": 0}))

    with pytest.raises(UnicodeEncodeError, match="replace it first") as refused:
        tokenizer.encode("aa\ud800")

    assert (2, 3) == (refused.value.start, refused.value.end)
