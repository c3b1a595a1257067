//! What pieces became, kept for the next time the same bytes come by.
//!
//! A cache belongs to one tokenizer and one thread at a time: no locks, no sharing, freed with the tokenizer.
//! Keys are the exact bytes of a piece and its kind (see [`Kind`]), never a hash alone. Short keys live in one table,
//! longer ones in another; both grow as long as the tokenizer's budget allows; then older entries give way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::encode::key_table::{Ids, KeyTable};
use crate::encode::long_words::{LONGEST_KEY, LongWords};
use crate::encode::piece_key::{Key, Kind};
use crate::units::TokenId;

/// Places for each piece that is known from the beginning.
const PLACES_PER_KNOWN: usize = 4;

/// Places of the first table, and the size below which a table grows to four times its size.
const FIRST_PLACES: usize = 1 << 10;
const SMALL_TABLE: usize = 1 << 15;

/// Bytes that the budget is charged for one place, its share of lists included.
const PLACE_COST: usize = KeyTable::PLACE_BYTES + LISTED_PER_PLACE * size_of::<TokenId>();
const LISTED_PER_PLACE: usize = 2;

/// Bytes that the caches of one tokenizer may still take.
#[derive(Debug)]
pub(super) struct Budget(AtomicUsize);

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self(AtomicUsize::new(bytes))
    }

    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// How a word cache did so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Look-ups that found something.
    pub hits: u64,
    /// Pieces that are kept now.
    pub kept: usize,
    /// Bytes that it takes.
    pub bytes: usize,
}

/// A cache of one thread.
#[derive(Debug, Default)]
pub(super) struct WordCache {
    short: KeyTable,
    /// Lists of ids that are too long for their place.
    listed: Vec<TokenId>,
    long: LongWords,
    budget: Option<Arc<Budget>>,
    hits: u64,
}

impl WordCache {
    /// An empty cache that takes its memory from `budget`.
    pub(super) fn new(budget: Arc<Budget>) -> Self {
        let mut cache = Self::default();
        cache.budget = Some(budget);
        cache
    }

    /// Whether it belongs to no tokenizer.
    pub(super) fn is_detached(&self) -> bool {
        self.budget.is_none()
    }

    /// Begins with pieces that are one token each, if it is empty and the budget allows it.
    pub(super) fn begin_with(&mut self, known: impl ExactSizeIterator<Item = (Key, TokenId)>) {
        if self.short.len() == 0 && known.len() > 0 {
            let places = (known.len() * PLACES_PER_KNOWN).next_power_of_two();
            if self.take(places * PLACE_COST) {
                self.short = KeyTable::new(places);
                for (key, id) in known {
                    if let Some(ids) = Ids::new(&[id]) {
                        self.short.insert(key, ids);
                    }
                }
            }
        }
    }

    fn take(&self, bytes: usize) -> bool {
        self.budget.as_ref().is_some_and(|budget| budget.take(bytes))
    }

    /// How it did so far.
    pub(super) fn statistics(&self) -> CacheStatistics {
        let kept = self.short.used() + self.long.used();
        CacheStatistics { hits: self.hits, kept, bytes: self.bytes() }
    }

    fn bytes(&self) -> usize {
        self.short.len() * PLACE_COST + self.long.room() * LongWords::PIECE_BYTES
    }

    /// Asks for the memory of a key of this hash.
    #[inline]
    pub(super) fn fetch(&self, hash: u64) {
        self.short.fetch(hash);
    }

    /// The ids of a key, of this hash, if they are found at once and few: some numbers, of which so many are ids.
    #[inline]
    pub(super) fn quick(&self, key: Key, hash: u64) -> Option<([TokenId; Ids::MOST], usize)> {
        let (is_found, ids) = self.short.quick(key, hash);
        (is_found & (ids.len() <= Ids::MOST)).then_some((ids.padded(), ids.len()))
    }

    /// Says that so many look-ups found something without [`Self::append`].
    pub(super) fn count_hits(&mut self, hits: usize) {
        self.hits += hits as u64;
    }

    /// Appends the ids of a short key to `out`, if it has them.
    #[inline]
    pub(super) fn append(&mut self, key: Key, out: &mut Vec<TokenId>) -> bool {
        let hash = key.hash();
        match self.quick(key, hash) {
            Some((ids, len)) => {
                // PERF: always as many are copied, so that no branch depends on their number.
                let end = out.len() + len;
                out.extend_from_slice(&ids);
                out.truncate(end);
                self.hits += 1;
                true
            }
            None => self.append_slowly(key, hash, out),
        }
    }

