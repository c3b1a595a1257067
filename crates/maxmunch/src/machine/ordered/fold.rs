//! Letters without regard to case, for the ASCII letters of `(?i:…)`.
//!
//! Oniguruma also folds one character to several (`ß` is `ss`, `ﬁ` is `fi`). Where two neighbours could
//! take part in that, the pattern is refused.

use super::syntax::{Parsed, refuse};
use crate::machine::char_classes::{CharSet, contains, singleton};

/// Pairs of ASCII letters that begin what some other character folds to.
const FOLDED_PAIRS: [(char, char); 5] =
    [('f', 'f'), ('f', 'i'), ('f', 'l'), ('s', 's'), ('s', 't')];

/// Characters outside ASCII that fold to an ASCII letter.
const FOLDED_LETTERS: [(char, char); 2] = [('s', '\u{17F}'), ('k', '\u{212A}')];

/// What the letters of one `(?i:…)` have been so far.
///
/// Neighbours are taken in the order of the pattern's text, across groups and alternatives, which refuses
/// a little too much.
#[derive(Debug)]
pub(crate) struct Folding {
    /// What came last.
    previous: CharSet,
    /// All that came.
    seen: CharSet,
}

impl Default for Folding {
    fn default() -> Self {
        Self { previous: CharSet::empty(), seen: CharSet::empty() }
    }
}

impl Folding {
    /// `set` with both cases of each letter.
    pub(crate) fn fold(&mut self, set: &CharSet) -> Parsed<CharSet> {
        if !set.is_ascii() {
            return refuse("a character outside ASCII inside `(?i:…)`");
        }
        let mut folded = set.clone();
        for letter in 'a'..='z' {
            let upper = letter.to_ascii_uppercase();
            if contains(set, letter) || contains(set, upper) {
                folded.union(&singleton(letter));
                folded.union(&singleton(upper));
                for (_, other) in FOLDED_LETTERS.iter().filter(|pair| pair.0 == letter) {
                    folded.union(&singleton(*other));
                }
            }
        }
        for (first, second) in FOLDED_PAIRS {
            if contains(&self.previous, first) && contains(&folded, second) {
                return refuse(format!(
                    "`{first}{second}` inside `(?i:…)`, to which other characters fold"
                ));
            }
        }
        self.seen.union(&folded);
        self.previous = folded.clone();
        Ok(folded)
    }

    /// Whether what came so far may be repeated, so that its end meets its beginning.
    pub(crate) fn check_repeatable(&self) -> Parsed<()> {
        match FOLDED_PAIRS.iter().find(|pair| contains(&self.seen, pair.0)) {
            Some((letter, _)) => refuse(format!("a repeated `{letter}` inside `(?i:…)`")),
            None => Ok(()),
        }
    }
}
