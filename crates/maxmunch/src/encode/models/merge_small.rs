//! The merge loop for the few symbols of a usual word, in arrays of fixed size.

use std::hint::select_unpredictable;

use crate::encode::models::merges::{ID_BITS, Merges, NO_MERGE, NO_PAIR, Orders, Quick};
use crate::units::TokenId;

/// Most symbols that it takes.
pub(super) const SMALL: usize = 32;

/// Applies all merges to the symbols `ids[from..]`, at most [`SMALL`].
pub(super) fn merge_symbols(ids: &mut Vec<TokenId>, from: usize, merges: Quick) {
    match merges {
        Quick::Packed(merges) => merge_few(ids, from, merges),
        Quick::Open(merges) => merge_few(ids, from, merges),
    }
}

fn merge_few(ids: &mut Vec<TokenId>, from: usize, merges: &impl Orders) {
    let mut symbols = [0; SMALL];
    let count = ids.len() - from;
    symbols[..count].copy_from_slice(&ids[from..]);
    ids.truncate(from);
    let order = |at: usize| merges.order(symbols[at], symbols[at + 1]);
    let mut word = Word::<SMALL>::EMPTY;
    word.fill(count, |at| symbols[at], order);
    word.merge_into(merges, ids);
}

/// Ranks and results of all pairs of symbols that a byte-pair model starts from, by the code of the two.
///
/// PERF: all but the last pairs of a word are looked up here; the part of it that texts use stays in the
/// processor's cache, which the table of all merges does not.
#[derive(Debug)]
pub(super) struct FirstPairs {
    /// `orders[left * codes + right]`.
    orders: Vec<u64>,
    codes: usize,
}

impl FirstPairs {
    /// The table for symbols that are numbered from 0; none where words are not merged in arrays.
    pub(super) fn new(symbols: &[Option<TokenId>], merges: &Merges) -> Option<Self> {
        Some(match merges.quick()? {
            Quick::Packed(merges) => Self::of_orders(symbols, merges),
            Quick::Open(merges) => Self::of_orders(symbols, merges),
        })
    }

    fn of_orders(symbols: &[Option<TokenId>], merges: &impl Orders) -> Self {
        let order = |left: Option<TokenId>, right: Option<TokenId>| match (left, right) {
            (Some(left), Some(right)) => merges.order(left, right),
            _ => NO_PAIR,
        };
        let rows = symbols.iter().map(|&left| symbols.iter().map(move |&right| order(left, right)));
        Self { orders: rows.flatten().collect(), codes: symbols.len() }
    }

    #[inline]
    pub(super) fn get(&self, left: usize, right: usize) -> u64 {
        self.orders.get(left * self.codes + right).copied().unwrap_or(NO_PAIR)
    }
}

/// Symbols that shrink by merges, at most `N`.
#[derive(Debug)]
pub(super) struct Word<const N: usize> {
    ids: [TokenId; N],
    /// The order of the pair of a symbol and the next one, with the place of the symbol in it: the least of them
    /// is the next merge, the leftmost among equals. [`NO_PAIR`] where there is none.
    pub(super) pairs: [u64; N],
    /// Bit `i`: symbol `i` was not merged into one before.
    standing: u64,
}

/// The order of a pair, with the place of its left symbol.
#[inline]
const fn at_place(order: u64, place: usize) -> u64 {
    // All bits are set where there is no pair.
    order | (place as u64) << ID_BITS
}

impl<const N: usize> Word<N> {
    /// No symbols.
    pub(super) const EMPTY: Self = Self { ids: [0; N], pairs: [NO_PAIR; N], standing: 0 };

    /// Becomes `count` symbols, at most `N`.
    #[inline]
    pub(super) fn fill(
        &mut self,
        count: usize,
        id: impl Fn(usize) -> TokenId,
        order: impl Fn(usize) -> u64,
    ) {
        let count = count.min(N);
        self.standing = (1 << count) - 1;
        for index in 0..count {
            self.ids[index] = id(index);
        }
        self.pairs = [NO_PAIR; N];
        for index in 1..count {
            self.pairs[index - 1] = at_place(order(index - 1), index - 1);
        }
    }

