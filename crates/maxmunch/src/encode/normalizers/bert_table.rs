//! What `BertNormalizer` makes of single characters, so that a text is normalized in one pass.
//!
//! Nearly all characters are normalized independently of their neighbours. The exceptions are characters that
//! canonical ordering may move past each other and that are not dropped as accents; a text with one of those
//! takes the slow way, step by step, as does every text whose origins are wanted.

use std::sync::OnceLock;

use unicode_normalization_alignments::UnicodeNormalization;
use unicode_normalization_alignments::char::canonical_combining_class;

use crate::encode::categories::is_mark;

/// Characters are looked up in blocks of this many, computed at their first use.
const BLOCK: usize = 256;
const BLOCKS: usize = 0x11_0000 / BLOCK;

/// Marks of table entries that are no characters.
const DROP: u32 = 1 << 30;
const SEVERAL: u32 = DROP | 1;
const NEIGHBOURS: u32 = DROP | 2;

/// With a character: that character between two spaces.
const SPACED: u32 = 1 << 29;

/// The table of one combination of options.
#[derive(Debug)]
pub(super) struct BertTable {
    blocks: Box<[OnceLock<Box<[u32]>>]>,
    strips_accents: bool,
}

impl BertTable {
    /// An empty table.
    pub(super) fn new(strips_accents: bool) -> Self {
        Self { blocks: (0..BLOCKS).map(|_| OnceLock::new()).collect(), strips_accents }
    }

    /// The normalized text, given how texts of one character are normalized; `None` where neighbours matter.
    pub(super) fn apply(&self, text: &str, normalize: impl Fn(&str) -> String) -> Option<String> {
        let mut out = String::with_capacity(text.len() + text.len() / 4);
        let mut buffer = [0; 4];
        let ascii = self.block(0, &normalize);
        for character in text.chars() {
            let code = character as usize;
            let block = if code < BLOCK { ascii } else { self.block(code / BLOCK, &normalize) };
            match block.get(code % BLOCK).copied().unwrap_or(NEIGHBOURS) {
                entry @ 0..0x80 => out.push(char::from(entry as u8)),
                NEIGHBOURS => return None,
                SEVERAL => out.push_str(&normalize(character.encode_utf8(&mut buffer))),
                entry if entry & SPACED != 0 => {
                    let between = char::from_u32(entry ^ SPACED).unwrap_or(character);
                    out.extend([' ', between, ' ']);
                }
                entry => out.extend(char::from_u32(entry)),
            }
        }
        Some(out)
    }

    fn block(&self, number: usize, normalize: &impl Fn(&str) -> String) -> &[u32] {
        let Some(block) = self.blocks.get(number) else { return &[] };
        let first = number * BLOCK;
        block.get_or_init(|| {
            (first..first + BLOCK).map(|code| self.entry(code, normalize)).collect()
        })
    }

    fn entry(&self, code: usize, normalize: &impl Fn(&str) -> String) -> u32 {
        let Some(character) = char::from_u32(code as u32) else { return NEIGHBOURS };
        if self.strips_accents && depends_on_neighbours(character) {
            return NEIGHBOURS;
        }
        let normalized = normalize(character.encode_utf8(&mut [0; 4]));
        let mut characters = normalized.chars();
        let mut next = || characters.next();
        match (next(), next(), next(), next()) {
            (None, ..) => DROP,
            (Some(only), None, ..) => u32::from(only),
            (Some(' '), Some(between), Some(' '), None) => SPACED | u32::from(between),
            _ => SEVERAL,
        }
    }
}

/// Whether decomposition may put a neighbour between the parts of a character, or move it.
fn depends_on_neighbours(character: char) -> bool {
    std::iter::once(character)
        .nfd()
        .any(|(part, _)| canonical_combining_class(part) != 0 && !is_mark(part))
}
