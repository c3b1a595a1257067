//! The fast way to ids (splitter, cache) against the slow one (the whole piece, merged by the definition).

use std::error::Error;

use maxmunch::encode::{EncodeOptions, Input, Scratch, Specials, Tokenizer, Unit};
use proptest::prelude::*;
use serde_json::{Value, json};

const OPTIONS: EncodeOptions =
    EncodeOptions { add_special_tokens: false, specials: Specials::Parse, unit: Unit::Byte };

type Outcome = std::result::Result<(), Box<dyn Error>>;

/// A byte-pair model over these tokens; each merge is a pair of texts.
fn bpe(tokens: &[&str], merges: &[(&str, &str)], options: &Value) -> Value {
    let mut vocab: Vec<String> = tokens.iter().map(|&token| token.to_owned()).collect();
    for (left, right) in merges {
        let joined = format!("{left}{right}");
        if !vocab.contains(&joined) {
            vocab.push(joined);
        }
    }
    let ids: serde_json::Map<String, Value> =
        vocab.into_iter().enumerate().map(|(id, token)| (token, id.into())).collect();
    let mut model = json!({"type": "BPE", "vocab": ids, "merges": merges});
    if let (Some(model), Some(options)) = (model.as_object_mut(), options.as_object()) {
        model.extend(options.clone());
    }
    model
}

fn tokenizer(model: &Value, pre_tokenizer: &Value) -> Result<Tokenizer, Box<dyn Error>> {
    let file = json!({"version": "1.0", "pre_tokenizer": pre_tokenizer, "model": model});
    Ok(Tokenizer::from_json(&file.to_string())?)
}

/// Ids and offsets both ways; the scratch of the tokenizer is warm from the second call on.
fn same(tokenizer: &Tokenizer, text: &str) -> Outcome {
    let input = Input::Text(text);
    let slow = tokenizer.encode(&input, None, OPTIONS, &mut Scratch::default());
    for _ in 0..2 {
        let scratch = &mut tokenizer.scratch();
        let fast = tokenizer.encode_ids(text, OPTIONS, scratch);
        if slow.as_ref().map(|encoding| &encoding.ids) != fast.as_ref() {
            return Err(format!("{text:?}: {slow:?} {fast:?}").into());
        }
        let whole = tokenizer.encode(&input, None, OPTIONS, scratch);
        if slow != whole {
            return Err(format!("{text:?}: {slow:?} {whole:?}").into());
        }
    }
    Ok(())
}

/// Models that break if a condition of the splitter is left out, each with a text that shows it.
fn hostile_models() -> Vec<(Value, &'static str)> {
    let long = "xxxxxxxxxxxxxxxx";
    let letters = ["a", "b", "x", "▁", "漢"];
    let with = |more: &[&'static str]| [&letters[..], more].concat();
    let merges = [("a", "b"), ("▁", "a"), ("x", "x"), ("xx", "xx")];
    vec![
        // Two unknown characters are one token: no cut between them.
        (bpe(&with(&["<u>"]), &merges, &json!({"unk_token": "<u>", "fuse_unk": true})), "aZZa"),
        // A character without a token vanishes and its neighbours merge: no cut beside it.
        (bpe(&letters, &merges, &json!({})), "aZb"),
        // A piece that is a token is that token, a part of one is not.
        (bpe(&with(&["xa", "ax"]), &merges, &json!({"ignore_merges": true})), "xaxxax"),
        // A merge joins what stands for unknown text.
        (
            bpe(
                &with(&["<u>"]),
                &[("<u>", "a"), ("a", "b")],
                &json!({"unk_token": "<u>", "fuse_unk": false}),
            ),
            "ZaZb",
        ),
        // The last symbol of a piece is spelled differently.
        (
            bpe(
                &with(&["a!", "b!", "x!", "▁!", "漢!"]),
                &[("a", "b!"), ("x", "x!")],
                &json!({"end_of_word_suffix": "!"}),
            ),
            "abab",
        ),
        // A pending unknown token is overtaken by the bytes of the next one.
        (
            bpe(
                &with(&["<u>", "<0x59>"]),
                &merges,
                &json!({"unk_token": "<u>", "byte_fallback": true}),
            ),
            "aZYa",
        ),
    ]
    .into_iter()
    .map(|(model, text)| (model, Box::leak(format!("{text}{long}{text}").into_boxed_str()) as &str))
    .collect()
}

#[test]
fn each_condition_of_the_splitter_holds() -> Outcome {
    for (model, text) in hostile_models() {
        same(&tokenizer(&model, &Value::Null)?, text)?;
    }
    Ok(())
}

fn byte_level() -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true})
}

