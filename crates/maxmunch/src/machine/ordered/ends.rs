//! Where matches end, told by the characters around a place: two before it and two behind it.
//!
//! Whether the match that a place stands in ends there is often the same for all texts in which these four
//! characters are of the same kinds, wherever the match began and whatever stood before. That is found out from the
//! automaton: all texts of kinds are read from the start of a match on, as long as it surely goes on, and what four
//! kinds tell is kept, unless two texts tell different things. A place where they do is *unsure*, and what is
//! found out holds for matches that have passed no such place.

use hashbrown::HashSet;

use super::automaton::{Automaton, DEAD, Move, State};
use super::kinds::{KINDS, KindSet, LETTER, OTHER};

/// Steps of the search; beyond them nothing is told.
const MAX_STEPS: usize = 1 << 22;

/// All kinds.
pub(super) const ALL: KindSet = (1 << KINDS) - 1;

/// The two bytes of a wide letter, which are told from letters while texts are read and not in what is told.
const LEAD: usize = KINDS;
const TAIL: usize = KINDS + 1;
const READ: usize = KINDS + 2;

/// Some places of a text: the kinds of the two characters before and the two behind, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Around(pub(super) [KindSet; 4]);

/// What is known of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// No match reaches it by sure places alone.
    Unmet,
    /// Every match goes on.
    Inside,
    /// Every match ends here.
    End,
    Unsure,
}

/// The places where matches surely end, and those that are unsure.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    pub(super) sure: Vec<Around>,
    pub(super) unsure: Vec<Around>,
    /// Number of places that are unsure.
    pub(super) doubts: usize,
}

impl Ends {
    /// What can be told of the matches of `automaton`, when characters of a kind have these symbols, and wide letters
    /// those of `wide`, if they count as letters at all; nothing if that would take too long.
    pub(super) fn new(
        automaton: &Automaton,
        certain: &[bool],
        symbols: &[Vec<usize>; KINDS],
        wide: &[usize],
    ) -> Option<Self> {
        let mut all: [Vec<usize>; READ] = Default::default();
        all[..KINDS].clone_from_slice(symbols);
        all[LEAD] = wide.to_vec();
        let symbols = &all;
        let mut search = Search {
            automaton,
            certain,
            symbols,
            borders: borders(automaton, certain, symbols),
            verdicts: vec![Verdict::Unmet; KINDS.pow(4)],
            steps: 0,
        };
        search.run()?;
        let at = |around: [usize; 4]| search.verdicts[index(around)];
        let doubts = search.verdicts.iter().filter(|&&found| found == Verdict::Unsure).count();
        let unsure = cover(
            |around| at(around) == Verdict::Unsure,
            |around| matches!(at(around), Verdict::Unsure | Verdict::Unmet),
        );
        let sure =
            cover(|around| at(around) == Verdict::End, |around| at(around) != Verdict::Inside);
        Some(Self { sure, unsure, doubts })
    }
}

/// The number of a place; wide letters count as letters.
fn index(around: [usize; 4]) -> usize {
    around.iter().fold(0, |index, &kind| {
        index * KINDS + if kind < KINDS { kind } else { usize::from(LETTER) }
    })
}

/// A text read so far: its last two kinds, the states that it leads to, and the kinds that may come.
type Reading = (usize, usize, Box<[State]>, KindSet);

struct Search<'a> {
    automaton: &'a Automaton,
    /// States from which a match will come.
    certain: &'a [bool],
    symbols: &'a [Vec<usize>; READ],
    /// For each kind those behind it with whom a match may begin.
    borders: [KindSet; READ],
    verdicts: Vec<Verdict>,
    steps: usize,
}

