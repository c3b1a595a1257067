//! Merges in a table that takes one look a pair: a perfect hash, eight bytes a place.
//!
//! A pair of ids is one number, which is scrambled. Its upper bits tell the *bucket* of the pair. Its lower bits tell
//! the place, after the *pilot* of the bucket, chosen so that no two pairs have the same place, was multiplied by the
//! other bits and added (after Belazzougui, Botelho and Dietzfelbinger, "Hash, displace, and compress", 2009).
//! Scrambling loses nothing, and the bits above the lower ones are kept in the place; so what is found is the pair that
//! was asked for, not one that looks like it.
//!
//! PERF: two loads and no branch, whether there is such a merge or not. Beside the pilot stand eight bits that say of
//! most pairs that do not merge that they do not; then the second load is one of a place that is always near.

use std::hint::select_unpredictable;
use std::iter;

use crate::encode::models::merges::{Listed, Merge, NO_MERGE, NO_PAIR, Orders, RANK_SHIFT};
use crate::encode::models::packed_shape::{CHECK_MASK, ID_MASK, Pilot, Shape};
use crate::units::TokenId;

/// A slot that no merge has.
const FREE: u64 = NO_MERGE;

/// Numbers that are tried to scramble with, before more places are taken; and how often.
const SEEDS: usize = 32;
const MORE_PLACES: u32 = 3;

const FIRST_SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// The table.
#[derive(Debug, Clone)]
pub(super) struct PackedMerges {
    slots: Vec<u64>,
    pilots: Vec<Pilot>,
    shape: Shape,
}

impl PackedMerges {
    /// The table of some merges, of which the last one of a pair counts; none where ids or ranks are too large for it.
    ///
    /// It is asked about ids up to `largest` only. Complexity: linear on average.
    pub(super) fn new(merges: &[Listed], largest: TokenId) -> Option<Self> {
        let most = merges.iter().map(|(.., merge)| merge.rank).max().unwrap_or(0).max(largest);
        if u64::from(most) >= ID_MASK {
            return None;
        }
        debug_assert!(
            merges
                .iter()
                .all(|&(left, right, merge)| { left.max(right).max(merge.result) <= largest })
        );
        let bits = u32::BITS - largest.leading_zeros();
        let least = (merges.len() * 5 / 4).next_power_of_two().trailing_zeros();
        let next = |seed: &u64| Some(seed.wrapping_mul(FIRST_SEED).wrapping_add(2));
        let seeds = iter::successors(Some(FIRST_SEED), next);
        (least..=least + MORE_PLACES)
            .flat_map(|places| seeds.clone().take(SEEDS).map(move |seed| (seed, places)))
            .find_map(|(seed, places)| Self::in_shape(Shape::new(seed, bits, places), merges))
    }

    /// The table where pairs are scrambled that way, if there are pilots.
    fn in_shape(shape: Shape, merges: &[Listed]) -> Option<Self> {
        let buckets = Buckets::new(shape, merges);
        let mut table = Self {
            slots: vec![FREE; 1 << shape.places],
            pilots: vec![Pilot::default(); 1 << shape.buckets()],
            shape,
        };
        let mut taken = Places(vec![0; (1_usize << shape.places).div_ceil(64)]);
        for bucket in buckets.largest_first() {
            let entries = buckets.entries(bucket);
            let keys = || entries.iter().map(|&(key, _)| key);
            let Pilot(pilot) = (0..=0xFF)
                .map(Pilot)
                .find(|&pilot| taken.take_all(|| keys().map(|key| shape.place(key, pilot))))?;
            let bits = keys().fold(0, |bits, key| bits | shape.bit(key));
            let pilot = Pilot(pilot | bits);
            table.pilots[bucket] = pilot;
            for &(key, index) in entries {
                let merge = merges[index as usize].2;
                let rank = u64::from(merge.rank) << RANK_SHIFT;
                table.slots[shape.place(key, pilot)] =
                    rank | shape.check(key) | u64::from(merge.result);
            }
        }
        Some(table)
    }

    /// The merge of a pair.
    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        let order = self.order(left, right);
        (order < NO_MERGE).then_some(merge_of(order))
    }

    /// Left, right and what they merge into, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Listed> {
        let shape = self.shape;
        let slots = self.slots.iter().enumerate().filter(|(_, slot)| **slot < NO_MERGE);
        slots.map(move |(place, &slot)| {
            let pilot = self.pilots.get(shape.bucket(shape.upper(slot))).copied();
            let key = shape.key_at(place, slot, pilot.unwrap_or_default());
            let (left, right) = shape.restore(key);
            (left, right, merge_of(slot & !CHECK_MASK))
        })
    }
}

impl Orders for PackedMerges {
    const IS_GUESSED: bool = false;

    #[inline]
    fn order(&self, left: TokenId, right: TokenId) -> u64 {
        let key = self.shape.scramble(left, right);
        let Some(&pilot) = self.pilots.get(self.shape.bucket(key)) else { return NO_PAIR };
        let may_be = pilot.0 & self.shape.bit(key) != 0;
        let place = select_unpredictable(may_be, self.shape.place(key, pilot), 0);
        let Some(&slot) = self.slots.get(place) else { return NO_PAIR };
        let is_it = may_be & (slot & CHECK_MASK == self.shape.check(key));
        select_unpredictable(is_it, slot & !CHECK_MASK, NO_PAIR)
    }
}

const fn merge_of(order: u64) -> Merge {
    Merge { rank: (order >> RANK_SHIFT) as u32, result: (order & ID_MASK) as TokenId }
}

/// Places that are taken.
struct Places(Vec<u64>);

