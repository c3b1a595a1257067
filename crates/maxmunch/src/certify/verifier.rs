//! The armed-run verifier: it reads a text with one mark per byte ("a token starts here") and accepts
//! exactly the texts of the domain with their true marks.
//!
//! A node is the state of the current token's run together with the arms of earlier tokens. A mark closes
//! the current token, which must be complete, and arms its run; an arm that accepts later refutes the
//! marks, since that earlier token would have been longer. Accepting states inside the current token are
//! ignored on purpose: a shorter match never wins. Nodes are made on demand and remembered; a node from
//! which nothing can be accepted is not entered ("trimmed"), so that existence can be read off directly.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashMap;

use super::arms::Arms;
use super::budget::Budget;
use crate::error::{Error, Result};
use crate::machine::dfa::{self, Dfa, NONE};

/// A node of the verifier.
pub(super) type Node = u32;
/// The node before any byte.
pub(super) const START: Node = 0;

const UNKNOWN: u32 = NONE - 1;
/// The length of the shortest way to acceptance, where there is none.
const NEVER: u32 = NONE;
const UNMEASURED: u32 = NONE - 1;

/// The limit error of every search over the verifier.
pub(super) fn out_of_states() -> Error {
    Error::Limit {
        limit: "max_states".to_owned(),
        message: "the decision needs more states than were allowed; pass a larger max_states"
            .to_owned(),
    }
}

/// A node that can be reached, and a shortest way to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    pub(super) node: Node,
    /// Bytes read since the start.
    pub(super) distance: usize,
    /// Index of the previous one on a shortest way, and the class read from there.
    parent: usize,
    class: usize,
}

/// The verifier of one automaton, growing as it is asked.
#[derive(Debug)]
pub(super) struct Verifier {
    shape: Arc<Shape>,
    /// Run state and arms of each node; the start node has run state `NONE`.
    nodes: Vec<(u32, Box<[u32]>)>,
    numbers: HashMap<(u32, Box<[u32]>), Node>,
    /// `steps[(node * classes + class) * 2 + marked]`, untrimmed: a node, `NONE`, or `UNKNOWN`.
    steps: Vec<u32>,
    /// For each node the fewest bytes to acceptance, `NEVER`, or `UNMEASURED`.
    tails: Vec<u32>,
    /// `searched` may not grow beyond this.
    limit: u64,
    /// States of searches over nodes.
    searched: u64,
}

/// What the verifier needs to know of a token set.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) dfa: Dfa,
    arms: Arms,
}

impl Shape {
    pub(super) fn new(dfa: Dfa) -> Self {
        let arms = Arms::new(&dfa);
        Self { dfa, arms }
    }
}

impl Verifier {
    pub(super) fn new(shape: Arc<Shape>) -> Self {
        let mut verifier = Self {
            shape,
            nodes: vec![],
            numbers: HashMap::new(),
            steps: vec![],
            tails: vec![],
            limit: u64::MAX,
            searched: 0,
        };
        verifier.add(NONE, Box::default());
        verifier
    }

    pub(super) fn classes(&self) -> usize {
        self.shape.dfa.classes().len()
    }

    pub(super) fn shape(&self) -> Arc<Shape> {
        Arc::clone(&self.shape)
    }

    pub(super) fn dfa(&self) -> &Dfa {
        &self.shape.dfa
    }

    /// Allows `max_states` more states from here on.
    pub(super) fn allow(&mut self, max_states: u64) {
        self.limit = self.searched().saturating_add(max_states);
    }

    /// Number of nodes that were made, and of states that searches over them told apart.
    pub(super) fn searched(&self) -> u64 {
        self.searched + self.nodes.len() as u64
    }

    /// Counts states of a search against the limit.
    pub(super) fn spend(&mut self, states: u64) -> Result<()> {
        self.searched += states;
        if self.searched() > self.limit {
            return Err(out_of_states());
        }
        Ok(())
    }

