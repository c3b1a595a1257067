"""`maxmunch explain` and `maxmunch inspect`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmunch.cli.commands import Commands, command
from maxmunch.cli.console import YES, print_json
from maxmunch.cli.sources import load_tokenizer, read_text

if TYPE_CHECKING:
    import argparse

    from maxmunch.tokenizer import Tokenizer

__all__ = ["facts", "register"]

SAMPLE_CHARACTERS = 2000


def register(commands: Commands) -> None:
    """Add the commands that look into a tokenizer."""
    parser = command(
        commands,
        "explain",
        explain,
        summary="tell what each stage of a tokenizer does to a text",
        example="maxmunch explain tokenizer.json 'to be<|end|>'",
    )
    parser.add_argument("tokenizer", help="tokenizer.json, its directory, or an RWKV vocabulary")
    parser.add_argument("text", help="the text; - is standard input")
    parser.add_argument("--specials", choices=["parse", "text", "error"], default="parse")
    parser = command(
        commands,
        "inspect",
        inspect,
        summary="tell what a tokenizer is made of",
        example="maxmunch inspect tokenizer.json",
    )
    parser.add_argument("tokenizer", help="tokenizer.json, its directory, or an RWKV vocabulary")
    parser.add_argument("--sample", type=Path, help="a text whose first 2,000 characters are cut")


def explain(arguments: argparse.Namespace) -> int:
    """Print what each stage does."""
    text = read_text("-") if arguments.text == "-" else arguments.text
    said = load_tokenizer(arguments.tokenizer).explain(text, specials=arguments.specials)
    if arguments.json:
        print_json(said.to_dict())
    else:
        print(said)
    return YES


def inspect(arguments: argparse.Namespace) -> int:
    """Print the parts of a tokenizer."""
    found = facts(load_tokenizer(arguments.tokenizer), sample(arguments.sample))
    if arguments.json:
        print_json(found)
        return YES
    width = max(map(len, found))
    for name, value in found.items():
        print(f"{name:{width}}  {value}")
    return YES


def sample(path: Path | None) -> str:
    """Return 2,000 characters: the beginning of a file, or of what this package says of itself."""
    if path == Path("-"):
        return read_text("-")[:SAMPLE_CHARACTERS]
    if path is not None:
        with path.open(encoding="utf-8") as file:
            return file.read(SAMPLE_CHARACTERS)
    import maxmunch

    public = (getattr(maxmunch, name).__doc__ or "" for name in sorted(maxmunch.__all__))
    return " ".join(" ".join(public).split())[:SAMPLE_CHARACTERS]


def facts(tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    """Return what a tokenizer is made of, figures of its vocabulary, and which cuts it allows."""
    cuts = tokenizer._cuts().plan(text, len(text.encode()) + 1, continued=True)  # noqa: SLF001
    document = json.loads(tokenizer.to_str())
    model = document["model"]
    added = document["added_tokens"]
    tokens = [token for token in tokenizer.vocabulary if token is not None]
    parts = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    options = {name: value for name, value in model.items() if name not in {"vocab", "merges"}}
    return {
        "model": options.pop("type"),
        "model options": {name: value for name, value in options.items() if value} or None,
        "tokens": tokenizer.get_vocab_size(with_added_tokens=False),
        "merges": len(model["merges"]) if "merges" in model else None,
        "longest token, bytes": max(map(len, tokens), default=0),
        "bytes of all tokens": sum(map(len, tokens)),
        "added tokens": len(added),
        "special tokens": sum(entry["special"] for entry in added),
        **{name: _shape(document[name]) for name in parts},
        f"splitter, {len(text):,} characters": str(tokenizer.explain(text).splitter),
        "places where threads may share them": len(cuts)
        or "none: one thread does the work of one text",
    }


def _shape(part: Any) -> Any:
    """Return the type of a component, of a sequence those of its members."""
    if not isinstance(part, dict) or "type" not in part:
        return part
    lists = (part.get(name) for name in ("normalizers", "pretokenizers", "processors", "decoders"))
    inner = next((members for members in lists if isinstance(members, list)), None)
    if inner is None:
        return part["type"]
    return f"{part['type']}({', '.join(str(_shape(member)) for member in inner)})"
