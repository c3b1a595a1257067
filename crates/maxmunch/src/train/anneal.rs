//! Search that also accepts losses: single tokens come and go at a price per place, ever more strictly.
//!
//! Swaps end where no single one helps. Here each step flips one token: a newcomer pays the price of a place,
//! a leaver gets it back, and what costs more is still accepted with the probability `exp(-cost / heat)`.
//! Between sweeps of such steps, each member may give its place to a token that overlaps it somewhere.
//! The price follows the number of members, which stays near the budget; the heat falls from sweep to sweep.
//! Costs stay exact. Steps are made one after another from a fixed seed, so that the result does not depend
//! on threads.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use super::instance::{Candidate, Instance};
use super::tokenization::Tokenization;
use crate::monitor::Monitor;
use crate::random::Random;

/// How hot it is at the beginning and the end, in prices of a place.
const HEAT: (f64, f64) = (0.15, 0.02);
/// Sweeps between two looks at all candidates for those that are worth a try.
const REFRESH: usize = 8;
/// A token is worth a try when what it saves is this near to the price, in heats or at least in prices.
const REACH: (f64, f64) = (6.0, 0.3);
/// How fast the price follows the number of members.
const GAIN: f64 = 0.5;

/// Occurrences of a member that are looked at for one where it is used.
const LOOKED_AT: usize = 16;
/// What takes the place of a member starts at most so many bytes before or after it.
const NEAR: usize = 3;

/// What an annealing run may do.
#[derive(Debug, Clone)]
pub struct AnnealOptions {
    /// Tokens of more than one byte to choose, pins included.
    pub budget: usize,
    /// The vocabulary to start from.
    pub start: Vec<Candidate>,
    /// Walks over the tokens that are worth a try.
    pub sweeps: usize,
    /// Seconds in which it must be cold; it cools faster when the sweeps take longer. Then time decides what
    /// is found; without it the result is always the same.
    pub seconds: Option<f64>,
    /// Threads that look for what is worth a try; they change the time, never the result.
    pub threads: NonZeroUsize,
    /// Seed of the steps.
    pub seed: u64,
}

/// What an annealing run left.
#[derive(Debug, Clone)]
pub struct Annealed {
    /// Candidates, increasing: about as many as the budget, for search to finish.
    pub members: Vec<Candidate>,
    /// Exact cost of exactly these.
    pub cost: u64,
    /// Whether the monitor stopped it.
    pub stopped: bool,
    /// Seconds it took.
    pub seconds: f64,
}

/// Anneals.
///
/// # Complexity
/// Each sweep visits every occurrence of the tokens that are worth a try once, and walks where a token
/// changes; now and then all occurrences of all candidates are visited.
pub fn anneal(instance: &Instance, options: &AnnealOptions, monitor: &dyn Monitor) -> Annealed {
    let began = Instant::now();
    let pinned: BTreeSet<Candidate> = instance.pins.iter().copied().collect();
    let mut state = Tokenization::new(instance, &options.start);
    let mut members = state.members().len();
    let mut random = Random::new(options.seed);
    let mut price = first_price(&state, &pinned, options.threads);
    let mut pool = Vec::new();
    let mut stopped = false;
    for sweep in 0..options.sweeps {
        let done = (sweep as u64, options.sweeps as u64);
        stopped = monitor.tick("anneal", done.0, done.1) == ControlFlow::Break(());
        let passed = options.seconds.map_or(0.0, |all| began.elapsed().as_secs_f64() / all);
        let share = passed.max(sweep as f64 / options.sweeps as f64);
        if stopped || share >= 1.0 {
            break;
        }
        let heat = HEAT.0 * (HEAT.1 / HEAT.0).powf(share);
        if sweep % REFRESH == 0 {
            pool = worth_a_try(&state, &pinned, price, heat, options.threads);
        }
        random.shuffle(&mut pool);
        for &t in &pool {
            let enters = !state.contains(t);
            let cost = state.delta(t) as f64 + if enters { price } else { -price };
            if cost <= 0.0 || random.unit() < (-cost / (heat * price)).exp() {
                state.flip(t);
                members = if enters { members + 1 } else { members - 1 };
            }
        }
        exchange(&mut state, &pinned, &mut random, heat * price);
        price *= (GAIN * (members as f64 / options.budget.max(1) as f64 - 1.0)).exp();
    }
    let seconds = began.elapsed().as_secs_f64();
    Annealed { members: state.members(), cost: state.cost(), stopped, seconds }
}

