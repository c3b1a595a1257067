//! Two ways to the same answer, on random small sets: the closed form and path counting against the verifier.

use std::sync::Arc;

use proptest::prelude::*;

use super::audit::{audit, audit_by_automaton};
use super::audit_literal::{Known, LiteralPair};
use super::closed_form::BEFORE;
use super::{Budget, Disagreement, Inventory, Language, TokenSet, Verdict};
use crate::Quiet;
use crate::error::Error;
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
    (literal, TokenSet::regular(patterns, 10_000, &Quiet).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_closed_form_agrees_with_the_verifier(
        words in words(),
        window in prop::collection::vec(prop::sample::select(b"abc".as_slice()), 1..7),
    ) {
        let (literal, regular) = both(&words);
        let origins = literal.realised_origins(&window, Budget::default()).unwrap();
        prop_assert_eq!(&origins, &regular.realised_origins(&window, Budget::default()).unwrap());
        for origin in 0..window.len() as i64 {
            let left = literal.certify(&window, origin, Budget::default()).unwrap();
            let right = regular.certify(&window, origin, Budget::default()).unwrap();
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
        let counts = paths.counts(Budget::default()).unwrap().0;
        prop_assert_eq!(&counts, &clouds.counts(Budget::default()).unwrap().0);
        prop_assert_eq!(&counts, &paths.counts_by_automaton(Budget::default()).unwrap());
    }

    #[test]
    fn audits_by_tokens_agree_with_audits_by_automaton(
        words in words(),
        others in words(),
        shared in 0..3_usize,
        letters in any::<bool>(),
    ) {
        let common = words.iter().take(shared * 2).cloned();
        let mut others: Vec<Vec<u8>> = others.into_iter().chain(common).collect();
        let mut words = words;
        if letters {
            words.extend([b"a".to_vec(), b"b".to_vec(), b"c".to_vec()]);
            others.extend([b"a".to_vec(), b"b".to_vec(), b"c".to_vec()]);
        }
        let left = TokenSet::literal(&words, |index| index as u32).unwrap();
        let right = TokenSet::literal(&others, |index| index as u32).unwrap();
        let found = audit(&left, &right, Budget::default()).unwrap();
        let expected = audit_by_automaton(&left, &right, Budget::default()).unwrap();
        let length = |found: &Option<Disagreement>| found.as_ref().map(|found| found.data.len());
        prop_assert_eq!(length(&expected.boundary), length(&found.boundary));
        prop_assert_eq!(length(&expected.domain), length(&found.domain));
        let (Language::Literal(a), Language::Literal(b)) = (left.language(), right.language()) else {
            return Ok(());
        };
        let pair = LiteralPair { sets: [&left, &right], words: [a, b] };
        for (known, found, domain) in [
            (pair.boundary(), &expected.boundary, false),
            (pair.domain(), &expected.domain, true),
        ] {
            match known {
                Known::Never => prop_assert!(found.is_none()),
                Known::Differs(data) => prop_assert_eq!(Some(data.len()), length(found)),
                Known::Open(least) => {
                    prop_assert!(found.as_ref().is_none_or(|found| found.data.len() >= least));
                    if found.is_some() && !words.is_empty() {
                        match pair.tried(least, domain, Budget::default()) {
                            Ok((data, _)) => prop_assert_eq!(Some(data.len()), length(found)),
                            // The difference is longer than the texts that there is time to try.
                            Err(error) => {
                                let is_limit = matches!(error, Error::Limit { .. });
                                prop_assert!(is_limit, "{error}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_code_generates_the_domain(
        words in words(),
        text in prop::collection::vec(prop::sample::select(b"abc".as_slice()), 0..12),
    ) {
        let set = TokenSet::literal(&words, |index| index as u32).unwrap();
        let Language::Literal(literal) = set.language() else { return Ok(()) };
        if let Some(code) = literal.code() {
            prop_assert_eq!(set.scan(&text).is_ok(), code.generates(&text));
        }
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
        let expected = scan(&Slow(&words), &text, &Quiet);
        prop_assert_eq!(&expected, &literal.scan(&text));
        prop_assert_eq!(&expected, &regular.scan(&text));
    }
}
