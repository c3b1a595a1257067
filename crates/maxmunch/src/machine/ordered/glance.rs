//! Matches that can be told at a glance: one character and a run of characters of one kind.
//!
//! Most matches of the patterns that tokenizers use are a space and letters, or letters alone. Where the first
//! character is of one kind, the run behind it of another (or the same), and a character of a third kind ends
//! it, the machine does the same whatever the characters and however long the run; then a table says where the
//! match ends and the machine need not run. The table is computed from the automaton, so it holds for every
//! pattern; what it does not know is left to the machine.

use super::automaton::{Automaton, DEAD, State};
use super::kinds::{Case, KINDS, LETTER, OTHER, Window, has_kind, members};
use crate::machine::char_classes::CharClasses;

/// Where a match ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum End {
    /// The machine has to tell.
    Unknown,
    /// After the first character.
    First,
    /// With the run.
    Run,
    /// Before the last character of the run.
    BeforeLast,
}

/// A letter and more of its kind.
const LETTER_PAIR: usize = LETTER as usize * (KINDS + 1);

/// Where matches end, by the kinds of the first character, the second, and the one after the run from the second.
#[derive(Debug, Clone)]
pub(super) struct Glance {
    ends: Box<[End; KINDS * KINDS * KINDS]>,
    case: Case,
    /// Whether anything is known that begins with these two kinds.
    known: [bool; KINDS * KINDS],
}

/// Part of a text: the kinds of its bytes, and where runs begin.
#[derive(Debug, Clone)]
pub(super) struct View {
    start: usize,
    window: Window,
}

impl View {
    /// One that sees nothing.
    pub(super) const fn new() -> Self {
        Self { start: usize::MAX / 2, window: Window::EMPTY }
    }
}

impl Glance {
    /// What can be told of the matches of `automaton`: capital letters are told from others where they are others
    /// to the pattern.
    pub(super) fn new(automaton: &Automaton, classes: &CharClasses) -> Self {
        let [ignored, told] =
            [Case::Ignored, Case::Told].map(|case| Self::with(automaton, classes, case));
        let word = |glance: &Self| glance.known[LETTER_PAIR];
        if word(&told) && !word(&ignored) { told } else { ignored }
    }

    fn with(automaton: &Automaton, classes: &CharClasses, case: Case) -> Self {
        let of_kind: Vec<Vec<usize>> = (0..KINDS as u8)
            .map(|kind| {
                let symbols = members(kind, case).filter(|_| kind != OTHER);
                let mut symbols: Vec<_> =
                    symbols.map(|byte| usize::from(classes.of_ascii(byte))).collect();
                symbols.sort_unstable();
                symbols.dedup();
                symbols
            })
            .collect();
        let mut ends = Box::new([End::Unknown; KINDS * KINDS * KINDS]);
        for first in 1..KINDS {
            for second in 1..KINDS {
                let pair = first * KINDS + second;
                let row = pair * KINDS..(pair + 1) * KINDS;
                if is_first(automaton, &of_kind[first], &of_kind[second]) {
                    ends[row].fill(End::First);
                    continue;
                }
                let Some(runs) = runs(automaton, &of_kind[first], &of_kind[second]) else {
                    continue;
                };
                for third in (1..KINDS).filter(|&third| third != second) {
                    ends[pair * KINDS + third] = end(automaton, &runs, &of_kind[third]);
                }
            }
        }
        let rows = ends.as_chunks::<KINDS>().0.iter();
        let mut known = [false; KINDS * KINDS];
        for (known, row) in known.iter_mut().zip(rows) {
            *known = row.iter().any(|&end| end != End::Unknown);
        }
        Self { ends, case, known }
    }

    /// Where the match from byte `at` on ends, if that can be told; `view` is kept from call to call.
    #[expect(clippy::inline_always, reason = "PERF: most matches are found here and nowhere else")]
    #[inline(always)]
    pub(super) fn end(&self, bytes: &[u8], at: usize, view: &mut View) -> Option<usize> {
        // Told first, as text beyond ASCII needs no window.
        if !has_kind(bytes, at) {
            return None;
        }
        let mut offset = at.wrapping_sub(view.start);
        if !Window::holds_pair(offset) {
            *view = View { start: at, window: Window::new(bytes, at, self.case) };
            offset = 0;
        }
        let pair = view.window.kind(offset) * KINDS + view.window.kind(offset + 1);
        if !*self.known.get(pair)? {
            return None;
        }
        let run_end = if let Some(end) = view.window.change_from(offset + 2) {
            end
        } else {
            *view = View { start: at, window: Window::new(bytes, at, self.case) };
            view.window.change_from(2)?
        };
        let end = *self.ends.get(pair * KINDS + view.window.kind(run_end))?;
        // PERF: branches, not arithmetic: the next match can then be looked at before the table has answered.
        match end {
            End::Run => Some(view.start + run_end),
            End::First => Some(at + 1),
            End::BeforeLast => Some(view.start + run_end - 1),
            End::Unknown => None,
        }
    }
}

