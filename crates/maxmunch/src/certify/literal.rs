//! Literal token sets: a finite set of words, its scan, and the tables that the closed form reads.
//!
//! Tables: the trie of the words; the trie of the reversed words, whose nodes name the words with a given
//! suffix; the trie of the factors that begin inside a word; the pairs of bytes that some word holds.

use std::sync::OnceLock;

use super::code::Code;
use crate::error::{Error, Result};
use crate::machine::failure::Munching;
use crate::machine::literal_trie::{Built, LiteralTrie, NONE, ROOT};
use crate::machine::overshoot::Overshoot;
use crate::scan::{Munch, Scan};

/// Depth of the factor trie: longer windows are looked up in it piecewise, then in the words themselves.
const FACTOR_DEPTH: usize = 4;

/// A literal token set.
#[derive(Debug)]
pub struct Literal {
    /// The distinct words, strictly increasing.
    words: Vec<Box<[u8]>>,
    /// What the scan reports for each word.
    kinds: Vec<u32>,
    munching: Munching,
    longest: usize,
    tables: OnceLock<Tables>,
    code: OnceLock<Option<Code>>,
}

impl Literal {
    /// The set of `tokens`, each with its kind; of equal tokens the first stays.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTokenSet`] for an empty set or an empty token.
    pub fn new<T: AsRef<[u8]>>(tokens: &[T], kind: impl Fn(usize) -> u32) -> Result<Self> {
        if tokens.is_empty() {
            return Err(Error::InvalidTokenSet {
                message: "the token set is empty; give at least one token".to_owned(),
            });
        }
        if let Some(index) = tokens.iter().position(|token| token.as_ref().is_empty()) {
            return Err(Error::InvalidTokenSet {
                message: format!("token {index} is empty; a token has at least one byte"),
            });
        }
        let mut order: Vec<u32> = (0..tokens.len() as u32).collect();
        order.sort_by_key(|&index| tokens[index as usize].as_ref()); // stable: the first of equals leads
        order.dedup_by_key(|index| tokens[*index as usize].as_ref());
        let words: Vec<Box<[u8]>> =
            order.iter().map(|&index| tokens[index as usize].as_ref().into()).collect();
        let kinds: Vec<u32> = order.iter().map(|&index| kind(index as usize)).collect();
        let munching = Munching::new(LiteralTrie::build(&words), &kinds, |word| words[word].len());
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        Ok(Self { words, kinds, munching, longest, tables: OnceLock::new(), code: OnceLock::new() })
    }

    /// The distinct words, in increasing order.
    pub fn words(&self) -> &[Box<[u8]>] {
        &self.words
    }

    /// The kind of each word, in the order of [`Self::words`].
    pub fn kinds(&self) -> &[u32] {
        &self.kinds
    }

    /// Length of the longest word in bytes.
    pub fn longest_word(&self) -> usize {
        self.longest
    }

    /// Whether `word` is in the set.
    pub fn contains(&self, word: &[u8]) -> bool {
        let node = self.trie().walk(ROOT, word);
        node != NONE && self.trie().is_word(node)
    }

    /// Whether every single byte is a word, so that every text is in the domain.
    pub fn has_all_bytes(&self) -> bool {
        (0..=255_u8).all(|byte| self.contains(&[byte]))
    }

    pub(super) fn munching(&self) -> &Munching {
        &self.munching
    }

    pub(super) fn trie(&self) -> &LiteralTrie {
        self.munching.trie()
    }

    /// The prefix code that generates the domain, if the set has one.
    pub(super) fn code(&self) -> Option<&Code> {
        self.code.get_or_init(|| Code::of(self)).as_ref()
    }

    pub(super) fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| Tables::new(&self.words, self.trie()))
    }

    /// Whether `window` occurs at an offset of at least 1 inside some word.
    pub(super) fn occurs_inside(&self, window: &[u8]) -> bool {
        let factors = &self.tables().factors;
        if window.len() <= FACTOR_DEPTH {
            return factors.walk(ROOT, window) != NONE;
        }
        if window.windows(FACTOR_DEPTH).any(|part| factors.walk(ROOT, part) == NONE) {
            return false;
        }
        self.shortest_around(window).is_some()
    }

    /// The shortest word with `window` at an offset of at least 1, and the first such offset.
    pub(super) fn shortest_around(&self, window: &[u8]) -> Option<(&[u8], usize)> {
        let finder = memchr::memmem::Finder::new(window);
        let mut best: Option<(&[u8], usize)> = None;
        for word in &self.words {
            if word.len() > window.len()
                && best.is_none_or(|(found, _)| word.len() < found.len())
                && let Some(at) = finder.find(&word[1..])
            {
                best = Some((word, at + 1));
            }
        }
        best
    }
}

