//! The table of byte-level vocabularies: one printable character for each of the 256 bytes.
//!
//! Bytes that print in Latin-1 stand for themselves; the other 68 are numbered from U+0100 in order.

use std::ops::Range;

/// Number of bytes that have no printable form of their own.
const SHIFTED: usize = 68;

const CHARS: [char; 256] = table().0;
const BYTES_OF_SHIFTED: [u8; SHIFTED] = table().1;

const fn prints(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF)
}

const fn table() -> ([char; 256], [u8; SHIFTED]) {
    let mut chars = ['\0'; 256];
    let mut shifted = [0_u8; SHIFTED];
    let mut count = 0;
    let mut byte = 0;
    while byte < 256 {
        let value = byte as u8;
        if prints(value) {
            chars[byte] = value as char;
        } else {
            if let Some(character) = char::from_u32(0x100 + count as u32) {
                chars[byte] = character;
            }
            shifted[count] = value;
            count += 1;
        }
        byte += 1;
    }
    (chars, shifted)
}

/// The character that stands for `byte`.
pub const fn char_of(byte: u8) -> char {
    CHARS[byte as usize]
}

/// The byte for which `character` stands, `None` outside the table.
pub fn byte_of(character: char) -> Option<u8> {
    let code = character as usize;
    match u8::try_from(code) {
        Ok(byte) => prints(byte).then_some(byte),
        Err(_) => BYTES_OF_SHIFTED.get(code - 0x100).copied(),
    }
}

/// The text that stands for `bytes`.
pub fn to_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char_of(byte)).collect()
}

/// The bytes for which `text` stands, `None` when a character is outside the table.
pub fn to_bytes(text: &str) -> Option<Vec<u8>> {
    text.chars().map(byte_of).collect()
}

/// Puts the bytes for which `text` stands behind others and returns where they are; `None` as [`to_bytes`].
pub fn append_bytes(text: &str, out: &mut Vec<u8>) -> Option<Range<usize>> {
    let start = out.len();
    for character in text.chars() {
        let Some(byte) = byte_of(character) else {
            out.truncate(start);
            return None;
        };
        out.push(byte);
    }
    Some(start..out.len())
}

/// The byte of `<0xHH>`.
pub fn fallback_byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_plain = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_plain.then(|| u8::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::{append_bytes, byte_of, char_of, fallback_byte, to_bytes, to_text};

    #[test]
    fn bytes_go_behind_others() {
        let mut out = vec![7];

        assert_eq!(Some(1..3), append_bytes("aĠ", &mut out));
        assert_eq!(None, append_bytes("a b", &mut out));
        assert_eq!(vec![7, b'a', b' '], out);
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();

        assert_eq!(Some(all.clone()), to_bytes(&to_text(&all)));
        assert!(all.iter().all(|&byte| byte_of(char_of(byte)) == Some(byte)));
    }

    #[test]
    fn known_entries_of_the_table() {
        assert_eq!("ĠĊĉa!ÿŃ", to_text(&[b' ', b'\n', b'\t', b'a', b'!', 0xFF, 0xAD]));
        assert_eq!(None, to_bytes("a b"));
        assert_eq!(None, byte_of('\u{AD}'));
        assert_eq!(None, byte_of('東'));
    }

    #[test]
    fn only_two_hexadecimal_digits_are_a_byte() {
        assert_eq!(Some(0xE2), fallback_byte("<0xE2>"));
        assert_eq!(None, fallback_byte("<0x+2>"));
        assert_eq!(None, fallback_byte("<0xE22>"));
    }
}
