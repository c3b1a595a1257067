//! How pairs of ids are scrambled, and what of that tells where a packed table has them.

use crate::encode::models::merges::{ID_BITS, RANK_SHIFT};
use crate::units::TokenId;

/// A slot has the rank of a merge, what its place does not tell of the pair, and the result, from the upper bits to the
/// lower ones; without what is between them it is the order.
pub(super) const ID_MASK: u64 = (1 << ID_BITS) - 1;
const CHECK_BITS: u32 = RANK_SHIFT - ID_BITS;
pub(super) const CHECK_MASK: u64 = u64::MAX >> ID_BITS & !ID_MASK;

/// Pairs of a bucket, on average, if all places were taken: a power of two.
const BUCKET_SHIFT: u32 = 2;

/// An odd number.
const MULTIPLIER: u64 = 0xC2B2_AE3D_27D4_EB4F;

/// How a pair is scrambled, and what tells what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// An odd number.
    pub(super) seed: u64,
    /// Bits of each id of a pair.
    half: u32,
    /// Bits of a place.
    pub(super) places: u32,
}

impl Shape {
    /// For ids of so many bits.
    pub(super) fn new(seed: u64, ids: u32, places: u32) -> Self {
        let places = places.max((2 * ids).saturating_sub(CHECK_BITS));
        // What a place does not tell of a pair tells its bucket.
        let half = ids.max(places.saturating_sub(BUCKET_SHIFT / 2)).max(1);
        Self { seed, half, places }
    }

    const fn key_mask(self) -> u64 {
        (1 << (2 * self.half)) - 1
    }

    /// A number for a pair, another one for each.
    #[inline]
    pub(super) const fn scramble(self, left: TokenId, right: TokenId) -> u64 {
        let key = (left as u64) << self.half | right as u64;
        let key = key.wrapping_mul(self.seed) & self.key_mask();
        (key ^ key >> self.half).wrapping_mul(MULTIPLIER) & self.key_mask()
    }

    /// The pair that was scrambled.
    pub(super) const fn restore(self, key: u64) -> (TokenId, TokenId) {
        let key = key.wrapping_mul(inverse(MULTIPLIER)) & self.key_mask();
        let key = (key ^ key >> self.half).wrapping_mul(inverse(self.seed)) & self.key_mask();
        ((key >> self.half) as TokenId, (key & ((1 << self.half) - 1)) as TokenId)
    }

    /// Bits of a bucket.
    pub(super) const fn buckets(self) -> u32 {
        self.places.saturating_sub(BUCKET_SHIFT)
    }

    /// The bucket of a pair, given as a number; so are pairs below.
    #[inline]
    pub(super) const fn bucket(self, key: u64) -> usize {
        (key >> (2 * self.half - self.buckets())) as usize
    }

    /// The place of a pair whose bucket has this pilot.
    #[inline]
    pub(super) const fn place(self, key: u64, pilot: Pilot) -> usize {
        (key.wrapping_add(self.step(key, pilot)) & ((1 << self.places) - 1)) as usize
    }

    /// How far a pilot moves a pair.
    #[inline]
    const fn step(self, key: u64, pilot: Pilot) -> u64 {
        (pilot.0 as u64 & 0xFF).wrapping_mul(key >> self.places | 1)
    }

    /// What a place cannot tell of a pair, where a slot has it.
    #[inline]
    pub(super) const fn check(self, key: u64) -> u64 {
        key >> self.places << ID_BITS
    }

    /// The pair in a slot at a place.
    pub(super) const fn key_at(self, place: usize, slot: u64, pilot: Pilot) -> u64 {
        let upper = self.upper(slot);
        let lower = (place as u64).wrapping_sub(self.step(upper, pilot));
        upper | lower & ((1 << self.places) - 1)
    }

    /// The bits of the pair in a slot that its place does not tell.
    pub(super) const fn upper(self, slot: u64) -> u64 {
        (slot & CHECK_MASK) >> ID_BITS << self.places
    }

    /// The bit of a pair among those beside its pilot.
    #[inline]
    pub(super) const fn bit(self, key: u64) -> u16 {
        0x100 << (key >> self.places & 7)
    }
}

/// What a bucket has: how far its pairs are moved, in the lower eight bits, and a bit for each of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pilot(pub(super) u16);

/// The number by which an odd number becomes one, modulo 2^64.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    // Each step doubles the bits that are right, of which there are three.
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Pilot, Shape};

    proptest! {
        #[test]
        fn a_slot_and_its_place_tell_the_pair(
            ids in 1..=20_u32,
            places in 0..20_u32,
            seed: u64,
            pair: (u32, u32),
            pilot: u16,
        ) {
            let shape = Shape::new(seed | 1, ids, places);
            let (left, right) = (pair.0 % (1 << ids), pair.1 % (1 << ids));
            let key = shape.scramble(left, right);
            let place = shape.place(key, Pilot(pilot));
            let slot = shape.check(key);

            prop_assert!(place < 1 << shape.places && shape.bucket(key) < 1 << shape.buckets());
            prop_assert_eq!(shape.bucket(key), shape.bucket(shape.upper(slot)));
            prop_assert_eq!(key, shape.key_at(place, slot, Pilot(pilot)));
            prop_assert_eq!((left, right), shape.restore(key));
        }
    }
}
