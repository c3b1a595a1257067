#![allow(clippy::unwrap_used, reason = "a test may panic")]
use proptest::prelude::*;

use super::{LETTER, LOOK_AHEAD_BYTES, LOWER, NUMBER, O200k, SPACE, UPPER};

fn by_engine(splitter: &O200k, text: &str) -> Vec<String> {
    let engine = onig::Regex::new(&splitter.source()).unwrap();
    engine.find_iter(text).map(|(start, end)| text[start..end].to_owned()).collect()
}

fn by_hand(splitter: &O200k, text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    splitter.for_each_piece(text, |start, end| pieces.push(text[start..end].to_owned()));
    pieces
}

#[test]
fn every_code_point_is_what_the_engine_says() {
    let splitter = O200k::limited();
    let classes = [
        (UPPER, r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"),
        (LOWER, r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"),
        (LETTER, r"\p{L}"),
        (NUMBER, r"\p{N}"),
        (SPACE, r"\s"),
    ];
    for (flag, class) in classes {
        let engine = onig::Regex::new(&format!("\\A{class}\\z")).unwrap();
        let wrong = (0..=0x0010_FFFF)
            .filter_map(char::from_u32)
            .find(|&c| (splitter.of(c) & flag != 0) != engine.find(&c.to_string()).is_some());
        assert_eq!(None, wrong, "{class}");
    }
}

#[test]
fn every_code_point_in_every_place_of_a_contraction_is_as_the_engine_says() {
    let splitter = O200k::limited();
    let engine = onig::Regex::new(&splitter.source()).unwrap();
    for character in (0..=0x0010_FFFF).filter_map(char::from_u32) {
        for text in
            [format!("a'{character}e"), format!("A'{character}l"), format!("a'r{character}")]
        {
            let whole = engine.find(&text).map(|(_, end)| end);
            assert_eq!(whole, Some(splitter.piece_end(&text, 0)), "{text:?}");
        }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("'s".to_owned()),
        Just("'LL".to_owned()),
        Just("'ſ".to_owned()),
        Just("'".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just(" ".to_owned()),
        Just("\u{a0}".to_owned()),
        Just("\u{3000}".to_owned()),
        Just("/".to_owned()),
        Just("A".to_owned()),
        Just("b".to_owned()),
        Just("ǅ".to_owned()),
        Just("ʰ".to_owned()),
        Just("東".to_owned()),
        Just("\u{301}".to_owned()),
        Just("7".to_owned()),
        Just("½".to_owned()),
        Just("\u{1F600}".to_owned()),
        any::<char>().prop_map(String::from),
        ("[ \nAa東'/.1\u{301}]", 1usize..80).prop_map(|(text, times)| text.repeat(times)),
    ];
    proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn pieces_by_hand_are_those_of_the_engine(text in hostile()) {
        for splitter in [O200k::limited(), O200k::unlimited()] {
            prop_assert_eq!(by_engine(&splitter, &text), by_hand(&splitter, &text));
        }
    }

    #[test]
    fn cutting_at_the_last_cut_changes_no_piece(text in hostile()) {
        for splitter in [O200k::limited(), O200k::unlimited()] {
            if let Some(cut) = splitter.last_cut(&text) {
                let (left, right) = text.split_at(cut);
                let mut parts = by_hand(&splitter, left);
                parts.extend(by_hand(&splitter, right));
                prop_assert_eq!(by_hand(&splitter, &text), parts);
            }
        }
    }

    #[test]
    fn a_piece_of_the_limited_form_is_decided_by_the_look_ahead(text in hostile(), more in hostile()) {
        let splitter = O200k::limited();
        let joined = format!("{text}{more}");
        let mut start = 0;
        while start + LOOK_AHEAD_BYTES <= text.len() {
            let end = splitter.piece_end(&text, start);
            prop_assert_eq!(splitter.piece_end(&joined, start), end);
            start = end;
        }
    }
}
