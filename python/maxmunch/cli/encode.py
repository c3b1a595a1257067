"""`maxmunch encode` and `maxmunch decode`."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import YES, print_json
from maxmunch.cli.sources import load_tokenizer, read_bytes, read_text
from maxmunch.errors import InvalidArgumentError

if TYPE_CHECKING:
    import argparse

    import numpy as np

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the commands of the encode flow."""
    parser = command(
        commands,
        "encode",
        encode,
        summary="turn texts into ids, one line of ids a text",
        example="maxmunch encode tokenizer.json notes.txt --output notes.npy\n"
        "echo 'to be or not' | maxmunch encode tokenizer.json",
    )
    parser.add_argument("tokenizer", help="tokenizer.json, its directory, or an RWKV vocabulary")
    parser.add_argument("texts", nargs="*", default=["-"], help="UTF-8 files; - is standard input")
    parser.add_argument("--lines", action="store_true", help="each line is a text of its own")
    parser.add_argument("--no-special-tokens", action="store_true", help="add none around a text")
    parser.add_argument(
        "--specials",
        choices=["parse", "text", "error"],
        default="parse",
        help="special tokens spelled in a text: become control ids, stay text, or are refused",
    )
    parser.add_argument("--threads", type=int, help="how many texts at once (default: all cores)")
    parser.add_argument("--output", type=Path, help="write ids (.npy, uint32) instead of printing")

    parser = command(
        commands,
        "decode",
        decode,
        summary="turn ids back into text",
        example="maxmunch decode tokenizer.json notes.npy\n"
        "echo '31373 995' | maxmunch decode tokenizer.json",
    )
    parser.add_argument("tokenizer", help="tokenizer.json, its directory, or an RWKV vocabulary")
    parser.add_argument("ids", nargs="?", default="-", help=".npy, or decimal ids; - is stdin")
    parser.add_argument("--keep-special-tokens", action="store_true", help="write them out too")


def encode(options: argparse.Namespace) -> int:
    """Run `maxmunch encode`."""
    tokenizer = load_tokenizer(options.tokenizer)
    names, texts = _texts(options)
    ragged = tokenizer.encode_ids_batch(
        texts,
        add_special_tokens=not options.no_special_tokens,
        specials=options.specials,
        threads=options.threads,
    )
    if options.output is not None:
        _save(options.output, ragged.ids)
        if options.json:
            print_json({"output": options.output, "texts": len(texts), "ids": len(ragged.ids)})
        else:
            print(f"{len(ragged.ids):,} ids of {len(texts):,} texts written to {options.output}")
    elif options.json:
        documents = [{"source": n, "ids": ids} for n, ids in zip(names, ragged, strict=True)]
        print_json({"documents": documents})
    else:
        for ids in ragged:
            print(*ids.tolist())
    return YES


def _texts(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    names: list[str] = []
    texts: list[str] = []
    for path in options.texts:
        text = read_text(path)
        if options.lines:
            lines = text.removesuffix("\n").split("\n") if text else []
            names += [f"{path}:{number}" for number in range(1, len(lines) + 1)]
            texts += lines
        else:
            names.append(path)
            texts.append(text)
    return names, texts


def _save(path: Path, ids: np.ndarray) -> None:
    import numpy as np

    try:
        with path.open("wb") as file:
            np.save(file, ids)
    except OSError as error:
        message = f"cannot write {str(path)!r}: {error.strerror}; give a path that can be written"
        raise InvalidArgumentError(message, "output") from error


def decode(options: argparse.Namespace) -> int:
    """Run `maxmunch decode`."""
    tokenizer = load_tokenizer(options.tokenizer)
    ids = _ids(options.ids)
    text = tokenizer.decode(ids, skip_special_tokens=not options.keep_special_tokens)
    if options.json:
        print_json({"ids": len(ids), "text": text})
    else:
        sys.stdout.write(text)
    return YES


def _ids(path: str) -> list[int]:
    data = read_bytes(path)
    try:
        if data.startswith(b"\x93NUMPY"):
            import numpy as np

            loaded: list[int] = np.load(io.BytesIO(data), allow_pickle=False).ravel().tolist()
            return loaded
        return [int(word) for word in data.replace(b",", b" ").split()]
    except ValueError as error:
        message = f"{path!r} holds something that is no id ({error}); give decimal ids or an .npy"
        raise InvalidArgumentError(message, "ids") from error
