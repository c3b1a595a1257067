//! Random patterns of the kind that the machine takes, and texts that tell them apart.

use proptest::prelude::*;

/// What small patterns are made of, between spaces.
const ATOMS: &str = r"a b s t \x20 \n é . [ab] [^a] [^\s] \s \S \w \p{L} [a\n] (?i:s) (?i:t) (?i:[ab]) \
    (?i:'s|'t) (?!\S) (?=a) (?![ab]) $ \z (?=\s|$) (?!$) [a-s&&[^b]] \x{61}";
const QUANTIFIERS: &str =
    "* + ? *? +? ?? *+ ++ ?+ {2} {1,2} {0,2} {2,} {1,2}? {0,3}? {,2} {1,3}+ {2}+";

pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

/// A random pattern, mostly of the supported kind, over a handful of characters.
pub(crate) fn small_pattern() -> impl Strategy<Value = String> {
    let quantifier =
        prop_oneof![Just(""), prop::sample::select(QUANTIFIERS.split(' ').collect::<Vec<_>>())];
    let atom = prop::sample::select(ATOMS.split_whitespace().collect::<Vec<_>>());
    let leaf = (atom, quantifier.clone()).prop_map(|(atom, times)| format!("{atom}{times}"));
    leaf.prop_recursive(3, 12, 4, move |inner| {
        let parts = prop::collection::vec(inner, 1..4);
        let group = (parts.clone(), quantifier.clone());
        prop_oneof![
            3 => parts.prop_map(|parts| parts.concat()),
            2 => group.clone().prop_map(|(parts, times)| format!("(?:{}){times}", parts.join("|"))),
            1 => group.prop_map(|(parts, times)| format!("({}){times}", parts.concat())),
        ]
    })
}

pub(crate) fn small_text() -> impl Strategy<Value = String> {
    let characters = prop::sample::select("abstS \né'ſ".chars().collect::<Vec<_>>());
    prop::collection::vec(characters, 0..14).prop_map(String::from_iter)
}
