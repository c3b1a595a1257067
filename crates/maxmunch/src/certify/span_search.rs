//! The anchor-free span of any token set with an automaton.
//!
//! A state is a node of the verifier, the last bytes read, and which of their positions are anchored. A
//! position that leaves this memory can no longer be anchored; a stretch grows by one with every position
//! that leaves without an anchor. So stretches are unbounded exactly if a cycle lets positions leave
//! without anchors only; otherwise those steps form no cycle and the longest way along them is the span.

use hashbrown::HashMap;

use super::budget::Budget;
use super::engine::Engine;
use super::inventory::Decision;
use super::span::Span;
use super::verifier::{Node, START};
use crate::error::{Error, Result};
use crate::machine::dfa::{self, Dfa, NONE};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    node: Node,
    /// Representative bytes of the last positions, and whether each is anchored.
    recent: Vec<(u8, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// The memory is not full yet.
    Nothing,
    Anchored,
    Free,
}

struct Edge {
    byte: u8,
    target: usize,
    exit: Exit,
}

struct Graph {
    states: Vec<State>,
    /// For each state the one before it on a shortest way, and the byte read there.
    parents: Vec<(usize, u8)>,
    edges: Vec<Vec<Edge>>,
}

/// How the longest stretch goes on from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The input ends.
    End,
    /// Along this edge.
    Edge(usize),
}

/// The span for windows up to `max_width`, and the number of states that were told apart.
pub(super) fn span(
    engine: &mut Engine,
    max_width: usize,
    budget: Budget<'_>,
) -> Result<(Span, u64)> {
    let shape = engine.verifier.shape();
    if let Some(pump) = long_token(&shape.dfa) {
        return Ok((pump, shape.dfa.states() as u64));
    }
    let before = engine.verifier.searched();
    let graph = explore(engine, max_width, budget)?;
    let span = longest(engine, &graph)?;
    Ok((span, engine.verifier.searched() - before))
}

/// Where words can be arbitrarily long, one long token has no boundary inside.
fn long_token(dfa: &Dfa) -> Option<Span> {
    if dfa.longest_word().is_some() {
        return None;
    }
    (0..dfa.states() as u32).find_map(|state| {
        let (first, next) = (0..dfa.classes().len())
            .map(|class| (class, dfa.step(state, class)))
            .filter(|&(_, next)| next != NONE)
            .find(|&(_, next)| dfa.path(next, |other| other == state).is_some())?;
        let (rest, _) = dfa.path(next, |other| other == state)?;
        let (prefix, _) = dfa.path(dfa::START, |other| other == state)?;
        let (suffix, _) = dfa.path(state, |other| dfa.accepts(other))?;
        let mut cycle = dfa.bytes(&[first]);
        cycle.extend(dfa.bytes(&rest));
        Some(Span::Unbounded { prefix: dfa.bytes(&prefix), cycle, suffix: dfa.bytes(&suffix) })
    })
}

fn explore(engine: &mut Engine, max_width: usize, budget: Budget<'_>) -> Result<Graph> {
    let first = State { node: START, recent: vec![] };
    let mut numbers: HashMap<State, usize> = HashMap::from([(first.clone(), 0)]);
    let mut graph = Graph { states: vec![first], parents: vec![(usize::MAX, 0)], edges: vec![] };
    while graph.edges.len() < graph.states.len() {
        let index = graph.edges.len();
        budget.look("following stretches", index)?;
        let mut edges = vec![];
        for class in 0..engine.verifier.classes() {
            let byte = engine.verifier.dfa().classes().representative(class);
            for marked in [false, true] {
                let State { node, recent } = &graph.states[index];
                let Some(node) = engine.verifier.step(*node, class, marked)? else { continue };
                let mut recent = recent.clone();
                recent.push((byte, false));
                anchor(engine, &mut recent, budget)?;
                let exit = if recent.len() < max_width {
                    Exit::Nothing
                } else if recent.remove(0).1 {
                    Exit::Anchored
                } else {
                    Exit::Free
                };
                let state = State { node, recent };
                let fresh = graph.states.len();
                let target = *numbers.entry(state.clone()).or_insert(fresh);
                if target == fresh {
                    engine.verifier.spend(1)?;
                    graph.states.push(state);
                    graph.parents.push((index, byte));
                }
                edges.push(Edge { byte, target, exit });
            }
        }
        graph.edges.push(edges);
    }
    Ok(graph)
}

