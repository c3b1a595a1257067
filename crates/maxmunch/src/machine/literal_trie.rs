//! A trie over byte strings as an XOR double array: one look-up per byte, whatever the fan-out.
//!
//! The slot of the child of `node` along `byte` is `base[node] ^ byte`; it is a child exactly if its label
//! is that byte. No two nodes have the same base, so a label names one parent only. Bases never leave a
//! block of 256 slots, so every look-up is in range.

use std::cmp::Ordering;

/// Marks "no slot" and "no word".
pub const NONE: u32 = u32::MAX;
/// The slot of the root.
pub const ROOT: u32 = 0;

const BLOCK: usize = 256;
/// Blocks that are still tried for a node with several children.
const OPEN_BLOCKS: usize = 16;

/// The label of free slots and of the root: no byte.
const UNLABELLED: u16 = 256;

/// PERF: eight bytes, so that a step reads one of them and never two cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(8))]
struct Node {
    /// Children are at `base ^ byte`; 0 for a node without children, which no node with children has.
    base: u32,
    /// The byte that leads here, or `UNLABELLED`.
    label: u16,
    is_word: bool,
}

const FREE: Node = Node { base: 0, label: UNLABELLED, is_word: false };

/// A trie of words.
#[derive(Debug, Clone)]
pub struct LiteralTrie {
    nodes: Vec<Node>,
}

/// A trie with what is known of it after it was built.
#[derive(Debug)]
pub struct Built {
    /// The trie.
    pub trie: LiteralTrie,
    /// For each slot the half-open range of the words below it; `(0, 0)` for a free slot.
    pub ranges: Vec<(u32, u32)>,
    /// Parent and child of each edge, every node before its children.
    pub edges: Vec<(u32, u32)>,
}

/// A node on the way through a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    slot: u32,
    node: Node,
}

impl Step {
    #[inline]
    pub(super) fn slot(self) -> u32 {
        self.slot
    }

    #[inline]
    pub(super) fn is_word(self) -> bool {
        self.node.is_word
    }
}

impl LiteralTrie {
    /// Builds the trie of `words`, which must be strictly increasing.
    ///
    /// Complexity: linear in the total length up to the search for free slots, which is bounded.
    pub fn build<W: AsRef<[u8]>>(words: &[W]) -> Built {
        debug_assert!(words.windows(2).all(|w| w[0].as_ref().cmp(w[1].as_ref()) == Ordering::Less));
        let mut builder = Builder::new();
        builder.run(words);
        let Builder { nodes, ranges, edges, .. } = builder;
        Built { trie: Self { nodes }, ranges, edges }
    }

    /// Number of slots, free ones included: every slot is below it.
    pub fn slots(&self) -> usize {
        self.nodes.len()
    }

    /// The child of `node` along `byte`, or [`NONE`].
    #[inline]
    pub fn child(&self, node: u32, byte: u8) -> u32 {
        let slot = self.nodes[node as usize].base ^ u32::from(byte);
        if self.nodes[slot as usize].label == u16::from(byte) { slot } else { NONE }
    }

    /// A way through a text that is at `node`.
    #[inline]
    pub(super) fn at(&self, node: u32) -> Step {
        Step { slot: node, node: self.nodes[node as usize] }
    }

    /// The way one byte on.
    #[inline]
    pub(super) fn advance(&self, step: Step, byte: u8) -> Option<Step> {
        let slot = step.node.base ^ u32::from(byte);
        let node = self.nodes[slot as usize];
        (node.label == u16::from(byte)).then_some(Step { slot, node })
    }

    /// The byte that leads to `node`; `None` for the root.
    pub(super) fn label(&self, node: u32) -> Option<u8> {
        u8::try_from(self.nodes[node as usize].label).ok()
    }

    /// Whether a word ends at `node`.
    #[inline]
    pub fn is_word(&self, node: u32) -> bool {
        self.nodes[node as usize].is_word
    }

    /// Whether `node` has no children.
    #[inline]
    pub fn is_leaf(&self, node: u32) -> bool {
        self.nodes[node as usize].base == 0
    }

    /// The node that `text` leads to from `node`, or [`NONE`].
    pub fn walk(&self, node: u32, text: &[u8]) -> u32 {
        let mut node = node;
        for &byte in text {
            node = self.child(node, byte);
            if node == NONE {
                return NONE;
            }
        }
        node
    }

    /// End of the longest word that starts at `at`, and its node.
    #[inline]
    pub fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
        let mut step = self.at(ROOT);
        let mut best = None;
        for (offset, &byte) in text.get(at..)?.iter().enumerate() {
            let Some(next) = self.advance(step, byte) else { break };
            step = next;
            if step.is_word() {
                best = Some((at + offset + 1, step.slot));
            }
        }
        best
    }

    /// The children of `node` with their bytes, in increasing byte order.
    pub fn children(&self, node: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        let range = if self.is_leaf(node) { 0..0 } else { 0..256_u32 };
        range.filter_map(move |byte| {
            let byte = byte as u8;
            let slot = self.child(node, byte);
            (slot != NONE).then_some((byte, slot))
        })
    }
}

