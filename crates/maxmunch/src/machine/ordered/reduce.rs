//! Making an automaton smaller without changing a match.
//!
//! 1. A state from which no match can come is dead.
//! 2. An acceptance is dropped where another is certain to follow, whatever the text: it would be
//!    overwritten.
//! 3. States that no text tells apart become one.

use hashbrown::HashMap;

use super::automaton::{Automaton, DEAD, Move, State};

/// The smallest equivalent automaton, and for each of its states whether a match is certain from it.
pub(crate) fn reduce(mut automaton: Automaton) -> (Automaton, Vec<bool>) {
    bury(&mut automaton);
    let certain = certain_states(&automaton);
    for at in 0..automaton.moves.len() {
        let step = &mut automaton.moves[at];
        if certain[step.target as usize] {
            step.accepts = false;
        }
    }
    merge(&automaton, &certain)
}

/// Sends moves into states without a future to [`DEAD`].
fn bury(automaton: &mut Automaton) {
    let mut alive = vec![false; automaton.states()];
    let mut changed = true;
    while changed {
        changed = false;
        for state in 0..automaton.states() {
            let has_future = |m: &Move| m.accepts || alive[m.target as usize];
            if !alive[state] && automaton.row(state as State).iter().any(has_future) {
                alive[state] = true;
                changed = true;
            }
        }
    }
    for step in &mut automaton.moves {
        if !alive[step.target as usize] {
            step.target = DEAD;
        }
    }
}

/// The states from which every text leads to an acceptance: the largest set of states in which each
/// symbol accepts or stays inside. At the latest the end of the text accepts, since it leads nowhere.
fn certain_states(automaton: &Automaton) -> Vec<bool> {
    let mut certain = vec![true; automaton.states()];
    certain[DEAD as usize] = false;
    let mut changed = true;
    while changed {
        changed = false;
        for state in 0..automaton.states() {
            let is_safe = |m: &Move| m.accepts || certain[m.target as usize];
            if certain[state] && !automaton.row(state as State).iter().all(is_safe) {
                certain[state] = false;
                changed = true;
            }
        }
    }
    certain
}

/// Moore's partition refinement; the blocks are numbered by their first state, so that [`DEAD`] stays 0.
fn merge(automaton: &Automaton, certain: &[bool]) -> (Automaton, Vec<bool>) {
    let states = automaton.states();
    let mut block_of: Vec<State> = vec![0; states];
    let mut count = 0;
    loop {
        let mut numbers: HashMap<Vec<Move>, State> = HashMap::new();
        let mut next_of = Vec::with_capacity(states);
        for state in 0..states {
            let mut signature: Vec<Move> = automaton
                .row(state as State)
                .iter()
                .map(|m| Move { accepts: m.accepts, target: block_of[m.target as usize] })
                .collect();
            signature.push(Move { accepts: false, target: block_of[state] });
            let number = numbers.len() as State;
            next_of.push(*numbers.entry(signature).or_insert(number));
        }
        let found = numbers.len();
        block_of = next_of;
        if found == count {
            break;
        }
        count = found;
    }
    let mut moves = vec![Move::default(); count * automaton.symbols];
    let mut is_certain = vec![false; count];
    for state in 0..states {
        let block = block_of[state] as usize;
        is_certain[block] = certain[state];
        for (symbol, m) in automaton.row(state as State).iter().enumerate() {
            moves[block * automaton.symbols + symbol] =
                Move { accepts: m.accepts, target: block_of[m.target as usize] };
        }
    }
    let start = block_of[automaton.start as usize];
    (Automaton { symbols: automaton.symbols, moves, start }, is_certain)
}
