//! Where a text may be taken apart: what the matrices promise, against searching the parts.

#![expect(clippy::panic, reason = "a test fails by panicking")]

mod patterns;
mod random_patterns;

use std::cell::Cell;
use std::ops::ControlFlow;

use maxmunch::machine::ordered::OrderedMachine;
use patterns::PATTERNS;
use proptest::prelude::*;
use random_patterns::{config, small_pattern, small_text};

fn matches(machine: &OrderedMachine, text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let done: ControlFlow<()> = machine.for_each_match(text, |span| {
        found.push((span.start, span.end));
        ControlFlow::Continue(())
    });
    assert_eq!(ControlFlow::Continue(()), done);
    found
}

/// Checks every promise about every place of `text`; returns how many places are safe.
fn check(pattern: &str, machine: &OrderedMachine, text: &str) -> usize {
    let whole = matches(machine, text);
    let holds = |at: usize| whole.iter().any(|&(start, end)| start <= at && at < end);
    for (at, character) in text.char_indices() {
        assert!(!holds(at) || machine.matches_hold(character), "{pattern:?} {text:?} {at}");
        assert!(holds(at) || !machine.always_matches(character), "{pattern:?} {text:?} {at}");
    }
    let mut safe = 0;
    for (at, after) in text.char_indices().skip(1) {
        let Some(before) = text[..at].chars().next_back() else { continue };
        if !machine.is_safe_between(before, after) {
            continue;
        }
        safe += 1;
        let right = matches(machine, &text[at..]).into_iter().map(|(s, e)| (s + at, e + at));
        let parts: Vec<_> = matches(machine, &text[..at]).into_iter().chain(right).collect();
        assert_eq!(whole, parts, "{pattern:?} {text:?} at {at}");
    }
    safe
}

#[test]
fn patterns_in_use_keep_their_promises_on_all_short_texts() {
    for (name, pattern) in PATTERNS {
        let Ok(machine) = OrderedMachine::new(pattern) else { panic!("{name} is refused") };
        let mut texts = vec![String::new()];
        for length in 1..=4 {
            let characters = machine.class_representatives();
            if characters.len().pow(length) > 200_000 {
                break;
            }
            let longer =
                |text: &String| characters.iter().map(|c| format!("{text}{c}")).collect::<Vec<_>>();
            texts = texts.iter().flat_map(longer).collect();
            for text in &texts {
                check(pattern, &machine, text);
            }
        }
    }
}

#[test]
fn words_of_english_may_be_parted_before_each_space() {
    for (name, pattern) in PATTERNS.iter().take(9) {
        let Ok(machine) = OrderedMachine::new(pattern) else { panic!("{name} is refused") };

        assert!(machine.is_safe_between('a', ' '), "{name}");
        assert!(machine.always_matches(' '), "{name}");
        // Two newlines before a letter are one match, three characters before the end another.
        assert!(!machine.is_safe_between(' ', ' '), "{name}");
    }
}

/// `RANDOM_PATTERNS=2000000` makes it a long run.
#[test]
fn random_patterns_keep_their_promises() {
    let asked = std::env::var("RANDOM_PATTERNS").ok().and_then(|count| count.parse().ok());
    let safe = Cell::new(0);
    let patterns = prop::collection::vec(small_pattern(), 1..4).prop_map(|parts| parts.join("|"));
    let texts = prop::collection::vec(small_text(), 24);
    proptest!(config(asked.unwrap_or(4_000)), |(pattern in patterns, texts in texts)| {
        if let Ok(machine) = OrderedMachine::new(&pattern) {
            for text in &texts {
                safe.set(safe.get() + check(&pattern, &machine, text));
            }
        }
    });
    assert!(safe.get() > 10_000, "only {} places were safe", safe.get());
}
