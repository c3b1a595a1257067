//! The differential auditor: do two token sets ever disagree, and on what.
//!
//! *Boundary*: on an input that both tokenize, some position is a token start for one of them only. Both
//! verifiers read the same bytes with marks of their own; a flag remembers that the marks differed once.
//! *Domain*: an input that exactly one of them tokenizes. Rejection is a statement about all markings, so
//! both sides carry the set of all nodes that some marking leads to.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};

use super::audit_literal::{Known, LiteralPair};
use super::budget::Budget;
use super::token_set::{Language, TokenSet};
use super::verifier::{Node, START, Verifier, out_of_states};
use crate::error::{Error, Result};
use crate::machine::classes::ByteClasses;

/// An input on which two token sets differ, as short as any, re-scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The input.
    pub data: Vec<u8>,
    /// Token starts of the left set, `None` where it cannot tokenize the input.
    pub left_starts: Option<Vec<i64>>,
    /// Token starts of the right set.
    pub right_starts: Option<Vec<i64>>,
}

/// Both answers; `None` is a proof of absence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// A disagreement about boundaries.
    pub boundary: Option<Disagreement>,
    /// A difference of domains.
    pub domain: Option<Disagreement>,
    /// States that were told apart for the boundary answer.
    pub boundary_states: u64,
    /// States that were told apart for the domain answer.
    pub domain_states: u64,
}

/// Compares two token sets.
///
/// # Errors
///
/// [`Error::Limit`] when a search needs more than `max_states` states; [`Error::Interrupted`].
pub fn audit(left: &TokenSet, right: &TokenSet, budget: Budget<'_>) -> Result<Audit> {
    let (mut boundary, mut domain) = (Known::Open(1), Known::Open(1));
    if let (Language::Literal(a), Language::Literal(b)) = (left.language(), right.language()) {
        if a.words() == b.words() {
            return Ok(Audit::default()); // the same language of tokens: the same scans
        }
        let pair = LiteralPair { sets: [left, right], words: [a, b] };
        (boundary, domain) = (pair.boundary(), pair.domain());
        let open = [&boundary, &domain].into_iter().any(|known| matches!(known, Known::Open(_)));
        if open && (left.shape().is_err() || right.shape().is_err()) {
            return finish(left, right, boundary, domain, |least, domain| {
                pair.tried(least, domain, budget).map(|(data, states)| (Some(data), states))
            });
        }
    }
    let mut pair = None;
    finish(left, right, boundary, domain, |_, domain| {
        if pair.is_none() {
            pair = Some(Pair::new(left, right, budget)?);
        }
        let pair = pair.as_mut().ok_or_else(|| Error::internal("the pair was not made"))?;
        if domain { pair.domain(budget) } else { pair.boundary(budget) }
    })
}

/// Searches for what is open, and holds every difference to what it claims.
fn finish(
    left: &TokenSet,
    right: &TokenSet,
    boundary: Known,
    domain: Known,
    mut search: impl FnMut(usize, bool) -> Result<Found>,
) -> Result<Audit> {
    let mut settle = |known, domain| -> Result<(Option<Disagreement>, u64)> {
        let (data, states) = match known {
            Known::Never => (None, 0),
            Known::Differs(data) => (Some(data), 0),
            Known::Open(least) => search(least, domain)?,
        };
        Ok((data.map(|data| checked(left, right, data, domain)).transpose()?, states))
    };
    let (boundary, boundary_states) = settle(boundary, false)?;
    let (domain, domain_states) = settle(domain, true)?;
    Ok(Audit { boundary, domain, boundary_states, domain_states })
}

/// The same by automaton, whatever else is known: a slow twin for literal sets.
///
/// # Errors
///
/// As [`audit`].
pub fn audit_by_automaton(left: &TokenSet, right: &TokenSet, budget: Budget<'_>) -> Result<Audit> {
    let mut pair = Pair::new(left, right, budget)?;
    finish(left, right, Known::Open(1), Known::Open(1), |_, domain| {
        if domain { pair.domain(budget) } else { pair.boundary(budget) }
    })
}

/// Scans the input with both sets and holds it to what it claims.
fn checked(left: &TokenSet, right: &TokenSet, data: Vec<u8>, domain: bool) -> Result<Disagreement> {
    let left_starts = left.scan(&data).ok().map(|scan| scan.starts);
    let right_starts = right.scan(&data).ok().map(|scan| scan.starts);
    let holds = if domain {
        left_starts.is_some() != right_starts.is_some()
    } else {
        left_starts.is_some() && right_starts.is_some() && left_starts != right_starts
    };
    if !holds {
        return Err(Error::internal("a disagreement does not re-scan"));
    }
    Ok(Disagreement { data, left_starts, right_starts })
}

