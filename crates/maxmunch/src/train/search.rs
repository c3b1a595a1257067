//! Exact search: from many tokens down to the budget, then swaps that each lower the cost.
//!
//! Every number here is the cost of greedy longest-match encoding of the whole table, recounted exactly;
//! nothing is estimated. Ties are broken by the order of the candidates' bytes, so that the result depends
//! neither on threads nor on hashing.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use hashbrown::HashMap;

use super::instance::{Candidate, Instance};
use super::tokenization::Tokenization;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Candidates at the start of shrinking, as a multiple of the budget.
const SHRINK_FACTOR: usize = 6;
/// Members by increasing loss that are tried as the other half of a swap.
const TRIED: usize = 16;
/// Members whose use the new token displaced that are tried as well.
const TRIED_DISPLACED: usize = 8;

/// Instances with fewer pairs of a candidate and a member have every swap tried.
const ALL_TRIED: usize = 1 << 16;

/// What a search may do.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// Tokens of more than one byte to choose, pins included.
    pub budget: usize,
    /// Where to start; without it the most promising candidates are shrunk to the budget.
    pub start: Option<Vec<Candidate>>,
    /// Threads that evaluate tokens; they change the time, never the result.
    pub threads: NonZeroUsize,
    /// Most passes over all candidates.
    pub passes: usize,
}

/// One step of a search, as reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// What was done: `shrink` or `swap`.
    pub phase: &'static str,
    /// Tokens in the vocabulary after it.
    pub members: usize,
    /// Swaps made in it.
    pub swaps: usize,
    /// Cost after it.
    pub cost: u64,
    /// Seconds since the search began.
    pub seconds: f64,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The chosen candidates, increasing.
    pub members: Vec<Candidate>,
    /// Exact cost of the vocabulary on the table.
    pub cost: u64,
    /// Each step.
    pub rounds: Vec<Round>,
    /// Whether the monitor stopped it before it was done; the vocabulary is valid all the same.
    pub stopped: bool,
}

/// Chooses `budget` candidates for which greedy encoding costs few tokens.
///
/// # Errors
/// [`Error::InvalidArgument`] when there are fewer candidates than the budget, [`Error::Training`] when
/// the pins alone exceed it.
///
/// # Complexity
/// Each pass visits every occurrence of every candidate once, and walks where it changes a token.
pub fn search(
    instance: &Instance,
    options: &SearchOptions,
    monitor: &dyn Monitor,
) -> Result<Found> {
    check_budget(instance, options.budget)?;
    let mut run = Run {
        pinned: instance.pins.iter().copied().collect(),
        state: Tokenization::new(instance, &first_members(instance, options)),
        budget: options.budget,
        threads: options.threads,
        rounds: Vec::new(),
        stopped: false,
        monitor,
        began: Instant::now(),
    };
    run.shrink();
    run.grow();
    run.swaps(options.passes);
    Ok(Found {
        members: run.state.members(),
        cost: run.state.cost(),
        rounds: run.rounds,
        stopped: run.stopped,
    })
}

/// Refuses a budget that cannot be met.
pub fn check_budget(instance: &Instance, budget: usize) -> Result<()> {
    if instance.pins.len() > budget {
        return Err(Error::Training {
            message: format!(
                "{} pinned tokens do not fit into {budget} places beside the 256 bytes and the special tokens; \
                 raise vocab_size or pin fewer",
                instance.pins.len() + instance.absent_pins.len()
            ),
        });
    }
    if budget > instance.candidates() {
        return Err(Error::argument(
            "vocab_size",
            format!(
                "{budget} tokens of more than one byte are asked for, but the corpus has only {} candidates \
                 that can save anything; lower vocab_size by {} or count more text",
                instance.candidates(),
                budget - instance.candidates()
            ),
        ));
    }
    Ok(())
}

/// `members` by decreasing use in the text, ties by bytes: the order of the ids.
pub fn by_use(instance: &Instance, members: &[Candidate]) -> Vec<Candidate> {
    let state = Tokenization::new(instance, members);
    let mut order: Vec<(Reverse<u64>, Candidate)> =
        members.iter().map(|&t| (Reverse(state.uses(t)), t)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, t)| t).collect()
}

