//! Counting the certified windows of a literal set without walking over all 256^h of them.
//!
//! A pair of bytes that occurs inside no token forces a boundary between its two bytes. Cut a window at its
//! last forced boundary `j`: its origins are `j` plus those of the right part given a boundary at its start,
//! if the left part can end at a boundary, and none otherwise. Right parts hold only pairs that occur in
//! tokens, so they are few and are decided one by one; left parts fall apart at earlier forced boundaries
//! in the same way and are counted by their last byte.

use std::ops::ControlFlow;

use super::budget::Budget;
use super::closed_form::Grown;
use super::count::{Count, Counts};
use super::literal::{Literal, factor_trie};
use crate::error::{Error, Result};
use crate::machine::literal_trie::{LiteralTrie, NONE, ROOT};
use crate::monitor::Monitor;

/// Widest window that is counted this way: origins are bits of one word.
const MAX_WIDTH: usize = 60;

/// Windows that a count may decide one by one, where the caller sets no limit.
const MAX_PATHS: u64 = 1_000_000_000;

const BEFORE_BIT: u64 = 1;

/// Counts by first and last byte, for segments of one length.
struct Length {
    /// Windows of this length without a forced boundary: certified, and with any origin.
    certified: u64,
    occurring: u64,
    /// By first byte: segments with one origin, or with any, given a boundary at their start.
    one: Vec<u64>,
    any: Vec<u64>,
    /// By first and last byte: segments that are tokenizable on their own.
    whole: Vec<u64>,
    /// By last byte: segments that can end at a boundary, whatever is on their left.
    ending: Vec<u64>,
}

impl Length {
    fn new() -> Self {
        Self {
            certified: 0,
            occurring: 0,
            one: vec![0; 256],
            any: vec![0; 256],
            whole: vec![0; 256 * 256],
            ending: vec![0; 256],
        }
    }
}

/// Counts for widths `1..=max_width`, and the number of windows that were decided one by one.
///
/// # Errors
///
/// [`Error::Limit`] when more than `max_states` windows without a forced boundary exist;
/// [`Error::Interrupted`] when the monitor asks to stop.
///
/// Complexity: linear in the number of windows all of whose pairs occur inside tokens.
pub(super) fn count(
    set: &Literal,
    max_width: usize,
    budget: Budget<'_>,
) -> Result<(Vec<Counts>, u64)> {
    if max_width > MAX_WIDTH {
        return Err(Error::Limit {
            limit: "max_width".to_owned(),
            message: format!(
                "windows of a literal set of this size are counted up to {MAX_WIDTH} bytes"
            ),
        });
    }
    let look = |phase| match budget.monitor.tick(phase, 0, 0) {
        ControlFlow::Break(()) => Err(Error::Interrupted),
        ControlFlow::Continue(()) => Ok(()),
    };
    set.tables();
    look("building tables")?;
    let factors = factor_trie(set.words(), max_width);
    look("building tables")?;
    let mut walk = Walk {
        grown: Grown::new(set),
        factors,
        lengths: (0..=max_width).map(|_| Length::new()).collect(),
        max_width,
        decided: 0,
        max_states: budget.max_states.unwrap_or(MAX_PATHS),
        monitor: budget.monitor,
        pairs: set.tables().pairs.clone(),
    };
    for first in 0..=255_u8 {
        walk.enter(first, u64::MAX, u64::MAX, ROOT)?;
    }
    let counts = combine(set, &walk.lengths, max_width);
    Ok((counts, walk.decided))
}

/// The least width up to 4 at which some window is certified and occurs, and the number of windows decided:
/// for sets too large for an automaton.
pub(super) fn narrowest_certified(
    set: &Literal,
    budget: Budget<'_>,
) -> Result<(Option<usize>, u64)> {
    let mut all = 0;
    for width in 1..=4 {
        let (counts, decided) = count(set, width, budget)?;
        all += decided;
        if counts.last().is_some_and(|counts| !counts.certified.is_zero()) {
            return Ok((Some(width), all));
        }
    }
    Ok((None, all))
}

/// Certified windows for widths `1..=max_width` by deciding every one of the 256^h windows: the slow twin of
/// [`count`], for small widths.
pub(super) fn count_directly(
    set: &Literal,
    max_width: usize,
    monitor: &dyn Monitor,
) -> Result<Vec<u64>> {
    let mut walk = Walk {
        grown: Grown::new(set),
        factors: factor_trie(set.words(), max_width),
        lengths: (0..=max_width).map(|_| Length::new()).collect(),
        max_width,
        decided: 0,
        max_states: u64::MAX,
        monitor,
        pairs: vec![[u64::MAX; 4]; 256],
    };
    for first in 0..=255_u8 {
        walk.enter(first, u64::MAX, u64::MAX, ROOT)?;
    }
    Ok(walk.lengths[1..].iter().map(|length| length.certified).collect())
}

struct Walk<'a> {
    grown: Grown<'a>,
    factors: LiteralTrie,
    lengths: Vec<Length>,
    max_width: usize,
    decided: u64,
    max_states: u64,
    monitor: &'a dyn Monitor,
    /// Pairs of bytes along which windows are extended.
    pairs: Vec<[u64; 4]>,
}

