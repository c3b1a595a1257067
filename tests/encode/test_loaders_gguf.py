"""GGUF vocabularies: each model against the tokenizer that it was made from, and damaged files."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, Any

import pytest
from encode_helpers import HOSTILE

import maxmunch as mm
from maxmunch.components import byte_level_table
from maxmunch.loaders.gguf_patterns import _NAMES

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
    if isinstance(value, bytes):
        return head + struct.pack("<IQ", 0, len(value)) + value
    if isinstance(value[0], str):
        return head + struct.pack("<IQ", 8, len(value)) + b"".join(map(text, value))
    code, kind = ("f", 6) if isinstance(value[0], float) else ("i", 5)
    return head + struct.pack(f"<IQ{len(value)}{code}", kind, len(value), *value)


def gguf(members: dict[str, Any], name: str = "small") -> bytes:
    """Return a GGUF file with these members of `tokenizer.ggml.` and no tensors."""
    pairs = [(f"tokenizer.ggml.{name}", value) for name, value in members.items()]
    pairs.insert(0, ("general.name", name))
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

    assert ["<s>", "▁ab", "▁ab", "c", "▁▁", "c"] == tok.encode("ab abc  c").tokens
    assert 1 == tok.encode("<s>ab", add_special_tokens=False).ids[0]
    assert "ab abc  c" == tok.decode(tok.encode("ab abc  c").ids)
    assert ["<0xC3>", "<0xA9>"] == tok.encode("é").tokens[2:]
    bare = loaded(members | {"add_space_prefix": False, "add_bos_token": False}, tmp_path)
    assert ["ab"] == bare.encode("ab").tokens


def test_llama_merges_tokens_of_every_kind(tmp_path: Path) -> None:
    members = llama()
    members["tokens"] += ["<s", "s>", "<", "s", ">"]
    members["scores"] += [-10.0, -20.0, -30.0, -40.0, -50.0]
    members["token_type"] += [1] * 5
    tok = loaded(members | {"add_bos_token": False}, tmp_path)

    # Text all the same: the merges spell it.
    assert ["▁", "<s>"] == tok.encode("<s>", specials="text").tokens


def test_a_vocabulary_without_a_byte_is_refused(tmp_path: Path) -> None:
    members = llama()
    members["tokens"][10] = "other"

    with pytest.raises(mm.UnsupportedTokenizerError, match="<0x08> is no token"):
        loaded(members, tmp_path)


def gpt2(pre: str) -> dict[str, Any]:
    tokens = [*byte_level_table(), "ab", "Ġab", "abc", "<s>"]
    merges = ["a b", "Ġ ab", "ab c"]
    kinds = [*[1] * 259, 3]
    return {"model": "gpt2", "pre": pre, "tokens": tokens, "token_type": kinds, "merges": merges}


@pytest.mark.parametrize("pre", sorted(_NAMES))
def test_gpt2_runs_its_merges(tmp_path: Path, pre: str) -> None:
    if pre in {"gemma4", "granite-embed-multi-311m", "sarvam-moe"}:
        pytest.skip("merges characters")
    tok = loaded(gpt2(pre) | {"bos_token_id": 259, "add_bos_token": True}, tmp_path)

    assert ["<s>", "ab"] == tok.encode("ab").tokens[:2]
    for sample in [*TEXTS, *HOSTILE, "it's 1234567 ab\n\n", "x" * 9]:
        found = tok.encode(sample, add_special_tokens=False)
        assert sample == tok.decode(found.ids, skip_special_tokens=False)


@pytest.mark.parametrize(
    ("pre", "text", "expected"),
    [
        ("gpt-2", "it's 1234", ["it", "'s", " 1234"]),
        ("default", "a,1234", ["a", ",", "123", "4"]),
        ("falcon", "a,12345", ["a", ",", "123", "45"]),
        ("llama-bpe", "It'S 1234\n x", ["It", "'S", " ", "123", "4", "\n", " x"]),
        ("qwen35", "e\u0301x 12", ["e\u0301x", " ", "1", "2"]),
        ("gpt-4o", "aBc e\u0301x'll", ["a", "Bc", " e", "\u0301x'll"]),
        ("deepseek-llm", "ab 漢字,12\n", ["ab", " ", "漢字", ",", "12", "\n"]),
        ("tiny_aya", "ab1234567", ["ab", "1", "234", "567"]),
        ("superbpe", "a b 12345", ["a b ", "12", "345"]),
        ("kimi-k2", "漢字ab's", ["漢字", "ab's"]),
        # A letter that an expression without case would take for an s.
        ("qwen2", "'\u017f", ["'\u017f"]),
    ],
)
def test_text_is_cut_as_the_name_says(
    tmp_path: Path, pre: str, text: str, expected: list[str]
) -> None:
    tok = loaded(gpt2(pre), tmp_path)
    pieces = tok.pre_tokenizer.pre_tokenize_str(text)

    assert expected == [text[start:end] for _, (start, end) in pieces]


def test_of_two_merges_of_one_pair_the_first_counts(tmp_path: Path) -> None:
    members = gpt2("gpt-2") | {"merges": ["a b", "b c", "a b"]}
    members["tokens"] = [*members["tokens"][:256], "ab", "bc", "abc", "<s>"]
    tok = loaded(members, tmp_path)

    assert ["ab", "c"] == tok.encode("abc").tokens


def test_gemma_merges_characters(tmp_path: Path) -> None:
    characters = ["a", "b", "▁", "\n"]
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    members = {
        "model": "gemma4",
        "tokens": ["<bos>", *bytes_, *characters, "▁a", "\n\n", "▁ab"],
        "token_type": [3, *[6] * 256, *[1] * 7],
        "merges": ["▁ a", "\n \n", "▁a b"],
        "bos_token_id": 0,
    }
    tok = loaded(members, tmp_path)

    found = tok.encode("a ab\n\n\né").tokens
    assert ["<bos>", "a", "▁ab", "\n\n", "\n", "<0xC3>", "<0xA9>"] == found
    assert "a ab\n\n\né" == tok.decode(tok.encode("a ab\n\n\né").ids)


def test_tokens_that_look_special_are(tmp_path: Path) -> None:
    members = gpt2("gpt-2")
    members["tokens"][258] = "<|im_end|>"
    members["merges"].pop()
    tok = loaded(members, tmp_path)

    assert [256, 258] == tok.encode("ab<|im_end|>").ids
    assert 258 not in tok.encode("ab<|im_end|>", specials="text").ids


def test_a_name_may_make_special_tokens_take_white_space(tmp_path: Path) -> None:
    file = tmp_path / "phi.gguf"
    members = llama()
    members["tokens"][2:3] = ["</s>", "<0x00>"]
    members["token_type"].insert(2, 4)
    members["scores"].insert(2, 0.0)
    file.write_bytes(gguf(members, name="Phi-3 mini"))
    tok = mm.Tokenizer.from_gguf(file)

    flags = {token.content: token.rstrip for token in tok.get_added_tokens_decoder().values()}
    assert {"<unk>": False, "<s>": False, "</s>": True} == flags


def bert() -> dict[str, Any]:
    tokens = ["[UNK]", "[CLS]", "▁ab", "c", "▁,", "▁!", "[SEP]", "▁ᄒ"]
    ids = {"unknown_token_id": 0, "bos_token_id": 1, "seperator_token_id": 6}
    return {"model": "bert", "tokens": tokens, "token_type": [3, 3, 1, 1, 1, 1, 3, 1]} | ids


def test_bert_words_are_spelled_with_hashes(tmp_path: Path) -> None:
    tok = loaded(bert(), tmp_path)

    expected = ["[CLS]", "ab", "##c", ",", "ab", "!", "[UNK]", "ᄒ", "[SEP]"]
    assert expected == tok.encode("ABc, áb! zz 한").tokens
    assert ["[UNK]"] == loaded(bert() | {"normalizer.lowercase": False}, tmp_path).encode(
        "AB", add_special_tokens=False
    ).tokens


def test_rwkv_is_greedy_over_bytes(tmp_path: Path) -> None:
    plain = [byte for byte in range(256) if chr(byte) not in "ab"]
    tokens = ["<s>", *(f"\\x{byte:02x}" for byte in plain), "a", "b", "ab\\n", "\\xc3\\xa9b"]
    tok = loaded({"model": "rwkv", "tokens": tokens, "token_type": [3, *[1] * 258]}, tmp_path)

    expected = [tokens.index("ab\\n"), tokens.index("\\xc3\\xa9b"), 0]
    assert expected == tok.encode("ab\néb<s>").ids
    assert "ab\néb" == tok.decode(tok.encode("ab\néb").ids)
    with pytest.raises(mm.InvalidTokenizerError, match="hexadecimal"):
        loaded({"model": "rwkv", "tokens": ["\\xzz"]}, tmp_path)


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

    assert [5, 5, 3] == tok.encode("  ab   aba ", add_special_tokens=False).ids
    assert [5, 1] == tok.encode("ab").ids


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
