//! A proven lower bound on the cost of every vocabulary of a size, and a good place to start search from.
//!
//! The bound is the value of the Lagrangian relaxation at some multipliers: it holds for all of them, so
//! nothing here needs to converge or to be trusted. `check` recomputes it in integers.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use super::instance::{Candidate, Instance};
use super::relaxation::{Point, Relaxation, UNITS, next};
use super::search::check_budget;
use super::tokenization::Tokenization;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Steps without progress after which the ascent returns to its best point with smaller steps: a share of
/// all steps, so that a short ascent has time for small ones too.
const PATIENCE_SHARE: usize = 20;
const PATIENCE: std::ops::RangeInclusive<usize> = 6..=100;
/// Share of the gap that counts as progress.
const PROGRESS: f64 = 0.04;
/// Size of the first steps, relative to those that would close the gap.
const FIRST_STEP: f64 = 0.35;
/// What becomes of it then.
const DECAY: f64 = 0.75;
/// Where it ends.
const LAST_STEP: f64 = 1e-4;
/// Prices start from the loss that one in this many members stays below.
const LEAST_MISSED: usize = 50;
/// Multiples of it that are tried.
const MULTIPLES: [f32; 5] = [0.35, 0.5, 0.7, 1.0, 1.4];
/// Share of the old average that a step keeps.
const MEMORY: f32 = 0.98;

/// Steps after which the ascent returns to its best point in any case: what is kept of it between two such
/// returns is that point alone, so that a killed run can go on there.
const LEG: usize = 200;

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
    /// Seconds it took, those before it was resumed included.
    pub seconds: f64,
}

/// Raises the bound by subgradient steps.
///
/// # Errors
/// As [`Climb::new`].
///
/// # Complexity
/// As [`Climb::leg`]; there are at most `options.steps` steps.
pub fn raise_bound(
    instance: &Instance,
    options: &BoundOptions,
    monitor: &dyn Monitor,
) -> Result<Ascent> {
    let mut climb = Climb::new(instance, options)?;
    while climb.leg(monitor) {}
    Ok(climb.finish())
}

/// An ascent of the bound in legs, each of which ends at rest at the best point so far.
pub struct Climb<'a> {
    options: &'a BoundOptions,
    relaxation: Relaxation<'a>,
    choice: Choice<'a>,
    /// Cost of the vocabulary that it started from.
    upper: f64,
    /// Steps without progress that end a leg.
    patience: usize,
    best: Point,
    best_value: f64,
    /// Value at the current multipliers.
    value: f64,
    average: Vec<f32>,
    /// Size of the steps, relative to the one that would close the gap.
    relative: f64,
    steps: usize,
    stopped: bool,
    began: Instant,
    seconds_before: f64,
}

impl<'a> Climb<'a> {
    /// Stands at the prices of `options.members`.
    ///
    /// # Errors
    /// As [`check_budget`].
    ///
    /// # Complexity
    /// A few passes over the arcs. Memory: 32 bytes an arc.
    pub fn new(instance: &'a Instance, options: &'a BoundOptions) -> Result<Self> {
        Self::above(instance, options, None)
    }

    /// As [`Climb::new`]; but where an ascent on the most frequent pretokens of the same table has been, it
    /// stands at the multipliers of that, and elsewhere at what each token costs there on average.
    ///
    /// # Errors
    /// As [`check_budget`].
    pub fn above(
        instance: &'a Instance,
        options: &'a BoundOptions,
        below: Option<(&Instance, &[i64], &[i64])>,
    ) -> Result<Self> {
        let vocabulary = Tokenization::new(instance, &options.members);
        let mut climb = Self::at_zero(instance, options, vocabulary.cost() as f64)?;
        start(&mut climb.relaxation, &mut climb.choice, &vocabulary, options);
        if let Some((lower, lambda, mu)) = below {
            climb.relaxation.lift(lower, lambda, mu);
        }
        climb.relaxation.store(&mut climb.best);
        climb.best_value = climb.look();
        for (mean, &chosen) in climb.average.iter_mut().zip(&climb.choice.chosen) {
            *mean = f32::from(u8::from(chosen));
        }
        Ok(climb)
    }

    /// Goes on where [`Climb::save`] was called, on the same instance with the same options.
    ///
    /// # Errors
    /// [`Error::Training`] when `saved` is of another instance, or damaged.
    pub fn resume(instance: &'a Instance, options: &'a BoundOptions, saved: &[u8]) -> Result<Self> {
        let vocabulary = Tokenization::new(instance, &options.members);
        let mut climb = Self::at_zero(instance, options, vocabulary.cost() as f64)?;
        climb.read(saved).ok_or_else(|| Error::Training {
            message: "the kept state of the bound is of another run, or damaged; delete it".into(),
        })?;
        Ok(climb)
    }

    fn at_zero(instance: &'a Instance, options: &'a BoundOptions, upper: f64) -> Result<Self> {
        check_budget(instance, options.budget)?;
        let relaxation = Relaxation::new(instance, options.threads);
        let best = relaxation.point();
        Ok(Self {
            options,
            relaxation,
            choice: Choice::new(instance, options.budget),
            upper,
            patience: (options.steps / PATIENCE_SHARE).clamp(*PATIENCE.start(), *PATIENCE.end()),
            best,
            best_value: f64::NEG_INFINITY,
            value: f64::NEG_INFINITY,
            average: vec![0.0; instance.candidates()],
            relative: FIRST_STEP,
            steps: 0,
            stopped: false,
            began: Instant::now(),
            seconds_before: 0.0,
        })
    }

