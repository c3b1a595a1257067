//! The vocabulary's part of the relaxation: which tokens to hold when every start lands on the longest that
//! is held.
//!
//! Where a token may start, the candidates that fit there are a chain: each is a prefix of the next. Over the
//! whole table these chains are the paths of one trie. For a price per token, the vocabulary that collects
//! most at all starts together is found from the leaves of the trie to its roots: the best below a candidate
//! depends only on the longest candidate above that is held. Sums run over fixed parts of the trie in their
//! order, so that the result does not depend on threads.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::instance::{Candidate, Instance};
use super::threads::{on_threads, take};
use super::trie::Trie;

/// The trie is worked on in about this many parts.
const PARTS: usize = 128;
/// Places whose multipliers are on their way to the processor while those before them are worked on.
const AHEAD: usize = 128;
/// Multipliers of a place that are seldom in the same line of memory as the last one.
const LINE: usize = 8;

/// Candidates as a trie, the starts that hang on each, and the vocabulary that was chosen last.
pub(super) struct Choice {
    threads: NonZeroUsize,
    /// How many candidates the longest held one above can be: the candidate's proper prefixes and itself.
    depth: Vec<u8>,
    parent: Vec<Candidate>,
    pinned: Vec<bool>,
    /// Whether candidate `t` is held when the longest held prefix is its `j`-th (0: none is):
    /// `held[row[t] + j]`.
    row: Vec<u32>,
    held: Vec<bool>,
    /// The starts whose longest candidate is `t`: `places[first[t]..first[t + 1]]`.
    first: Vec<u32>,
    places: Vec<Place>,
    parts: Vec<Range<usize>>,
    /// Whether each candidate is held.
    pub(super) chosen: Vec<bool>,
    /// Which of its prefixes, itself included, is the longest held one; 0 where none is.
    nearest: Vec<u8>,
    /// Candidates held, pins included.
    pub(super) count: usize,
}

/// A place where tokens start.
struct Place {
    /// The multiplier of the single byte; those of the candidates are before it, the shortest last.
    byte: u32,
    /// Whether it starts its pretoken, so that some token starts there in any case.
    opens: bool,
    weight: f64,
}

impl Choice {
    pub(super) fn new(instance: &Instance, threads: NonZeroUsize) -> Self {
        let candidates = instance.candidates();
        let Trie { depth, parent } = Trie::new(instance);
        let mut first = vec![0u32; candidates + 1];
        for position in 0..instance.table.text.len() {
            let arcs = instance.arc_range(position);
            if !arcs.is_empty() {
                first[instance.arc_candidate[arcs.start] as usize + 1] += 1;
            }
        }
        for t in 0..candidates {
            first[t + 1] += first[t];
        }
        let mut row = vec![0u32; candidates + 1];
        for t in 0..candidates {
            row[t + 1] = row[t] + u32::from(depth[t]);
        }
        let mut pinned = vec![false; candidates];
        for &pin in &instance.pins {
            pinned[pin as usize] = true;
        }
        let mut choice = Self {
            threads,
            parts: Self::cut(&depth, &first),
            depth,
            parent,
            pinned,
            held: vec![false; row[candidates] as usize],
            row,
            places: Vec::new(),
            first,
            chosen: vec![false; candidates],
            nearest: vec![0; candidates],
            count: 0,
        };
        choice.list_places(instance);
        choice
    }

    /// Neighbouring roots of the trie together, with about as many starts in each part.
    fn cut(depth: &[u8], first: &[u32]) -> Vec<Range<usize>> {
        let goal = (first[depth.len()] as usize + depth.len()).div_ceil(PARTS).max(1);
        let mut parts = Vec::new();
        let mut start = 0;
        for t in 1..=depth.len() {
            let size = (first[t] - first[start]) as usize + t - start;
            if t == depth.len() || (depth[t] == 1 && size >= goal) {
                parts.push(start..t);
                start = t;
            }
        }
        parts
    }

    fn list_places(&mut self, instance: &Instance) {
        let mut next = self.first.clone();
        let none = || Place { byte: 0, opens: false, weight: 0.0 };
        self.places.resize_with(self.first[self.depth.len()] as usize, none);
        for position in 0..instance.table.text.len() {
            let arcs = instance.arc_range(position);
            if arcs.is_empty() {
                continue;
            }
            let slot = &mut next[instance.arc_candidate[arcs.start] as usize];
            let p = instance.table.host[position] as usize;
            self.places[*slot as usize] = Place {
                byte: (arcs.end + position) as u32,
                opens: instance.table.start[p] as usize == position,
                weight: instance.table.weight[p] as f64,
            };
            *slot += 1;
        }
    }

