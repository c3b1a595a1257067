//! A proven lower bound on the cost of every vocabulary of a size, and a good place to start search from.
//!
//! The bound is the value of the Lagrangian relaxation at some multipliers: it holds for all of them, so
//! nothing here needs to converge or to be trusted. `check` recomputes it in integers.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use super::instance::{Candidate, Instance};
use super::relaxation::{Relaxation, UNITS};
use super::search::check_budget;
use super::tokenization::Tokenization;
use crate::error::Result;
use crate::monitor::Monitor;

/// Steps without progress after which the ascent returns to its best point with smaller steps: a share of
/// all steps, so that a short ascent has time for small ones too.
const PATIENCE_SHARE: usize = 25;
const PATIENCE: std::ops::RangeInclusive<usize> = 6..=100;
/// Share of the gap that counts as progress.
const PROGRESS: f64 = 0.04;
/// What becomes of the size of the steps then.
const DECAY: f64 = 0.75;
/// Prices start from the loss that one in this many members stays below.
const LEAST_MISSED: usize = 50;
/// Multiples of it that are tried.
const MULTIPLES: [f32; 5] = [0.35, 0.5, 0.7, 1.0, 1.4];
/// Share of the old average that a step keeps.
const MEMORY: f32 = 0.98;

/// What an ascent may do.
#[derive(Debug, Clone)]
pub struct BoundOptions {
    /// Tokens of more than one byte in the vocabulary, pins included.
    pub budget: usize,
    /// A good vocabulary of this size: the ascent starts from its prices, and its cost sets the steps.
    pub members: Vec<Candidate>,
    /// Threads; they change the time, never the result.
    pub threads: NonZeroUsize,
    /// Most steps.
    pub steps: usize,
    /// Size of the first step, relative to the one that would close the gap.
    pub first_step: f64,
}

/// What an ascent found.
#[derive(Debug, Clone)]
pub struct Ascent {
    /// Value of the relaxation at the best point, in floating point: an estimate of what the check gives.
    pub value: f64,
    /// Multipliers of the links at the best point, arc by arc, in 1/1024 of a token.
    pub lambda: Vec<i64>,
    /// Multipliers of the greedy rows.
    pub mu: Vec<i64>,
    /// How much of the last steps' vocabularies held each candidate.
    pub average: Vec<f32>,
    /// Steps made.
    pub steps: usize,
    /// Whether the monitor stopped it.
    pub stopped: bool,
    /// Seconds it took.
    pub seconds: f64,
}

/// Raises the bound by subgradient steps.
///
/// # Errors
/// As [`check_budget`].
///
/// # Complexity
/// Each step is two passes over the arcs. Memory: 24 bytes an arc.
pub fn raise_bound(
    instance: &Instance,
    options: &BoundOptions,
    monitor: &dyn Monitor,
) -> Result<Ascent> {
    check_budget(instance, options.budget)?;
    let began = Instant::now();
    let mut relaxation = Relaxation::new(instance, options.threads);
    let mut choice = Choice::new(instance, options.budget);
    let vocabulary = Tokenization::new(instance, &options.members);
    let upper = vocabulary.cost() as f64;
    let mut paths = start(&mut relaxation, &mut choice, &vocabulary, options);
    let mut best = relaxation.point();
    let mut best_value = f64::NEG_INFINITY;
    let mut average = vec![0.0f32; instance.candidates()];
    let patience = (options.steps / PATIENCE_SHARE).clamp(*PATIENCE.start(), *PATIENCE.end());
    let (mut relative, mut idle) = (options.first_step, 0);
    let mut mark = f64::NEG_INFINITY;
    let (mut steps, mut stopped) = (0, false);
    while steps < options.steps {
        let tokens = choice.take(&relaxation.weight);
        let value = instance.table.constant as f64 + paths - tokens as f64 / UNITS;
        if value > best_value {
            best_value = value;
            relaxation.store(&mut best);
        }
        idle += 1;
        if best_value - mark > PROGRESS * (upper - best_value) {
            mark = best_value;
            idle = 0;
        }
        let share = if steps == 0 { 0.0 } else { MEMORY };
        for (mean, &chosen) in average.iter_mut().zip(&choice.chosen) {
            *mean = share * *mean + (1.0 - share) * f32::from(u8::from(chosen));
        }
        steps += 1;
        let done = (steps as u64, options.steps as u64);
        if monitor.tick("bound", done.0, done.1) == ControlFlow::Break(()) {
            stopped = true;
            break;
        }
        if upper - best_value < 1.0 || relative < 1e-4 {
            break;
        }
        if idle >= patience {
            relaxation.restore(&best);
            relative *= DECAY;
            idle = 0;
            mark = best_value;
            // The steps from here on start at rest, from the vocabulary of the best point.
            relaxation.advance(0.0);
            choice.take(&relaxation.weight);
        }
        let squares = relaxation.steps(&choice.chosen);
        if squares <= 0.0 {
            break;
        }
        paths = relaxation.advance((relative * (upper - value).max(1.0) / squares) as f32);
    }
    let (lambda, mu) = relaxation.integers(&best);
    let seconds = began.elapsed().as_secs_f64();
    Ok(Ascent { value: best_value, lambda, mu, average, steps, stopped, seconds })
}