    /// As [`Self::append`], for a key that [`Self::quick`] does not find.
    fn append_slowly(&mut self, key: Key, hash: u64, out: &mut Vec<TokenId>) -> bool {
        let Some(ids) = self.find_slowly(key, hash) else { return false };
        let padded = ids.padded();
        let Some(found) = self.unpacked(&ids, &padded) else { return false };
        out.extend_from_slice(found);
        self.hits += 1;
        true
    }

    /// As [`Self::append_slowly`], into `room`, and how many they are; none also where they have no room.
    #[inline(never)]
    pub(super) fn copy_slowly(
        &mut self,
        key: Key,
        hash: u64,
        room: &mut [TokenId],
    ) -> Option<usize> {
        let ids = self.find_slowly(key, hash)?;
        let padded = ids.padded();
        let ids = self.unpacked(&ids, &padded)?;
        room.get_mut(..ids.len())?.copy_from_slice(ids);
        Some(ids.len())
    }

    fn find_slowly(&mut self, key: Key, hash: u64) -> Option<Ids> {
        match self.short.quick(key, hash) {
            (true, ids) => Some(ids),
            _ => self.short.displaced(key, hash),
        }
    }

    /// All ids of a key, of which `padded` has the first few.
    fn unpacked<'a>(&'a self, ids: &Ids, padded: &'a [TokenId]) -> Option<&'a [TokenId]> {
        match ids.list() {
            Some((start, len)) => self.listed.get(start..start + len),
            None => padded.get(..ids.len()),
        }
    }

    /// The ids of a longer key.
    pub(super) fn get_long(&mut self, bytes: &[u8], kind: Kind) -> Option<&[TokenId]> {
        let ids = self.long.get(bytes, kind);
        self.hits += u64::from(ids.is_some());
        ids
    }

    /// Keeps the ids of a short key that was not found.
    pub(super) fn insert(&mut self, key: Key, ids: &[TokenId]) {
        let inline = Ids::new(ids);
        let listed = if inline.is_some() { 0 } else { ids.len() };
        if ids.is_empty() || !self.make_room(listed) {
            return;
        }
        let ids = inline.unwrap_or_else(|| Ids::listed(self.list(ids), ids.len() as u32));
        self.short.insert(key, ids);
    }

    /// As [`Self::insert_long`], if the key came before, as far as that is known.
    pub(super) fn insert_if_due(&mut self, bytes: &[u8], kind: Kind, ids: &[TokenId]) {
        if self.long.is_due(bytes) {
            self.insert_long(bytes, kind, ids);
        }
    }

    /// Keeps the ids of a longer key that was not found.
    pub(super) fn insert_long(&mut self, bytes: &[u8], kind: Kind, ids: &[TokenId]) {
        if ids.is_empty() || bytes.len() > LONGEST_KEY {
            return;
        }
        if !self.long.has_room(bytes.len(), ids.len()) {
            let more = self.long.next_room() - self.long.room();
            if self.take(more * LongWords::PIECE_BYTES) {
                self.long.grow();
            } else {
                self.long.clear();
            }
        }
        if self.long.has_room(bytes.len(), ids.len()) {
            self.long.insert(bytes, kind, ids);
        }
    }

    /// Lists ids, and tells where.
    fn list(&mut self, ids: &[TokenId]) -> u32 {
        let start = self.listed.len();
        self.listed.extend_from_slice(ids);
        start as u32
    }

    /// Whether there is room for one more key, with so many ids in a list; grows, or forgets everything, where that
    /// helps.
    fn make_room(&mut self, listed: usize) -> bool {
        let places = self.short.len();
        let is_full = self.short.used() * 8 >= places * 5;
        let is_crowded = self.listed.len() + listed > places * LISTED_PER_PLACE;
        if !(is_full || is_crowded) || self.grow() {
            return true;
        }
        if is_crowded {
            self.short.clear();
            self.listed.clear();
        }
        places > 0
    }

    /// Makes the table larger, if the budget allows it.
    fn grow(&mut self) -> bool {
        let before = self.short.len();
        let after = match before {
            0 => FIRST_PLACES,
            // PERF: most tables go through these sizes in their first moments.
            1..SMALL_TABLE => before * 4,
            _ => before * 2,
        };
        let may = self.take((after - before) * PLACE_COST);
        if may {
            self.short.grow(after);
        }
        may
    }
}

