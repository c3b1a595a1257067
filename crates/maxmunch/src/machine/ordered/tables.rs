//! The tables that a scan reads.
//!
//! ASCII characters index a row of 128 entries directly; all others are decoded, classified by the two-level
//! table of `char_classes`, and index a shorter row. An entry tells the next state and whether anything but
//! a step is to be done, so that a plain step is one load and one predictable branch.

use super::automaton::{Automaton, DEAD, Move, State};
use super::runs::RunKind;
use crate::machine::char_classes::CharClasses;

/// A row of ASCII characters has this many entries.
const ASCII: usize = 128;
const ASCII_SHIFT: u32 = ASCII.trailing_zeros();

/// What a symbol does in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(u32);

impl Entry {
    /// The match ends before the symbol and the next one begins with it: the target is that of the start.
    const COMMITS: u32 = 1 << 31;
    /// No thread is left.
    const ENDS: u32 = 1 << 30;
    /// A match ends before the symbol.
    const ACCEPTS: u32 = 1 << 29;
    /// From the target, bytes of the kind in the next two bits lead to one state, which loops on them.
    const RUNS: u32 = 1 << 28;
    const KIND_SHIFT: u32 = 26;
    const KIND: u32 = 3 << Self::KIND_SHIFT;
    /// Each byte of the run accepts before itself.
    const RUN_ACCEPTS: u32 = 1 << 25;
    /// The run leads through states that count its bytes, not to a loop.
    const COUNTS: u32 = 1 << 24;
    /// The rest: where the row of ASCII characters of the target begins.
    const TARGET: u32 = Self::COUNTS - 1;

    /// Whether there is nothing to do but step.
    #[inline]
    pub(crate) const fn is_plain(self) -> bool {
        self.0 <= Self::TARGET
    }

    #[inline]
    pub(crate) const fn target(self) -> u32 {
        self.0 & Self::TARGET
    }

    /// Whether the match is complete and the next begins with this symbol.
    #[inline]
    pub(crate) const fn commits(self) -> bool {
        self.0 & Self::COMMITS != 0
    }

    /// Whether the run from the start of the match is over.
    #[inline]
    pub(crate) const fn is_last(self) -> bool {
        self.0 & (Self::COMMITS | Self::ENDS) != 0
    }

    #[inline]
    pub(crate) const fn accepts(self) -> bool {
        self.0 & Self::ACCEPTS != 0
    }

    #[inline]
    pub(crate) const fn runs(self) -> bool {
        self.0 & Self::RUNS != 0
    }

    #[inline]
    pub(crate) const fn run_accepts(self) -> bool {
        self.0 & Self::RUN_ACCEPTS != 0
    }

    #[inline]
    const fn counts(self) -> bool {
        self.0 & Self::COUNTS != 0
    }

    /// The end of the run that begins at `from`, see [`RunKind::skip`].
    #[inline]
    fn skip(self, bytes: &[u8], from: usize, stop: usize) -> usize {
        const LETTERS: u32 = (RunKind::Letters as u32) << Entry::KIND_SHIFT;
        const LOWER_CASE: u32 = (RunKind::LowerCase as u32) << Entry::KIND_SHIFT;
        // PERF: comparisons, which are predicted; a `match` becomes an indirect jump.
        if self.0 & Self::KIND == LETTERS {
            RunKind::Letters.skip(bytes, from, stop)
        } else if self.0 & Self::KIND == LOWER_CASE {
            RunKind::LowerCase.skip(bytes, from, stop)
        } else {
            RunKind::Spaces.skip(bytes, from, stop)
        }
    }
}

/// Where the bytes of a run lead.
#[derive(Debug, Clone, Default)]
struct Run {
    bits: u32,
    /// The state after the first byte, where it loops.
    target: u32,
    /// Where it does not loop: the states after each byte.
    counted: Vec<u32>,
}

/// Runs that count fewer bytes are not worth a leap; longer ones take several.
const MIN_COUNT: usize = 4;
const MAX_COUNT: usize = 32;

