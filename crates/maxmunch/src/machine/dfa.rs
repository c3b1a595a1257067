//! Deterministic automata over byte classes: live, minimal, with the kind that each state accepts.

use hashbrown::HashMap;

use super::classes::ByteClasses;
use super::partition::partition;

/// Marks "no transition" and "accepts nothing".
pub const NONE: u32 = u32::MAX;
/// The start state.
pub const START: u32 = 0;

/// A partial automaton: every state can be reached, and from every state an accepting one can.
#[derive(Debug, Clone)]
pub struct Dfa {
    classes: ByteClasses,
    /// `next[state * classes + class]`, `NONE` where there is no transition.
    next: Vec<u32>,
    /// For each state the kind that it accepts, or `NONE`.
    kinds: Vec<u32>,
}

impl Dfa {
    /// Trims, minimises and merges classes; states with different `kinds` stay apart.
    ///
    /// Gives an automaton with one dead start state when the language is empty.
    pub fn new(classes: &ByteClasses, next: Vec<u32>, kinds: Vec<u32>) -> Self {
        let raw = Self { classes: classes.clone(), next, kinds };
        raw.trimmed().minimised().with_merged_classes()
    }

    /// The automaton in which all kinds are one: what the boundaries of a scan depend on.
    #[must_use]
    pub fn shape(&self) -> Self {
        let kinds = self.kinds.iter().map(|&kind| if kind == NONE { NONE } else { 0 }).collect();
        Self::new(&self.classes, self.next.clone(), kinds)
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.kinds.len()
    }

    /// The classes of bytes that it tells apart.
    pub fn classes(&self) -> &ByteClasses {
        &self.classes
    }

    /// The state after a byte of `class`, or [`NONE`].
    #[inline]
    pub fn step(&self, state: u32, class: usize) -> u32 {
        self.next[state as usize * self.classes.len() + class]
    }

    /// Whether `state` accepts.
    #[inline]
    pub fn accepts(&self, state: u32) -> bool {
        self.kinds[state as usize] != NONE
    }