    /// Steps until nothing is gained, then returns to the best point; says whether there is more to do.
    ///
    /// # Complexity
    /// Each step is two passes over the arcs.
    pub fn leg(&mut self, monitor: &dyn Monitor) -> bool {
        self.relaxation.restore(&self.best);
        self.value = self.look();
        let (mut mark, mut idle) = (self.best_value, 0);
        for _ in 0..LEG {
            if self.is_done(monitor) {
                return false;
            }
            let squares = self.relaxation.steps(&self.choice.chosen);
            if squares <= 0.0 {
                // No way up: the best point is the optimum.
                self.steps = self.options.steps;
                return false;
            }
            let size = self.relative * (self.upper - self.value).max(1.0) / squares;
            self.value = self.advance(size as f32);
            self.steps += 1;
            self.remember();
            if self.value > self.best_value {
                self.best_value = self.value;
                self.relaxation.store(&mut self.best);
            }
            idle += 1;
            if self.best_value - mark > PROGRESS * (self.upper - self.best_value) {
                (mark, idle) = (self.best_value, 0);
            }
            if idle >= self.patience {
                self.relative *= DECAY;
                break;
            }
        }
        true
    }

    fn is_done(&mut self, monitor: &dyn Monitor) -> bool {
        let done = (self.steps as u64, self.options.steps as u64);
        self.stopped = monitor.tick("bound", done.0, done.1) == ControlFlow::Break(());
        self.stopped
            || self.steps >= self.options.steps
            || self.upper - self.best_value < 1.0
            || self.relative < LAST_STEP
    }

    /// The value at the current multipliers, whose paths and weights are worked out anew.
    fn look(&mut self) -> f64 {
        self.advance(0.0)
    }

    fn advance(&mut self, size: f32) -> f64 {
        let paths = self.relaxation.advance(size);
        let tokens = self.choice.take(&self.relaxation.weight);
        self.relaxation.instance.table.constant as f64 + paths - tokens as f64 / UNITS
    }

    /// Takes the current vocabulary into the average.
    fn remember(&mut self) {
        for (mean, &chosen) in self.average.iter_mut().zip(&self.choice.chosen) {
            *mean = MEMORY * *mean + (1.0 - MEMORY) * f32::from(u8::from(chosen));
        }
    }

    /// Steps made, those before it was resumed included.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Everything that the steps after the last leg depend on.
    pub fn save(&self) -> Vec<u8> {
        let seconds = self.seconds_before + self.began.elapsed().as_secs_f64();
        let mut bytes = Vec::with_capacity(4 * (self.average.len() + 2 * self.best.len()) + 32);
        bytes.extend((self.steps as u64).to_le_bytes());
        for number in [self.relative, self.best_value, seconds] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.average.iter().flat_map(|value| value.to_le_bytes()));
        self.best.write(&mut bytes);
        bytes
    }

    fn read(&mut self, saved: &[u8]) -> Option<()> {
        let mut rest = saved;
        self.steps = u64::from_le_bytes(next(&mut rest)?) as usize;
        self.relative = f64::from_le_bytes(next(&mut rest)?);
        self.best_value = f64::from_le_bytes(next(&mut rest)?);
        self.seconds_before = f64::from_le_bytes(next(&mut rest)?);
        for value in &mut self.average {
            *value = f32::from_le_bytes(next(&mut rest)?);
        }
        self.best.read(&mut rest)?;
        rest.is_empty().then_some(())
    }

    /// What it found.
    pub fn finish(self) -> Ascent {
        let (lambda, mu) = self.relaxation.integers(&self.best);
        Ascent {
            value: self.best_value,
            lambda,
            mu,
            average: self.average,
            steps: self.steps,
            stopped: self.stopped,
            seconds: self.seconds_before + self.began.elapsed().as_secs_f64(),
        }
    }
}

/// Starts from one price for all uses of a token: what a place in the vocabulary is worth, shared among its
/// occurrences. The worth is about what the members that are missed least save; the best multiple is taken.
fn start(
    relaxation: &mut Relaxation,
    choice: &mut Choice,
    vocabulary: &Tokenization,
    options: &BoundOptions,
) {
    let instance = relaxation.instance;
    let mut losses = vocabulary.deltas(&options.members, options.threads);
    losses.sort_unstable();
    let place = losses.get(losses.len() / LEAST_MISSED).copied().unwrap_or(0).max(1) as f32;
    let set = |relaxation: &mut Relaxation, multiple: f32| {
        let price = |t: usize| {
            let most = f32::from(instance.length[t]) - 1.0;
            (multiple * place / instance.occurring(t as Candidate) as f32).min(most)
        };
        let prices: Vec<f32> = (0..instance.candidates()).map(price).collect();
        relaxation.set_prices(&prices);
    };
    let mut best = (f64::NEG_INFINITY, 0.0);
    for multiple in MULTIPLES {
        set(relaxation, multiple);
        let paths = relaxation.advance(0.0);
        let value = paths - choice.take(&relaxation.weight) as f64 / UNITS;
        if value > best.0 {
            best = (value, multiple);
        }
    }
    set(relaxation, best.1);
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
