//! Two ways to the same answer, on random small sets: the closed form and path counting against the verifier.

use std::sync::Arc;

use proptest::prelude::*;

use super::closed_form::BEFORE;
use super::{Inventory, MAX_STATES, TokenSet, Verdict};
use crate::Quiet;
use crate::scan::{Munch, scan};

fn words() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let word = prop::collection::vec(prop::sample::select(b"abc".as_slice()), 1..5);
    prop::collection::vec(word, 1..7)
}

fn both(words: &[Vec<u8>]) -> (TokenSet, TokenSet) {
    let patterns = words
        .iter()
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .map(|word| (word.clone(), word))
        .collect();
    let literal = TokenSet::literal(words, |index| index as u32).unwrap();
    (literal, TokenSet::regular(patterns, 10_000).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_closed_form_agrees_with_the_verifier(
        words in words(),
        window in prop::collection::vec(prop::sample::select(b"abc".as_slice()), 1..7),
    ) {
        let (literal, regular) = both(&words);
        let origins = literal.realised_origins(&window, MAX_STATES).unwrap();
        prop_assert_eq!(&origins, &regular.realised_origins(&window, MAX_STATES).unwrap());
        for origin in 0..window.len() as i64 {
            let left = literal.certify(&window, origin, MAX_STATES).unwrap();
            let right = regular.certify(&window, origin, MAX_STATES).unwrap();
            match (left, right) {
                (Verdict::Refuted(left), Verdict::Refuted(right)) => {
                    prop_assert_eq!(left.data.len(), right.data.len());
                }
                (left, right) => prop_assert_eq!(left, right),
            }
        }
        prop_assert_eq!(origins.first() == Some(&BEFORE), {
            words.iter().any(|word| word[1..].windows(window.len()).any(|part| part == window))
        });
    }

    #[test]
    fn path_counts_agree_with_counts_along_clouds(words in words(), width in 1_usize..6) {
        let (literal, regular) = both(&words);
        let (literal, regular) = (Arc::new(literal), Arc::new(regular));
        let paths = Inventory::new(Arc::clone(&literal), width).unwrap();
        let clouds = Inventory::new(regular, width).unwrap();
        let counts = paths.counts(None, &Quiet).unwrap().0;
        prop_assert_eq!(&counts, &clouds.counts(None, &Quiet).unwrap().0);
        prop_assert_eq!(&counts, &paths.counts_by_automaton(MAX_STATES).unwrap());
    }

    #[test]
    fn the_scans_of_trie_and_automaton_are_the_definition(
        words in words(),
        text in prop::collection::vec(prop::sample::select(b"abc".as_slice()), 0..40),
    ) {
        struct Slow<'a>(&'a [Vec<u8>]);
        impl Munch for Slow<'_> {
            fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
                let fits = self.0.iter().enumerate().filter(|(_, word)| text[at..].starts_with(word));
                let best = fits.max_by_key(|(index, word)| (word.len(), usize::MAX - index))?;
                Some((at + best.1.len(), best.0 as u32))
            }
        }
        let (literal, regular) = both(&words);
        let expected = scan(&Slow(&words), &text);
        prop_assert_eq!(&expected, &literal.scan(&text));
        prop_assert_eq!(&expected, &regular.scan(&text));
    }
}
