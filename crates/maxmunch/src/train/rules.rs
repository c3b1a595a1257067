//! Which byte strings may become tokens.

use std::collections::BTreeSet;

use crate::error::{Error, Result};

/// Longest token that a vocabulary may hold: a length fits in one byte of the tables.
pub const MAX_TOKEN_BYTES: usize = 255;

/// What a token of more than one byte must satisfy. Single bytes are always tokens.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Most bytes of a token, at most [`MAX_TOKEN_BYTES`].
    pub max_token_bytes: usize,
    /// Whether every token of more than one byte must be whole characters of UTF-8.
    pub valid_utf8: bool,
    /// Tokens that must not be in the vocabulary.
    pub forbidden: BTreeSet<Vec<u8>>,
    /// Tokens that must be in the vocabulary, whatever they cost.
    pub pinned: BTreeSet<Vec<u8>>,
    /// Bytes that may stand in a token at one place only, so that text may be cut there.
    pub splittable: BTreeSet<u8>,
    /// The place is the token's end, and text may be cut after each of them; else its start, and before.
    pub split_after: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_token_bytes: MAX_TOKEN_BYTES,
            valid_utf8: false,
            forbidden: BTreeSet::new(),
            pinned: BTreeSet::new(),
            splittable: BTreeSet::new(),
            split_after: false,
        }
    }
}

impl Rules {
    /// Whether `token`, of two bytes or more, may be in the vocabulary.
    pub fn admits(&self, token: &[u8]) -> bool {
        (2..=self.max_token_bytes).contains(&token.len())
            && !self.holds_a_split(token)
            && (!self.valid_utf8 || std::str::from_utf8(token).is_ok())
            && (self.forbidden.is_empty() || !self.forbidden.contains(token))
    }

    /// Whether one of the splittable bytes stands in `token` at a place that is not allowed.
    fn holds_a_split(&self, token: &[u8]) -> bool {
        let rest = if self.split_after { &token[..token.len() - 1] } else { &token[1..] };
        !self.splittable.is_empty() && rest.iter().any(|byte| self.splittable.contains(byte))
    }

    /// Refuses rules that contradict each other.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a length out of range, a forbidden byte, and a pinned token that the
    /// other rules do not admit.
    pub fn check(&self) -> Result<()> {
        if !(1..=MAX_TOKEN_BYTES).contains(&self.max_token_bytes) {
            return Err(Error::argument(
                "max_token_bytes",
                format!(
                    "{} is outside 1..={MAX_TOKEN_BYTES}: the tables hold a token's length in one byte",
                    self.max_token_bytes
                ),
            ));
        }
        if let Some(byte) = self.forbidden.iter().find(|token| token.len() == 1) {
            return Err(Error::argument(
                "forbidden",
                format!(
                    "{byte:?} is a single byte; all 256 stay in, so that no text is outside the vocabulary"
                ),
            ));
        }
        match self.pinned.iter().find(|token| token.len() != 1 && !self.admits(token)) {
            None => Ok(()),
            Some(token) => Err(Error::argument(
                "pinned",
                format!(
                    "{:?} is pinned, but forbidden by another rule (its length, `forbidden`, `valid_utf8` or \
                     `splittable`); drop one of the two",
                    String::from_utf8_lossy(token)
                ),
            )),
        }
    }
}
