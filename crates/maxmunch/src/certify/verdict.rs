//! The answer to "is this window certified at this origin", with its evidence.

use crate::error::{Error, Result};
use crate::scan::{Munch, scan};

/// Longest window that is decided, in bytes.
pub const MAX_WINDOW: usize = 256;

/// A completely tokenizable input that shows that a pair is not certified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The input, as short as any that refutes the pair.
    pub data: Vec<u8>,
    /// Where the window occurs in it.
    pub occurrence: usize,
    /// `occurrence + origin`: where the pair claims that the covering token starts.
    pub claimed: usize,
    /// Where the token that covers the window's last byte really starts.
    pub actual: usize,
}

/// What is known about a pair of window and origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// At every occurrence the covering token starts at the origin, and the window does occur.
    Certified,
    /// The window occurs in no completely tokenizable text, so that every origin holds of it.
    Vacuous,
    /// An input shows another start.
    Refuted(Witness),
    /// A limit was reached first.
    Undecided(String),
}

/// Refuses windows and origins outside their ranges.
pub(super) fn check_window(window: &[u8]) -> Result<()> {
    if window.is_empty() || window.len() > MAX_WINDOW {
        return Err(Error::argument(
            "window",
            format!("it has {} bytes; a window has 1 to {MAX_WINDOW}", window.len()),
        ));
    }
    Ok(())
}

pub(super) fn check_origin(window: &[u8], origin: i64) -> Result<()> {
    if origin < 0 || origin >= window.len() as i64 {
        return Err(Error::argument(
            "origin",
            format!(
                "it is {origin}; an origin lies inside the window, so it is 0 to {}",
                window.len() - 1
            ),
        ));
    }
    Ok(())
}

/// Scans the witness again by the definition and holds it to what it claims.
pub(super) fn rescan(
    munch: &(impl Munch + ?Sized),
    window: &[u8],
    origin: i64,
    witness: &Witness,
) -> Result<()> {
    let found = scan(munch, &witness.data, &crate::Quiet)
        .map_err(|_| Error::internal("a refuting witness is not tokenizable"))?;
    let Witness { data, occurrence, claimed, actual } = witness;
    let end = occurrence + window.len();
    let covering = found.starts.partition_point(|&start| (start as usize) < end);
    let start = covering.checked_sub(1).and_then(|index| found.start(index));
    if data.get(*occurrence..end) == Some(window)
        && start == Some(*actual)
        && actual != claimed
        && *claimed as i64 == *occurrence as i64 + origin
    {
        return Ok(());
    }
    Err(Error::internal("a refuting witness does not show what it claims"))
}
