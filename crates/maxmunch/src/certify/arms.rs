//! Arms: runs of earlier, closed tokens that could still turn out to have had a longer match.
//!
//! Of a run only its future counts: the set of continuations at whose end it would accept, which are then
//! forbidden. Runs with the same future are one arm; an arm whose forbidden set lies inside another's adds
//! nothing beside it.

use crate::machine::dfa::{Dfa, NONE};
use crate::machine::partition::partition;

/// An arm that never accepts.
const INERT: u32 = NONE;
/// Beyond this many arms inclusion is not looked for: it only makes the search smaller.
const MAX_COMPARED: usize = 400;
const HIT: u32 = NONE - 1;

/// The arms of an automaton and how they move.
#[derive(Debug)]
pub(super) struct Arms {
    /// For each state of the automaton the arm of a run that has just been closed there.
    of_state: Vec<u32>,
    classes: usize,
    /// `next[arm * classes + class]`: an arm, `INERT`, or `HIT`.
    next: Vec<u32>,
    /// `inside[a * arms + b]`: what `a` forbids, `b` forbids too. Empty when there are too many arms.
    inside: Vec<bool>,
    count: usize,
}

impl Arms {
    pub(super) fn new(dfa: &Dfa) -> Self {
        let k = dfa.classes().len();
        let move_of = |state: usize, class: usize| {
            let next = dfa.step(state as u32, class);
            if next != NONE && dfa.accepts(next) { HIT } else { next }
        };
        // refinement starts from what the next byte shows, and tells states apart by their futures
        let initial = vec![0; dfa.states()];
        let blocks = partition(&initial, k, move_of);
        let count = blocks.iter().max().map_or(0, |&last| last as usize + 1);
        let mut first = vec![0; count];
        for (state, &block) in blocks.iter().enumerate().rev() {
            first[block as usize] = state;
        }
        let inert: Vec<bool> =
            first.iter().map(|&state| (0..k).all(|class| move_of(state, class) == NONE)).collect();
        let name = |state: u32| {
            let block = blocks[state as usize];
            if inert[block as usize] { INERT } else { block }
        };
        let of_state = (0..dfa.states() as u32).map(name).collect();
        let next = first
            .iter()
            .flat_map(|&state| (0..k).map(move |class| (state, class)))
            .map(|(state, class)| match move_of(state, class) {
                NONE => INERT,
                HIT => HIT,
                next => name(next),
            })
            .collect();
        let mut arms = Self { of_state, classes: k, next, inside: vec![], count };
        if count <= MAX_COMPARED {
            arms.inside = arms.inclusions();
        }
        arms
    }

    fn inclusions(&self) -> Vec<bool> {
        let n = self.count;
        let mut inside = vec![true; n * n];
        loop {
            let mut changed = false;
            for a in 0..n {
                for b in 0..n {
                    if !inside[a * n + b] {
                        continue;
                    }
                    let holds = (0..self.classes).all(|class| {
                        let (left, right) =
                            (self.step(a as u32, class), self.step(b as u32, class));
                        match (left, right) {
                            (INERT, _) | (_, HIT) => true,
                            (HIT, _) | (_, INERT) => false,
                            (left, right) => inside[left as usize * n + right as usize],
                        }
                    });
                    if !holds {
                        inside[a * n + b] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return inside;
            }
        }
    }

    #[inline]
    fn step(&self, arm: u32, class: usize) -> u32 {
        self.next[arm as usize * self.classes + class]
    }

    fn is_inside(&self, a: u32, b: u32) -> bool {
        a == b || (!self.inside.is_empty() && self.inside[a as usize * self.count + b as usize])
    }

    /// The arms after a byte; `closed`: a token was closed at this state just before it. `None` when an
    /// arm accepts: an earlier token would have been longer.
    pub(super) fn advance(
        &self,
        arms: &[u32],
        closed: Option<u32>,
        class: usize,
    ) -> Option<Box<[u32]>> {
        let fresh = closed.map(|state| self.of_state[state as usize]).filter(|&arm| arm != INERT);
        let mut moved: Vec<u32> = Vec::with_capacity(arms.len() + 1);
        for &arm in arms.iter().chain(fresh.iter()) {
            match self.step(arm, class) {
                HIT => return None,
                INERT => {}
                next => moved.push(next),
            }
        }
        moved.sort_unstable();
        moved.dedup();
        if moved.len() > 1 && !self.inside.is_empty() {
            let all = moved.clone();
            moved.retain(|&arm| {
                !all.iter().any(|&other| {
                    other != arm
                        && self.is_inside(arm, other)
                        && (other < arm || !self.is_inside(other, arm))
                })
            });
        }
        Some(moved.into_boxed_slice())
    }

    /// Whether whatever `less` forbids, `more` forbids too.
    pub(super) fn forbids_less(&self, less: &[u32], more: &[u32]) -> bool {
        less.iter().all(|&arm| more.iter().any(|&other| self.is_inside(arm, other)))
    }
}
