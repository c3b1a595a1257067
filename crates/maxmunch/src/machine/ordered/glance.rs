//! Matches that can be told at a glance: where they end is seen from the characters around, for many bytes at once.
//!
//! What can be told is computed from the automaton (`ends`), so it holds for every pattern; where nothing can be told
//! the machine runs. Texts are looked at in windows, a bit for each byte (`kinds`), and what is found is kept until
//! the scan has come to its end (`view`).

use std::collections::BTreeSet;

use super::automaton::Automaton;
use super::ends::{ALL, Around, Ends};
use super::kinds::{
    Case, KINDS, KindSet, LENGTH, LETTER, OTHER, WIDE, begins_wide, has_kind, masks, members,
};
use super::view::{LANES, Next, Places, SEEN, TOLD, View};
use crate::machine::char_classes::CharClasses;

/// Less text than this is not worth a look.
const LEAST: usize = 24;

/// Most sets of all terms.
const MAX_SETS: usize = 48;

/// Where matches end.
#[derive(Debug, Clone)]
pub(super) struct Glance {
    sets: Vec<Set>,
    sure: Vec<Term>,
    unsure: Vec<Term>,
    case: Case,
    /// Whether wide letters are letters.
    is_wide: bool,
}

/// Some kinds, or all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Set {
    kinds: KindSet,
    is_complement: bool,
    /// Whether what stands before a text belongs to it.
    is_open: bool,
}

/// Places: the numbers of the sets of the two characters before and the two behind.
#[derive(Debug, Clone, Copy)]
struct Term([u8; 4]);

/// The number of the set of all kinds.
const ANY: u8 = u8::MAX;

impl Glance {
    /// What can be told of the matches of `automaton`; `certain` says from which states a match will come.
    pub(super) fn new(automaton: &Automaton, certain: &[bool], classes: &CharClasses) -> Self {
        let told = |case, wide: &[usize]| {
            Ends::new(automaton, certain, &symbols(automaton, classes, case), wide)
                .unwrap_or_default()
        };
        let mut case = Case::Ignored;
        let mut ends = told(case, &[]);
        if !tells_words(&ends) {
            let capitals = told(Case::Told, &[]);
            if tells_words(&capitals) {
                (case, ends) = (Case::Told, capitals);
            }
        }
        // Wide letters are letters where nothing is lost by that.
        let wide: BTreeSet<_> = WIDE.map(|code| usize::from(classes.of(code))).collect();
        let with_wide = told(case, &Vec::from_iter(wide));
        let is_wide = tells_words(&with_wide) && with_wide.doubts <= ends.doubts;
        Self::of(if is_wide { &with_wide } else { &ends }, case, is_wide)
    }

    fn of(ends: &Ends, case: Case, is_wide: bool) -> Self {
        let (sets, sure, unsure) = (Vec::new(), Vec::new(), Vec::new());
        let mut glance = Self { sets, sure, unsure, case, is_wide };
        glance.sure = ends.sure.iter().map(|&around| glance.term(around)).collect();
        glance.unsure = ends.unsure.iter().map(|&around| glance.term(around)).collect();
        if glance.sets.len() > MAX_SETS {
            glance.sure.clear();
        }
        glance
    }

    fn term(&mut self, around: Around) -> Term {
        Term(around.0.map(|set| if set == ALL { ANY } else { self.number(Set::new(set)) }))
    }

    fn number(&mut self, set: Set) -> u8 {
        let found = self.sets.iter().position(|other| *other == set);
        found.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        }) as u8
    }

    /// Where the match from byte `at` on ends, if that can be told; `view` is kept from call to call.
    #[inline]
    pub(super) fn end(&self, bytes: &[u8], at: usize, view: &mut View) -> Option<usize> {
        (view.has_ends() || self.look(bytes, at, view)).then(|| view.take())
    }

    /// Where all matches from byte `at` on end that can be told together: a bit for each, counted from the byte that
    /// is given. At least one.
    #[inline]
    pub(super) fn ends(&self, bytes: &[u8], at: usize, view: &mut View) -> Option<(usize, u64)> {
        (view.has_ends() || self.look(bytes, at, view)).then(|| view.take_all())
    }

    /// Looks for the next end; whether there is one that is told.
    #[inline(never)]
    fn look(&self, bytes: &[u8], at: usize, view: &mut View) -> bool {
        match view.advance() {
            Next::End => return true,
            Next::Unsure => return false,
            Next::Beyond => {}
        }
        let rest = bytes.get(at..).unwrap_or_default();
        // PERF: where nothing can be told at once no window is needed.
        let is_promising = !self.sure.is_empty() && rest.len() >= LEAST && !view.is_from(at);
        if !is_promising || !self.is_pair(bytes, at) {
            return false;
        }
        *view = if let Some(seen) = rest.first_chunk::<SEEN>() {
            View::of(at, self.places::<LANES>(seen))
        } else {
            let mut seen = [0xFF; SEEN];
            seen[..rest.len()].copy_from_slice(rest);
            if rest.len() < LENGTH {
                View::of(at, self.places::<1>(&seen))
            } else {
                View::of(at, self.places::<LANES>(&seen))
            }
        };
        view.advance() == Next::End
    }

    /// Whether two characters from `at` on have kinds, or the first is of two bytes and has one.
    #[inline]
    fn is_pair(&self, bytes: &[u8], at: usize) -> bool {
        let is_wide = |at| self.is_wide && begins_wide(bytes, at);
        is_wide(at) || (has_kind(bytes, at) && (has_kind(bytes, at + 1) || is_wide(at + 1)))
    }

    /// The places where matches surely end, and those that are unsure.
    fn places<const N: usize>(&self, seen: &[u8; SEEN]) -> [Places<N>; 2] {
        let mut kinds = [[0; N]; KINDS];
        for lane in 0..N {
            let window = seen[lane * TOLD..].first_chunk().unwrap_or(&[0xFF; LENGTH]);
            let before = if lane == 0 { 0 } else { seen[lane * TOLD - 1] };
            for (kind, mask) in kinds.iter_mut().zip(masks(window, self.case, self.is_wide, before))
            {
                kind[lane] = mask;
            }
        }
        let mut sets = [[0; N]; MAX_SETS];
        for (places, set) in sets.iter_mut().zip(&self.sets) {
            *places = set.places(&kinds);
        }
        let all = |terms: &[Term]| {
            let mut all = [0; N];
            for term in terms {
                let places = self.term_places(*term, &sets);
                for lane in 0..N {
                    all[lane] |= places[lane];
                }
            }
            all
        };
        [all(&self.sure), all(&self.unsure)]
    }

    #[inline]
    fn term_places<const N: usize>(&self, term: Term, sets: &[Places<N>; MAX_SETS]) -> Places<N> {
        let Term([before, last, next, behind]) = term;
        let mut places = [!0; N];
        meet(&mut places, sets, before, |members| members << 2 | START);
        if self.sets.get(usize::from(before)).is_some_and(|set| !set.is_open) {
            places[0] &= !START;
        }
        meet(&mut places, sets, last, |members| members << 1);
        meet(&mut places, sets, next, |members| members);
        meet(&mut places, sets, behind, |members| members >> 1);
        places
    }
}

