//! The fast way to ids, with its cache and what it asks the processor for, against the slow one.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use maxmunch::encode::byte_level::char_of;
use maxmunch::encode::{EncodeOptions, Input, Scratch, Specials, Tokenizer, Unit};
use serde_json::{Value, json};

const OPTIONS: EncodeOptions =
    EncodeOptions { add_special_tokens: false, specials: Specials::Parse, unit: Unit::Byte };

/// Tokenizers with small caches: of words, of parts of words, and of texts that are not cut before.
static TOKENIZERS: LazyLock<Vec<Tokenizer>> = LazyLock::new(|| {
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    let marks = json!({"type": "Sequence", "normalizers": [
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]});
    let bytes: Vec<String> = (0..=255).map(|byte| char_of(byte).to_string()).collect();
    let fallback: Vec<String> = (0..=255).map(|byte| format!("<0x{byte:02X}>")).collect();
    let merges = [("a", "b"), ("ab", "ab"), ("c", "d")];
    let model = |tokens: &[String], more: &[(&str, &str)], byte_fallback: bool| {
        let merges: Vec<_> = merges.iter().chain(more).collect();
        let joined = merges.iter().map(|(left, right)| format!("{left}{right}"));
        let parts = merges.iter().flat_map(|(left, right)| [*left, *right]).map(str::to_owned);
        let mut vocab = serde_json::Map::new();
        for token in tokens.iter().cloned().chain(parts).chain(joined) {
            let id = vocab.len();
            vocab.entry(token).or_insert(id.into());
        }
        json!({"type": "BPE", "vocab": vocab, "merges": merges, "byte_fallback": byte_fallback})
    };
    let files = [
        json!({"pre_tokenizer": byte_level, "model": model(&bytes, &[("Ġ", "ab"), ("Ð", "°")], false)}),
        json!({"pre_tokenizer": Value::Null, "model": model(&bytes, &[], false)}),
        json!({"normalizer": marks, "model": model(&fallback, &[("▁", "ab"), ("▁", "▁")], true)}),
    ];
    let build = |file: &Value| Tokenizer::from_json(&file.to_string()).unwrap();
    files.iter().map(|file| build(file).with_cache_bytes(200_000)).collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((&kind, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let tokenizer = &TOKENIZERS[usize::from(kind) % TOKENIZERS.len()];
    let slow = tokenizer.encode(&Input::Text(text), None, OPTIONS, &mut Scratch::default());
    for _ in 0..2 {
        let fast = tokenizer.encode_ids(text, OPTIONS, &mut tokenizer.scratch());
        match (&slow, &fast) {
            (Ok(slow), Ok(fast)) => assert_eq!(&slow.ids, fast),
            (slow, fast) => assert_eq!(slow.is_err(), fast.is_err()),
        }
    }
});
