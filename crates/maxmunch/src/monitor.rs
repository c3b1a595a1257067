//! How a long run reports progress and learns that it should stop.
//!
//! The core knows neither terminals nor signals. Whoever starts a long run passes a [`Monitor`]; the
//! run calls it a few times a second, from one thread, and stops at the next safe point when told to.

use std::ops::ControlFlow;
use std::time::Instant;

/// Receives progress and may ask the run to stop.
pub trait Monitor: Sync {
    /// Called with a phase name and how much of it is done (`total` is 0 while unknown).
    ///
    /// Returning [`ControlFlow::Break`] asks the run to stop at the next safe point: it then gives its
    /// best valid result so far where it has one, and [`crate::Error::Interrupted`] where it has none.
    fn tick(&self, phase: &str, done: u64, total: u64) -> ControlFlow<()>;
}

/// A monitor that shows nothing and never stops the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Monitor for Quiet {
    fn tick(&self, _phase: &str, _done: u64, _total: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A monitor that also stops the run once a point in time has passed.
pub struct Deadline<'a> {
    inner: &'a dyn Monitor,
    until: Option<Instant>,
}

impl<'a> Deadline<'a> {
    /// Passes everything on to `inner`; without `until` it adds nothing.
    pub fn new(inner: &'a dyn Monitor, until: Option<Instant>) -> Self {
        Self { inner, until }
    }
}

impl Monitor for Deadline<'_> {
    fn tick(&self, phase: &str, done: u64, total: u64) -> ControlFlow<()> {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return ControlFlow::Break(());
        }
        self.inner.tick(phase, done, total)
    }
}
