//! What pieces became whose bytes are too many for a key of fixed size.

use hashbrown::HashTable;

use crate::encode::hashing::hash_bytes;
use crate::encode::piece_key::Kind;
use crate::units::TokenId;

/// Longer pieces are not kept: they hardly ever come again.
pub(super) const LONGEST_KEY: usize = 96;

/// Pieces that the first table takes.
const FIRST_PIECES: usize = 1 << 10;

/// Bytes and ids that each piece may have, all in all.
const BYTES_PER_PIECE: usize = 32;
const IDS_PER_PIECE: usize = 12;

/// Pieces that are known to have come once, at most: one for each remainder of their hash.
const SEEN: usize = 1 << 13;

/// A piece: where its bytes and its ids stand.
#[derive(Debug, Clone, Copy)]
struct Piece {
    hash: u32,
    kind: Kind,
    start: u32,
    len: u32,
    ids: u32,
    count: u32,
}

/// The pieces. It grows when it is told to, and forgets everything when it is full.
#[derive(Debug, Default)]
pub(super) struct LongWords {
    table: HashTable<Piece>,
    bytes: Vec<u8>,
    ids: Vec<TokenId>,
    /// Pieces that there is room for.
    room: usize,
    /// Hashes of pieces that came once.
    ///
    /// PERF: most of them never come again, and remembering one costs more than to find it out once more.
    seen: Vec<u32>,
}

impl LongWords {
    /// Bytes for each piece that there is room for.
    pub(super) const PIECE_BYTES: usize =
        2 * size_of::<Piece>() + BYTES_PER_PIECE + IDS_PER_PIECE * size_of::<TokenId>();

    /// Number of pieces.
    pub(super) fn used(&self) -> usize {
        self.table.len()
    }

    /// Pieces that there is room for.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Pieces that there is room for after it has grown.
    pub(super) fn next_room(&self) -> usize {
        (self.room * 2).max(FIRST_PIECES)
    }

    /// Grows to [`Self::next_room`].
    pub(super) fn grow(&mut self) {
        self.room = self.next_room();
        self.seen.resize(SEEN, 0);
    }

    /// The ids of a piece.
    pub(super) fn get(&self, bytes: &[u8], kind: Kind) -> Option<&[TokenId]> {
        if self.table.is_empty() {
            return None;
        }
        let hash = hash_bytes(bytes);
        let piece = self.table.find(hash, |piece| {
            piece.hash == hash as u32 && piece.kind == kind && self.bytes_of(piece) == bytes
        })?;
        self.ids.get(piece.ids as usize..(piece.ids + piece.count) as usize)
    }

    /// Whether a piece that is not there should be kept: whether it came before, as far as is known.
    pub(super) fn is_due(&mut self, bytes: &[u8]) -> bool {
        let hash = hash_bytes(bytes);
        let Some(seen) = self.seen.get_mut(hash as usize % SEEN) else { return true };
        let tag = (hash >> 32) as u32 | 1;
        std::mem::replace(seen, tag) == tag
    }

    /// Whether there is room for one more piece, of so many bytes and ids.
    pub(super) fn has_room(&self, bytes: usize, ids: usize) -> bool {
        self.table.len() < self.room
            && self.bytes.len() + bytes <= self.room * BYTES_PER_PIECE
            && self.ids.len() + ids <= self.room * IDS_PER_PIECE
    }

    /// Keeps the ids of a piece that is not there.
    pub(super) fn insert(&mut self, bytes: &[u8], kind: Kind, ids: &[TokenId]) {
        let hash = hash_bytes(bytes);
        let (start, ids_start) = (self.bytes.len() as u32, self.ids.len() as u32);
        self.bytes.extend_from_slice(bytes);
        self.ids.extend_from_slice(ids);
        let (len, count) = (bytes.len() as u32, ids.len() as u32);
        let piece = Piece { hash: hash as u32, kind, start, len, ids: ids_start, count };
        let Self { table, bytes, .. } = self;
        table.insert_unique(hash, piece, |piece| {
            let (start, len) = (piece.start as usize, piece.len as usize);
            hash_bytes(bytes.get(start..start + len).unwrap_or_default())
        });
    }

    /// Forgets all pieces.
    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.bytes.clear();
        self.ids.clear();
    }

    fn bytes_of(&self, piece: &Piece) -> &[u8] {
        let (start, len) = (piece.start as usize, piece.len as usize);
        self.bytes.get(start..start + len).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FIRST_PIECES, LongWords};
    use crate::encode::piece_key::Kind;

    proptest! {
        #[test]
        fn what_is_found_is_what_was_kept(texts in prop::collection::vec("[ab]{16,20}", 1..60)) {
            let mut words = LongWords::default();
            words.grow();
            for (index, text) in texts.iter().enumerate() {
                let ids = [index as u32, 1, 2];
                match words.get(text.as_bytes(), Kind::Piece).map(<[u32]>::to_vec) {
                    Some(found) => {
                        let first = texts.iter().position(|other| other == text);
                        prop_assert_eq!(first.map(|first| vec![first as u32, 1, 2]), Some(found));
                    }
                    None => words.insert(text.as_bytes(), Kind::Piece, &ids),
                }
                prop_assert_eq!(None, words.get(text.as_bytes(), Kind::Segment));
            }
        }
    }

    #[test]
    fn a_piece_is_due_when_it_comes_again() {
        let mut words = LongWords::default();
        words.grow();

        assert!(!words.is_due(b"incomprehensibilities"));
        assert!(words.is_due(b"incomprehensibilities"));
    }

    #[test]
    fn room_is_counted_in_pieces_bytes_and_ids() {
        let mut words = LongWords::default();
        assert!(!words.has_room(1, 1));

        words.grow();

        assert_eq!(FIRST_PIECES, words.room());
        assert!(words.has_room(96, 96));
        assert!(!words.has_room(1 << 20, 1));
        assert!(!words.has_room(1, 1 << 20));
    }
}
