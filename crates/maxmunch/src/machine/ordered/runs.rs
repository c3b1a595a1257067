//! Runs of one kind of ASCII character, eight bytes at a time in one register.
//!
//! PERF: most bytes of most texts are letters inside a word. Stepping through them costs a dependent load a
//! byte and a branch at the end that cannot be predicted; this costs neither. No SIMD, so that one source
//! serves every platform.

/// Bytes that a state may loop on, as far as they can be skipped together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// `A` to `Z` and `a` to `z`.
    Letters,
    /// `a` to `z`.
    LowerCase,
    /// U+0020.
    Spaces,
}

impl RunKind {
    pub(crate) const ALL: [Self; 3] = [Self::Letters, Self::LowerCase, Self::Spaces];

    pub(crate) const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Letters => byte.is_ascii_alphabetic(),
            Self::LowerCase => byte.is_ascii_lowercase(),
            Self::Spaces => byte == b' ',
        }
    }

    /// A byte that it holds.
    pub(crate) const fn example(self) -> u8 {
        if matches!(self, Self::Spaces) { b' ' } else { b'a' }
    }

    /// A bit at or above the lowest bit of each byte that the kind does not hold, none below the first.
    #[inline]
    const fn misses(self, word: u64) -> u64 {
        match self {
            Self::Letters => not_lower_case(word | every(0x20)),
            Self::LowerCase => not_lower_case(word),
            Self::Spaces => word ^ every(b' '),
        }
    }

    /// First position from `from` on whose byte the kind does not hold, looked for until `stop` is
    /// reached or passed; it may give up in the last seven bytes of the text.
    #[inline]
    pub(crate) fn skip(self, bytes: &[u8], from: usize, stop: usize) -> usize {
        let mut at = from;
        while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let misses = self.misses(u64::from_le_bytes(*chunk));
            if misses != 0 {
                return at + (misses.trailing_zeros() / 8) as usize;
            }
            at += 8;
            if at >= stop {
                break;
            }
        }
        at
    }
}

const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The top bit of each byte outside `a` to `z`.
const fn not_lower_case(word: u64) -> u64 {
    let low = word & every(0x7F);
    let from_a = low + every(0x80 - b'a');
    let beyond_z = low + every(0x80 - b'z' - 1);
    !(from_a & !beyond_z & !word) & every(0x80)
}

#[cfg(test)]
mod tests {
    use super::RunKind;

    #[test]
    fn a_run_ends_where_a_byte_by_byte_search_ends_it() {
        for kind in RunKind::ALL {
            for byte in 0..=u8::MAX {
                for length in 0..20 {
                    let member = kind.example();
                    let mut bytes = vec![member; length];
                    bytes.push(byte);
                    bytes.extend([member; 9]);
                    let slow = bytes.iter().position(|&b| !kind.holds(b)).unwrap_or(bytes.len());

                    let found = kind.skip(&bytes, 0, 16);

                    let end = found + bytes[found..].iter().take_while(|&&b| kind.holds(b)).count();
                    assert_eq!(slow, end, "{kind:?}, byte {byte}, {length} before it");
                    assert!(found == slow || found + 7 >= bytes.len() || found >= 16);
                }
            }
        }
    }
}