    /// The kind that `state` accepts, or [`NONE`].
    pub fn kind(&self, state: u32) -> u32 {
        self.kinds[state as usize]
    }

    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        self.kinds.iter().all(|&kind| kind == NONE)
    }

    /// End and kind of the longest non-empty word that starts at `at`.
    #[inline]
    pub fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
        let mut state = START;
        let mut best = None;
        for (offset, &byte) in text.get(at..)?.iter().enumerate() {
            state = self.step(state, self.classes.of(byte));
            if state == NONE {
                break;
            }
            let kind = self.kinds[state as usize];
            if kind != NONE {
                best = Some((at + offset + 1, kind));
            }
        }
        best
    }

    /// A shortest path from `from` to a state for which `goal` holds, as classes, with that state.
    pub fn path(&self, from: u32, goal: impl Fn(u32) -> bool) -> Option<(Vec<usize>, u32)> {
        let mut parents: HashMap<u32, (u32, usize)> = HashMap::new();
        let mut queue = std::collections::VecDeque::from([from]);
        let mut seen = vec![false; self.states()];
        seen[from as usize] = true;
        while let Some(state) = queue.pop_front() {
            if goal(state) {
                let mut path = vec![];
                let mut at = state;
                while let Some(&(parent, class)) = parents.get(&at) {
                    path.push(class);
                    at = parent;
                }
                path.reverse();
                return Some((path, state));
            }
            for class in 0..self.classes.len() {
                let next = self.step(state, class);
                if next != NONE && !seen[next as usize] {
                    seen[next as usize] = true;
                    parents.insert(next, (state, class));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Representative bytes for a path of classes.
    pub fn bytes(&self, path: &[usize]) -> Vec<u8> {
        path.iter().map(|&class| self.classes.representative(class)).collect()
    }

    /// Length of the longest word; `None` when words can be arbitrarily long.
    pub fn longest_word(&self) -> Option<usize> {
        // depth-first; a state on the current path that is met again is a cycle, and all states are live
        let mut length: Vec<Option<usize>> = vec![None; self.states()];
        let mut on_path = vec![false; self.states()];
        let mut stack = vec![(START, 0_usize)];
        on_path[START as usize] = true;
        while let Some((state, class)) = stack.last_mut() {
            let here = *state;
            if *class == self.classes.len() {
                on_path[here as usize] = false;
                let best = (0..self.classes.len())
                    .map(|class| self.step(here, class))
                    .filter(|&next| next != NONE)
                    .filter_map(|next| length[next as usize].map(|rest| rest + 1));
                length[here as usize] = Some(best.max().unwrap_or(0));
                stack.pop();
                continue;
            }
            let next = self.step(here, *class);
            *class += 1;
            if next == NONE || length[next as usize].is_some() {
                continue;
            }
            if on_path[next as usize] {
                return None;
            }
            on_path[next as usize] = true;
            stack.push((next, 0));
        }
        length[START as usize]
    }

    fn trimmed(&self) -> Self {
        let (n, k) = (self.states(), self.classes.len());
        let mut backward: Vec<Vec<u32>> = vec![vec![]; n];
        for state in 0..n {
            for class in 0..k {
                let next = self.next[state * k + class];
                if next != NONE {
                    backward[next as usize].push(state as u32);
                }
            }
        }
        let mut live: Vec<bool> = self.kinds.iter().map(|&kind| kind != NONE).collect();
        let mut stack: Vec<u32> = (0..n as u32).filter(|&state| live[state as usize]).collect();
        while let Some(state) = stack.pop() {
            for &previous in &backward[state as usize] {
                if !live[previous as usize] {
                    live[previous as usize] = true;
                    stack.push(previous);
                }
            }
        }
        let mut number = vec![NONE; n];
        let mut order = vec![START];
        number[START as usize] = 0;
        let mut at = 0;
        while at < order.len() {
            let state = order[at] as usize;
            at += 1;
            for class in 0..k {
                let next = self.next[state * k + class];
                if next != NONE && live[next as usize] && number[next as usize] == NONE {
                    number[next as usize] = order.len() as u32;
                    order.push(next);
                }
            }
        }
        self.renumbered(
            &order,
            |next| if live[next as usize] { number[next as usize] } else { NONE },
        )
    }

    /// The automaton on the states of `order`, with targets translated.
    fn renumbered(&self, order: &[u32], number: impl Fn(u32) -> u32) -> Self {
        let k = self.classes.len();
        let mut next = Vec::with_capacity(order.len() * k);
        for &state in order {
            for class in 0..k {
                let target = self.next[state as usize * k + class];
                next.push(if target == NONE { NONE } else { number(target) });
            }
        }
        let kinds = order.iter().map(|&state| self.kinds[state as usize]).collect();
        Self { classes: self.classes.clone(), next, kinds }
    }

    fn minimised(&self) -> Self {
        let k = self.classes.len();
        let blocks = partition(&self.kinds, k, |state, class| self.next[state * k + class]);
        // number the blocks in order of first member, so that the start stays 0
        let count = blocks.iter().max().map_or(0, |&last| last as usize + 1);
        let mut order = vec![NONE; count];
        for (state, &block) in blocks.iter().enumerate().rev() {
            order[block as usize] = state as u32;
        }
        self.renumbered(&order, |next| blocks[next as usize])
    }

    fn with_merged_classes(&self) -> Self {
        let column = |byte: u8| -> Vec<u32> {
            let class = self.classes.of(byte);
            (0..self.states()).map(|state| self.step(state as u32, class)).collect()
        };
        let columns: Vec<Vec<u32>> =
            (0..self.classes.len()).map(|class| column(self.classes.members(class)[0])).collect();
        let mut numbers = HashMap::new();
        let merged: Vec<usize> = columns
            .iter()
            .map(|column| {
                let fresh = numbers.len();
                *numbers.entry(column).or_insert(fresh)
            })
            .collect();
        let classes = ByteClasses::by_key(|byte| merged[self.classes.of(byte)]);
        let next = (0..self.states() as u32)
            .flat_map(|state| (0..classes.len()).map(move |class| (state, class)))
            .map(|(state, class)| self.step(state, self.classes.of(classes.members(class)[0])))
            .collect();
        Self { classes, next, kinds: self.kinds.clone() }
    }
}
