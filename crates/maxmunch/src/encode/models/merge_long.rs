//! The queue of the merges of a long piece: one list of places a rank, and no heap over all of them.
//!
//! A heap over millions of places misses the processor's caches at every step. Here the places of one rank
//! are a list that is put in order when the rank's turn comes, so that most of the work goes through memory
//! from left to right. The order in which merges come out is that of a heap, whatever goes in: those that
//! come while their rank, or a later one, is being done wait in a small heap beside the list.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::encode::models::merge::{Candidate, Queue};
use crate::units::TokenId;

/// The number of no list: memory that is all zero costs nothing until it is used.
const NONE: u32 = 0;

/// Places that are kept for the lists of the next call.
const KEPT: usize = 1 << 14;

/// Candidates by rank, then position.
#[derive(Debug, Default)]
pub(super) struct RankQueue {
    /// The number of the list of each rank, counted from 1.
    numbers: Vec<u32>,
    lists: Vec<RankList>,
    /// Ranks that have a list which was not begun.
    waiting: BinaryHeap<Reverse<u32>>,
    /// What is left of the list in work.
    sweep: Sweep,
    /// Candidates that came too late for their list.
    late: BinaryHeap<Reverse<Candidate>>,
    /// Lists that are done: their memory is used again.
    spare: Vec<Vec<u32>>,
}

/// Places of one rank, and the result that they share.
#[derive(Debug)]
struct RankList {
    rank: u32,
    result: TokenId,
    places: Vec<u32>,
}

/// A list in work: in order, from `next` on.
#[derive(Debug, Default)]
struct Sweep {
    /// All ranks below it are done; none at first.
    bound: u32,
    result: TokenId,
    places: Vec<u32>,
    next: usize,
}

impl RankQueue {
    /// Gets ready for candidates of ranks below `ranks`.
    pub(super) fn begin(&mut self, ranks: usize) {
        for list in self.lists.drain(..) {
            self.numbers[list.rank as usize] = NONE;
        }
        if self.numbers.len() != ranks {
            self.numbers = vec![NONE; ranks];
        }
        self.waiting.clear();
        self.late.clear();
        self.sweep = Sweep::default();
    }

    /// Gives back what only a very long piece needed.
    pub(super) fn shrink(&mut self) {
        let mut kept = 0;
        self.spare.retain(|list| {
            kept += list.capacity();
            kept <= KEPT
        });
        self.begin(self.numbers.len());
        self.lists.shrink_to(KEPT);
        self.late.shrink_to(KEPT);
    }

    /// Puts the next list to work; `false` if there is none.
    fn begin_sweep(&mut self) -> bool {
        let Some(Reverse(rank)) = self.waiting.pop() else { return false };
        let list = &mut self.lists[self.numbers[rank as usize] as usize - 1];
        let mut places = std::mem::take(&mut list.places);
        sort(&mut places);
        let sweep = Sweep { bound: rank + 1, result: list.result, places, next: 0 };
        let mut done = std::mem::replace(&mut self.sweep, sweep).places;
        done.clear();
        self.spare.push(done);
        true
    }
}

#[expect(
    clippy::stable_sort_primitive,
    reason = "most lists are a few sorted runs, which it joins"
)]
fn sort(places: &mut [u32]) {
    places.sort();
}

impl Queue for RankQueue {
    #[inline]
    fn push(&mut self, candidate: Candidate) {
        let Candidate { rank, at, result } = candidate;
        if rank < self.sweep.bound {
            self.late.push(Reverse(candidate));
            return;
        }
        let number = &mut self.numbers[rank as usize];
        if *number == NONE {
            let places = self.spare.pop().unwrap_or_default();
            self.lists.push(RankList { rank, result, places });
            *number = self.lists.len() as u32;
            self.waiting.push(Reverse(rank));
        }
        self.lists[*number as usize - 1].places.push(at);
    }

    #[inline]
    fn pop(&mut self) -> Option<Candidate> {
        loop {
            let Sweep { bound, result, next, ref places } = self.sweep;
            let first = places.get(next).map(|&at| Candidate { rank: bound - 1, at, result });
            if let Some(Reverse(late)) = self.late.peek()
                && first.is_none_or(|first| *late < first)
            {
                return self.late.pop().map(|Reverse(late)| late);
            }
            if first.is_some() {
                self.sweep.next += 1;
                return first;
            }
            if !self.begin_sweep() {
                return None;
            }
        }
    }
}