impl Walk<'_> {
    /// Appends `byte`, decides the window, and goes on to its right extensions.
    ///
    /// `all` and `own`: origins of the parent, with an open and with a fixed left side, as bits; a child's
    /// origins are among its parent's and its own last position.
    fn enter(&mut self, byte: u8, all: u64, own: u64, factor: u32) -> Result<()> {
        self.decided += 1;
        if self.decided > self.max_states {
            return Err(Error::Limit {
                limit: "max_states".to_owned(),
                message: format!(
                    "more than {} windows of width up to {} hold only pairs that occur inside tokens; \
                     pass a larger max_states or a smaller max_width",
                    self.max_states, self.max_width
                ),
            });
        }
        if self.decided.is_multiple_of(1 << 14)
            && self.monitor.tick("counting windows", self.decided, 0).is_break()
        {
            return Err(Error::Interrupted);
        }
        self.grown.push(byte, usize::MAX);
        let width = self.grown.len();
        let factor = if factor == NONE { NONE } else { self.factors.child(factor, byte) };
        if width == self.max_width {
            self.leaf(all, factor);
        } else {
            self.inner(all, own, factor)?;
        }
        self.grown.pop();
        Ok(())
    }

    /// At the last width only the number of origins matters, and only up to two.
    fn leaf(&mut self, all: u64, factor: u32) {
        let width = self.grown.len();
        let mut found = u32::from(factor != NONE);
        let mut inside = 0;
        for origin in (0..width).rev() {
            if found > 1 {
                break;
            }
            if (all >> (origin + 1) & 1 == 1 || origin + 1 == width) && self.realised(origin, true)
            {
                found += 1;
                inside += 1;
            }
        }
        let length = &mut self.lengths[width];
        length.occurring += u64::from(found > 0);
        length.certified += u64::from(found == 1 && inside == 1);
    }

    fn inner(&mut self, all: u64, own: u64, factor: u32) -> Result<()> {
        let width = self.grown.len();
        let text = self.grown.text();
        let (first, last) = (text[0], text[width - 1]);
        self.grown.find_longer();
        let mut now_all = if factor == NONE { 0 } else { BEFORE_BIT };
        let mut now_own = 0;
        for origin in 0..width {
            let bit = 1 << (origin + 1);
            if (own & bit != 0 || origin + 1 == width) && self.realised(origin, false) {
                now_own |= bit;
                now_all |= bit;
            } else if (all & bit != 0 || origin + 1 == width) && self.realised(origin, true) {
                now_all |= bit;
            }
        }
        let whole = self.grown.ends_at_boundary(false);
        let ending = whole || self.grown.ends_at_boundary(true);
        let length = &mut self.lengths[width];
        length.occurring += u64::from(now_all != 0);
        length.certified += u64::from(now_all.is_power_of_two() && now_all != BEFORE_BIT);
        length.one[usize::from(first)] += u64::from(now_own.is_power_of_two());
        length.any[usize::from(first)] += u64::from(now_own != 0);
        length.whole[usize::from(first) * 256 + usize::from(last)] += u64::from(whole);
        length.ending[usize::from(last)] += u64::from(ending);
        if now_all == 0 && !ending {
            return Ok(()); // no text goes on from here
        }
        for quarter in 0..4 {
            let mut bits = self.pairs[usize::from(last)][quarter];
            while bits != 0 {
                let byte = (quarter * 64) as u8 + bits.trailing_zeros() as u8;
                bits &= bits - 1;
                self.enter(byte, now_all, now_own, factor)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn realised(&mut self, origin: usize, open: bool) -> bool {
        if origin == 0 { self.grown.begins_token(0) } else { self.grown.realises(origin, open) }
    }
}

/// Puts left and right parts together over the pairs that occur in no token.
fn combine(set: &Literal, lengths: &[Length], max_width: usize) -> Vec<Counts> {
    let tables = set.tables();
    let absent: Vec<Vec<u8>> =
        (0..=255_u8).map(|a| (0..=255_u8).filter(|&b| !tables.has_pair(a, b)).collect()).collect();
    let lefts = left_parts(lengths, &absent, max_width);
    let mut all = Vec::with_capacity(max_width);
    for width in 1..=max_width {
        let mut certified = Count::from(lengths[width].certified);
        let mut occurring = Count::from(lengths[width].occurring);
        for cut in 1..width {
            let right = &lengths[width - cut];
            for (last, bytes) in absent.iter().enumerate() {
                let left = &lefts[cut][last];
                if left.is_zero() {
                    continue;
                }
                let sum = |by_first: &[u64]| {
                    Count::from(bytes.iter().map(|&b| by_first[usize::from(b)]).sum::<u64>())
                };
                certified.add(&left.times(&sum(&right.one)));
                occurring.add(&left.times(&sum(&right.any)));
            }
        }
        let vacuous = Count::power_of_256(width).minus(&occurring);
        all.push(Counts { certified, vacuous });
    }
    all
}

/// For each length and last byte: the windows, forced boundaries allowed, that can end at a boundary.
fn left_parts(lengths: &[Length], absent: &[Vec<u8>], max_width: usize) -> Vec<Vec<Count>> {
    let mut lefts: Vec<Vec<Count>> = vec![vec![]];
    for length in 1..max_width {
        let mut by_last: Vec<Count> =
            lengths[length].ending.iter().map(|&n| Count::from(n)).collect();
        for segment in 1..length {
            let shorter = &lefts[length - segment];
            // by the first byte of the last segment: what can stand before it
            let mut before = vec![Count::ZERO; 256];
            for (last, bytes) in absent.iter().enumerate() {
                if !shorter[last].is_zero() {
                    for &byte in bytes {
                        before[usize::from(byte)].add(&shorter[last]);
                    }
                }
            }
            for (first, before) in before.iter().enumerate() {
                let row = &lengths[segment].whole[first * 256..(first + 1) * 256];
                for (last, &count) in row.iter().enumerate() {
                    if count > 0 {
                        by_last[last].add(&before.times(&Count::from(count)));
                    }
                }
            }
        }
        lefts.push(by_last);
    }
    lefts
}
