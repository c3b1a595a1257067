//! Minimal certified windows: those whose certificate is not inherited from a shorter suffix.
//!
//! A certificate holds of every left extension of its window as well. So a certified window is minimal
//! exactly if the window without its first byte is *open*: it occurs, but is not certified. Suffixes of open
//! windows are open. Hence all minimal windows of one width are left extensions of the open windows of the
//! width before, which are few.

use super::budget::Budget;
use super::inventory::{Decider, Decision, Inventory};
use crate::error::Result;

/// 256 bits, one for each byte.
pub type Mask = [u64; 4];

/// What putting one byte before an open window gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftExtensions {
    /// Origin and the bytes before the window that are certified at it and occur; by increasing origin.
    pub certified: Vec<(u32, Mask)>,
    /// The bytes before the window that leave it open.
    pub open: Mask,
}

/// The left extensions of each window of `open`; the windows of width 1 are those of the empty window.
///
/// Windows and extensions are given by all bytes for literal sets, and by one byte for each class for
/// regular ones ([`representatives`]).
///
/// # Errors
///
/// [`crate::Error::Limit`], [`crate::Error::Interrupted`].
pub fn left_extensions(
    inventory: &Inventory,
    open: &[Vec<u8>],
    budget: Budget<'_>,
) -> Result<Vec<LeftExtensions>> {
    let bytes = representatives(inventory)?;
    let mut decider = inventory.decider(budget);
    let mut all = Vec::with_capacity(open.len());
    for (index, window) in open.iter().enumerate() {
        if index % 64 == 0
            && budget.monitor.tick("minimal windows", index as u64, open.len() as u64).is_break()
        {
            return Err(crate::Error::Interrupted);
        }
        all.push(extensions(&mut decider, &bytes, window)?);
    }
    Ok(all)
}

/// The bytes that stand for all: every byte for literal sets, one for each class for regular ones.
///
/// # Errors
///
/// [`crate::Error::Limit`].
pub fn representatives(inventory: &Inventory) -> Result<Vec<u8>> {
    inventory.token_set().representatives()
}

fn extensions(decider: &mut Decider<'_>, bytes: &[u8], window: &[u8]) -> Result<LeftExtensions> {
    let mut found = LeftExtensions::default();
    let forced = decider.after_forced_boundary(window);
    let mut extended = Vec::with_capacity(window.len() + 1);
    extended.push(0);
    extended.extend_from_slice(window);
    for &byte in bytes {
        let decision = match forced {
            Some(decision) if decider.forces_boundary(byte, window[0]) => decision,
            _ => {
                extended[0] = byte;
                decider.decide_afresh(&extended)?
            }
        };
        let mask = match decision {
            Decision::Vacuous => continue,
            Decision::Open => &mut found.open,
            Decision::Certified(origin) => {
                let known = found.certified.iter().position(|&(known, _)| known == origin);
                let at = known.unwrap_or_else(|| {
                    found.certified.push((origin, Mask::default()));
                    found.certified.len() - 1
                });
                &mut found.certified[at].1
            }
        };
        mask[usize::from(byte / 64)] |= 1 << (byte % 64);
    }
    found.certified.sort_unstable_by_key(|&(origin, _)| origin);
    Ok(found)
}
