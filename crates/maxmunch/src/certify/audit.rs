//! The differential auditor: do two token sets ever disagree, and on what.
//!
//! *Boundary*: on an input that both tokenize, some position is a token start for one of them only. Both
//! verifiers read the same bytes with marks of their own; a flag remembers that the marks differed once.
//! *Domain*: an input that exactly one of them tokenizes. Rejection is a statement about all markings, so
//! both sides carry the set of all nodes that some marking leads to.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};

use super::literal::Literal;
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
/// [`Error::Limit`] when a search needs more than `max_states` states.
pub fn audit(left: &TokenSet, right: &TokenSet, max_states: u64) -> Result<Audit> {
    if let (Language::Literal(a), Language::Literal(b)) = (left.language(), right.language()) {
        if a.words() == b.words() {
            return Ok(Audit::default()); // the same language of tokens: the same scans
        }
        if left.total().is_some() && right.total().is_some() {
            // every input is in both domains; a shortest token of only one side is a shortest difference,
            // since at a first difference the longer of the two tokens belongs to one side only
            let data = shortest_difference(a, b)
                .ok_or_else(|| Error::internal("different sets have the same tokens"))?;
            let boundary = Some(checked(left, right, data, false)?);
            return Ok(Audit { boundary, ..Audit::default() });
        }
    }
    let (left_shape, right_shape) = (left.shape()?, right.shape()?);
    let mut pair = Pair {
        classes: left_shape.dfa.classes().common(right_shape.dfa.classes()),
        left: Verifier::new(left_shape),
        right: Verifier::new(right_shape),
    };
    pair.left.allow(max_states);
    pair.right.allow(max_states);
    let (boundary, boundary_states) = pair.boundary(max_states)?;
    let (domain, domain_states) = pair.domain(max_states)?;
    let check = |found: Option<Vec<u8>>, domain| {
        found.map(|data| checked(left, right, data, domain)).transpose()
    };
    Ok(Audit {
        boundary: check(boundary, false)?,
        domain: check(domain, true)?,
        boundary_states,
        domain_states,
    })
}

fn shortest_difference(left: &Literal, right: &Literal) -> Option<Vec<u8>> {
    let only = |a: &Literal, b: &Literal| {
        let words = a.words().iter().filter(|word| !b.contains(word));
        words.min_by_key(|word| word.len()).map(|word| word.to_vec())
    };
    let (a, b) = (only(left, right), only(right, left));
    [a, b].into_iter().flatten().min_by_key(Vec::len)
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

    fn boundary(&mut self, max_states: u64) -> Result<Found> {
        let mut states = vec![(START, START, false)];
        let mut parents = vec![(usize::MAX, 0)];
        let mut known: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        let mut queue = VecDeque::from([0]);
        while let Some(index) = queue.pop_front() {
            let (a, b, differed) = states[index];
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
                    if states.len() as u64 > max_states {
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

    fn domain(&mut self, max_states: u64) -> Result<Found> {
        let first = (vec![START], vec![START]);
        let mut seen: HashSet<(Vec<Node>, Vec<Node>)> = HashSet::from([first.clone()]);
        let mut states = vec![first];
        let mut parents = vec![(usize::MAX, 0)];
        let mut at = 0;
        while at < states.len() {
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
                if states.len() as u64 > max_states {
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