/// The first place of a view, behind the first character of a match: what stands before that is of no kind.
const START: u64 = 1 << 1;

/// Keeps those of `places` whose neighbour is in a set; `brought` brings the bits of its members to the places.
#[inline]
fn meet<const N: usize>(
    places: &mut Places<N>,
    sets: &[Places<N>; MAX_SETS],
    set: u8,
    brought: impl Fn(u64) -> u64,
) {
    if let Some(members) = sets.get(usize::from(set)) {
        for lane in 0..N {
            places[lane] &= brought(members[lane]);
        }
    }
}

impl Set {
    fn new(set: KindSet) -> Self {
        // PERF: the fewer kinds the faster.
        let is_complement = set.count_ones() as usize * 2 > KINDS;
        let kinds = if is_complement { ALL & !set } else { set };
        Self { kinds, is_complement, is_open: set >> OTHER & 1 == 1 }
    }

    #[inline]
    fn places<const N: usize>(self, kinds: &[Places<N>; KINDS]) -> Places<N> {
        let mut places = [0; N];
        let mut rest = self.kinds;
        while rest != 0 {
            let kind = &kinds[rest.trailing_zeros() as usize % KINDS];
            for lane in 0..N {
                places[lane] |= kind[lane];
            }
            rest &= rest - 1;
        }
        if self.is_complement { places.map(|places| !places) } else { places }
    }
}

/// The symbols of the characters of each kind; those of characters of no kind may be any.
fn symbols(automaton: &Automaton, classes: &CharClasses, case: Case) -> [Vec<usize>; KINDS] {
    std::array::from_fn(|kind| {
        if kind == usize::from(OTHER) {
            return (0..automaton.symbols).collect();
        }
        let members = members(kind as u8, case);
        let mut symbols: Vec<_> = members.map(|byte| usize::from(classes.of_ascii(byte))).collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    })
}

/// Whether it is told that a letter between letters is no end.
fn tells_words(ends: &Ends) -> bool {
    let letters = [usize::from(LETTER); 4];
    !ends.sure.is_empty() && !ends.unsure.iter().any(|around| around.holds(letters))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;

    use super::{Glance, View};
    use crate::machine::ordered::scan::scan;
    use crate::machine::ordered::{OrderedMachine, Refusal};

    const PATTERNS: [&str; 5] = [
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]*[\p{Ll}\p{Lo}]+(?i:'s|'t)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"\w+(?!x)|[ab]+c",
        r" ?[0-9]+\n|[a-z]",
    ];

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
    fn words_are_told_at_a_glance() -> Result<(), Refusal> {
        for pattern in &PATTERNS[..3] {
            let machine = OrderedMachine::new(pattern)?;
            let mut view = View::new();
            let text = " The words, of a text with marks (and a Name).".repeat(3);
            let (mut at, mut told) = (0, 0);
            while let Some(end) = machine.glance.end(text.as_bytes(), at, &mut view) {
                (at, told) = (end, told + 1);
            }
            assert!(told > 30, "{pattern}: {told}");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn a_glance_gives_what_the_machine_gives(
            parts in prop::collection::vec(
                ("[a-cstlxA-C]{0,4}|[0-9]{0,5}| {0,4}|[\r\n]{0,2}|\t|'|[.,/_]{0,3}|[а-яЖҀ]{0,5}|é|漢|\u{B}|\0", 1..4_usize),
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
                let blind = Glance { sure: Vec::new(), ..machine.glance.clone() };
                let expected = matches(&machine, &blind, &text);
                prop_assert_eq!(expected, matches(&machine, &machine.glance, &text), "{}", pattern);
            }
        }
    }
}