impl Munch for Literal {
    #[inline]
    fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
        self.munching.longest(text, at)
    }

    #[inline]
    fn extend(
        &self,
        text: &[u8],
        from: usize,
        until: usize,
        scan: &mut Scan,
        _noted: &mut Overshoot,
    ) -> std::result::Result<usize, usize> {
        self.munching.extend(text, from, until, |start, kind| scan.push(start, kind))
    }
}

/// What the closed form looks up.
#[derive(Debug)]
pub(super) struct Tables {
    /// Trie of the reversed words.
    pub(super) reversed: LiteralTrie,
    /// For each slot of `reversed`: the range of `by_suffix` whose words end with that suffix.
    pub(super) suffix_ranges: Vec<(u32, u32)>,
    /// Word and its node in the trie, ordered by the reversed word.
    pub(super) by_suffix: Vec<(u32, u32)>,
    /// Number of trie leaves among the first `i` of `by_suffix`.
    leaves_before: Vec<u32>,
    /// Factors at an offset of at least 1, cut to `FACTOR_DEPTH` bytes.
    pub(super) factors: LiteralTrie,
    /// Bit `b` of `pairs[a]`: the pair `ab` occurs inside some word.
    pub(super) pairs: Vec<[u64; 4]>,
}

impl Tables {
    fn new(words: &[Box<[u8]>], trie: &LiteralTrie) -> Self {
        let mut reversed: Vec<(Vec<u8>, u32)> = words
            .iter()
            .enumerate()
            .map(|(index, word)| (word.iter().rev().copied().collect(), index as u32))
            .collect();
        reversed.sort_unstable();
        let by_suffix: Vec<(u32, u32)> = reversed
            .iter()
            .map(|&(_, index)| (index, trie.walk(ROOT, &words[index as usize])))
            .collect();
        let mut leaves_before = Vec::with_capacity(by_suffix.len() + 1);
        let mut leaves = 0;
        leaves_before.push(0);
        for &(_, node) in &by_suffix {
            leaves += u32::from(trie.is_leaf(node));
            leaves_before.push(leaves);
        }
        let keys: Vec<Vec<u8>> = reversed.into_iter().map(|(key, _)| key).collect();
        let Built { trie: reversed, ranges: suffix_ranges, .. } = LiteralTrie::build(&keys);
        let mut pairs = vec![[0_u64; 4]; 256];
        for word in words {
            for pair in word.windows(2) {
                pairs[usize::from(pair[0])][usize::from(pair[1]) / 64] |= 1 << (pair[1] % 64);
            }
        }
        let factors = factor_trie(words, FACTOR_DEPTH);
        Self { reversed, suffix_ranges, by_suffix, leaves_before, factors, pairs }
    }

    /// Whether the pair `ab` occurs inside some word.
    #[inline]
    pub(super) fn has_pair(&self, a: u8, b: u8) -> bool {
        self.pairs[usize::from(a)][usize::from(b) / 64] >> (b % 64) & 1 == 1
    }

    /// Range of `by_suffix` with the words that end with the suffix of `node` (a slot of `reversed`)
    /// and are longer than it.
    #[inline]
    pub(super) fn longer(&self, node: u32) -> (u32, u32) {
        if node == NONE {
            return (0, 0);
        }
        let (low, high) = self.suffix_ranges[node as usize];
        (low + u32::from(self.reversed.is_word(node)), high)
    }

    /// Whether some word of the range is a leaf of the trie: nothing to its right can make it longer.
    #[inline]
    pub(super) fn has_leaf(&self, (low, high): (u32, u32)) -> bool {
        self.leaves_before[high as usize] > self.leaves_before[low as usize]
    }
}

/// The trie of all factors at an offset of at least 1, cut to `depth` bytes.
pub(super) fn factor_trie(words: &[Box<[u8]>], depth: usize) -> LiteralTrie {
    let mut factors: Vec<&[u8]> = words
        .iter()
        .flat_map(|word| (1..word.len()).map(|at| &word[at..word.len().min(at + depth)]))
        .collect();
    if depth <= 7 {
        // PERF: sorting packed keys is several times faster than sorting slices.
        let mut keys: Vec<u64> = factors.iter().map(|factor| pack(factor)).collect();
        keys.sort_unstable();
        keys.dedup();
        let unpacked: Vec<([u8; 8], usize)> =
            keys.iter().map(|key| (key.to_be_bytes(), (key & 0xFF) as usize)).collect();
        let words: Vec<&[u8]> = unpacked.iter().map(|(bytes, len)| &bytes[..*len]).collect();
        return LiteralTrie::build(&words).trie;
    }
    factors.sort_unstable();
    factors.dedup();
    LiteralTrie::build(&factors).trie
}

/// At most seven bytes, left-aligned, the length in the last byte: the order of keys is that of bytes.
fn pack(bytes: &[u8]) -> u64 {
    let mut key = [0_u8; 8];
    key[..bytes.len()].copy_from_slice(bytes);
    key[7] = bytes.len() as u8;
    u64::from_be_bytes(key)
}
