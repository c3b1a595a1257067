//! The ordered machine against Oniguruma, its definition: same matches on every text.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod patterns;
mod random_patterns;

use std::cell::Cell;
use std::ops::ControlFlow;

use maxmunch::machine::ordered::OrderedMachine;
use patterns::PATTERNS;
use proptest::prelude::*;
use random_patterns::{config, small_pattern, small_text};

/// Characters of each kind that a tokenizer's pattern tells apart: letters of every category and case, those
/// that fold to several, marks, digits and numbers, punctuation, symbols, joiners, all white space and what
/// looks like it, controls, unassigned and private code points.
const CHARACTERS: &str = "astldmrveSTLDZéÉжЖџѠѿſKßẞŉİıǅﬁﬆʰー東京のカ한אعกकि\u{301}\u{20DD}019٣Ⅷ²½①\
    '’\"_-/.,!(]«»$+€^`©️😀👩\u{200D}\u{200B}\u{200C}\u{FEFF}\u{AD}\u{2060} \t\n\r\u{B}\u{C}\u{1C}\
    \u{1F}\u{85}\u{A0}\u{1680}\u{180E}\u{2003}\u{2028}\u{2029}\u{202F}\u{3000}\0\u{7F}\u{9F}\
    \u{378}\u{E000}\u{F8FF}\u{FFFD}\u{FFFF}\u{10FFFF}\u{105C0}\u{1F1E6}";

/// Sequences that mean more than their characters.
const SEQUENCES: &str = "  |\r\n|'s|'S|'ll|'re|'ve|'LL|'ſ| a|.\n";

/// Properties of characters.
const PROPERTIES: &str = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs \
    Zl Zp C Cc Cf Co Cn Han Hiragana Katakana Hangul Latin Greek Cyrillic Arabic Hebrew Thai Devanagari \
    Bengali Tamil Khmer Lao Myanmar Tibetan";

/// A pattern in both engines.
struct Pair {
    pattern: String,
    machine: OrderedMachine,
    onig: onig::Regex,
}

impl Pair {
    fn new(pattern: &str) -> Self {
        let machine = match OrderedMachine::new(pattern) {
            Ok(machine) => machine,
            Err(refusal) => panic!("{pattern:?} is refused: {refusal}"),
        };
        let onig = onig::Regex::new(pattern).expect("Oniguruma compiles what the machine takes");
        Self { pattern: pattern.to_owned(), machine, onig }
    }

    fn assert_same(&self, text: &str) {
        if let Some(expected) = self.found_by_onig(text) {
            assert_eq!(expected, self.found(text), "pattern {:?}, text {text:?}", self.pattern);
        }
    }

    /// `None` where Oniguruma gives up, which some random patterns make it do.
    fn found_by_onig(&self, text: &str) -> Option<Vec<(usize, usize)>> {
        let mut found = Vec::new();
        let mut from = 0;
        let mut region = onig::Region::new();
        loop {
            let mut limits = onig::MatchParam::default();
            limits.set_retry_limit_in_match(200_000);
            let options = onig::SearchOptions::SEARCH_OPTION_NONE;
            let searched = self.onig.search_with_param(
                text,
                from,
                text.len(),
                options,
                Some(&mut region),
                limits,
            );
            match searched {
                Ok(Some(_)) => found.extend(region.pos(0)),
                Ok(None) => return Some(found),
                Err(_) => return None,
            }
            from = found.last().map_or(from, |span| span.1);
        }
    }

    fn found(&self, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let done: ControlFlow<()> = self.machine.for_each_match(text, |span| {
            found.push((span.start, span.end));
            ControlFlow::Continue(())
        });
        assert_eq!(ControlFlow::Continue(()), done);
        assert_eq!(with_gaps(&found, text.len()), self.pieces(text), "{:?}", self.pattern);
        found
    }

    fn pieces(&self, text: &str) -> Vec<(usize, usize)> {
        self.machine.pieces(text).map(|span| (span.start, span.end)).collect()
    }
}

