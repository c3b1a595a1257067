//! The pretokens under one vocabulary, and what one token more or less would change.

use std::num::NonZeroUsize;

use super::instance::{Candidate, Instance};

/// Candidates that a thread takes at a time: few, so that no thread is left with all the frequent ones.
const SLICE: usize = 2048;

/// No candidate: nothing is flipped.
const NONE: Candidate = Candidate::MAX;

/// Greedy longest-match tokenization of every pretoken, kept exact while tokens come and go.
#[derive(Debug, Clone)]
pub struct Tokenization<'a> {
    pub(super) instance: &'a Instance,
    /// Whether each candidate is in the vocabulary.
    member: Vec<bool>,
    /// Bytes of the token that starts at each position; 0 where none starts.
    token_length: Vec<u8>,
    cost: u64,
}

impl<'a> Tokenization<'a> {
    /// Tokenizes every pretoken with the 256 bytes and `members`.
    pub fn new(instance: &'a Instance, members: &[Candidate]) -> Self {
        let mut member = vec![false; instance.candidates()];
        for &candidate in members {
            member[candidate as usize] = true;
        }
        let mut state = Self {
            instance,
            member,
            token_length: vec![0; instance.table.text.len()],
            cost: instance.table.constant,
        };
        for p in 0..instance.table.len() {
            let range = instance.table.range(p);
            let mut position = range.start;
            while position < range.end {
                let length = state.longest(position, NONE);
                state.token_length[position] = length;
                position += usize::from(length);
                state.cost += instance.table.weight[p];
            }
        }
        state
    }

    /// Tokens that the whole text costs.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// Whether `candidate` is in the vocabulary.
    pub fn contains(&self, candidate: Candidate) -> bool {
        self.member[candidate as usize]
    }

    /// The candidates in the vocabulary, increasing.
    pub fn members(&self) -> Vec<Candidate> {
        (0..self.member.len() as Candidate).filter(|&t| self.contains(t)).collect()
    }

    /// How often each candidate is used in the text.
    pub fn uses(&self, candidate: Candidate) -> u64 {
        let length = self.instance.length[candidate as usize];
        if !self.contains(candidate) {
            return 0;
        }
        let used = |&&position: &&u32| self.token_length[position as usize] == length;
        self.instance.occurrences(candidate).iter().filter(used).map(|&at| self.weight_at(at)).sum()
    }

    /// What the cost changes by when `candidate` enters or leaves the vocabulary.
    pub fn delta(&self, candidate: Candidate) -> i64 {
        let mut total = 0;
        self.for_each_rewrite(candidate, |position, pieces, _| {
            total += pieces * self.weight_at(position) as i64;
        });
        total
    }

    /// The change of the cost for each of `candidates`, worked out on `threads` threads.
    pub fn deltas(&self, candidates: &[Candidate], threads: NonZeroUsize) -> Vec<i64> {
        let one = |slice: &[Candidate]| slice.iter().map(|&t| self.delta(t)).collect::<Vec<i64>>();
        if threads.get() == 1 || candidates.len() <= SLICE {
            return one(candidates);
        }
        let next = std::sync::atomic::AtomicUsize::new(0);
        let slices: Vec<&[Candidate]> = candidates.chunks(SLICE).collect();
        let work = || {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(slice) = slices.get(at) else { return done };
                done.push((at, one(slice)));
            }
        };
        let mut parts: Vec<(usize, Vec<i64>)> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
            let mut parts = work();
            for other in others {
                match other.join() {
                    Ok(done) => parts.extend(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            parts
        });
        parts.sort_unstable_by_key(|part| part.0);
        parts.into_iter().flat_map(|part| part.1).collect()
    }

    /// Puts `candidate` into the vocabulary, or takes it out; returns the change of the cost.
    pub fn flip(&mut self, candidate: Candidate) -> i64 {
        self.flip_and_see(candidate, |_, _, _| {})
    }

    /// As [`Self::flip`]; calls `displaced(position, length, weight)` for each token that is no longer used.
    pub(super) fn flip_and_see(
        &mut self,
        candidate: Candidate,
        mut displaced: impl FnMut(usize, u8, u64),
    ) -> i64 {
        let mut total = 0;
        let mut rewrites = Vec::new();
        self.for_each_rewrite(candidate, |position, pieces, end| {
            rewrites.push((position, end));
            total += pieces * self.weight_at(position) as i64;
        });
        let mut fresh = Vec::new();
        for (start, end) in rewrites {
            let weight = self.weight_at(start);
            let mut position = start as usize;
            fresh.clear();
            while position < end {
                let length = self.longest(position, candidate);
                fresh.push((position, length));
                position += usize::from(length);
            }
            position = start as usize;
            while position < end {
                let length = std::mem::take(&mut self.token_length[position]);
                displaced(position, length, weight);
                position += usize::from(length);
            }
            for &(position, length) in &fresh {
                self.token_length[position] = length;
            }
        }
        self.member[candidate as usize] ^= true;
        self.cost = self.cost.wrapping_add_signed(total);
        total
    }

    /// Calls `visit(start, pieces, end)` for each stretch of a pretoken that is tokenized otherwise once
    /// `candidate` is flipped: from `start` up to `end`, where the old and the new tokens meet again, with
    /// `pieces` tokens more than before.
    fn for_each_rewrite(&self, candidate: Candidate, mut visit: impl FnMut(u32, i64, usize)) {
        let length = self.instance.length[candidate as usize];
        let leaves = self.contains(candidate);
        let mut done = 0;
        for &start in self.instance.occurrences(candidate) {
            let position = start as usize;
            let current = self.token_length[position];
            let touched = if leaves { current == length } else { current != 0 && current < length };
            if touched && position >= done {
                let (pieces, end) = self.walk(position, candidate);
                visit(start, pieces, end);
                done = end;
            }
        }
    }

    /// Follows the new tokens from `start` until they meet the old ones.
    fn walk(&self, start: usize, flipped: Candidate) -> (i64, usize) {
        let (mut old, mut new) = (start, start);
        let mut pieces = 0;
        loop {
            new += usize::from(self.longest(new, flipped));
            pieces += 1;
            while old < new {
                old += usize::from(self.token_length[old]);
                pieces -= 1;
            }
            if old == new {
                return (pieces, new);
            }
        }
    }

    /// Bytes of the longest token at `position`, with `flipped` in where it is out and out where it is in.
    fn longest(&self, position: usize, flipped: Candidate) -> u8 {
        let arcs = self.instance.arc_range(position);
        let candidates = &self.instance.arc_candidate[arcs.clone()];
        let found = candidates.iter().position(|&t| self.contains(t) != (t == flipped));
        found.map_or(1, |at| self.instance.arc_length[arcs.start + at])
    }

    /// Bytes of the token that starts at `position`; 0 where none does.
    pub(super) fn token_length_at(&self, position: usize) -> u8 {
        self.token_length[position]
    }

    pub(super) fn weight_at(&self, position: u32) -> u64 {
        self.instance.table.weight_at(position)
    }

    /// The candidate of the token of `length` bytes at `position`; `None` for a single byte.
    pub(super) fn candidate_at(&self, position: usize, length: u8) -> Option<Candidate> {
        let arcs = self.instance.arc_range(position);
        let at = self.instance.arc_length[arcs.clone()].iter().position(|&arc| arc == length)?;
        Some(self.instance.arc_candidate[arcs.start + at])
    }
}
