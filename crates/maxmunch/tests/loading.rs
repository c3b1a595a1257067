//! The two readers of a tokenizer file: tables taken out in one pass, and value by value.

use maxmunch::encode::Tokenizer;
use proptest::prelude::*;

/// What loading gives: the text that is written again, or the message without places in the text.
fn outcome(text: &str) -> Result<String, String> {
    Tokenizer::from_json(text).and_then(|tokenizer| tokenizer.to_json(false)).map_err(|error| {
        let message = error.to_string();
        message.split(" at line ").next().unwrap_or_default().to_owned()
    })
}

/// The same document for the reader of values: the other one leaves a name with escapes alone.
fn for_values(text: &str) -> String {
    text.replacen("\"model\"", "\"mod\\u0065l\"", 1)
}

fn documents() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        4 => "[ab]{1,3}",
        1 => prop::sample::select(vec!["é", "漢", "\\\"", "\\\\", "\\u00e9", "\\n", "\\ud83d\\ude00", "\\ud800", "", " "])
            .prop_map(str::to_owned),
    ];
    let id = prop_oneof![
        9 => (0..9_u32).prop_map(|id| id.to_string()),
        1 => prop::sample::select(vec!["-1", "1.0", "01", "1e2", "4294967295", "4294967294", "null", "\"1\""])
            .prop_map(str::to_owned),
    ];
    let space = prop::sample::select(vec!["", " ", "\n\t", "\r"]);
    let merge =
        (token.clone(), token.clone(), 0..8_u8).prop_map(|(left, right, form)| match form {
            0..3 => format!("\"{left} {right}\""),
            3..6 => format!("[\"{left}\", \"{right}\"]"),
            6 => "\"#version: 0.2\"".to_owned(),
            _ => format!("[\"{left}\"]"),
        });
    let kind = prop::sample::select(vec!["BPE", "WordPiece", "WordLevel", "Unigram", "Other"]);
    let rest = prop::sample::select(vec![
        "",
        "\"unk_token\": \"a\",",
        "\"vocab\": {\"a\": 1},",
        "\"dropout\": tru,",
        "\"x\": {\"merges\": [1]},",
    ]);
    (
        prop::collection::vec((token, id), 0..7),
        prop::collection::vec(merge, 0..3),
        kind,
        rest,
        space,
    )
        .prop_map(|(vocab, merges, kind, rest, space)| {
            // Most documents should load.
            let base = ["a", "b", "ab", "aa", "ba"].iter().enumerate();
            let mut entries: Vec<String> =
                base.map(|(id, token)| format!("\"{token}\":{space}{id}")).collect();
            entries.extend(vocab.iter().map(|(token, id)| format!("\"{token}\"{space}:{id}")));
            let vocab = entries.join(&format!("{space},"));
            let merges = merges.join(",");
            format!(
                "{{\"version\":{space}\"1.0\",\"model\": {{\"type\":\"{kind}\",{rest}{space}\
                 \"vocab\":{{{vocab}}}{space},\"merges\":[{space}{merges}]}}{space}}}"
            )
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_readers_say_the_same(document in documents()) {
        prop_assert_eq!(outcome(&for_values(&document)), outcome(&document));
    }

    #[test]
    fn both_readers_say_the_same_of_damaged_files(
        document in documents(),
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "\"", "{", "]", ",", "\\", "0", ":", "\u{1}"]),
    ) {
        let places: Vec<usize> = document.char_indices().map(|(place, _)| place).collect();
        let place = places[at.index(places.len())];
        let after = place + document[place..].chars().next().map_or(0, char::len_utf8);
        let damaged = format!("{}{with}{}", &document[..place], &document[after..]);
        let whole = outcome(&for_values(&damaged));

        prop_assert_eq!(whole, outcome(&damaged));
    }
}

#[test]
fn a_usual_file_is_written_again() {
    let text = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":null,"post_processor":null,"decoder":null,"model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":false,"vocab":{"a":0,"\"":1,"a\"":2},"merges":[["a","\""]]}}"#;

    assert_eq!(Ok(text.to_owned()), outcome(text));
    assert_eq!(Ok(text.to_owned()), outcome(&for_values(text)));
}
