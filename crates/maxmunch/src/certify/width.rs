//! Certified windows of any width: the marked windows that are certified form a regular language.
//!
//! One position of the window is marked as the claimed start. Each node of the verifier carries a tag: 0
//! before that position, 1 while the token that began there is still the current one, 2 otherwise. The sets
//! of tagged nodes form an automaton over windows; a window is certified and occurs exactly if no tag 2 and
//! some tag 1 is left. A shortest such window is found breadth-first.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::budget::Budget;
use super::engine::Engine;
use super::verifier::{Node, Verifier};
use crate::error::Result;

/// Nodes by tag; before the claimed start only `current` of tag 0 is filled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Tagged {
    past_start: bool,
    /// Tag 0 before the claimed start, tag 1 after it.
    good: Vec<Node>,
    /// Tag 2.
    bad: Vec<Node>,
}

/// The least width of a window that is certified and occurs; `None` when there is none at any width.
pub(super) fn shortest(engine: &mut Engine, budget: Budget<'_>) -> Result<Option<usize>> {
    let first = Tagged { past_start: false, good: engine.everywhere(budget)?, bad: vec![] };
    let verifier = &mut engine.verifier;
    let mut seen: HashMap<Tagged, ()> = HashMap::from([(first.clone(), ())]);
    let mut queue = VecDeque::from([(first, 0)]);
    while let Some((tagged, width)) = queue.pop_front() {
        budget.look("searching windows of any width", seen.len() - queue.len())?;
        for class in 0..verifier.classes() {
            let mut nexts = vec![];
            if tagged.past_start {
                nexts.push(after_start(verifier, &tagged, class)?);
            } else {
                nexts.push(before_start(verifier, &tagged, class)?);
                nexts.push(at_start(verifier, &tagged, class)?);
            }
            for next in nexts {
                if next.good.is_empty() {
                    continue; // past the start it can no longer become good; before it nothing occurs
                }
                if next.past_start && next.bad.is_empty() {
                    return Ok(Some(width + 1));
                }
                if seen.insert(next.clone(), ()).is_none() {
                    verifier.spend(1)?;
                    queue.push_back((next, width + 1));
                }
            }
        }
    }
    Ok(None)
}

fn moved(verifier: &mut Verifier, nodes: &[Node], class: usize, marked: bool) -> Result<Vec<Node>> {
    let mut all = vec![];
    for &node in nodes {
        all.extend(verifier.step(node, class, marked)?);
    }
    Ok(all)
}

fn before_start(verifier: &mut Verifier, tagged: &Tagged, class: usize) -> Result<Tagged> {
    let mut good = moved(verifier, &tagged.good, class, false)?;
    good.extend(moved(verifier, &tagged.good, class, true)?);
    verifier.minimal(&mut good);
    Ok(Tagged { past_start: false, good, bad: vec![] })
}

fn at_start(verifier: &mut Verifier, tagged: &Tagged, class: usize) -> Result<Tagged> {
    let mut good = moved(verifier, &tagged.good, class, true)?;
    let mut bad = moved(verifier, &tagged.good, class, false)?;
    verifier.minimal(&mut good);
    verifier.minimal(&mut bad);
    Ok(Tagged { past_start: true, good, bad })
}

fn after_start(verifier: &mut Verifier, tagged: &Tagged, class: usize) -> Result<Tagged> {
    let mut good = moved(verifier, &tagged.good, class, false)?;
    let mut bad = moved(verifier, &tagged.good, class, true)?;
    bad.extend(moved(verifier, &tagged.bad, class, false)?);
    bad.extend(moved(verifier, &tagged.bad, class, true)?);
    verifier.minimal(&mut good);
    verifier.minimal(&mut bad);
    Ok(Tagged { past_start: true, good, bad })
}
