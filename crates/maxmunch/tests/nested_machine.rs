//! One machine of several cuts against the cuts one after the other: same pieces of every text.

#![expect(clippy::panic, reason = "a test fails by panicking")]

mod random_patterns;

use std::cell::Cell;

use maxmunch::machine::ordered::{Cut, NestedMachine, OrderedMachine};
use proptest::prelude::*;
use random_patterns::{config, small_pattern, small_text};

/// Digits by three, Chinese and Japanese in runs, then a pattern in which marks may begin a word.
const DIGITS: &str = r"\p{N}{1,3}";
const JAPANESE: &str = "[一-龥぀-ゟ゠-ヿ]+";
const WORDS: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Characters of all sets above, those that Unicode has not assigned and those no pattern matches included.
const CHARACTERS: &str = "aZéſ東京龥龦か\u{3040}\u{3097}\u{3099}゠ー・カヿ\u{3100}019٣²Ⅷ!'_+$«€\u{301}\u{20DD}\0\u{7F}\
    \u{378}\u{E000}\u{200D} \t\n\r\u{3000}\u{A0}";

type Pieces = Vec<(usize, usize)>;

/// The definition: each cut in the pieces of the one before.
fn one_after_the_other(machines: &[OrderedMachine], text: &str) -> Pieces {
    machines.iter().fold(vec![(0, text.len())], |pieces, machine| {
        let mut cut = Vec::new();
        for &(start, end) in pieces.iter().filter(|(start, end)| start < end) {
            let parts = machine.pieces(&text[start..end]);
            cut.extend(parts.map(|span| (start + span.start, start + span.end)));
        }
        cut
    })
}

fn at_once(nested: &NestedMachine, text: &str) -> Pieces {
    nested.pieces(text).map(|span| (span.start, span.end)).collect()
}

fn machine(pattern: &str) -> OrderedMachine {
    match OrderedMachine::new(pattern) {
        Ok(machine) => machine,
        Err(refusal) => panic!("{pattern:?} is refused: {refusal}"),
    }
}

fn patterns(sources: &[&str]) -> Vec<Cut> {
    sources.iter().map(|&source| Cut::Pattern(source.to_owned())).collect()
}

fn hostile_text() -> impl Strategy<Value = String> {
    let character = prop::sample::select(CHARACTERS.chars().collect::<Vec<_>>());
    let run = (character, prop_oneof![3 => 1..3_usize, 1 => 1..300_usize]);
    prop::collection::vec(run, 0..30)
        .prop_map(|runs| runs.iter().map(|(c, n)| c.to_string().repeat(*n)).collect())
}

#[test]
fn patterns_of_published_tokenizers_give_the_same_pieces_at_once() {
    let sequences: [&[&str]; 4] =
        [&[DIGITS, JAPANESE, WORDS], &[JAPANESE, WORDS], &[r"\p{N}", GPT2], &[r"\p{P}+", GPT2]];
    let both: Vec<_> = sequences
        .iter()
        .map(|sources| {
            let nested = NestedMachine::new(&patterns(sources));
            let nested = nested.unwrap_or_else(|why| panic!("{sources:?} is refused: {why}"));
            (nested, sources.iter().map(|source| machine(source)).collect::<Vec<_>>())
        })
        .collect();
    proptest!(config(2_000), |(text in hostile_text())| {
        for (nested, machines) in &both {
            prop_assert_eq!(one_after_the_other(machines, &text), at_once(nested, &text));
        }
    });
}

#[test]
fn sets_and_literals_are_cuts_too() {
    let cuts = [
        Cut::Each(vec![('0', '9')]),
        Cut::Literal("é".to_owned()),
        Cut::Runs(vec![('!', '/'), (':', '@')]),
        Cut::Pattern(GPT2.to_owned()),
    ];
    let sources = ["[0-9]", "é", "[!-/:-@]+", GPT2];
    let machines: Vec<_> = sources.iter().map(|source| machine(source)).collect();
    let nested = NestedMachine::new(&cuts).unwrap_or_else(|why| panic!("refused: {why}"));
    proptest!(config(500), |(text in hostile_text())| {
        prop_assert_eq!(one_after_the_other(&machines, &text), at_once(&nested, &text));
    });
}

#[test]
fn what_cannot_be_one_machine_is_refused_with_a_reason() {
    let reason =
        |sources: &[&str]| NestedMachine::new(&patterns(sources)).err().map(|e| e.to_string());

    assert_eq!(Some("no cut at all".to_owned()), reason(&[]));
    let bounded = "pieces of a bounded length that are cut again".to_owned();
    assert_eq!(Some(bounded), reason(&[r"\p{N}{1,3}", r"[0-4]+"]));
    let not_a_run = "a cut that is none around characters of one set".to_owned();
    assert_eq!(Some(not_a_run.clone()), reason(&["ab", "a"]));
    assert_eq!(Some(not_a_run), reason(&["a+?", "a"]));
}

#[test]
fn random_cuts_give_the_same_pieces_at_once() {
    let compiled = Cell::new(0);
    let set = prop::sample::select(vec!["[ab]", "[a-c]", r"\s", "[^a]", r"\p{L}", r"\d", "[\n é]"]);
    let outer = (set, prop::sample::select(vec!["", "+", "++", "{1,2}"]))
        .prop_map(|(set, times)| format!("{set}{times}"));
    let inner = prop::collection::vec(small_pattern(), 1..4).prop_map(|parts| parts.join("|"));
    let texts = prop::collection::vec(small_text(), 24);
    let strategy = (prop::collection::vec(outer, 1..4), inner, texts);
    proptest!(config(4_000), |((outers, inner, texts) in strategy)| {
        let sources: Vec<&str> = outers.iter().map(String::as_str).chain([inner.as_str()]).collect();
        if let (Ok(nested), Ok(_)) =
            (NestedMachine::new(&patterns(&sources)), OrderedMachine::new(&inner))
        {
            compiled.set(compiled.get() + 1);
            let machines: Vec<_> = sources.iter().map(|source| machine(source)).collect();
            for text in &texts {
                let expected = one_after_the_other(&machines, text);
                prop_assert_eq!(expected, at_once(&nested, text), "{:?} {:?}", sources, text);
            }
        }
    });
    assert!(compiled.get() > 400, "only {} compiled", compiled.get());
}