/// Sets the flag of the position that the windows ending here anchor.
fn anchor(engine: &mut Engine, recent: &mut [(u8, bool)], budget: Budget<'_>) -> Result<()> {
    let bytes: Vec<u8> = recent.iter().map(|&(byte, _)| byte).collect();
    for start in (0..bytes.len()).rev() {
        if let Decision::Certified(origin) = engine.decide(&bytes[start..], budget)? {
            recent[start + origin as usize].1 = true;
            break;
        }
    }
    Ok(())
}

fn longest(engine: &mut Engine, graph: &Graph) -> Result<Span> {
    let accepting: Vec<bool> =
        graph.states.iter().map(|state| engine.verifier.accepts(state.node)).collect();
    let n = graph.states.len();
    let mut best: Vec<Option<(usize, Choice)>> = vec![None; n];
    let mut on_path = vec![usize::MAX; n];
    for root in 0..n {
        if best[root].is_some() {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        on_path[root] = 0;
        while let Some(&(state, edge)) = path.last() {
            let Some(next) = graph.edges[state].get(edge) else {
                best[state] = Some(settle(graph, &best, accepting[state], state));
                on_path[state] = usize::MAX;
                path.pop();
                continue;
            };
            let depth = path.len() - 1;
            path[depth].1 += 1;
            if next.exit == Exit::Anchored || best[next.target].is_some() {
                continue;
            }
            if on_path[next.target] != usize::MAX {
                let from = on_path[next.target];
                let cycle =
                    path[from..].iter().map(|&(state, edge)| graph.edges[state][edge - 1].byte);
                return Ok(Span::Unbounded {
                    prefix: way(graph, next.target),
                    cycle: cycle.collect(),
                    suffix: completion(engine, graph.states[next.target].node)?,
                });
            }
            on_path[next.target] = path.len();
            path.push((next.target, 0));
        }
    }
    let mut value = 0;
    let mut data = vec![];
    for state in 0..n {
        if let Some((length, _)) = best[state].filter(|&(length, _)| length > value) {
            value = length;
            data = stretch(engine, graph, &best, state)?;
        }
        if accepting[state] {
            let flags = graph.states[state].recent.iter().map(|&(_, anchored)| anchored);
            let run = longest_run(flags);
            if run > value {
                value = run;
                data = way(graph, state);
            }
        }
    }
    Ok(Span::Bounded { value, data })
}

/// The longest stretch that begins with the oldest remembered position of a state.
fn settle(
    graph: &Graph,
    best: &[Option<(usize, Choice)>],
    accepting: bool,
    state: usize,
) -> (usize, Choice) {
    let mut found: Option<(usize, Choice)> = None;
    if accepting {
        let flags = &graph.states[state].recent;
        found = Some((flags.iter().take_while(|&&(_, anchored)| !anchored).count(), Choice::End));
    }
    for (index, edge) in graph.edges[state].iter().enumerate() {
        let rest = best[edge.target].map_or(0, |(length, _)| length);
        let length = match edge.exit {
            Exit::Anchored => 0,
            Exit::Nothing => rest,
            Exit::Free => rest + 1,
        };
        if found.is_none_or(|(known, _)| length > known) {
            found = Some((length, Choice::Edge(index)));
        }
    }
    found.unwrap_or((0, Choice::End))
}

fn longest_run(flags: impl Iterator<Item = bool>) -> usize {
    let (mut run, mut longest) = (0, 0);
    for anchored in flags {
        run = if anchored { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest
}

fn way(graph: &Graph, state: usize) -> Vec<u8> {
    let mut bytes = vec![];
    let mut at = state;
    while graph.parents[at].0 != usize::MAX {
        bytes.push(graph.parents[at].1);
        at = graph.parents[at].0;
    }
    bytes.reverse();
    bytes
}

fn completion(engine: &mut Engine, node: Node) -> Result<Vec<u8>> {
    let way = engine.verifier.completion(node)?;
    Ok(engine.verifier.dfa().bytes(&way))
}

/// An input with the longest stretch that begins at a state.
fn stretch(
    engine: &mut Engine,
    graph: &Graph,
    best: &[Option<(usize, Choice)>],
    state: usize,
) -> Result<Vec<u8>> {
    let mut data = way(graph, state);
    let mut at = state;
    loop {
        let Some((_, choice)) = best[at] else {
            return Err(Error::internal("a stretch was lost"));
        };
        let Choice::Edge(index) = choice else { return Ok(data) };
        let edge = &graph.edges[at][index];
        data.push(edge.byte);
        at = edge.target;
        if edge.exit == Exit::Anchored {
            data.extend(completion(engine, graph.states[at].node)?);
            return Ok(data);
        }
    }
}
