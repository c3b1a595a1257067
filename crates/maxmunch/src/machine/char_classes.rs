//! Sets of characters, and the coarsest partition of all characters that a list of sets can tell apart.

use hashbrown::HashMap;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// A set of characters, as sorted ranges.
pub(crate) type CharSet = ClassUnicode;

/// The number of a class of characters.
pub(crate) type ClassId = u8;

/// Characters are looked up in blocks of this many.
const BLOCK: usize = 128;
const BLOCKS: usize = 0x11_0000 / BLOCK;

/// Code points that are no characters: where a set changes inside them, it changes at their end.
const SURROGATES: std::ops::Range<u32> = 0xD800..0xE000;

/// The set that holds one character.
pub(crate) fn singleton(character: char) -> CharSet {
    ClassUnicode::new([ClassUnicodeRange::new(character, character)])
}

/// The characters outside `set`.
pub(crate) fn complement(set: &CharSet) -> CharSet {
    let mut outside = set.clone();
    outside.negate();
    outside
}

/// Whether `set` holds `character`, by binary search.
pub(crate) fn contains(set: &CharSet, character: char) -> bool {
    let ranges = set.ranges();
    let after = ranges.partition_point(|range| range.start() <= character);
    after > 0 && character <= ranges[after - 1].end()
}

/// The partition of all characters that some sets induce: two characters share a class when every set
/// holds both or neither.
#[derive(Debug, Clone)]
pub(crate) struct CharClasses {
    ascii: [ClassId; BLOCK],
    /// Where in `blocks` the block begins that describes code points `128 i .. 128 (i + 1)`.
    block_of: Vec<u32>,
    /// Blocks of 128 classes; equal ones are stored once.
    blocks: Vec<ClassId>,
    /// The smallest character of each class.
    representatives: Vec<char>,
}

impl CharClasses {
    /// The coarsest partition for `sets`; `None` when it has more than `max_classes` classes.
    pub(crate) fn new(sets: &[CharSet], max_classes: usize) -> Option<Self> {
        let mut numbers: HashMap<Vec<u64>, ClassId> = HashMap::new();
        let mut representatives = Vec::new();
        let mut runs = Vec::new();
        for (start, signature) in elementary_runs(sets) {
            let next = representatives.len();
            let class = *numbers.entry(signature).or_insert(next as ClassId);
            if usize::from(class) == next {
                if next == max_classes.min(usize::from(ClassId::MAX)) {
                    return None;
                }
                representatives.push(char::from_u32(start)?);
            }
            runs.push((start, class));
        }
        let (block_of, blocks) = blocks_of(&runs);
        let ascii = *blocks.first_chunk()?;
        Some(Self { ascii, block_of, blocks, representatives })
    }

    /// Number of classes, at least 1.
    pub(crate) fn count(&self) -> usize {
        self.representatives.len()
    }

    /// One character of each class, the smallest.
    pub(crate) fn representatives(&self) -> &[char] {
        &self.representatives
    }

    /// The class of an ASCII character; bytes from 0x80 on give an unspecified class.
    #[inline]
    pub(crate) fn of_ascii(&self, byte: u8) -> ClassId {
        self.ascii[usize::from(byte & 0x7F)]
    }

    /// The class of a code point.
    #[inline]
    pub(crate) fn of(&self, code: u32) -> ClassId {
        let code = code as usize;
        let start = self.block_of.get(code / BLOCK).map_or(0, |&start| start as usize);
        self.blocks.get(start + code % BLOCK).copied().unwrap_or(0)
    }
}

/// Maximal runs of code points that no set tells apart: first code point, and a bit for each set.
fn elementary_runs(sets: &[CharSet]) -> Vec<(u32, Vec<u64>)> {
    let mut toggles = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        for range in set.ranges() {
            toggles.push((u32::from(range.start()), index));
            let after = u32::from(range.end()) + 1;
            toggles.push((if SURROGATES.contains(&after) { SURROGATES.end } else { after }, index));
        }
    }
    toggles.sort_unstable();
    let mut signature = vec![0_u64; sets.len().div_ceil(64)];
    let mut runs = vec![(0, signature.clone())];
    let mut at = 0;
    while let Some(&(start, _)) = toggles.get(at).filter(|toggle| toggle.0 <= 0x10_FFFF) {
        while let Some(&(_, index)) = toggles.get(at).filter(|toggle| toggle.0 == start) {
            signature[index / 64] ^= 1 << (index % 64);
            at += 1;
        }
        if start == 0 {
            runs.clear();
        }
        runs.push((start, signature.clone()));
    }
    runs
}

/// The two-level table of `runs`, sorted pairs of a first code point and a class.
fn blocks_of(runs: &[(u32, ClassId)]) -> (Vec<u32>, Vec<ClassId>) {
    let mut numbers: HashMap<[ClassId; BLOCK], u32> = HashMap::new();
    let mut blocks = Vec::new();
    let mut block_of = Vec::with_capacity(BLOCKS);
    let mut next = 0;
    let mut class = 0;
    let mut last = None;
    for index in 0..BLOCKS {
        let first = (index * BLOCK) as u32;
        let uniform = runs.get(next).is_none_or(|run| run.0 >= first + BLOCK as u32);
        if let Some(number) = last.filter(|_| uniform) {
            block_of.push(number);
            continue;
        }
        let mut block = [class; BLOCK];
        for (code, slot) in (first..).zip(block.iter_mut()) {
            while let Some(run) = runs.get(next).filter(|run| run.0 <= code) {
                class = run.1;
                next += 1;
            }
            *slot = class;
        }
        let number = *numbers.entry(block).or_insert_with(|| {
            blocks.extend(block);
            (blocks.len() - BLOCK) as u32
        });
        block_of.push(number);
        last = block.iter().all(|&c| c == class).then_some(number);
    }
    (block_of, blocks)
}
