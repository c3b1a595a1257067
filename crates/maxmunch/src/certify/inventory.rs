//! The inventory of a token set up to a width: which windows are certified, how many, and where they anchor.
//!
//! Windows are decided on demand and remembered; nothing of size 256^h is ever stored.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;

use super::budget::Budget;
use super::closed_form::{BEFORE, Grown};
use super::count::Counts;
use super::literal::Literal;
use super::paths;
use super::span::{self, Span};
use super::span_search;
use super::token_set::{Language, TokenSet};
use super::verdict::{MAX_WINDOW, check_window};
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Up to this width literal sets are counted by deciding windows one by one.
const WALKED_WIDTH: usize = 5;

/// The decision about one window, whatever the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It occurs in no completely tokenizable text.
    Vacuous,
    /// One realised origin, inside the window.
    Certified(u32),
    /// Anything else.
    Open,
}

/// Decisions by window.
#[derive(Debug)]
struct Memo {
    pairs: Vec<Option<Decision>>,
    short: HashMap<u64, Decision>,
    long: HashMap<Box<[u8]>, Decision>,
}

/// What is certified up to a width.
#[derive(Debug)]
pub struct Inventory {
    set: Arc<TokenSet>,
    max_width: usize,
    memo: Mutex<Memo>,
}

impl Default for Memo {
    fn default() -> Self {
        Self { pairs: vec![None; 65536], short: HashMap::new(), long: HashMap::new() }
    }
}

/// Refuses widths outside `1..=256`.
pub fn check_width(max_width: usize) -> Result<()> {
    if max_width == 0 || max_width > MAX_WINDOW {
        return Err(Error::argument(
            "max_width",
            format!("it is {max_width}; windows have 1 to {MAX_WINDOW} bytes"),
        ));
    }
    Ok(())
}

impl Inventory {
    /// The inventory of `set` for widths `1..=max_width`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for a width of 0 or above 256.
    pub fn new(set: Arc<TokenSet>, max_width: usize) -> Result<Self> {
        check_width(max_width)?;
        Ok(Self { set, max_width, memo: Mutex::new(Memo::default()) })
    }

    /// The token set.
    pub fn token_set(&self) -> &TokenSet {
        &self.set
    }

    /// The largest width.
    pub fn max_width(&self) -> usize {
        self.max_width
    }

    /// Counts for widths `1..=max_width`, over all 256 bytes, and the number of states searched.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] when more than `max_states` cases would have to be told apart.
    pub fn counts(&self, budget: Budget<'_>) -> Result<(Vec<Counts>, u64)> {
        if let Language::Literal(set) = self.set.language() {
            // wide windows of small sets are too many to be decided one by one, but have few clouds
            if self.max_width <= WALKED_WIDTH || self.set.shape().is_err() {
                return paths::count(set, self.max_width, budget);
            }
        }
        self.set.engine(budget)?.get()?.count(self.max_width, budget)
    }

    /// The certified windows of each width of a literal set by deciding all 256^h of them: a slow twin.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for widths above 3 and for regular sets; [`Error::Interrupted`].
    pub fn counts_directly(&self, monitor: &dyn Monitor) -> Result<Vec<u64>> {
        match self.set.language() {
            Language::Literal(set) if self.max_width <= 3 => {
                paths::count_directly(set, self.max_width, monitor)
            }
            _ => Err(Error::argument("max_width", "literal sets are decided directly to width 3")),
        }
    }

    /// The same numbers by the automaton, which for literal sets is the other of two ways to count.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`].
    pub fn counts_by_automaton(&self, budget: Budget<'_>) -> Result<Vec<Counts>> {
        Ok(self.set.engine(budget)?.get()?.count(self.max_width, budget)?.0)
    }

    /// The longest stretch without an anchor, by the cheapest of three ways, and the number of windows or
    /// states that were told apart.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] when the search needs more than `max_states` states.
    pub fn span(&self, budget: Budget<'_>) -> Result<(Span, u64)> {
        if self.set.total().is_some() {
            return span::of_all_bytes(self, budget);
        }
        let mut decided = 0;
        if let Language::Literal(set) = self.set.language() {
            let (pump, windows) = span::repeated_token(self, set, budget)?;
            decided = windows;
            if let Some(pump) = pump {
                return Ok((pump, decided));
            }
        }
        let (span, states) =
            span_search::span(self.set.engine(budget)?.get()?, self.max_width, budget)?;
        Ok((span, decided + states))
    }

    /// The certified origin of `window`; a window longer than the inventory's width is answered through
    /// its last `max_width` bytes. `None` when it is not certified, or does not occur.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for a window of no or of more than 256 bytes.
    pub fn origin(&self, window: &[u8], budget: Budget<'_>) -> Result<Option<usize>> {
        check_window(window)?;
        let skipped = window.len().saturating_sub(self.max_width);
        let mut decider = self.decider(budget);
        Ok(match decider.decide(&window[skipped..])? {
            Decision::Certified(origin) => Some(origin as usize + skipped),
            Decision::Vacuous | Decision::Open => None,
        })
    }

    /// What decides windows, holding the memo.
    pub(crate) fn decider<'a>(&'a self, budget: Budget<'a>) -> Decider<'a> {
        let memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let engine = match self.set.language() {
            Language::Literal(set) => Source::Literal(set, Grown::new(set)),
            Language::Regular(_) => Source::Automaton(&self.set, budget),
        };
        Decider { max_width: self.max_width, memo, engine }
    }

