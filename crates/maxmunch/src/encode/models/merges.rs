//! The merges of a model: what each pair of tokens becomes, and how early.

use crate::encode::models::open_merges::OpenMerges;
use crate::encode::models::packed_merges::PackedMerges;
use crate::units::TokenId;

/// What a pair of tokens merges into, and how early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merge {
    pub(super) rank: u32,
    pub(super) result: TokenId,
}

/// A merge with the pair: left, right, and what they become.
pub(super) type Listed = (TokenId, TokenId, Merge);

/// An *order* is rank and result of a merge in one number that is ordered by rank: so many bits each, the rank above,
/// and room between them.
pub(super) const ID_BITS: u32 = 20;
pub(super) const RANK_SHIFT: u32 = u64::BITS - ID_BITS;

/// Orders from here on stand for no merge.
pub(super) const NO_MERGE: u64 = (u64::MAX >> RANK_SHIFT) << RANK_SHIFT;

/// The order of a pair that does not merge.
pub(super) const NO_PAIR: u64 = u64::MAX;

/// What tells the orders of pairs.
pub(super) trait Orders {
    /// Whether the processor had better guess what it finds, and go on, than wait for it.
    const IS_GUESSED: bool;

    /// The order of a pair, [`NO_MERGE`] or more where there is none.
    fn order(&self, left: TokenId, right: TokenId) -> u64;
}

/// Most merges of a packed table.
///
/// PERF: with more of them it does not stay in the second of the processor's caches, and waiting for it costs more than
/// a wrong guess (docs/decisions/0210-merged-two-at-a-time.md).
const MOST_PACKED: usize = 200_000;

/// The merges of a model.
#[derive(Debug, Clone)]
pub(super) struct Merges {
    table: Table,
    /// All ranks are below it.
    ranks: usize,
    /// Whether two different texts may merge into one id, so that a stale candidate may look fresh.
    shares_results: bool,
    /// Whether no id or rank is too large for an order.
    has_orders: bool,
}

#[derive(Debug, Clone)]
enum Table {
    Packed(PackedMerges),
    Open(OpenMerges),
}

/// What tells the orders of pairs, where a few symbols may be merged by orders alone.
#[derive(Debug, Clone, Copy)]
pub(super) enum Quick<'m> {
    Packed(&'m PackedMerges),
    Open(&'m OpenMerges),
}

impl Merges {
    /// Merges, of which the last one of a pair counts, of tokens with ids up to `largest`.
    pub(super) fn new(merges: &[Listed], largest: TokenId, shares_results: bool) -> Self {
        Self::packed_up_to(MOST_PACKED, merges, largest, shares_results)
    }

    /// As [`Self::new`], in a packed table where they are at most `most`.
    pub(super) fn packed_up_to(
        most: usize,
        merges: &[Listed],
        largest: TokenId,
        shares_results: bool,
    ) -> Self {
        let ranks = merges.iter().map(|(.., merge)| merge.rank as usize + 1).max().unwrap_or(0);
        let has_orders = ranks.max(largest as usize + 1) <= (NO_MERGE >> RANK_SHIFT) as usize;
        let is_packed = has_orders && merges.len() <= most;
        let packed = if is_packed { PackedMerges::new(merges, largest) } else { None };
        let table = packed.map_or_else(|| Table::Open(OpenMerges::new(merges)), Table::Packed);
        Self { table, ranks, shares_results, has_orders }
    }

    /// What a pair becomes.
    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        match &self.table {
            Table::Packed(table) => table.get(left, right),
            Table::Open(table) => table.get(left, right),
        }
    }

    /// What a few symbols are merged by; none where ids or ranks are too large, or texts share an id.
    #[inline]
    pub(super) fn quick(&self) -> Option<Quick<'_>> {
        if !self.has_orders || self.shares_results {
            return None;
        }
        Some(match &self.table {
            Table::Packed(table) => Quick::Packed(table),
            Table::Open(table) => Quick::Open(table),
        })
    }

    /// All ranks are below it.
    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    /// Whether two different texts may merge into one id.
    pub(super) fn shares_results(&self) -> bool {
        self.shares_results
    }

    /// All merges, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Listed> {
        let (packed, open) = match &self.table {
            Table::Packed(table) => (Some(table), None),
            Table::Open(table) => (None, Some(table)),
        };
        let packed = packed.into_iter().flat_map(PackedMerges::iter);
        packed.chain(open.into_iter().flat_map(OpenMerges::iter))
    }

    /// The first `most` merges by rank: left, right.
    pub(super) fn sorted(&self, most: usize) -> Vec<(TokenId, TokenId)> {
        let merges = self.iter().map(|(left, right, merge)| (merge.rank, left, right));
        let mut all: Vec<_> = merges.collect();
        if most < all.len() {
            all.select_nth_unstable(most);
            all.truncate(most);
        }
        all.sort_unstable();
        all.into_iter().map(|(_, left, right)| (left, right)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Merge, Merges};

    #[test]
    fn of_equal_pairs_the_last_merge_counts() {
        for id in [1, 1 << 25, u32::MAX - 1] {
            let merge = |rank| Merge { rank, result: 3 };
            let list = [(id, 2, merge(0)), (2, id, merge(1)), (id, 2, merge(2)), (id, 2, merge(3))];

            let merges = Merges::new(&list, id.max(3), false);

            assert_eq!(Some(merge(3)), merges.get(id, 2));
            assert_eq!(vec![(2, id), (id, 2)], merges.sorted(usize::MAX));
            assert_eq!(vec![(2, id)], merges.sorted(1));
            assert_eq!((4, id == 1), (merges.ranks(), merges.quick().is_some()));
        }
    }

    #[test]
    fn texts_that_share_an_id_are_not_merged_by_orders() {
        assert!(Merges::new(&[], 0, true).quick().is_none());
    }
}
