//! The longest stretch of positions that no certified window anchors.
//!
//! Where every byte is a token, every text is in the domain and the answer is combinatorial: a stretch is
//! free of anchors exactly if, as a text of its own, it holds no certified window. So the search walks over
//! the strings without certified factors, remembering their last `width - 1` bytes.

use hashbrown::HashMap;

use super::budget::Budget;
use super::inventory::{Decider, Decision, Inventory};
use super::literal::Literal;
use crate::error::{Error, Result};

/// The answer, with evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// The longest stretch, and an input that attains it.
    Bounded {
        /// Length in bytes.
        value: usize,
        /// A completely tokenizable input with such a stretch.
        data: Vec<u8>,
    },
    /// `prefix`, any number of `cycle`s, `suffix`: stretches grow without bound.
    Unbounded {
        /// What comes first.
        prefix: Vec<u8>,
        /// What is repeated.
        cycle: Vec<u8>,
        /// What comes last.
        suffix: Vec<u8>,
    },
}

/// The limit error of this module.
fn limit(max_states: u64) -> Error {
    Error::Limit {
        limit: "max_states".to_owned(),
        message: format!(
            "more than {max_states} states would be needed to bound the stretches without an anchor; \
             pass a larger max_states or a smaller max_width"
        ),
    }
}

/// The span of a set in which every byte is a token; windows decided, or stretches told apart.
pub(super) fn of_all_bytes(inventory: &Inventory, budget: Budget<'_>) -> Result<(Span, u64)> {
    let mut decider = inventory.decider(budget);
    let width = decider.max_width();
    let mut decided = 0;
    // the usual case, and the most readable evidence: one byte, repeated
    for byte in (b'a'..=b'z').chain(0..=255) {
        decided += 1;
        if decider.decide(&vec![byte; width])? == Decision::Open {
            return Ok((pump(&[byte]), decided));
        }
    }
    let (span, states) = longest_avoiding(&mut decider, budget)?;
    Ok((span, decided + states))
}

/// Evidence of an unbounded span that needs no search: a token, repeated, if none of the windows of that text
/// is certified; and the number of windows decided. Repetitions are tokenizable for tokens of one byte, and for
/// all tokens of a coded set.
pub(super) fn repeated_token(
    inventory: &Inventory,
    set: &Literal,
    budget: Budget<'_>,
) -> Result<(Option<Span>, u64)> {
    let mut decider = inventory.decider(budget);
    let width = decider.max_width();
    let mut decided = 0;
    let mut words: Vec<&[u8]> = set.words().iter().map(AsRef::as_ref).collect();
    words.sort_by_key(|word| word.len());
    for (index, word) in words.into_iter().enumerate() {
        if word.len() > 1 && set.code().is_none() {
            break;
        }
        budget.look("repeating tokens", index)?;
        let text = word.repeat(width / word.len() + 2);
        let mut open = true;
        for window in text[..word.len() + width - 1].windows(width) {
            // certificates are inherited by longer windows, so that the widest ones tell
            decided += 1;
            open = decider.decide(window)? == Decision::Open;
            if !open {
                break;
            }
        }
        if open {
            return Ok((Some(pump(word)), decided));
        }
    }
    Ok((None, decided))
}

fn pump(cycle: &[u8]) -> Span {
    Span::Unbounded { prefix: vec![], cycle: cycle.to_vec(), suffix: vec![] }
}

/// A string on the current path: its memory, the byte to try next, the best continuation so far.
struct Level {
    memory: Vec<u8>,
    next: u16,
    best: Vec<u8>,
}

/// Depth-first over memories; a memory met again on the path is a cycle, a finished one is looked up.
fn longest_avoiding(decider: &mut Decider<'_>, budget: Budget<'_>) -> Result<(Span, u64)> {
    let keep = decider.max_width() - 1;
    let mut done: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut on_path: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut path = vec![Level { memory: vec![], next: 0, best: vec![] }];
    let mut taken: Vec<u8> = Vec::new();
    on_path.insert(vec![], 0);
    while let Some(level) = path.last_mut() {
        if level.next == 256 {
            let Some(Level { memory, best, .. }) = path.pop() else { break };
            on_path.remove(&memory);
            done.insert(memory, best.clone());
            if let (Some(parent), Some(byte)) = (path.last_mut(), taken.pop()) {
                improve(&mut parent.best, byte, &best);
                continue;
            }
            let span = Span::Bounded { value: best.len(), data: best };
            return Ok((span, done.len() as u64));
        }
        let byte = level.next as u8;
        level.next += 1;
        let mut window = level.memory.clone();
        window.push(byte);
        if matches!(decider.decide(&window)?, Decision::Certified(_)) {
            continue;
        }
        let memory = window[window.len().saturating_sub(keep)..].to_vec();
        if let Some(best) = done.get(&memory) {
            improve(&mut level.best, byte, best);
        } else if let Some(&depth) = on_path.get(&memory) {
            taken.push(byte);
            let cycle = taken.split_off(depth);
            let span = Span::Unbounded { prefix: taken, cycle, suffix: vec![] };
            return Ok((span, (done.len() + path.len()) as u64));
        } else {
            if (done.len() + path.len()) as u64 >= budget.states() {
                return Err(limit(budget.states()));
            }
            budget.look("following stretches", done.len() + path.len())?;
            taken.push(byte);
            on_path.insert(memory.clone(), path.len());
            path.push(Level { memory, next: 0, best: vec![] });
        }
    }
    Err(Error::internal("the search for the longest stretch lost its root"))
}

fn improve(best: &mut Vec<u8>, byte: u8, rest: &[u8]) {
    if rest.len() + 1 > best.len() {
        best.clear();
        best.push(byte);
        best.extend_from_slice(rest);
    }
}
