"""Post-processors: special tokens, trimmed offsets. Plain objects that write their JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.components import Component

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]


class PostProcessor(Component, section=True):
    """A post-processor; build one of its subclasses."""


class BertProcessing(PostProcessor):
    """Writes `cls A sep`, and `cls A sep B sep` for pairs.

    Args:
        sep: Text and id of the separator.
        cls_token: Text and id of the token in front; the file calls it `cls`.
    """

    def __init__(self, sep: tuple[str, int], cls_token: tuple[str, int]) -> None:
        super().__init__(sep=list(sep), cls=list(cls_token))


class ByteLevel(PostProcessor):
    """Takes white space off the offsets; token texts stay as they are.

    Args:
        add_prefix_space: Whether one leading space at the start of the text was put there by us.
        trim_offsets: Whether to do anything at all.
        use_regex: Kept in the file.
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


class RobertaProcessing(PostProcessor):
    """Writes `cls A sep`, and `cls A sep sep B sep` for pairs; all types are 0.

    Args:
        sep: Text and id of the separator.
        cls_token: Text and id of the token in front; the file calls it `cls`.
        trim_offsets: Whether to take white space off the offsets, special tokens or not.
        add_prefix_space: Whether one leading space at the start of the text was put there by us.
    """

    def __init__(
        self,
        sep: tuple[str, int],
        cls_token: tuple[str, int],
        trim_offsets: bool = True,
        add_prefix_space: bool = True,
    ) -> None:
        super().__init__(
            sep=list(sep),
            cls=list(cls_token),
            trim_offsets=trim_offsets,
            add_prefix_space=add_prefix_space,
        )


class TemplateProcessing(PostProcessor):
    """Sequences and special tokens in a fixed order; read from a file."""


class Sequence(PostProcessor):
    """Several post-processors, one after the other."""

    def __init__(self, processors: Iterable[PostProcessor]) -> None:
        super().__init__(processors=list(processors))

    @classmethod
    def _read(cls, members: dict[str, Any]) -> dict[str, Any]:
        parts = [PostProcessor.from_dict(part) for part in members["processors"]]
        return {**members, "processors": parts}
