//! A table of distinct pretokens and how often each occurs: what training reads.

use std::cmp::Reverse;

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use crate::error::{Error, Result};

/// Distinct pretokens by decreasing count, ties by bytes: the order that makes everything after it deterministic.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PretokenCounts {
    /// All pretokens after one another.
    bytes: Vec<u8>,
    /// Where pretoken `i` ends in `bytes`; it starts where its predecessor ends.
    ends: Vec<usize>,
    counts: Vec<u64>,
}

impl PretokenCounts {
    /// The table of `pairs`; equal pretokens are added up.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an empty pretoken, a count of 0, or a total above `u64`.
    pub fn from_pairs<B: AsRef<[u8]>>(pairs: impl IntoIterator<Item = (B, u64)>) -> Result<Self> {
        let mut tally = Tally::default();
        for (pretoken, count) in pairs {
            let pretoken = pretoken.as_ref();
            if pretoken.is_empty() || count == 0 {
                return Err(Error::argument(
                    "counts",
                    format!(
                        "pretoken {pretoken:?} has count {count}; a pretoken has at least one byte and one occurrence"
                    ),
                ));
            }
            tally.add(pretoken, count);
        }
        tally.into_counts()
    }

    /// Number of distinct pretokens.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether the table holds nothing.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The bytes and the count of the pretoken of rank `rank`, if there is one.
    pub fn get(&self, rank: usize) -> Option<(&[u8], u64)> {
        let end = *self.ends.get(rank)?;
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        Some((&self.bytes[start..end], self.counts[rank]))
    }

    /// Pretokens and counts in rank order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.len()).filter_map(|rank| self.get(rank))
    }

    /// Number of pretokens in the text, repeats included.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of bytes of the text that the pretokens cover, repeats included.
    pub fn total_bytes(&self) -> u64 {
        self.iter().map(|(pretoken, count)| pretoken.len() as u64 * count).sum()
    }

    /// The `limit` most frequent pretokens.
    #[must_use]
    pub fn top(&self, limit: usize) -> Self {
        let limit = limit.min(self.len());
        let end = if limit == 0 { 0 } else { self.ends[limit - 1] };
        Self {
            bytes: self.bytes[..end].to_vec(),
            ends: self.ends[..limit].to_vec(),
            counts: self.counts[..limit].to_vec(),
        }
    }

    /// The table of both texts together.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the total leaves `u64`.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let mut tally = Tally::default();
        for (pretoken, count) in self.iter().chain(other.iter()) {
            tally.add(pretoken, count);
        }
        tally.into_counts()
    }

    /// The parts that a count file stores: pretoken lengths, counts, bytes.
    pub fn parts(&self) -> (Vec<u32>, &[u64], &[u8]) {
        let mut start = 0;
        let lengths = self.ends.iter().map(|&end| {
            let length = end - start;
            start = end;
            length as u32
        });
        (lengths.collect(), &self.counts, &self.bytes)
    }

    /// The table with the parts that [`Self::parts`] gave.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the parts do not fit together, or are not in rank order.
    pub fn from_parts(lengths: &[u32], counts: Vec<u64>, bytes: Vec<u8>) -> Result<Self> {
        let refuse = |why: &str| {
            Error::argument("counts", format!("the count table {why}; count the corpus again"))
        };
        if lengths.len() != counts.len() {
            return Err(refuse("has not as many lengths as counts"));
        }
        let mut ends = Vec::with_capacity(lengths.len());
        let mut end = 0usize;
        for &length in lengths {
            end += length as usize;
            ends.push(end);
        }
        if end != bytes.len() {
            return Err(refuse("has not as many bytes as its lengths say"));
        }
        let table = Self { bytes, ends, counts };
        let mut total = 0u64;
        let mut previous: Option<(Reverse<u64>, &[u8])> = None;
        for (pretoken, count) in table.iter() {
            total = total
                .checked_add(count)
                .ok_or_else(|| refuse("adds up to more than a u64 holds"))?;
            let key = (Reverse(count), pretoken);
            if count == 0 || pretoken.is_empty() || previous.is_some_and(|before| before >= key) {
                return Err(refuse("is not sorted by decreasing count and then by bytes"));
            }
            previous = Some(key);
        }
        Ok(table)
    }
}

/// Pretokens of at most this many bytes are kept in the slot itself: most are.
const SHORT: usize = 7;

/// Counts pretokens in any order: two hash tables, one with short pretokens as numbers, one over an arena.
#[derive(Debug, Default)]
pub struct Tally {
    hasher: DefaultHashBuilder,
    // PERF: a number as key saves the visit to the arena, which is most of the time of a count.
    short: HashTable<(u64, u64)>,
    slots: HashTable<Slot>,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    start: usize,
    length: u32,
    count: u64,
}

impl Tally {
    /// Adds `count` occurrences of `pretoken`; a count that would leave `u64` stays at its maximum,
    /// which [`Self::into_counts`] then refuses.
    #[inline]
    pub fn add(&mut self, pretoken: &[u8], count: u64) {
        if pretoken.len() <= SHORT {
            self.add_short(key(pretoken), count);
        } else {
            self.add_long(pretoken, count);
        }
    }

    #[inline]
    fn add_short(&mut self, key: u64, count: u64) {
        let hash = scramble(key);
        if let Some(slot) = self.short.find_mut(hash, |slot| slot.0 == key) {
            slot.1 = slot.1.saturating_add(count);
        } else {
            self.short.insert_unique(hash, (key, count), |slot| scramble(slot.0));
        }
    }