    /// Chooses for a price per token; returns the least sum of the prices of what is held (pins cost none)
    /// less what all starts collect.
    pub(super) fn take(&mut self, multiplier: &[f32], price: f64) -> f64 {
        let mut held = std::mem::take(&mut self.held);
        let mut rest = &mut held[..];
        let mut work = Vec::new();
        for part in &self.parts {
            let size = (self.row[part.end] - self.row[part.start]) as usize;
            let (own, after) = rest.split_at_mut(size);
            rest = after;
            work.push((part.clone(), own));
        }
        let queue = std::sync::Mutex::new(work.into_iter().enumerate());
        let run = || {
            let mut done = Vec::new();
            while let Some((at, (part, held))) = take(&queue) {
                done.push((at, self.plan(part, held, multiplier, price)));
            }
            done
        };
        let mut values: Vec<(usize, f64)> =
            on_threads(self.threads, run).into_iter().flatten().collect();
        // Floating-point sums depend on their order: take that of the parts.
        values.sort_unstable_by_key(|value| value.0);
        self.held = held;
        self.follow();
        values.into_iter().map(|value| value.1).sum()
    }

    /// The best of one part of the trie, and in `held` what is held below each longest held prefix.
    fn plan(&self, part: Range<usize>, held: &mut [bool], multiplier: &[f32], price: f64) -> f64 {
        let origin = self.row[part.start] as usize;
        // The candidates on the way down from a root. Each has as many values as it has choices of a longest
        // held prefix or itself, all in one stack; below them lies that of nothing held at all.
        let mut open: Vec<usize> = Vec::new();
        let mut values = vec![0.0f64];
        let mut fetched = self.first[part.start] as usize;
        for t in part.clone() {
            let depth = usize::from(self.depth[t]);
            while open.len() >= depth {
                self.close(&mut open, &mut values, held, origin, price);
            }
            open.push(t);
            let base = values.len();
            values.resize(base + depth + 1, 0.0);
            for at in self.first[t] as usize..self.first[t + 1] as usize {
                if at == fetched {
                    fetched = self.fetch(at, multiplier);
                }
                let place = &self.places[at];
                let byte = place.byte as usize;
                let own = &multiplier[byte - depth..=byte];
                for (value, &multiplier) in values[base..].iter_mut().zip(own.iter().rev()) {
                    let collected = if place.opens { multiplier } else { multiplier.max(0.0) };
                    *value -= place.weight * f64::from(collected);
                }
            }
        }
        while !open.is_empty() {
            self.close(&mut open, &mut values, held, origin, price);
        }
        values[0]
    }

    /// Reads multipliers of the next places, which lie anywhere: all at once they take little longer than the
    /// first alone. Returns the place after them.
    fn fetch(&self, at: usize, multiplier: &[f32]) -> usize {
        let until = (at + AHEAD).min(self.places.len());
        let mut sum = 0u32;
        for place in &self.places[at..until] {
            let byte = place.byte as usize;
            sum ^= multiplier[byte].to_bits() ^ multiplier[byte.saturating_sub(LINE)].to_bits();
        }
        std::hint::black_box(sum);
        until
    }

    /// Takes the last candidate off the way, decides on it, and adds its values to those of the one above.
    fn close(
        &self,
        open: &mut Vec<usize>,
        values: &mut Vec<f64>,
        held: &mut [bool],
        origin: usize,
        price: f64,
    ) {
        let Some(t) = open.pop() else { return };
        let depth = usize::from(self.depth[t]);
        let left = values.len() - depth - 1;
        let (above, own) = values.split_at_mut(left);
        let with = own[depth] + if self.pinned[t] { 0.0 } else { price };
        let row = self.row[t] as usize - origin;
        let decisions = &mut held[row..row + depth];
        for ((above, &without), held) in
            above[left - depth..].iter_mut().zip(own.iter()).zip(decisions)
        {
            *held = self.pinned[t] || with < without;
            *above += if *held { with } else { without };
        }
        values.truncate(left);
    }

    /// Follows the decisions from the roots down.
    fn follow(&mut self) {
        self.count = 0;
        for t in 0..self.depth.len() {
            let parent = self.parent[t] as usize;
            let above = if self.depth[t] == 1 { 0 } else { self.nearest[parent] };
            let is_held = self.held[self.row[t] as usize + usize::from(above)];
            self.chosen[t] = is_held;
            self.nearest[t] = if is_held { self.depth[t] } else { above };
            self.count += usize::from(is_held);
        }
    }

    /// On which of its prefixes, itself included, a start with this longest candidate lands; 0 for a byte.
    pub(super) fn landing(&self, longest: Candidate) -> usize {
        usize::from(self.nearest[longest as usize])
    }
}
