//! The merge loop of byte-pair encoding: lowest rank first, leftmost first among equals.
//!
//! [`merge_all`] is the definition: a queue of candidate merges in which an entry that was overtaken is
//! recognised by its result. [`merge_short`] finds the same next merge by looking at every pair, which is
//! faster for the few symbols of a usual piece. A property test compares them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::encode::models::unigram::Arrival;
use crate::units::{Span, TokenId};

/// Pieces of at most this many symbols are merged by looking at every pair.
const SHORT: usize = 48;

/// No neighbour, no merge.
const NONE: u32 = u32::MAX;

/// What a pair of tokens merges into, and how early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merge {
    pub(super) rank: u32,
    pub(super) result: TokenId,
}

/// The merges of a model.
#[derive(Debug, Default)]
pub(super) struct Merges {
    by_pair: HashMap<u64, Merge>,
    /// Whether two different texts may merge into one id, so that a stale candidate may look fresh.
    pub(super) ambiguous: bool,
}

impl Merges {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self { by_pair: HashMap::with_capacity(count), ambiguous: false }
    }

    /// Of two merges of the same pair the later one counts.
    pub(super) fn insert(&mut self, left: TokenId, right: TokenId, merge: Merge) {
        self.by_pair.insert(pair(left, right), merge);
    }

    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        self.by_pair.get(&pair(left, right)).copied()
    }

    /// All merges by rank: left, right.
    pub(super) fn sorted(&self) -> Vec<(TokenId, TokenId)> {
        let mut all: Vec<(u32, u64)> =
            self.by_pair.iter().map(|(&pair, merge)| (merge.rank, pair)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, pair)| ((pair >> 32) as u32, pair as u32)).collect()
    }
}

fn pair(left: TokenId, right: TokenId) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// A token of the piece in work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) id: TokenId,
    /// Bytes of the piece; 0 once it was merged into the symbol before.
    pub(super) len: u32,
    before: u32,
    after: u32,
}

/// Buffers that a thread keeps between pieces.
#[derive(Debug, Default)]
pub struct Scratch {
    symbols: Vec<Symbol>,
    ranks: Vec<u32>,
    queue: BinaryHeap<Reverse<Candidate>>,
    /// Best ways to the positions of a piece, for `Unigram`.
    pub(super) lattice: Vec<Arrival>,
    /// Tokens of the best way, last one first.
    pub(super) path: Vec<(Span, Option<TokenId>)>,
}

/// Ordered by rank, then position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: u32,
    at: u32,
    result: TokenId,
}

impl Scratch {
    /// Forgets the symbols of the last piece.
    pub(super) fn clear(&mut self) {
        self.symbols.clear();
    }

    /// Appends a symbol of `len` bytes.
    pub(super) fn push(&mut self, id: TokenId, len: usize) {
        let index = self.symbols.len() as u32;
        let before = index.wrapping_sub(1);
        self.symbols.push(Symbol { id, len: len as u32, before, after: index + 1 });
    }

    /// Applies all merges.
    pub(super) fn merge(&mut self, merges: &Merges) {
        if self.symbols.len() <= SHORT && !merges.ambiguous {
            self.merge_short(merges);
        } else {
            self.merge_all(merges);
        }
    }

    /// The symbols that are left, with the bytes they cover.
    pub(super) fn spans(&self) -> impl Iterator<Item = (TokenId, Span)> + '_ {
        let mut start = 0;
        self.symbols.iter().filter(|symbol| symbol.len > 0).map(move |symbol| {
            let end = start + symbol.len as usize;
            let span = Span::new(start, end);
            start = end;
            (symbol.id, span)
        })
    }

    /// Looks for the best pair among all, merges it, closes the hole: quadratic, for few symbols.
    fn merge_short(&mut self, merges: &Merges) {
        let Self { symbols, ranks, .. } = self;
        let rank_of = |symbols: &[Symbol], at: usize| {
            merges.get(symbols[at].id, symbols[at + 1].id).map_or(NONE, |merge| merge.rank)
        };
        ranks.clear();
        ranks.extend((1..symbols.len()).map(|right| rank_of(symbols, right - 1)));
        // `min_by_key` takes the first among equals, hence the leftmost.
        while let Some((at, _)) = ranks
            .iter()
            .enumerate()
            .min_by_key(|(_, rank)| **rank)
            .filter(|(_, rank)| **rank != NONE)
        {
            let Some(merge) = merges.get(symbols[at].id, symbols[at + 1].id) else { break };
            symbols[at].id = merge.result;
            symbols[at].len += symbols[at + 1].len;
            symbols.remove(at + 1);
            ranks.remove(at);
            if at > 0 {
                ranks[at - 1] = rank_of(symbols, at - 1);
            }
            if at < ranks.len() {
                ranks[at] = rank_of(symbols, at);
            }
        }
    }

    /// The definition, `O(n log n)`.
    fn merge_all(&mut self, merges: &Merges) {
        let Self { symbols, queue, .. } = self;
        let count = symbols.len();
        let candidate = |symbols: &[Symbol], at: u32, right: u32| {
            let merge = merges.get(symbols[at as usize].id, symbols[right as usize].id)?;
            Some(Reverse(Candidate { rank: merge.rank, at, result: merge.result }))
        };
        queue.clear();
        queue.extend((1..count as u32).filter_map(|right| candidate(symbols, right - 1, right)));
        while let Some(Reverse(top)) = queue.pop() {
            let at = top.at as usize;
            let right = symbols[at].after as usize;
            if symbols[at].len == 0 || right >= count {
                continue;
            }
            let fresh = merges.get(symbols[at].id, symbols[right].id);
            if fresh.is_none_or(|merge| merge.result != top.result) {
                continue;
            }
            symbols[at].id = top.result;
            symbols[at].len += symbols[right].len;
            symbols[at].after = symbols[right].after;
            symbols[right].len = 0;
            let after = symbols[at].after;
            if (after as usize) < count {
                symbols[after as usize].before = top.at;
                queue.extend(candidate(symbols, top.at, after));
            }
            let before = symbols[at].before;
            if before != NONE {
                queue.extend(candidate(symbols, before, top.at));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Merge, Merges, Scratch};

    proptest! {
        #[test]
        fn looking_at_every_pair_gives_what_the_queue_gives(
            rules in prop::collection::vec((0_u32..12, 0_u32..12), 0..40),
            text in prop::collection::vec(0_u32..4, 0..40),
        ) {
            let mut merges = Merges::default();
            for (rank, (left, right)) in rules.into_iter().enumerate() {
                // Results differ, as the texts of two merges of different pairs may not; 4.. are results.
                let rank = rank as u32;
                merges.insert(left, right, Merge { rank, result: 4 + rank });
            }
            let run = |merge: fn(&mut Scratch, &Merges)| {
                let mut scratch = Scratch::default();
                for &id in &text {
                    scratch.push(id, 1);
                }
                merge(&mut scratch, &merges);
                scratch.spans().collect::<Vec<_>>()
            };

            prop_assert_eq!(run(Scratch::merge_all), run(Scratch::merge_short));
        }
    }
}