    fn add(&mut self, state: u32, arms: Box<[u32]>) -> Node {
        let node = self.nodes.len() as Node;
        self.numbers.insert((state, arms.clone()), node);
        self.nodes.push((state, arms));
        self.steps.resize(self.nodes.len() * self.classes() * 2, UNKNOWN);
        self.tails.push(UNMEASURED);
        node
    }

    /// The node with this state and these arms, made if it is new.
    fn number(&mut self, key: (u32, Box<[u32]>)) -> Result<Node> {
        if let Some(&known) = self.numbers.get(&key) {
            return Ok(known);
        }
        if self.searched() >= self.limit {
            return Err(out_of_states());
        }
        Ok(self.add(key.0, key.1))
    }

    /// Whether the text may end here.
    pub(super) fn accepts(&self, node: Node) -> bool {
        node == START || self.shape.dfa.accepts(self.nodes[node as usize].0)
    }

    /// The node after a byte, untrimmed.
    fn raw_step(&mut self, node: Node, class: usize, marked: bool) -> Result<Option<Node>> {
        let slot = (node as usize * self.classes() + class) * 2 + usize::from(marked);
        let known = self.steps[slot];
        if known != UNKNOWN {
            return Ok((known != NONE).then_some(known));
        }
        let (state, ref arms) = self.nodes[node as usize];
        let moved = if marked {
            let closed = if node == START { None } else { Some(state) };
            if closed.is_some_and(|state| !self.shape.dfa.accepts(state)) {
                None
            } else {
                let next = self.shape.dfa.step(dfa::START, class);
                (next != NONE)
                    .then(|| self.shape.arms.advance(arms, closed, class))
                    .flatten()
                    .map(|arms| (next, arms))
            }
        } else if node == START {
            None
        } else {
            let next = self.shape.dfa.step(state, class);
            (next != NONE)
                .then(|| self.shape.arms.advance(arms, None, class))
                .flatten()
                .map(|arms| (next, arms))
        };
        let target = match moved {
            None => None,
            Some(key) => Some(self.number(key)?),
        };
        self.steps[slot] = target.unwrap_or(NONE);
        Ok(target)
    }

    /// The node after a byte, if something can be accepted from there.
    pub(super) fn step(&mut self, node: Node, class: usize, marked: bool) -> Result<Option<Node>> {
        let Some(next) = self.raw_step(node, class, marked)? else { return Ok(None) };
        Ok(self.tail(next)?.map(|_| next))
    }

    /// The fewest bytes from `node` to acceptance.
    ///
    /// The current token alone has to be completed: a way through further tokens can be cut at the first.
    pub(super) fn tail(&mut self, node: Node) -> Result<Option<usize>> {
        if self.tails[node as usize] == UNMEASURED {
            self.measure(node)?;
        }
        let tail = self.tails[node as usize];
        Ok((tail != NEVER).then_some(tail as usize))
    }

    /// Breadth-first along unmarked bytes, up to the nearest node whose tail is known or that accepts.
    fn measure(&mut self, node: Node) -> Result<()> {
        let mut seen = vec![(node, usize::MAX)];
        let mut numbers: HashMap<Node, ()> = HashMap::from([(node, ())]);
        let mut best: Option<(u32, usize)> = None; // tail of `seen[.1]`, through which the way goes
        let mut depth_of = vec![0_u32];
        let mut at = 0;
        while at < seen.len() {
            let here = seen[at].0;
            let depth = depth_of[at];
            if best.is_some_and(|(tail, index)| tail + depth_of[index] <= depth) {
                break;
            }
            let tail = if self.accepts(here) { 0 } else { self.tails[here as usize] };
            if tail == UNMEASURED {
                for class in 0..self.classes() {
                    if let Some(next) = self.raw_step(here, class, false)?
                        && numbers.insert(next, ()).is_none()
                    {
                        seen.push((next, at));
                        depth_of.push(depth + 1);
                    }
                }
            } else if tail != NEVER
                && best.is_none_or(|(known, index)| tail + depth < known + depth_of[index])
            {
                best = Some((tail, at));
            }
            at += 1;
        }
        let Some((tail, index)) = best else {
            for &(node, _) in &seen {
                self.tails[node as usize] = NEVER;
            }
            return Ok(());
        };
        let (mut tail, mut index) = (tail, index);
        loop {
            let (node, parent) = seen[index];
            self.tails[node as usize] = tail;
            if parent == usize::MAX {
                return Ok(());
            }
            tail += 1;
            index = parent;
        }
    }

