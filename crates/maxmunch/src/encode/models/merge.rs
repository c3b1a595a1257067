//! The merge loop of byte-pair encoding: lowest rank first, leftmost first among equals.
//!
//! [`merge_all`] is the definition: a queue of candidate merges in which an entry that was overtaken is
//! recognised by its result. [`merge_short`] finds the same next merge by looking at every pair, which is
//! faster for the few symbols of a usual piece. A property test compares them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::encode::models::merge_long::RankQueue;
use crate::encode::models::merge_small::{SMALL, merge_symbols};
use crate::encode::models::merges::{Merge, Merges};
use crate::encode::models::piece_batch::PieceBatch;
use crate::encode::models::sample::Random;
use crate::encode::models::unigram_ways::Ways;
use crate::encode::word_cache::{CacheStatistics, WordCache};
use crate::units::{Span, TokenId};

/// Pieces of at most this many symbols are merged by looking at every pair.
const SHORT: usize = 48;

/// Pieces of at least this many symbols are merged with one list of places a rank.
const LONG: usize = 128;

/// Elements of a buffer that are kept from call to call.
const KEPT: usize = 1 << 14;

/// No neighbour, no merge.
const NONE: u32 = u32::MAX;

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
    /// What decides where a model samples; starts anew with each text.
    pub(super) random: Random,
    rank_queue: RankQueue,
    skipped: Vec<Candidate>,
    /// Best ways to the positions of a piece, for `Unigram`.
    pub(super) ways: Ways,
    /// Tokens of a part of a piece.
    pub(super) tokens: Vec<(TokenId, Span)>,
    /// Ids of one piece.
    pub(in crate::encode) ids: Vec<TokenId>,
    /// Pieces that wait to be looked up.
    pub(super) batch: PieceBatch,
    /// Parts of a piece that do.
    pub(super) parts: PieceBatch,
    /// What pieces became before; keeps nothing unless the scratch came from a tokenizer.
    pub(in crate::encode) cache: WordCache,
}

/// Ordered by rank, then position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) rank: u32,
    pub(super) at: u32,
    pub(super) result: TokenId,
}

impl Scratch {
    /// How the cache of pieces did so far.
    pub fn cache_statistics(&self) -> CacheStatistics {
        self.cache.statistics()
    }

    /// Gives back what only a very long piece needed.
    pub(in crate::encode) fn shrink(&mut self) {
        self.clear();
        self.symbols.shrink_to(KEPT);
        self.ranks.clear();
        self.ranks.shrink_to(KEPT);
        self.queue.clear();
        self.queue.shrink_to(KEPT);
        self.rank_queue.shrink();
        self.ways.shrink(KEPT);
        self.tokens.clear();
        self.tokens.shrink_to(KEPT);
        self.ids.clear();
        self.ids.shrink_to(KEPT);
    }

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

    /// Applies all merges to the symbols `ids[from..]`.
    pub(super) fn merge_ids(&mut self, ids: &mut Vec<TokenId>, from: usize, merges: &Merges) {
        let symbols = ids.get(from..).unwrap_or_default();
        if symbols.len() <= SMALL
            && let Some(merges) = merges.quick()
        {
            merge_symbols(ids, from, merges);
            return;
        }
        self.clear();
        for &id in &ids[from..] {
            self.push(id, 1);
        }
        self.merge(merges);
        ids.truncate(from);
        ids.extend(self.spans().map(|(id, _)| id));
    }

    /// Applies all merges.
    pub(super) fn merge(&mut self, merges: &Merges) {
        if self.symbols.len() <= SHORT && !merges.shares_results() {
            self.merge_short(merges);
        } else if self.symbols.len() >= LONG {
            self.merge_long(merges, None);
        } else {
            self.merge_all(merges);
        }
    }

