//! A token set, and the questions that are asked of it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::budget::Budget;
use super::closed_form::{self, BEFORE};
use super::engine::Engine;
use super::literal::Literal;
use super::paths;
use super::regular::Regular;
use super::verdict::{self, Verdict, Witness};
use super::verifier::Shape;
use super::width;
use crate::error::{Error, Result};
use crate::machine::classes::ByteClasses;
use crate::machine::dfa::{Dfa, NONE};
use crate::machine::literal_trie::ROOT;
use crate::machine::overshoot::Overshoot;
use crate::monitor::Monitor;
use crate::scan::{Munch, Scan, scan};

/// States that a decision by automaton may tell apart, where the caller sets no limit.
pub const MAX_STATES: u64 = 2_000_000;
/// Trie slots up to which a literal set is also given an automaton.
const MAX_TRIE: usize = 1 << 16;

/// How the tokens are given.
#[derive(Debug)]
pub enum Language {
    /// A finite set of words.
    Literal(Literal),
    /// Ordered patterns.
    Regular(Regular),
}

/// A token set with its maximal-munch scan.
#[derive(Debug)]
pub struct TokenSet {
    language: Language,
    shape: OnceLock<Result<Arc<Shape>>>,
    engine: Mutex<Option<Engine>>,
}

/// An automaton as tables, for those who check without our code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    /// Class of each byte.
    pub class_of: Vec<u8>,
    /// Targets of each state by class, `u32::MAX` for none.
    pub next: Vec<Vec<u32>>,
    /// Whether each state accepts.
    pub accepts: Vec<bool>,
}

impl TokenSet {
    /// The literal set of `tokens`; the scan reports `kind(index)`, of equal tokens the first stays.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTokenSet`] for an empty set or an empty token.
    pub fn literal<T: AsRef<[u8]>>(tokens: &[T], kind: impl Fn(usize) -> u32) -> Result<Self> {
        Ok(Self::new(Language::Literal(Literal::new(tokens, kind)?)))
    }

    /// The regular set of `(name, pattern)` pairs, first pattern first; kinds are their indices.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTokenSet`] for an empty list or a bad pattern, [`Error::Limit`] for patterns that
    /// need more than `max_states` states.
    pub fn regular(
        patterns: Vec<(String, String)>,
        max_states: usize,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        Ok(Self::new(Language::Regular(Regular::new(patterns, max_states, monitor)?)))
    }

    fn new(language: Language) -> Self {
        Self { language, shape: OnceLock::new(), engine: Mutex::new(None) }
    }

    /// How the tokens are given.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// The scan of `data`.
    ///
    /// # Errors
    ///
    /// [`Error::Untokenizable`] where it is stuck.
    pub fn scan(&self, data: &[u8]) -> Result<Scan> {
        scan(self, data, &crate::Quiet)
    }

    /// Length of the longest token in bytes; `None` when tokens can be arbitrarily long.
    pub fn longest_token(&self) -> Option<usize> {
        match &self.language {
            Language::Literal(set) => Some(set.longest_word()),
            Language::Regular(set) => set.dfa().longest_word(),
        }
    }

    /// The literal set in which every byte is a token, if it is one: then every text is in the domain.
    pub(super) fn total(&self) -> Option<&Literal> {
        match &self.language {
            Language::Literal(set) if set.has_all_bytes() => Some(set),
            _ => None,
        }
    }

    /// The bytes that stand for all in windows: every byte for a literal set, one for each class for a
    /// regular one.
    pub(super) fn representatives(&self) -> Result<Vec<u8>> {
        match &self.language {
            Language::Literal(_) => Ok((0..=255).collect()),
            Language::Regular(_) => {
                let shape = self.shape()?;
                let classes = shape.dfa.classes();
                let mut bytes: Vec<u8> =
                    (0..classes.len()).map(|class| classes.representative(class)).collect();
                bytes.sort_unstable();
                Ok(bytes)
            }
        }
    }

    /// For each byte the one that stands for it in windows.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`].
    pub fn representative_of(&self) -> Result<Vec<u8>> {
        match &self.language {
            Language::Literal(_) => Ok((0..=255).collect()),
            Language::Regular(_) => {
                let shape = self.shape()?;
                let classes = shape.dfa.classes();
                Ok((0..=255).map(|byte| classes.representative(classes.of(byte))).collect())
            }
        }
    }

