//! Cutting one text into parts that are worked on in parallel: the only module that knows certify and encode.
//!
//! Landing rule: every part is scanned from its cut with a view of the whole text and must end exactly at
//! the next cut. If all do, the joined scan is the sequential one, by induction from the left. If one does
//! not, the text is outside the domain, and the scan goes on sequentially from the last good cut, which
//! gives the error that the sequential scan gives.

use std::num::NonZero;

use crate::certify::{Inventory, TokenSet, cuts};
use crate::error::{Error, Result};
use crate::machine::overshoot::Overshoot;
use crate::scan::Scan;

/// The number of threads to use: as asked, or one for each core.
///
/// # Errors
///
/// [`Error::InvalidArgument`] for zero threads.
pub fn thread_count(threads: Option<usize>) -> Result<usize> {
    match threads {
        Some(0) => Err(Error::argument("threads", "it is 0; at least one thread is needed")),
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, NonZero::get)),
    }
}

/// The scan of `data` on `threads` threads, cut at anchors of the inventory.
///
/// # Errors
///
/// [`Error::Untokenizable`], exactly where and with what the sequential scan reports it.
pub fn parallel_scan(inventory: &Inventory, data: &[u8], threads: usize) -> Result<Scan> {
    let plan = cuts::plan(inventory, data, threads)?;
    scan_at_cuts(inventory.token_set(), data, &plan.cuts)
}

/// The scan of `data`, one thread for each part between `cuts` (increasing, inside the text).
///
/// Right for any cuts whatever: those that are no boundaries cost time, never correctness.
///
/// # Errors
///
/// As [`parallel_scan`].
pub fn scan_at_cuts(set: &TokenSet, data: &[u8], cuts: &[i64]) -> Result<Scan> {
    let mut bounds: Vec<usize> = vec![0];
    bounds.extend(cuts.iter().map(|&cut| cut as usize));
    bounds.push(data.len());
    let parts = scan_parts(set, data, &bounds)?;
    let mut parts = parts.into_iter().zip(bounds.windows(2));
    let Some(((mut whole, first), bound)) = parts.next() else { return Ok(Scan::default()) };
    let mut landed = first == Ok(bound[1]);
    let mut at = first;
    let mut rest = Vec::new();
    for ((part, end), bound) in parts {
        if !landed {
            break;
        }
        landed = end == Ok(bound[1]);
        at = end;
        rest.push(part);
    }
    join(&mut whole, &rest);
    drop(rest);
    if !landed {
        // the last part is sequentially right as far as it goes; go on from where it left off
        if let Ok(end) = at {
            at = whole.extend(set, data, end, data.len(), &mut Overshoot::default());
        }
    }
    match at {
        Ok(_) => Ok(whole),
        Err(position) => Err(Error::Untokenizable { position, starts: whole.starts }),
    }
}

type Part = (Scan, std::result::Result<usize, usize>);

fn scan_parts(set: &TokenSet, data: &[u8], bounds: &[usize]) -> Result<Vec<Part>> {
    let work = |from: usize, until: usize| {
        let mut part = Scan::default();
        let end = part.extend(set, data, from, until, &mut Overshoot::default());
        (part, end)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = bounds
            .windows(2)
            .skip(1)
            .map(|bound| {
                let (from, until) = (bound[0], bound[1]);
                scope.spawn(move || work(from, until))
            })
            .collect();
        let mut parts = Vec::with_capacity(bounds.len() - 1);
        parts.push(work(bounds[0], bounds[1]));
        for other in others {
            parts.push(other.join().map_err(|_| Error::internal("a scanning thread panicked"))?);
        }
        Ok(parts)
    })
}

/// Appends the parts.
fn join(whole: &mut Scan, rest: &[Scan]) {
    let more: usize = rest.iter().map(|part| part.starts.len()).sum();
    whole.starts.reserve_exact(more);
    whole.kinds.reserve_exact(more);
    for part in rest {
        whole.starts.extend_from_slice(&part.starts);
        whole.kinds.extend_from_slice(&part.kinds);
    }
}
