//! The merge loop for the few symbols of a usual word, in arrays of fixed size.

use crate::encode::models::merge::Merges;
use crate::units::TokenId;

/// Most symbols that it takes.
pub(super) const SMALL: usize = 16;

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
            _ => u64::MAX,
        };
        let rows = symbols.iter().map(|&left| symbols.iter().map(move |&right| order(left, right)));
        Self { orders: rows.flatten().collect(), codes: symbols.len() }
    }

    #[inline]
    pub(super) fn get(&self, left: usize, right: usize) -> u64 {
        self.orders.get(left * self.codes + right).copied().unwrap_or(u64::MAX)
    }
}

/// Symbols in a list that shrinks by merges.
#[derive(Debug)]
pub(super) struct SmallWord {
    ids: [TokenId; SMALL],
    /// Rank and result of the pair of a symbol and the next one; `u64::MAX` where there is none.
    orders: [u64; SMALL],
    before: [u8; SMALL],
    after: [u8; SMALL],
    count: usize,
}

impl SmallWord {
    /// Symbols that follow each other, at most [`SMALL`]; `order` tells rank and result of symbol `i` and the next.
    #[inline]
    pub(super) fn new(
        count: usize,
        id: impl Fn(usize) -> TokenId,
        order: impl Fn(usize) -> u64,
    ) -> Self {
        let count = count.min(SMALL);
        let mut word = Self {
            ids: [0; SMALL],
            orders: [u64::MAX; SMALL],
            before: std::array::from_fn(|index| (index as u8).wrapping_sub(1)),
            after: std::array::from_fn(|index| index as u8 + 1),
            count,
        };
        for index in 0..count {
            word.ids[index] = id(index);
        }
        for index in 1..count {
            word.orders[index - 1] = order(index - 1);
        }
        word
    }

    /// Applies all merges and appends what is left to `out`.
    #[inline]
    pub(super) fn merge_into(mut self, merges: &Merges, out: &mut Vec<TokenId>) {
        let count = self.count;
        loop {
            let (mut at, mut best) = (0, u64::MAX);
            for (index, &order) in self.orders[..count].iter().enumerate() {
                // Strictly less: the leftmost among equals.
                if order < best {
                    (at, best) = (index, order);
                }
            }
            if best == u64::MAX {
                break;
            }
            self.merge_at(at, best as TokenId, merges);
        }
        let mut at = 0;
        while at < count {
            out.push(self.ids[at]);
            at = usize::from(self.after[at]);
        }
    }

    #[inline]
    fn merge_at(&mut self, at: usize, result: TokenId, merges: &Merges) {
        let gone = usize::from(self.after[at]) % SMALL;
        let next = usize::from(self.after[gone]);
        self.ids[at] = result;
        self.after[at] = next as u8;
        self.orders[gone] = u64::MAX;
        self.orders[at] = u64::MAX;
        if next < self.count {
            self.before[next] = at as u8;
            self.orders[at] = merges.order(result, self.ids[next]);
        }
        if at > 0 {
            let previous = usize::from(self.before[at]) % SMALL;
            self.orders[previous] = merges.order(self.ids[previous], result);
        }
    }
}
