//! Merges of a ranked vocabulary, for formats that keep no list of them.
//!
//! Such formats merge whatever two neighbours spell a token, the best rank first, the leftmost of equals. A
//! token that forms in some text forms there as it does alone: until it is whole no merge crosses its ends.
//! So its last merge is always the same one, and a list with that one merge a token makes the same tokens of
//! every text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

/// What merging starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// Each byte.
    Bytes,
    /// Each character; tokens are UTF-8.
    Characters,
}

/// Per token, where its last merge joins two tokens, in bytes from its start; 0 where it has one unit only, or
/// where merging alone never makes it.
///
/// Complexity: `O(n log n)` look-ups for a token of `n` units.
///
/// # Panics
///
/// Never: of equal tokens the last one counts, and ranks that are no numbers come last.
pub fn last_merges(tokens: &[&[u8]], ranks: &[f64], units: Units) -> Vec<usize> {
    let table = Ranks::new(tokens, ranks);
    let mut work = Merging { table, next: Vec::new(), before: Vec::new(), heap: BinaryHeap::new() };
    tokens.iter().map(|token| work.last_merge(token, units)).collect()
}

/// A rank in the order of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rank(f64);

impl Eq for Rank {}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Zero has two signs.
        (self.0 + 0.0).total_cmp(&(other.0 + 0.0))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The ranks of tokens by their bytes.
///
/// PERF: most look-ups are of a few bytes, which are a number; so nothing is read but the table (a rank file of
/// 200,000 tokens loads in 0.97 instead of 1.12 seconds).
struct Ranks<'t> {
    /// Of up to [`PACKED`] bytes, see [`packed`].
    short: HashMap<u64, f64>,
    long: HashMap<&'t [u8], f64>,
    longest: usize,
}

/// So many bytes and their number fit a word.
const PACKED: usize = 7;

/// The bytes of a short text and how many there are, as a number.
fn packed(text: &[u8]) -> Option<u64> {
    let bytes = || text.iter().fold(text.len() as u64, |all, &byte| all << 8 | u64::from(byte));
    (text.len() <= PACKED).then(bytes)
}

impl<'t> Ranks<'t> {
    fn new(tokens: &[&'t [u8]], ranks: &[f64]) -> Self {
        let longest = tokens.iter().map(|token| token.len()).max().unwrap_or(0);
        let mut all = Self { short: HashMap::new(), long: HashMap::new(), longest };
        all.short.reserve(tokens.len());
        for (&token, &rank) in tokens.iter().zip(ranks) {
            match packed(token) {
                Some(key) => all.short.insert(key, rank),
                None => all.long.insert(token, rank),
            };
        }
        all
    }

    fn of(&self, text: &[u8]) -> Option<f64> {
        match packed(text) {
            Some(key) => self.short.get(&key).copied(),
            None if text.len() > self.longest => None,
            None => self.long.get(text).copied(),
        }
    }
}

/// A token that is being merged: its parts are a list linked by where they start.
struct Merging<'t> {
    table: Ranks<'t>,
    /// Where the part that starts here ends; 0 where none starts.
    next: Vec<usize>,
    /// Where the part before the one that starts here starts.
    before: Vec<usize>,
    /// Rank, start, middle and end of pairs that spell a token; some are overtaken.
    heap: BinaryHeap<Reverse<(Rank, usize, usize, usize)>>,
}

impl Merging<'_> {
    fn last_merge(&mut self, token: &[u8], units: Units) -> usize {
        self.heap.clear();
        self.next.clear();
        self.next.resize(token.len() + 1, 0);
        self.before.clear();
        self.before.resize(token.len() + 1, 0);
        let mut count = self.split(token, units);
        while count > 2 {
            let Some(Reverse((_, start, middle, end))) = self.heap.pop() else { return 0 };
            if self.next[start] != middle || self.next[middle] != end {
                continue;
            }
            self.next[start] = end;
            self.next[middle] = 0;
            self.before[end] = start;
            count -= 1;
            if start > 0 {
                self.offer(token, self.before[start]);
            }
            self.offer(token, start);
        }
        if count == 2 { self.next[0] } else { 0 }
    }

    /// Cuts a token into its units and returns how many there are.
    fn split(&mut self, token: &[u8], units: Units) -> usize {
        // A byte of the form 10…… goes on with a character.
        let starts = |at: usize| units == Units::Bytes || token[at] & 0xC0 != 0x80;
        let (mut count, mut start) = (0, 0);
        for end in 1..=token.len() {
            if end == token.len() || starts(end) {
                self.next[start] = end;
                self.before[end] = start;
                start = end;
                count += 1;
            }
        }
        let mut at = 0;
        while at < token.len() && count > 2 {
            self.offer(token, at);
            at = self.next[at];
        }
        count
    }

    /// Takes the pair of the part at `start` and the next one, if it spells a token.
    fn offer(&mut self, token: &[u8], start: usize) {
        let middle = self.next[start];
        if middle == token.len() {
            return;
        }
        let end = self.next[middle];
        if let Some(rank) = self.table.of(&token[start..end]) {
            self.heap.push(Reverse((Rank(rank), start, middle, end)));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Units, last_merges};

    /// The definition, with lists of parts.
    fn obvious(token: &str, tokens: &[String], ranks: &[f64]) -> usize {
        let rank = |text: &str| {
            tokens
                .iter()
                .zip(ranks)
                .filter(|(token, _)| *token == text)
                .map(|(_, rank)| *rank)
                .next()
        };
        let mut parts: Vec<String> = token.chars().map(String::from).collect();
        while parts.len() > 2 {
            let pairs = parts.windows(2).enumerate();
            let found = pairs.filter_map(|(at, pair)| Some((rank(&pair.concat())?, at)));
            let best = found.reduce(|best, other| if other.0 < best.0 { other } else { best });
            let Some((_, at)) = best else { return 0 };
            let right = parts.remove(at + 1);
            parts[at].push_str(&right);
        }
        if parts.len() == 2 { parts[0].len() } else { 0 }
    }

    #[test]
    fn the_leftmost_of_equals_merges_first() {
        let tokens: Vec<&[u8]> = vec![b"aa", b"aaa"];

        assert_eq!(vec![1, 2], last_merges(&tokens, &[0.0, -0.0], Units::Bytes));
        assert_eq!(vec![0, 0], last_merges(&[b"a", b"abc"], &[0.0, 1.0], Units::Bytes));
        assert_eq!(vec![0], last_merges(&["é".as_bytes()], &[0.0], Units::Characters));
    }

    proptest! {
        #[test]
        fn it_is_the_merge_that_the_definition_makes_last(
            pieces in proptest::collection::btree_map("[abé]{1,9}", 0..5_i32, 1..12),
        ) {
            let tokens: Vec<String> = pieces.keys().cloned().collect();
            let ranks: Vec<f64> = pieces.values().map(|&rank| f64::from(rank)).collect();
            let bytes: Vec<&[u8]> = tokens.iter().map(String::as_bytes).collect();
            let expected: Vec<usize> =
                tokens.iter().map(|token| obvious(token, &tokens, &ranks)).collect();

            prop_assert_eq!(expected, last_merges(&bytes, &ranks, Units::Characters));
        }
    }
}
