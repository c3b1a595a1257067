//! Whether a byte is a safe delimiter: cutting before it, or after it, wherever it occurs.
//!
//! Cutting before every occurrence keeps every scan exactly if no token holds the byte past its start:
//! a token that does is an input of one token that the cut would split. Likewise for cutting after it.

use super::token_set::{Language, TokenSet};
use crate::machine::dfa::{Dfa, NONE, START};

/// The answer for one byte; a refutation is a short token that shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delimiter {
    /// A token with the byte past its start; `None`: cutting before it is sound.
    pub refutation_before: Option<Vec<u8>>,
    /// A token with the byte before its end; `None`: cutting after it is sound.
    pub refutation_after: Option<Vec<u8>>,
    /// States of the token automaton, for a regular set; words are read without any.
    pub searched_states: u64,
}

/// Decides both directions for `byte`.
///
/// Complexity: linear in the size of the token set.
pub fn delimiter(set: &TokenSet, byte: u8) -> Delimiter {
    match set.language() {
        Language::Literal(set) => {
            let shortest = |holds: &dyn Fn(&[u8]) -> bool| {
                let words = set.words().iter().filter(|word| holds(word));
                words.min_by_key(|word| word.len()).map(|word| word.to_vec())
            };
            Delimiter {
                refutation_before: shortest(&|word| word[1..].contains(&byte)),
                refutation_after: shortest(&|word| word[..word.len() - 1].contains(&byte)),
                searched_states: 0,
            }
        }
        Language::Regular(set) => of_automaton(set.dfa(), byte),
    }
}

/// A token with the byte past its start is a way into a state, by at least one byte, that has a transition
/// on it; one with the byte before its end is a transition on it into a state that goes on.
fn of_automaton(dfa: &Dfa, byte: u8) -> Delimiter {
    let class = dfa.classes().of(byte);
    let mut found = Delimiter { searched_states: dfa.states() as u64, ..Delimiter::default() };
    for first in 0..dfa.classes().len() {
        let state = dfa.step(START, first);
        if state == NONE {
            continue;
        }
        let inner =
            dfa.path(state, |state| dfa.step(state, class) != NONE).and_then(|(way, state)| {
                let (rest, _) = dfa.path(dfa.step(state, class), |state| dfa.accepts(state))?;
                let mut token = vec![dfa.classes().representative(first)];
                token.extend(dfa.bytes(&way));
                token.push(byte);
                token.extend(dfa.bytes(&rest));
                Some(token)
            });
        keep_shorter(&mut found.refutation_before, inner);
    }
    let goes_on = |state: u32| {
        (0..dfa.classes().len())
            .map(|class| dfa.step(state, class))
            .find(|&next| next != NONE)
            .is_some()
    };
    let before_last = |state: u32| {
        let next = dfa.step(state, class);
        next != NONE && goes_on(next)
    };
    if let Some((way, state)) = dfa.path(START, before_last) {
        let next = dfa.step(state, class);
        for second in 0..dfa.classes().len() {
            let after = dfa.step(next, second);
            if after == NONE {
                continue;
            }
            let token = dfa.path(after, |state| dfa.accepts(state)).map(|(rest, _)| {
                let mut token = dfa.bytes(&way);
                token.push(byte);
                token.push(dfa.classes().representative(second));
                token.extend(dfa.bytes(&rest));
                token
            });
            keep_shorter(&mut found.refutation_after, token);
        }
    }
    found
}

fn keep_shorter(best: &mut Option<Vec<u8>>, other: Option<Vec<u8>>) {
    if let Some(other) = other
        && best.as_ref().is_none_or(|best| other.len() < best.len())
    {
        *best = Some(other);
    }
}