struct Pair {
    classes: ByteClasses,
    left: Verifier,
    right: Verifier,
}

/// An input, where one was found, and the number of states.
type Found = (Option<Vec<u8>>, u64);

impl Pair {
    fn new(left: &TokenSet, right: &TokenSet, budget: Budget<'_>) -> Result<Self> {
        let (left_shape, right_shape) = (left.shape()?, right.shape()?);
        let mut pair = Self {
            classes: left_shape.dfa.classes().common(right_shape.dfa.classes()),
            left: Verifier::new(left_shape),
            right: Verifier::new(right_shape),
        };
        pair.left.allow(budget.states());
        pair.right.allow(budget.states());
        Ok(pair)
    }

    /// The classes of a joint class on both sides.
    fn sides(&self, class: usize) -> (usize, usize) {
        let byte = self.classes.members(class)[0];
        (self.left.dfa().classes().of(byte), self.right.dfa().classes().of(byte))
    }

    fn input(&self, parents: &[(usize, usize)], last: usize) -> Vec<u8> {
        let mut data = vec![];
        let mut at = last;
        while parents[at].0 != usize::MAX {
            data.push(self.classes.representative(parents[at].1));
            at = parents[at].0;
        }
        data.reverse();
        data
    }

    fn boundary(&mut self, budget: Budget<'_>) -> Result<Found> {
        let mut states = vec![(START, START, false)];
        let mut parents = vec![(usize::MAX, 0)];
        let mut known: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        let mut queue = VecDeque::from([0]);
        while let Some(index) = queue.pop_front() {
            let (a, b, differed) = states[index];
            budget.look("comparing boundaries", index)?;
            for class in 0..self.classes.len() {
                let (left_class, right_class) = self.sides(class);
                for (left_mark, right_mark) in
                    [(false, false), (false, true), (true, false), (true, true)]
                {
                    let Some(a) = self.left.step(a, left_class, left_mark)? else { continue };
                    let Some(b) = self.right.step(b, right_class, right_mark)? else { continue };
                    let differed = differed || left_mark != right_mark;
                    let key = (self.left.run_state(a), self.right.run_state(b));
                    let rivals = known.entry(key).or_default();
                    let dominated = rivals.iter().any(|&rival| {
                        let (c, d, rival_differed) = states[rival];
                        rival_differed >= differed
                            && self.left.dominates(c, a)
                            && self.right.dominates(d, b)
                    });
                    if dominated {
                        continue;
                    }
                    rivals.push(states.len());
                    queue.push_back(states.len());
                    states.push((a, b, differed));
                    parents.push((index, class));
                    if states.len() as u64 > budget.states() {
                        return Err(out_of_states());
                    }
                    if differed && self.left.accepts(a) && self.right.accepts(b) {
                        let data = self.input(&parents, states.len() - 1);
                        return Ok((Some(data), states.len() as u64));
                    }
                }
            }
        }
        Ok((None, states.len() as u64))
    }

    fn domain(&mut self, budget: Budget<'_>) -> Result<Found> {
        let first = (vec![START], vec![START]);
        let mut seen: HashSet<(Vec<Node>, Vec<Node>)> = HashSet::from([first.clone()]);
        let mut states = vec![first];
        let mut parents = vec![(usize::MAX, 0)];
        let mut at = 0;
        while at < states.len() {
            budget.look("comparing domains", at)?;
            for class in 0..self.classes.len() {
                let (left_class, right_class) = self.sides(class);
                let (a, b) = &states[at];
                let a = moved(&mut self.left, a, left_class)?;
                let b = moved(&mut self.right, b, right_class)?;
                if (a.is_empty() && b.is_empty()) || seen.contains(&(a.clone(), b.clone())) {
                    continue;
                }
                let left_accepts = a.iter().any(|&node| self.left.accepts(node));
                let right_accepts = b.iter().any(|&node| self.right.accepts(node));
                seen.insert((a.clone(), b.clone()));
                states.push((a, b));
                parents.push((at, class));
                if states.len() as u64 > budget.states() {
                    return Err(out_of_states());
                }
                if left_accepts != right_accepts {
                    let data = self.input(&parents, states.len() - 1);
                    return Ok((Some(data), states.len() as u64));
                }
            }
            at += 1;
        }
        Ok((None, states.len() as u64))
    }
}

fn moved(verifier: &mut Verifier, nodes: &[Node], class: usize) -> Result<Vec<Node>> {
    let mut all = vec![];
    for &node in nodes {
        all.extend(verifier.step(node, class, false)?);
        all.extend(verifier.step(node, class, true)?);
    }
    verifier.minimal(&mut all);
    Ok(all)
}