    /// The automaton of the token language, kinds forgotten: for each byte its class, for each state the
    /// targets by class (`u32::MAX` for none), for each state whether it accepts. State 0 is the start.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] for literal sets that are too large to be given one.
    pub fn automaton(&self) -> Result<Automaton> {
        let shape = self.shape()?;
        let dfa = &shape.dfa;
        let classes = dfa.classes();
        let states = 0..dfa.states() as u32;
        Ok(Automaton {
            class_of: (0..=255).map(|byte| classes.of(byte) as u8).collect(),
            next: states
                .clone()
                .map(|state| (0..classes.len()).map(|class| dfa.step(state, class)).collect())
                .collect(),
            accepts: states.map(|state| dfa.accepts(state)).collect(),
        })
    }

    /// The minimal automaton of the token language, kinds forgotten, with its arms.
    pub(super) fn shape(&self) -> Result<Arc<Shape>> {
        self.shape
            .get_or_init(|| {
                let dfa = match &self.language {
                    Language::Literal(set) => literal_dfa(set)?,
                    Language::Regular(set) => set.dfa().shape(),
                };
                Ok(Arc::new(Shape::new(dfa)))
            })
            .clone()
    }

    /// The engine of this set, allowed as many more states as the budget says.
    pub(super) fn engine(&self, budget: Budget<'_>) -> Result<EngineGuard<'_>> {
        let shape = self.shape()?;
        let mut guard = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        guard.get_or_insert_with(|| Engine::new(shape)).verifier.allow(budget.states());
        Ok(EngineGuard(guard))
    }

    /// The realised origins of `window`, increasing, [`BEFORE`] first.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for a window of no or of more than 256 bytes; [`Error::Limit`].
    pub fn realised_origins(&self, window: &[u8], budget: Budget<'_>) -> Result<Vec<i64>> {
        verdict::check_window(window)?;
        match &self.language {
            Language::Literal(set) => Ok(closed_form::origins(set, window)),
            Language::Regular(_) => self.engine(budget)?.get()?.origins(window, budget),
        }
    }

    /// The least width at which some window is certified and occurs, `None`: there is none at any width; and
    /// the number of windows or states that were told apart.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] when more than `max_states` states would be needed.
    pub fn shortest_certified_width(&self, budget: Budget<'_>) -> Result<(Option<usize>, u64)> {
        let mut decided = 0;
        if let Language::Literal(set) = &self.language {
            if let Some(byte) = closed_form::certified_byte(set) {
                return Ok((Some(1), u64::from(byte) + 1));
            }
            decided = 256;
            if self.shape().is_err() {
                let (width, windows) = paths::narrowest_certified(set, budget)?;
                decided += windows;
                if width.is_some() {
                    return Ok((width, decided));
                }
            }
        }
        let mut guard = self.engine(budget)?;
        let engine = guard.get()?;
        let before = engine.verifier.searched();
        let width = width::shortest(engine, budget)?;
        Ok((width, decided + engine.verifier.searched() - before))
    }

    /// Whether `window` is certified at `origin`; a refutation is a shortest one and has been re-scanned.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for a window or an origin outside its range.
    pub fn certify(&self, window: &[u8], origin: i64, budget: Budget<'_>) -> Result<Verdict> {
        self.certify_counting(window, origin, budget, &mut 0)
    }

    /// The same; `searched` grows by the states that were told apart, also where a limit stopped that. The
    /// closed form of literal sets tells none apart.
    ///
    /// # Errors
    ///
    /// As [`Self::certify`].
    pub fn certify_counting(
        &self,
        window: &[u8],
        origin: i64,
        budget: Budget<'_>,
        searched: &mut u64,
    ) -> Result<Verdict> {
        verdict::check_window(window)?;
        verdict::check_origin(window, origin)?;
        match self.decide(window, origin, budget, searched) {
            Err(Error::Limit { limit, message }) => {
                Ok(Verdict::Undecided(format!("limit {limit} reached: {message}")))
            }
            other => other,
        }
    }

    fn decide(
        &self,
        window: &[u8],
        origin: i64,
        budget: Budget<'_>,
        searched: &mut u64,
    ) -> Result<Verdict> {
        let (origins, found) = match &self.language {
            Language::Literal(set) => {
                let origins = closed_form::origins(set, window);
                let found = refute_literal(set, window, origin, &origins);
                (origins, found)
            }
            Language::Regular(_) => {
                let mut guard = self.engine(budget)?;
                let engine = guard.get()?;
                let before = engine.verifier.searched();
                let found = engine.origins_and_refutation(window, origin, budget);
                *searched += engine.verifier.searched() - before;
                found?
            }
        };
        if origins.is_empty() {
            return Ok(Verdict::Vacuous);
        }
        if origins == [origin] {
            return Ok(Verdict::Certified);
        }
        let Some(mut witness) = found else {
            return Err(Error::internal("a realised origin has no shortest input"));
        };
        witness.actual = self.covering_start(&witness, window.len())?;
        verdict::rescan(self, window, origin, &witness)?;
        Ok(Verdict::Refuted(witness))
    }

    /// Where the real scan of the witness starts the token over the window's last byte.
    fn covering_start(&self, witness: &Witness, width: usize) -> Result<usize> {
        let found = self
            .scan(&witness.data)
            .map_err(|_| Error::internal("a refuting witness is not tokenizable"))?;
        let end = (witness.occurrence + width) as i64;
        let after = found.starts.partition_point(|&start| start < end);
        after
            .checked_sub(1)
            .and_then(|index| found.start(index))
            .ok_or_else(|| Error::internal("a refuting witness has no tokens"))
    }
}

/// An engine that is in use.
pub(super) struct EngineGuard<'a>(MutexGuard<'a, Option<Engine>>);