/// The candidates with the largest count * (length - 1), the pins, and at most a multiple of the budget.
fn first_members(instance: &Instance, options: &SearchOptions) -> Vec<Candidate> {
    let mut members =
        options.start.clone().unwrap_or_else(|| most_promising(instance, options.budget));
    members.extend(&instance.pins);
    members.sort_unstable();
    members.dedup();
    members
}

fn most_promising(instance: &Instance, budget: usize) -> Vec<Candidate> {
    let score = |t: Candidate| instance.occurring(t) * (u64::from(instance.length[t as usize]) - 1);
    let mut scored: Vec<(Reverse<u64>, Candidate)> =
        (0..instance.candidates() as Candidate).map(|t| (Reverse(score(t)), t)).collect();
    scored.sort_unstable();
    scored.truncate(budget.saturating_mul(SHRINK_FACTOR));
    scored.into_iter().map(|(_, t)| t).collect()
}

struct Run<'a> {
    state: Tokenization<'a>,
    pinned: BTreeSet<Candidate>,
    budget: usize,
    threads: NonZeroUsize,
    rounds: Vec<Round>,
    stopped: bool,
    monitor: &'a dyn Monitor,
    began: Instant,
}

impl Run<'_> {
    fn note(&mut self, phase: &'static str, members: usize, swaps: usize) {
        self.rounds.push(Round {
            phase,
            members,
            swaps,
            cost: self.state.cost(),
            seconds: self.began.elapsed().as_secs_f64(),
        });
    }

    fn tick(&mut self, phase: &str, done: usize, total: usize) -> bool {
        self.stopped |=
            self.monitor.tick(phase, done as u64, total as u64) == ControlFlow::Break(());
        self.stopped
    }

    /// Removes the members that are missed least, a third of the surplus at a time, down to the budget.
    fn shrink(&mut self) {
        let mut members: Vec<Candidate> = self.state.members();
        while members.len() > self.budget {
            self.tick("shrink", self.budget, members.len());
            let surplus = members.len() - self.budget;
            // Stopped: finish at once, since only a vocabulary of the right size is valid.
            let batch = if self.stopped {
                surplus
            } else {
                surplus.div_ceil(3).max(surplus.min(self.budget / 200))
            };
            let losses = self.state.deltas(&members, self.threads);
            let mut order: Vec<(i64, Candidate)> = losses
                .into_iter()
                .zip(members.iter().copied())
                .filter(|(_, t)| !self.pinned.contains(t))
                .collect();
            order.sort_unstable();
            for &(_, t) in &order[..batch.min(order.len())] {
                self.state.flip(t);
            }
            members = self.state.members();
            self.note("shrink", members.len(), 0);
        }
    }

    /// Adds the candidates that save most, until the budget is used.
    fn grow(&mut self) {
        loop {
            let members = self.state.members().len();
            if members >= self.budget {
                return;
            }
            self.tick("grow", members, self.budget);
            let missing = self.budget - members;
            let batch = if self.stopped { missing } else { missing.div_ceil(3) };
            for (_, t) in self.gains().into_iter().take(batch) {
                self.state.flip(t);
            }
            self.note("grow", members + batch, 0);
        }
    }

    /// All candidates outside the vocabulary by increasing change of the cost: the best first.
    fn gains(&self) -> Vec<(i64, Candidate)> {
        let outside: Vec<Candidate> = (0..self.state.instance.candidates() as Candidate)
            .filter(|&t| !self.state.contains(t))
            .collect();
        let deltas = self.state.deltas(&outside, self.threads);
        let mut order: Vec<(i64, Candidate)> = deltas.into_iter().zip(outside).collect();
        order.sort_unstable();
        order
    }

    fn swaps(&mut self, passes: usize) {
        for pass in 0..passes {
            if self.stopped || self.tick("swap", pass, 0) {
                return;
            }
            let swaps = self.swap_pass();
            self.note("swap", self.budget, swaps);
            if swaps == 0 {
                return;
            }
        }
    }

    /// One walk over all candidates by decreasing gain; returns the number of swaps.
    ///
    /// A candidate is tried when it gains more than the member that is missed least. In small instances all
    /// are: a newcomer may take over the work of a member that is missed more.
    fn swap_pass(&mut self) -> usize {
        let tries_all = self.budget * self.state.instance.candidates() < ALL_TRIED;
        let inside: Vec<Candidate> =
            self.state.members().into_iter().filter(|t| !self.pinned.contains(t)).collect();
        let losses = self.state.deltas(&inside, self.threads);
        let mut queue = Queue::new(losses.into_iter().zip(inside));
        let mut swaps = 0;
        let gains = self.gains();
        for (at, &(stale, t)) in gains.iter().enumerate() {
            let Some(cheapest) = queue.cheapest() else { break };
            if (-stale <= cheapest && !tries_all)
                || (at % 256 == 0 && self.tick("swap", at, gains.len()))
            {
                break;
            }
            let is_worth_it = tries_all || -self.state.delta(t) > cheapest;
            if is_worth_it && self.try_swap(t, &mut queue, tries_all) {
                swaps += 1;
            }
        }
        swaps
    }

    /// Puts `t` in and takes out the member that is then missed least, if that lowers the cost.
    fn try_swap(&mut self, t: Candidate, queue: &mut Queue, with_all: bool) -> bool {
        let mut displaced: HashMap<Candidate, u64> = HashMap::new();
        let mut old = Vec::new();
        let gain = -self.state.flip_and_see(t, |position, length, weight| {
            if length > 1 {
                old.push((position, length, weight));
            }
        });
        for (position, length, weight) in old {
            if let Some(member) = self.state.candidate_at(position, length) {
                *displaced.entry(member).or_default() += weight;
            }
        }
        let mut tried: Vec<(Reverse<u64>, Candidate)> = displaced
            .into_iter()
            .filter(|(member, weight)| {
                queue.loss(*member).is_some_and(|loss| loss < gain + 2 * *weight as i64)
            })
            .map(|(member, weight)| (Reverse(weight), member))
            .collect();
        tried.sort_unstable();
        tried.truncate(TRIED_DISPLACED);
        let mut best: Option<(i64, Candidate)> = None;
        let others = queue.first(if with_all { usize::MAX } else { TRIED });
        for member in tried.into_iter().map(|(_, member)| member).chain(others) {
            let loss = self.state.delta(member);
            queue.update(member, loss);
            best = best.into_iter().chain([(loss, member)]).min();
        }
        match best {
            Some((loss, member)) if loss < gain => {
                self.state.flip(member);
                // The newcomer is not queued: it is not taken out again in this pass.
                queue.remove(member);
                true
            }
            _ => {
                self.state.flip(t);
                false
            }
        }
    }
}

/// Members by increasing loss, as last evaluated.
struct Queue {
    order: BTreeSet<(i64, Candidate)>,
    loss: HashMap<Candidate, i64>,
}

impl Queue {
    fn new(losses: impl Iterator<Item = (i64, Candidate)>) -> Self {
        let order: BTreeSet<_> = losses.collect();
        let loss = order.iter().map(|&(loss, t)| (t, loss)).collect();
        Self { order, loss }
    }

    fn cheapest(&self) -> Option<i64> {
        self.order.first().map(|&(loss, _)| loss)
    }

    fn loss(&self, member: Candidate) -> Option<i64> {
        self.loss.get(&member).copied()
    }

    fn first(&self, count: usize) -> Vec<Candidate> {
        self.order.iter().take(count).map(|&(_, t)| t).collect()
    }

    fn update(&mut self, member: Candidate, loss: i64) {
        if let Some(old) = self.loss.insert(member, loss) {
            self.order.remove(&(old, member));
            self.order.insert((loss, member));
        }
    }

    fn remove(&mut self, member: Candidate) {
        if let Some(loss) = self.loss.remove(&member) {
            self.order.remove(&(loss, member));
        }
    }
}
