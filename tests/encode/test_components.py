"""Components as objects: live options, custom code, models' own files, sampling."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import maxmunch as mm

if TYPE_CHECKING:
    from pathlib import Path

VOCAB = {"a": 0, "b": 1, "ab": 2, "A": 3, " ": 4, "[UNK]": 5}


@pytest.fixture
def tok() -> mm.Tokenizer:
    return mm.Tokenizer(mm.models.BPE(VOCAB, [("a", "b")], unk_token="[UNK]"))


def test_an_option_changes_the_tokenizers_that_the_component_is_part_of(tok: mm.Tokenizer) -> None:
    bert = mm.normalizers.BertNormalizer(lowercase=False)
    tok.normalizer = mm.normalizers.Sequence([mm.normalizers.NFC(), bert])
    before = copy.copy(tok)
    assert [3] == tok.encode("A").ids

    bert.lowercase = True
    assert [0] == tok.encode("A").ids
    tok.normalizer[1].lowercase = False
    assert [3] == tok.encode("A").ids == before.encode("A").ids
    tok.normalizer[1] = mm.normalizers.Lowercase()
    assert [0] == tok.encode("A").ids
    tok.model.unk_token = None
    assert [] == tok.encode("Z").ids


def test_a_refused_option_changes_nothing(tok: mm.Tokenizer) -> None:
    tok.model.dropout = None
    with pytest.raises(mm.InvalidTokenizerError, match="dropout"):
        tok.model.dropout = 2.0
    with pytest.raises(TypeError, match="lowercase"):
        mm.normalizers.BertNormalizer().lowercase = 1  # type: ignore[assignment]

    assert tok.model.dropout is None
    assert [2] == tok.encode("ab").ids


def test_a_component_does_not_keep_its_tokenizers_alive(tok: mm.Tokenizer) -> None:
    strip = mm.normalizers.Strip()
    mm.Tokenizer(tok.model).normalizer = strip
    gc.collect()
    strip.left = False

    assert not strip.left


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (mm.normalizers.Normalizer, "No constructor"),
        (lambda: mm.normalizers.Sequence(mm.normalizers.NFC()), "list"),
        (lambda: mm.normalizers.Sequence([mm.decoders.Fuse()]), "Fuse"),
        (lambda: mm.pre_tokenizers.Split(3, "isolated"), "pattern"),
        (lambda: mm.decoders.Strip(" ", "1"), "left"),
        (lambda: mm.Tokenizer("model"), "str given"),
    ],
)
def test_a_wrong_kind_of_value_is_named(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mm.Regex("("), "pattern"),
        (lambda: mm.pre_tokenizers.Split("a", "gone"), "removed, isolated"),
        (lambda: mm.pre_tokenizers.CharDelimiterSplit(""), "expected a string of length 1"),
        (lambda: mm.pre_tokenizers.FixedLength(0), "1 or more"),
        (lambda: mm.processors.TemplateProcessing("$x"), "Cannot build Piece"),
        (lambda: mm.processors.TemplateProcessing("a $A"), "Missing SpecialToken"),
        (lambda: mm.processors.TemplateProcessing("$A", "$A"), "both sequences"),
        (lambda: mm.models.BPE({"a": 0}), "both specified"),
        (lambda: mm.models.BPE({"a": 0}, [("a", "a")]), "merges"),
        (lambda: mm.models.Unigram(unk_id=0), "both specified"),
        (lambda: mm.models.Unigram([("a", 0.0)], 3), "unk_id"),
    ],
)
def test_a_value_outside_its_range_is_named(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


class Commas:
    """Cuts at commas, which it drops; lowercases; decodes with dots."""

    def normalize(self, text: mm.NormalizedString) -> None:
        text.lowercase()
        text.replace(";", ",")
        self.kept = text

    def pre_tokenize(self, text: mm.PreTokenizedString) -> None:
        text.split(lambda _, piece: piece.split(",", "removed"))

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [f"{token}." for token in tokens]


def test_custom_components_run_inside_the_pipeline(tok: mm.Tokenizer) -> None:
    custom = Commas()
    normalizer = mm.normalizers.Normalizer.custom(custom)
    tok.add_special_tokens(["<s>"])
    tok.normalizer = mm.normalizers.Sequence([normalizer, mm.normalizers.NFC()])
    tok.pre_tokenizer = mm.pre_tokenizers.PreTokenizer.custom(custom)
    tok.decoder = mm.decoders.Decoder.custom(custom)
    encoding = tok.encode("AB;a<s>,B")

    assert ["ab", "a", "<s>", "b"] == encoding.tokens
    assert [(0, 2), (3, 4), (4, 7), (8, 9)] == encoding.offsets
    assert [0, 1, 2, 3] == encoding.word_ids
    assert encoding.ids == tok.encode_ids("AB;a<s>,B").tolist()
    batch = tok.encode_batch(["AB;a", "b"] * 8, threads=4)
    assert [[2, 0], [1]] * 8 == [one.ids for one in batch]
    assert "ab.a." == tok.decode([2, 0])
    with pytest.raises(ValueError, match="outside `normalize`"):
        custom.kept.nfc()


def test_custom_components_are_not_saved(tok: mm.Tokenizer) -> None:
    custom = mm.normalizers.Normalizer.custom(Commas())
    for save in (lambda: pickle.dumps(custom), custom.to_dict):
        with pytest.raises(mm.UnsupportedTokenizerError, match="custom component cannot be saved"):
            save()
    tok.pre_tokenizer = mm.pre_tokenizers.PreTokenizer.custom(Commas())
    with pytest.raises(mm.UnsupportedTokenizerError, match="pre_tokenizer"):
        tok.to_str()
    with pytest.raises(mm.UnsupportedTokenizerError, match="custom decoder"):
        mm.decoders.Sequence([mm.decoders.Decoder.custom(Commas())])
    assert "custom(" in repr(custom)


def test_what_custom_code_raises_comes_out_with_its_cause(tok: mm.Tokenizer) -> None:
    class Broken:
        def normalize(self, _text: mm.NormalizedString) -> None:
            raise KeyError("no such word")

    tok.normalizer = mm.normalizers.Normalizer.custom(Broken())
    for call in (tok.encode, tok.encode_ids, lambda text: tok.encode_batch([text, text])):
        with pytest.raises(mm.MaxmunchError, match="KeyError: 'no such word'") as raised:
            call("a")
        assert isinstance(raised.value.__cause__, KeyError)


def test_pieces_can_bring_their_own_tokens() -> None:
    text = mm.PreTokenizedString("héllo you")
    mm.pre_tokenizers.WhitespaceSplit().pre_tokenize(text)
    text.tokenize(lambda piece: [mm.Token(len(piece), piece, (0, len(piece.encode())))])

    encoding = text.to_encoding()
    assert ([5, 3], ["héllo", "you"]) == (encoding.ids, encoding.tokens)
    assert [(0, 5), (6, 9)] == encoding.offsets
    with pytest.raises(ValueError, match="has no tokens yet"):
        mm.PreTokenizedString("a").to_encoding()


def test_models_write_and_read_their_own_files(tmp_path: Path) -> None:
    bpe = mm.models.BPE(VOCAB, [("a", "b")])
    vocab, merges = bpe.save(tmp_path, "x")
    word_piece = mm.models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2})
    (lines,) = word_piece.save(tmp_path)
    (words,) = mm.models.WordLevel({"<unk>": 0, "a": 1}).save(tmp_path)
    (unigram,) = mm.models.Unigram([("<unk>", 0.0)], 0).save(tmp_path)

    assert ["x-vocab.json", "x-merges.txt"] == [
        path[-len("x-vocab.json") :] for path in (vocab, merges)
    ]
    assert repr(bpe) == repr(mm.models.BPE.from_file(vocab, merges))
    assert repr(word_piece) == repr(mm.models.WordPiece.from_file(lines))
    assert {"<unk>": 0, "a": 1} == mm.models.WordLevel.read_file(words)
    assert unigram.endswith("unigram.json")
    assert [2] == [token.id for token in mm.models.BPE(vocab, merges).tokenize("ab")]


def test_sampling_with_a_seed_depends_on_seed_and_text_alone() -> None:
    text = "ab" * 20
    merges = [("a", "b"), ("ab", "ab")]
    vocab = {"a": 0, "b": 1, "ab": 2, "abab": 3}
    tok = mm.Tokenizer(mm.models.BPE(vocab, merges, dropout=0.5, seed=7))
    first = tok.encode(text).ids

    assert first == tok.encode(text).ids == tok.encode_ids(text).tolist()
    assert [first] * 5 == [one.ids for one in tok.encode_batch([text] * 5, threads=3)]
    tok.model.seed = 8
    assert first != tok.encode(text).ids
    tok.model.seed = None
    assert len({tuple(tok.encode(text).ids) for _ in range(20)}) > 1
    assert "".join(tok.encode(text).tokens) == text
    tok.model.dropout = 1.0
    assert list(text) == tok.encode(text).tokens
    tok.model.dropout = 0.0
    assert ["abab"] * 10 == tok.encode(text).tokens
    assert '"seed"' not in tok.to_str()


def test_unigram_draws_from_all_or_from_the_best() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -1.5)]
    model = mm.models.Unigram(pieces, 0, alpha=1.0, seed=3)
    tok = mm.Tokenizer(model)
    text = "ab" * 12

    assert {1, 2, 3} == set(tok.encode(text).ids)
    assert tok.encode(text).ids == tok.encode_ids(text).tolist()
    model.nbest_size = 1
    assert [3] * 12 == tok.encode(text).ids
    model.alpha = None
    assert [3] * 12 == tok.encode(text).ids
    assert (None, 1) == (tok.model.alpha, tok.model.nbest_size)


def test_a_vocabulary_is_shown_whatever_its_tokens_are_called() -> None:
    model = mm.models.WordLevel({"type": 0, "pattern": 1}, unk_token="type")

    assert 'WordLevel(vocab={"type":0, "pattern":1}, unk_token="type")' == repr(model)


def test_byte_level_leaves_text_that_stands_for_nothing_behind_its_characters() -> None:
    # What `tokenizers` 0.23.3 gives: it looks for the original of what it replaces.
    alphabet = sorted({*mm.pre_tokenizers.ByteLevel.alphabet(), "▁"})
    tok = mm.Tokenizer(mm.models.BPE({letter: i for i, letter in enumerate(alphabet)}, []))
    tok.normalizer = mm.normalizers.Replace("", "▁")
    tok.pre_tokenizer = mm.pre_tokenizers.ByteLevel(add_prefix_space=False)

    found = tok.encode("a")

    assert ["â", "ĸ", "ģ", "▁", "a", "â", "ĸ", "ģ"] == found.tokens
    assert [(0, 0)] * 4 + [(0, 1)] * 4 == found.offsets
    assert [0, 0, 0, 0, 1, 2, 2, 2] == found.word_ids
    assert found.ids == tok.encode_ids("a").tolist() == tok.encode_ids_batch(["a"])[0].tolist()
    stream = tok.stream_encoder()
    assert found.ids == [*stream.feed("a"), *stream.finish()]


def test_behaviors_are_shown_as_the_reference_shows_them() -> None:
    assert "mergedwithnext" == mm.pre_tokenizers.Split("a", "merged_with_next").behavior
    assert "isolated" == mm.pre_tokenizers.Punctuation().behavior


def test_a_template_that_is_set_adds_as_many_tokens_as_before_until_it_is_saved() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0}, unk_token="a"))
    tok.pre_tokenizer = mm.pre_tokenizers.Whitespace()
    processor = mm.processors.TemplateProcessing("[C] $A", "$A $B", [("[C]", 1), ("[S]", 2)])
    tok.post_processor = processor
    processor.single = "[S] $A [S]"
    tok.enable_truncation(4)

    assert (1, 5) == (processor.num_special_tokens_to_add(is_pair=False), len(tok.encode("a " * 9)))
    saved = mm.Tokenizer.from_str(tok.to_str())
    assert (2, 4) == (saved.num_special_tokens_to_add(is_pair=False), len(saved.encode("a " * 9)))
    copied = pickle.loads(pickle.dumps(processor))  # noqa: S301 (our own)
    assert 2 == copied.num_special_tokens_to_add(is_pair=False)


def test_a_text_that_a_template_repeats_is_cut_nowhere() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0}, unk_token="a"))
    tok.pre_tokenizer = mm.pre_tokenizers.Whitespace()
    tok.post_processor = mm.processors.TemplateProcessing("$A", "$A $B", [])
    assert len(tok.cut_points("a a a", 6)) > 0

    tok.post_processor = mm.processors.TemplateProcessing("$A $A", "$A $B", [])
    assert 0 == len(tok.cut_points("a a a", 6))


def test_a_prefix_of_nothing_takes_the_place_of_the_first_character() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0}, unk_token="a"))
    tok.normalizer = mm.normalizers.Prepend("")
    tok.pre_tokenizer = mm.pre_tokenizers.Split("", "isolated")

    assert [(0, 0), (1, 2)] == tok.encode("ab").offsets


def test_a_file_cannot_say_how_many_tokens_a_template_adds() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0}, unk_token="a"))
    tok.post_processor = mm.processors.TemplateProcessing("[C] $A", "$A $B", [("[C]", 1)])
    document = json.loads(tok.to_str())
    document["post_processor"] |= {"added_single": 7, "_claimed": 7}
    loaded = mm.Tokenizer.from_str(json.dumps(document))

    for each in (loaded, copy.deepcopy(loaded)):
        assert 1 == each.num_special_tokens_to_add(False)
        assert 1 == each.post_processor.num_special_tokens_to_add(False)
        assert tok.to_str() == each.to_str()


def test_a_sequence_knows_what_the_templates_in_it_said_before() -> None:
    tok = mm.Tokenizer(mm.models.WordLevel({"a": 0}, unk_token="a"))
    template = mm.processors.TemplateProcessing("[C] $A", "$A $B", [("[C]", 1)])
    other = mm.processors.TemplateProcessing("[C] $A [C]", "$A $B", [("[C]", 1)])
    whole = mm.processors.Sequence([mm.processors.ByteLevel(), template, other])
    tok.post_processor = whole
    whole[1].single = "[C] [C] [C] $A"

    assert 3 == whole.num_special_tokens_to_add(False) == tok.num_special_tokens_to_add(False)
    assert 5 == mm.Tokenizer.from_str(tok.to_str()).num_special_tokens_to_add(False)
    template.single = "[C] [C] $A"
    whole[2] = template
    assert 2 == whole.num_special_tokens_to_add(False)