    /// Classes that lead from `node` to acceptance, as few as possible.
    pub(super) fn completion(&mut self, node: Node) -> Result<Vec<usize>> {
        let mut path = vec![];
        let mut here = node;
        while let Some(left) = self.tail(here)?.filter(|&left| left > 0) {
            let mut found = None;
            for class in 0..self.classes() {
                if let Some(next) = self.step(here, class, false)?
                    && self.tail(next)? == Some(left - 1)
                {
                    found = Some((class, next));
                    break;
                }
            }
            let Some((class, next)) = found else {
                return Err(Error::internal("a way to acceptance was lost"));
            };
            path.push(class);
            here = next;
        }
        Ok(path)
    }

    /// Whether every accepted continuation of `other` is one of `node`, mark for mark.
    pub(super) fn dominates(&self, node: Node, other: Node) -> bool {
        let ((state, arms), (other_state, other_arms)) =
            (&self.nodes[node as usize], &self.nodes[other as usize]);
        state == other_state && self.shape.arms.forbids_less(arms, other_arms)
    }

    /// The key under which nodes can dominate each other.
    pub(super) fn run_state(&self, node: Node) -> u32 {
        self.nodes[node as usize].0
    }

    /// Sorts, and drops every node that another one dominates.
    pub(super) fn minimal(&self, nodes: &mut Vec<Node>) {
        nodes.sort_unstable_by_key(|&node| (self.run_state(node), node));
        nodes.dedup();
        if nodes.len() < 2 {
            return;
        }
        let all = nodes.clone();
        nodes.retain(|&node| {
            let state = self.run_state(node);
            let low = all.partition_point(|&other| self.run_state(other) < state);
            !all[low..].iter().take_while(|&&other| self.run_state(other) == state).any(|&other| {
                other != node
                    && self.dominates(other, node)
                    && (other < node || !self.dominates(node, other))
            })
        });
    }

    /// The nodes that can be reached, nearest first; one that a nearer or equally near one dominates is
    /// left out, which changes neither what exists nor what is shortest.
    pub(super) fn reachable(&mut self, budget: Budget<'_>) -> Result<Vec<Reached>> {
        let mut found = vec![Reached { node: START, distance: 0, parent: usize::MAX, class: 0 }];
        let mut by_state: HashMap<u32, Vec<Node>> = HashMap::new();
        let mut queue = VecDeque::from([0]);
        while let Some(index) = queue.pop_front() {
            let Reached { node, distance, .. } = found[index];
            budget.look("exploring the verifier", index)?;
            for class in 0..self.classes() {
                for marked in [false, true] {
                    let Some(next) = self.step(node, class, marked)? else { continue };
                    let known = by_state.entry(self.run_state(next)).or_default();
                    if known.iter().any(|&other| self.dominates(other, next)) {
                        continue;
                    }
                    known.push(next);
                    queue.push_back(found.len());
                    found.push(Reached {
                        node: next,
                        distance: distance + 1,
                        parent: index,
                        class,
                    });
                }
            }
        }
        Ok(found)
    }

    /// The classes on the way to one of the reached nodes.
    pub(super) fn way(reached: &[Reached], index: usize) -> Vec<usize> {
        let mut way = vec![];
        let mut at = index;
        while reached[at].parent != usize::MAX {
            way.push(reached[at].class);
            at = reached[at].parent;
        }
        way.reverse();
        way
    }
}