/// Matches and what stands between them.
fn with_gaps(matches: &[(usize, usize)], len: usize) -> Vec<(usize, usize)> {
    let ends = std::iter::once(0).chain(matches.iter().map(|found| found.1));
    let starts = matches.iter().map(|found| found.0).chain([len]);
    let gaps = ends.zip(starts).filter(|gap| gap.0 < gap.1);
    let mut all: Vec<_> = matches.iter().copied().chain(gaps).collect();
    all.sort_unstable();
    all
}

fn hostile_text(max: usize) -> impl Strategy<Value = String> {
    let characters = CHARACTERS.chars().map(String::from);
    let kinds: Vec<_> = characters.chain(SEQUENCES.split('|').map(String::from)).collect();
    let repeated = (prop::sample::select(kinds.clone()), 1..40_usize);
    let piece = prop_oneof![
        8 => prop::sample::select(kinds),
        1 => any::<char>().prop_map(String::from),
        1 => repeated.prop_map(|(kind, n)| kind.repeat(n)),
    ];
    prop::collection::vec(piece, 0..max).prop_map(|pieces| pieces.concat())
}

#[test]
fn every_listed_pattern_is_compiled_to_a_small_machine() {
    for (name, pattern) in PATTERNS {
        let states = Pair::new(pattern).machine.states();

        assert!(states < 400, "{name} has {states} states");
    }
}

#[test]
fn matches_are_onigs_on_hostile_text() {
    let pairs: Vec<_> = PATTERNS.iter().map(|(_, pattern)| Pair::new(pattern)).collect();
    proptest!(config(1_000), |(text in hostile_text(40))| {
        for pair in &pairs {
            pair.assert_same(&text);
        }
    });
}

#[test]
fn matches_are_onigs_on_long_hostile_text() {
    let pairs: Vec<_> = PATTERNS.iter().map(|(_, pattern)| Pair::new(pattern)).collect();
    let run = (hostile_text(3), 1..400_usize).prop_map(|(unit, times)| unit.repeat(times));
    let text = prop::collection::vec(prop_oneof![hostile_text(200), run], 1..6);
    proptest!(config(60), |(parts in text)| {
        let text = parts.concat();
        for pair in &pairs {
            pair.assert_same(&text);
        }
    });
}

/// The scripts and symbols of the first two planes, and a sample of all others.
fn telling_characters() -> impl Iterator<Item = char> {
    let is_dense =
        |code| matches!(code, 0..0x3100 | 0xA000..0xAC00 | 0xF900..0x1_1000 | 0x1_F000..0x1_FB00);
    ('\0'..=char::MAX).filter(move |&c| is_dense(u32::from(c)) || u32::from(c) % 61 == 0)
}

#[test]
fn every_character_in_context_is_treated_as_onig_treats_it() {
    let characters: Vec<char> = telling_characters().collect();
    for (_, pattern) in PATTERNS {
        let pair = Pair::new(pattern);
        for block in characters.chunks(64) {
            let contexts = block.iter().map(|c| format!("{c} {c}a{c}\n{c}1'{c}"));
            pair.assert_same(&contexts.collect::<Vec<_>>().concat());
        }
    }
}

#[test]
fn every_set_holds_the_characters_that_onig_has_in_it() {
    let properties = PROPERTIES.split_whitespace();
    let mut atoms: Vec<String> = properties.map(|name| format!(r"\p{{{name}}}")).collect();
    atoms.extend([r"[^\p{^L}]", r"[\P{N}]", r"[\p{Han}\p{Lu}]"].map(str::to_owned));
    for kind in [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\P{L}"] {
        atoms.extend([kind.to_owned(), format!("[{kind}]"), format!("[^{kind}]")]);
    }
    atoms.extend([".", r"[^\w\s]", r"[\w&&[^\p{L}]]", r"[^a-z\p{Lu}]"].map(str::to_owned));
    for letter in 'a'..='z' {
        atoms.extend([format!("(?i:{letter})"), format!("(?i:[{letter}])")]);
    }
    let everything: String = ('\0'..=char::MAX).collect();
    for atom in atoms {
        // Runs, not single characters: fewer matches to compare. Equal runs are of equal sets.
        let quantifier = if atom.contains('i') { "" } else { "{1,30}" };
        let pair = Pair::new(&format!("{atom}{quantifier}"));
        let expected: Vec<_> = pair.onig.find_iter(&everything).collect();
        assert!(expected == pair.found(&everything), "{atom}");
    }
}

