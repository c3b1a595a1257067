//! The character map of `SentencePiece`: a double array over keys, and the texts they become.
//!
//! The blob is the size of the array in bytes (32 bits, little endian), the array, and the texts, each ended
//! by NUL. A cell has a label in bits 0..8, "a key ends here" in bit 8, and the distance to its children in
//! bits 10..31, times 256 if bit 9 is set; the value of a key stands in the child for byte 0.

use crate::error::{Error, Result};

/// A character map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CharsMap {
    cells: Box<[u32]>,
    texts: String,
}

impl CharsMap {
    /// Reads the map of a tokenizer file; the error is the rule that it breaks.
    pub(super) fn from_base64(source: &str) -> std::result::Result<Self, &'static str> {
        let blob = decode_base64(source).ok_or("should be base64")?;
        let (size, rest) = blob
            .split_first_chunk::<4>()
            .ok_or("should start with the size of its array in four bytes")?;
        let size = u32::from_le_bytes(*size) as usize / 4 * 4;
        let array = rest.get(..size).ok_or("should hold as many bytes as its first four say")?;
        let texts = std::str::from_utf8(&rest[size..])
            .map_err(|_| "should hold texts in UTF-8 behind its array")?;
        let cells = array.as_chunks::<4>().0.iter().map(|cell| u32::from_le_bytes(*cell));
        Ok(Self { cells: cells.collect(), texts: texts.to_owned() })
    }

    /// What `text` becomes, by the shortest key that it starts with.
    ///
    /// A map that leads out of itself is an error.
    pub(super) fn look_up(&self, text: &str) -> Result<Option<&str>> {
        let mut at = offset(self.cell(0)?);
        // Keys end before a NUL.
        for byte in text.bytes().take_while(|&byte| byte != 0) {
            at ^= u32::from(byte);
            let cell = self.cell(at)?;
            if label(cell) != u32::from(byte) {
                return Ok(None);
            }
            at ^= offset(cell);
            if cell >> 8 & 1 == 1 {
                let start = self.cell(at)? & 0x7FFF_FFFF;
                let found = self.texts.get(start as usize..).ok_or_else(damaged)?;
                return Ok(found.split('\0').next());
            }
        }
        Ok(None)
    }

    /// The longest key that `text` starts with, as its length, and what it becomes.
    pub(super) fn longest(&self, text: &str) -> Result<Option<(usize, &str)>> {
        let mut found = None;
        let mut at = offset(self.cell(0)?);
        for (index, byte) in text.bytes().enumerate().take_while(|&(_, byte)| byte != 0) {
            at ^= u32::from(byte);
            // A text may lead out of a sound map, where no key goes on.
            let Some(&cell) = self.cells.get(at as usize) else { break };
            if label(cell) != u32::from(byte) {
                break;
            }
            at ^= offset(cell);
            if cell >> 8 & 1 == 1 {
                let start = self.cell(at)? & 0x7FFF_FFFF;
                found = Some((index + 1, start as usize));
            }
        }
        let Some((len, start)) = found.filter(|&(len, _)| text.is_char_boundary(len)) else {
            return Ok(None);
        };
        let new = self.texts.get(start..).ok_or_else(damaged)?;
        Ok(Some((len, new.split('\0').next().unwrap_or_default())))
    }

    fn cell(&self, at: u32) -> Result<u32> {
        self.cells.get(at as usize).copied().ok_or_else(damaged)
    }
}

fn label(cell: u32) -> u32 {
    cell & (1 << 31 | 0xFF)
}

fn offset(cell: u32) -> u32 {
    cell >> 10 << ((cell & 1 << 9) >> 6)
}

fn damaged() -> Error {
    Error::invalid(
        "normalizer",
        "the precompiled_charsmap is damaged: it points outside itself; take it from the original model",
    )
}

/// The bytes of standard base64: without white space, unused bits 0, padding whole, short or absent.
fn decode_base64(source: &str) -> Option<Vec<u8>> {
    let digits = source.trim_end_matches('=');
    let padding = source.len() - digits.len();
    let last = digits.len() % 4;
    if last == 1 || padding > (4 - last) % 4 {
        return None;
    }
    let mut bytes = Vec::with_capacity(source.len() / 4 * 3);
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for &digit in group {
            bits = bits << 6 | value_of(digit)?;
        }
        bits <<= 6 * (4 - group.len());
        let kept = group.len() - 1;
        let [_, all @ ..] = bits.to_be_bytes();
        if all[kept..].iter().any(|&unused| unused != 0) {
            return None;
        }
        bytes.extend_from_slice(&all[..kept]);
    }
    Some(bytes)
}

fn value_of(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::{CharsMap, decode_base64};
    use crate::error::Result;

    #[test]
    fn base64_is_read_strictly() {
        assert_eq!(Some(b"abcd".to_vec()), decode_base64("YWJjZA=="));
        assert_eq!(Some(vec![0xFB, 0xFF]), decode_base64("+/8="));
        assert_eq!(Some(vec![]), decode_base64(""));
        for short in ["YWJjZA", "YWJjZA="] {
            assert_eq!(Some(b"abcd".to_vec()), decode_base64(short), "{short}");
        }
        for broken in
            ["YWJjZB==", "YW JjZ==", "====", "Y===", "=YWJ", "Y", "YWJj=", "YWI==", "YW=J"]
        {
            assert_eq!(None, decode_base64(broken), "{broken}");
        }
    }

    /// A map with one key, "a", that becomes "xy".
    fn one_key() -> CharsMap {
        let mut cells = vec![0_u32; 256];
        cells[0] = 1 << 10;
        // The children of the root lie at 1 ^ label.
        cells[1 ^ 0x61] = 0x61 | 1 << 8 | 2 << 10;
        cells[1 ^ 0x61 ^ 2] = 1 << 31 | 3;
        CharsMap { cells: cells.into(), texts: "no\0xy\0".to_owned() }
    }

    #[test]
    fn the_shortest_key_replaces_the_whole_text() -> Result<()> {
        let map = one_key();

        assert_eq!(Some("xy"), map.look_up("a")?);
        assert_eq!(Some("xy"), map.look_up("a\u{301}")?);
        assert_eq!(None, map.look_up("b")?);
        assert_eq!(None, map.look_up("\0a")?);
        Ok(())
    }

    #[test]
    fn a_map_that_points_outside_itself_is_an_error() {
        let mut map = one_key();
        map.texts.clear();

        assert!(map.look_up("a").is_err());
        map.cells = [u32::MAX].into();
        assert!(map.look_up("a").is_err());
    }
}
