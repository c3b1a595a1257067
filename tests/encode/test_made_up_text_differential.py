"""Made up text, and contents that stand for no text, against `tokenizers`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipeline_strategies import FLAGS, every_normalizer, texts

import maxmunch as mm

if TYPE_CHECKING:
    from collections.abc import Callable

tokenizers = pytest.importorskip("tokenizers", reason="the reference is not installed")

MODEL = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call of the reference returns, or None where it panics."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 (panics are no Exception)
        return None


fronts = st.builds(
    lambda regex, content: {
        "type": "Replace",
        "pattern": {"Regex": regex},
        "content": content,
    },
    st.sampled_from(["^", "a*", r"\b", "(?=a)", "$", "", r"\s*"]),
    st.sampled_from(["x", " ", "\u0301", "ab", " \u0301", "e\u0301", "漢"]),
)
droppers = st.sampled_from(
    [
        {"type": "StripAccents"},
        {"type": "Strip", "strip_left": False, "strip_right": True},
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "NFC"},
        {"type": "NFKC"},
        {"type": "ByteLevel"},
    ]
)
tails = st.sampled_from(["", "\u0301", "  ", "\u0301\u0301", " \n ", "e\u0301", "\u1161"])


@given(
    front=fronts,
    others=st.lists(
        st.one_of(droppers, droppers, fronts, every_normalizer), min_size=1, max_size=3
    ),
    text=st.builds(str.__add__, texts, tails),
)
def test_what_is_put_before_is_there_twice_where_the_reference_writes_it_twice(
    *, front: dict[str, Any], others: list[dict[str, Any]], text: str
) -> None:
    normalizer = {"type": "Sequence", "normalizers": [front, *others]}
    document = json.dumps({"version": "1.0", "normalizer": normalizer, "model": MODEL})
    ours, theirs = mm.Tokenizer.from_str(document), tokenizers.Tokenizer.from_str(document)

    expected = outcome(lambda: theirs.encode(text))
    found = ours.encode(text)

    assert found.ids == ours.encode_ids(text).tolist()
    if expected is not None:
        assert (expected.tokens, expected.offsets) == (found.tokens, found.offsets)
        assert theirs.normalizer.normalize_str(text) == ours.normalizer.normalize_str(text)


CALLS: dict[str, Callable[[Any], Any]] = {
    "append": lambda text: text.append("ab"),
    "append more": lambda text: text.append("é "),
    "prepend": lambda text: text.prepend("x"),
    "lowercase": lambda text: text.lowercase(),
    "uppercase": lambda text: text.uppercase(),
    "replace": lambda text: text.replace("a", "q"),
    "delete": lambda text: text.replace("b", ""),
    "filter": lambda text: text.filter(lambda character: character != "b"),
    "strip": lambda text: text.strip(),
    "lstrip": lambda text: text.lstrip(),
    "nfd": lambda text: text.nfd(),
    "nfkc": lambda text: text.nfkc(),
    "clear": lambda text: text.clear(),
    "map": lambda text: text.map(lambda _: "z"),
}


@given(
    start=st.sampled_from(["", "", "a", " b", "é"]),
    calls=st.lists(st.sampled_from(sorted(CALLS)), max_size=5),
)
def test_texts_at_work_equal_the_reference(*, start: str, calls: list[str]) -> None:
    ours, theirs = mm.NormalizedString(start), tokenizers.NormalizedString(start)

    for name in calls:
        panicked = outcome(lambda name=name: (CALLS[name](theirs),)) is None
        CALLS[name](ours)
        if panicked:
            return
        assert (theirs.normalized, theirs.original) == (ours.normalized, ours.original)


@given(
    contents=st.lists(
        st.sampled_from(["a", "b", "ab", "  ", " a", "a ", "aa", "ba", "aba", " ", "abab"]),
        unique=True,
        max_size=4,
    ),
    place=st.integers(0, 4),
    data=st.data(),
    text=st.text(st.sampled_from("ab x"), max_size=8),
    as_text=st.booleans(),
)
def test_contents_that_normalization_deletes_equal_the_reference(
    *, contents: list[str], place: int, data: st.DataObject, text: str, as_text: bool
) -> None:
    contents.insert(place, "\0")
    # The reference hangs where the text, or what a raw match leaves of it, ends inside a content.
    flags = [{name: data.draw(st.booleans()) for name in FLAGS} for _ in contents]
    flags = [{**given, "normalized": True} for given in flags]

    def made(library: Any) -> Any:
        tok = library.Tokenizer(library.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
        tok.normalizer = library.normalizers.BertNormalizer(
            clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False
        )
        tok.encode_special_tokens = as_text
        pairs = zip(contents, flags, strict=True)
        tok.add_tokens([library.AddedToken(content, **given) for content, given in pairs])
        return tok

    expected = outcome(lambda: made(tokenizers).encode(f"{text}."))
    found = made(mm).encode(f"{text}.")

    if expected is not None:
        assert (expected.tokens, expected.ids) == (found.tokens, found.ids)
        assert expected.offsets == found.offsets
