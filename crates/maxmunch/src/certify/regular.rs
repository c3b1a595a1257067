//! Regular token sets: an ordered list of named patterns over bytes.

use crate::error::Result;
use crate::machine::dfa::Dfa;
use crate::machine::dfa_build::build;
use crate::machine::overshoot::Overshoot;
use crate::monitor::Monitor;
use crate::scan::{Munch, Scan};

/// Patterns that need more states than this are refused unless the caller allows more.
pub const MAX_PATTERN_STATES: usize = 100_000;

/// A regular token set; the order of its patterns is their priority.
#[derive(Debug)]
pub struct Regular {
    patterns: Vec<(String, String)>,
    dfa: Dfa,
}

impl Regular {
    /// Compiles `(name, pattern)` pairs.
    ///
    /// # Errors
    ///
    /// As [`build`].
    pub fn new(
        patterns: Vec<(String, String)>,
        max_states: usize,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        let dfa = build(&patterns, max_states, monitor)?;
        Ok(Self { patterns, dfa })
    }

    /// Names and patterns, in order of priority.
    pub fn patterns(&self) -> &[(String, String)] {
        &self.patterns
    }

    /// The automaton that accepts with the first matching pattern as kind.
    pub fn dfa(&self) -> &Dfa {
        &self.dfa
    }
}

impl Munch for Regular {
    #[inline]
    fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
        self.dfa.longest(text, at)
    }

    #[inline]
    fn extend(
        &self,
        text: &[u8],
        from: usize,
        until: usize,
        scan: &mut Scan,
        noted: &mut Overshoot,
    ) -> std::result::Result<usize, usize> {
        let mut at = from;
        while at < until {
            let (end, kind) = noted.longest(&self.dfa, text, at).ok_or(at)?;
            scan.push(at, kind);
            at = end;
        }
        Ok(at)
    }
}
