//! The splitter: cuts inside a piece that no merge can cross.
//!
//! A boundary between the characters `a` and `b` is *closed* when no result of a merge has `a` directly before
//! `b`. No symbol ever straddles a closed boundary, so the merges on its two sides never meet: cutting there
//! changes no id and no offset (docs/decisions/0040-exact-cuts.md). The guard answers from pairs of characters; a
//! wrong "open" only costs speed.

use crate::encode::hashing::hash_pair;

/// Bits of the table of pairs: 128 KiB, which real vocabularies fill to a twentieth.
const TABLE_BITS: u32 = 20;

/// The mark for spaces, which most words of texts without a pre-tokenizer begin with.
pub(super) const SPACE_MARK: u32 = 0x2581;
pub(super) const MARK: &str = "▁";

const SPACE: u32 = b' ' as u32;

/// What a space in the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spaces {
    /// A space.
    Plain,
    /// The mark, which the text may have, too. Nothing stands for a space then.
    Marks,
}

/// Marks of units that are less than a character: its last bytes, or its first.
const TAIL: u32 = 1 << 30;
const HEAD: u32 = 1 << 31;

impl Spaces {
    /// Whether a text with spaces may have this text.
    pub(super) fn allows(self, text: &str) -> bool {
        self == Self::Plain || !text.contains(' ')
    }
}

/// The pairs of neighbours that some merge may join.
#[derive(Debug, Clone)]
pub(super) struct PairGuard {
    /// Bit `b` of `ascii[a]`.
    ascii: Box<[u128; 128]>,
    /// Bit `b` of the number for `a` says whether to cut between the two, see [`Self::cuts_ascii`].
    cuts: Box<[[u64; 2]; 128]>,
    /// The same as `ascii` beside the mark for spaces: bit `a` for `a` before the mark, bit `b` for `b` after it.
    before_mark: u128,
    after_mark: u128,
    /// One bit a hash of a pair of units.
    pairs: Box<[u64]>,
    /// Whether some piece begins or ends inside a character, next to another unit.
    has_parts: bool,
    /// Units that stand before the first bytes of a character in some piece, and characters that stand behind the
    /// last bytes of one.
    ///
    /// PERF: nine pairs of units would have to be looked up for two characters of three bytes each.
    before_heads: UnitSet,
    after_tails: UnitSet,
    spaces: Spaces,
}