/// Offers to put another token in the place of each member, at most one: what two flips would never do, since
/// a member that saves much never leaves alone, and what it hides saves little before.
fn exchange(
    state: &mut Tokenization<'_>,
    pinned: &BTreeSet<Candidate>,
    random: &mut Random,
    warmth: f64,
) {
    let mut members: Vec<Candidate> =
        state.members().into_iter().filter(|t| !pinned.contains(t)).collect();
    random.shuffle(&mut members);
    for member in members {
        let Some(other) = alternative(state, member, random) else { continue };
        let cost = (state.flip(member) + state.delta(other)) as f64;
        let takes = cost <= 0.0 || random.unit() < (-cost / warmth).exp();
        state.flip(if takes { other } else { member });
    }
}

/// A token that could do some of the work of `member`: one that overlaps it where it is used.
fn alternative(
    state: &Tokenization<'_>,
    member: Candidate,
    random: &mut Random,
) -> Option<Candidate> {
    let instance = state.instance;
    let occurrences = instance.occurrences(member);
    let length = instance.length[member as usize];
    // Pretokens come by decreasing count: a place that is even in its logarithm prefers the frequent ones.
    let first = (occurrences.len() as f64).powf(random.unit()) as usize - 1;
    let is_used = |&&at: &&u32| state.token_length_at(at as usize) == length;
    let &at = occurrences[first..].iter().take(LOOKED_AT).find(is_used)?;
    let start = at as usize;
    let range = instance.table.range(instance.table.host[start] as usize);
    let from = if random.unit() < 0.5 {
        start
    } else {
        let low = range.start.max(start.saturating_sub(NEAR));
        let high = range.end.min(start + NEAR + 1);
        low + (random.unit() * (high - low) as f64) as usize
    };
    let arcs = instance.arc_range(from);
    if arcs.is_empty() {
        return None;
    }
    let arc = arcs.start + (random.unit() * arcs.len() as f64) as usize;
    let other = instance.arc_candidate[arc];
    (!state.contains(other)).then_some(other)
}

/// What the members that are missed least save: the price of a place at a vocabulary that search made.
fn first_price(
    state: &Tokenization<'_>,
    pinned: &BTreeSet<Candidate>,
    threads: NonZeroUsize,
) -> f64 {
    let members: Vec<Candidate> =
        state.members().into_iter().filter(|t| !pinned.contains(t)).collect();
    let mut losses = state.deltas(&members, threads);
    losses.sort_unstable();
    losses.get(losses.len() / 100).copied().unwrap_or(1).max(1) as f64
}

/// Members and candidates whose worth is near enough to the price for the heat.
fn worth_a_try(
    state: &Tokenization<'_>,
    pinned: &BTreeSet<Candidate>,
    price: f64,
    heat: f64,
    threads: NonZeroUsize,
) -> Vec<Candidate> {
    let all: Vec<Candidate> = (0..state.instance.candidates() as Candidate).collect();
    let reach = price * (REACH.0 * heat).max(REACH.1);
    let worth = state.deltas(&all, threads);
    all.into_iter()
        .zip(worth)
        .filter(|&(t, delta)| {
            (delta.unsigned_abs() as f64 - price).abs() <= reach
                && (state.contains(t) || delta < 0)
                && !pinned.contains(&t)
        })
        .map(|(t, _)| t)
        .collect()
}