/// Whether a match from a character of the first kind ends before one of the second, whatever they are.
fn is_first(automaton: &Automaton, first: &[usize], second: &[usize]) -> bool {
    let from_start = automaton.row(automaton.start);
    !first.is_empty()
        && first.iter().all(|&symbol| {
            let row = automaton.row(from_start[symbol].target);
            from_start[symbol].target != DEAD
                && second.iter().all(|&symbol| row[symbol].accepts && row[symbol].target == DEAD)
        })
}

/// A state, and how many characters ago the last match ended: 0 for none, 2 for two or more.
type Place = (State, u8);

/// Where the machine may be after a character of the first kind and a run of the second, if it goes on that far
/// whatever they are.
fn runs(automaton: &Automaton, first: &[usize], second: &[usize]) -> Option<Vec<Place>> {
    let from_start = automaton.row(automaton.start);
    let mut reached: Vec<Place> = Vec::new();
    let mut open: Vec<Place> = first.iter().map(|&symbol| (from_start[symbol].target, 0)).collect();
    while let Some((state, ago)) = open.pop() {
        for &symbol in second {
            let step = automaton.row(state)[symbol];
            if state == DEAD || step.target == DEAD {
                return None;
            }
            let next = match (step.accepts, ago) {
                (true, _) => 1,
                (false, 0) => 0,
                (false, _) => 2,
            };
            if !reached.contains(&(step.target, next)) {
                reached.push((step.target, next));
                open.push((step.target, next));
            }
        }
    }
    Some(reached)
}

/// Where the match ends when a character of the third kind comes.
fn end(automaton: &Automaton, runs: &[Place], third: &[usize]) -> End {
    let mut all = runs.iter().flat_map(|&(state, ago)| {
        third.iter().map(move |&symbol| {
            let step = automaton.row(state)[symbol];
            match (step.target, step.accepts, ago) {
                (DEAD, true, _) => End::Run,
                (DEAD, false, 1) => End::BeforeLast,
                _ => End::Unknown,
            }
        })
    });
    let first = all.next().unwrap_or(End::Unknown);
    if all.all(|end| end == first) { first } else { End::Unknown }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;

    use super::{Case, End, Glance, KINDS};
    use crate::machine::ordered::scan::scan;
    use crate::machine::ordered::{OrderedMachine, Refusal};

    const PATTERNS: [&str; 5] = [
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]*[\p{Ll}\p{Lo}]+(?i:'s|'t)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"\w+(?!x)|[ab]+c",
        r" ?[0-9]+\n|[a-z]",
    ];

    const NOTHING: [End; KINDS * KINDS * KINDS] = [End::Unknown; KINDS * KINDS * KINDS];

    fn matches(machine: &OrderedMachine, glance: &Glance, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let done = scan(&machine.tables, glance, text, 0, |span| {
            found.push((span.start, span.end));
            ControlFlow::<()>::Continue(())
        });
        assert!(done.is_continue());
        found
    }

    #[test]
    fn most_words_are_told_at_a_glance() -> Result<(), Refusal> {
        for pattern in &PATTERNS[..2] {
            let machine = OrderedMachine::new(pattern)?;
            let known = machine.glance.ends.iter().filter(|&&end| end != End::Unknown).count();
            assert!(known > KINDS * KINDS, "{pattern}: {known}");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn a_glance_gives_what_the_machine_gives(
            parts in prop::collection::vec(
                ("[a-cstlxA-C]{0,4}|[0-9]{0,5}| {0,4}|[\r\n]{0,2}|\t|'|[.,/_]{0,3}|é|漢|\u{B}|\0", 1..4_usize),
                0..60,
            ),
            repeated in 0..90_usize,
        ) {
            let mut text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
            text.push_str(&"a".repeat(repeated));
            text.extend(parts.iter().map(|(part, _)| part.as_str()));
            for pattern in PATTERNS {
                let machine = OrderedMachine::new(pattern)
                    .map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
                let blind = Glance {
                    ends: Box::new(NOTHING),
                    case: Case::Ignored,
                    known: [false; KINDS * KINDS],
                };
                let expected = matches(&machine, &blind, &text);
                prop_assert_eq!(expected, matches(&machine, &machine.glance, &text), "{}", pattern);
            }
        }
    }
}
