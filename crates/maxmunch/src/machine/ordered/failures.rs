//! What keeps a scan linear: states at positions from which the scan is known to find no further match.
//!
//! A run may pass the end of its match and scan on without success, and the next run may do the same over
//! the same text: a newline, then a megabyte of spaces. Every 64 bytes a run leaves a mark, its state at that
//! position; when it ends, the marks beyond its match are remembered as failures, and a later run that meets
//! one stops there, since a deterministic machine on the same text would fail again.
//!
//! **Bound.** On a text of `n` bytes, `q` states: each run costs its match, at most 64 bytes up to its next
//! mark and at most 64 more per new mark, and each of the `q (n / 64 + 1)` marks becomes a failure at most
//! once. So the runs of one scan read fewer than `n (q + 131)` bytes together, whatever the text; in
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
    /// Leaves a mark, and says whether a run that was here has failed; `end` is where the match ends that
    /// the current run has found so far.
    pub(crate) fn meet(&mut self, at: usize, state: u32, end: Option<usize>) -> bool {
        if self.marks.last().is_some_and(|mark| end >= Some(mark.0)) {
            self.marks.clear(); // none of them can become a failure
        }
        if at <= self.furthest && self.failed.contains(&(at, state)) {
            return true;
        }
        self.marks.push((at, state));
        false
    }

    /// The current run is over; `end` is where its match ends.
    #[inline]
    pub(crate) fn record(&mut self, end: Option<usize>) {
        if !self.marks.is_empty() {
            self.record_marks(end);
        }
    }

    #[cold]
    fn record_marks(&mut self, end: Option<usize>) {
        let first = end.unwrap_or(0);
        if first > self.furthest {
            self.failed.clear(); // no later run comes before its start
        }
        for mark in self.marks.drain(..).filter(|mark| end.is_none() || mark.0 > first) {
            self.furthest = self.furthest.max(mark.0);
            self.failed.insert(mark);
        }
    }
}