impl Drop for WordCache {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.give_back(self.bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::{Budget, FIRST_PLACES, Key, Kind, PLACE_COST, WordCache};
    use crate::units::Span;

    fn look_up(cache: &mut WordCache, text: &[u8], kind: Kind) -> Option<Vec<u32>> {
        let mut ids = Vec::new();
        match Key::new(text, Span::new(0, text.len()), kind) {
            Some(key) => cache.append(key, &mut ids).then_some(ids),
            None => cache.get_long(text, kind).map(<[u32]>::to_vec),
        }
    }

    fn keep(cache: &mut WordCache, text: &[u8], kind: Kind, ids: &[u32]) {
        match Key::new(text, Span::new(0, text.len()), kind) {
            Some(key) => cache.insert(key, ids),
            None => cache.insert_long(text, kind, ids),
        }
    }

    /// As [`WordCache::append`] does it for a batch.
    fn look_up_quickly(cache: &WordCache, text: &[u8], kind: Kind) -> Option<Vec<u32>> {
        let key = Key::new(text, Span::new(0, text.len()), kind)?;
        let (ids, len) = cache.quick(key, key.hash())?;
        Some(ids.into_iter().take(len).collect())
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_was_kept(
            texts in prop::collection::vec(("[ab]{1,24}", any::<bool>(), 1..6_usize), 1..400),
            tables in 0..4_usize,
        ) {
            let mut cache = WordCache::new(Arc::new(Budget::new(tables * FIRST_PLACES * PLACE_COST)));
            let mut kept = HashMap::new();
            for (index, (text, is_segment, count)) in texts.iter().enumerate() {
                let kind = if *is_segment { Kind::Segment } else { Kind::Piece };
                let ids = vec![index as u32; *count];
                if let Some(found) = look_up_quickly(&cache, text.as_bytes(), kind) {
                    prop_assert_eq!(Some(&found), kept.get(&(text, *is_segment)));
                }
                if let Some(found) = look_up(&mut cache, text.as_bytes(), kind) {
                    prop_assert_eq!(Some(&found), kept.get(&(text, *is_segment)));
                } else {
                    keep(&mut cache, text.as_bytes(), kind, &ids);
                    kept.insert((text, *is_segment), ids);
                }
            }
        }
    }

    #[test]
    fn the_budget_bounds_all_caches_and_comes_back() {
        let budget = Arc::new(Budget::new(4 * FIRST_PLACES * PLACE_COST));
        let fill = |cache: &mut WordCache| {
            for word in 0..20_000_u32 {
                keep(cache, &word.to_le_bytes(), Kind::Piece, &[word; 5]);
            }
        };
        let mut first = WordCache::new(Arc::clone(&budget));
        fill(&mut first);
        let mut second = WordCache::new(Arc::clone(&budget));
        fill(&mut second);

        assert_eq!(4 * FIRST_PLACES, first.short.len());
        assert!(second.short.len() == 0);
        drop(first);
        fill(&mut second);
        assert_eq!(4 * FIRST_PLACES, second.short.len());
    }

    #[test]
    fn a_key_that_comes_again_is_found_at_once() {
        let mut cache = WordCache::new(Arc::new(Budget::new(FIRST_PLACES * PLACE_COST)));
        let words: Vec<_> = (0..600_u32).map(|word| (word.to_le_bytes(), word)).collect();
        for (bytes, word) in &words {
            keep(&mut cache, bytes, Kind::Piece, &[*word; 2]);
        }

        for (bytes, word) in &words {
            if look_up(&mut cache, bytes, Kind::Piece).is_some() {
                let expected = Some(vec![*word; 2]);
                assert_eq!(expected, look_up_quickly(&cache, bytes, Kind::Piece));
            }
        }
    }

    #[test]
    fn what_is_known_is_there_from_the_beginning() {
        let key = |bytes: &[u8; 2]| Key::new(bytes, Span::new(0, 2), Kind::Piece);
        let known: Vec<_> = [b"ab", b"cd"].into_iter().filter_map(key).zip([7, u32::MAX]).collect();
        let mut cache = WordCache::new(Arc::new(Budget::new(1 << 20)));

        cache.begin_with(known.into_iter());

        assert_eq!(Some(vec![7]), look_up(&mut cache, b"ab", Kind::Piece));
        // A number that large has no place among the others.
        assert_eq!(None, look_up(&mut cache, b"cd", Kind::Piece));
        keep(&mut cache, b"cd", Kind::Piece, &[u32::MAX]);
        assert_eq!(Some(vec![u32::MAX]), look_up(&mut cache, b"cd", Kind::Piece));
    }

    #[test]
    fn a_budget_of_zero_keeps_nothing() {
        let mut cache = WordCache::new(Arc::new(Budget::new(0)));

        keep(&mut cache, b"a", Kind::Piece, &[1]);

        assert_eq!(None, look_up(&mut cache, b"a", Kind::Piece));
    }
}
