"""Post-processors: special tokens, trimmed offsets. Plain objects that write their JSON."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from maxmunch import _core
from maxmunch.components import Component
from maxmunch.composite import Composite
from maxmunch.encoding import Encoding
from maxmunch.errors import InvalidArgumentError
from maxmunch.options import Option, count, flag, instance, maybe, text

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]

Special: TypeAlias = "tuple[str, int] | tuple[int, str] | dict[str, Any]"
"""A special token: its text and its id, or a dict with `id`, `ids` and `tokens`."""


class PostProcessor(Component, section="post_processor"):
    """A post-processor; build one of its subclasses."""

    def _build(self) -> Any:
        return _core.PostProcessorCore.from_json(self.to_json(), self._added_single())

    def _added_single(self) -> list[int | None]:
        """Return, by template in it, what it says that it adds to a single text; None: counted."""
        return []

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """Return how many tokens it adds."""
        return int(self.core().added(flag("is_pair", is_pair)))

    def process(
        self, encoding: Encoding, pair: Encoding | None = None, add_special_tokens: bool = True
    ) -> Encoding:
        """Return the encodings of a text, and perhaps of its pair, as one.

        Args:
            encoding: The encoding of the text.
            pair: The encoding of a second text.
            add_special_tokens: Whether special tokens are put in.
        """
        first = instance("encoding", encoding, Encoding).core
        other = None if pair is None else instance("pair", pair, Encoding).core
        return Encoding.from_core(self.core().process(first, other, add_special_tokens))


def _special(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004
        raise TypeError(f"{name}: {value!r:.60} given where a text and its id are expected")
    token, number = value
    return [text(name, token), count(name, number)]


class BertProcessing(PostProcessor):
    """Writes `cls A sep`, and `cls A sep B sep` for pairs.

    Args:
        sep: Text and id of the separator.
        cls_token: Text and id of the token in front; the file calls it `cls`.
    """

    sep = Option["tuple[str, int]"](_special, shown=tuple)
    cls = Option["tuple[str, int]"](_special, shown=tuple)

    def __init__(self, sep: tuple[str, int], cls_token: tuple[str, int]) -> None:
        super().__init__(sep=_special("sep", sep), cls=_special("cls_token", cls_token))


class ByteLevel(PostProcessor):
    """Takes white space off the offsets; token texts stay as they are.

    Args:
        add_prefix_space: Whether one leading space at the start of the text was put there by us.
        trim_offsets: Whether to do anything at all.
        use_regex: Kept in the file.
    """

    add_prefix_space = Option[bool](flag)
    trim_offsets = Option[bool](flag)
    use_regex = Option[bool](flag)

    def __init__(
        self,
        add_prefix_space: bool | None = None,
        trim_offsets: bool | None = None,
        use_regex: bool | None = None,
        **_kwargs: Any,
    ) -> None:
        super().__init__(
            add_prefix_space=maybe(flag)("add_prefix_space", add_prefix_space) is not False,
            trim_offsets=maybe(flag)("trim_offsets", trim_offsets) is not False,
            use_regex=maybe(flag)("use_regex", use_regex) is not False,
        )


class RobertaProcessing(PostProcessor):
    """Writes `cls A sep`, and `cls A sep sep B sep` for pairs; all types are 0.

    Args:
        sep: Text and id of the separator.
        cls_token: Text and id of the token in front; the file calls it `cls`.
        trim_offsets: Whether to take white space off the offsets, special tokens or not.
        add_prefix_space: Whether one leading space at the start of the text was put there by us.
    """

    sep = Option["tuple[str, int]"](_special, shown=tuple)
    cls = Option["tuple[str, int]"](_special, shown=tuple)
    trim_offsets = Option[bool](flag)
    add_prefix_space = Option[bool](flag)

    def __init__(
        self,
        sep: tuple[str, int],
        cls_token: tuple[str, int],
        trim_offsets: bool = True,
        add_prefix_space: bool = True,
    ) -> None:
        super().__init__(
            sep=_special("sep", sep),
            cls=_special("cls_token", cls_token),
            trim_offsets=flag("trim_offsets", trim_offsets),
            add_prefix_space=flag("add_prefix_space", add_prefix_space),
        )


_MOST_TYPE_ID = 2**32 - 2
_SEQUENCES = {"": "A", "A": "A", "a": "A", "B": "B", "b": "B"}


def _is_type_id(part: str) -> bool:
    digits = part.removeprefix("+")
    return digits.isascii() and digits.isdigit() and int(digits) <= _MOST_TYPE_ID


def _piece(name: str, value: str) -> dict[str, Any]:
    """Return how files spell `$A`, `$B:1`, `[CLS]`, `[SEP]:1` and the like."""
    refused = InvalidArgumentError(
        f'{name}: Cannot build Piece from string "{value}"; it should be a special token, `$`, '
        "`$A`, `$B` or `$` and a type id, and perhaps `:` and a type id",
        name,
    )
    what, *rest = value.split(":")
    if len(rest) > 1 or not all(map(_is_type_id, rest)):
        raise refused
    type_id = int(rest[0]) if rest else 0
    if not what.startswith("$"):
        return {"SpecialToken": {"id": what, "type_id": type_id}}
    which = what[1:]
    if which in _SEQUENCES:
        return {"Sequence": {"id": _SEQUENCES[which], "type_id": type_id}}
    if not _is_type_id(which):
        raise refused
    return {"Sequence": {"id": "A", "type_id": type_id if rest else int(which)}}


def _template(name: str, value: Any) -> list[dict[str, Any]]:
    parts = value.split(" ") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise TypeError(f"{name}: {type(value).__name__} given where a str or a list is expected")
    return [_piece(name, text(name, part)) for part in parts]


def _special_token(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        for member in ("id", "ids", "tokens"):
            if member not in value:
                raise InvalidArgumentError(f"`{member}` must be specified", "special_tokens")
        return {
            "id": text("id", value["id"]),
            "ids": [count("ids", number) for number in value["ids"]],
            "tokens": [text("tokens", token) for token in value["tokens"]],
        }
    if isinstance(value, list | tuple) and value and isinstance(value[-1], str):
        value = value[::-1]
    name, number = _special("special_tokens", value)
    return {"id": name, "ids": [number], "tokens": [name]}


def _debug(pieces: list[dict[str, Any]]) -> str:
    """Return a template as the reference shows it when asked for `single`."""
    shown = []
    for piece in pieces:
        ((kind, members),) = piece.items()
        name = (
            members["id"] if kind == "Sequence" else json.dumps(members["id"], ensure_ascii=False)
        )
        shown.append(f"{kind} {{ id: {name}, type_id: {members['type_id']} }}")
    return f"Template([{', '.join(shown)}])"


class TemplateProcessing(PostProcessor):
    """Puts sequences and special tokens in a fixed order.

    Args:
        single: The template of one text, as a list or with spaces between its pieces: `$A` or `$0`
            is the text, `[CLS]` a special token, `:1` after either its type id.
        pair: The template of a pair; `$B` is the second text.
        special_tokens: Text and id of each special token that the templates use.

    Raises:
        InvalidArgumentError: A piece is malformed, a special token is not in `special_tokens`, or
            `pair` does not use both texts.

    Example:
        >>> import maxmunch as mm
        >>> mm.processors.TemplateProcessing(
        ...     "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 1), ("[SEP]", 2)]
        ... ).num_special_tokens_to_add(is_pair=True)
        3
    """

    single = Option[str](_template, shown=_debug)
    _claimed: int | None = None
    """How many tokens it says that it adds to a single text, once a template was set later."""

    def __init__(
        self,
        single: str | list[str] | None = None,
        pair: str | list[str] | None = None,
        special_tokens: list[Special] | None = None,
    ) -> None:
        tokens = [_special_token(token) for token in special_tokens or ()]
        named = {token["id"]: token for token in sorted(tokens, key=_id_of)}
        one = _template("single", "$A" if single is None else single)
        two = _template("pair", "$A:0 $B:1" if pair is None else pair)
        used = [piece["SpecialToken"]["id"] for piece in one + two if "SpecialToken" in piece]
        missing = [name for name in dict.fromkeys(used) if name not in named]
        if missing:
            raise InvalidArgumentError(
                f"Missing SpecialToken(s) with id(s) `{', '.join(missing)}`; give text and id in "
                "special_tokens",
                "special_tokens",
            )
        texts = {piece["Sequence"]["id"] for piece in two if "Sequence" in piece}
        if texts != {"A", "B"}:
            raise InvalidArgumentError(
                f"pair: Template for `pair` must use both sequences, $A and $B; {pair!r} does not",
                "pair",
            )
        super().__init__(single=one, pair=two, special_tokens=named)

    def change(self, name: str, value: Any) -> None:
        """Set a member; the number of tokens it adds stays until saved, as in the reference."""
        before, self._claimed = self._claimed, self.num_special_tokens_to_add(is_pair=False)
        try:
            super().change(name, value)
        except BaseException:
            self._claimed = before
            raise

    def _added_single(self) -> list[int | None]:
        return [self._claimed]

    def _copied(self) -> Any:
        copied = super()._copied()
        copied._claimed = self._claimed
        return copied


def _id_of(token: dict[str, Any]) -> str:
    return str(token["id"])


class Sequence(Composite, PostProcessor):
    """Several post-processors, one after the other.

    Args:
        processors: The post-processors; a sequence among them is taken apart.
    """

    _member = "processors"

    def __init__(self, processors: list[PostProcessor]) -> None:
        super().__init__(processors=self._flat(processors, PostProcessor))

    def _added_single(self) -> list[int | None]:
        parts = [part for part in self._parts() if isinstance(part, PostProcessor)]
        return [count for part in parts for count in part._added_single()]