impl Search<'_> {
    fn run(&mut self) -> Option<()> {
        let mut open: Vec<Reading> = Vec::new();
        for last in kinds(self.firsts()) {
            let states = self.after(&[self.automaton.start], last);
            let is_known = last != usize::from(OTHER) && !states.contains(&DEAD);
            let borders = self.borders;
            for before in (0..READ).filter(|&before| borders[before] >> last & 1 == 1) {
                if is_known {
                    open.push((before, last, states.clone(), self.following(last)));
                } else {
                    self.doubt(before, last);
                }
            }
        }
        let mut seen: HashSet<Reading> = open.iter().cloned().collect();
        while let Some((before, last, states, allowed)) = open.pop() {
            for next in kinds(allowed) {
                let inside = self.read(before, last, &states, next)?;
                if inside != 0 {
                    let reading = (last, next, self.after(&states, next), inside);
                    if seen.insert(reading.clone()) {
                        open.push(reading);
                    }
                }
            }
        }
        Some(())
    }

    /// The kinds of first bytes of characters.
    fn firsts(&self) -> KindSet {
        ALL | KindSet::from(!self.symbols[LEAD].is_empty()) << LEAD
    }

    /// The kinds that may stand behind a byte of this one.
    fn following(&self, kind: usize) -> KindSet {
        if kind == LEAD { 1 << TAIL } else { self.firsts() }
    }

    /// The states after one more character of a kind.
    fn after(&self, states: &[State], kind: usize) -> Box<[State]> {
        if kind == TAIL {
            return states.into();
        }
        let of = |&state: &State| {
            let row = self.automaton.row(state);
            self.symbols[kind].iter().map(|&symbol| row[symbol].target)
        };
        let mut targets: Vec<State> = states.iter().flat_map(of).collect();
        targets.sort_unstable();
        targets.dedup();
        targets.into()
    }

    /// Nothing is told of the places behind a match's first character.
    fn doubt(&mut self, before: usize, last: usize) {
        for next in 0..KINDS {
            for behind in 0..KINDS {
                self.verdicts[index([before, last, next, behind])] = Verdict::Unsure;
            }
        }
    }

    /// Notes what is known of the place before `next`; gives the kinds behind it for which the match surely goes on.
    fn read(
        &mut self,
        before: usize,
        last: usize,
        states: &[State],
        next: usize,
    ) -> Option<KindSet> {
        let mut inside = 0;
        for behind in kinds(self.following(next)) {
            let verdict = self.verdict(states, next, behind)?;
            if verdict == Verdict::Inside {
                inside |= 1 << behind;
            }
            let noted = &mut self.verdicts[index([before, last, next, behind])];
            *noted = merged(*noted, verdict);
        }
        Some(inside)
    }

    fn verdict(&mut self, states: &[State], next: usize, behind: usize) -> Option<Verdict> {
        let (automaton, certain, symbols) = (self.automaton, self.certain, self.symbols);
        if next == usize::from(OTHER) {
            return Some(Verdict::Unsure);
        }
        if next == TAIL {
            return Some(Verdict::Inside);
        }
        // What stands behind the rest of a character may be anything.
        let behind = if behind == TAIL { usize::from(OTHER) } else { behind };
        let mut verdict = Verdict::Unmet;
        for &state in states {
            for &symbol in &symbols[next] {
                let step = automaton.row(state)[symbol];
                self.steps += 1;
                if step.target == DEAD {
                    let found = if step.accepts { Verdict::End } else { Verdict::Unsure };
                    verdict = merged(verdict, found);
                    continue;
                }
                if certain[step.target as usize] {
                    verdict = merged(verdict, Verdict::Inside);
                    continue;
                }
                let row = automaton.row(step.target);
                for &symbol in &symbols[behind] {
                    let later = row[symbol];
                    let found = if later.accepts || certain[later.target as usize] {
                        Verdict::Inside
                    } else if step.accepts && later.target == DEAD {
                        Verdict::End
                    } else {
                        Verdict::Unsure
                    };
                    verdict = merged(verdict, found);
                }
                self.steps += symbols[behind].len();
                if verdict == Verdict::Unsure {
                    break;
                }
            }
        }
        (self.steps <= MAX_STEPS).then_some(verdict)
    }
}

/// What two texts tell together.
fn merged(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (Verdict::Unmet, verdict) | (verdict, Verdict::Unmet) => verdict,
        _ if one == other => one,
        _ => Verdict::Unsure,
    }
}

