"""How long calls other than encoding take, ours and the reference in turns.

For each tokenizer and call it prints the least time of both, and their ratio.

    python benchmarks/calls.py ../shared/data [--tokenizers gpt2,llama3] [--rounds 5] [--only add]
"""

from __future__ import annotations

import argparse
import copy
import lzma
import pickle
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tokenizers

import maxmunch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORDS = "It is a truth universally acknowledged, that a single man must be in want of a wife. "
DOCUMENTS = [WORDS[i % 40 :] * 4 for i in range(2000)]
LOOK_UPS = (
    "char_to_token",
    "char_to_word",
    "token_to_chars",
    "token_to_sequence",
    "token_to_word",
    "word_to_chars",
    "word_to_tokens",
)
COLUMNS = ("tokens", "offsets", "word_ids", "type_ids", "attention_mask", "overflowing")


def calls(module: Any, document: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give each call of one of the two packages with its name."""
    yield from whole(module, document)
    yield from added(module, document)
    yield from encoded(module, document)


def whole(module: Any, document: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give calls on a tokenizer as a whole."""
    tok = module.Tokenizer.from_str(document)
    tokens, pickled = list(tok.get_vocab())[:10_000], pickle.dumps(tok)
    yield "from_str", lambda: module.Tokenizer.from_str(document)
    yield "to_str", tok.to_str
    yield "to_str(pretty)", lambda: tok.to_str(True)
    yield "str", lambda: str(tok)
    yield "repr", lambda: repr(tok)
    yield "pickle", lambda: pickle.dumps(tok)
    yield "unpickle", lambda: pickle.loads(pickled)  # noqa: S301
    yield "deepcopy", lambda: copy.deepcopy(tok)
    yield "model.save", lambda: tok.model.save("/tmp")  # noqa: S108
    yield "get_vocab", tok.get_vocab
    yield "get_vocab_size x 1000", lambda: [tok.get_vocab_size() for _ in range(1000)]
    yield "token_to_id x 10000", lambda: [tok.token_to_id(token) for token in tokens]
    yield "id_to_token x 10000", lambda: [tok.id_to_token(number) for number in range(10_000)]
    yield "truncation x 1000", lambda: [tok.enable_truncation(9) for _ in range(1000)]
    tok.no_truncation()
    rows = [encoding.ids for encoding in tok.encode_batch(DOCUMENTS)]
    yield "decode x 2000", lambda: [tok.decode(ids) for ids in rows]
    yield "decode_batch", lambda: tok.decode_batch(rows)
    stream = module.decoders.DecodeStream
    yield "DecodeStream.step", lambda: [steps(stream(), tok, ids) for ids in rows[:200]]


def steps(stream: Any, tok: Any, ids: list[int]) -> None:
    """Take ids one by one."""
    for number in ids:
        stream.step(tok, number)


def added(module: Any, document: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give calls that have to do with added tokens."""
    contents = [f"<extra {number}>" for number in range(20_000)]

    def one_by_one() -> None:
        tok = module.Tokenizer.from_str(document)
        for content in contents[:1000]:
            tok.add_tokens([content])

    def together() -> Any:
        tok = module.Tokenizer.from_str(document)
        tok.add_tokens(contents)
        return tok

    saved, tok = together().to_str(), together()
    yield "add_tokens 20000", together
    yield "add_tokens one by one, 1000", one_by_one
    yield "from_str, 20000 added", lambda: module.Tokenizer.from_str(saved)
    yield "get_added_tokens_decoder, 20000", tok.get_added_tokens_decoder
    yield "AddedToken x 20000", lambda: [module.AddedToken(content) for content in contents]


def encoded(module: Any, document: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give calls on encodings."""
    tok = module.Tokenizer.from_str(document)
    encodings, long = tok.encode_batch(DOCUMENTS), tok.encode("".join(DOCUMENTS[:50]))
    pickled = [pickle.dumps(encoding) for encoding in encodings]
    for name in COLUMNS:
        yield f"{name} x 2000", lambda name=name: [getattr(each, name) for each in encodings]
    for name in LOOK_UPS:
        call = getattr(long, name)
        yield f"{name} x 2000", lambda call=call: [call(place) for place in range(2000)]
    yield "merge 2000", lambda: module.Encoding.merge(encodings, True)
    yield "post_process x 2000", lambda: [tok.post_process(each) for each in encodings]
    yield "pickle x 2000", lambda: [pickle.dumps(encoding) for encoding in encodings]
    yield "unpickle x 2000", lambda: [pickle.loads(each) for each in pickled]  # noqa: S301


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def main() -> None:
    """Time each call for each tokenizer and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tokenizers", default="gpt2,llama3,bert-uncased,xlm-roberta")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for name in options.tokenizers.split(","):
        packed = options.data / "tokenizers" / f"{name}.json.xz"
        document = lzma.decompress(packed.read_bytes()).decode()
        for (what, own), (_, other) in zip(
            calls(maxmunch, document), calls(tokenizers, document), strict=True
        ):
            if options.only not in what:
                continue
            times = [(seconds(own), seconds(other)) for _ in range(options.rounds)]
            ours, theirs = (1000 * min(column) for column in zip(*times, strict=True))
            print(f"{name:14} {what:34} {ours:9.3f} {theirs:9.3f} {ours / theirs:6.2f}", flush=True)


if __name__ == "__main__":
    main()
