"""What a SentencePiece model file says: its pieces, and how it normalizes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum

from maxmunch.errors import InvalidTokenizerError, UnsupportedTokenizerError
from maxmunch.loaders.protobuf import Value, fields, flag, number, text

__all__ = ["Kind", "Piece", "SentencePieceModel", "check_pieces", "read_model"]


class Kind(IntEnum):
    """What a piece is; the numbers are those of the format."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True)
class Piece:
    """A piece with its score."""

    text: str
    score: float
    kind: Kind


@dataclass
class SentencePieceModel:
    """The parts of a model that decide ids; the defaults are those of the format."""

    pieces: list[Piece] = field(default_factory=list)
    type: str = "unigram"
    byte_fallback: bool = False
    unk_surface: str = " \u2047 "
    treat_whitespace_as_suffix: bool = False
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True

    def of_kind(self, *kinds: Kind) -> list[tuple[int, Piece]]:
        """Return the pieces of these kinds with their ids."""
        return [(i, piece) for i, piece in enumerate(self.pieces) if piece.kind in kinds]

    @property
    def unknown_id(self) -> int:
        """Id of the piece for unknown text."""
        return self.of_kind(Kind.UNKNOWN)[0][0]


_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}


def read_model(data: bytes) -> SentencePieceModel:
    """Return what the bytes of a `.model` file say.

    Raises:
        InvalidTokenizerError: The file is damaged, or its pieces contradict each other.
        UnsupportedTokenizerError: It is a model of words or characters, or has rules for decoding.
    """
    model = SentencePieceModel()
    for name, value, place in fields(data):
        if name == 1:
            model.pieces.append(_piece(_message(value, place), place, len(model.pieces)))
        elif name == 2:  # noqa: PLR2004 (the numbers of the format)
            _read_trainer(model, _message(value, place), place)
        elif name == 3:  # noqa: PLR2004
            _read_normalizer(model, _message(value, place), place)
        elif name == 5:  # noqa: PLR2004
            inner = fields(_message(value, place), place)
            if any(number == 2 and charsmap for number, charsmap, _ in inner):  # noqa: PLR2004
                raise UnsupportedTokenizerError(
                    "denormalizer_spec: a character map for decoding has no form in tokenizer.json",
                    "denormalizer_spec",
                )
    check_pieces(model)
    return model


def _message(value: Value, place: int) -> bytes:
    if not isinstance(value, bytes):
        path = f"byte {place}"
        raise InvalidTokenizerError(f"{path}: a message is expected, not a number", path)
    return value


def _piece(data: bytes, base: int, index: int) -> Piece:
    content, score, kind = "", 0.0, 1
    for name, value, place in fields(data, base):
        if name == 1:
            content = text(value, place)
        elif name == 2:  # noqa: PLR2004
            score = number(value, place)
        elif name == 3 and isinstance(value, int):  # noqa: PLR2004
            kind = value
    path = f"pieces[{index}]"
    if kind not in set(Kind):
        raise InvalidTokenizerError(f"{path}.type: {kind} should be from 1 to 6", path)
    if not content or not math.isfinite(score):
        rule = "should have a text that is not empty and a finite score"
        raise InvalidTokenizerError(f"{path}: {content!r} with {score} {rule}", path)
    return Piece(content, score, Kind(kind))


def _read_trainer(model: SentencePieceModel, data: bytes, base: int) -> None:
    for name, value, place in fields(data, base):
        if name == 3:  # noqa: PLR2004
            model.type = _TYPES.get(value, f"type {value!r}") if isinstance(value, int) else "?"
        elif name == 24:  # noqa: PLR2004
            model.treat_whitespace_as_suffix = flag(value, place)
        elif name == 44:  # noqa: PLR2004
            model.unk_surface = text(value, place)
        elif name == 35:  # noqa: PLR2004
            model.byte_fallback = flag(value, place)


def _read_normalizer(model: SentencePieceModel, data: bytes, base: int) -> None:
    for name, value, place in fields(data, base):
        if name == 2:  # noqa: PLR2004
            model.precompiled_charsmap = _message(value, place)
        elif name == 3:  # noqa: PLR2004
            model.add_dummy_prefix = flag(value, place)
        elif name == 4:  # noqa: PLR2004
            model.remove_extra_whitespaces = flag(value, place)
        elif name == 5:  # noqa: PLR2004
            model.escape_whitespaces = flag(value, place)


def check_pieces(model: SentencePieceModel) -> None:
    """Check that the pieces of a model fit each other and its options."""
    if model.type not in {"unigram", "bpe"}:
        raise UnsupportedTokenizerError(
            f"trainer_spec.model_type: {model.type!r} is not loaded; unigram and bpe are",
            "trainer_spec.model_type",
        )
    seen: dict[str, int] = {}
    for index, piece in enumerate(model.pieces):
        if piece.text in seen:
            path = f"pieces[{index}]"
            message = f"{path}: {piece.text!r} is piece {seen[piece.text]} as well"
            raise InvalidTokenizerError(message, path)
        seen[piece.text] = index
    unknown = len(model.of_kind(Kind.UNKNOWN))
    if unknown != 1:
        raise InvalidTokenizerError(
            f"pieces: one should be of type UNKNOWN, {unknown} are; is it a SentencePiece model?",
            "pieces",
        )
    missing = [byte for byte in range(256) if f"<0x{byte:02X}>" not in seen]
    if model.byte_fallback and missing:
        name = f"<0x{missing[0]:02X}>"
        raise InvalidTokenizerError(f"pieces: byte_fallback needs {name}, which is none", "pieces")