fn kinds(set: KindSet) -> impl Iterator<Item = usize> {
    (0..READ).filter(move |kind| set >> kind & 1 == 1)
}

/// For each kind, the kinds behind it with whom a match may begin: it may where a match may have ended, or where
/// nothing may have matched before.
fn borders(
    automaton: &Automaton,
    certain: &[bool],
    symbols: &[Vec<usize>; READ],
) -> [KindSet; READ] {
    let kinds_of = |symbol: usize| -> KindSet {
        kinds(KindSet::MAX)
            .filter(|&kind| symbols[kind].contains(&symbol))
            .map(|kind| 1 << kind)
            .sum()
    };
    let of_symbol: Vec<KindSet> = (0..automaton.symbols).map(kinds_of).collect();
    let mut arrived = vec![0; automaton.states()];
    for state in 1..automaton.states() as State {
        for (step, &kinds) in automaton.row(state).iter().zip(&of_symbol) {
            arrived[step.target as usize] |= last_byte(kinds);
        }
    }
    let mut borders = [0; READ];
    borders[usize::from(OTHER)] = KindSet::MAX;
    for state in 1..automaton.states() as State {
        for (step, behind) in automaton.row(state).iter().zip(&of_symbol) {
            if step.accepts {
                for kind in kinds(arrived[state as usize]) {
                    borders[kind] |= behind;
                }
            }
        }
    }
    for (kind, symbols) in symbols.iter().enumerate() {
        if may_fail(automaton, certain, symbols) {
            for last in kinds(last_byte(1 << kind)) {
                borders[last] = KindSet::MAX;
            }
        }
    }
    borders
}

/// The kinds of the last bytes of characters whose first bytes are of some kinds.
const fn last_byte(first: KindSet) -> KindSet {
    first & !(1 << LEAD) | (first >> LEAD & 1) << TAIL
}

/// Whether there may be no match from a character with one of these symbols on.
fn may_fail(automaton: &Automaton, certain: &[bool], first: &[usize]) -> bool {
    let row = automaton.row(automaton.start);
    let mut open: Vec<State> = first.iter().map(|&symbol| row[symbol].target).collect();
    let mut seen: HashSet<State> = open.iter().copied().collect();
    while let Some(state) = open.pop() {
        if state == DEAD {
            return true;
        }
        if certain[state as usize] {
            continue;
        }
        let goes_on = |step: &&Move| !step.accepts && !certain[step.target as usize];
        for step in automaton.row(state).iter().filter(goes_on) {
            if seen.insert(step.target) {
                open.push(step.target);
            }
        }
    }
    false
}

/// Few products that hold all places that are wanted, and none that is not allowed.
fn cover(wanted: impl Fn([usize; 4]) -> bool, allowed: impl Fn([usize; 4]) -> bool) -> Vec<Around> {
    let mut found: Vec<Around> = Vec::new();
    for place in product([ALL; 4]) {
        if !wanted(place) || found.iter().any(|around| around.holds(place)) {
            continue;
        }
        let mut sets = place.map(|kind| 1 << kind);
        // The outer characters first: where they do not matter nothing has to be asked about them.
        for which in [0, 3, 2, 1] {
            for kind in 0..KINDS {
                let mut wider = sets;
                wider[which] = 1 << kind;
                if product(wider).all(&allowed) {
                    sets[which] |= 1 << kind;
                }
            }
        }
        found.push(Around(sets));
    }
    found
}

fn product(sets: [KindSet; 4]) -> impl Iterator<Item = [usize; 4]> {
    let [before, last, next, behind] = sets;
    kinds(before).flat_map(move |before| {
        kinds(last).flat_map(move |last| {
            kinds(next)
                .flat_map(move |next| kinds(behind).map(move |behind| [before, last, next, behind]))
        })
    })
}

impl Around {
    pub(super) fn holds(self, place: [usize; 4]) -> bool {
        self.0.iter().zip(place).all(|(set, kind)| set >> kind & 1 == 1)
    }
}
