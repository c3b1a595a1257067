//! Parts of the relaxation that are proven by cases, and how a certificate holds them as bytes.
//!
//! A part is some pretokens and some roots of the candidates' trie. Its tree of cases asks whether a token
//! is in the vocabulary; each answer may have multipliers of its own, and every vocabulary belongs to one leaf.

use super::multipliers::{damaged, get, put};
use crate::error::Result;

/// Some pretokens and roots, and the cases of the vocabularies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Ranks of its pretokens among those of two bytes or more, increasing.
    pub hosts: Vec<u32>,
    /// Candidates of which no prefix is one; all candidates that begin with them belong to the part.
    pub roots: Vec<Vec<u8>>,
    /// The tree of cases from the top: after a question everything for "yes", then everything for "no".
    pub cases: Vec<Case>,
}

/// A node of the tree of cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Case {
    /// Is this token in the vocabulary?
    Asks(Vec<u8>),
    /// Multipliers, packed, for all vocabularies that come here: for each pretoken of the part, each start whose
    /// candidates belong to the part, each candidate there by decreasing length, and then the single byte,
    /// in 1/1024 of a token. Whoever unpacks them knows how many they are: a few bytes may stand for any number.
    Ends(Vec<u8>),
}

/// Parts as bytes; none as no bytes.
pub fn pack_parts(parts: &[Part]) -> Vec<u8> {
    let mut bytes = Vec::new();
    if parts.is_empty() {
        return bytes;
    }
    put(&mut bytes, parts.len() as u64);
    for part in parts {
        put(&mut bytes, part.hosts.len() as u64);
        let mut last = 0;
        for &host in &part.hosts {
            put(&mut bytes, u64::from(host - last));
            last = host;
        }
        put(&mut bytes, part.roots.len() as u64);
        for root in &part.roots {
            put_bytes(&mut bytes, root);
        }
        put(&mut bytes, part.cases.len() as u64);
        for case in &part.cases {
            match case {
                Case::Asks(token) => {
                    put(&mut bytes, 0);
                    put_bytes(&mut bytes, token);
                }
                Case::Ends(multipliers) => {
                    put(&mut bytes, 1);
                    put_bytes(&mut bytes, multipliers);
                }
            }
        }
    }
    bytes
}

/// What [`pack_parts`] packed.
///
/// # Errors
/// [`crate::Error::Certificate`] when the bytes are no parts.
pub fn unpack_parts(bytes: &[u8]) -> Result<Vec<Part>> {
    let mut rest = bytes;
    let mut parts = Vec::new();
    if bytes.is_empty() {
        return Ok(parts);
    }
    for _ in 0..number(&mut rest)? {
        let mut part = Part { hosts: Vec::new(), roots: Vec::new(), cases: Vec::new() };
        let mut host = 0u32;
        for _ in 0..number(&mut rest)? {
            let step = u32::try_from(number(&mut rest)?).map_err(|_| damaged())?;
            host = host.checked_add(step).ok_or_else(damaged)?;
            part.hosts.push(host);
        }
        for _ in 0..number(&mut rest)? {
            part.roots.push(string(&mut rest)?.to_vec());
        }
        for _ in 0..number(&mut rest)? {
            part.cases.push(match number(&mut rest)? {
                0 => Case::Asks(string(&mut rest)?.to_vec()),
                1 => Case::Ends(string(&mut rest)?.to_vec()),
                _ => return Err(damaged()),
            });
        }
        parts.push(part);
    }
    if rest.is_empty() { Ok(parts) } else { Err(damaged()) }
}

fn put_bytes(bytes: &mut Vec<u8>, string: &[u8]) {
    put(bytes, string.len() as u64);
    bytes.extend(string);
}

fn number(rest: &mut &[u8]) -> Result<u64> {
    get(rest).ok_or_else(damaged)
}

fn string<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    let length = number(rest)?;
    let length = usize::try_from(length).map_err(|_| damaged())?;
    let (string, after) = rest.split_at_checked(length).ok_or_else(damaged)?;
    *rest = after;
    Ok(string)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Case, Part, pack_parts, unpack_parts};

    fn part() -> impl Strategy<Value = Part> {
        let token = || proptest::collection::vec(any::<u8>(), 0..4);
        let multipliers = proptest::collection::vec(any::<u8>(), 0..9);
        let case = prop_oneof![token().prop_map(Case::Asks), multipliers.prop_map(Case::Ends)];
        let hosts = proptest::collection::btree_set(any::<u32>(), 0..5);
        (hosts, proptest::collection::vec(token(), 0..4), proptest::collection::vec(case, 0..6))
            .prop_map(|(hosts, roots, cases)| Part {
                hosts: hosts.into_iter().collect(),
                roots,
                cases,
            })
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            parts in proptest::collection::vec(part(), 0..4), cut in 0usize..200,
        ) {
            let bytes = pack_parts(&parts);

            prop_assert_eq!(Ok(parts), unpack_parts(&bytes));
            if 0 < cut && cut < bytes.len() {
                prop_assert!(unpack_parts(&bytes[..cut]).is_err());
            }
        }

        #[test]
        fn bytes_that_are_no_parts_are_refused_or_read(
            bytes in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let _ = unpack_parts(&bytes);
        }
    }
}