    fn add_long(&mut self, pretoken: &[u8], count: u64) {
        let hash = self.hasher.hash_one(pretoken);
        let bytes = &self.bytes;
        let same = |slot: &Slot| pretoken == spelled(bytes, slot);
        if let Some(slot) = self.slots.find_mut(hash, same) {
            slot.count = slot.count.saturating_add(count);
            return;
        }
        let slot = Slot { start: self.bytes.len(), length: pretoken.len() as u32, count };
        self.bytes.extend_from_slice(pretoken);
        let (bytes, hasher) = (&self.bytes, &self.hasher);
        self.slots.insert_unique(hash, slot, |slot| hasher.hash_one(spelled(bytes, slot)));
    }

    /// Adds everything that `other` has counted.
    pub fn absorb(&mut self, other: &Self) {
        for &(key, count) in &other.short {
            self.add_short(key, count);
        }
        for slot in &other.slots {
            self.add_long(spelled(&other.bytes, slot), slot.count);
        }
    }

    /// Number of distinct pretokens so far.
    pub fn len(&self) -> usize {
        self.short.len() + self.slots.len()
    }

    /// Whether nothing was counted yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that the entries need, a quarter of the tables being free.
    pub fn memory_bytes(&self) -> usize {
        let entries = self.short.len() * 17 + self.slots.len() * (size_of::<Slot>() + 1);
        self.bytes.len() + entries / 3 * 4
    }

    /// Drops the pretokens that were seen at most `most` times; returns how many occurrences went.
    pub fn prune(&mut self, most: u64) -> u64 {
        let mut dropped = 0;
        let mut kept = Self::default();
        for &(key, count) in &self.short {
            if count > most {
                kept.add_short(key, count);
            } else {
                dropped += count;
            }
        }
        for slot in &self.slots {
            if slot.count > most {
                kept.add_long(spelled(&self.bytes, slot), slot.count);
            } else {
                dropped += slot.count;
            }
        }
        *self = kept;
        dropped
    }

    /// The sorted table.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the total leaves `u64`.
    pub fn into_counts(mut self) -> Result<PretokenCounts> {
        let mut slots: Vec<Slot> = self.slots.iter().copied().collect();
        for &(key, count) in &self.short {
            let (start, length) = (self.bytes.len(), (key >> 56) as usize);
            self.bytes.extend_from_slice(&key.to_le_bytes()[..length]);
            slots.push(Slot { start, length: length as u32, count });
        }
        let total = slots.iter().try_fold(0u64, |total, slot| total.checked_add(slot.count));
        if total.is_none_or(|total| total == u64::MAX) {
            return Err(Error::argument(
                "counts",
                "the counts add up to more than a u64 holds; scale them down",
            ));
        }
        slots.sort_unstable_by(|left, right| {
            right
                .count
                .cmp(&left.count)
                .then_with(|| spelled(&self.bytes, left).cmp(spelled(&self.bytes, right)))
        });
        let mut table = PretokenCounts {
            bytes: Vec::with_capacity(self.bytes.len()),
            ends: Vec::with_capacity(slots.len()),
            counts: Vec::with_capacity(slots.len()),
        };
        for slot in &slots {
            table.bytes.extend_from_slice(spelled(&self.bytes, slot));
            table.ends.push(table.bytes.len());
            table.counts.push(slot.count);
        }
        Ok(table)
    }
}

/// The bytes of a short pretoken, and its length in the last byte.
#[inline]
fn key(pretoken: &[u8]) -> u64 {
    let mut bytes = [0u8; 8];
    bytes[..pretoken.len()].copy_from_slice(pretoken);
    bytes[SHORT] = pretoken.len() as u8;
    u64::from_le_bytes(bytes)
}

/// A hash of a key: all of its bits move both the high and the low bits.
#[inline]
fn scramble(key: u64) -> u64 {
    let wide = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * u128::from(0xD6E8_FEB8_6659_FD93u64);
    wide as u64 ^ (wide >> 64) as u64
}

fn spelled<'a>(bytes: &'a [u8], slot: &Slot) -> &'a [u8] {
    &bytes[slot.start..slot.start + slot.length as usize]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::{PretokenCounts, Tally};

    #[test]
    fn rank_order_is_count_then_bytes() {
        let table = PretokenCounts::from_pairs([("b", 1), ("c", 3), ("a", 1), ("c", 2)]).unwrap();

        let rows: Vec<_> = table.iter().collect();

        assert_eq!(vec![(b"c".as_slice(), 5), (b"a", 1), (b"b", 1)], rows);
        assert_eq!(7, table.total());
    }

    #[test]
    fn parts_come_back_and_disorder_is_refused() {
        let table = PretokenCounts::from_pairs([("to", 4), ("be", 4), ("or", 9)]).unwrap();
        let (lengths, counts, bytes) = table.parts();

        let again = PretokenCounts::from_parts(&lengths, counts.to_vec(), bytes.to_vec()).unwrap();
        assert_eq!(table, again);

        let shuffled = PretokenCounts::from_parts(&lengths, vec![4, 9, 4], bytes.to_vec());
        assert!(shuffled.is_err());
    }

    #[test]
    fn pruning_says_what_it_dropped() {
        let mut tally = Tally::default();
        tally.add(b"often", 5);
        tally.add(b"once", 1);

        assert_eq!(1, tally.prune(1));
        assert_eq!(1, tally.len());
    }

    #[test]
    fn a_total_beyond_u64_is_refused() {
        assert!(PretokenCounts::from_pairs([("a", u64::MAX), ("b", 1)]).is_err());
    }
}
