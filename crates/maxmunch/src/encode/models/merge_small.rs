//! The merge loop for the few symbols of a usual word, in arrays of fixed size.

use crate::encode::models::merge::{Merges, NO_PAIR, POSITION_BITS};
use crate::units::TokenId;

/// Most symbols that it takes.
pub(super) const SMALL: usize = 1 << POSITION_BITS;

/// Appends what is left of `count` symbols, at most [`SMALL`], when all merges are applied; `order` tells rank and
/// result of symbol `i` and the next.
#[inline]
pub(super) fn merge_word(
    count: usize,
    id: impl Fn(usize) -> TokenId,
    order: impl Fn(usize) -> u64,
    merges: &Merges,
    out: &mut Vec<TokenId>,
) {
    // PERF: words of few symbols look at few pairs.
    match count {
        0..=8 => Word::<8>::new(count, id, order).merge_into(merges, out),
        9..=16 => Word::<16>::new(count, id, order).merge_into(merges, out),
        _ => Word::<SMALL>::new(count, id, order).merge_into(merges, out),
    }
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
    /// The table for symbols that are numbered from 0.
    pub(super) fn new(symbols: &[Option<TokenId>], merges: &Merges) -> Self {
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
struct Word<const N: usize> {
    ids: [TokenId; N],
    /// The order of the pair of a symbol and the next one, with the place of the symbol in it: the least of them
    /// is the next merge, the leftmost among equals. [`NO_PAIR`] where there is none.
    pairs: [u64; N],
    /// Bit `i`: symbol `i` was not merged into one before.
    standing: u64,
}

/// The order of a pair, with the place of its left symbol.
#[inline]
const fn at_place(order: u64, place: usize) -> u64 {
    // All bits are set where there is no pair.
    order | (place as u64) << 32
}

impl<const N: usize> Word<N> {
    #[inline]
    fn new(count: usize, id: impl Fn(usize) -> TokenId, order: impl Fn(usize) -> u64) -> Self {
        let count = count.min(N);
        let standing = (1 << count) - 1;
        let mut word = Self { ids: [0; N], pairs: [NO_PAIR; N], standing };
        for index in 0..count {
            word.ids[index] = id(index);
        }
        for index in 1..count {
            word.pairs[index - 1] = at_place(order(index - 1), index - 1);
        }
        word
    }

    /// Applies all merges and appends what is left to `out`.
    #[inline]
    fn merge_into(mut self, merges: &Merges, out: &mut Vec<TokenId>) {
        self.merge(merges);
        let mut rest = self.standing;
        while rest != 0 {
            out.push(self.ids[rest.trailing_zeros() as usize % N]);
            rest &= rest - 1;
        }
    }

    #[inline]
    fn merge(&mut self, merges: &Merges) {
        loop {
            let best = least(&self.pairs);
            if best == NO_PAIR {
                break;
            }
            let (at, result) = ((best >> 32) as usize % N, best as TokenId);
            let behind = self.standing & (!1 << at);
            let gone = behind.trailing_zeros() as usize % N;
            let next = behind & behind.wrapping_sub(1);
            self.standing &= !(1 << gone);
            self.ids[at] = result;
            self.pairs[gone] = NO_PAIR;
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
    }
}

/// The least of some numbers.
#[inline]
fn least<const N: usize>(numbers: &[u64; N]) -> u64 {
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
