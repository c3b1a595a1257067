//! How far an edit can reach, and scanning again no more than that.
//!
//! A left anchor, witnessed by bytes before the edit, is a token start before and after it; so is a right
//! anchor, witnessed by bytes after it. Every token start that changes lies strictly between them. Where no
//! token is longer than `L`, a token that starts at most at `position - L` ends at or before the edited
//! bytes, so that no start up to `position - L + 1` changes.

use super::budget::Budget;
use super::inventory::{Decider, Inventory};
use crate::error::{Error, Result};
use crate::machine::overshoot::Overshoot;
use crate::scan::{Munch, Scan};

/// Positions in the old text between which every changed token start lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EditBounds {
    /// The last anchor whose witness ends at or before the edit; `None` without one.
    pub left: Option<usize>,
    /// The first anchor whose witness begins at or after the edit; `None` without one.
    pub right: Option<usize>,
    /// No start up to here changes, because tokens are short; `None` when they can be arbitrarily long.
    pub proven_left: Option<usize>,
}

/// The bounds of replacing `removed` bytes at `position` of a completely tokenizable text.
///
/// # Errors
///
/// [`Error::InvalidArgument`] when the edit lies outside the text; [`Error::Limit`].
///
/// Complexity: `max_width` decisions per byte between the edit and the anchors.
pub fn edit_bounds(
    inventory: &Inventory,
    data: &[u8],
    position: usize,
    removed: usize,
    budget: Budget<'_>,
) -> Result<EditBounds> {
    check_edit(data.len(), position, removed)?;
    let mut decider = inventory.decider(budget);
    Ok(EditBounds {
        left: left_anchor(&mut decider, data, position, budget)?,
        right: right_anchor(&mut decider, data, position + removed, budget)?,
        proven_left: inventory
            .token_set()
            .longest_token()
            .map(|longest| (position + 1).saturating_sub(longest)),
    })
}

fn check_edit(length: usize, position: usize, removed: usize) -> Result<()> {
    if position.checked_add(removed).is_none_or(|end| end > length) {
        return Err(Error::argument(
            "position",
            format!(
                "replacing {removed} bytes at {position} reaches past the end of a text of {length} bytes"
            ),
        ));
    }
    Ok(())
}

fn left_anchor(
    decider: &mut Decider<'_>,
    data: &[u8],
    before: usize,
    budget: Budget<'_>,
) -> Result<Option<usize>> {
    let mut best: Option<usize> = None;
    for end in (1..=before).rev() {
        budget.look("finding an anchor", before - end)?;
        // a window that ends here anchors a position before its end
        if best.is_some_and(|found| found >= end) {
            break;
        }
        if let Some((_, position)) = decider.anchor_of(data, 0, end)? {
            best = best.max(Some(position));
        }
    }
    Ok(best)
}

fn right_anchor(
    decider: &mut Decider<'_>,
    data: &[u8],
    from: usize,
    budget: Budget<'_>,
) -> Result<Option<usize>> {
    let mut best: Option<usize> = None;
    for end in from + 1..=data.len() {
        budget.look("finding an anchor", end - from)?;
        // a window that ends here anchors no position before its start
        if best.is_some_and(|found| end.saturating_sub(decider.max_width()) >= found) {
            break;
        }
        if let Some((_, position)) = decider.anchor_of(data, from, end)? {
            best = Some(best.map_or(position, |found| found.min(position)));
        }
    }
    Ok(best)
}

/// One replacement: `removed` bytes at `position` became `inserted` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// Where the texts begin to differ.
    pub position: usize,
    /// Bytes of the old text that are gone.
    pub removed: usize,
    /// Bytes of the new text that are new.
    pub inserted: usize,
}

/// The scan of the new text from that of the old, and the range of the new text that was read again.
///
/// Exactly the scan of the new text, also where that one is stuck: a start before the edit that an anchor
/// or the token length vouches for stays one in every new text; and once the new scan reaches, past the
/// edit, a start of the old one, everything after it is the same.
///
/// # Errors
///
/// [`Error::Untokenizable`] as the scan of the new text; [`Error::InvalidArgument`] when lengths do not fit.
pub fn rescan(
    inventory: &Inventory,
    old_scan: &Scan,
    old: &[u8],
    new: &[u8],
    edit: Edit,
    budget: Budget<'_>,
) -> Result<(Scan, usize, usize)> {
    let Edit { position, removed, inserted } = edit;
    check_edit(old.len(), position, removed)?;
    check_edit(new.len(), position, inserted)?;
    if old.len() - removed != new.len() - inserted {
        return Err(Error::argument(
            "new_data",
            format!(
                "it has {} bytes; replacing {removed} bytes by {inserted} in a text of {} gives {}",
                new.len(),
                old.len(),
                old.len() - removed + inserted
            ),
        ));
    }
    let bounds = edit_bounds(inventory, old, position, removed, budget)?;
    let starts = &old_scan.starts;
    let proven = bounds.proven_left.unwrap_or(0);
    let kept = starts.partition_point(|&start| start as usize <= proven).saturating_sub(1);
    let anchored =
        bounds.left.map_or(0, |left| starts.partition_point(|&start| (start as usize) < left));
    let kept = kept.max(anchored);
    let from = starts.get(kept).map_or(0, |&start| start as usize);
    let mut scan = Scan { starts: starts[..kept].to_vec(), kinds: old_scan.kinds[..kept].to_vec() };
    let mut noted = Overshoot::default();
    let mut at = from;
    let mut next = kept; // the first old start that is not before `at`, once past the edit
    while at < new.len() {
        if at >= position + inserted {
            let old_at = at - inserted + removed;
            while starts.get(next).is_some_and(|&start| (start as usize) < old_at) {
                next += 1;
            }
            if starts.get(next).is_some_and(|&start| start as usize == old_at) {
                let shift = inserted as i64 - removed as i64;
                scan.starts.extend(starts[next..].iter().map(|start| start + shift));
                scan.kinds.extend_from_slice(&old_scan.kinds[next..]);
                return Ok((scan, from, at));
            }
        }
        match inventory.token_set().extend(new, at, at + 1, &mut scan, &mut noted) {
            Ok(end) => at = end,
            Err(position) => {
                return Err(Error::Untokenizable { position, starts: scan.starts });
            }
        }
    }
    Ok((scan, from, new.len()))
}
