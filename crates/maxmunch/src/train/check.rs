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
    /// decreasing length, and then the single byte: its multiplier, in 1/1024 of a token.
    pub multipliers: &'a [i64],
    /// The price of a token in the vocabulary, in 1/1024 of a token of the text.
    pub price: u64,
}

/// One distinct substring.
struct Substring {
    start: usize,
    length: u8,
    host: u32,
    several_hosts: bool,
    whole: bool,
    /// The longest candidate among its proper prefixes.
    parent: Option<u32>,
    /// What is collected at the starts below it, for each of its candidate prefixes that may be the longest
    /// in the vocabulary: none, the shortest, ..., itself.
    collected: Vec<i128>,
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
    let mut rest = (&ids[..], claim.multipliers);
    for &host in &hosts {
        total += cheapest_path(claim, host, &kept, &mut substrings, &mut rest)?;
    }
    if !rest.1.is_empty() {
        return Err(misfit("has multipliers for other candidates than these pretokens have"));
    }
    total -= most_collected(claim, &text, substrings);
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
                        parent: None,
                        collected: Vec::new(),
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

/// Cost of the cheapest path through one pretoken, less what is collected where no candidate starts; notes at
/// the longest candidate of each other start what may be collected there.
fn cheapest_path<'a>(
    claim: &Claim<'a>,
    (from, to, count): (usize, usize, u64),
    kept: &[bool],
    substrings: &mut [Substring],
    rest: &mut (&[u32], &'a [i64]),
) -> Result<i128> {
    let token = i128::from(count) * UNIT;
    let length = to - from;
    // For each start its candidates as (end, multiplier) by increasing length, the single byte first.
    let mut starts = Vec::new();
    let mut bare = 0;
    for start in 0..length {
        let longest = length.min(start + claim.rules.max_token_bytes);
        let (here, later) = rest.0.split_at((longest + 1).saturating_sub(start + 2));
        rest.0 = later;
        let chain: Vec<(usize, u32)> =
            (start + 2..).zip(here.iter().copied()).filter(|(_, id)| kept[*id as usize]).collect();
        let Some((own, later)) = rest.1.split_at_checked(chain.len() + 1) else {
            return Err(misfit("has fewer multipliers than these pretokens have candidates"));
        };
        rest.1 = later;
        let own: Vec<i128> = own.iter().rev().map(|&multiplier| multiplier.into()).collect();
        if start > 0 && own.iter().any(|&multiplier| multiplier < 0) {
            return Err(misfit("has a negative multiplier where none may be"));
        }
        bare += hang(substrings, &chain, &own);
        let ends = std::iter::once(start + 1).chain(chain.iter().map(|&(end, _)| end));
        starts.push(ends.zip(own).collect::<Vec<_>>());
    }
    let mut cheapest = vec![0i128; length + 1];
    for (start, steps) in starts.iter().enumerate().rev() {
        let least = steps.iter().map(|&(end, multiplier)| token + multiplier + cheapest[end]).min();
        cheapest[start] = least.unwrap_or_default();
    }
    Ok(cheapest[0] - bare)
}

/// Adds the multipliers of a start to its longest candidate; where there is none, returns the byte's, which
/// any vocabulary collects.
fn hang(substrings: &mut [Substring], chain: &[(usize, u32)], own: &[i128]) -> i128 {
    if chain.is_empty() {
        return own.iter().sum();
    }
    let mut parent = None;
    for (before, &(_, id)) in chain.iter().enumerate() {
        let substring = &mut substrings[id as usize];
        substring.parent = parent;
        substring.collected.resize(before + 2, 0);
        parent = Some(id);
    }
    let longest = parent.map(|id| &mut substrings[id as usize].collected);
    for (sum, multiplier) in longest.into_iter().flatten().zip(own) {
        *sum += multiplier;
    }
    0
}

/// The most that a vocabulary of the size can collect: for each start the multiplier of the longest of its
/// tokens that fits there. Tokens beyond the size are allowed at their price, which the others give back.
fn most_collected(claim: &Claim, text: &[u8], mut substrings: Vec<Substring>) -> i128 {
    let price = i128::from(claim.price);
    let mut order: Vec<usize> =
        (0..substrings.len()).filter(|&id| !substrings[id].collected.is_empty()).collect();
    // Longest first: what is below a candidate is complete before it is asked for.
    order.sort_by_key(|&id| std::cmp::Reverse(substrings[id].length));
    let mut total = 0;
    for id in order {
        let collected = std::mem::take(&mut substrings[id].collected);
        let s = &substrings[id];
        let is_pinned =
            claim.rules.pinned.contains(&text[s.start..s.start + usize::from(s.length)]);
        let (last, without) =
            collected.split_last().map_or((0, &[][..]), |(last, rest)| (*last, rest));
        let with = last - if is_pinned { 0 } else { price };
        let best = without.iter().map(|&sum| if is_pinned { with } else { sum.max(with) });
        match s.parent {
            None => total += best.sum::<i128>(),
            Some(parent) => {
                for (above, best) in substrings[parent as usize].collected.iter_mut().zip(best) {
                    *above += best;
                }
            }
        }
    }
    let pins = claim.rules.pinned.iter().filter(|token| token.len() > 1).count();
    total + price * claim.budget.saturating_sub(pins) as i128
}

fn misfit(why: &str) -> Error {
    Error::Certificate {
        message: format!(
            "the certificate {why}; check it against the counts and options it was made for"
        ),
    }
}
