"""Pre-tokenizers: how text is cut into pieces. Plain objects that describe themselves as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.components import Component, byte_level_table
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ByteLevel", "PreTokenizer", "Sequence", "Split"]

_BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}


class PreTokenizer(Component, section=True):
    """A pre-tokenizer; build one of its subclasses."""


class ByteLevel(PreTokenizer):
    """Writes bytes as printable characters, after a cut by the pattern of GPT-2.

    Args:
        add_prefix_space: Whether a piece that does not start with a space gets one.
        trim_offsets: Kept in the file; only post-processors trim.
        use_regex: Whether to cut by the pattern first.
    """

    def __init__(
        self,
        add_prefix_space: bool = True,
        trim_offsets: bool = True,
        use_regex: bool = True,
    ) -> None:
        super().__init__(
            add_prefix_space=add_prefix_space, trim_offsets=trim_offsets, use_regex=use_regex
        )

    @staticmethod
    def alphabet() -> list[str]:
        """Return the 256 characters that stand for bytes."""
        return byte_level_table()


class Split(PreTokenizer):
    """Cuts at the matches of a pattern.

    Args:
        pattern: A literal text, or a regular expression as `{"Regex": …}`.
        behavior: removed, isolated, merged_with_previous, merged_with_next or contiguous.
        invert: Whether to cut at what the pattern does not match.

    Raises:
        InvalidArgumentError: `behavior` is none of the five.
    """

    def __init__(
        self, pattern: str | dict[str, str], behavior: str, *, invert: bool = False
    ) -> None:
        if behavior not in _BEHAVIORS:
            raise InvalidArgumentError(
                f"behavior: {behavior!r} should be one of {', '.join(_BEHAVIORS)}", "behavior"
            )
        super().__init__(
            pattern={"String": pattern} if isinstance(pattern, str) else dict(pattern),
            behavior=_BEHAVIORS[behavior],
            invert=invert,
        )


class Sequence(PreTokenizer):
    """Several pre-tokenizers, each on every piece of the one before."""

    def __init__(self, pretokenizers: Iterable[PreTokenizer]) -> None:
        super().__init__(pretokenizers=list(pretokenizers))

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        parts = [PreTokenizer.from_dict(part) for part in members["pretokenizers"]]
        return {**members, "pretokenizers": parts}
