//! What the verifier can say about a window: for each origin the nodes in which a text may be after it.
//!
//! Before the window every reachable node is possible, its token started "before". Each byte moves all
//! groups along; a mark at it moves every node into a fresh group, whose origin is that byte's place. The
//! groups that are left are the realised origins. Within a group dominated nodes are dropped.

use hashbrown::HashMap;

use super::budget::Budget;
use super::closed_form::BEFORE;
use super::count::{Count, Counts};
use super::inventory::Decision;
use super::verdict::Witness;
use super::verifier::{Node, Reached, Verifier};
use crate::error::Result;

/// The groups of one window; none of them is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cloud {
    /// Origin and nodes, by increasing origin.
    groups: Vec<(i64, Vec<Node>)>,
    length: usize,
}

impl Cloud {
    pub(super) fn before(verifier: &Verifier, reached: &[Reached]) -> Self {
        let mut nodes = reached.iter().map(|reached| reached.node).collect();
        verifier.minimal(&mut nodes);
        Self { groups: vec![(BEFORE, nodes)], length: 0 }
    }

    pub(super) fn step(&self, verifier: &mut Verifier, class: usize) -> Result<Self> {
        let mut groups = Vec::with_capacity(self.groups.len() + 1);
        let mut fresh = vec![];
        for (origin, nodes) in &self.groups {
            let mut moved = vec![];
            for &node in nodes {
                moved.extend(verifier.step(node, class, false)?);
                fresh.extend(verifier.step(node, class, true)?);
            }
            if !moved.is_empty() {
                verifier.minimal(&mut moved);
                groups.push((*origin, moved));
            }
        }
        if !fresh.is_empty() {
            verifier.minimal(&mut fresh);
            groups.push((self.length as i64, fresh));
        }
        Ok(Self { groups, length: self.length + 1 })
    }

    pub(super) fn origins(&self) -> Vec<i64> {
        self.groups.iter().map(|&(origin, _)| origin).collect()
    }

    pub(super) fn decision(&self) -> Decision {
        match self.groups.as_slice() {
            [] => Decision::Vacuous,
            [(origin, _)] if *origin != BEFORE => Decision::Certified(*origin as u32),
            _ => Decision::Open,
        }
    }

    /// What the future depends on: the nodes of "before", and how often each other group of nodes occurs,
    /// once or more. More than two equal groups are no different from two.
    fn key(&self) -> Key {
        let mut before = vec![];
        let mut others: Vec<Vec<Node>> = vec![];
        for (origin, nodes) in &self.groups {
            if *origin == BEFORE {
                before.clone_from(nodes);
            } else {
                others.push(nodes.clone());
            }
        }
        others.sort_unstable();
        let mut kept: Vec<Vec<Node>> = vec![];
        for group in others {
            let equal = kept.iter().rev().take_while(|known| **known == group).count();
            if equal < 2 {
                kept.push(group);
            }
        }
        Key { before, others: kept }
    }
}

/// A cloud up to renaming of origins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    before: Vec<Node>,
    others: Vec<Vec<Node>>,
}

impl Key {
    /// A cloud with this key; its origins are made up, distinct ones.
    fn cloud(&self) -> Cloud {
        let mut groups = vec![];
        if !self.before.is_empty() {
            groups.push((BEFORE, self.before.clone()));
        }
        groups.extend((0..).zip(self.others.iter().cloned()));
        Cloud { length: self.others.len(), groups }
    }

    fn is_certified(&self) -> bool {
        self.before.is_empty() && self.others.len() == 1
    }

    fn is_empty(&self) -> bool {
        self.before.is_empty() && self.others.is_empty()
    }
}

