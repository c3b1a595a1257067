//! What a question may cost: states, and the patience of whoever asked it.

use super::token_set::MAX_STATES;
use crate::error::{Error, Result};
use crate::monitor::{Monitor, Quiet};

/// Limits of one question.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// States that a search may tell apart; `None` for the default of the question.
    pub max_states: Option<u64>,
    /// Asked now and then whether to go on.
    pub monitor: &'a dyn Monitor,
}

impl<'a> Budget<'a> {
    /// The default number of states, and this monitor.
    pub fn watched(monitor: &'a dyn Monitor) -> Self {
        Self { max_states: None, monitor }
    }

    /// States that a search over an automaton may tell apart.
    pub fn states(&self) -> u64 {
        self.max_states.unwrap_or(MAX_STATES)
    }

    /// Asks at every 64th step whether to go on.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`].
    pub(super) fn look(&self, phase: &str, done: usize) -> Result<()> {
        if done % 64 == 63 && self.monitor.tick(phase, done as u64, 0).is_break() {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

impl Default for Budget<'static> {
    fn default() -> Self {
        Self { max_states: None, monitor: &Quiet }
    }
}

impl From<u64> for Budget<'static> {
    fn from(max_states: u64) -> Self {
        Self { max_states: Some(max_states), monitor: &Quiet }
    }
}
