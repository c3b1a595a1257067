//! From patterns to one automaton: syntax tree, then Thompson's construction, then subsets.
//!
//! Patterns are in the language of `regex-syntax` over bytes: `.` and `[^…]` range over bytes, Unicode
//! classes need `(?u:…)` and stand for their UTF-8. Greedy and lazy repetition are the same here: only the
//! language counts. What is no regular expression (assertions) is refused with its position.

use hashbrown::HashMap;
use regex_syntax::ast::{self, Ast, parse::Parser};
use regex_syntax::hir::{Class, Hir, HirKind, Repetition, translate::TranslatorBuilder};
use regex_syntax::utf8::Utf8Sequences;

use super::classes::ByteClasses;
use super::dfa::{Dfa, NONE};
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Builds the automaton of the ordered patterns; a state accepts the first pattern that matches.
///
/// # Errors
///
/// [`Error::InvalidTokenSet`] for an empty list, a syntax error, an assertion, a pattern that matches the
/// empty word, or a set that matches nothing; [`Error::Limit`] beyond `max_states` states.
pub fn build(
    patterns: &[(String, String)],
    max_states: usize,
    monitor: &dyn Monitor,
) -> Result<Dfa> {
    if patterns.is_empty() {
        return Err(invalid("the token set is empty; give at least one pattern".to_owned()));
    }
    let mut nfa = Nfa { states: vec![], max_states };
    let mut starts = vec![];
    for (index, (name, pattern)) in patterns.iter().enumerate() {
        let hir = parse(name, pattern)?;
        let end = nfa.push(State::Match(index as u32))?;
        starts.push(nfa.compile(&hir, end)?);
    }
    let dfa = nfa.determinised(&starts, monitor)?;
    if dfa.is_empty() {
        return Err(invalid("no pattern of the token set matches anything".to_owned()));
    }
    Ok(dfa)
}

fn invalid(message: String) -> Error {
    Error::InvalidTokenSet { message }
}

fn refused(name: &str, pattern: &str, offset: usize, rule: &str) -> Error {
    invalid(format!("pattern {name:?}, position {offset} of {pattern:?}: {rule}"))
}

fn parse(name: &str, pattern: &str) -> Result<Hir> {
    let tree = Parser::new().parse(pattern).map_err(|error| {
        refused(name, pattern, error.span().start.offset, &error.kind().to_string())
    })?;
    if let Err(offset) = ast::visit(&tree, AssertionFinder) {
        return Err(refused(
            name,
            pattern,
            offset,
            "an assertion looks at text outside the token, so that the token set would not be regular; \
             leave out anchors and word boundaries",
        ));
    }
    let hir = TranslatorBuilder::new()
        .unicode(false)
        .utf8(false)
        .build()
        .translate(pattern, &tree)
        .map_err(|error| {
            refused(name, pattern, error.span().start.offset, &error.kind().to_string())
        })?;
    if hir.properties().minimum_len() == Some(0) {
        return Err(refused(
            name,
            pattern,
            0,
            "it matches the empty word; a token has at least one byte, so use + or a prefix",
        ));
    }
    Ok(hir)
}

/// Stops at the first assertion, with its offset.
struct AssertionFinder;

impl ast::Visitor for AssertionFinder {
    type Output = ();
    type Err = usize;

    fn finish(self) -> std::result::Result<(), usize> {
        Ok(())
    }

    fn visit_pre(&mut self, node: &Ast) -> std::result::Result<(), usize> {
        match node {
            Ast::Assertion(assertion) => Err(assertion.span.start.offset),
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Clone)]
enum State {
    /// A byte in the range, then the state.
    Bytes(u8, u8, u32),
    /// Any of the states, without reading.
    Any(Vec<u32>),
    /// The end of the pattern with this index.
    Match(u32),
}

struct Nfa {
    states: Vec<State>,
    max_states: usize,
}

impl Nfa {
    fn limit(&self) -> Error {
        Error::Limit {
            limit: "max_states".to_owned(),
            message: format!(
                "the patterns need more than {} states; simplify counted repetitions, or pass a larger \
                 max_states",
                self.max_states
            ),
        }
    }

    fn push(&mut self, state: State) -> Result<u32> {
        // an automaton for subsets is held to the limit itself; its parts may be a little more numerous
        if self.states.len() >= self.max_states.saturating_mul(8) {
            return Err(self.limit());
        }
        self.states.push(state);
        Ok(self.states.len() as u32 - 1)
    }

    /// Compiles `hir` so that it goes on at `end`; gives its first state.
    fn compile(&mut self, hir: &Hir, end: u32) -> Result<u32> {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Ok(end),
            HirKind::Literal(literal) => {
                let mut at = end;
                for &byte in literal.0.iter().rev() {
                    at = self.push(State::Bytes(byte, byte, at))?;
                }
                Ok(at)
            }
            HirKind::Class(class) => self.class(class, end),
            HirKind::Capture(capture) => self.compile(&capture.sub, end),
            HirKind::Concat(parts) => {
                let mut at = end;
                for part in parts.iter().rev() {
                    at = self.compile(part, at)?;
                }
                Ok(at)
            }
            HirKind::Alternation(parts) => {
                let mut starts = Vec::with_capacity(parts.len());
                for part in parts {
                    starts.push(self.compile(part, end)?);
                }
                self.push(State::Any(starts))
            }
            HirKind::Repetition(repetition) => self.repetition(repetition, end),
        }
    }

