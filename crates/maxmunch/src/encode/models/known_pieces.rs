//! Pieces whose only token is known before any text is seen.
//!
//! Most pieces of most texts are one token. Which pieces become it is found when the model is built, by encoding
//! the text of every token; so the answer is the model's own, and a piece that has one is never merged. The
//! table belongs to the model: it is read by all threads and written by none.

use crate::encode::piece_key::Key;
use crate::encode::prefetch::prefetch;
use crate::units::TokenId;

/// Pieces that a cache begins with, at most.
const FIRST: usize = 1 << 15;

/// Places for each piece.
const SPARSENESS: usize = 2;

/// Bits of the filter for each place, so that one of twenty words that are not known passes.
const FILTER_BITS: usize = 8;

/// A small key and its id. A free place has a key of length 0, which no piece has.
#[derive(Debug, Clone, Copy)]
struct Slot {
    low: u64,
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
    /// Where the first of the entries are.
    first: Vec<u32>,
}

impl KnownPieces {
    /// A table that knows nothing.
    pub(super) const NONE: Self = Self { slots: Vec::new(), filter: Vec::new(), first: Vec::new() };

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
        let mut table = Self { slots: vec![FREE; size], filter: vec![0; words], first: Vec::new() };
        for &(key, id) in entries.iter().filter(|(key, _)| key.is_small()) {
            let hash = key.hash();
            let (word, bit) = table.filter_bit(hash);
            table.filter[word] |= 1 << bit;
            let mut at = hash as usize & (size - 1);
            while !table.slots[at].holds(key) && !table.slots[at].is_free() {
                at = (at + 1) & (size - 1);
            }
            if table.slots[at].is_free() {
                table.slots[at] = Slot { low: key.low(), high: key.high() as u32, id };
                if table.first.len() < FIRST {
                    table.first.push(at as u32);
                }
            }
        }
        table
    }

    /// Asks for the memory that a key is looked for in.
    #[inline]
    pub(super) fn fetch(&self, key: Key) {
        let hash = key.hash();
        prefetch(&self.filter, self.filter_bit(hash).0);
        prefetch(&self.slots, hash as usize & self.slots.len().wrapping_sub(1));
    }

    /// The id of a piece.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<TokenId> {
        let hash = key.hash();
        let (word, bit) = self.filter_bit(hash);
        if self.filter.get(word)? >> bit & 1 == 0 {
            return None;
        }
        let mut at = hash as usize;
        loop {
            let slot = self.slots.get(at & self.slots.len().wrapping_sub(1))?;
            if slot.holds(key) {
                return Some(slot.id);
            }
            if slot.is_free() {
                return None;
            }
            at = at.wrapping_add(1);
        }
    }

    /// The first of the pieces that it was made of, those that come most often.
    pub(super) fn first(&self) -> impl ExactSizeIterator<Item = (Key, TokenId)> {
        self.first.iter().map(|&at| {
            let Slot { low, high, id } = self.slots[at as usize];
            (Key::of_halves(low, u64::from(high)), id)
        })
    }

    /// The word of the filter that has the bit of a hash, and which bit that is.
    #[inline]
    fn filter_bit(&self, hash: u64) -> (usize, u64) {
        // Places are told by the lower half.
        ((hash >> 38) as usize & self.filter.len().wrapping_sub(1), hash >> 32 & 63)
    }
}

impl Slot {
    #[inline]
    const fn holds(&self, key: Key) -> bool {
        (self.low == key.low()) & (self.high as u64 == key.high())
    }

    #[inline]
    const fn is_free(&self) -> bool {
        self.high == 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::KnownPieces;
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
            for (key, id) in entries.iter().filter(|(key, _)| key.is_small()) {
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