/// All bytes as their printable characters, so that the model has a byte form.
fn all_bytes() -> Vec<String> {
    (0..=255).map(|byte| maxmunch::encode::byte_level::char_of(byte).to_string()).collect()
}

#[test]
fn a_second_call_finds_every_piece_of_the_first() -> Outcome {
    let bytes = all_bytes();
    let tokens: Vec<&str> = bytes.iter().map(String::as_str).collect();
    let model = bpe(&tokens, &[("a", "b"), ("Ġ", "a")], &json!({}));
    let tokenizer = tokenizer(&model, &byte_level())?;
    let text = "ab ab abc a, incomprehensibilities and 漢字かな交じり文の長い連なり";

    tokenizer.encode_ids(text, OPTIONS, &mut tokenizer.scratch())?;
    let before = tokenizer.scratch().cache_statistics();
    tokenizer.encode_ids(text, OPTIONS, &mut tokenizer.scratch())?;
    let after = tokenizer.scratch().cache_statistics();

    assert_eq!(before.kept, after.kept);
    assert!(after.hits >= before.hits + 8, "{before:?} {after:?}");
    let forgetful = tokenizer.with_cache_bytes(0);
    forgetful.encode_ids(text, OPTIONS, &mut forgetful.scratch())?;
    assert_eq!(0, forgetful.scratch().cache_statistics().kept);
    Ok(())
}

#[test]
fn ids_take_no_more_memory_than_they_need() -> Outcome {
    let pairs = json!([["a", "b"], ["ab", "ab"]]);
    let model =
        json!({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "abab": 3}, "merges": pairs});
    let tokenizer = tokenizer(&model, &Value::Null)?;
    for text in ["abab".repeat(5000), "a".repeat(20_000)] {
        let ids = tokenizer.encode_ids(&text, OPTIONS, &mut tokenizer.scratch())?;

        assert!(ids.capacity() < ids.len() + 1000, "{} for {}", ids.capacity(), ids.len());
    }
    Ok(())
}

#[test]
fn pieces_are_forgotten_only_where_they_become_something_else() -> Outcome {
    let bytes = all_bytes();
    let tokens: Vec<&str> = bytes.iter().map(String::as_str).collect();
    let model = bpe(&tokens, &[("a", "b")], &json!({}));
    let kept = |tokenizer: &Tokenizer| tokenizer.scratch().cache_statistics().kept;
    let before = tokenizer(&model, &byte_level())?;
    before.encode_ids("abab bcbc", OPTIONS, &mut before.scratch())?;

    let truncation =
        json!({"max_length": 1, "strategy": "LongestFirst", "stride": 0, "direction": "Right"});
    let truncated = before.with_part("truncation", &truncation.to_string())?;
    let lower = before.with_part("normalizer", &json!({"type": "Lowercase"}).to_string())?;
    let characters = before.with_part("pre_tokenizer", "null")?;
    let other = bpe(&tokens, &[("a", "b"), ("b", "c")], &json!({}));
    let remodelled = before.with_part("model", &other.to_string())?;

    assert!(kept(&before) > 1);
    assert_eq!(kept(&before), kept(&truncated));
    assert_eq!(kept(&before), kept(&lower));
    assert_eq!(0, kept(&characters));
    assert_eq!(0, kept(&remodelled));
    for tokenizer in [&truncated, &lower, &characters, &remodelled] {
        for _ in 0..2 {
            same(tokenizer, "abab BCBC bcbc")?;
        }
    }
    Ok(())
}

/// Pairs that merge: first those of symbols, by their numbers, then those that may build on what earlier ones made.
fn joined(
    symbols: &[&str],
    first: &[(usize, usize)],
    later: &[(usize, usize)],
) -> Vec<(String, String)> {
    let mut parts: Vec<String> = symbols.iter().map(|&symbol| symbol.to_owned()).collect();
    let mut pairs = Vec::new();
    let mut join = |left: usize, right: usize, parts: &mut Vec<String>| {
        let pair = (parts[left].clone(), parts[right].clone());
        parts.push(format!("{}{}", pair.0, pair.1));
        pairs.push(pair);
    };
    for &(left, right) in first {
        join(left, right, &mut parts);
    }
    for &(left, right) in later {
        let scaled = |number: usize| number * parts.len() / symbols.len();
        let (left, right) = (scaled(left), scaled(right));
        join(left, right, &mut parts);
    }
    pairs
}

