//! Multipliers as bytes: pairs of variable-length integers, runs of zero pairs as one number.

use crate::error::{Error, Result};

/// The multipliers of all arcs as bytes; most are zero, and the others are small.
pub fn pack(lambda: &[i64], mu: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut zeros = 0u64;
    for (&lambda, &mu) in lambda.iter().zip(mu) {
        if lambda == 0 && mu == 0 {
            zeros += 1;
            continue;
        }
        put(&mut bytes, zeros);
        zeros = 0;
        put(&mut bytes, zigzag(lambda));
        put(&mut bytes, zigzag(mu));
    }
    put(&mut bytes, zeros);
    bytes
}

/// What [`pack`] packed: `arcs` pairs.
///
/// # Errors
/// [`Error::Certificate`] when the bytes are not `arcs` pairs.
pub fn unpack(bytes: &[u8], arcs: usize) -> Result<(Vec<i64>, Vec<i64>)> {
    let refuse = || Error::Certificate {
        message: "the multipliers of the certificate are damaged; make it again".to_owned(),
    };
    let (mut lambda, mut mu) = (Vec::new(), Vec::new());
    let mut rest = bytes;
    loop {
        let zeros = get(&mut rest).ok_or_else(refuse)? as usize;
        if zeros > arcs - lambda.len() {
            return Err(refuse());
        }
        lambda.resize(lambda.len() + zeros, 0);
        mu.resize(mu.len() + zeros, 0);
        if rest.is_empty() {
            return if lambda.len() == arcs { Ok((lambda, mu)) } else { Err(refuse()) };
        }
        if lambda.len() == arcs {
            return Err(refuse());
        }
        lambda.push(unzigzag(get(&mut rest).ok_or_else(refuse)?));
        mu.push(unzigzag(get(&mut rest).ok_or_else(refuse)?));
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn get(rest: &mut &[u8]) -> Option<u64> {
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
            pairs in proptest::collection::vec(
                (prop_oneof![Just(0i64), any::<i64>()], prop_oneof![Just(0i64), any::<i64>()]), 0..40,
            ),
            cut in 0usize..40,
        ) {
            let (lambda, mu): (Vec<i64>, Vec<i64>) = pairs.into_iter().unzip();
            let bytes = pack(&lambda, &mu);

            prop_assert_eq!(Ok((lambda.clone(), mu)), unpack(&bytes, lambda.len()));
            prop_assert!(unpack(&bytes, lambda.len() + 1).is_err());
            if cut < bytes.len() {
                prop_assert!(unpack(&bytes[..cut], lambda.len()).is_err());
            }
        }
    }
}