    /// The anchored byte positions of `data`, increasing.
    ///
    /// # Errors
    ///
    /// As [`Self::anchor_widths`].
    pub fn anchors(&self, data: &[u8], budget: Budget<'_>) -> Result<Vec<i64>> {
        let widths = self.anchor_widths(data, budget)?;
        Ok((0..).zip(widths).filter_map(|(at, width)| (width > 0).then_some(at)).collect())
    }

    /// For each byte position of `data`: the width of the narrowest window that anchors it, or 0.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] where a window cannot be decided; [`Error::Interrupted`].
    ///
    /// Complexity: at most `max_width` look-ups per byte, plus one decision per distinct window.
    pub fn anchor_widths(&self, data: &[u8], budget: Budget<'_>) -> Result<Vec<u16>> {
        let mut widths = vec![0_u16; data.len()];
        let mut decider = self.decider(budget);
        for end in 1..=data.len() {
            if end % (1 << 14) == 0
                && budget.monitor.tick("finding anchors", end as u64, data.len() as u64).is_break()
            {
                return Err(Error::Interrupted);
            }
            if let Some((width, position)) = decider.anchor_of(data, 0, end)? {
                let slot = &mut widths[position];
                if *slot == 0 || *slot > width as u16 {
                    *slot = width as u16;
                }
            }
        }
        Ok(widths)
    }
}

enum Source<'a> {
    Literal(&'a Literal, Grown<'a>),
    Automaton(&'a TokenSet, Budget<'a>),
}

/// Decides windows one after the other, remembering them.
pub(crate) struct Decider<'a> {
    max_width: usize,
    memo: MutexGuard<'a, Memo>,
    engine: Source<'a>,
}

impl Decider<'_> {
    pub(crate) fn max_width(&self) -> usize {
        self.max_width
    }

    /// The narrowest certified window of `data` that ends at `end` and starts at or after `from`: its
    /// width and the position that it anchors.
    #[inline]
    pub(crate) fn anchor_of(
        &mut self,
        data: &[u8],
        from: usize,
        end: usize,
    ) -> Result<Option<(usize, usize)>> {
        for width in 1..=self.max_width.min(end - from) {
            let start = end - width;
            if let Decision::Certified(origin) = self.decide(&data[start..end])? {
                return Ok(Some((width, start + origin as usize)));
            }
        }
        Ok(None)
    }

    /// The decision about `window`, which has at least one byte.
    #[inline]
    pub(crate) fn decide(&mut self, window: &[u8]) -> Result<Decision> {
        if let [a, b] = window {
            let index = usize::from(*a) << 8 | usize::from(*b);
            if let Some(known) = self.memo.pairs[index] {
                return Ok(known);
            }
            let decision = self.engine.decide(window)?;
            self.memo.pairs[index] = Some(decision);
            return Ok(decision);
        }
        if window.len() < 8 {
            let mut key = [0; 8];
            key[..window.len()].copy_from_slice(window);
            key[7] = window.len() as u8;
            let key = u64::from_le_bytes(key);
            if let Some(&known) = self.memo.short.get(&key) {
                return Ok(known);
            }
            let decision = self.engine.decide(window)?;
            self.memo.short.insert(key, decision);
            return Ok(decision);
        }
        if let Some(&known) = self.memo.long.get(window) {
            return Ok(known);
        }
        let decision = self.engine.decide(window)?;
        self.memo.long.insert(window.into(), decision);
        Ok(decision)
    }
}

impl Decider<'_> {
    /// The decision about a window that is not worth remembering.
    pub(super) fn decide_afresh(&mut self, window: &[u8]) -> Result<Decision> {
        self.engine.decide(window)
    }

    /// Whether a boundary lies between the two bytes in every text: no token holds the pair.
    pub(super) fn forces_boundary(&self, left: u8, right: u8) -> bool {
        match &self.engine {
            Source::Literal(set, _) => !set.tables().has_pair(left, right),
            Source::Automaton(..) => false,
        }
    }

    /// Where every byte is a token: the decision about `window` with any byte before it that forces a
    /// boundary between the two.
    pub(super) fn after_forced_boundary(&mut self, window: &[u8]) -> Option<Decision> {
        let Source::Literal(set, grown) = &mut self.engine else { return None };
        if window.is_empty() || !set.has_all_bytes() {
            return None;
        }
        grown.reset(window);
        let mut found = None;
        for origin in 0..window.len() {
            let real =
                if origin == 0 { grown.begins_token(0) } else { grown.realises(origin, false) };
            if real {
                if found.is_some() {
                    return Some(Decision::Open);
                }
                found = Some(origin as u32);
            }
        }
        found.map(|origin| Decision::Certified(origin + 1))
    }
}

impl Source<'_> {
    fn decide(&mut self, window: &[u8]) -> Result<Decision> {
        match self {
            Self::Literal(set, grown) => Ok(decide_literal(set, grown, window)),
            Self::Automaton(set, budget) => set.engine(*budget)?.get()?.decide(window, *budget),
        }
    }
}

/// Stops as soon as a second origin is known.
fn decide_literal(set: &Literal, grown: &mut Grown<'_>, window: &[u8]) -> Decision {
    grown.reset(window);
    let before = set.occurs_inside(window).then_some(BEFORE);
    let mut found = before;
    for origin in 0..window.len() {
        let real = if origin == 0 { grown.begins_token(0) } else { grown.realises(origin, true) };
        if real {
            if found.is_some() {
                return Decision::Open;
            }
            found = Some(origin as i64);
        }
    }
    match found {
        None => Decision::Vacuous,
        Some(BEFORE) => Decision::Open,
        Some(origin) => Decision::Certified(origin as u32),
    }
}