/// Transition tables and the classes of characters.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    classes: CharClasses,
    /// `ascii[state * 128 + byte]`.
    ascii: Vec<Entry>,
    /// `symbols[state * width + symbol]`, the symbol a class or the end of the text.
    symbols: Vec<Entry>,
    width: usize,
    /// Where the row of the start begins, as in an entry.
    pub(crate) start: u32,
    runs: Vec<Run>,
    /// For each state, whether a match is certain to come.
    certain: Vec<bool>,
    /// For each byte, whether a match may begin with it.
    begins: Box<[bool; 256]>,
}

impl Tables {
    /// Lays out `automaton`; `certain` says from which states a match is certain.
    pub(crate) fn new(automaton: &Automaton, certain: Vec<bool>, classes: CharClasses) -> Self {
        let states = 0..automaton.states() as State;
        let runs: Vec<Run> = states.clone().map(|q| run_of(automaton, q, &classes)).collect();
        let from_start = automaton.row(automaton.start);
        let entry = |(step, first): (&Move, &Move)| {
            let accepts = if step.accepts { Entry::ACCEPTS } else { 0 };
            let (flag, target) = match (step.target, first.target) {
                (DEAD, DEAD) => (Entry::ENDS, DEAD),
                (DEAD, next) if step.accepts => (Entry::COMMITS, next),
                (DEAD, _) => (Entry::ENDS, DEAD),
                (next, _) => (0, next),
            };
            target << ASCII_SHIFT | flag | accepts
        };
        let rows = states.map(|state| automaton.row(state));
        let symbols = rows.clone().flat_map(|row| row.iter().zip(from_start).map(entry));
        let ascii = rows.flat_map(|row| {
            (0..ASCII as u8).map(|byte| {
                let class = usize::from(classes.of_ascii(byte));
                let bits = entry((&row[class], &from_start[class]));
                Entry(bits | runs[((bits & Entry::TARGET) >> ASCII_SHIFT) as usize].bits)
            })
        });
        // Characters beyond ASCII are looked at, the bytes inside of them are not.
        let mut begins = Box::new([false; 256]);
        for (byte, begins) in (0..=u8::MAX).zip(begins.iter_mut()) {
            *begins = match byte {
                0..0x80 => from_start[usize::from(classes.of_ascii(byte))].target != DEAD,
                _ => byte & 0xC0 != 0x80,
            };
        }
        Self {
            begins,
            ascii: ascii.collect(),
            symbols: symbols.map(Entry).collect(),
            width: automaton.symbols,
            start: automaton.start << ASCII_SHIFT,
            runs,
            certain,
            classes,
        }
    }

    /// Whether a match may begin with the character that begins with this byte.
    #[inline]
    pub(crate) fn may_begin(&self, byte: u8) -> bool {
        self.begins[usize::from(byte)]
    }

    /// Number of states.
    pub(crate) fn states(&self) -> usize {
        self.certain.len()
    }

    /// One character of each class.
    pub(crate) fn class_representatives(&self) -> &[char] {
        self.classes.representatives()
    }

    pub(crate) fn class_of(&self, character: char) -> usize {
        usize::from(self.classes.of(character as u32))
    }

    pub(crate) fn is_certain(&self, state: u32) -> bool {
        self.certain.get((state >> ASCII_SHIFT) as usize).copied().unwrap_or(false)
    }

    /// Entry and length in bytes of the character at `at`, whose first byte is `byte`.
    #[inline]
    pub(crate) fn entry(&self, state: u32, byte: u8, bytes: &[u8], at: usize) -> (Entry, usize) {
        if byte < 0x80 {
            let entry = self.ascii.get(state as usize + usize::from(byte));
            (entry.copied().unwrap_or(Entry(Entry::ENDS)), 1)
        } else {
            let (code, length) = decode(&bytes[at..]);
            (self.symbol_entry(state, usize::from(self.classes.of(code))), length)
        }
    }

