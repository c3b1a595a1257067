//! Whether a byte is a safe delimiter: cutting before it, or after it, wherever it occurs.
//!
//! Cutting before every occurrence keeps every scan exactly if no token holds the byte past its start:
//! a token that does is an input of one token that the cut would split. Likewise for cutting after it.

use super::token_set::{Language, TokenSet};

/// The answer for one byte; a refutation is a shortest token that shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delimiter {
    /// A token with the byte past its start; `None`: cutting before it is sound.
    pub refutation_before: Option<Vec<u8>>,
    /// A token with the byte before its end; `None`: cutting after it is sound.
    pub refutation_after: Option<Vec<u8>>,
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
            }
        }
    }
}
