"""How long encodings may be and how long they are made: truncation and padding."""

from __future__ import annotations

import warnings
from typing import Any

from maxmunch.errors import InvalidArgumentError
from maxmunch.options import choice, count, id_number, maybe, text, warn_ignored
from maxmunch.state import TokenizerState

__all__ = ["TruncatesAndPads"]

_STRATEGIES = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}
_STRATEGY_NAMES = {spelled: name for name, spelled in _STRATEGIES.items()}

_strategy = choice(_STRATEGIES)
_direction = choice({"left": "Left", "right": "Right"})
_maybe_count = maybe(count)


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
        strategy = _strategy("strategy", strategy)
        is_left = _direction("direction", direction) == "Left"
        room = max_length - self.num_special_tokens_to_add(is_pair=False)
        if stride > 0 and stride >= room:
            raise InvalidArgumentError(
                f"stride: {stride} should be below the {room} tokens that max_length {max_length} "
                "leaves beside special ones",
                "stride",
            )
        self._core = self._core.with_truncation((max_length, stride, strategy, is_left))

    def no_truncation(self) -> None:
        """Keep all tokens."""
        self._core = self._core.with_truncation(None)

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The truncation, as a dict of its options; None where there is none."""
        found = self._core.truncation()
        if found is None:
            return None
        max_length, stride, strategy, is_left = found
        return {
            "max_length": max_length,
            "stride": stride,
            "strategy": _STRATEGY_NAMES[strategy],
            "direction": "left" if is_left else "right",
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
        is_left = _direction("direction", direction) == "Left"
        length = _maybe_count("length", length)
        multiple = _maybe_count("pad_to_multiple_of", pad_to_multiple_of)
        filler = (id_number("pad_id", pad_id), id_number("pad_type_id", pad_type_id))
        token = text("pad_token", pad_token)
        self._core = self._core.with_padding((length, multiple, *filler, token, is_left))

    def no_padding(self) -> None:
        """Leave encodings as long as they are."""
        self._core = self._core.with_padding(None)

    @property
    def padding(self) -> dict[str, Any] | None:
        """The padding, as a dict of its options; None where there is none."""
        found = self._core.padding()
        if found is None:
            return None
        length, multiple, pad_id, pad_type_id, pad_token, is_left = found
        return {
            "length": length,
            "pad_to_multiple_of": multiple,
            "pad_id": pad_id,
            "pad_token": pad_token,
            "pad_type_id": pad_type_id,
            "direction": "left" if is_left else "right",
        }
