//! Multipliers as bytes: integers of variable length, runs of zeros as one number.

use crate::error::{Error, Result};

/// Multipliers as bytes; most are zero, and the others are small.
pub fn pack(multipliers: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut zeros = 0u64;
    for &multiplier in multipliers {
        if multiplier == 0 {
            zeros += 1;
            continue;
        }
        put(&mut bytes, zeros);
        zeros = 0;
        put(&mut bytes, zigzag(multiplier));
    }
    put(&mut bytes, zeros);
    bytes
}

/// What [`pack`] packed: `count` multipliers.
///
/// # Errors
/// [`Error::Certificate`] when the bytes are not `count` multipliers.
pub fn unpack(bytes: &[u8], count: usize) -> Result<Vec<i64>> {
    let mut multipliers = Vec::new();
    let mut rest = bytes;
    loop {
        let zeros = get(&mut rest).ok_or_else(damaged)? as usize;
        if zeros > count - multipliers.len() {
            return Err(damaged());
        }
        multipliers.resize(multipliers.len() + zeros, 0);
        if rest.is_empty() {
            return if multipliers.len() == count { Ok(multipliers) } else { Err(damaged()) };
        }
        if multipliers.len() == count {
            return Err(damaged());
        }
        multipliers.push(unzigzag(get(&mut rest).ok_or_else(damaged)?));
    }
}

/// What is said of bytes that are no multipliers.
pub(super) fn damaged() -> Error {
    Error::Certificate {
        message: "the multipliers of the certificate are damaged; make it again".to_owned(),
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Appends a number, seven bits a byte.
pub(super) fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes what [`put`] appended off the front of `rest`.
pub(super) fn get(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{pack, unpack};

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            multipliers in proptest::collection::vec(prop_oneof![Just(0i64), any::<i64>()], 0..60),
            cut in 0usize..60,
        ) {
            let bytes = pack(&multipliers);

            prop_assert_eq!(Ok(multipliers.clone()), unpack(&bytes, multipliers.len()));
            prop_assert!(unpack(&bytes, multipliers.len() + 1).is_err());
            if cut < bytes.len() {
                prop_assert!(unpack(&bytes[..cut], multipliers.len()).is_err());
            }
        }
    }
}
