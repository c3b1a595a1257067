//! Hash functions for tables that are looked up once a piece or more: two multiplications, no state.
//!
//! Tables are built from vocabularies and texts; who can choose those can make look-ups slow, never wrong:
//! every table compares keys, and those that grow with the text are bounded.

const A: u64 = 0x9E37_79B9_7F4A_7C15;
const B: u64 = 0xC2B2_AE3D_27D4_EB4F;

/// Product of two numbers, folded.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// The hash of a number of 128 bits.
#[inline]
pub(super) const fn hash_key(key: u128) -> u64 {
    fold(key as u64 ^ A, (key >> 64) as u64 ^ B)
}

/// The hash of a pair of numbers.
#[inline]
pub(super) const fn hash_pair(left: u32, right: u32) -> u64 {
    fold((left as u64) << 32 | right as u64, A)
}

/// The hash of some bytes.
#[inline]
pub(super) fn hash_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let last = rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    let start = bytes.len() as u64 ^ B;
    let state = words.iter().fold(start, |state, word| fold(state ^ u64::from_le_bytes(*word), A));
    fold(state ^ last, B)
}
