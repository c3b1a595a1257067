"""How long encodings may be and how long they are made: truncation and padding."""

from __future__ import annotations

import warnings
from typing import Any

from maxmunch.errors import InvalidArgumentError
from maxmunch.options import choice, count, maybe, text, warn_ignored
from maxmunch.state import TokenizerState

__all__ = ["TruncatesAndPads"]

_STRATEGIES = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}
_DIRECTIONS = {"left": "Left", "right": "Right"}


class TruncatesAndPads(TokenizerState):
    """The calls of a tokenizer that set truncation and padding, for all calls that follow."""

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return how many tokens the post-processor adds."""
        return self._core.num_special_tokens_to_add(is_pair)

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: str = "longest_first",
        direction: str = "right",
        **unknown: Any,
    ) -> None:
        """Keep at most `max_length` tokens, special ones included.

        Args:
            max_length: Most tokens of an encoding.
            stride: Tokens that neighbouring windows of `overflowing` share.
            strategy: Which sequence of a pair gives way: longest_first, only_first, only_second.
            direction: From which end tokens are taken away: right or left.
            **unknown: Warned about and ignored.

        Raises:
            InvalidArgumentError: A word is none of these, or `stride` is not below what special
                tokens leave for the text.
        """
        warn_ignored(unknown)
        max_length, stride = count("max_length", max_length), count("stride", stride)
        strategy = choice(_STRATEGIES)("strategy", strategy)
        direction = choice(_DIRECTIONS)("direction", direction)
        room = max_length - self.num_special_tokens_to_add(is_pair=False)
        if stride > 0 and stride >= room:
            raise InvalidArgumentError(
                f"stride: {stride} should be below the {room} tokens that max_length {max_length} "
                "leaves beside special ones",
                "stride",
            )
        options = {
            "direction": direction,
            "max_length": max_length,
            "strategy": strategy,
            "stride": stride,
        }
        self._set_part("truncation", options)

    def no_truncation(self) -> None:
        """Keep all tokens."""
        self._set_part("truncation", None)

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The truncation, as a dict of its options; None where there is none."""
        found = self._part("truncation")
        if found is None:
            return None
        return {
            "max_length": found["max_length"],
            "stride": found["stride"],
            "strategy": _name_of(found["strategy"], _STRATEGIES),
            "direction": _name_of(found["direction"], _DIRECTIONS),
        }

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
        **unknown: Any,
    ) -> None:
        """Fill encodings up to one length.

        Args:
            direction: At which end: right or left.
            pad_id: Id of the padding token.
            pad_type_id: Its type id.
            pad_token: Its text.
            length: The length; by default that of the longest encoding of a batch.
            pad_to_multiple_of: The length is rounded up to a multiple of it.
            **unknown: Warned about and ignored.

        Raises:
            InvalidArgumentError: `direction` is neither, or a number is out of range.
        """
        if "max_length" in unknown:
            warnings.warn("enable_padding(max_length=) is now length=", stacklevel=2)
            length = unknown.pop("max_length")
        warn_ignored(unknown)
        length = maybe(count)("length", length)
        options = {
            "strategy": "BatchLongest" if length is None else {"Fixed": length},
            "direction": choice(_DIRECTIONS)("direction", direction),
            "pad_to_multiple_of": maybe(count)("pad_to_multiple_of", pad_to_multiple_of),
            "pad_id": count("pad_id", pad_id),
            "pad_type_id": count("pad_type_id", pad_type_id),
            "pad_token": text("pad_token", pad_token),
        }
        self._set_part("padding", options)

    def no_padding(self) -> None:
        """Leave encodings as long as they are."""
        self._set_part("padding", None)

    @property
    def padding(self) -> dict[str, Any] | None:
        """The padding, as a dict of its options; None where there is none."""
        found = self._part("padding")
        if found is None:
            return None
        strategy = found["strategy"]
        return {
            "length": None if strategy == "BatchLongest" else strategy["Fixed"],
            "pad_to_multiple_of": found["pad_to_multiple_of"],
            "pad_id": found["pad_id"],
            "pad_token": found["pad_token"],
            "pad_type_id": found["pad_type_id"],
            "direction": _name_of(found["direction"], _DIRECTIONS),
        }


def _name_of(value: str, known: dict[str, str]) -> str:
    return next(name for name, spelled in known.items() if spelled == value)
