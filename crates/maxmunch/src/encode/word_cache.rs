//! What pieces became, kept for the next time the same bytes come by.
//!
//! A cache belongs to one tokenizer and one thread at a time: no locks, no sharing, freed with the tokenizer.
//! Keys are the exact bytes of a piece and its kind (see [`Kind`]), never a hash alone. Short keys live in
//! buckets of one table that grows as long as the tokenizer's budget allows; then older entries give way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashTable;

use crate::encode::hashing::hash_bytes;
use crate::encode::piece_key::{Key, Kind};
use crate::units::TokenId;

/// Longer pieces are not kept: they hardly ever come again.
pub(super) const LONGEST_KEY: usize = 96;

/// Ids that an entry of the table holds itself.
const INLINE: usize = 3;

/// Entries of a bucket: two lines of the processor's cache.
const WAYS: usize = 4;

/// Entries of the first table, and the size below which a table grows to four times its size.
const FIRST_ENTRIES: usize = 1 << 10;
const SMALL_TABLE: usize = 1 << 15;

/// Bytes that the budget is charged for one entry, its share of longer lists and longer keys included.
const ENTRY_COST: usize = size_of::<Entry>() + SPILLED_PER_ENTRY * 4 + LONG_BYTES_PER_ENTRY + 8;
const SPILLED_PER_ENTRY: usize = 3;
const LONG_BYTES_PER_ENTRY: usize = 8;
const ENTRIES_PER_LONG: usize = 8;

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

/// A short key and its ids. A count of 0 is a free place; lists that are empty are not kept.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    /// The ids, or where they start in `spilled`.
    ids: [TokenId; INLINE],
    count: u32,
}

const FREE: Entry = Entry { key: Key::NONE, ids: [0; INLINE], count: 0 };

/// A long key: where its bytes and its ids stand.
#[derive(Debug, Clone, Copy)]
struct Long {
    kind: Kind,
    start: u32,
    len: u32,
    ids: u32,
    count: u32,
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
    /// Buckets of [`WAYS`] entries.
    entries: Vec<Entry>,
    used: usize,
    /// Which entry of a full bucket gives way next.
    clock: usize,
    spilled: Vec<TokenId>,
    long: HashTable<Long>,
    long_bytes: Vec<u8>,
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

    /// How it did so far.
    pub(super) fn statistics(&self) -> CacheStatistics {
        let bytes = self.entries.len() * ENTRY_COST;
        CacheStatistics { hits: self.hits, kept: self.used + self.long.len(), bytes }
    }

    /// Appends the ids of a short key to `out`, if it has them.
    #[inline]
    pub(super) fn append(&mut self, key: Key, out: &mut Vec<TokenId>) -> bool {
        let Some(entry) = self.find(key) else { return false };
        self.hits += 1;
        // PERF: most lists are one id; copying memory costs more than a few.
        match (entry.count, entry.ids) {
            (1, [first, ..]) => out.push(first),
            (2, [first, second, _]) => out.extend([first, second]),
            (3, ids) => out.extend(ids),
            (count, [start, ..]) => {
                let (start, count) = (start as usize, count as usize);
                let ids = self.spilled.get(start..start + count);
                out.extend_from_slice(ids.unwrap_or_default());
            }
        }
        true
    }

    #[inline]
    fn find(&self, key: Key) -> Option<Entry> {
        let (at, first) = self.bucket(key);
        let bucket: &[Entry; WAYS] = self.entries.get(at..)?.first_chunk()?;
        // PERF: most entries stand in their first place, so that this is a good guess.
        (0..WAYS).map(|way| bucket[(first + way) % WAYS]).find(|entry| entry.key == key)
    }

    /// The ids of a longer key.
    pub(super) fn get_long(&mut self, bytes: &[u8], kind: Kind) -> Option<&[TokenId]> {
        if self.long.is_empty() {
            return None;
        }
        let Self { long, long_bytes, .. } = &*self;
        let entry = *long.find(hash_bytes(bytes), |entry| {
            entry.kind == kind && bytes_of(long_bytes, *entry) == bytes
        })?;
        self.hits += 1;
        self.spilled.get(entry.ids as usize..(entry.ids + entry.count) as usize)
    }

    /// Keeps the ids of a short key that was not found.
    pub(super) fn insert(&mut self, key: Key, ids: &[TokenId]) {
        if ids.is_empty() || !self.make_room(ids.len(), 0) {
            return;
        }
        let mut entry = Entry { key, count: ids.len() as u32, ..FREE };
        match entry.ids.get_mut(..ids.len()) {
            Some(inline) => inline.copy_from_slice(ids),
            None => entry.ids[0] = self.spill(ids),
        }
        self.place(entry);
    }

