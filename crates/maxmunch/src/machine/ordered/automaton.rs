//! Determinisation: one state for each list of threads, ordered by priority.
//!
//! Acceptance is delayed by one symbol, so that a guard can see the character after the match: reading
//! symbol `b` in state `q` first says whether a match ends *before* `b` (`accepts`), then moves on. A thread
//! that has matched cuts off all threads of lower priority. The symbol after the last class is the end.

use hashbrown::HashMap;

use super::program::{Node, NodeId, Program};
use super::syntax::{Parsed, refuse};
use crate::machine::char_classes::{CharClasses, contains};

/// Limits of one construction; beyond them the pattern is refused.
const MAX_STATES: usize = 30_000;
const MAX_STEPS: usize = 40_000_000;

pub(crate) type State = u32;

/// No thread is left, nothing more can match.
pub(crate) const DEAD: State = 0;

/// What one symbol does in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Move {
    /// A match ends before the symbol.
    pub(crate) accepts: bool,
    /// [`DEAD`] after the end of the text.
    pub(crate) target: State,
}

/// A deterministic leftmost-first automaton with one symbol of look-ahead.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    /// Number of symbols: the classes, then the end of the text.
    pub(crate) symbols: usize,
    /// `moves[state * symbols + symbol]`.
    pub(crate) moves: Vec<Move>,
    pub(crate) start: State,
}

impl Automaton {
    /// All states that `program` can reach.
    pub(crate) fn new(program: &Program, classes: &CharClasses) -> Parsed<Self> {
        let mut builder = Builder::new(program, classes);
        let start = builder.start();
        let symbols = classes.count() + 1;
        let mut moves = Vec::new();
        while moves.len() < builder.lists.len() * symbols {
            let state = moves.len() / symbols;
            for symbol in 0..symbols {
                moves.push(builder.step(state, symbol));
            }
            if builder.lists.len() > MAX_STATES {
                return refuse(format!("an automaton of more than {MAX_STATES} states"));
            }
            if builder.steps > MAX_STEPS {
                return refuse(format!(
                    "an automaton that takes more than {MAX_STEPS} steps to build"
                ));
            }
        }
        Ok(Self { symbols, moves, start })
    }

    pub(crate) fn states(&self) -> usize {
        self.moves.len() / self.symbols
    }

    pub(crate) fn row(&self, state: State) -> &[Move] {
        let from = state as usize * self.symbols;
        self.moves.get(from..from + self.symbols).unwrap_or_default()
    }

    /// Whether a match can be empty.
    pub(crate) fn accepts_empty(&self) -> bool {
        self.row(self.start).iter().any(|m| m.accepts)
    }
}

/// The lists of threads found so far.
struct Builder<'a> {
    program: &'a Program,
    /// `holds[set][class]`.
    holds: Vec<Vec<bool>>,
    symbols: usize,
    numbers: HashMap<Box<[NodeId]>, State>,
    lists: Vec<Box<[NodeId]>>,
    /// The pass in which each node was last seen.
    seen: Vec<u64>,
    pass: u64,
    steps: usize,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, classes: &CharClasses) -> Self {
        let holds = program
            .sets
            .iter()
            .map(|set| classes.representatives().iter().map(|&c| contains(set, c)).collect())
            .collect();
        Self {
            program,
            holds,
            symbols: classes.count() + 1,
            numbers: HashMap::from([(Box::default(), DEAD)]),
            lists: vec![Box::default()],
            seen: vec![0; program.nodes.len()],
            pass: 0,
            steps: 0,
        }
    }

    fn start(&mut self) -> State {
        let list = self.close(&[self.program.start], None);
        self.number(list)
    }

    fn number(&mut self, list: Vec<NodeId>) -> State {
        let list = list.into_boxed_slice();
        if let Some(&state) = self.numbers.get(&list) {
            return state;
        }
        let state = self.lists.len() as State;
        self.lists.push(list.clone());
        self.numbers.insert(list, state);
        state
    }

    /// The threads that `nodes` stand for, by priority, without forks; those behind a match are cut off.
    /// With a symbol, guards are decided by it; without one they stay.
    fn close(&mut self, nodes: &[NodeId], symbol: Option<usize>) -> Vec<NodeId> {
        self.pass += 1;
        let mut threads = Vec::new();
        let mut stack: Vec<NodeId> = nodes.iter().rev().copied().collect();
        while let Some(id) = stack.pop() {
            self.steps += 1;
            let Some(seen) = self.seen.get_mut(id as usize) else { continue };
            if std::mem::replace(seen, self.pass) == self.pass {
                continue;
            }
            match (&self.program.nodes[id as usize], symbol) {
                (Node::Fork(branches), _) => stack.extend(branches.iter().rev()),
                (&Node::Guard { set, at_end, next }, Some(symbol)) => {
                    if self.holds[set].get(symbol).copied().unwrap_or(at_end) {
                        stack.push(next);
                    }
                }
                (Node::Match, _) => {
                    threads.push(id);
                    break;
                }
                (Node::Consume { .. } | Node::Guard { .. }, _) => threads.push(id),
            }
        }
        threads
    }

    fn step(&mut self, state: usize, symbol: usize) -> Move {
        let list = self.lists[state].clone();
        let mut accepts = false;
        let mut followers = Vec::new();
        for id in self.close(&list, Some(symbol)) {
            match self.program.nodes[id as usize] {
                Node::Consume { set, next } => {
                    if self.holds[set].get(symbol).copied().unwrap_or(false) {
                        followers.push(next);
                    }
                }
                Node::Match => accepts = true,
                Node::Fork(_) | Node::Guard { .. } => {}
            }
        }
        debug_assert!(symbol + 1 < self.symbols || followers.is_empty());
        let threads = self.close(&followers, None);
        Move { accepts, target: self.number(threads) }
    }
}
