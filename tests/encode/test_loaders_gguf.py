"""GGUF vocabularies: each model against the tokenizer that it was made from, and damaged files."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Any

import pytest

import maxmunch as mm
from maxmunch.components import byte_level_table

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["", "ab abc  c", " a\nb", "é漢", "<s>ab", "ABab, ab!"]


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def packed(value: Any) -> bytes:
    """Return the kind and the bytes of a value."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    head = struct.pack("<I", 9)
    if isinstance(value[0], str):
        return head + struct.pack("<IQ", 8, len(value)) + b"".join(map(text, value))
    code, kind = ("f", 6) if isinstance(value[0], float) else ("i", 5)
    return head + struct.pack(f"<IQ{len(value)}{code}", kind, len(value), *value)


def gguf(members: dict[str, Any]) -> bytes:
    """Return a GGUF file with these members of `tokenizer.ggml.` and no tensors."""
    pairs = [(f"tokenizer.ggml.{name}", value) for name, value in members.items()]
    pairs.insert(0, ("general.name", "small"))
    body = b"".join(text(key) + packed(value) for key, value in pairs)
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + body


def loaded(members: dict[str, Any], folder: Path) -> mm.Tokenizer:
    file = folder / "small.gguf"
    file.write_bytes(gguf(members))
    return mm.Tokenizer.from_gguf(file)


def llama() -> dict[str, Any]:
    single = ["a", "b", "c", "▁"]
    merged = ["ab", "▁ab", "abc", "▁▁"]
    tokens = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256)), *single, *merged]
    kinds = [2, 3, *[6] * 256, *[1] * 8]
    scores = [*[0.0] * 258, *[-100.0 - i for i in range(4)], *[-1.0 - i for i in range(4)]]
    return {"model": "llama", "tokens": tokens, "scores": scores, "token_type": kinds}


def test_llama_merges_by_score(tmp_path: Path) -> None:
    members = llama()
    tok = loaded(members, tmp_path)

    assert ["▁ab", "▁ab", "c", "▁▁", "c"] == tok.encode("ab abc  c").tokens
    assert 1 == tok.encode("<s>ab").ids[0]
    assert "ab abc  c" == tok.decode(tok.encode("ab abc  c").ids)
    assert ["ab"] == loaded(members | {"add_space_prefix": False}, tmp_path).encode("ab").tokens


@pytest.mark.parametrize("pre", ["gpt-2", "llama-bpe", "qwen2", "gpt-4o", "falcon", "starcoder"])
def test_gpt2_runs_its_merges(tmp_path: Path, pre: str) -> None:
    tokens = [*byte_level_table(), "ab", "Ġab", "abc", "<s>"]
    members = {
        "model": "gpt2",
        "pre": pre,
        "tokens": tokens,
        "token_type": [*[1] * 259, 3],
        "merges": ["a b", "Ġ ab", "ab c"],
    }
    tok = loaded(members, tmp_path)

    assert ["ab", "Ġab", "c"] == tok.encode("ab abc").tokens
    assert [259, 256] == tok.encode("<s>ab").ids
    for sample in TEXTS:
        assert sample == tok.decode(tok.encode(sample).ids, skip_special_tokens=False)


def test_bert_words_are_spelled_with_hashes(tmp_path: Path) -> None:
    tokens = ["[UNK]", "[CLS]", "▁ab", "c", "▁,", "▁!"]
    members = {
        "model": "bert",
        "tokens": tokens,
        "token_type": [3, 3, 1, 1, 1, 1],
        "unknown_token_id": 0,
    }
    tok = loaded(members, tmp_path)

    assert ["ab", "##c", ",", "ab", "!", "[UNK]"] == tok.encode("ABc, ab! zz").tokens


def test_t5_is_a_unigram_model(tmp_path: Path) -> None:
    tokens = ["<pad>", "<unk>", "▁", "a", "b", "▁ab"]
    members = {
        "model": "t5",
        "tokens": tokens,
        "scores": [0.0, 0.0, -2.0, -3.0, -3.0, -4.0],
        "token_type": [3, 2, 1, 1, 1, 1],
        "remove_extra_whitespaces": True,
    }
    tok = loaded(members, tmp_path)

    assert [5, 5, 3] == tok.encode("  ab   aba ").ids


def test_what_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(mm.UnsupportedTokenizerError, match="plamo2"):
        loaded({"model": "plamo2", "tokens": ["a"]}, tmp_path)
    with pytest.raises(mm.UnsupportedTokenizerError, match=r"ggml\.pre"):
        loaded({"model": "gpt2", "pre": "new", "tokens": ["a"], "merges": ["a b"]}, tmp_path)
    with pytest.raises(mm.InvalidTokenizerError, match="scores"):
        loaded({"model": "llama", "tokens": ["a"]}, tmp_path)


def test_a_damaged_file_is_an_error_with_its_place(tmp_path: Path) -> None:
    data = gguf(llama())
    source = random.Random(3)
    broken = [data[: source.randrange(len(data))] for _ in range(60)]
    for _ in range(60):
        changed = bytearray(data)
        changed[source.randrange(200)] = source.randrange(256)
        broken.append(bytes(changed))
    refused = 0
    for index, content in enumerate(broken):
        file = tmp_path / f"{index}.gguf"
        file.write_bytes(content)
        try:
            mm.Tokenizer.from_gguf(file)
        except (mm.InvalidTokenizerError, mm.UnsupportedTokenizerError):
            refused += 1

    assert 60 <= refused
