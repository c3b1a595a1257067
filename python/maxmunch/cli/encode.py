"""`maxmunch encode` and `maxmunch decode`."""

from __future__ import annotations

import io
import json
import sys
from functools import partial
from typing import TYPE_CHECKING

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import YES, parse_bytes, print_json
from maxmunch.cli.sources import load_tokenizer, read_bytes
from maxmunch.cli.targets import directory
from maxmunch.errors import InvalidArgumentError
from maxmunch.files import FileOptions, encode_documents

if TYPE_CHECKING:
    import argparse

    from maxmunch.tokenizer import Tokenizer

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the commands of the encode flow."""
    parser = command(
        commands,
        "encode",
        encode,
        summary="turn texts into ids: one line of ids a document, or shards in a directory",
        example="maxmunch encode tokenizer.json 'corpus/*.jsonl.zst' --output ids --format bin\n"
        "echo 'to be or not' | maxmunch encode tokenizer.json",
    )
    parser.add_argument("tokenizer", help="tokenizer.json, its directory, or an RWKV vocabulary")
    parser.add_argument(
        "texts",
        nargs="*",
        default=["-"],
        help="files, globs, directories (text, .jsonl, .parquet, also .gz, .zst); - is stdin",
    )
    parser.add_argument("--separator", help="stands between documents (with escapes, such as \\n)")
    parser.add_argument("--lines", action="store_true", help="short for --separator '\\n'")
    parser.add_argument("--field", help="name of the text in a line of JSON (default: text)")
    parser.add_argument("--column", help="name of the text column of a table (default: text)")
    parser.add_argument("--no-special-tokens", action="store_true", help="add none around a text")
    parser.add_argument(
        "--specials",
        choices=["parse", "text", "error"],
        default="parse",
        help="special tokens spelled in a text: become control ids, stay text, or are refused",
    )
    parser.add_argument(
        "--errors",
        choices=["strict", "replace", "ignore"],
        default="strict",
        help="bytes that are not UTF-8: refused, replaced by U+FFFD, or dropped",
    )
    parser.add_argument("--threads", type=int, help="how many texts at once (default: all cores)")
    parser.add_argument(
        "--output", type=directory, help="directory for shards of ids and their manifest"
    )
    parser.add_argument("--format", default="npy", help="of the shards: npy, bin or parquet")
    parser.add_argument("--shard-bytes", type=int, default=256 << 20, help="text in a shard")
    parser.add_argument("--restart", action="store_true", help="replace what --output holds")
    parser.add_argument("--quiet", action="store_true", help="draw no progress bar")

    parser = command(
        commands,
        "decode",
        decode,
        summary="turn ids back into text",
        example="maxmunch decode tokenizer.json ids/shard-00000.npy\n"
        "echo '31373 995' | maxmunch decode tokenizer.json",
    )
    parser.add_argument("tokenizer", help="tokenizer.json, its directory, or an RWKV vocabulary")
    parser.add_argument("ids", nargs="?", default="-", help=".npy, or decimal ids; - is stdin")
    parser.add_argument("--keep-special-tokens", action="store_true", help="write them out too")


def encode(options: argparse.Namespace) -> int:
    """Run `maxmunch encode`."""
    tokenizer = load_tokenizer(options.tokenizer)
    if options.output is None:
        return _print_ids(tokenizer, options)
    manifest = tokenizer.encode_files(
        options.texts,
        options.output,
        format=options.format,
        separator=_separator(options),
        field=options.field,
        column=options.column,
        add_special_tokens=not options.no_special_tokens,
        specials=options.specials,
        threads=options.threads,
        progress=not options.quiet,
        resume=not options.restart,
        errors=options.errors,
        shard_bytes=options.shard_bytes,
    )
    done = {"documents": manifest.documents, "ids": manifest.ids, "bytes": manifest.text_bytes}
    if options.json:
        print_json({"output": options.output, "shards": len(manifest.shards), **done})
    else:
        print(
            f"{manifest.ids:,} ids of {manifest.documents:,} documents ({manifest.text_bytes:,}"
            f" bytes) in {len(manifest.shards):,} shards in {options.output}"
        )
    return YES


def _separator(options: argparse.Namespace) -> bytes | None:
    if options.lines:
        return b"\n"
    return None if options.separator is None else parse_bytes(options.separator, "separator")


def _print_ids(tokenizer: Tokenizer, options: argparse.Namespace) -> int:
    """Print the ids of each document as soon as they are there."""
    reading = FileOptions(
        separator=_separator(options),
        field=options.field,
        column=options.column,
        errors=options.errors,
    )
    encode = partial(
        tokenizer.encode_ids_batch,
        add_special_tokens=not options.no_special_tokens,
        specials=options.specials,
        threads=options.threads,
    )
    first = True
    for name, ids in encode_documents(encode, options.texts, reading):
        if options.json:
            document = json.dumps({"source": name, "ids": ids.tolist()}, ensure_ascii=False)
            print(('{"documents": [\n' if first else ",\n") + document, end="")
        else:
            print(*ids.tolist())
        first = False
    if options.json:
        print('{"documents": []}' if first else "\n]}")
    return YES


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
