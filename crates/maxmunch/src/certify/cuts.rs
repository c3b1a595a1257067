//! Where to cut a text for parallel work: at anchors near the points of equal division.

use super::budget::Budget;
use super::inventory::{Decider, Inventory};
use crate::error::{Error, Result};

/// Cuts of one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Strictly increasing byte positions, none of them 0 or the end.
    pub cuts: Vec<i64>,
    /// For each cut: how many bytes after the point of equal division it lies.
    pub snap_distances: Vec<i64>,
}

/// Plans at most `parts - 1` cuts, each at the first anchor at or after a point of equal division and
/// before the next; a point without such an anchor gives no cut.
///
/// # Errors
///
/// [`Error::InvalidArgument`] for no parts; [`Error::Limit`] where a window cannot be decided;
/// [`Error::Interrupted`].
///
/// Complexity: for each part, `max_width` decisions per byte up to the first anchor after its point; the
/// rest of the text is not read.
pub fn plan(inventory: &Inventory, data: &[u8], parts: usize, budget: Budget<'_>) -> Result<Plan> {
    plan_within(inventory, data, parts, usize::MAX, budget)
}

/// The same with cuts less than `reach` bytes after their points of equal division.
///
/// # Errors
///
/// As [`plan`].
pub fn plan_within(
    inventory: &Inventory,
    data: &[u8],
    parts: usize,
    reach: usize,
    budget: Budget<'_>,
) -> Result<Plan> {
    if parts == 0 {
        return Err(Error::argument("parts", "it is 0; a text is cut into at least one part"));
    }
    let mut decider = inventory.decider(budget);
    let mut plan = Plan::default();
    let length = data.len() as u128;
    let point = |index: usize| (length * index as u128 / parts as u128) as usize;
    for index in 1..parts.min(data.len()) {
        let (target, next) = (point(index).max(1), point(index + 1).min(data.len()));
        let next = next.min(target.saturating_add(reach));
        if let Some(cut) = anchor_from(&mut decider, data, target, next, budget)? {
            plan.cuts.push(cut as i64);
            plan.snap_distances.push((cut - target) as i64);
        }
    }
    Ok(plan)
}

/// The first anchored position in `from..until`.
fn anchor_from(
    decider: &mut Decider<'_>,
    data: &[u8],
    from: usize,
    until: usize,
    budget: Budget<'_>,
) -> Result<Option<usize>> {
    let mut best: Option<usize> = None;
    let reach = decider.max_width();
    for end in from + 1..=data.len() {
        // a window that ends here begins at `end - reach` or later, and anchors no earlier position
        if end.saturating_sub(reach) >= best.unwrap_or(until) {
            break;
        }
        if end % (1 << 14) == 0
            && budget.monitor.tick("planning cuts", end as u64, data.len() as u64).is_break()
        {
            return Err(Error::Interrupted);
        }
        if let Some((_, position)) = decider.anchor_of(data, 0, end)?
            && (from..until).contains(&position)
            && best.is_none_or(|found| position < found)
        {
            best = Some(position);
        }
    }
    Ok(best)
}
