//! Pieces whose only token is known before any text is seen.
//!
//! Most pieces of most texts are one token. Which pieces become it is found when the model is built, by encoding
//! the text of every token; so the answer is the model's own, and a piece that has one is never merged. The
//! table belongs to the model: it is read by all threads and written by none.

use crate::encode::piece_key::Key;
use crate::units::TokenId;

/// Longest key, in bytes as [`Key::len`] counts them: with the id it is a quarter of a line of the processor's cache.
pub(super) const LONGEST: usize = 11;

/// Places for each piece.
const SPARSENESS: usize = 2;

/// Bits of the filter for each place, so that one of twenty words that are not known passes.
const FILTER_BITS: usize = 8;

/// A key and its id. A number of 0 is a free place: no key has it.
#[derive(Debug, Clone, Copy)]
struct Slot {
    low: u64,
    /// Three bytes and the length.
    high: u32,
    id: TokenId,
}

const FREE: Slot = Slot { low: 0, high: 0, id: 0 };

/// A map from short pieces to ids.
#[derive(Debug)]
pub(in crate::encode) struct KnownPieces {
    slots: Vec<Slot>,
    /// A bit for the hash of each key.
    ///
    /// PERF: words that are not known would be looked for in a place that no other word has brought into the
    /// processor's cache, and all that follows would wait; this is an eighth of the size of the places.
    filter: Vec<u64>,
}

impl KnownPieces {
    /// A table that knows nothing.
    pub(super) const NONE: Self = Self { slots: Vec::new(), filter: Vec::new() };

    /// As [`Self::NONE`], for whoever borrows it.
    pub(super) fn none() -> &'static Self {
        static NONE: KnownPieces = KnownPieces::NONE;
        &NONE
    }

    /// The table of these entries; of equal keys the first one counts, and longer ones are left out.
    ///
    /// Entries that come first are found first.
    pub(super) fn new(entries: &[(Key, TokenId)]) -> Self {
        let size = (entries.len() * SPARSENESS).next_power_of_two();
        let words = (size * FILTER_BITS).div_ceil(64);
        let mut table = Self { slots: vec![FREE; size], filter: vec![0; words] };
        for &(key, id) in entries.iter().filter(|(key, _)| key.len() <= LONGEST) {
            let (word, bit) = table.filter_bit(key.hash());
            table.filter[word] |= bit;
            let (low, high) = parts(key);
            let mut at = key.hash() as usize & (size - 1);
            while !table.slots[at].is_free() && !table.slots[at].holds(low, high) {
                at = (at + 1) & (size - 1);
            }
            if table.slots[at].is_free() {
                table.slots[at] = Slot { low, high, id };
            }
        }
        table
    }

    /// The id of a piece.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<TokenId> {
        let hash = key.hash();
        let (word, bit) = self.filter_bit(hash);
        if key.len() > LONGEST || self.filter.get(word)? & bit == 0 {
            return None;
        }
        let (low, high) = parts(key);
        let mut at = hash as usize;
        loop {
            let slot = self.slots.get(at & self.slots.len().wrapping_sub(1))?;
            if slot.holds(low, high) {
                return Some(slot.id);
            }
            if slot.is_free() {
                return None;
            }
            at = at.wrapping_add(1);
        }
    }

    /// The word of the filter that has the bit of a hash, and the bit.
    #[inline]
    fn filter_bit(&self, hash: u64) -> (usize, u64) {
        // Places are told by the lower half.
        let bit = hash >> 32;
        ((bit / 64) as usize & self.filter.len().wrapping_sub(1), 1 << (bit % 64))
    }
}

impl Slot {
    #[inline]
    const fn holds(&self, low: u64, high: u32) -> bool {
        self.low == low && self.high == high
    }

    #[inline]
    const fn is_free(&self) -> bool {
        self.high == 0
    }
}

/// The two parts of a key of at most [`LONGEST`] bytes.
#[inline]
const fn parts(key: Key) -> (u64, u32) {
    let number = key.number();
    (number as u64, (number >> 64) as u32 | ((number >> 96) as u32 & 0xFF00_0000))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{KnownPieces, LONGEST};
    use crate::encode::piece_key::{Key, Kind};
    use crate::units::Span;

    fn key(text: &str, kind: Kind) -> Option<Key> {
        Key::new(text.as_bytes(), Span::new(0, text.len()), kind)
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_was_given(
            pieces in prop::collection::vec("[ab\u{0}\u{B}\u{C}é]{1,15}", 0..300),
            others in prop::collection::vec("[ab\u{0}\u{B}\u{C}é]{1,15}", 0..300),
        ) {
            let keys = |kind| pieces.iter().filter_map(move |piece| key(piece, kind));
            let entries: Vec<_> = keys(Kind::Piece).zip(0..).collect();
            let table = KnownPieces::new(&entries);
            let mut expected = HashMap::new();
            for (key, id) in entries.iter().filter(|(key, _)| key.len() <= LONGEST) {
                expected.entry(key.number()).or_insert(*id);
            }
            for key in keys(Kind::Piece).chain(others.iter().filter_map(|text| key(text, Kind::Piece))) {
                prop_assert_eq!(expected.get(&key.number()).copied(), table.get(key));
            }
            for key in keys(Kind::Segment).chain(keys(Kind::Spaced)) {
                prop_assert_eq!(None, table.get(key));
            }
        }
    }

    #[test]
    fn an_empty_table_knows_nothing() {
        let key = key("a", Kind::Piece);

        assert_eq!(Some(None), key.map(|key| KnownPieces::none().get(key)));
        assert_eq!(Some(None), key.map(|key| KnownPieces::new(&[]).get(key)));
    }
}