    /// What the end of the text does.
    pub(crate) fn end_entry(&self, state: u32) -> Entry {
        self.symbol_entry(state, self.width - 1)
    }

    /// Where the run from `state` at byte `at` ends, and the state after it; `entry` led to `state`. It may
    /// end anywhere, also at once, and pass `stop` by a few bytes.
    #[inline]
    pub(crate) fn leap(
        &self,
        entry: Entry,
        state: u32,
        bytes: &[u8],
        at: usize,
        stop: usize,
    ) -> (u32, usize) {
        let end = entry.skip(bytes, at, stop);
        if end == at {
            return (state, at);
        }
        let Some(run) = self.runs.get((state >> ASCII_SHIFT) as usize) else { return (state, at) };
        if !entry.counts() {
            return (run.target, end);
        }
        let count = run.counted.len().min(end - at);
        (run.counted.get(count.wrapping_sub(1)).copied().unwrap_or(state), at + count)
    }

    #[inline]
    fn symbol_entry(&self, state: u32, symbol: usize) -> Entry {
        let row = (state >> ASCII_SHIFT) as usize * self.width;
        self.symbols.get(row + symbol).copied().unwrap_or(Entry(Entry::ENDS))
    }
}

/// The largest kind of run that leads from `state` to one state which loops on it, accepting before each
/// byte or before none; else one that leads through states that count, without accepting.
fn run_of(automaton: &Automaton, state: State, classes: &CharClasses) -> Run {
    let looping = |kind| {
        let first = common_step(automaton, classes, state, kind)?;
        let next = common_step(automaton, classes, first.target, kind)?;
        let accepts = if first.accepts { Entry::RUN_ACCEPTS } else { 0 };
        let target = first.target << ASCII_SHIFT;
        (next == first).then(|| Run { bits: bits(kind) | accepts, target, counted: Vec::new() })
    };
    let counting = |kind| {
        let mut counted = Vec::new();
        let mut last = state;
        while let Some(step) = common_step(automaton, classes, last, kind) {
            if step.accepts || counted.len() == MAX_COUNT {
                break;
            }
            last = step.target;
            counted.push(last << ASCII_SHIFT);
        }
        let bits = bits(kind) | Entry::COUNTS;
        (counted.len() >= MIN_COUNT).then_some(Run { bits, target: 0, counted })
    };
    let mut kinds = RunKind::ALL.into_iter();
    kinds.clone().find_map(looping).or_else(|| kinds.find_map(counting)).unwrap_or_default()
}

const fn bits(kind: RunKind) -> u32 {
    Entry::RUNS | (kind as u32) << Entry::KIND_SHIFT
}

/// What every byte of `kind` does in `state`, if they all do the same and the run goes on.
fn common_step(
    automaton: &Automaton,
    classes: &CharClasses,
    state: State,
    kind: RunKind,
) -> Option<Move> {
    let step = |byte: u8| automaton.row(state)[usize::from(classes.of_ascii(byte))];
    let first = step(kind.example());
    let mut bytes = (0..ASCII as u8).filter(|&byte| kind.holds(byte));
    (first.target != DEAD && bytes.all(|byte| step(byte) == first)).then_some(first)
}

/// Code point and length of the first character of `rest`, valid UTF-8 that does not begin with ASCII.
#[inline]
fn decode(rest: &[u8]) -> (u32, usize) {
    let low = |byte: u8| u32::from(byte & 0x3F);
    match *rest {
        [a @ 0xE0..0xF0, b, c, ..] => (u32::from(a & 0x0F) << 12 | low(b) << 6 | low(c), 3),
        [a @ 0xC0..0xE0, b, ..] => (u32::from(a & 0x1F) << 6 | low(b), 2),
        [a @ 0xF0..=0xF7, b, c, d, ..] => {
            (u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d), 4)
        }
        _ => (0xFFFD, rest.len().max(1)), // no valid UTF-8 comes here
    }
}
