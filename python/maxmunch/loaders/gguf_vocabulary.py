"""What a GGUF file says about its vocabulary: tokens, kinds, tokens around a text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from maxmunch.errors import InvalidTokenizerError
from maxmunch.loaders.ranks import added_entries
from maxmunch.loaders.sentencepiece_model import Kind

__all__ = ["GgufVocabulary", "read_vocabulary"]

_PREFIX = "tokenizer.ggml."
_CONTROLS = {
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
    "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
    "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>", "[e~[",
    "<\uff5cend▁of▁sentence\uff5c>", "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>",
    "<\uff5cfim▁begin\uff5c>",
    "<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>", "<|fim_suffix|>", "<fim-suffix>",
    "<fim_suffix>", "<\uff5cfim▁hole\uff5c>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>",
    "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<\uff5cfim▁end\uff5c>", "<MID>", "▁<MID>",
    "<|code_middle|>", "<|middle|>", "<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]",
    "<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>", "<|file_sep|>",
}  # fmt: skip
"""Tokens that are special whatever kind the file gives them."""


@dataclass(frozen=True)
class GgufVocabulary:
    """The members of a file that decide ids."""

    members: dict[str, Any]
    """Members without their prefix `tokenizer.ggml.`."""
    tokens: list[str]
    kinds: list[Kind]
    name: str
    """Name of the model, in small letters: some names change how special tokens match."""
    architecture: str

    def items(self, name: str, kind: type) -> list[Any]:
        """Return a list of the file.

        Raises:
            InvalidTokenizerError: It is missing, or holds something else.
        """
        found = self.members.get(name)
        if not isinstance(found, list) or not all(isinstance(item, kind) for item in found):
            path = f"{_PREFIX}{name}"
            raise InvalidTokenizerError(f"{path}: should be a list of {kind.__name__}", path)
        return found

    def scores(self) -> list[float]:
        """Return the score of each token."""
        name = "scores"
        found = self.items(name, float)
        if len(found) != len(self.tokens):
            path = f"{_PREFIX}{name}"
            raise InvalidTokenizerError(f"{path}: should have a score for each token", path)
        for index, score in enumerate(found):
            if not math.isfinite(score):
                path = f"{_PREFIX}{name}[{index}]"
                raise InvalidTokenizerError(f"{path}: {score} should be finite", path)
        return found

    def unique(self, tokens: list[str] | None = None) -> dict[str, int]:
        """Return the id of each token.

        Raises:
            InvalidTokenizerError: A token comes twice.
        """
        spelled = self.tokens if tokens is None else tokens
        vocab = {token: index for index, token in enumerate(spelled)}
        if len(vocab) != len(spelled):
            path = f"{_PREFIX}tokens"
            raise InvalidTokenizerError(f"{path}: a token comes twice", path)
        return vocab

    def added(self, spelled: list[str] | None = None) -> list[dict[str, Any]]:
        """Return the entries of tokens that are found in the text before anything else."""
        tokens = self.tokens if spelled is None else spelled

        def of(*wanted: Kind) -> dict[str, int]:
            return {tokens[i]: i for i, kind in enumerate(self.kinds) if kind in wanted}

        entries = added_entries(of(Kind.CONTROL, Kind.UNKNOWN), special=True)
        entries += added_entries(of(Kind.USER_DEFINED))
        lstrip, rstrip = self._stripping()
        for entry in entries:
            entry["lstrip"] = entry["content"] in lstrip
            entry["rstrip"] = entry["content"] in rstrip
        return sorted(entries, key=lambda entry: int(entry["id"]))

    def _stripping(self) -> tuple[set[str], set[str]]:
        """Return the tokens that take the white space before and after them."""
        pre = str(self.members.get("pre", ""))
        if any(part in pre for part in ("jina-v2-de", "jina-v2-es", "jina-v2-code")) or any(
            part in self.architecture for part in ("nomic-bert-moe", "jina-bert-v3")
        ):
            return {"<mask>"}, set()
        if "phi-3" in self.name or "phi3" in self.name:
            return set(), set(self.tokens) - {"<unk>", "<s>", "<|endoftext|>"}
        return ({"[MASK]"} if "modern-bert" in self.name else set()), set()

    def around(
        self, *, bos: int | None = None, eos: int | None = None, bos_too: bool, eos_too: bool
    ) -> dict[str, Any] | None:
        """Return the post-processor that adds what the file says is added.

        Args:
            bos: Id of the first token where the file names none; None for no such token.
            eos: Id of the last one, likewise.
            bos_too: Whether the first one is added where the file does not say.
            eos_too: Whether the last one is, likewise.
        """
        first = self.members.get("bos_token_id", bos)
        last = self.members.get("eos_token_id", eos)
        parts: list[tuple[str, int] | None] = []
        for name, number, default in (("bos", first, bos_too), ("eos", last, eos_too)):
            wanted = self.members.get(f"add_{name}_token", default)
            parts.append(self._named(f"{name}_token_id", number) if wanted else None)
        return template(*parts)

    def _named(self, name: str, number: int | None) -> tuple[str, int]:
        if isinstance(number, bool) or not isinstance(number, int):
            number = -1
        if not 0 <= number < len(self.tokens):
            path = f"{_PREFIX}{name}"
            rule = f"should be the id of a token, below {len(self.tokens)}, as it is added"
            raise InvalidTokenizerError(f"{path}: {number} {rule}", path)
        return self.tokens[number], number

    def number(self, name: str, default: int) -> tuple[str, int]:
        """Return the token that a member names, with its id."""
        return self._named(name, self.members.get(name, default))


def template(*parts: tuple[str, int] | None) -> dict[str, Any] | None:
    """Return the post-processor that puts the first part before a text and the second after."""
    if not any(parts):
        return None
    before, after = parts

    def piece(part: tuple[str, int] | None, type_id: int) -> list[dict[str, Any]]:
        return [{"SpecialToken": {"id": part[0], "type_id": type_id}}] if part else []

    def around(name: str, type_id: int) -> list[dict[str, Any]]:
        text = {"Sequence": {"id": name, "type_id": type_id}}
        return [*piece(before, type_id), text, *piece(after, type_id)]

    return {
        "type": "TemplateProcessing",
        "single": around("A", 0),
        "pair": [*around("A", 0), *around("B", 1)],
        "special_tokens": {
            part[0]: {"id": part[0], "ids": [part[1]], "tokens": [part[0]]}
            for part in sorted(filter(None, parts))
        },
    }


def read_vocabulary(members: dict[str, Any]) -> GgufVocabulary:
    """Return what the metadata of a file, keys and values, say about its vocabulary.

    Raises:
        InvalidTokenizerError: Tokens or kinds are missing or malformed.
    """
    own = {
        key.removeprefix(_PREFIX): value
        for key, value in members.items()
        if key.startswith(_PREFIX)
    }
    tokens = own.get("tokens")
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        path = f"{_PREFIX}tokens"
        raise InvalidTokenizerError(f"{path}: should be a list of str", path)
    kinds = own.get("token_type") or [1] * len(tokens)
    # Kind 0 is "undefined".
    if not isinstance(kinds, list) or len(kinds) != len(tokens) or set(kinds) - {0, *Kind}:
        path = f"{_PREFIX}token_type"
        raise InvalidTokenizerError(f"{path}: should have a kind from 0 to 6 for each token", path)
    kind_of = {number: Kind(number or 5) for number in set(kinds)}
    tokens = [token or f"[EMPTY_{index}]" for index, token in enumerate(tokens)]
    # The end of a sentence for some, a word of this vocabulary.
    plain = {"</s>"} if {"<|tool_response>", "<|plamo:eos|>"} & set(tokens) else set()
    controls = _CONTROLS - plain
    return GgufVocabulary(
        members=own,
        tokens=tokens,
        kinds=[
            Kind.CONTROL if token in controls else Kind.NORMAL if token in plain else kind_of[kind]
            for token, kind in zip(tokens, kinds, strict=True)
        ],
        name=str(members.get("general.name", "")).lower(),
        architecture=str(members.get("general.architecture", "")),
    )
