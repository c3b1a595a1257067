//! Short pieces as numbers: exact keys of the tables that pieces are looked up in.

use crate::encode::hashing::hash_key;
use crate::units::Span;

/// Most bytes of a key.
pub(super) const SHORT_KEY: usize = 15;

/// Most bytes of a small key: with an id it is a quarter of a line of the processor's cache.
pub(super) const SMALL_KEY: usize = 11;

/// Bytes of a piece that never fits into a key.
const TOO_LONG: usize = SHORT_KEY + MARK_LEN;

/// The mark for spaces, and what stands for it in a key: a byte that no text has.
///
/// PERF: words of models that use the mark would have two letters less.
const MARK: u64 = u64::from_le_bytes([0xE2, 0x96, 0x81, 0, 0, 0, 0, 0]);
const MARK_LEN: usize = 3;

/// What the bytes of a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A whole piece of the pre-tokenizer.
    Piece,
    /// A part of one, cut by the splitter, where whole pieces are looked up before any merge.
    Segment,
    /// A part of a text in which a space stands for the mark.
    Spaced,
}

impl Kind {
    /// What it adds to the length of a key.
    const fn bits(self) -> u128 {
        match self {
            Self::Piece => 0,
            Self::Segment => 1 << 7,
            Self::Spaced => 1 << 6,
        }
    }
}

/// The exact bytes of a short piece, their number, and its kind, in one number. It is never 0, and that of a small key
/// has 96 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(u128);

impl Key {
    /// What no piece has.
    pub(super) const NONE: Self = Self(u128::MAX);

    /// The key of these halves.
    pub(super) const fn of_halves(low: u64, high: u64) -> Self {
        Self((high as u128) << 64 | low as u128)
    }

    /// The key of the bytes `span` of `text`, UTF-8 and at least one; `None` where they are too many.
    #[inline]
    pub(super) fn new(text: &[u8], span: Span, kind: Kind) -> Option<Self> {
        let len = span.len();
        if len >= TOO_LONG {
            return None;
        }
        match text.get(span.start..).and_then(<[u8]>::first_chunk) {
            Some(chunk) => Self::of_chunk(chunk, len, kind),
            None => Self::of_chunk(&at_the_end(text, span.start), len, kind),
        }
    }

    #[inline]
    fn of_chunk(chunk: &[u8; READ], len: usize, kind: Kind) -> Option<Self> {
        let first = chunk.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
        // PERF: a branch on the first byte, which texts without marks pass by; arithmetic behind it, as whether
        // there is a mark makes a bad guess for a branch.
        if first as u8 != MARK as u8 {
            return Self::of_bytes(u128::from_le_bytes(*chunk.first_chunk()?), len, kind);
        }
        let has_mark = first << 40 == MARK << 40 && len >= MARK_LEN;
        let skipped = usize::from(has_mark) * (MARK_LEN - 1);
        let chunk = chunk.get(skipped..)?.first_chunk()?;
        let bytes = u128::from_le_bytes(*chunk) | u128::from(0_u8.wrapping_sub(u8::from(has_mark)));
        Self::of_bytes(bytes, len - skipped, kind)
    }

    #[inline]
    fn of_bytes(bytes: u128, len: usize, kind: Kind) -> Option<Self> {
        let shape = SHAPES.get(len)?;
        Some(Self(bytes & shape.bytes | shape.len | kind.bits() << shape.place))
    }

    /// As [`Self::new`] for a whole piece that does not begin with the mark for spaces; `None` also where the text ends
    /// soon behind it.
    #[inline]
    pub(super) fn inside(text: &[u8], span: Span) -> Option<Self> {
        let chunk = text.get(span.start..)?.first_chunk()?;
        let shape = SHAPES.get(span.len())?;
        Some(Self(u128::from_le_bytes(*chunk) & shape.bytes | shape.len))
    }

    /// The lower half of the number.
    #[inline]
    pub(super) const fn low(self) -> u64 {
        self.0 as u64
    }

