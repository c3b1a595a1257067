from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest
from tests_train import greedy_ids, hostile_text

if TYPE_CHECKING:
    from pathlib import Path

    import maxmunch as mm

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
