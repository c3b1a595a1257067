//! The ordered automaton of a pattern: forks list their branches by priority.

use super::syntax::{Ast, Greed, Parsed, refuse};
use crate::machine::char_classes::{CharSet, complement};

/// Programs may have this many nodes.
const MAX_NODES: usize = 20_000;

pub(crate) type NodeId = u32;

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// Consume one character of set number `set`.
    Consume { set: usize, next: NodeId },
    /// Go on when the next character is in set number `set`, or the text ends and `at_end` holds.
    Guard { set: usize, at_end: bool, next: NodeId },
    /// Go on with the first branch that leads to a match.
    Fork(Vec<NodeId>),
    /// The pattern has matched.
    Match,
}

/// The instructions of one pattern, and the sets that they test.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) nodes: Vec<Node>,
    pub(crate) sets: Vec<CharSet>,
    pub(crate) start: NodeId,
}

impl Program {
    /// Translates a pattern, back to front: every part knows what follows it.
    pub(crate) fn new(ast: &Ast) -> Parsed<Self> {
        let mut program = Self { nodes: vec![Node::Match], sets: Vec::new(), start: 0 };
        program.start = program.part(ast, 0)?;
        Ok(program)
    }

    /// The entry of `ast` when `next` follows it.
    fn part(&mut self, ast: &Ast, next: NodeId) -> Parsed<NodeId> {
        match ast {
            Ast::Set(set) => {
                let set = self.set(set);
                self.push(Node::Consume { set, next })
            }
            Ast::Guard { next: set, at_end } => {
                let set = self.set(set);
                self.push(Node::Guard { set, at_end: *at_end, next })
            }
            Ast::Concat(parts) => {
                parts.iter().rev().try_fold(next, |follower, part| self.part(part, follower))
            }
            Ast::Alternate(parts) => {
                let branches: Parsed<Vec<_>> =
                    parts.iter().map(|part| self.part(part, next)).collect();
                self.push(Node::Fork(branches?))
            }
            Ast::Repeat { body, min, max, greed } => self.repeat(body, *min, *max, *greed, next),
        }
    }

    fn repeat(
        &mut self,
        body: &Ast,
        min: u32,
        max: Option<u32>,
        greed: Greed,
        exit: NodeId,
    ) -> Parsed<NodeId> {
        // Possessive: leave without another one only where none could be taken.
        let leave = match (greed, body) {
            (Greed::Possessive, Ast::Set(set)) => {
                let set = self.set(&complement(set));
                self.push(Node::Guard { set, at_end: true, next: exit })?
            }
            _ => exit,
        };
        let mut entry = match max {
            None => self.loop_over(body, greed, leave)?,
            Some(max) => (min..max).try_fold(exit, |rest, _| {
                let once = self.part(body, rest)?;
                self.fork(once, leave, greed)
            })?,
        };
        for _ in 0..min {
            entry = self.part(body, entry)?;
        }
        Ok(entry)
    }

    /// Any number of `body`, none included.
    fn loop_over(&mut self, body: &Ast, greed: Greed, exit: NodeId) -> Parsed<NodeId> {
        let head = self.fork(exit, exit, greed)?;
        let once = self.part(body, head)?;
        if let Some(Node::Fork(branches)) = self.nodes.get_mut(head as usize) {
            *branches = in_order(once, exit, greed);
        }
        Ok(head)
    }

    fn fork(&mut self, once: NodeId, exit: NodeId, greed: Greed) -> Parsed<NodeId> {
        self.push(Node::Fork(in_order(once, exit, greed)))
    }

    fn push(&mut self, node: Node) -> Parsed<NodeId> {
        if self.nodes.len() >= MAX_NODES {
            return refuse(format!("a pattern of more than {MAX_NODES} steps"));
        }
        self.nodes.push(node);
        Ok((self.nodes.len() - 1) as NodeId)
    }

    fn set(&mut self, set: &CharSet) -> usize {
        let known = self.sets.iter().position(|known| known == set);
        known.unwrap_or_else(|| {
            self.sets.push(set.clone());
            self.sets.len() - 1
        })
    }
}

fn in_order(once: NodeId, exit: NodeId, greed: Greed) -> Vec<NodeId> {
    match greed {
        Greed::Lazy => vec![exit, once],
        Greed::Greedy | Greed::Possessive => vec![once, exit],
    }
}
