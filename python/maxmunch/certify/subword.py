"""The figures of the certified-splitting paper on subword vocabularies: a part of `reproduce`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmunch.certify.edits import edit_trials
from maxmunch.certify.figure import Figure, figure
from maxmunch.certify.supply import supply
from maxmunch.certify.token_set import TokenSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maxmunch.certify.results import Supply
    from maxmunch.certify.supply import Policy

SLICE = 1 << 16
EXTERNAL_MERGES = 3000


def byte_characters() -> dict[str, int]:
    """Return the alphabet of byte-level vocabularies: character to byte."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(b): b for b in plain} | {chr(256 + n): b for n, b in enumerate(others)}


def merged_tokens(model: dict[str, Any]) -> list[bytes]:
    """Return the bytes and the first merges of a `tokenizer.json` of GPT-2."""
    table = byte_characters()
    merges = model["model"]["merges"][:EXTERNAL_MERGES]
    joined = ["".join(m) if isinstance(m, list) else m.replace(" ", "") for m in merges]
    words = [bytes(table[character] for character in word) for word in joined]
    return [bytes([byte]) for byte in range(256)] + words


def train_bpe(text: bytes, merges: int) -> TokenSet:
    """Return the token set of byte BPE with so many merges, trained on `text` in one piece.

    Raises:
        ImportError: `tokenizers` is not installed.
    """
    import tokenizers

    characters = {byte: character for character, byte in byte_characters().items()}
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + merges, initial_alphabet=sorted(characters.values()), show_progress=False
    )
    model.train_from_iterator(["".join(characters[byte] for byte in text)], trainer)
    table = byte_characters()
    return TokenSet.literal([bytes(table[c] for c in word) for word in sorted(model.get_vocab())])


def subword_figures(text: bytes, external: TokenSet, note: str) -> Iterator[Figure]:
    """Yield the figures of section 6; `note` says what is wrong with the inputs, or is empty."""
    earlier, held_out = text[:SLICE], text[SLICE : 2 * SLICE]
    try:
        trained, small = train_bpe(earlier, 384), train_bpe(earlier, 48)
    except ImportError:
        yield Figure(
            "subword vocabularies", "see section 6", "", "not reproducible", "tokenizers is missing"
        )
        return
    yield _recorded(trained, small)
    slices = (
        "the outline does not say which slices it took (ours: the second 64 KiB, trained on the "
        "first)" + (f"; {note}" if note else "")
    )
    stated = {
        "trained": (242.1, (131, 242, 448), 209.4, 57.8),
        "external": (651.2, (537, 688, 756), 608.6, 427.4),
    }
    tokens = {
        "trained": slices,
        "external": f"{slices}, nor which tokens of GPT-2: all of them leave fewer boundaries than "
        f"the anchors stated, the first {EXTERNAL_MERGES:,} merges come nearest",
    }
    for name, token_set in (("trained", trained), ("external", external)):
        ceiling, blocks, frozen, sampled = stated[name]
        found = supply(token_set, held_out)
        yield _rate(f"{name}: ceiling", ceiling, found, tokens[name])
        row = found.block_supply[4]
        ours = (row.minimum, round(row.median), row.maximum)
        yield figure(f"{name}: anchors per block, least, median, most", blocks, ours, tokens[name])
        for width in (1, 2, 3):
            yield Figure(
                f"{name}: anchors per KiB up to width {width}",
                "not in the outline",
                f"{found.anchors_per_kib[width]:.1f}",
                "not reproducible",
                "the outline gives the value at width 4 only",
            )
        policies: tuple[tuple[Policy, float, str], ...] = (
            ("frozen", frozen, _frozen_readings(token_set, earlier, held_out, found)),
            ("sampled", sampled, _sampled_readings(token_set, earlier, held_out)),
        )
        for policy, value, readings in policies:
            other = supply(token_set, held_out, policy=policy, train_data=earlier)
            because = f"{tokens[name]}; {readings}; our rule: {other.rule}"
            yield _rate(f"{name}: {policy}", value, other, because)
        newline = token_set.delimiter(b"\n")
        answers = (newline.before, newline.after, token_set.inventory(4).span().bounded)
        yield figure(f"{name}: newline before, after, span bounded", (False,) * 3, answers)
    yield from _paired(trained, external, held_out, f"{slices}, nor how its edits are drawn")
    blocks_of = [held_out[at : at + 1024] for at in range(0, SLICE, 1024)]
    differing = sum(
        small.scan(block).starts.tolist() != trained.scan(block).starts.tolist()
        for block in blocks_of
    )
    yield figure("held-out slices on which 48 and 384 merges disagree", 64, differing)


def _recorded(trained: TokenSet, small: TokenSet) -> Figure:
    """What the trained vocabularies are, so that a run elsewhere can be held to them."""
    import tokenizers

    return Figure(
        "trained vocabularies, fingerprints",
        "not in the outline",
        f"384 merges {trained.fingerprint[:16]}, 48 merges {small.fingerprint[:16]}, byte BPE of "
        f"tokenizers {tokenizers.__version__} on the text in one piece",
        "not reproducible",
        "the outline gives no digest of its vocabularies",
    )


def _frozen_readings(token_set: TokenSet, earlier: bytes, held_out: bytes, ceiling: Supply) -> str:
    """What other lengths of the earlier text would keep."""
    shares = []
    for kib in (4, 12, 64):
        kept = supply(token_set, held_out, policy="frozen", train_data=earlier[-1024 * kib :])
        shares.append(f"{100 * kept.anchors[4] / ceiling.anchors[4]:.1f} % with {kib} KiB")
    return (
        "nor does it say how long the earlier slice was, and no one length gives both of its "
        f"shares, 86.5 and 93.5 %: of the ceiling this set keeps {', '.join(shares)}"
    )


def _sampled_readings(token_set: TokenSet, earlier: bytes, held_out: bytes) -> str:
    """What the most frequent windows of fewer widths would give."""
    rates = []
    for width in (2, 3, 4):
        found = supply(token_set, held_out, policy="sampled", train_data=earlier, max_width=width)
        rates.append(f"{found.anchors_per_kib[width]:.1f} up to width {width}")
    return (
        "nor does it say of which widths the sixty are, or how they are drawn: the most frequent "
        f"ones give {', '.join(rates)}"
    )


def _rate(name: str, paper: float, found: Supply, because: str) -> Figure:
    return figure(f"{name}: anchors per KiB", paper, f"{found.anchors_per_kib[4]:.1f}", because)


def _paired(
    trained: TokenSet, external: TokenSet, held_out: bytes, because: str
) -> Iterator[Figure]:
    import numpy as np

    trials = edit_trials(trained, held_out, paired=external, trials=200)
    if trials.paired is None:
        return
    difference = trials.first.hull - trials.paired.hull
    ours = (int(np.median(difference)), int(np.percentile(difference, 90)))
    yield figure("200 paired edits: median and 90th percentile", (3, 13), ours, because)
    signs = tuple(int((np.sign(difference) == sign).sum()) for sign in (1, 0, -1))
    yield figure("200 paired edits: positive, zero, negative", (144, 38, 18), signs, because)