impl PairGuard {
    /// The guard of these pieces, each a byte string as the model sees it.
    ///
    /// Pieces may begin and end inside a character. `spelled` has a bit for each ASCII character beside which a
    /// cut changes nothing, as far as the character decides that.
    pub(super) fn new<'a>(
        pieces: impl IntoIterator<Item = &'a [u8]>,
        spelled: u128,
        spaces: Spaces,
    ) -> Self {
        let mut guard = Self {
            spaces,
            ascii: Box::new([0; 128]),
            cuts: Box::new([[0; 2]; 128]),
            before_mark: 0,
            after_mark: 0,
            pairs: vec![0; (1 << TABLE_BITS) / 64].into_boxed_slice(),
            has_parts: false,
            before_heads: UnitSet::new(),
            after_tails: UnitSet::new(),
        };
        for piece in pieces {
            guard.open_all(piece);
        }
        for (left, row) in guard.ascii.iter().enumerate() {
            let cuts = if spelled >> left & 1 == 1 { !row & spelled } else { 0 };
            guard.cuts[left] = [cuts as u64, (cuts >> 64) as u64];
        }
        guard
    }

    /// Whether to cut between two ASCII characters: no merge joins them, and both are spelled.
    #[inline]
    pub(super) fn cuts_ascii(&self, left: u8, right: u8) -> bool {
        let row = &self.cuts[usize::from(left % 128)];
        row[usize::from(right / 64 % 2)] >> (right % 64) & 1 == 1
    }

    fn open_all(&mut self, piece: &[u8]) {
        let tail = piece.iter().take_while(|&&byte| byte & 0xC0 == 0x80).count();
        let mut before = (tail > 0).then(|| TAIL | pack(&piece[..tail]));
        let mut at = tail;
        while at < piece.len() {
            let rest = &piece[at..];
            let len = width(rest[0]).min(rest.len());
            let is_part = len < width(rest[0]);
            let unit = if is_part { HEAD | pack(rest) } else { decode(rest).0 };
            if let Some(before) = before {
                self.open(before, unit);
            }
            before = Some(unit);
            at += len;
        }
    }

    fn open(&mut self, left: u32, right: u32) {
        self.open_pair(left, right);
        if self.spaces == Spaces::Marks && (left == SPACE_MARK || right == SPACE_MARK) {
            let written = |unit| if unit == SPACE_MARK { SPACE } else { unit };
            self.open_pair(written(left), right);
            self.open_pair(left, written(right));
            self.open_pair(written(left), written(right));
        }
    }

    fn open_pair(&mut self, left: u32, right: u32) {
        if let (Some(row), 0..128) = (self.ascii.get_mut(left as usize), right) {
            *row |= 1 << right;
        } else if let (SPACE_MARK, 0..128) = (left, right) {
            self.after_mark |= 1 << right;
        } else if let (0..128, SPACE_MARK) = (left, right) {
            self.before_mark |= 1 << left;
        } else {
            self.has_parts |= (left | right) & (TAIL | HEAD) != 0;
            if right & HEAD != 0 {
                self.before_heads.insert(left);
            } else if left & TAIL != 0 {
                self.after_tails.insert(right);
            }
            let bit = bit_of(left, right);
            self.pairs[bit / 64] |= 1 << (bit % 64);
        }
    }

    #[inline]
    fn is_open(&self, left: u32, right: u32) -> bool {
        let bit = bit_of(left, right);
        self.pairs.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Whether no merge joins the last character of `left` and the first of `right`, given as units too.
    #[inline]
    pub(super) fn is_closed(&self, text: &[u8], at: usize, left: Unit, right: Unit) -> bool {
        let exact = match (left.code, right.code) {
            (0..128, 0..128) => self.ascii.get(left.code as usize).map(|row| row >> right.code),
            (SPACE_MARK, 0..128) => Some(self.after_mark >> right.code),
            (0..128, SPACE_MARK) => Some(self.before_mark >> left.code),
            _ => None,
        };
        // Pieces that begin or end inside the mark are not among them.
        if let Some(bits) = exact
            && (!self.has_parts || left.len == right.len)
        {
            return bits & 1 == 0;
        }
        if exact.is_some_and(|bits| bits & 1 == 1) {
            return false;
        }
        let is_open = self.is_open(left.code, right.code)
            || (self.has_parts && self.is_open_in_part(text, at, left, right));
        !is_open
    }

    /// Whether a piece that begins or ends inside one of the two characters joins them.
    fn is_open_in_part(&self, text: &[u8], at: usize, left: Unit, right: Unit) -> bool {
        let tail = |len| match len {
            0 => left.code,
            _ => TAIL | pack(text.get(at - len..at).unwrap_or_default()),
        };
        let head = |len| HEAD | pack(text.get(at..at + len).unwrap_or_default());
        let is_behind_tail = || (1..left.len).any(|len| self.is_open(tail(len), right.code));
        let is_before_head = |unit| {
            self.before_heads.may_hold(unit)
                && (1..right.len).any(|len| self.is_open(unit, head(len)))
        };
        (self.after_tails.may_hold(right.code) && is_behind_tail())
            || (right.len > 1 && (0..left.len).map(tail).any(is_before_head))
    }
}

/// A small set of units, which may say yes of others.
#[derive(Debug, Clone)]
struct UnitSet(Box<[u64; Self::WORDS]>);

impl UnitSet {
    /// Bits of a place: 4 KiB, which stay in the processor's first cache.
    const BITS: u32 = 15;
    const WORDS: usize = (1 << Self::BITS) / 64;

    fn new() -> Self {
        Self(Box::new([0; Self::WORDS]))
    }

    #[inline]
    const fn place(unit: u32) -> (usize, u32) {
        let hash = unit.wrapping_mul(0x9E37_79B1) >> (32 - Self::BITS);
        (hash as usize / 64 % Self::WORDS, hash % 64)
    }

    fn insert(&mut self, unit: u32) {
        let (word, bit) = Self::place(unit);
        self.0[word] |= 1 << bit;
    }

    #[inline]
    fn may_hold(&self, unit: u32) -> bool {
        let (word, bit) = Self::place(unit);
        self.0[word] >> bit & 1 == 1
    }
}

/// A character: its code point and its length in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) code: u32,
    pub(super) len: usize,
}

impl Unit {
    /// The character at byte `at` of valid UTF-8; beyond the end one of no meaning.
    #[inline]
    pub(super) fn at(text: &[u8], at: usize) -> Self {
        match text.get(at) {
            Some(&byte) if byte < 0x80 => Self { code: u32::from(byte), len: 1 },
            _ => {
                let (code, len) = decode(text.get(at..).unwrap_or_default());
                Self { code, len }
            }
        }
    }
}

#[inline]
fn bit_of(left: u32, right: u32) -> usize {
    (hash_pair(left, right) >> (64 - TABLE_BITS)) as usize
}

/// Up to three bytes in one number that tells their number, too.
#[inline]
fn pack(bytes: &[u8]) -> u32 {
    bytes.iter().fold(1, |number, &byte| number << 8 | u32::from(byte))
}

