//! A byte trie over literal keys, laid out as a double array: one step is two array reads.
//!
//! Keys are any byte strings, values are ids. The states are numbered so that `0` is the root. Built
//! once, never changed.

use crate::error::{Error, Result};
use crate::units::TokenId;

/// A state of the trie: the prefix that was read.
pub type TrieState = u32;

/// The state before any byte.
pub const ROOT: TrieState = 0;

/// "No value", "no parent": no id and no state has this number.
const NONE: u32 = u32::MAX;

/// Blocks that are still searched for room when a state with several children is placed.
const OPEN_BLOCKS: usize = 6;

/// States of one block; a state's children differ from its base in the low eight bits only.
const BLOCK: usize = 256;

#[derive(Debug, Clone, Copy)]
struct Cell {
    /// The child for byte `b`, if there is one, is cell `base ^ b`.
    base: u32,
    /// The parent, or `NONE` for a free cell (and for the root).
    parent: u32,
}

/// An immutable map from byte strings to ids that is walked byte by byte.
#[derive(Debug, Clone)]
pub struct Trie {
    cells: Vec<Cell>,
    values: Vec<u32>,
    longest: usize,
}

impl Trie {
    /// Builds the trie of `entries`; of entries with equal keys the last one counts.
    ///
    /// A value of `u32::MAX` and more than about 2³¹ states are refused.
    ///
    /// Complexity: `O(total key bytes)` plus sorting.
    pub fn new<K: AsRef<[u8]>>(entries: &[(K, TokenId)]) -> Result<Self> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by(|&a, &b| entries[a].0.as_ref().cmp(entries[b].0.as_ref()));
        let sorted: Vec<(&[u8], u32)> =
            order.iter().map(|&index| (entries[index].0.as_ref(), entries[index].1)).collect();
        if sorted.iter().any(|&(_, value)| value == NONE) {
            return Err(Error::argument(
                "id",
                format!("{NONE} is no id; ids go up to {}", NONE - 1),
            ));
        }
        Builder::new().build(&sorted)
    }

    /// The state after `byte` in `state`, `None` where no key goes on like that.
    #[inline]
    pub fn step(&self, state: TrieState, byte: u8) -> Option<TrieState> {
        let base = self.cells.get(state as usize)?.base;
        let next = base ^ u32::from(byte);
        (self.cells.get(next as usize)?.parent == state).then_some(next)
    }

    /// The value of the key that ends in `state`.
    #[inline]
    pub fn value(&self, state: TrieState) -> Option<TokenId> {
        self.values.get(state as usize).copied().filter(|&value| value != NONE)
    }

    /// The value of exactly `key`.
    pub fn get(&self, key: &[u8]) -> Option<TokenId> {
        let last = key.iter().try_fold(ROOT, |state, &byte| self.step(state, byte))?;
        self.value(last)
    }

    /// Length and value of the longest key, not the empty one, that `text` starts with.
    #[inline]
    pub fn longest_prefix(&self, text: &[u8]) -> Option<(usize, TokenId)> {
        let mut state = ROOT;
        let mut best = None;
        for (index, &byte) in text.iter().enumerate() {
            let Some(next) = self.step(state, byte) else { break };
            state = next;
            if let Some(value) = self.value(state) {
                best = Some((index + 1, value));
            }
        }
        best
    }

    /// Length and value of every key, not the empty one, that `text` starts with, shortest first.
    pub fn prefixes<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, TokenId)> + 'a {
        text.iter()
            .scan(ROOT, |state, &byte| {
                *state = self.step(*state, byte)?;
                Some(*state)
            })
            .enumerate()
            .filter_map(|(index, state)| Some((index + 1, self.value(state)?)))
    }

    /// Length of the longest key in bytes.
    pub fn longest_key(&self) -> usize {
        self.longest
    }

    /// One more than the largest state number.
    pub fn states(&self) -> usize {
        self.cells.len()
    }
}

/// Places states block by block. Free cells of each block are kept as bit sets.
struct Builder {
    cells: Vec<Cell>,
    values: Vec<u32>,
    /// Free cells, four words to a block.
    free: Vec<[u64; 4]>,
    /// Blocks where states with several children may still fit, newest last.
    open: Vec<usize>,
    /// First block that may have a free cell for a single child.
    first_free: usize,
}

