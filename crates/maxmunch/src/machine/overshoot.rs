//! Reading past the end of a token, again and again: how a scan stays linear.
//!
//! A pattern such as `a+b` makes the scan of `aaaa…` read to the end of the run for each token, which takes
//! quadratic time. But the automaton is deterministic: once it was in some state at some position and met no
//! acceptance from there on, it never will. So failures are noted, at every sixteenth position that a match
//! read past its end; a later match that meets a note stops.

use hashbrown::HashSet;

use super::dfa::{Dfa, NONE, START};

/// Positions at which failures are noted are multiples of this.
const STRIDE: usize = 16;

/// What earlier matches of one scan found out.
#[derive(Debug, Default)]
pub struct Overshoot {
    failed: HashSet<(u32, usize)>,
    /// Notes of the current match since its last acceptance.
    fresh: Vec<(u32, usize)>,
}

impl Overshoot {
    /// As [`Dfa::longest`], in time linear over a whole scan.
    #[inline]
    pub fn longest(&mut self, dfa: &Dfa, text: &[u8], at: usize) -> Option<(usize, u32)> {
        let mut state = START;
        let mut best = None;
        self.fresh.clear();
        for (offset, &byte) in text.get(at..)?.iter().enumerate() {
            state = dfa.step(state, dfa.classes().of(byte));
            if state == NONE {
                break;
            }
            let position = at + offset + 1;
            let kind = dfa.kind(state);
            if kind != NONE {
                best = Some((position, kind));
                self.fresh.clear();
            } else if position.is_multiple_of(STRIDE) {
                if self.failed.contains(&(state, position)) {
                    break;
                }
                self.fresh.push((state, position));
            }
        }
        self.failed.extend(self.fresh.drain(..));
        best
    }
}
