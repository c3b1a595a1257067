"""How many tokens each tokenizer takes for the same text, and how it uses its vocabulary."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from dataclasses import field as with_default
from typing import TYPE_CHECKING, Any

from maxmunch.corpus.sources import open_corpus
from maxmunch.errors import InvalidArgumentError
from maxmunch.words import Example, WordCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["Evaluation", "Measured", "evaluate"]

RENYI_ORDER = 2.5
RARE_USES = 100
BLOCK_BYTES = 64 << 10
BATCH_BYTES = 4 << 20
RESAMPLES = 1000
MOST_GROUPS = 5000


@dataclass(frozen=True)
class Measured:
    """What one tokenizer did.

    Attributes:
        tokens: Ids for the whole text, without special tokens.
        fewer_percent: How many per cent fewer tokens than the reference; negative is worse.
        fewer_low: Lower end of the 95 % interval of `fewer_percent` over resampled documents.
        fewer_high: Upper end.
        bytes_per_token: Bytes of text a token stands for on average.
        fertility: Tokens per word, a word being a run between white space.
        renyi_efficiency: Rényi entropy of order 2.5 of the ids used, over that of a uniform use.
        vocabulary: Number of ids.
        unused: Ids that do not occur.
        rare: Ids that occur fewer than 100 times, unused ones included.
        single_byte_share: Share of the tokens that stand for one byte.
        seconds: Time that encoding took.
    """

    tokens: int
    fewer_percent: float
    fewer_low: float
    fewer_high: float
    bytes_per_token: float
    fertility: float
    renyi_efficiency: float
    vocabulary: int
    unused: int
    rare: int
    single_byte_share: float
    seconds: float


@dataclass(frozen=True)
class Evaluation:
    """Every tokenizer on the same text.

    Attributes:
        reference: Name of the tokenizer that the others are compared with.
        text_bytes: Bytes of the text.
        words: Runs between white space.
        documents: Texts that were encoded; those above 64 KiB were cut into several at newlines.
        results: What each tokenizer did, by name.
        examples: The words that save most tokens against the reference and those that cost most,
            by name, the reference aside; none unless they were asked for.
    """

    reference: str
    text_bytes: int
    words: int
    documents: int
    results: dict[str, Measured]
    examples: dict[str, list[Example]] = with_default(default_factory=dict)

    def __getitem__(self, name: str) -> Measured:
        return self.results[name]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        head = f"{'tokenizer':<24} {'tokens':>14} {'fewer %':>9} {'bytes/token':>12} {'unused':>8}"
        rows = [
            f"{name:<24} {m.tokens:>14,} {m.fewer_percent:>+9.3f} {m.bytes_per_token:>12.4f}"
            f" {m.unused:>8,}"
            for name, m in self.results.items()
        ]
        words = [
            line
            for name, examples in self.examples.items()
            for line in (f"\n{name}, tokens saved by word:", *map(str, examples))
        ]
        return "\n".join([head, *rows, *words])


def evaluate(
    tokenizers: Mapping[str, Any],
    source: Any,
    *,
    reference: str | None = None,
    field: str | None = None,
    column: str | None = None,
    examples: int = 0,
) -> Evaluation:
    """Return what each tokenizer makes of the same text.

    Documents above 64 KiB are cut into several at newlines, alike for all tokenizers, so that
    files of any size can be compared; special tokens are not added. Bytes that are not UTF-8
    become U+FFFD.

    Args:
        tokenizers: Tokenizers by name, of maxmunch or of the `tokenizers` package.
        source: What `count_pretokens` takes.
        reference: Name of the one to compare with; the first by default.
        field: Name of the text in a line of JSON.
        column: Name of the text column of a table.
        examples: For each tokenizer, so many of the words that save most tokens against the
            reference, and of those that cost most, among the 50,000 most frequent words.

    Raises:
        InvalidArgumentError: No tokenizer, an unknown reference, an empty text, or a negative
            number of examples.
        TypeError: What is named is no tokenizer.
    """
    if examples < 0:
        message = f"examples: {examples} is negative; give 0 or more"
        raise InvalidArgumentError(message, "examples")
    names = list(tokenizers)
    if not names:
        raise InvalidArgumentError("tokenizers: none is given; name at least one", "tokenizers")
    chosen = reference if reference is not None else next(iter(names), "")
    if chosen not in tokenizers:
        raise InvalidArgumentError(f"reference: {chosen!r} is not one of {names}", "reference")
    wrong = next((name for name in names if not hasattr(tokenizers[name], "get_vocab")), None)
    if wrong is not None:
        kind = type(tokenizers[wrong]).__name__
        raise TypeError(f"tokenizers: {kind} given as {wrong!r}, where a tokenizer is expected")
    runs = {name: _Run(tokenizer) for name, tokenizer in tokenizers.items()}
    text_bytes = words = documents = 0
    counts = WordCounts()
    for batch in _batches(_blocks(open_corpus(source, field=field, column=column).chunks)):
        documents += len(batch)
        text_bytes += sum(len(text.encode()) for text in batch)
        words += sum(len(text.split()) for text in batch)
        for text in batch if examples else ():
            counts.add(text)
        for run in runs.values():
            run.encode(batch)
    if text_bytes == 0:
        raise InvalidArgumentError("source: the text is empty; check it", "source")
    base = runs[chosen]
    results = {name: run.measured(base, text_bytes, words) for name, run in runs.items()}
    rivals = [name for name in names if name != chosen] if examples else []
    found = {
        name: counts.examples(tokenizers[name], tokenizers[chosen], examples) for name in rivals
    }
    return Evaluation(chosen, text_bytes, words, documents, results, found)


class _Run:
    """One tokenizer and the ids it has given so far."""

    def __init__(self, tokenizer: Any) -> None:
        import numpy as np

        self.tokenizer = tokenizer
        vocabulary: dict[str, int] = tokenizer.get_vocab()
        self.vocabulary = max(vocabulary.values(), default=-1) + 1
        self.uses = np.zeros(self.vocabulary, dtype=np.int64)
        self.lengths: list[int] = []
        self.seconds = 0.0
        self.names = vocabulary

    def encode(self, texts: Sequence[str]) -> None:
        import time

        import numpy as np

        began = time.perf_counter()
        if hasattr(self.tokenizer, "encode_ids_batch"):
            ragged = self.tokenizer.encode_ids_batch(texts, add_special_tokens=False)
            ids, lengths = np.asarray(ragged.ids), np.diff(ragged.offsets)
        else:
            encodings = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
            rows = [encoding.ids for encoding in encodings]
            lengths = np.array([len(row) for row in rows])
            ids = np.fromiter((i for row in rows for i in row), np.int64, int(lengths.sum()))
        self.seconds += time.perf_counter() - began
        self.uses += np.bincount(ids, minlength=self.vocabulary)
        self.lengths.extend(lengths.tolist())

    def measured(self, base: _Run, text_bytes: int, words: int) -> Measured:
        import numpy as np

        tokens = int(self.uses.sum())
        shares = self.uses[self.uses > 0] / max(tokens, 1)
        entropy = float(np.log((shares**RENYI_ORDER).sum()) / (1 - RENYI_ORDER)) if tokens else 0.0
        low, high = _interval(np.array(self.lengths), np.array(base.lengths))
        single = [number for name, number in self.names.items() if _bytes_of(name) == 1]
        return Measured(
            tokens=tokens,
            fewer_percent=_fewer(tokens, int(base.uses.sum())),
            fewer_low=low,
            fewer_high=high,
            bytes_per_token=text_bytes / max(tokens, 1),
            fertility=tokens / max(words, 1),
            renyi_efficiency=entropy / float(np.log(max(self.vocabulary, 2))),
            vocabulary=self.vocabulary,
            unused=int((self.uses == 0).sum()),
            rare=int((self.uses < RARE_USES).sum()),
            single_byte_share=float(self.uses[single].sum()) / max(tokens, 1),
            seconds=self.seconds,
        )


def _bytes_of(name: str) -> int:
    # A character of a byte-level vocabulary is a byte; `<0xHH>` is one elsewhere.
    bare = name.removeprefix("##")
    return 1 if bare.startswith("<0x") and len(bare) == len("<0xHH>") else len(bare)


def _fewer(tokens: int, base: int) -> float:
    return 100 * (1 - tokens / base) if base else 0.0


def _interval(lengths: Any, base: Any) -> tuple[float, float]:
    """95 % interval of the saving, by resampling documents; seeded, so that it is reproducible."""
    import numpy as np

    generator = np.random.default_rng(0)
    if len(lengths) > MOST_GROUPS:
        # Neighbours together: as many groups as memory is no question for.
        starts = np.linspace(0, len(lengths), MOST_GROUPS, endpoint=False).astype(int)
        lengths, base = np.add.reduceat(lengths, starts), np.add.reduceat(base, starts)
    count = len(lengths)
    weights = generator.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    savings = 100 * (1 - (weights @ lengths) / np.maximum(weights @ base, 1))
    low, high = np.percentile(savings, [2.5, 97.5])
    return float(low), float(high)


def _blocks(chunks: Iterable[Any]) -> Iterator[str]:
    """The documents as text, each at most 64 KiB unless it has no newline."""
    rest = b""
    for chunk in chunks:
        if chunk.documents is not None:
            for text in chunk.documents:
                yield from (block.decode() for block in _cut(text.encode(), last=True)[0])
            continue
        blocks, rest = _cut(rest + chunk.data, last=chunk.last)
        yield from (block.decode("utf-8", "replace") for block in blocks)


def _cut(data: bytes, *, last: bool) -> tuple[list[bytes], bytes]:
    blocks = []
    start = 0
    while len(data) - start > BLOCK_BYTES:
        end = data.rfind(b"\n", start, start + BLOCK_BYTES) + 1
        if end <= start:
            end = data.find(b"\n", start + BLOCK_BYTES) + 1
        if end <= start:
            break
        blocks.append(data[start:end])
        start = end
    if last:
        return [*blocks, data[start:]] if start < len(data) else blocks, b""
    return blocks, data[start:]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