/// Starts from one price for all uses of a token: what a place in the vocabulary is worth, shared among its
/// occurrences. The worth is about what the members that are missed least save; the best multiple is taken.
fn start(
    relaxation: &mut Relaxation,
    choice: &mut Choice,
    vocabulary: &Tokenization,
    options: &BoundOptions,
) -> f64 {
    let instance = relaxation.instance;
    let mut losses = vocabulary.deltas(&options.members, options.threads);
    losses.sort_unstable();
    let place = losses.get(losses.len() / LEAST_MISSED).copied().unwrap_or(0).max(1) as f32;
    let mut set = |relaxation: &mut Relaxation, multiple: f32| {
        let price = |t: usize| {
            let most = f32::from(instance.length[t]) - 1.0;
            (multiple * place / instance.occurring(t as Candidate) as f32).min(most)
        };
        let prices: Vec<f32> = (0..instance.candidates()).map(price).collect();
        relaxation.set_prices(&prices);
        let paths = relaxation.advance(0.0);
        (paths - choice.take(&relaxation.weight) as f64 / UNITS, paths)
    };
    let mut best = (f64::NEG_INFINITY, 0.0);
    for multiple in MULTIPLES {
        let (value, _) = set(relaxation, multiple);
        if value > best.0 {
            best = (value, multiple);
        }
    }
    set(relaxation, best.1).1
}

/// The `budget` candidates that the average holds most of, pins included, increasing.
pub fn round_average(instance: &Instance, average: &[f32], budget: usize) -> Vec<Candidate> {
    let mut order: Vec<Candidate> = (0..instance.candidates() as Candidate).collect();
    let pinned = |t: &Candidate| instance.pins.binary_search(t).is_ok();
    order.sort_by(|left, right| {
        pinned(right)
            .cmp(&pinned(left))
            .then(average[*right as usize].total_cmp(&average[*left as usize]))
    });
    order.truncate(budget);
    order.sort_unstable();
    order
}

/// The vocabulary's part of the relaxation: the pins and the tokens of largest weight.
struct Choice<'a> {
    pins: &'a [Candidate],
    budget: usize,
    chosen: Vec<bool>,
    order: Vec<(i64, Candidate)>,
}

impl<'a> Choice<'a> {
    fn new(instance: &'a Instance, budget: usize) -> Self {
        let chosen = vec![false; instance.candidates()];
        Self {
            pins: &instance.pins,
            budget: budget - instance.pins.len(),
            chosen,
            order: Vec::new(),
        }
    }

    /// Chooses, and returns the sum of the chosen weights.
    fn take(&mut self, weight: &[i64]) -> i64 {
        self.chosen.fill(false);
        let mut total = 0;
        for &pin in self.pins {
            self.chosen[pin as usize] = true;
            total += weight[pin as usize];
        }
        self.order.clear();
        let free = weight.iter().enumerate().filter(|&(t, &w)| w > 0 && !self.chosen[t]);
        self.order.extend(free.map(|(t, &w)| (-w, t as Candidate)));
        if self.order.len() > self.budget && self.budget > 0 {
            self.order.select_nth_unstable(self.budget - 1);
        }
        for &(negative, t) in self.order.iter().take(self.budget) {
            self.chosen[t as usize] = true;
            total -= negative;
        }
        total
    }
}
