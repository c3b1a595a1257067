//! The checker of bounds: short, in integers, and without a line of what found the bound.
//!
//! It is given the pretoken counts, the rules and the multipliers, works out for itself which substrings
//! are candidates, and adds up the value of the relaxation. Why that value is a lower bound is Theorem
//! "Bound" in docs/concepts/training.md; it holds for all multipliers that are not negative where they
//! must not be, so nothing about how they were found matters. The sums are in `check_sums`.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::check_sums::Sums;
use super::parts::Part;
use super::pretokens::PretokenCounts;
use super::rules::Rules;
use crate::error::{Error, Result};

/// Multipliers are counted in this part of a token.
pub const UNIT: i128 = 1024;

/// A claim: no vocabulary of `budget` tokens of more than one byte costs less than the multipliers prove.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The pretokens of the scope.
    pub counts: &'a PretokenCounts,
    /// Which tokens are allowed.
    pub rules: &'a Rules,
    /// Tokens of more than one byte in the vocabulary, at most; pinned ones included.
    pub budget: usize,
    /// For each pretoken of two bytes or more in rank order, each start, each candidate there by
    /// decreasing length, and then the single byte: its multiplier, in 1/1024 of a token.
    pub multipliers: &'a [i64],
    /// The price of a token in the vocabulary, in 1/1024 of a token of the text.
    pub price: u64,
    /// Parts with multipliers of their own in each of several cases.
    pub parts: &'a [Part],
}

/// One distinct substring.
struct Substring {
    start: usize,
    length: u8,
    host: u32,
    several_hosts: bool,
    whole: bool,
}

/// The least integer number of tokens that the claim proves.
///
/// # Errors
/// [`Error::Certificate`] when the multipliers do not fit the pretokens, or one is negative that must not be.
///
/// # Complexity
/// One look-up for each substring of each distinct pretoken of at most `max_token_bytes` bytes.
pub fn check_bound(claim: &Claim) -> Result<u64> {
    let (text, hosts) = lay_out(claim.counts);
    let (substrings, ids) = intern(&text, &hosts, claim.rules.max_token_bytes);
    let kept: Vec<bool> =
        substrings.iter().map(|s| is_candidate(s, &text, &hosts, claim.rules)).collect();
    let spelled: Vec<&[u8]> =
        substrings.iter().map(|s| &text[s.start..s.start + usize::from(s.length)]).collect();
    let mut total = i128::from(single_bytes(claim.counts)) * UNIT;
    total += Sums::new(claim, spelled, kept).value(&hosts, &ids)?;
    // A cost is a whole number of tokens, so the bound may be rounded up.
    u64::try_from(total.max(0).div_euclid(UNIT) + i128::from(total.max(0) % UNIT != 0))
        .map_err(|_| misfit("proves more than a u64 holds"))
}

/// The most multipliers that a claim about these pretokens can have.
pub fn most_multipliers(counts: &PretokenCounts, rules: &Rules) -> usize {
    let at_start = |left: usize| left.min(rules.max_token_bytes).max(1);
    let of = |pretoken: &[u8]| (1..=pretoken.len()).map(at_start).sum::<usize>();
    counts.iter().filter(|(pretoken, _)| pretoken.len() > 1).map(|(pretoken, _)| of(pretoken)).sum()
}

/// The pretokens of two bytes or more after one another, and where each starts, ends, and its count.
fn lay_out(counts: &PretokenCounts) -> (Vec<u8>, Vec<(usize, usize, u64)>) {
    let mut text = Vec::new();
    let mut hosts = Vec::new();
    for (pretoken, count) in counts.iter().filter(|(pretoken, _)| pretoken.len() > 1) {
        let start = text.len();
        text.extend_from_slice(pretoken);
        hosts.push((start, text.len(), count));
    }
    (text, hosts)
}

fn single_bytes(counts: &PretokenCounts) -> u64 {
    counts.iter().filter(|(pretoken, _)| pretoken.len() == 1).map(|(_, count)| count).sum()
}

/// All distinct substrings of two bytes or more, compared byte by byte, and the number of each substring
/// by host, start, and increasing length.
fn intern(
    text: &[u8],
    hosts: &[(usize, usize, u64)],
    longest: usize,
) -> (Vec<Substring>, Vec<u32>) {
    let hasher = DefaultHashBuilder::default();
    let mut table: HashTable<u32> = HashTable::new();
    let mut found: Vec<Substring> = Vec::new();
    let mut ids = Vec::new();
    let spelled = |s: &Substring| &text[s.start..s.start + usize::from(s.length)];
    for (host, &(from, to, _)) in hosts.iter().enumerate() {
        for start in from..to {
            for end in start + 2..=to.min(start + longest) {
                let bytes = &text[start..end];
                let hash = hasher.hash_one(bytes);
                let old = table.find(hash, |&id| spelled(&found[id as usize]) == bytes).copied();
                let id = old.unwrap_or(found.len() as u32);
                if old.is_none() {
                    found.push(Substring {
                        start,
                        length: (end - start) as u8,
                        host: host as u32,
                        several_hosts: false,
                        whole: false,
                    });
                    table.insert_unique(hash, id, |&id| {
                        hasher.hash_one(spelled(&found[id as usize]))
                    });
                }
                let substring = &mut found[id as usize];
                substring.several_hosts |= substring.host != host as u32;
                substring.whole |= start == from && end == to;
                ids.push(id);
            }
        }
    }
    (found, ids)
}

fn is_candidate(s: &Substring, text: &[u8], hosts: &[(usize, usize, u64)], rules: &Rules) -> bool {
    let token = &text[s.start..s.start + usize::from(s.length)];
    let (from, to, _) = hosts[s.host as usize];
    allowed(token, rules)
        && (s.several_hosts
            || s.whole
            || rules.pinned.contains(token)
            || !allowed(&text[from..to], rules))
}

/// The rules once more, spelled out.
fn allowed(token: &[u8], rules: &Rules) -> bool {
    let own_place = if rules.split_after { token.len().saturating_sub(1) } else { 0 };
    let inner_split = (0..token.len())
        .any(|place| place != own_place && rules.splittable.contains(&token[place]));
    token.len() > 1
        && token.len() <= rules.max_token_bytes
        && !inner_split
        && !rules.forbidden.contains(token)
        && !(rules.valid_utf8 && std::str::from_utf8(token).is_err())
}

/// What is wrong with a certificate.
pub(super) fn misfit(why: &str) -> Error {
    Error::Certificate {
        message: format!(
            "the certificate {why}; check it against the counts and options it was made for"
        ),
    }
}
