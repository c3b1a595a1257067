from __future__ import annotations

import base64
import functools
import json
from typing import TYPE_CHECKING

import pytest
from tests_train import greedy_ids, hostile_text

import maxmunch as mm
from maxmunch.train.result import check_export

if TYPE_CHECKING:
    from pathlib import Path

tokenizers = pytest.importorskip("tokenizers")


def test_the_file_runs_in_tokenizers_as_a_slow_greedy_twin_on_hostile_text(
    trained: mm.TrainingResult, tmp_path: Path, prose: str
) -> None:
    trained.save(tmp_path)
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(trained.pattern), "isolated")
    ids = {token: number for number, token in enumerate(trained.model_tokens)}
    longest = max(map(len, ids))
    documents = [*hostile_text(1_000_000), prose]

    twin = functools.cache(lambda piece: greedy_ids(ids, longest, piece.encode()))

    for document, encoding in zip(documents, theirs.encode_batch_fast(documents), strict=True):
        expected = [n for piece, _ in split.pre_tokenize_str(document) for n in twin(piece)]
        assert expected == encoding.ids
        assert document == theirs.decode(encoding.ids)


def test_our_tokenizer_gives_the_ids_of_the_reference(trained: mm.TrainingResult) -> None:
    theirs = tokenizers.Tokenizer.from_str(trained.to_json())
    for document in hostile_text(1_000_000, seed=1):
        assert theirs.encode(document).ids == trained.tokenizer.encode(document).ids


def test_special_tokens_come_after_the_model(trained: mm.TrainingResult) -> None:
    theirs = tokenizers.Tokenizer.from_str(trained.to_json())

    assert [998] == theirs.encode("<|end|>").ids
    assert [999] == theirs.encode("<|user|>").ids
    assert 1000 == theirs.get_vocab_size()
    assert len(trained.vocabulary) == theirs.get_vocab_size()


def test_transformers_loads_the_directory_and_gives_the_same_ids(
    trained: mm.TrainingResult, tmp_path: Path, prose: str
) -> None:
    transformers = pytest.importorskip("transformers")
    trained.save(tmp_path)
    theirs = [
        transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json")),
        transformers.AutoTokenizer.from_pretrained(str(tmp_path)),
    ]
    for document in [*hostile_text(100_000, seed=2), prose[:50_000], "a<|end|>b <|user|> c"]:
        ids = trained.tokenizer.encode(document).ids
        for loaded in theirs:
            assert ids == loaded(document)["input_ids"]
    assert "it 's" == theirs[1].decode(trained.tokenizer.encode("it 's").ids)
    assert [998] == theirs[1].convert_tokens_to_ids(["<|end|>"])


def test_the_plain_files_hold_the_vocabulary(trained: mm.TrainingResult, tmp_path: Path) -> None:
    trained.save(tmp_path)

    rows = [
        json.loads(line) for line in (tmp_path / "vocabulary.jsonl").read_text("utf-8").splitlines()
    ]
    assert trained.vocabulary == [bytes.fromhex(row["bytes"]) for row in rows]
    assert list(range(1000)) == [row["id"] for row in rows]
    assert ["<|end|>", "<|user|>"] == [row["text"] for row in rows if row.get("special")]
    ranks = [line.split() for line in (tmp_path / "greedy.ranks").read_bytes().splitlines()]
    assert trained.model_tokens == [base64.b64decode(token) for token, _ in ranks]
    # A file of ranks is a start for another training as well.
    again = mm.train(
        mm.PretokenCounts.from_items({"abab": 5, "ab": 4, "cdcd": 3, "cd": 2}),
        258,
        start=tmp_path / "greedy.ranks",
        progress=False,
    )
    assert 258 == len(again.vocabulary)


def test_a_file_with_other_ids_is_never_written(
    trained: mm.TrainingResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = json.loads(trained.to_json())
    names = [*content["model"]["vocab"]]
    names[300], names[301] = names[301], names[300]
    content["model"]["vocab"] = {name: number for number, name in enumerate(names)}
    monkeypatch.setattr(mm.TrainingResult, "to_json", lambda _: json.dumps(content))

    with pytest.raises(mm.TrainingError, match="exported vocabulary"):
        trained.save(tmp_path)
    assert not (tmp_path / "tokenizer.json").exists()

    pattern = content["pre_tokenizer"]["pretokenizers"][0]["pattern"]
    monkeypatch.undo()
    content = json.loads(trained.to_json())
    content["pre_tokenizer"]["pretokenizers"][0]["pattern"] = {"Regex": "."}
    assert pattern != {"Regex": "."}
    with pytest.raises(mm.TrainingError, match="other ids"):
        check_export(json.dumps(content), trained.model_tokens, trained.pattern)
