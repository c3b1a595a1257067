//! What keeps a scan linear: states at positions from which the scan is known to find no further match.
//!
//! A run may pass the end of its match and scan on without success, and the next run may do the same over
//! the same text: a newline, then a megabyte of spaces. When a run is long it leaves a mark every
//! 64 bytes, its state at that position; when it ends, the marks beyond its match are remembered as failures, and a later run that meets
//! one stops there, since a deterministic machine on the same text would fail again.
//!
//! **Bound.** On a text of `n` bytes, `q` states: each run costs its match, at most 590 bytes up to its first
//! mark and at most 67 per further mark (a character may straddle the place), and each of the
//! `q (n / 64 + 1)` marks becomes a failure at most once. Since a match has at least one byte, the runs of one
//! scan read fewer than `(n + 64) (2 q + 600)` bytes together, whatever the text; in
//! practice little more than `n`. States from which a match is certain leave no marks.

use hashbrown::HashSet;

/// The failures that one scan over one text has met.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Marks of the current run.
    marks: Vec<(usize, u32)>,
    failed: HashSet<(usize, u32)>,
    /// The largest position in `failed`.
    furthest: usize,
}

impl Failures {
    /// Whether a run has failed beyond byte `at`.
    #[inline]
    pub(crate) fn reach_beyond(&self, at: usize) -> bool {
        self.furthest > at
    }

    /// A run begins that may read far.
    pub(crate) fn start_run(&mut self) {
        self.marks.clear();
    }

    /// Leaves a mark, and says whether a run that was here has failed; `end` is where the last match ends
    /// that the current run has found, or where it began.
    pub(crate) fn meet(&mut self, at: usize, state: u32, end: usize) -> bool {
        if at <= self.furthest && self.failed.contains(&(at, state)) {
            return true;
        }
        if self.marks.last().is_some_and(|mark| mark.0 <= end) {
            self.marks.clear(); // a match was found beyond them
        }
        self.marks.push((at, state));
        false
    }

    /// The current run is over; `end` as for [`Self::meet`].
    pub(crate) fn end_run(&mut self, end: usize) {
        if end > self.furthest {
            self.failed.clear(); // no later run reads before its start
        }
        for mark in self.marks.drain(..).filter(|mark| mark.0 > end) {
            self.furthest = self.furthest.max(mark.0);
            self.failed.insert(mark);
        }
    }
}