    /// Applies all merges and appends what is left to `out`.
    #[inline]
    pub(super) fn merge_into(&mut self, merges: &impl Orders, out: &mut Vec<TokenId>) {
        self.merge(merges);
        self.append(out);
    }

    /// Appends what is left.
    #[inline]
    pub(super) fn append(&self, out: &mut Vec<TokenId>) {
        let mut rest = self.standing;
        while rest != 0 {
            out.push(self.ids[rest.trailing_zeros() as usize % N]);
            rest &= rest - 1;
        }
    }

    /// Applies all merges.
    #[inline]
    pub(super) fn merge(&mut self, merges: &impl Orders) {
        loop {
            let best = least(&self.pairs);
            if best >= NO_MERGE {
                break;
            }
            self.apply(best, merges);
        }
    }

    /// Applies one merge.
    #[expect(
        clippy::inline_always,
        reason = "PERF: two of them in one loop do not wait for each other"
    )]
    #[inline(always)]
    pub(super) fn apply<M: Orders>(&mut self, best: u64, merges: &M) {
        if M::IS_GUESSED {
            self.apply_guessing(best, merges);
        } else {
            self.apply_waiting(best, merges);
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "PERF: two of them in one loop do not wait for each other"
    )]
    #[inline(always)]
    fn apply_guessing(&mut self, best: u64, merges: &impl Orders) {
        let (at, result, next) = self.join(best);
        self.pairs[at] = NO_PAIR;
        if next != 0 {
            let next = next.trailing_zeros() as usize % N;
            self.pairs[at] = at_place(merges.order(result, self.ids[next]), at);
        }
        let before = self.standing & ((1 << at) - 1);
        if before != 0 {
            let before = before.ilog2() as usize % N;
            self.pairs[before] = at_place(merges.order(self.ids[before], result), before);
        }
    }

    /// PERF: no branch depends on the symbols around; where there is none, something is looked up all the same.
    #[expect(
        clippy::inline_always,
        reason = "PERF: two of them in one loop do not wait for each other"
    )]
    #[inline(always)]
    fn apply_waiting(&mut self, best: u64, merges: &impl Orders) {
        let (at, result, next) = self.join(best);
        let to = next.trailing_zeros() as usize % N;
        let right = at_place(merges.order(result, self.ids[to]), at);
        let before = self.standing & ((1 << at) - 1);
        let from = (before | 1).ilog2() as usize % N;
        let left = at_place(merges.order(self.ids[from], result), from);
        let right = select_unpredictable(next != 0, right, NO_PAIR);
        self.pairs[at] = right;
        self.pairs[select_unpredictable(before != 0, from, at)] =
            select_unpredictable(before != 0, left, right);
    }

    /// Joins the symbols of a merge: where the one is that they become, which that is, and the symbols behind it.
    #[expect(
        clippy::inline_always,
        reason = "PERF: two of them in one loop do not wait for each other"
    )]
    #[inline(always)]
    fn join(&mut self, best: u64) -> (usize, TokenId, u64) {
        let at = (best >> ID_BITS) as usize % N;
        let result = best as TokenId & ((1 << ID_BITS) - 1);
        let behind = self.standing & (!1 << at);
        let gone = behind.trailing_zeros() as usize % N;
        self.standing &= !(1 << gone);
        self.ids[at] = result;
        self.pairs[gone] = NO_PAIR;
        (at, result, behind & behind.wrapping_sub(1))
    }
}

/// The least of some numbers.
#[inline]
pub(super) fn least<const N: usize>(numbers: &[u64; N]) -> u64 {
    // PERF: four chains of comparisons without a branch; a branch on what is less is a guess.
    let mut best = [NO_PAIR; 4];
    for chunk in numbers.as_chunks::<4>().0 {
        for (best, &number) in best.iter_mut().zip(chunk) {
            *best = (*best).min(number);
        }
    }
    let [a, b, c, d] = best;
    a.min(b).min(c.min(d))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::least;

    proptest! {
        #[test]
        fn the_least_is_found(numbers in prop::array::uniform16(0..100_u64)) {
            prop_assert_eq!(numbers.iter().copied().min(), Some(least(&numbers)));
        }
    }
}
