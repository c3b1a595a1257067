"""What the guarantee of `splittable` costs: tokens, and what certify measures on a text.

Two vocabularies of one size are compared on the same text, without the pattern: there the
guarantee has to hold by itself.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from maxmunch.certify import TokenSet, edit_trials, supply
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    from maxmunch.certify import Delimiter, Span
    from maxmunch.train.result import TrainingResult

__all__ = ["SplittingCost", "SplittingSide", "splitting_cost"]


@dataclass(frozen=True)
class SplittingSide:
    """One vocabulary on the text.

    Attributes:
        training_tokens: Tokens on the training scope, cut by the pattern.
        tokens: Tokens of the text when it is scanned whole, without the pattern.
        anchors_per_kib: Anchored positions per 1,024 bytes, windows up to `max_width`.
        widest_gap: Longest run of bytes without an anchor.
        span: The longest stretch without an anchor over all texts, with one that attains it.
        moved: Token starts that one edited byte moves, mean over the trials.
        hull: Bytes from the first to the last of them, mean over the trials.
        longest_hull: The largest.
        cuts: Whether text may be cut before and after each byte, decided by certify.
    """

    training_tokens: int
    tokens: int
    anchors_per_kib: float
    widest_gap: int
    span: Span
    moved: float
    hull: float
    longest_hull: int
    cuts: dict[bytes, Delimiter]


@dataclass(frozen=True)
class SplittingCost:
    """The vocabulary with the guarantee beside the one without.

    Attributes:
        split: The vocabulary that was trained with `splittable`.
        plain: The one that was not.
        more_tokens_percent: How many per cent more tokens the guarantee takes on the training
            scope.
        text_bytes: Bytes of the text that both were measured on.
        rule: How the edits were drawn, and which windows anchored.
    """

    split: SplittingSide
    plain: SplittingSide
    more_tokens_percent: float
    text_bytes: int
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = asdict(self)
        for side in (found["split"], found["plain"]):
            side["cuts"] = {
                byte.decode("latin-1"): {"before": cut["before"], "after": cut["after"]}
                for byte, cut in side["cuts"].items()
            }
            side["span"] = {"bounded": side["span"]["bounded"], "value": side["span"]["value"]}
        return found

    def __str__(self) -> str:
        rows = [
            ("tokens on the training scope", "training_tokens", ",d"),
            ("tokens of the text, no pattern", "tokens", ",d"),
            ("anchors per KiB", "anchors_per_kib", ".1f"),
            ("widest gap, bytes", "widest_gap", ",d"),
            ("starts moved by an edit", "moved", ".2f"),
            ("hull of an edit, bytes", "hull", ".2f"),
            ("longest hull, bytes", "longest_hull", ",d"),
        ]
        lines = [f"{'':<32} {'with':>14} {'without':>14}"]
        for label, name, form in rows:
            split, plain = getattr(self.split, name), getattr(self.plain, name)
            lines.append(f"{label:<32} {split:>14{form}} {plain:>14{form}}")
        spans = [_span_text(side.span) for side in (self.split, self.plain)]
        lines.append(f"{'span, bytes':<32} {spans[0]:>14} {spans[1]:>14}")
        lines.append(f"the guarantee takes {self.more_tokens_percent:+.3f} % tokens")
        return "\n".join(lines)


def splitting_cost(
    split: TrainingResult,
    plain: TrainingResult,
    data: bytes | str,
    *,
    max_width: int = 4,
    trials: int = 200,
    seed: int = 0,
) -> SplittingCost:
    """Return what `splittable` costs and gives: `split` beside `plain`, measured on `data`.

    Args:
        split: The result of training with `splittable`.
        plain: The result of training on the same counts, at the same size, without it.
        data: Text to measure on; every text is tokenizable, since all bytes are tokens.
        max_width: Widest window that may anchor, in bytes.
        trials: Single-byte edits to try, the same for both.
        seed: Seed of their draw.

    Raises:
        InvalidArgumentError: `split` was trained without `splittable`, or the two were not trained
            on the same counts at the same size.

    Complexity: that of `supply`, `Inventory.span` and `edit_trials` on both vocabularies.
    """
    letters = split.options.get("rules", {}).get("splittable", "").encode("latin-1")
    if not letters:
        message = "split: it was trained without splittable; give the one with it first"
        raise InvalidArgumentError(message, "split")
    if (len(split.vocabulary), split.scope) != (len(plain.vocabulary), plain.scope):
        message = (
            f"plain: it has {len(plain.vocabulary):,} tokens on {plain.scope}, the other"
            f" {len(split.vocabulary):,} on {split.scope}; train both on one scope at one size"
        )
        raise InvalidArgumentError(message, "plain")
    sets = [TokenSet.literal(result.model_tokens) for result in (split, plain)]
    edits = edit_trials(
        sets[0], data, paired=sets[1], trials=trials, seed=seed, max_width=max_width
    )
    sides = []
    for result, tokens, measured in zip(
        (split, plain), sets, (edits.first, edits.paired), strict=True
    ):
        supplied = supply(tokens, data, max_width=max_width)
        sides.append(
            SplittingSide(
                training_tokens=result.cost,
                tokens=supplied.boundaries,
                anchors_per_kib=supplied.anchors_per_kib[max_width],
                widest_gap=supplied.widest_gap[max_width],
                span=tokens.inventory(max_width).span(),
                moved=float(measured.moved.mean()) if measured and trials else 0.0,
                hull=float(measured.hull.mean()) if measured and trials else 0.0,
                longest_hull=int(measured.hull.max(initial=0)) if measured else 0,
                cuts={bytes([byte]): tokens.delimiter(byte) for byte in letters},
            )
        )
    return SplittingCost(
        split=sides[0],
        plain=sides[1],
        more_tokens_percent=100 * (split.cost / plain.cost - 1),
        text_bytes=len(data.encode() if isinstance(data, str) else data),
        rule=edits.rule,
    )


def _span_text(span: Span) -> str:
    return f"{span.value:,}" if span.bounded else "unbounded"
