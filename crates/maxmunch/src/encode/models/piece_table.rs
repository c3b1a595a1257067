//! Byte strings and their ids, looked up by whole pieces.

use crate::encode::hashing::{hash_bytes, hash_key};
use crate::units::TokenId;

/// No token has the largest number.
const FREE: TokenId = TokenId::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The upper half of the hash.
    tag: u32,
    id: TokenId,
    start: u32,
    len: u32,
}

/// A map from byte strings to ids, at most half full.
#[derive(Debug)]
pub(super) struct PieceTable {
    slots: Vec<Slot>,
    arena: Vec<u8>,
    longest: usize,
    /// One bit a hash of the length and the first bytes of each long key.
    ///
    /// PERF: long pieces are hardly ever keys, and this stays in the processor's cache, which the table does not.
    long: Box<[u64; FILTER_BITS / 64]>,
}

/// Keys from this length on are filtered by a table of so many bits.
const LONG_KEY: usize = 16;
const FILTER_BITS: usize = 1 << 16;

/// The bit of a long key.
fn filter_bit(key: &[u8]) -> Option<usize> {
    let first = key.first_chunk::<8>().filter(|_| key.len() >= LONG_KEY)?;
    let length = (key.len() as u128) << 64;
    Some(hash_key(length | u128::from(u64::from_le_bytes(*first))) as usize % FILTER_BITS)
}

impl PieceTable {
    /// The table of these entries; of equal keys the last one counts.
    pub(super) fn new<K: AsRef<[u8]>>(entries: &[(K, TokenId)]) -> Self {
        let free = Slot { tag: 0, id: FREE, start: 0, len: 0 };
        let size = (entries.len().max(2) * 2).next_power_of_two();
        let long = Box::new([0; FILTER_BITS / 64]);
        let mut table = Self { slots: vec![free; size], arena: Vec::new(), longest: 0, long };
        for (key, id) in entries {
            let key = key.as_ref();
            let at = table.find(key);
            let start = table.arena.len() as u32;
            if let Some(slot) = table.slots.get_mut(at) {
                *slot = Slot { tag: tag(hash_bytes(key)), id: *id, start, len: key.len() as u32 };
            }
            table.arena.extend_from_slice(key);
            table.longest = table.longest.max(key.len());
            if let Some(bit) = filter_bit(key) {
                table.long[bit / 64] |= 1 << (bit % 64);
            }
        }
        table
    }

    fn find(&self, key: &[u8]) -> usize {
        let (hash, mask) = (hash_bytes(key), self.slots.len() - 1);
        let mut at = hash as usize & mask;
        while let Some(slot) = self.slots.get(at) {
            if slot.id == FREE || (slot.tag == tag(hash) && self.key(*slot) == key) {
                break;
            }
            at = (at + 1) & mask;
        }
        at
    }

    fn key(&self, slot: Slot) -> &[u8] {
        let (start, len) = (slot.start as usize, slot.len as usize);
        self.arena.get(start..start + len).unwrap_or_default()
    }

    /// The id of `key`.
    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Option<TokenId> {
        if key.len() > self.longest
            || filter_bit(key).is_some_and(|bit| self.long[bit / 64] >> (bit % 64) & 1 == 0)
        {
            return None;
        }
        let id = self.slots.get(self.find(key))?.id;
        (id != FREE).then_some(id)
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::PieceTable;

    #[test]
    fn every_key_is_found_and_nothing_else() {
        let keys: Vec<Vec<u8>> = (0..500_u32).map(|n| n.to_string().into_bytes()).collect();
        let entries: Vec<(Vec<u8>, u32)> = keys.iter().cloned().zip(0..).collect();
        let table = PieceTable::new(&entries);

        for (key, id) in &entries {
            assert_eq!(Some(*id), table.get(key));
        }
        assert_eq!(None, table.get(b"500"));
        assert_eq!(None, table.get(b""));
        assert_eq!(None, table.get(b"1234"));
        let long = PieceTable::new(&[("0123456789abcdefg", 3), ("0123456789abcdefgh", 4)]);
        assert_eq!(Some(3), long.get(b"0123456789abcdefg"));
        assert_eq!(Some(4), long.get(b"0123456789abcdefgh"));
        assert_eq!(None, long.get(b"0123456789abcdef"));
        assert_eq!(Some(2), PieceTable::new(&[("a", 1), ("a", 2)]).get(b"a"));
    }
}
