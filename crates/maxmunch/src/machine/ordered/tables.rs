//! The tables that a scan reads, and the scan from one position.

use super::automaton::{Automaton, DEAD, State};
use super::failures::Failures;
use crate::machine::char_classes::CharClasses;

/// Entry bit: a match ends before the symbol.
const ACCEPTS: u32 = 1 << 31;
/// Entry bit: the entry accepts, or leads to the dead state.
const SPECIAL: u32 = 1 << 30;
/// The rest of an entry: where the row of the next state begins.
const TARGET: u32 = SPECIAL - 1;

/// Positions between two looks at the memory of failures, in bytes; a power of two.
const STRIDE: usize = 64;

/// Transition rows of a power of two length, and the classes of characters.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    classes: CharClasses,
    entries: Vec<u32>,
    /// Symbol of the end of the text.
    end: usize,
    start: u32,
    shift: u32,
    /// For each state, whether a match is certain to come.
    certain: Vec<bool>,
}

impl Tables {
    /// Lays out `automaton`; `certain` says from which states a match is certain.
    pub(crate) fn new(automaton: &Automaton, certain: Vec<bool>, classes: CharClasses) -> Self {
        let width = automaton.symbols.next_power_of_two();
        let shift = width.trailing_zeros();
        let mut entries = vec![SPECIAL; automaton.states() * width];
        for state in 0..automaton.states() {
            let row = automaton.row(state as State);
            for (entry, step) in entries[state << shift..].iter_mut().zip(row) {
                *entry = step.target << shift;
                if step.accepts {
                    *entry |= ACCEPTS | SPECIAL;
                }
                if step.target == DEAD {
                    *entry |= SPECIAL;
                }
            }
        }
        let start = automaton.start << shift;
        Self { classes, entries, end: automaton.symbols - 1, start, shift, certain }
    }

    /// Number of states.
    pub(crate) fn states(&self) -> usize {
        self.certain.len()
    }

    /// One character of each class.
    pub(crate) fn class_representatives(&self) -> &[char] {
        self.classes.representatives()
    }

    /// Where the match that begins at `from` ends, or `None` when none begins there.
    #[inline]
    pub(crate) fn munch(&self, text: &str, from: usize, failures: &mut Failures) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut state = self.start;
        let mut last = None;
        let mut at = from;
        loop {
            let stop = bytes.len().min((at | (STRIDE - 1)) + 1);
            while at < stop {
                let (class, length) = self.class_at(bytes, at);
                let entry = self.entry(state, class);
                if entry & SPECIAL != 0 {
                    if entry & ACCEPTS != 0 {
                        last = Some(at);
                    }
                    if entry & TARGET == 0 {
                        failures.record(last);
                        return last;
                    }
                }
                state = entry & TARGET;
                at += length;
            }
            if at >= bytes.len() {
                if self.entry(state, self.end) & ACCEPTS != 0 {
                    last = Some(at);
                }
                failures.record(last);
                return last;
            }
            if !self.is_certain(state) && failures.meet(at, state, last) {
                failures.record(last);
                return last;
            }
        }
    }

    fn is_certain(&self, state: u32) -> bool {
        self.certain.get((state >> self.shift) as usize).copied().unwrap_or(false)
    }

    #[inline]
    fn entry(&self, state: u32, symbol: usize) -> u32 {
        self.entries.get(state as usize + symbol).copied().unwrap_or(SPECIAL)
    }

    /// Class and length in bytes of the character at byte `at`, a character boundary inside the text.
    #[inline]
    fn class_at(&self, bytes: &[u8], at: usize) -> (usize, usize) {
        let byte = bytes[at];
        if byte < 0x80 {
            (usize::from(self.classes.of_ascii(byte)), 1)
        } else {
            let (code, length) = decode(bytes, at);
            (usize::from(self.classes.of(code)), length)
        }
    }
}

/// Code point and length of the non-ASCII character at byte `at` of valid UTF-8.
#[inline]
fn decode(bytes: &[u8], at: usize) -> (u32, usize) {
    let low = |offset: usize| u32::from(bytes.get(at + offset).copied().unwrap_or(0) & 0x3F);
    let lead = u32::from(bytes[at]);
    if lead < 0xE0 {
        ((lead & 0x1F) << 6 | low(1), 2)
    } else if lead < 0xF0 {
        ((lead & 0x0F) << 12 | low(1) << 6 | low(2), 3)
    } else {
        ((lead & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4)
    }
}