impl EngineGuard<'_> {
    pub(super) fn get(&mut self) -> Result<&mut Engine> {
        self.0.as_mut().ok_or_else(|| Error::internal("the engine was not made"))
    }
}

fn refute_literal(set: &Literal, window: &[u8], origin: i64, origins: &[i64]) -> Option<Witness> {
    let shortest = origins
        .iter()
        .filter(|&&other| other != origin)
        .filter_map(|&other| {
            let (data, occurrence) = closed_form::realisation(set, window, other)?;
            Some((data, occurrence, other))
        })
        .min_by_key(|(data, _, _)| data.len());
    let (data, occurrence, other) = shortest?;
    let claimed = occurrence + origin as usize;
    let actual = if other == BEFORE { 0 } else { occurrence + other as usize };
    Some(Witness { data, occurrence, claimed, actual })
}

/// The automaton of a literal set, from its trie.
fn literal_dfa(set: &Literal) -> Result<Dfa> {
    let trie = set.trie();
    if trie.slots() > MAX_TRIE {
        return Err(Error::Limit {
            limit: "token set size".to_owned(),
            message: format!(
                "this question is answered by automaton, for literal sets of up to about {MAX_TRIE} \
                 distinct prefixes; ask it of a smaller set"
            ),
        });
    }
    let mut used = [false; 256];
    for &byte in set.words().iter().flat_map(|word| word.iter()) {
        used[usize::from(byte)] = true;
    }
    let classes =
        ByteClasses::by_key(|byte| if used[usize::from(byte)] { Some(byte) } else { None });
    let mut number = vec![NONE; trie.slots()];
    let mut order = vec![ROOT];
    number[ROOT as usize] = 0;
    let (mut next, mut kinds) = (vec![], vec![]);
    let mut at = 0;
    while at < order.len() {
        let node = order[at];
        at += 1;
        kinds.push(if trie.is_word(node) { 0 } else { NONE });
        for class in 0..classes.len() {
            let child = trie.child(node, classes.members(class)[0]);
            if child == crate::machine::literal_trie::NONE {
                next.push(NONE);
                continue;
            }
            number[child as usize] = order.len() as u32;
            next.push(order.len() as u32);
            order.push(child);
        }
    }
    Ok(Dfa::new(&classes, next, kinds))
}

impl Munch for TokenSet {
    #[inline]
    fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
        match &self.language {
            Language::Literal(set) => set.longest(text, at),
            Language::Regular(set) => set.longest(text, at),
        }
    }

    #[inline]
    fn extend(
        &self,
        text: &[u8],
        from: usize,
        until: usize,
        scan: &mut Scan,
        noted: &mut Overshoot,
    ) -> std::result::Result<usize, usize> {
        match &self.language {
            Language::Literal(set) => set.extend(text, from, until, scan, noted),
            Language::Regular(set) => set.extend(text, from, until, scan, noted),
        }
    }
}
