//! The checker of bounds: short, in integers, and without a line of what found the bound.
//!
//! It is given the pretoken counts, the rules and the multipliers, works out for itself which substrings
//! are candidates, and adds up the value of the relaxation. Why that value is a lower bound is Theorem
//! "Bound" in docs/concepts/training.md; it holds for all multipliers that are not negative where they
//! must not be, so nothing about how they were found matters.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

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
    /// decreasing length: the multiplier of its link, in 1/1024 of a token.
    pub lambda: &'a [i64],
    /// As `lambda`, the multiplier of its greedy row.
    pub mu: &'a [i64],
}

/// One distinct substring.
struct Substring {
    start: usize,
    length: u8,
    host: u32,
    several_hosts: bool,
    whole: bool,
    weight: i128,
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
    let (mut substrings, ids) = intern(&text, &hosts, claim.rules.max_token_bytes);
    let kept: Vec<bool> =
        substrings.iter().map(|s| is_candidate(s, &text, &hosts, claim.rules)).collect();
    let mut total = i128::from(single_bytes(claim.counts)) * UNIT;
    let mut next_arc = 0;
    let mut next_id = 0;
    for &(start, end, count) in &hosts {
        total += cheapest_path(
            claim,
            (start, end, count),
            &kept,
            &mut substrings,
            &ids,
            &mut next_id,
            &mut next_arc,
        )?;
    }
    if next_arc != claim.lambda.len() || next_arc != claim.mu.len() {
        return Err(misfit("has multipliers for other candidates than these pretokens have"));
    }
    total -= largest_weights(claim, &text, &substrings, &kept);
    // A cost is a whole number of tokens, so the bound may be rounded up.
    u64::try_from(total.max(0).div_euclid(UNIT) + i128::from(total.max(0) % UNIT != 0))
        .map_err(|_| misfit("proves more than a u64 holds"))
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
                        weight: 0,
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

/// Cost of the cheapest path through one pretoken less its constants; adds its multipliers to the weights.
fn cheapest_path(
    claim: &Claim,
    (from, to, count): (usize, usize, u64),
    kept: &[bool],
    substrings: &mut [Substring],
    ids: &[u32],
    next_id: &mut usize,
    next_arc: &mut usize,
) -> Result<i128> {
    let token = i128::from(count) * UNIT;
    let length = to - from;
    // The arcs of this pretoken: (start, end, lambda, mu), by start, longest first.
    let mut arcs: Vec<(usize, usize, i128, i128)> = Vec::new();
    for start in 0..length {
        let longest = length.min(start + claim.rules.max_token_bytes);
        let here = &ids[*next_id..*next_id + (longest + 1).saturating_sub(start + 2)];
        *next_id += here.len();
        for (at, &id) in here.iter().enumerate().rev().filter(|(_, id)| kept[**id as usize]) {
            let end = start + 2 + at;
            let (Some(&lambda), Some(&mu)) = (claim.lambda.get(*next_arc), claim.mu.get(*next_arc))
            else {
                return Err(misfit("has fewer multipliers than these pretokens have candidates"));
            };
            *next_arc += 1;
            let whole = start == 0 && end == length;
            if mu < 0 || (whole && mu != 0) || (!whole && lambda < 0) {
                return Err(misfit("has a negative multiplier where none may be"));
            }
            let (lambda, mu) = (i128::from(lambda), i128::from(mu));
            substrings[id as usize].weight += lambda - mu;
            arcs.push((start, end, lambda, mu));
        }
    }
    let mut cheapest = vec![0i128; length + 1];
    let mut constants = 0;
    for start in (0..length).rev() {
        let (mut best, mut longer) = (i128::MAX, 0);
        let first = arcs.partition_point(|arc| arc.0 < start);
        for (_, end, lambda, mu) in arcs.drain(first..) {
            best = best.min(token + lambda + longer + cheapest[end]);
            longer += mu;
        }
        cheapest[start] = best.min(token + longer + cheapest[start + 1]);
        constants += longer;
    }
    Ok(cheapest[0] - constants)
}

/// The most that a vocabulary of the size can collect: all pins, and the largest of the other weights.
fn largest_weights(claim: &Claim, text: &[u8], substrings: &[Substring], kept: &[bool]) -> i128 {
    let mut free = Vec::new();
    let mut total = 0;
    for (s, _) in substrings.iter().zip(kept).filter(|(_, kept)| **kept) {
        if claim.rules.pinned.contains(&text[s.start..s.start + usize::from(s.length)]) {
            total += s.weight;
        } else if s.weight > 0 {
            free.push(s.weight);
        }
    }
    let pins = claim.rules.pinned.iter().filter(|token| token.len() > 1).count();
    free.sort_unstable_by(|left, right| right.cmp(left));
    total + free.iter().take(claim.budget.saturating_sub(pins)).sum::<i128>()
}

fn misfit(why: &str) -> Error {
    Error::Certificate {
        message: format!(
            "the certificate {why}; check it against the counts and options it was made for"
        ),
    }
}