/// Length of the character that begins with `byte`; 1 for bytes that begin none.
#[inline]
const fn width(byte: u8) -> usize {
    match byte {
        0xF0..=0xF7 => 4,
        0xE0..=0xEF => 3,
        0xC0..=0xDF => 2,
        _ => 1,
    }
}

/// Code point and length of the first character; bytes that begin none stand for themselves.
#[inline]
fn decode(rest: &[u8]) -> (u32, usize) {
    let low = |byte: u8| u32::from(byte & 0x3F);
    match *rest {
        [a @ 0xE0..0xF0, b, c, ..] => (u32::from(a & 0x0F) << 12 | low(b) << 6 | low(c), 3),
        [a @ 0xC0..0xE0, b, ..] => (u32::from(a & 0x1F) << 6 | low(b), 2),
        [a @ 0xF0..=0xF7, b, c, d, ..] => {
            (u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d), 4)
        }
        [a, ..] => (u32::from(a), 1),
        [] => (0, 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PairGuard, Spaces, Unit};

    fn closed(guard: &PairGuard, left: char, right: char) -> bool {
        let text: String = [left, right].iter().collect();
        let (first, at) = (Unit::at(text.as_bytes(), 0), left.len_utf8());
        guard.is_closed(text.as_bytes(), at, first, Unit::at(text.as_bytes(), at))
    }

    #[test]
    fn pairs_inside_a_piece_are_open_others_closed() {
        let guard = PairGuard::new(["ab▁a".as_bytes(), "é漢".as_bytes()], u128::MAX, Spaces::Plain);

        assert!(!closed(&guard, 'a', 'b') && !closed(&guard, 'é', '漢'));
        assert!(!closed(&guard, 'b', '▁') && !closed(&guard, '▁', 'a'));
        assert!(closed(&guard, 'a', '▁') && closed(&guard, '▁', 'b') && closed(&guard, '▁', '▁'));
        assert!(closed(&guard, 'b', 'a') && closed(&guard, '漢', 'é') && closed(&guard, 'b', 'é'));
    }

    #[test]
    fn a_piece_that_ends_inside_a_character_opens_all_that_begin_so() {
        // "a" and the first two bytes of "漢" (E6 BC A2); the last byte and "b".
        let guard = PairGuard::new([b"a\xE6\xBC".as_slice(), b"\xA2b"], u128::MAX, Spaces::Plain);

        assert!(
            !closed(&guard, 'a', '漢') && !closed(&guard, 'a', '漣') && closed(&guard, 'a', '洢')
        );
        assert!(
            !closed(&guard, '漢', 'b') && !closed(&guard, '¢', 'b') && closed(&guard, '漣', 'b')
        );
    }

    #[test]
    fn ascii_characters_are_cut_where_they_are_closed_and_spelled() {
        let spelled = !(1 << b'x');
        let guard = PairGuard::new(["ab▁a".as_bytes(), b"~x", b"\xA2b"], spelled, Spaces::Plain);

        for left in 0..128_u8 {
            for right in 0..128_u8 {
                let is_closed = closed(&guard, char::from(left), char::from(right));
                let expected = is_closed && left != b'x' && right != b'x';
                assert_eq!(expected, guard.cuts_ascii(left, right), "{left} {right}");
            }
        }
    }

    #[test]
    fn a_space_that_stands_for_a_mark_is_joined_as_the_mark_is() {
        let pieces = ["a▁".as_bytes(), "▁b".as_bytes(), "▁▁".as_bytes(), "é▁".as_bytes()];
        let plain = PairGuard::new(pieces, u128::MAX, Spaces::Plain);
        let marks = PairGuard::new(pieces, u128::MAX, Spaces::Marks);

        let written = |character| if character == ' ' { '▁' } else { character };
        for left in ['a', 'b', 'é', ' ', '▁'] {
            for right in ['a', 'b', 'é', ' ', '▁'] {
                let expected = closed(&plain, written(left), written(right));
                assert_eq!(expected, closed(&marks, left, right), "{left:?} {right:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_a_piece_covers_is_never_closed(
            text in "[a🙂漢é▁]{2,6}",
            cuts in (0..30_usize, 0..30_usize),
        ) {
            let bytes = text.as_bytes();
            let (from, to) = (cuts.0 % bytes.len(), cuts.1 % (bytes.len() + 1));
            prop_assume!(from < to);
            let guard = PairGuard::new([&bytes[from..to]], u128::MAX, Spaces::Plain);
            let mut left = Unit::at(bytes, 0);
            let mut at = left.len;
            while at < bytes.len() {
                let right = Unit::at(bytes, at);
                if from < at && at < to {
                    prop_assert!(!guard.is_closed(bytes, at, left, right));
                }
                left = right;
                at += right.len;
            }
        }
    }
}