    /// The other half; 32 bits for a small key.
    #[inline]
    pub(super) const fn high(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// Whether it has at most [`SMALL_KEY`] bytes.
    #[inline]
    pub(super) const fn is_small(self) -> bool {
        self.high() >> 32 == 0
    }

    /// The number.
    #[cfg(test)]
    pub(super) const fn number(self) -> u128 {
        self.0
    }

    /// Number of bytes, at least 1.
    #[cfg(test)]
    const fn len(self) -> usize {
        let place = if self.is_small() { 8 * SMALL_KEY } else { 8 * SHORT_KEY };
        (self.0 >> place) as usize & SHORT_KEY
    }

    /// The hash of the number.
    #[inline]
    pub(super) const fn hash(self) -> u64 {
        hash_key(self.0)
    }
}

/// Bytes that a key is made from.
const READ: usize = 18;

/// The bytes from `start` on, and zeros behind the end of the text.
#[cold]
fn at_the_end(text: &[u8], start: usize) -> [u8; READ] {
    let mut chunk = [0; READ];
    for (to, from) in chunk.iter_mut().zip(text.get(start..).unwrap_or_default()) {
        *to = *from;
    }
    chunk
}

/// How keys of one length look.
#[derive(Clone, Copy)]
struct Shape {
    /// Where the bytes are.
    bytes: u128,
    /// The length, in its place.
    len: u128,
    place: u32,
}

/// PERF: a shift of so wide a number takes several steps.
const SHAPES: [Shape; SHORT_KEY + 1] = {
    let mut shapes = [Shape { bytes: 0, len: 0, place: 0 }; SHORT_KEY + 1];
    let mut len = 1;
    while len <= SHORT_KEY {
        let place = 8 * if len <= SMALL_KEY { SMALL_KEY } else { SHORT_KEY };
        shapes[len] = Shape {
            bytes: u128::MAX >> (128 - 8 * len),
            len: (len as u128) << place,
            place: place as u32,
        };
        len += 1;
    }
    shapes
};

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::{Key, Kind};
    use crate::units::Span;

    fn key(text: &str, kind: Kind) -> Option<Key> {
        Key::new(text.as_bytes(), Span::new(0, text.len()), kind)
    }

    proptest! {
        #[test]
        fn equal_keys_are_equal_pieces(
            pieces in prop::collection::vec(("[▁ab\u{0}é]{1,9}", any::<bool>()), 1..200),
            behind in "[▁ab]{0,20}",
        ) {
            let mut seen: HashMap<u128, (&str, bool)> = HashMap::new();
            for (piece, is_segment) in &pieces {
                let kind = if *is_segment { Kind::Segment } else { Kind::Piece };
                let text = format!("b{piece}{behind}");
                let inside = Key::new(text.as_bytes(), Span::new(1, 1 + piece.len()), kind);
                prop_assert_eq!(key(piece, kind), inside);
                prop_assert!(inside.is_some() || piece.len() > 15);
                if let Some(key) = inside {
                    let before = seen.insert(key.number(), (piece, *is_segment));
                    prop_assert!(before.is_none_or(|before| before == (piece, *is_segment)));
                    prop_assert!(key.len() <= piece.len() && key.len() > 0);
                }
            }
        }
    }

    #[test]
    fn a_mark_counts_as_one_byte() {
        let number_of_bytes = |text| key(text, Kind::Piece).map(Key::len);

        assert_eq!(Some(1), number_of_bytes("▁"));
        assert_eq!(Some(15), number_of_bytes("▁abcdefghijklmn"));
        assert_eq!(None, number_of_bytes("▁abcdefghijklmno"));
        assert_eq!(Some(15), number_of_bytes("abcdefghijklmno"));
        assert_eq!(None, number_of_bytes("abcdefghijklmnop"));
        assert_eq!(Some(4), number_of_bytes("a▁"));
    }
}