    /// As [`Self::merge`], each merge that is due being put off with probability `dropout` until another one
    /// was done.
    pub(super) fn merge_with_dropout(&mut self, merges: &Merges, dropout: f64) {
        if self.symbols.len() >= LONG {
            self.merge_long(merges, Some(dropout));
        } else {
            self.merge_heap(merges, Some(dropout));
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
    pub(super) fn merge_all(&mut self, merges: &Merges) {
        self.merge_heap(merges, None);
    }

    fn merge_heap(&mut self, merges: &Merges, dropout: Option<f64>) {
        let Self { symbols, queue, skipped, random, .. } = self;
        queue.clear();
        apply(symbols, merges, queue, Dropout { rate: dropout, random, skipped });
    }

    /// The same in the order of [`RankQueue`], `O(n)` for a given model.
    fn merge_long(&mut self, merges: &Merges, dropout: Option<f64>) {
        let Self { symbols, rank_queue, skipped, random, .. } = self;
        rank_queue.begin(merges.ranks());
        apply(symbols, merges, rank_queue, Dropout { rate: dropout, random, skipped });
    }
}

/// Gives candidates by rank, then position.
pub(super) trait Queue {
    fn push(&mut self, candidate: Candidate);
    fn pop(&mut self) -> Option<Candidate>;
}

impl Queue for BinaryHeap<Reverse<Candidate>> {
    #[inline]
    fn push(&mut self, candidate: Candidate) {
        self.push(Reverse(candidate));
    }

    #[inline]
    fn pop(&mut self) -> Option<Candidate> {
        self.pop().map(|Reverse(candidate)| candidate)
    }
}

/// Which merges are put off.
struct Dropout<'s> {
    rate: Option<f64>,
    random: &'s mut Random,
    skipped: &'s mut Vec<Candidate>,
}

/// Does the merges of `symbols` in the order in which `queue`, empty so far, gives them.
fn apply(symbols: &mut [Symbol], merges: &Merges, queue: &mut impl Queue, dropout: Dropout) {
    let Dropout { rate, random, skipped } = dropout;
    skipped.clear();
    let count = symbols.len();
    let offer = |symbols: &[Symbol], at: u32, right: u32, queue: &mut _| {
        let merge = merges.get(symbols[at as usize].id, symbols[right as usize].id);
        if let Some(Merge { rank, result }) = merge {
            Queue::push(queue, Candidate { rank, at, result });
        }
    };
    for right in 1..count as u32 {
        offer(symbols, right - 1, right, queue);
    }
    while let Some(top) = queue.pop() {
        if let Some(rate) = rate {
            if random.unit() < rate {
                skipped.push(top);
                continue;
            }
            skipped.drain(..).for_each(|candidate| queue.push(candidate));
        }
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
            offer(symbols, top.at, after, queue);
        }
        let before = symbols[at].before;
        if before != NONE {
            offer(symbols, before, top.at, queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Merge, Merges, Scratch};
    use crate::units::TokenId;

    fn merges(rules: impl IntoIterator<Item = (TokenId, TokenId, Merge)>, packed: bool) -> Merges {
        let most = if packed { usize::MAX } else { 0 };
        Merges::packed_up_to(most, &rules.into_iter().collect::<Vec<_>>(), 99, false)
    }

    proptest! {
        #[test]
        fn looking_at_every_pair_gives_what_the_queue_gives(
            rules in prop::collection::vec((0_u32..12, 0_u32..12), 0..40),
            text in prop::collection::vec(0_u32..4, 0..40),
            packed in any::<bool>(),
        ) {
            // Results differ, as the texts of two merges of different pairs may not; 4.. are results.
            let merges = merges((0..).zip(rules).map(|(rank, (left, right))| {
                (left, right, Merge { rank, result: 4 + rank })
            }), packed);
            let run = |merge: fn(&mut Scratch, &Merges)| {
                let mut scratch = Scratch::default();
                for &id in &text {
                    scratch.push(id, 1);
                }
                merge(&mut scratch, &merges);
                scratch.spans().collect::<Vec<_>>()
            };

            let expected = run(Scratch::merge_all);
            prop_assert_eq!(&expected, &run(Scratch::merge_short));
            prop_assert_eq!(&expected, &run(|scratch, merges| scratch.merge_long(merges, None)));
            let mut ids = vec![77];
            ids.extend(&text);
            Scratch::default().merge_ids(&mut ids, 1, &merges);
            prop_assert_eq!(expected.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), &ids[1..]);
        }

        #[test]
        fn a_list_a_rank_gives_the_order_of_a_heap(
            rules in prop::collection::vec((0_u32..9, 0_u32..9), 0..40),
            texts in prop::collection::vec(prop::collection::vec(0_u32..3, 0..200), 1..3),
            shared in 1_u32..12,
            dropout in prop::option::of(0.0..0.9),
        ) {
            // Merges that share results, and may come before those that make their parts.
            let merges = merges((0..).zip(rules).map(|(rank, (left, right))| {
                (left, right, Merge { rank, result: rank % shared })
            }), true);
            let (mut heap, mut lists) = (Scratch::default(), Scratch::default());
            for text in texts {
                for scratch in [&mut heap, &mut lists] {
                    scratch.clear();
                    for &id in &text {
                        scratch.push(id, 1);
                    }
                }
                heap.merge_heap(&merges, dropout);
                lists.merge_long(&merges, dropout);
                prop_assert!(heap.spans().eq(lists.spans()));
            }
        }
    }
}
