//! Merges in a table with open addressing, for lists so long that a packed table would not stay near the processor.

use crate::encode::hashing::hash_pair;
use crate::encode::models::merges::{ID_BITS, Listed, Merge, NO_PAIR, Orders, RANK_SHIFT};
use crate::units::TokenId;

/// Bits of the filter for each place of the table.
const FILTER_BITS: usize = 4;

/// No token has the largest number.
const NONE: u32 = u32::MAX;

/// A table, at most two thirds full.
#[derive(Debug, Clone)]
pub(super) struct OpenMerges {
    /// The places of the table, a power of two, and one more that stays free: for pairs that the filter stops.
    slots: Vec<Slot>,
    /// A bit for the hash of each pair.
    ///
    /// PERF: most pairs that are looked up do not merge, and this stays in the processor's cache, which the table does
    /// not.
    filter: Vec<u64>,
}

/// A pair of tokens, and what it merges into.
#[derive(Debug, Clone, Copy)]
struct Slot {
    left: TokenId,
    right: TokenId,
    merge: Merge,
}

const FREE: Slot = Slot { left: NONE, right: NONE, merge: Merge { rank: NONE, result: 0 } };

impl OpenMerges {
    /// The table of some merges, of which the last one of a pair counts.
    pub(super) fn new(merges: &[Listed]) -> Self {
        let size = (merges.len().max(4) * 3 / 2).next_power_of_two();
        let filter = vec![0; (size * FILTER_BITS).div_ceil(64)];
        let mut table = Self { slots: vec![FREE; size + 1], filter };
        for &(left, right, merge) in merges {
            let bit = table.filter_bit(hash_pair(left, right));
            table.filter[bit / 64] |= 1 << (bit % 64);
            let at = table.find(left, right);
            table.slots[at] = Slot { left, right, merge };
        }
        table
    }

    /// The bit of a hash in the filter.
    #[inline]
    fn filter_bit(&self, hash: u64) -> usize {
        // The table takes the lower half.
        (hash >> 32) as usize & ((self.slots.len() - 1) * FILTER_BITS - 1)
    }

    /// The place of a pair, or a free place; where the pair would stand if the filter has its bit.
    #[inline]
    fn find(&self, left: TokenId, right: TokenId) -> usize {
        let hash = hash_pair(left, right);
        let size = self.slots.len() - 1;
        let bit = self.filter_bit(hash);
        if self.filter.get(bit / 64).is_none_or(|word| word >> (bit % 64) & 1 == 0) {
            return size;
        }
        let mut at = hash as usize & (size - 1);
        while let Some(slot) = self.slots.get(at) {
            if slot.left == left && slot.right == right || slot.left == NONE {
                break;
            }
            at = (at + 1) & (size - 1);
        }
        at
    }

    /// The merge of a pair.
    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        let slot = self.slots.get(self.find(left, right))?;
        (slot.left != NONE).then_some(slot.merge)
    }

    /// Left, right and what they merge into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Listed> {
        let slots = self.slots.iter().filter(|slot| slot.left != NONE);
        slots.map(|slot| (slot.left, slot.right, slot.merge))
    }
}

impl Orders for OpenMerges {
    const IS_GUESSED: bool = true;

    #[inline]
    fn order(&self, left: TokenId, right: TokenId) -> u64 {
        self.get(left, right).map_or(NO_PAIR, |merge| {
            u64::from(merge.rank) << RANK_SHIFT | u64::from(merge.result) & ((1 << ID_BITS) - 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Merge, NO_PAIR, OpenMerges, Orders};
    use crate::encode::models::packed_merges::PackedMerges;

    proptest! {
        #[test]
        fn both_tables_have_the_same_merges(
            pairs in prop::collection::vec((0_u32..99, 0_u32..99, 0_u32..1_048_575), 0..300),
            others in prop::collection::vec((0_u32..99, 0_u32..99), 0..300),
        ) {
            let merges: Vec<_> = pairs
                .iter()
                .zip(0..)
                .map(|(&(left, right, result), rank)| (left, right, Merge { rank, result }))
                .collect();
            let open = OpenMerges::new(&merges);
            let packed = PackedMerges::new(&merges, 1_048_574)
                .ok_or_else(|| TestCaseError::fail("small numbers have a table"))?;

            for (left, right) in pairs.iter().map(|pair| (pair.0, pair.1)).chain(others) {
                prop_assert_eq!(open.get(left, right), packed.get(left, right));
                // There are several numbers for no merge.
                let orders = [open.order(left, right), packed.order(left, right)];
                prop_assert!(orders[0] == orders[1] || open.order(left, right) == NO_PAIR);
            }
            let sorted = |mut all: Vec<_>| {
                all.sort_unstable_by_key(|(.., merge): &(u32, u32, Merge)| merge.rank);
                all
            };
            prop_assert_eq!(sorted(open.iter().collect()), sorted(packed.iter().collect()));
        }
    }
}
