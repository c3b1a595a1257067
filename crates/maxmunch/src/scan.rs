//! Maximal munch: the short, obvious definition that everything fast is held to.
//!
//! At each position the scan takes the longest non-empty prefix of the rest that is a token; where no
//! token matches it is stuck, and the text is outside the domain. The empty text has no tokens.

use crate::error::{Error, Result};
use crate::machine::overshoot::Overshoot;

/// What can say which token is the longest at a position.
pub trait Munch: Sync {
    /// End and kind of the longest non-empty token that starts at `at`, or `None`.
    fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)>;

    /// The same, for use along one text from left to right, with what earlier matches in it noted.
    fn longest_along(
        &self,
        text: &[u8],
        at: usize,
        _noted: &mut Overshoot,
    ) -> Option<(usize, u32)> {
        self.longest(text, at)
    }
}

/// The tokens of a text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// Byte position at which each token starts, increasing; the first is 0.
    pub starts: Vec<i64>,
    /// Kind of each token: its index in the token set, or the kind it was given there.
    pub kinds: Vec<u32>,
}

impl Scan {
    /// Where a token starts, by index.
    pub fn start(&self, index: usize) -> Option<usize> {
        self.starts.get(index).map(|&start| start as usize)
    }

    /// Appends the tokens from `from` on for as long as they start before `until`; gives where it ended.
    ///
    /// `Ok(end)` with `end >= until`: the scan passed or reached `until`. `Err(position)`: it is stuck
    /// there. Matches may look at the whole text, also past `until`. `noted` belongs to this text.
    pub fn extend(
        &mut self,
        munch: &(impl Munch + ?Sized),
        text: &[u8],
        from: usize,
        until: usize,
        noted: &mut Overshoot,
    ) -> std::result::Result<usize, usize> {
        let mut at = from;
        while at < until {
            let Some((end, kind)) = munch.longest_along(text, at, noted) else { return Err(at) };
            self.starts.push(at as i64);
            self.kinds.push(kind);
            at = end;
        }
        Ok(at)
    }
}

/// The scan of the whole text.
///
/// # Errors
///
/// [`Error::Untokenizable`] with the position at which no token matches and the starts before it.
pub fn scan(munch: &(impl Munch + ?Sized), text: &[u8]) -> Result<Scan> {
    let mut found = Scan::default();
    match found.extend(munch, text, 0, text.len(), &mut Overshoot::default()) {
        Ok(_) => Ok(found),
        Err(position) => Err(Error::Untokenizable { position, starts: found.starts }),
    }
}

/// Whether the scan of the whole text completes.
pub fn is_tokenizable(munch: &(impl Munch + ?Sized), text: &[u8]) -> bool {
    let mut at = 0;
    let mut noted = Overshoot::default();
    while at < text.len() {
        let Some((end, _)) = munch.longest_along(text, at, &mut noted) else { return false };
        at = end;
    }
    true
}
