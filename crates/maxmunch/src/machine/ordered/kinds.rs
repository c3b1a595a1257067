//! Kinds of ASCII characters, and where runs of one kind begin in a window of text.
//!
//! PERF: written so that a compiler makes it one operation for many bytes; no `std::arch`, so that one source
//! serves every platform.

/// Bytes of a window.
const LENGTH: usize = 64;

/// Number of kinds, [`OTHER`] included.
pub(crate) const KINDS: usize = 9;

/// What no run is made of: bytes beyond ASCII, control characters, the end of the text.
pub(crate) const OTHER: u8 = 0;

pub(crate) const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 3;
const NEWLINE: u8 = 4;
const TAB: u8 = 5;
const APOSTROPHE: u8 = 6;
const MARK: u8 = 7;

/// Capital letters, where a pattern tells them from others; else they are letters.
const CAPITAL: u8 = 8;

/// Whether capital letters are of a kind of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Ignored,
    Told,
}

impl Case {
    /// What a capital letter has beyond [`LETTER`], where it is told.
    const fn bits(self) -> u8 {
        match self {
            Self::Ignored => 0,
            Self::Told => CAPITAL - LETTER,
        }
    }
}

/// The kind of a byte; `case` as [`Case::bits`] gives it.
#[inline]
const fn kind(byte: u8, case: u8) -> u8 {
    // Sums of products, as a choice would be a branch.
    let letter = ((byte | 0x20).wrapping_sub(b'a') < 26) as u8;
    let capital = (byte.wrapping_sub(b'A') < 26) as u8;
    let digit = (byte.wrapping_sub(b'0') < 10) as u8;
    let space = (byte == b' ') as u8;
    let newline = (byte == b'\n') as u8 | (byte == b'\r') as u8;
    let tab = (byte == b'\t') as u8;
    let apostrophe = (byte == b'\'') as u8;
    let visible = (byte.wrapping_sub(0x21) < 0x7F - 0x21) as u8;
    letter * LETTER
        + (0_u8.wrapping_sub(capital) & case)
        + digit * DIGIT
        + space * SPACE
        + newline * NEWLINE
        + tab * TAB
        + apostrophe * APOSTROPHE
        + (visible & !(letter | digit | apostrophe)) * MARK
}

const HAS_KIND: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = kind(byte as u8, 0) != OTHER;
        byte += 1;
    }
    table
};

/// Whether the byte at `at` is of any kind but [`OTHER`].
#[inline]
pub(crate) fn has_kind(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|&byte| HAS_KIND[usize::from(byte)])
}

/// The ASCII bytes of a kind.
pub(crate) fn members(of: u8, case: Case) -> impl Iterator<Item = u8> {
    (0..0x80).filter(move |&byte| kind(byte, case.bits()) == of)
}

/// Some bytes of a text: their kinds, and where runs of one kind begin.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    kinds: [u8; LENGTH],
    /// Bit `i`: byte `i` is of another kind than the one before it. Bit 0 says nothing.
    changes: u64,
}

impl Window {
    /// One that has no runs.
    pub(crate) const EMPTY: Self = Self { kinds: [OTHER; LENGTH], changes: 0 };

    /// The window from byte `start` on; bytes beyond the end are of kind [`OTHER`].
    pub(crate) fn new(bytes: &[u8], start: usize, case: Case) -> Self {
        let rest = bytes.get(start..).unwrap_or_default();
        if let Some(window) = rest.first_chunk() {
            return Self::of(window, case.bits());
        }
        let mut window = [0xFF; LENGTH];
        window[..rest.len()].copy_from_slice(rest);
        Self::of(&window, case.bits())
    }

    fn of(window: &[u8; LENGTH], case: u8) -> Self {
        let kinds = window.map(|byte| kind(byte, case));
        let mut differ = [0_u8; LENGTH];
        for index in 1..LENGTH {
            differ[index] = u8::from(kinds[index] != kinds[index - 1]);
        }
        let mut changes = 0;
        for (index, chunk) in differ.as_chunks::<8>().0.iter().enumerate() {
            changes |= (u64::from_le_bytes(*chunk).wrapping_mul(GATHER) >> 56) << (8 * index);
        }
        Self { kinds, changes }
    }

    /// Whether the byte at `offset` and the next are in a window.
    #[inline]
    pub(crate) const fn holds_pair(offset: usize) -> bool {
        offset < LENGTH - 1
    }

    /// The kind of the byte at `offset`, less than [`LENGTH`].
    #[inline]
    pub(crate) fn kind(&self, offset: usize) -> usize {
        usize::from(self.kinds[offset % LENGTH])
    }

    /// The first place from `offset`, at least 1, on where a run begins, if there is one in the window.
    #[inline]
    pub(crate) fn change_from(&self, offset: usize) -> Option<usize> {
        if offset >= LENGTH {
            return None;
        }
        let rest = self.changes >> offset;
        (rest != 0).then(|| offset + rest.trailing_zeros() as usize)
    }
}

/// A product with this has the lowest bits of eight bytes side by side at its top.
const GATHER: u64 = 0x0102_0408_1020_4080;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Case, KINDS, LENGTH, OTHER, Window, has_kind, kind, members};

    fn kind_at(bytes: &[u8], at: usize, case: Case) -> usize {
        usize::from(bytes.get(at).map_or(OTHER, |&byte| kind(byte, case.bits())))
    }

    #[test]
    fn every_visible_character_and_white_space_has_one_kind() {
        for byte in 0..=u8::MAX {
            let expected = byte.is_ascii_graphic() || b" \n\r\t".contains(&byte);
            assert_eq!(expected, has_kind(&[byte], 0), "{byte}");
            for case in [Case::Ignored, Case::Told] {
                let holders = (1..KINDS as u8).filter(|&of| members(of, case).any(|b| b == byte));
                assert_eq!(usize::from(expected), holders.count(), "{byte}");
            }
        }
        assert_eq!(kind(b'a', Case::Ignored.bits()), kind(b'Z', Case::Ignored.bits()));
        assert_ne!(kind(b'a', Case::Told.bits()), kind(b'Z', Case::Told.bits()));
        assert!(!has_kind(b"a", 1));
    }

    proptest! {
        #[test]
        fn changes_are_found_as_byte_by_byte(
            bytes in prop::collection::vec(prop::sample::select(b"aZ0 \n\r\t'.\0\xC3".to_vec()), 0..150),
            start in 0..160_usize,
            case in prop::sample::select(vec![Case::Ignored, Case::Told]),
        ) {
            let found = Window::new(&bytes, start, case);
            for index in 1..LENGTH {
                prop_assert_eq!(kind_at(&bytes, start + index, case), found.kind(index), "at {}", index);
                let differs =
                    kind_at(&bytes, start + index, case) != kind_at(&bytes, start + index - 1, case);
                prop_assert_eq!(differs, found.change_from(index) == Some(index), "at {}", index);
            }
            prop_assert_eq!(None, found.change_from(LENGTH));
        }
    }
}
