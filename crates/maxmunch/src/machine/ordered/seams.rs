//! Where a text can be taken apart without changing a match, decided from the two characters beside the place.
//!
//! For characters `a` and `b` that stand side by side, with the place between them:
//!
//! - *closed*: no match of any text holds `a` directly followed by `b`. Then in every text a search begins
//!   anew at this place, after a match or inside a gap.
//! - *safe*: closed, and what the machine does after `a` when it reads `b` it does also when the text ends.
//!   Then the left part alone has the matches that it has in the whole text, and so has the right part.
//!
//! Proof of the second: no match crosses the place. A match that ends before it has read the same
//! characters. One that ends at the place was accepted in a state that reads `b` in the whole text and the end in
//! the left part; both accept or neither, and neither goes on, since nothing that holds `ab` can match.
//! The right part begins where a search begins anyway.

use super::automaton::{Automaton, DEAD, State};

/// A set of classes as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row(Vec<u64>);

impl Row {
    fn empty(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, bit: usize) {
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    fn add_all(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
}

/// What is known of each pair of classes, and of each class.
#[derive(Debug, Clone)]
pub(crate) struct Seams {
    /// `unsafe_before[b]` holds `a` where the place between `a` and `b` is not safe.
    unsafe_before: Vec<Row>,
    /// Classes whose characters can be part of a match.
    in_matches: Row,
    /// Classes whose characters always are part of a match.
    in_no_gap: Row,
}

impl Seams {
    /// Computes the matrices of a reduced automaton; `certain` as `reduce` gives it.
    ///
    /// Complexity: `O(states · classes²/64)`.
    pub(crate) fn new(automaton: &Automaton, certain: &[bool]) -> Self {
        let classes = automaton.symbols - 1;
        let read_last = classes_read_last(automaton, classes);
        let mut seams = Self {
            unsafe_before: vec![Row::empty(classes); classes],
            in_matches: Row::empty(classes),
            in_no_gap: Row::empty(classes),
        };
        for (state, before) in read_last.iter().enumerate() {
            let row = automaton.row(state as State);
            let at_end = row.last().is_some_and(|step| step.accepts);
            for (class, step) in row.iter().take(classes).enumerate() {
                if step.target != DEAD {
                    seams.in_matches.add(class);
                }
                if step.target != DEAD || step.accepts != at_end {
                    seams.unsafe_before[class].add_all(before);
                }
            }
        }
        for (class, step) in automaton.row(automaton.start).iter().take(classes).enumerate() {
            // A search that begins with it finds a match there, whatever follows.
            if certain.get(step.target as usize).copied().unwrap_or(false) {
                seams.in_no_gap.add(class);
            }
        }
        seams
    }

    pub(crate) fn is_safe(&self, before: usize, after: usize) -> bool {
        self.unsafe_before.get(after).is_some_and(|row| !row.has(before))
    }

    pub(crate) fn is_in_matches(&self, class: usize) -> bool {
        self.in_matches.has(class)
    }

    pub(crate) fn is_in_no_gap(&self, class: usize) -> bool {
        self.in_no_gap.has(class)
    }
}

/// For each state that a search can be in, the classes of the character that it read last.
fn classes_read_last(automaton: &Automaton, classes: usize) -> Vec<Row> {
    let mut found = vec![Row::empty(classes); automaton.states()];
    let mut reached = vec![false; automaton.states()];
    let mut pending = vec![automaton.start];
    while let Some(state) = pending.pop() {
        if std::mem::replace(&mut reached[state as usize], true) {
            continue;
        }
        for (class, step) in automaton.row(state).iter().take(classes).enumerate() {
            if step.target != DEAD {
                found[step.target as usize].add(class);
                pending.push(step.target);
            }
        }
    }
    found
}