impl Places {
    /// Takes some places, if all of them are free and different.
    fn take_all<I: Iterator<Item = usize>>(&mut self, places: impl Fn() -> I) -> bool {
        let taken = places().take_while(|&place| self.take(place)).count();
        let all = places().count();
        if taken < all {
            places().take(taken).for_each(|place| self.0[place / 64] &= !(1 << (place % 64)));
        }
        taken == all
    }

    fn take(&mut self, place: usize) -> bool {
        let word = &mut self.0[place / 64];
        let is_free = *word >> (place % 64) & 1 == 0;
        *word |= 1 << (place % 64);
        is_free
    }
}

/// The merges by bucket.
struct Buckets {
    /// Scrambled pairs, each once, and which merge each is.
    entries: Vec<(u64, u32)>,
    /// Where each bucket begins, and where it ends.
    ends: Vec<(u32, u32)>,
}

impl Buckets {
    fn new(shape: Shape, merges: &[Listed]) -> Self {
        let keys = || merges.iter().map(|&(left, right, _)| shape.scramble(left, right));
        let mut ends = vec![(0_u32, 0_u32); 1 << shape.buckets()];
        keys().for_each(|key| ends[shape.bucket(key)].1 += 1);
        let mut start = 0;
        for (from, to) in &mut ends {
            let count = *to;
            (*from, *to) = (start, start);
            start += count;
        }
        let mut entries = vec![(0, 0); merges.len()];
        for (key, index) in keys().zip(0..) {
            let (from, to) = &mut ends[shape.bucket(key)];
            let before = &mut entries[*from as usize..*to as usize];
            // Of equal pairs the last one counts.
            if let Some(other) = before.iter_mut().find(|(other, _)| *other == key) {
                other.1 = index;
            } else {
                entries[*to as usize] = (key, index);
                *to += 1;
            }
        }
        Self { entries, ends }
    }

    fn entries(&self, bucket: usize) -> &[(u64, u32)] {
        let (from, to) = self.ends[bucket];
        &self.entries[from as usize..to as usize]
    }

    /// The buckets that have something; it is easier to find places for those that have little.
    fn largest_first(&self) -> impl Iterator<Item = usize> {
        let sizes: Vec<u32> = self.ends.iter().map(|(from, to)| to - from).collect();
        let most = sizes.iter().copied().max().unwrap_or_default();
        (1..=most).rev().flat_map(move |size| {
            let of_size = sizes.iter().enumerate().filter(move |(_, found)| **found == size);
            of_size.map(|(bucket, _)| bucket).collect::<Vec<_>>()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{Merge, NO_MERGE, Orders, PackedMerges};

    fn table(merges: &[(u32, u32, Merge)], largest: u32) -> Result<PackedMerges, &'static str> {
        PackedMerges::new(merges, largest).ok_or("small numbers have a table")
    }

    proptest! {
        #[test]
        fn every_pair_is_found_and_no_other(
            pairs in prop::collection::hash_map((0_u32..99, 0_u32..1_048_575), 0_u32..1_048_575, 0..300),
            others in prop::collection::vec((0_u32..99, 0_u32..1_048_575), 0..300),
        ) {
            let merges: Vec<_> = pairs
                .iter()
                .zip(0..)
                .map(|((&(left, right), &result), rank)| (left, right, Merge { rank, result }))
                .collect();
            let table = table(&merges, 1_048_574).map_err(TestCaseError::fail)?;

            for &(left, right, merge) in &merges {
                prop_assert_eq!(Some(merge), table.get(left, right));
            }
            for (left, right) in others {
                let is_there = pairs.contains_key(&(left, right));
                prop_assert_eq!(is_there, table.get(left, right).is_some());
            }
            let mut all: Vec<_> = table.iter().collect();
            all.sort_unstable_by_key(|(.., merge)| merge.rank);
            prop_assert_eq!(merges, all);
        }
    }

    #[test]
    fn many_merges_have_a_table() -> Result<(), &'static str> {
        let merges: Vec<_> = (0..200_000_u32)
            .map(|rank| {
                (rank / 3, rank.wrapping_mul(2_654_435_761) >> 13, Merge { rank, result: rank })
            })
            .collect();
        let expected: HashMap<_, _> =
            merges.iter().map(|&(left, right, merge)| ((left, right), merge)).collect();

        let table = table(&merges, 600_000)?;

        assert_eq!(expected.len(), table.iter().count());
        for (&(left, right), &merge) in &expected {
            assert_eq!(Some(merge), table.get(left, right));
        }
        Ok(())
    }

    #[test]
    fn numbers_that_are_too_large_have_none() {
        for large in [1 << 20, u32::MAX] {
            let merge = Merge { rank: 0, result: 2 };
            assert!(PackedMerges::new(&[(0, 1, merge)], large).is_none());
            assert!(PackedMerges::new(&[(0, 1, Merge { rank: large, ..merge })], 2).is_none());
        }
    }

    #[test]
    fn ids_that_merge_with_none_are_told_from_those_that_do() -> Result<(), &'static str> {
        for largest in 1..200 {
            let table = table(&[(0, 1, Merge { rank: 0, result: 1 })], largest)?;

            let pairs =
                (0..=largest).flat_map(|left| (0..=largest).map(move |right| (left, right)));
            assert_eq!(1, pairs.filter(|&(left, right)| table.get(left, right).is_some()).count());
        }
        Ok(())
    }

    #[test]
    fn no_merges_are_a_table_in_which_nothing_is_found() -> Result<(), &'static str> {
        let table = table(&[], 2)?;

        assert!(table.order(0, 0).min(table.order(1, 0)) >= NO_MERGE);
        assert_eq!(None, table.get(0, 0));
        Ok(())
    }
}
