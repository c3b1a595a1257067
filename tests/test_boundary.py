"""What crosses between Python and the core: errors, never panics."""

from __future__ import annotations

import pytest

import maxmunch as mm
from maxmunch import _core


def test_a_panic_in_the_core_becomes_an_internal_error() -> None:
    with pytest.raises(mm.InternalError, match="something impossible"):
        _core._provoke_panic("something impossible")
