"""How components and tokenizers are shown: the form of the reference, from their JSON."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["represented"]

_WORDS = {"direction", "strategy", "behavior", "prepend_scheme"}
"""Members whose values are names of choices, shown without quotes."""

_TUPLES = {("BPE", "merges"), ("Unigram", "vocab")}
"""Lists of pairs, by the type they are in."""


def represented(
    section: str, document: dict[str, Any], *, most_elements: int, most_bytes: int | None = None
) -> str:
    """Return the text of a JSON object of `section`, which is "tokenizer" for a whole file.

    Args:
        section: What the object is.
        document: The object.
        most_elements: From this number on, elements of lists and maps are `...`.
        most_bytes: Longer strings are cut.
    """
    return _Writer(most_elements, most_bytes).of_section(section, document)


class _Writer:
    def __init__(self, most_elements: int, most_bytes: int | None) -> None:
        self.most_elements = most_elements
        self.most_bytes = most_bytes

    def of_section(self, section: str, value: Any) -> str:
        if value is None:
            return "None"
        if section == "tokenizer":
            members = (f"{name}={self.of_section(name, part)}" for name, part in value.items())
            return f"Tokenizer({', '.join(members)})"
        if section in ("truncation", "padding"):
            return self.struct(f"{section.capitalize()}Params", value)
        if section in ("added_tokens", "version"):
            return self.value(value)
        return self.component(value)

    def component(self, value: dict[str, Any]) -> str:
        members = {name: member for name, member in value.items() if name != "type"}
        kind = value["type"]
        if kind == "TemplateProcessing":
            return self.template(members)
        return self.struct(kind, members)

    def struct(self, kind: str, members: dict[str, Any]) -> str:
        shown = (f"{name}={self.member(kind, name, value)}" for name, value in members.items())
        return f"{kind}({', '.join(shown)})"

    def member(self, kind: str, name: str, value: Any) -> str:  # noqa: PLR0911
        if name in _WORDS and not (kind == "Fixed" or isinstance(value, dict)):
            return str(value)
        if name == "strategy":
            return f"Fixed({value['Fixed']})"
        if name == "pattern":
            ((variant, source),) = value.items()
            return f"{variant}({self.value(source)})"
        if (kind, name) in _TUPLES:
            return self.group("[", "]", value, self.pair)
        if name in ("sep", "cls") and isinstance(value, list):
            return self.pair(value)
        if name == "dropout" and value is not None:
            return _float(struct.unpack("f", struct.pack("f", value))[0])
        return self.value(value)

    def pair(self, value: list[Any]) -> str:
        return f"({', '.join(self.value(element) for element in value)})"

    def template(self, members: dict[str, Any]) -> str:
        def piece(value: dict[str, Any]) -> str:
            ((kind, inner),) = value.items()
            name = inner["id"] if kind == "Sequence" else self.value(inner["id"])
            return f"{kind}(id={name}, type_id={inner['type_id']})"

        def special(item: tuple[str, dict[str, Any]]) -> str:
            return f"{self.value(item[0])}:{self.struct('SpecialToken', item[1])}"

        single = self.group("[", "]", members["single"], piece)
        pair = self.group("[", "]", members["pair"], piece)
        tokens = self.group("{", "}", members["special_tokens"].items(), special)
        return f"TemplateProcessing(single={single}, pair={pair}, special_tokens={tokens})"

    def group(
        self, start: str, end: str, elements: Iterable[Any], write: Callable[[Any], str]
    ) -> str:
        shown = []
        for index, element in enumerate(elements, 1):
            if index >= self.most_elements:
                shown.append("...")
                break
            shown.append(write(element))
        return start + ", ".join(shown) + end

    def value(self, value: Any) -> str:  # noqa: PLR0911
        if value is None or isinstance(value, bool):
            return str(value)
        if isinstance(value, str):
            return f'"{self.cut(value)}"'
        if isinstance(value, float):
            return _float(value)
        if isinstance(value, list):
            return self.group("[", "]", value, self.value)
        if isinstance(value, dict):
            # A vocabulary may have a token of that name.
            if isinstance(value.get("type"), str):
                return self.component(value)

            def entry(item: tuple[str, Any]) -> str:
                return f"{self.value(item[0])}:{self.value(item[1])}"

            return self.group("{", "}", value.items(), entry)
        return str(value)

    def cut(self, text: str) -> str:
        data = text.encode()
        if self.most_bytes is None or len(data) <= self.most_bytes:
            return text
        return data[: self.most_bytes].decode(errors="ignore") + "..."


def _float(value: float) -> str:
    shown = format(Decimal(repr(value)), "f")
    return shown.removesuffix(".0")
