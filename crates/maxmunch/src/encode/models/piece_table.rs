//! Byte strings and their ids, looked up by whole pieces.

use crate::encode::hashing::hash_bytes;
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
}

impl PieceTable {
    /// The table of these entries; of equal keys the last one counts.
    pub(super) fn new<K: AsRef<[u8]>>(entries: &[(K, TokenId)]) -> Self {
        let free = Slot { tag: 0, id: FREE, start: 0, len: 0 };
        let size = (entries.len().max(2) * 2).next_power_of_two();
        let mut table = Self { slots: vec![free; size], arena: Vec::new(), longest: 0 };
        for (key, id) in entries {
            let key = key.as_ref();
            let at = table.find(key);
            let start = table.arena.len() as u32;
            if let Some(slot) = table.slots.get_mut(at) {
                *slot = Slot { tag: tag(hash_bytes(key)), id: *id, start, len: key.len() as u32 };
            }
            table.arena.extend_from_slice(key);
            table.longest = table.longest.max(key.len());
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
        if key.len() > self.longest {
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
        assert_eq!(Some(2), PieceTable::new(&[("a", 1), ("a", 2)]).get(b"a"));
    }
}
