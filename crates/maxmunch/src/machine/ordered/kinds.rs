//! Kinds of characters, and which bytes of a window of text are of each.
//!
//! PERF: 16 bytes are compared at once by `wide`, not `std::arch`, so that one source serves every platform and no
//! `unsafe` is needed.

use wide::i8x16;

/// Bytes of a window.
pub(crate) const LENGTH: usize = 64;

/// Number of kinds, [`OTHER`] included.
pub(crate) const KINDS: usize = 9;

/// What nothing is told of: bytes beyond ASCII, control characters, the end of the text.
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

/// Wide letters, of two bytes: Cyrillic ones, which are whatever begins with these.
pub(crate) const WIDE: std::ops::Range<u32> = 0x400..0x480;
const LEADS: [u8; 2] = [0xD0, 0xD1];

/// Whether capital letters are of a kind of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Ignored,
    Told,
}

/// The kind of a byte.
const fn kind(byte: u8, case: Case) -> u8 {
    match (byte, case) {
        (b'A'..=b'Z', Case::Told) => CAPITAL,
        (b'a'..=b'z' | b'A'..=b'Z', _) => LETTER,
        (b'0'..=b'9', _) => DIGIT,
        (b' ', _) => SPACE,
        (b'\n' | b'\r', _) => NEWLINE,
        (b'\t', _) => TAB,
        (b'\'', _) => APOSTROPHE,
        (b'!'..=b'~', _) => MARK,
        _ => OTHER,
    }
}

const HAS_KIND: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = kind(byte as u8, Case::Ignored) != OTHER;
        byte += 1;
    }
    table
};

/// Whether the byte at `at` is of any kind but [`OTHER`].
#[inline]
pub(crate) fn has_kind(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|&byte| HAS_KIND[usize::from(byte)])
}

/// Whether a letter of [`WIDE`] begins at `at`.
#[inline]
pub(crate) fn begins_wide(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| LEADS.contains(byte))
}

/// The ASCII bytes of a kind.
pub(crate) fn members(of: u8, case: Case) -> impl Iterator<Item = u8> {
    (0..0x80).filter(move |&byte| kind(byte, case) == of)
}

/// Some kinds, a bit for each.
pub(crate) type KindSet = u16;

/// For each kind a bit for each byte of `window`; with `wide` both bytes of a letter of [`WIDE`] are letters, which may
/// begin with the byte `before` the window.
#[expect(clippy::inline_always, reason = "PERF: a window is a few steps")]
#[inline(always)]
pub(crate) fn masks(window: &[u8; LENGTH], case: Case, wide: bool, before: u8) -> [u64; KINDS] {
    let [mut letter, mut capital, mut digit, mut space] = [0; 4];
    let [mut newline, mut tab, mut apostrophe, mut visible] = [0; 4];
    let [mut lead, mut inner] = [0; 2];
    for (index, lane) in window.as_chunks::<16>().0.iter().enumerate() {
        let bytes = i8x16::new(lane.map(|byte| byte as i8));
        // Bytes beyond ASCII are negative.
        let between = |bytes: i8x16, low: u8, high: u8| {
            bytes.simd_gt(i8x16::splat(low as i8 - 1)) & bytes.simd_lt(i8x16::splat(high as i8 + 1))
        };
        let is = |byte: u8| bytes.simd_eq(i8x16::splat(byte as i8));
        let at = |lane: i8x16| u64::from(lane.to_bitmask()) << (16 * index);
        letter |= at(between(bytes | i8x16::splat(0x20), b'a', b'z'));
        if case == Case::Told {
            capital |= at(between(bytes, b'A', b'Z'));
        }
        digit |= at(between(bytes, b'0', b'9'));
        space |= at(is(b' '));
        newline |= at(is(b'\n') | is(b'\r'));
        tab |= at(is(b'\t'));
        apostrophe |= at(is(b'\''));
        visible |= at(between(bytes, b'!', b'~'));
        if wide {
            lead |= at(is(LEADS[0]) | is(LEADS[1]));
            inner |= at(bytes.simd_lt(i8x16::splat(0xC0_u8 as i8)));
        }
    }
    let tail = inner & (lead << 1 | u64::from(LEADS.contains(&before)));
    let mark = visible & !(letter | digit | apostrophe);
    let other = !(visible | space | newline | tab | lead | tail);
    let letter = letter & !capital | lead | tail;
    [other, letter, digit, space, newline, tab, apostrophe, mark, capital]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Case, KINDS, LEADS, LENGTH, LETTER, has_kind, kind, masks, members};

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
        assert_eq!(kind(b'a', Case::Ignored), kind(b'Z', Case::Ignored));
        assert_ne!(kind(b'a', Case::Told), kind(b'Z', Case::Told));
        assert!(!has_kind(b"a", 1));
    }

    proptest! {
        #[test]
        fn masks_hold_the_kind_of_each_byte(
            bytes in prop::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(vec![0xD0, 0xD1, 0x80, 0xBF])],
                LENGTH,
            ),
            before in any::<u8>(),
            wide in any::<bool>(),
            case in prop::sample::select(vec![Case::Ignored, Case::Told]),
        ) {
            let window = bytes.first_chunk().ok_or(TestCaseError::reject("too few"))?;
            let found = masks(window, case, wide, before);
            let all = std::iter::once(before).chain(bytes.iter().copied());
            for (index, (last, byte)) in all.zip(bytes.iter().copied()).enumerate() {
                let expected = match byte {
                    0xD0 | 0xD1 if wide => LETTER,
                    0x80..0xC0 if wide && LEADS.contains(&last) => LETTER,
                    _ => kind(byte, case),
                };
                for (of, mask) in found.iter().enumerate() {
                    let is_of = usize::from(expected) == of;
                    prop_assert_eq!(is_of, mask >> index & 1 == 1, "{} of {}", byte, of);
                }
            }
        }
    }
}
