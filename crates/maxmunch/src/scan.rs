//! Maximal munch: the short, obvious definition that everything fast is held to.
//!
//! At each position the scan takes the longest non-empty prefix of the rest that is a token; where no
//! token matches it is stuck, and the text is outside the domain. The empty text has no tokens.

use crate::error::{Error, Result};
use crate::machine::overshoot::Overshoot;
use crate::monitor::Monitor;

/// What can say which token is the longest at a position.
pub trait Munch: Sync {
    /// End and kind of the longest non-empty token that starts at `at`, or `None`.
    fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)>;

    /// Appends the tokens from `from` on for as long as they start before `until`; gives where it ended.
    ///
    /// `Ok(end)` with `end >= until`: the scan passed or reached `until`. `Err(position)`: it is stuck
    /// there. Matches may look at the whole text, also past `until`. `noted` belongs to this text. This is
    /// the definition; implementations may read fewer bytes, never take other tokens.
    fn extend(
        &self,
        text: &[u8],
        from: usize,
        until: usize,
        scan: &mut Scan,
        _noted: &mut Overshoot,
    ) -> std::result::Result<usize, usize> {
        let mut at = from;
        while at < until {
            let (end, kind) = self.longest(text, at).ok_or(at)?;
            scan.push(at, kind);
            at = end;
        }
        Ok(at)
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

    /// Appends a token.
    #[inline]
    pub fn push(&mut self, start: usize, kind: u32) {
        self.starts.push(start as i64);
        self.kinds.push(kind);
    }

    /// Removes all tokens, keeping the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.kinds.clear();
    }
}

/// Bytes between two looks at the monitor.
const STRETCH: usize = 1 << 20;

/// The scan of the whole text.
///
/// # Errors
///
/// [`Error::Untokenizable`] with the position at which no token matches and the starts before it;
/// [`Error::Interrupted`].
pub fn scan(munch: &(impl Munch + ?Sized), text: &[u8], monitor: &dyn Monitor) -> Result<Scan> {
    extend_to_end(munch, text, Scan::default(), 0, monitor)
}

/// `scan`, which ended at `from`, continued to the end of the text.
///
/// # Errors
///
/// As [`scan`].
pub fn extend_to_end(
    munch: &(impl Munch + ?Sized),
    text: &[u8],
    mut scan: Scan,
    from: usize,
    monitor: &dyn Monitor,
) -> Result<Scan> {
    let mut noted = Overshoot::default();
    let mut at = from;
    while at < text.len() {
        let until = text.len().min(at.saturating_add(STRETCH));
        match munch.extend(text, at, until, &mut scan, &mut noted) {
            Ok(end) => at = end,
            Err(position) => return Err(Error::Untokenizable { position, starts: scan.starts }),
        }
        if at < text.len() && monitor.tick("scanning", at as u64, text.len() as u64).is_break() {
            return Err(Error::Interrupted);
        }
    }
    Ok(scan)
}

/// Whether the scan of the whole text completes.
///
/// # Errors
///
/// [`Error::Interrupted`].
pub fn is_tokenizable(
    munch: &(impl Munch + ?Sized),
    text: &[u8],
    monitor: &dyn Monitor,
) -> Result<bool> {
    let mut noted = Overshoot::default();
    let mut stretch = Scan::default();
    let mut at = 0;
    while at < text.len() {
        stretch.clear();
        let until = text.len().min(at.saturating_add(STRETCH));
        match munch.extend(text, at, until, &mut stretch, &mut noted) {
            Ok(end) => at = end,
            Err(_) => return Ok(false),
        }
        if at < text.len() && monitor.tick("scanning", at as u64, text.len() as u64).is_break() {
            return Err(Error::Interrupted);
        }
    }
    Ok(true)
}