#[test]
fn short_texts_over_the_classes_match_as_onig_matches_them() {
    for (_, pattern) in PATTERNS {
        let pair = Pair::new(pattern);
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer = |text: &String| {
                let representatives = pair.machine.class_representatives().iter();
                representatives.map(|c| format!("{text}{c}")).collect::<Vec<_>>()
            };
            texts = texts.iter().flat_map(longer).collect();
            for text in &texts {
                pair.assert_same(text);
            }
        }
    }
}

/// Short texts one behind the other, so that each stands where many bytes are looked at at once.
#[test]
fn joined_texts_over_the_ascii_classes_match_as_onig_matches_them() {
    for (_, pattern) in PATTERNS {
        let pair = Pair::new(pattern);
        let characters = pair.machine.class_representatives().iter().filter(|c| c.is_ascii());
        let mut characters: Vec<char> = characters.copied().collect();
        characters.extend("a 1'.\n\tжЖ".chars());
        characters.sort_unstable();
        characters.dedup();
        let mut texts = vec![String::new()];
        while texts.len() < 20_000 {
            let longer = |text: &String| {
                let text = text.clone();
                characters.clone().into_iter().map(move |c| format!("{text}{c}"))
            };
            texts = texts.iter().flat_map(longer).collect();
            pair.assert_same(&texts.concat());
        }
    }
}

/// Runs that fail late over the same text again and again: what marks and failures are for.
#[test]
fn far_looks_ahead_that_fail_change_no_match() {
    let patterns = [
        "a*b|a",
        " *x|[ \n]",
        r"\s*[\r\n]+|\s",
        "a+?b|aa|a",
        "(?:ab)*c|a|b",
        "[ab]{3,}s|ab|.",
        "(?:a|bb)+$|.",
    ];
    let pairs = patterns.map(Pair::new);
    let unit = (small_text(), 1..300_usize).prop_map(|(unit, times)| unit.repeat(times));
    proptest!(config(300), |(parts in prop::collection::vec(unit, 1..4))| {
        let text = parts.concat();
        for pair in &pairs {
            pair.assert_same(&text);
        }
    });
}

/// `RANDOM_PATTERNS=2000000` makes it a long run.
#[test]
fn random_patterns_match_as_onig_matches_them() {
    let asked = std::env::var("RANDOM_PATTERNS").ok().and_then(|count| count.parse().ok());
    let cases = asked.unwrap_or(4_000);
    let compiled = Cell::new(0);
    let patterns = prop::collection::vec(small_pattern(), 1..4).prop_map(|parts| parts.join("|"));
    let texts = prop::collection::vec(small_text(), 24);
    let long = (small_text(), 20..60_usize).prop_map(|(unit, times)| unit.repeat(times));
    proptest!(config(cases), |(pattern in patterns, texts in texts, long in long)| {
        if OrderedMachine::new(&pattern).is_ok() {
            let pair = Pair::new(&pattern);
            compiled.set(compiled.get() + 1);
            // What is told of many bytes at once is told of ASCII and Cyrillic letters.
            let joined = texts.concat();
            let ascii = joined.replace('é', "1").replace('ſ', ".");
            let wide = joined.replace(['b', 'é'], "ж").replace('ſ', ".");
            for text in texts.iter().chain([&long, &joined, &ascii, &wide]) {
                pair.assert_same(text);
            }
        }
    });
    assert!(compiled.get() * 10 > cases, "only {} of {cases} patterns compiled", compiled.get());
}