    fn class(&mut self, class: &Class, end: u32) -> Result<u32> {
        let mut starts = vec![];
        match class {
            Class::Bytes(class) => {
                for range in class.ranges() {
                    starts.push(self.push(State::Bytes(range.start(), range.end(), end))?);
                }
            }
            Class::Unicode(class) => {
                let mut shared: HashMap<(u8, u8, u32), u32> = HashMap::new();
                for range in class.ranges() {
                    for sequence in Utf8Sequences::new(range.start(), range.end()) {
                        let mut at = end;
                        for part in sequence.as_slice().iter().rev() {
                            let key = (part.start, part.end, at);
                            at = if let Some(&known) = shared.get(&key) {
                                known
                            } else {
                                let fresh = self.push(State::Bytes(part.start, part.end, at))?;
                                shared.insert(key, fresh);
                                fresh
                            };
                        }
                        starts.push(at);
                    }
                }
            }
        }
        self.push(State::Any(starts))
    }

    fn repetition(&mut self, repetition: &Repetition, end: u32) -> Result<u32> {
        let mut at = end;
        match repetition.max {
            None => {
                let again = self.push(State::Any(vec![end]))?;
                let body = self.compile(&repetition.sub, again)?;
                if let State::Any(targets) = &mut self.states[again as usize] {
                    targets.push(body);
                }
                at = again;
            }
            Some(max) => {
                for _ in repetition.min..max {
                    let body = self.compile(&repetition.sub, at)?;
                    at = self.push(State::Any(vec![end, body]))?;
                }
            }
        }
        for _ in 0..repetition.min {
            at = self.compile(&repetition.sub, at)?;
        }
        Ok(at)
    }

    /// The bytes that no range of the automaton tells apart.
    fn classes(&self) -> ByteClasses {
        let mut cut = [false; 257];
        for state in &self.states {
            if let State::Bytes(low, high, _) = state {
                cut[usize::from(*low)] = true;
                cut[usize::from(*high) + 1] = true;
            }
        }
        let mut interval = [0_u16; 256];
        let mut number = 0;
        for byte in 0..256 {
            number += u16::from(cut[byte]);
            interval[byte] = number;
        }
        ByteClasses::by_key(|byte| interval[usize::from(byte)])
    }

    fn determinised(&self, starts: &[u32], monitor: &dyn Monitor) -> Result<Dfa> {
        let classes = self.classes();
        let mut mark = vec![0_u32; self.states.len()];
        let mut round = 0;
        let mut close = |targets: &[u32]| -> (Box<[u32]>, u32) {
            round += 1;
            self.closure(targets, &mut mark, round)
        };
        let mut numbers: HashMap<Box<[u32]>, u32> = HashMap::new();
        let (first, kind) = close(starts);
        let mut sets = vec![first.clone()];
        let mut kinds = vec![kind];
        numbers.insert(first, 0);
        let mut next = vec![];
        let mut at = 0;
        while at < sets.len() {
            if at % 1024 == 1023 && monitor.tick("building the automaton", at as u64, 0).is_break()
            {
                return Err(Error::Interrupted);
            }
            for class in 0..classes.len() {
                let byte = classes.members(class)[0];
                let targets: Vec<u32> = sets[at]
                    .iter()
                    .filter_map(|&state| match self.states.get(state as usize) {
                        Some(State::Bytes(low, high, target)) if (*low..=*high).contains(&byte) => {
                            Some(*target)
                        }
                        _ => None,
                    })
                    .collect();
                if targets.is_empty() {
                    next.push(NONE);
                    continue;
                }
                let (set, kind) = close(&targets);
                let number = if let Some(&known) = numbers.get(&set) {
                    known
                } else {
                    if sets.len() >= self.max_states {
                        return Err(self.limit());
                    }
                    let fresh = sets.len() as u32;
                    numbers.insert(set.clone(), fresh);
                    sets.push(set);
                    kinds.push(kind);
                    fresh
                };
                next.push(number);
            }
            at += 1;
        }
        Ok(Dfa::new(&classes, next, kinds))
    }

    /// The reading states that `targets` lead to without reading, and the first pattern that ends there.
    fn closure(&self, targets: &[u32], mark: &mut [u32], round: u32) -> (Box<[u32]>, u32) {
        let mut stack = targets.to_vec();
        let mut set = vec![];
        let mut kind = NONE;
        while let Some(state) = stack.pop() {
            if mark[state as usize] == round {
                continue;
            }
            mark[state as usize] = round;
            match &self.states[state as usize] {
                State::Bytes(..) => set.push(state),
                State::Any(targets) => stack.extend(targets),
                State::Match(pattern) => kind = kind.min(*pattern),
            }
        }
        set.sort_unstable();
        // two sets that differ only in the pattern that ends are two states
        if kind != NONE {
            set.push(self.states.len() as u32 + kind);
        }
        (set.into_boxed_slice(), kind)
    }
}