/// Keys `from..to` share their first `depth` bytes, which lead to `state`.
struct Work {
    state: u32,
    from: usize,
    to: usize,
    depth: usize,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self {
            cells: Vec::new(),
            values: Vec::new(),
            free: Vec::new(),
            open: Vec::new(),
            first_free: 0,
        };
        builder.add_block();
        builder.take(ROOT as usize);
        builder
    }

    fn build(mut self, sorted: &[(&[u8], u32)]) -> Result<Trie> {
        let mut work = vec![Work { state: ROOT, from: 0, to: sorted.len(), depth: 0 }];
        let mut children: Vec<(u8, usize, usize)> = Vec::new();
        while let Some(Work { state, mut from, to, depth }) = work.pop() {
            while from < to && sorted[from].0.len() == depth {
                self.values[state as usize] = sorted[from].1;
                from += 1;
            }
            children.clear();
            while from < to {
                let byte = sorted[from].0[depth];
                let length = sorted[from..to].partition_point(|(key, _)| key[depth] == byte);
                children.push((byte, from, from + length));
                from += length;
            }
            if children.is_empty() {
                continue;
            }
            let base = self.place(&children);
            if base + BLOCK > (NONE / 2) as usize {
                return Err(Error::Limit {
                    limit: "trie states".to_owned(),
                    message: "the keys need more than 2^31 states".to_owned(),
                });
            }
            self.cells[state as usize].base = base as u32;
            for &(byte, from, to) in children.iter().rev() {
                let child = base ^ usize::from(byte);
                self.take(child);
                self.cells[child].parent = state;
                work.push(Work { state: child as u32, from, to, depth: depth + 1 });
            }
        }
        let longest = sorted.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        Ok(Trie { cells: self.cells, values: self.values, longest })
    }

    /// A base whose cells for all children are free.
    fn place(&mut self, children: &[(u8, usize, usize)]) -> usize {
        if let [(byte, ..)] = children {
            return self.any_free_cell() ^ usize::from(*byte);
        }
        for index in (0..self.open.len()).rev() {
            let block = self.open[index];
            if let Some(base) = self.fit(block, children) {
                return base;
            }
        }
        let block = self.add_block();
        self.open.push(block);
        if self.open.len() > OPEN_BLOCKS {
            self.open.remove(0);
        }
        block * BLOCK
    }

    fn fit(&self, block: usize, children: &[(u8, usize, usize)]) -> Option<usize> {
        let (first, ..) = children.first()?;
        let free = &self.free[block];
        let is_free = |cell: usize| free[cell / 64] >> (cell % 64) & 1 == 1;
        (0..4).flat_map(|word| bits(free[word]).map(move |bit| word * 64 + bit)).find_map(|cell| {
            let base = cell ^ usize::from(*first);
            children
                .iter()
                .all(|&(byte, ..)| is_free(base ^ usize::from(byte)))
                .then_some(block * BLOCK + base)
        })
    }

    fn any_free_cell(&mut self) -> usize {
        while self.first_free < self.free.len() {
            let block = self.first_free;
            let free = self.free[block];
            if let Some(word) = (0..4).find(|&word| free[word] != 0) {
                return block * BLOCK + word * 64 + free[word].trailing_zeros() as usize;
            }
            self.first_free += 1;
        }
        self.add_block() * BLOCK
    }

    fn add_block(&mut self) -> usize {
        self.cells.resize(self.cells.len() + BLOCK, Cell { base: 0, parent: NONE });
        self.values.resize(self.values.len() + BLOCK, NONE);
        self.free.push([u64::MAX; 4]);
        self.free.len() - 1
    }

    fn take(&mut self, cell: usize) {
        self.free[cell / BLOCK][cell % BLOCK / 64] &= !(1 << (cell % 64));
    }
}

fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::Trie;

    fn slow_longest(map: &BTreeMap<Vec<u8>, u32>, text: &[u8]) -> Option<(usize, u32)> {
        (1..=text.len()).rev().find_map(|n| map.get(&text[..n]).map(|&value| (n, value)))
    }

    #[test]
    fn the_empty_key_is_a_value_but_never_a_prefix() -> crate::Result<()> {
        let trie = Trie::new(&[("", 7), ("a", 8)])?;

        assert_eq!(Some(7), trie.get(b""));
        assert_eq!(None, trie.longest_prefix(b"b"));
        assert_eq!(Some((1, 8)), trie.longest_prefix(b"ab"));
        Ok(())
    }

    #[test]
    fn an_empty_trie_knows_nothing() -> crate::Result<()> {
        let trie = Trie::new::<&str>(&[])?;

        assert_eq!(None, trie.get(b""));
        assert_eq!(None, trie.longest_prefix(b"a"));
        Ok(())
    }

    #[test]
    fn all_single_bytes_fit() -> crate::Result<()> {
        let keys: Vec<(Vec<u8>, u32)> = (0..=255_u8).map(|b| (vec![b], u32::from(b))).collect();
        let trie = Trie::new(&keys)?;

        assert!(keys.iter().all(|(key, value)| trie.get(key) == Some(*value)));
        Ok(())
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            prop::collection::vec(97_u8..100, 0..8),
            prop::collection::vec(any::<u8>(), 0..4),
        ]
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_map(
            entries in prop::collection::vec((bytes(), 0_u32..1000), 0..300),
            texts in prop::collection::vec(bytes(), 0..50),
        ) {
            let map: BTreeMap<Vec<u8>, u32> = entries.iter().cloned().collect();
            let trie = Trie::new(&entries)?;

            for text in texts.iter().chain(map.keys()) {
                prop_assert_eq!(map.get(text).copied(), trie.get(text));
                prop_assert_eq!(slow_longest(&map, text), trie.longest_prefix(text));
                let all: Vec<_> = trie.prefixes(text).collect();
                let expected: Vec<_> = (1..=text.len())
                    .filter_map(|n| map.get(&text[..n]).map(|&value| (n, value)))
                    .collect();
                prop_assert_eq!(expected, all);
            }
        }
    }
}