struct Builder {
    nodes: Vec<Node>,
    ranges: Vec<(u32, u32)>,
    edges: Vec<(u32, u32)>,
    /// Whether a node has this base; 0 belongs to the nodes without children.
    used: Vec<bool>,
    /// Free slots left in each block.
    room: Vec<u16>,
    /// Blocks worth trying, oldest first.
    open: Vec<usize>,
    /// Blocks below this one are full, or were left with slots that could not be used.
    first: usize,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self {
            nodes: vec![],
            ranges: vec![],
            edges: vec![],
            used: vec![],
            room: vec![],
            open: vec![],
            first: 0,
        };
        builder.grow();
        builder.used[0] = true;
        builder.room[0] -= 1; // the root
        builder
    }

    fn grow(&mut self) -> usize {
        let block = self.room.len();
        self.nodes.resize(self.nodes.len() + BLOCK, FREE);
        self.ranges.resize(self.nodes.len(), (0, 0));
        self.used.resize(self.nodes.len(), false);
        self.room.push(BLOCK as u16);
        self.open.push(block);
        if self.open.len() > OPEN_BLOCKS {
            self.open.remove(0);
        }
        block
    }

    fn is_free(&self, slot: u32) -> bool {
        slot != ROOT && self.nodes[slot as usize].label == UNLABELLED
    }

    fn take(&mut self, slot: u32, label: u8, range: (u32, u32)) {
        self.nodes[slot as usize].label = u16::from(label);
        self.ranges[slot as usize] = range;
        self.room[slot as usize / BLOCK] -= 1;
    }

    fn run<W: AsRef<[u8]>>(&mut self, words: &[W]) {
        self.ranges[ROOT as usize] = (0, words.len() as u32);
        let mut stack = vec![(ROOT, 0_usize)];
        let mut groups: Vec<(u8, u32, u32)> = vec![];
        while let Some((node, depth)) = stack.pop() {
            let (mut low, high) = self.ranges[node as usize];
            if low < high && words[low as usize].as_ref().len() == depth {
                self.nodes[node as usize].is_word = true;
                low += 1;
            }
            groups.clear();
            for index in low..high {
                let byte = words[index as usize].as_ref()[depth];
                match groups.last_mut() {
                    Some(group) if group.0 == byte => group.2 = index + 1,
                    _ => groups.push((byte, index, index + 1)),
                }
            }
            if groups.is_empty() {
                continue;
            }
            let base = self.find(&groups);
            self.nodes[node as usize].base = base;
            self.used[base as usize] = true;
            for &(byte, low, high) in groups.iter().rev() {
                let slot = base ^ u32::from(byte);
                self.take(slot, byte, (low, high));
                self.edges.push((node, slot));
                stack.push((slot, depth + 1));
            }
        }
    }

    /// A base that no node has yet, under which every label of the groups is a free slot.
    fn find(&mut self, groups: &[(u8, u32, u32)]) -> u32 {
        if let [(byte, _, _)] = groups {
            if let Some(base) = self.find_one(*byte) {
                return base;
            }
        } else {
            for at in (0..self.open.len()).rev() {
                if let Some(base) = self.fit(self.open[at], groups) {
                    return base;
                }
            }
        }
        let block = self.grow();
        (block * BLOCK) as u32 // a fresh block, so neither 0 nor used
    }

    fn find_one(&mut self, byte: u8) -> Option<u32> {
        while self.first < self.room.len() {
            let start = self.first * BLOCK;
            if self.room[self.first] > 0 {
                for slot in start..start + BLOCK {
                    let base = slot as u32 ^ u32::from(byte);
                    if !self.used[base as usize] && self.is_free(slot as u32) {
                        return Some(base);
                    }
                }
            }
            self.first += 1;
        }
        None
    }

    fn fit(&self, block: usize, groups: &[(u8, u32, u32)]) -> Option<u32> {
        if usize::from(self.room[block]) < groups.len() {
            return None;
        }
        let start = (block * BLOCK) as u32;
        (start..start + BLOCK as u32).find(|&base| {
            !self.used[base as usize]
                && groups.iter().all(|&(byte, _, _)| self.is_free(base ^ u32::from(byte)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Built, LiteralTrie, NONE, ROOT};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_holds_exactly_its_words(words in prop::collection::btree_set(
            prop::collection::vec(any::<u8>(), 1..5), 1..200)) {
            let words: Vec<Vec<u8>> = words.into_iter().collect();
            let Built { trie, ranges, edges } = LiteralTrie::build(&words);
            for (index, word) in words.iter().enumerate() {
                let node = trie.walk(ROOT, word);
                prop_assert_ne!(NONE, node);
                prop_assert!(trie.is_word(node));
                prop_assert_eq!(index as u32, ranges[node as usize].0);
                let (low, high) = ranges[node as usize];
                for (other, candidate) in words.iter().enumerate() {
                    let below = (low..high).contains(&(other as u32));
                    prop_assert_eq!(candidate.starts_with(word), below);
                }
            }
            let prefixes: std::collections::BTreeSet<&[u8]> =
                words.iter().flat_map(|word| (0..=word.len()).map(|end| &word[..end])).collect();
            let mut count = 0;
            let mut stack = vec![ROOT];
            while let Some(node) = stack.pop() {
                count += 1;
                stack.extend(trie.children(node).map(|(_, child)| child));
            }
            prop_assert_eq!(prefixes.len(), count);
            prop_assert_eq!(count - 1, edges.len());
        }
    }
}
