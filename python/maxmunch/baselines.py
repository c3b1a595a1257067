"""Vocabularies of the classic trainers, on the same pretokens and at the same size.

The trainers are those of the `tokenizers` package; this module feeds
them, keeps the byte budget, and turns their vocabularies into greedy ones for comparison.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from maxmunch.corpus.count import count_pretokens
from maxmunch.corpus.counts import PretokenCounts
from maxmunch.delegates import library as reference
from maxmunch.errors import InvalidArgumentError, TrainingError
from maxmunch.export import byte_level_characters, greedy_tokenizer_json, unspelled
from maxmunch.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["greedy", "train"]

KINDS = ("bpe", "wordpiece", "unigram")
BYTES = 256
# Above this many occurrences the counts are scaled down: the trainers keep sums of pairs in 32 bits
# and drop the commonest merges in silence when they overflow.
MOST_OCCURRENCES = 200_000_000
BATCH = 20_000


def train(counts_or_source: Any, vocab_size: int, kind: str = "bpe") -> Tokenizer:
    """Return the tokenizer that a trainer of `tokenizers` makes from the same pretokens.

    Each pretoken is given to the trainer as often as it occurs, so that its counts are the exact
    ones. Only above 200 million occurrences the counts are divided first (rounded, at least 1),
    because the trainers keep sums in 32 bits. All 256 bytes are in the vocabulary and count
    towards `vocab_size`; a WordPiece vocabulary holds them twice, with and without its `##` prefix.

    Args:
        counts_or_source: `PretokenCounts`, or what `count_pretokens` takes.
        vocab_size: Tokens in the vocabulary, at least 256 (512 for `"wordpiece"`).
        kind: `"bpe"`, `"wordpiece"` (decoded by its own longest match), or `"unigram"`.

    Raises:
        InvalidArgumentError: A bad size or kind, or `tokenizers` is not installed.
        TrainingError: The trainer gave no vocabulary of this size: too little text.
    """
    return Tokenizer.from_str(train_json(counts_or_source, vocab_size, kind))


def train_json(counts_or_source: Any, vocab_size: int, kind: str = "bpe") -> str:
    """Return the tokenizer.json of `train`."""
    if kind not in KINDS:
        raise InvalidArgumentError(f"kind: {kind!r} is not one of {', '.join(KINDS)}", "kind")
    least = 2 * BYTES if kind == "wordpiece" else BYTES
    if vocab_size < least:
        message = f"vocab_size: {vocab_size} is below {least}, the bytes of a {kind} vocabulary"
        raise InvalidArgumentError(message, "vocab_size")
    counts = counts_or_source
    if not isinstance(counts, PretokenCounts):
        counts = count_pretokens(counts_or_source, progress=False)
    library = reference("a baseline")
    tokenizer, trainer = _untrained(library, kind, vocab_size, counts.pattern)
    tokenizer.train_from_iterator(_texts(counts), trainer)
    content = json.loads(tokenizer.to_str())
    if kind == "wordpiece":
        _complete_wordpiece(content, vocab_size)
    size = len(content["model"]["vocab"])
    if size > vocab_size or (size < vocab_size and kind != "unigram"):
        message = (
            f"{kind}: the text gives {size} tokens, {vocab_size} were asked for;"
            " lower vocab_size or count more text"
        )
        raise TrainingError(message)
    return json.dumps(content, ensure_ascii=False)


def greedy(tokenizer: Any) -> Tokenizer:
    """Return the greedy longest-match tokenizer over the vocabulary of a byte-level tokenizer.

    It isolates the effect of the inference rule: the same tokens, taken by longest match.

    Args:
        tokenizer: A tokenizer with a byte-level model, such as `train` returns (`"bpe"`,
            `"unigram"`).

    Raises:
        InvalidArgumentError: Its vocabulary is not byte-level, or its pattern is not known.
    """
    content = json.loads(tokenizer.to_str())
    vocabulary = content["model"]["vocab"]
    names = [*vocabulary] if isinstance(vocabulary, dict) else [row[0] for row in vocabulary]
    tokens = [unspelled(name) for name in names]
    try:
        pattern = content["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    except (KeyError, TypeError, IndexError) as error:
        message = "tokenizer: its pre-tokenizer does not begin with a Split by a regular expression"
        raise InvalidArgumentError(message, "tokenizer") from error
    if None in tokens:
        message = (
            f"tokenizer: {names[tokens.index(None)]!r} is not spelled in byte-level characters"
        )
        raise InvalidArgumentError(message, "tokenizer")
    return Tokenizer.from_str(
        json.dumps(greedy_tokenizer_json([t for t in tokens if t], pattern=pattern))
    )


def _untrained(library: Any, kind: str, vocab_size: int, pattern: str) -> tuple[Any, Any]:
    alphabet = byte_level_characters()
    common = {"vocab_size": vocab_size, "show_progress": False, "initial_alphabet": alphabet}
    models, trainers = library.models, library.trainers
    if kind == "bpe":
        model, trainer = models.BPE(), trainers.BpeTrainer(**common)
    elif kind == "wordpiece":
        model = models.WordPiece(unk_token=alphabet[0], max_input_chars_per_word=1_000_000_000)
        trainer = trainers.WordPieceTrainer(**common)
    else:
        model = models.Unigram()
        trainer = trainers.UnigramTrainer(max_piece_length=64, unk_token=None, **common)
    tokenizer = library.Tokenizer(model)
    split = library.pre_tokenizers.Split(library.Regex(pattern), "isolated")
    byte_level = library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = library.pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = library.decoders.ByteLevel()
    if kind == "wordpiece":
        strip = library.decoders.Replace(library.Regex("^##"), "")
        tokenizer.decoder = library.decoders.Sequence([strip, library.decoders.ByteLevel()])
    return tokenizer, trainer


def _texts(counts: PretokenCounts) -> Iterator[list[str]]:
    """Each pretoken as often as it occurs, in batches."""
    divisor = -(-counts.total // MOST_OCCURRENCES)
    batch: list[str] = []
    for pretoken, count in counts:
        left = count if divisor == 1 else max(1, round(count / divisor))
        text = pretoken.decode()
        while left > 0:
            step = min(left, BATCH - len(batch))
            batch += [text] * step
            left -= step
            if len(batch) >= BATCH:
                yield batch
                batch = []
    yield batch


def _complete_wordpiece(content: dict[str, Any], vocab_size: int) -> None:
    """Put the missing continuation bytes in, in place of the last tokens that were learned."""
    names = [*content["model"]["vocab"]]
    missing = [
        f"##{c}" for c in byte_level_characters() if f"##{c}" not in content["model"]["vocab"]
    ]
    kept = names[: vocab_size - len(missing)]
    content["model"]["vocab"] = {name: number for number, name in enumerate([*kept, *missing])}