/// Exact counts for widths `1..=max_width`: windows are counted along the graph of clouds, each of which
/// is expanded once per width.
pub(super) fn count(
    verifier: &mut Verifier,
    max_width: usize,
    budget: Budget<'_>,
) -> Result<Vec<Counts>> {
    let reached = verifier.reachable(budget)?;
    let mut moves: HashMap<Key, Vec<(usize, Key)>> = HashMap::new();
    let mut level: HashMap<Key, Count> = HashMap::new();
    level.insert(Cloud::before(verifier, &reached).key(), Count::from(1));
    let mut all = vec![];
    for width in 1..=max_width {
        let mut next: HashMap<Key, Count> = HashMap::new();
        for (key, count) in level {
            if !moves.contains_key(&key) {
                let cloud = key.cloud();
                let mut list = vec![];
                for class in 0..verifier.classes() {
                    let moved = cloud.step(verifier, class)?.key();
                    if !moved.is_empty() {
                        list.push((verifier.dfa().classes().members(class).len(), moved));
                    }
                }
                verifier.spend(1)?;
                budget.look("counting windows", moves.len())?;
                moves.insert(key.clone(), list);
            }
            for (members, moved) in &moves[&key] {
                let share = count.times(&Count::from(*members as u64));
                next.entry_ref(moved).or_insert(Count::ZERO).add(&share);
            }
        }
        let mut certified = Count::ZERO;
        let mut occurring = Count::ZERO;
        for (key, count) in &next {
            occurring.add(count);
            if key.is_certified() {
                certified.add(count);
            }
        }
        let vacuous = Count::power_of_256(width).minus(&occurring);
        all.push(Counts { certified, vacuous });
        level = next;
    }
    Ok(all)
}

/// One step of the search for a shortest witness.
#[derive(Debug, Clone, Copy)]
struct Trace {
    node: Node,
    origin: i64,
    /// Bytes before the window.
    head: usize,
    /// Index in the previous layer; at the window's start, in the reached nodes.
    parent: usize,
}

/// A shortest input in which `window` (as classes) has a realised origin other than `origin`.
pub(super) fn refute(
    verifier: &mut Verifier,
    reached: &[Reached],
    window: &[u8],
    origin: i64,
) -> Result<Option<Witness>> {
    let mut layers: Vec<Vec<Trace>> = vec![
        reached
            .iter()
            .enumerate()
            .map(|(parent, from)| Trace {
                node: from.node,
                origin: BEFORE,
                head: from.distance,
                parent,
            })
            .collect(),
    ];
    for (place, &byte) in window.iter().enumerate() {
        let class = verifier.dfa().classes().of(byte);
        let mut layer: Vec<Trace> = vec![];
        let mut best: HashMap<(Node, i64), usize> = HashMap::new();
        for (parent, &trace) in layers[place].iter().enumerate() {
            for marked in [false, true] {
                let Some(node) = verifier.step(trace.node, class, marked)? else { continue };
                let origin = if marked { place as i64 } else { trace.origin };
                let next = Trace { node, origin, head: trace.head, parent };
                match best.get(&(node, origin)) {
                    Some(&known) if layer[known].head <= next.head => {}
                    Some(&known) => layer[known] = next,
                    None => {
                        best.insert((node, origin), layer.len());
                        layer.push(next);
                    }
                }
            }
        }
        verifier.spend(layer.len() as u64)?;
        layers.push(layer);
    }
    let mut best: Option<(usize, usize)> = None;
    for (index, trace) in layers[window.len()].iter().enumerate() {
        if trace.origin == origin {
            continue;
        }
        let Some(tail) = verifier.tail(trace.node)? else { continue };
        let length = trace.head + tail;
        if best.is_none_or(|(known, _)| length < known) {
            best = Some((length, index));
        }
    }
    let Some((_, last)) = best else { return Ok(None) };
    let end = layers[window.len()][last];
    let mut index = last;
    for layer in layers.iter().rev() {
        index = layer[index].parent;
    }
    let shape = verifier.shape();
    let dfa = &shape.dfa;
    let mut data = dfa.bytes(&Verifier::way(reached, index));
    let occurrence = data.len();
    data.extend_from_slice(window);
    data.extend(dfa.bytes(&verifier.completion(end.node)?));
    let claimed = occurrence + origin as usize;
    // the start before the window is read off the real scan by whoever checks the witness
    let actual = if end.origin == BEFORE { 0 } else { occurrence + end.origin as usize };
    Ok(Some(Witness { data, occurrence, claimed, actual }))
}