/// Compares both ways on a model of bytes with these merges.
fn same_on_bytes(pairs: &[(String, String)], options: &Value, texts: &[String]) -> Outcome {
    let pairs: Vec<(&str, &str)> =
        pairs.iter().map(|(left, right)| (left.as_str(), right.as_str())).collect();
    let bytes = all_bytes();
    let tokens: Vec<&str> = bytes.iter().map(String::as_str).collect();
    let tokenizer = tokenizer(&bpe(&tokens, &pairs, options), &byte_level())?;
    texts.iter().try_for_each(|text| same(&tokenizer, text))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn many_words_give_the_same_ids_time_and_again(
        words in prop::collection::vec("[a-dA-C]{1,5}|[ab]{12,45}|[а-в]{1,20}|[0-9]{1,4}|[.,'\n]{1,3}", 20..120),
        order in prop::collection::vec(any::<prop::sample::Index>(), 150..900),
        cache_bytes in prop::sample::select(vec![0, 40_000, 1 << 24]),
        ignore_merges in any::<bool>(),
    ) {
        let bytes = all_bytes();
        let tokens: Vec<&str> = bytes.iter().map(String::as_str).collect();
        let merges =
            [("a", "b"), ("Ġ", "a"), ("ab", "ab"), ("Ġa", "b"), ("c", "d"), ("abab", "abab"), ("Ð", "°")];
        let model = bpe(&tokens, &merges, &json!({"ignore_merges": ignore_merges}));
        let outcome = tokenizer(&model, &byte_level());
        let tokenizer = outcome.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let tokenizer = tokenizer.with_cache_bytes(cache_bytes);
        let words: Vec<&str> = order.iter().map(|index| index.get(&words).as_str()).collect();
        let text = words.join(" ");
        for _ in 0..2 {
            let outcome = same(&tokenizer, &text);
            prop_assert!(outcome.is_ok(), "{:?}", outcome);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn characters_give_the_same_ids_both_ways(
        merges in prop::collection::vec(("[abx▁漢]{1,2}", "[abx▁漢]{1,2}"), 0..12),
        texts in prop::collection::vec("[abx▁漢 ZY🙂]{0,40}", 1..8),
        kind in 0..5_usize,
    ) {
        let options = [
            json!({}),
            json!({"unk_token": "<u>", "fuse_unk": true}),
            json!({"unk_token": "<u>", "fuse_unk": false}),
            json!({"unk_token": "<u>", "byte_fallback": true}),
            json!({"ignore_merges": true, "unk_token": "<u>"}),
        ];
        let mut tokens = vec!["a", "b", "x", "▁", "漢", "<u>", "<0x59>"];
        // Merges join tokens: the pairs of two characters are tokens that nothing need produce.
        let pairs: Vec<&str> =
            merges.iter().flat_map(|(left, right)| [left.as_str(), right.as_str()]).collect();
        tokens.extend(pairs);
        tokens.sort_unstable();
        tokens.dedup();
        let merges: Vec<(&str, &str)> =
            merges.iter().map(|(left, right)| (left.as_str(), right.as_str())).collect();
        let model = bpe(&tokens, &merges, &options[kind]);
        let tokenizer = tokenizer(&model, &Value::Null).map_err(|e| TestCaseError::fail(e.to_string()))?;
        for text in texts {
            same(&tokenizer, &text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        }
    }

    #[test]
    fn bytes_give_the_same_ids_both_ways(
        merges in prop::collection::vec((0..12_usize, 0..12_usize), 0..24),
        texts in prop::collection::vec("[ab 漢字é🙂▁\n1']{0,60}", 1..8),
        ignore_merges in any::<bool>(),
    ) {
        let symbols = ["a", "b", "Ġ", "æ", "¼", "¢", "å", "Ń", "Ĺ", "Ã", "©", "'"];
        same_on_bytes(&joined(&symbols, &[], &merges), &json!({"ignore_merges": ignore_merges}), &texts)
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
    }

    #[test]
    fn spaces_that_become_marks_give_the_same_ids_both_ways(
        merges in prop::collection::vec((0..6_usize, 0..6_usize), 0..24),
        texts in prop::collection::vec("[ab ▁漢Z🙂]{0,60}", 1..8),
        prefixes in 0..4_usize,
        splits in any::<bool>(),
    ) {
        let mut parts: Vec<String> = ["a", "b", "▁", "漢", " ", "x"].map(str::to_owned).to_vec();
        let mut pairs = Vec::new();
        for (left, right) in merges {
            let (left, right) = (left * parts.len() / 6, right * parts.len() / 6);
            let pair = (parts[left].clone(), parts[right].clone());
            parts.push(format!("{}{}", pair.0, pair.1));
            pairs.push(pair);
        }
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(left, right)| (left.as_str(), right.as_str())).collect();
        let bytes: Vec<String> = (0..=255).map(|byte| format!("<0x{byte:02X}>")).collect();
        let tokens: Vec<&str> =
            bytes.iter().map(String::as_str).chain(["a", "b", "▁", "漢", " ", "x"]).collect();
        let model = bpe(&tokens, &pairs, &json!({"byte_fallback": true}));
        let replace = json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"});
        let prepend = json!({"type": "Prepend", "prepend": "▁"});
        let parts = [vec![&replace], vec![&prepend, &replace], vec![&replace, &prepend], vec![&prepend]];
        let normalizer = json!({"type": "Sequence", "normalizers": parts[prefixes]});
        let split = json!({
            "type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": false,
        });
        let pre_tokenizer = if splits { split } else { Value::Null };
        let file = json!({
            "version": "1.0", "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": model,
        });
        let tokenizer = Tokenizer::from_json(&file.to_string())
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
        for text in texts {
            same(&tokenizer, &text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        }
    }

    #[test]
    fn several_patterns_give_the_same_ids_both_ways(
        texts in prop::collection::vec("([a-c]{1,9}|[0-9]{1,5}|[漢字]{1,3}|[ \n.é]{1,3}|<x>|▁){0,20}", 1..8),
        is_normalized in any::<bool>(),
        count in 1..4_usize,
    ) {
        let split = |pattern: &str| json!({
            "type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false,
        });
        let patterns = [r"\p{N}{1,3}", r"[一-龥]+", r" ?\p{L}+|\s+(?!\S)|\s+"];
        let mut parts: Vec<Value> = patterns.into_iter().rev().take(count).rev().map(split).collect();
        parts.push(json!({
            "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false,
        }));
        let bytes = all_bytes();
        let tokens: Vec<&str> = bytes.iter().map(String::as_str).collect();
        let model = bpe(&tokens, &[("a", "b"), ("Ġ", "a"), ("1", "2"), ("ab", "c")], &json!({}));
        let file = json!({
            "version": "1.0", "pre_tokenizer": {"type": "Sequence", "pretokenizers": parts}, "model": model,
            "added_tokens": [{
                "id": 300, "content": "<x>", "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": is_normalized, "special": false,
            }],
        });
        let tokenizer = Tokenizer::from_json(&file.to_string())
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
        for text in texts {
            same(&tokenizer, &text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        }
    }

    #[test]
    fn other_models_give_the_same_ids_both_ways(
        texts in prop::collection::vec("[abcZ é]{0,40}", 1..8),
    ) {
        let word_piece = json!({
            "type": "WordPiece", "unk_token": "[U]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 9,
            "vocab": {"[U]": 0, "a": 1, "##a": 2, "##b": 3, "ab": 4, "##cb": 5, "##": 6, "b": 7},
        });
        let unigram = json!({
            "type": "Unigram", "unk_id": 0, "byte_fallback": false,
            "vocab": [["<unk>", 0.0], ["a", -1.0], ["b", -2.0], ["ab", -2.5], ["é", -1.5]],
        });
        for model in [word_piece, unigram] {
            let whitespace = json!({"type": "WhitespaceSplit"});
            let tokenizer =
                tokenizer(&model, &whitespace).map_err(|e| TestCaseError::fail(e.to_string()))?;
            for text in &texts {
                same(&tokenizer, text).map_err(|e| TestCaseError::fail(e.to_string()))?;
            }
        }
    }
}

proptest! {
    // Few lists have a merge across a letter that comes before the letter.
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn letters_of_two_bytes_give_the_same_ids_both_ways(
        merges in prop::collection::vec((0..9_usize, 0..9_usize), 0..40),
        letters_first in any::<bool>(),
        texts in prop::collection::vec("[абврс]{0,20}|[абврс a]{0,60}", 1..12),
    ) {
        let symbols = ["Ġ", "Ð", "Ñ", "°", "±", "²", "Ģ", "ģ", "a"];
        let letters = [(1, 3), (1, 4), (1, 5), (2, 6), (2, 7)];
        // Letters may form before all else, in the middle, or never.
        let first = if letters_first { letters.as_slice() } else { &[] };
        same_on_bytes(&joined(&symbols, first, &merges), &json!({}), &texts)
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
    }
}