    /// Keeps the ids of a longer key that was not found.
    pub(super) fn insert_long(&mut self, bytes: &[u8], kind: Kind, ids: &[TokenId]) {
        if ids.is_empty() || bytes.len() > LONGEST_KEY || !self.make_room(ids.len(), bytes.len()) {
            return;
        }
        let ids_start = self.spill(ids);
        let Self { long, long_bytes, .. } = self;
        let start = long_bytes.len() as u32;
        long_bytes.extend_from_slice(bytes);
        let (len, count) = (bytes.len() as u32, ids.len() as u32);
        let entry = Long { kind, start, len, ids: ids_start, count };
        long.insert_unique(hash_bytes(bytes), entry, |entry| {
            hash_bytes(bytes_of(long_bytes, *entry))
        });
    }

    /// Where the bucket of a key starts, and its first place in there.
    #[inline]
    fn bucket(&self, key: Key) -> (usize, usize) {
        // An empty table gives 0, and the look-up finds no bucket there.
        let place = key.hash() as usize & self.entries.len().saturating_sub(1);
        (place & !(WAYS - 1), place % WAYS)
    }

    fn spill(&mut self, ids: &[TokenId]) -> u32 {
        let start = self.spilled.len() as u32;
        self.spilled.extend_from_slice(ids);
        start
    }

    fn place(&mut self, entry: Entry) {
        let (at, first) = self.bucket(entry.key);
        self.clock = self.clock.wrapping_add(1);
        let oldest = self.clock % WAYS;
        let Some(bucket) = self.entries.get_mut(at..at + WAYS) else { return };
        let free = (0..WAYS).map(|way| (first + way) % WAYS).find(|&way| bucket[way].count == 0);
        self.used += usize::from(free.is_some());
        bucket[free.unwrap_or(oldest)] = entry;
    }

    /// Whether there is room for one more entry; grows, or forgets everything, where that helps.
    fn make_room(&mut self, ids: usize, long_bytes: usize) -> bool {
        let entries = self.entries.len();
        let is_full = self.used * 2 >= entries;
        let spills = self.spilled.len() + ids > entries * SPILLED_PER_ENTRY;
        let overflows = long_bytes > 0
            && (self.long_bytes.len() + long_bytes > entries * LONG_BYTES_PER_ENTRY
                || self.long.len() >= entries / ENTRIES_PER_LONG);
        if !(is_full || spills || overflows) || self.grow() {
            return !self.entries.is_empty();
        }
        if spills || overflows {
            self.clear();
        }
        entries > 0
    }

    /// Makes the table larger, if the budget allows it.
    fn grow(&mut self) -> bool {
        let before = self.entries.len();
        let after = match before {
            0 => FIRST_ENTRIES,
            // PERF: most tables go through these sizes in their first moments.
            1..SMALL_TABLE => before * 4,
            _ => before * 2,
        };
        let Some(budget) = &self.budget else { return false };
        if !budget.take((after - before) * ENTRY_COST) {
            return false;
        }
        let old = std::mem::replace(&mut self.entries, vec![FREE; after]);
        self.used = 0;
        for entry in old.into_iter().filter(|entry| entry.count > 0) {
            self.place(entry);
        }
        true
    }

    fn clear(&mut self) {
        self.entries.fill(FREE);
        self.used = 0;
        self.spilled.clear();
        self.long.clear();
        self.long_bytes.clear();
    }
}

impl Drop for WordCache {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.give_back(self.entries.len() * ENTRY_COST);
        }
    }
}

fn bytes_of(long_bytes: &[u8], entry: Long) -> &[u8] {
    long_bytes.get(entry.start as usize..(entry.start + entry.len) as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::{Budget, ENTRY_COST, FIRST_ENTRIES, Key, Kind, WordCache};
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

    proptest! {
        #[test]
        fn what_is_found_is_what_was_kept(
            texts in prop::collection::vec(("[ab]{1,24}", any::<bool>(), 1..6_usize), 1..400),
            tables in 0..4_usize,
        ) {
            let mut cache = WordCache::new(Arc::new(Budget::new(tables * FIRST_ENTRIES * ENTRY_COST)));
            let mut kept = HashMap::new();
            for (index, (text, is_segment, count)) in texts.iter().enumerate() {
                let kind = if *is_segment { Kind::Segment } else { Kind::Piece };
                let ids = vec![index as u32; *count];
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
        let budget = Arc::new(Budget::new(4 * FIRST_ENTRIES * ENTRY_COST));
        let fill = |cache: &mut WordCache| {
            for word in 0..20_000_u32 {
                keep(cache, &word.to_le_bytes(), Kind::Piece, &[word; 5]);
            }
        };
        let mut first = WordCache::new(Arc::clone(&budget));
        fill(&mut first);
        let mut second = WordCache::new(Arc::clone(&budget));
        fill(&mut second);

        assert_eq!(4 * FIRST_ENTRIES, first.entries.len());
        assert!(second.entries.is_empty());
        drop(first);
        fill(&mut second);
        assert_eq!(4 * FIRST_ENTRIES, second.entries.len());
    }

    #[test]
    fn a_budget_of_zero_keeps_nothing() {
        let mut cache = WordCache::new(Arc::new(Budget::new(0)));

        keep(&mut cache, b"a", Kind::Piece, &[1]);

        assert_eq!(None, look_up(&mut cache, b"a", Kind::Piece));
    }
}
