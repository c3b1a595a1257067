//! A proven lower bound on the cost of every vocabulary of a size, and a good place to start search from.
//!
//! The bound is the value of the Lagrangian relaxation at some multipliers: it holds for all of them, so
//! nothing here needs to converge or to be trusted. `check` recomputes it in integers.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use super::instance::{Candidate, Instance};
use super::relaxation::{Point, Relaxation, next};
use super::search::check_budget;
use super::tokenization::Tokenization;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Size of the steps, relative to those that would close the gap: first, and at the end.
const FIRST_STEP: f64 = 0.8;
const LAST_STEP: f64 = 6e-3;
/// Share of the steps that are of the first size; then they shrink.
const LARGE_STEPS: f64 = 0.3;
/// Prices start from the loss that one in this many members stays below.
const LEAST_MISSED: usize = 50;
/// Multiples of it that are tried.
const MULTIPLES: [f32; 5] = [0.35, 0.5, 0.7, 1.0, 1.4];
/// Share of the old average that a step keeps.
const MEMORY: f32 = 0.99;

/// Steps of a leg: between two of them an ascent can be kept, so that a killed run goes on there.
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
    /// Steps; they shrink towards the last.
    pub steps: usize,
    /// Seconds in which it is to be done; its steps shrink sooner when they take longer. Then time decides
    /// what is found; without it the result is always the same.
    pub seconds: Option<f64>,
}

/// What an ascent found.
#[derive(Debug, Clone)]
pub struct Ascent {
    /// Value of the relaxation at the best point, in floating point: an estimate of what the check gives.
    pub value: f64,
    /// Multipliers at the best point, in 1/1024 of a token: for each start those of its candidates by
    /// decreasing length, then that of the single byte.
    pub multipliers: Vec<i64>,
    /// Price of a place in the vocabulary, in the same unit.
    pub price: u64,
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

/// An ascent of the bound in legs.
pub struct Climb<'a> {
    options: &'a BoundOptions,
    relaxation: Relaxation<'a>,
    /// Cost of the vocabulary that it started from.
    upper: f64,
    best: Point,
    best_value: f64,
    /// Value at the current multipliers.
    value: f64,
    average: Vec<f32>,
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
        below: Option<(&Instance, &[i64], u64)>,
    ) -> Result<Self> {
        let vocabulary = Tokenization::new(instance, &options.members);
        let mut climb = Self::at_zero(instance, options, vocabulary.cost() as f64)?;
        start(&mut climb.relaxation, &vocabulary, options);
        climb.note();
        if let Some((lower, multipliers, price)) = below {
            // It stands lower there at first: what is rare has prices of another place in the vocabulary.
            climb.relaxation.lift(lower, multipliers, price);
            climb.note();
        }
        for (mean, &chosen) in climb.average.iter_mut().zip(&climb.relaxation.choice.chosen) {
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
        let relaxation = Relaxation::new(instance, options.budget, options.threads);
        let best = relaxation.point();
        Ok(Self {
            options,
            relaxation,
            upper,
            best,
            best_value: f64::NEG_INFINITY,
            value: f64::NEG_INFINITY,
            average: vec![0.0; instance.candidates()],
            steps: 0,
            stopped: false,
            began: Instant::now(),
            seconds_before: 0.0,
        })
    }

    /// Some more steps; says whether there is more to do. Points of earlier legs are forgotten, so that none
    /// has to be kept; those before the first are not.
    ///
    /// # Complexity
    /// Each step is three passes over the arcs.
    pub fn leg(&mut self, monitor: &dyn Monitor) -> bool {
        if self.steps > 0 {
            self.best_value = f64::NEG_INFINITY;
        }
        self.note();
        for _ in 0..LEG {
            if self.is_done(monitor) {
                return false;
            }
            let squares = self.relaxation.steps();
            if squares <= 0.0 && self.relaxation.choice.count == self.options.budget {
                // No way up: this point is the optimum.
                self.steps = self.options.steps;
                break;
            }
            let relative = self.relative();
            let size = relative * (self.upper - self.value).max(1.0) / squares.max(1.0);
            self.value = self.relaxation.advance(size as f32, relative);
            self.steps += 1;
            self.remember();
            self.keep_best();
        }
        self.steps < self.options.steps
    }

    /// Size of the next step, relative to the one that would close the gap.
    ///
    /// Large steps go around the top, small ones reach it: the value rises only once they shrink.
    fn relative(&self) -> f64 {
        let passed = |all: f64| self.began.elapsed().as_secs_f64() / all.max(1e-9);
        let share = (self.steps as f64 / self.options.steps as f64)
            .max(self.options.seconds.map_or(0.0, passed).min(1.0));
        let late = ((share - LARGE_STEPS) / (1.0 - LARGE_STEPS)).max(0.0);
        FIRST_STEP * (LAST_STEP / FIRST_STEP).powf(late)
    }

    fn is_done(&mut self, monitor: &dyn Monitor) -> bool {
        let done = (self.steps as u64, self.options.steps as u64);
        self.stopped = monitor.tick("bound", done.0, done.1) == ControlFlow::Break(());
        let late = |seconds| self.began.elapsed().as_secs_f64() >= seconds;
        self.stopped |= self.options.seconds.is_some_and(late);
        self.stopped || self.steps >= self.options.steps || self.upper - self.best_value < 1.0
    }

    /// Looks at the current point, and keeps it if it is the best of this leg.
    fn note(&mut self) {
        self.value = self.look();
        self.keep_best();
    }

    fn keep_best(&mut self) {
        if self.value > self.best_value {
            self.best_value = self.value;
            self.relaxation.store(&mut self.best);
        }
    }

    /// The value at the current multipliers, whose paths and weights are worked out anew.
    fn look(&mut self) -> f64 {
        self.relaxation.advance(0.0, 0.0)
    }

    /// Takes the current vocabulary into the average.
    fn remember(&mut self) {
        for (mean, &chosen) in self.average.iter_mut().zip(&self.relaxation.choice.chosen) {
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
        let mut bytes = Vec::new();
        bytes.extend((self.steps as u64).to_le_bytes());
        bytes.extend(seconds.to_le_bytes());
        bytes.extend(self.average.iter().flat_map(|value| value.to_le_bytes()));
        self.relaxation.write(&mut bytes);
        bytes
    }

    fn read(&mut self, saved: &[u8]) -> Option<()> {
        let mut rest = saved;
        self.steps = u64::from_le_bytes(next(&mut rest)?) as usize;
        self.seconds_before = f64::from_le_bytes(next(&mut rest)?);
        for value in &mut self.average {
            *value = f32::from_le_bytes(next(&mut rest)?);
        }
        self.relaxation.read(&mut rest)?;
        rest.is_empty().then_some(())
    }

    /// What it found.
    pub fn finish(self) -> Ascent {
        let (multipliers, price) = self.relaxation.integers(&self.best);
        Ascent {
            value: self.best_value,
            multipliers,
            price,
            average: self.average,
            steps: self.steps,
            stopped: self.stopped,
            seconds: self.seconds_before + self.began.elapsed().as_secs_f64(),
        }
    }
}

/// Starts from one price for all uses of a token: what a place in the vocabulary is worth, shared among its
/// occurrences. The worth is about what the members that are missed least save; the best multiple is taken.
fn start(relaxation: &mut Relaxation, vocabulary: &Tokenization, options: &BoundOptions) {
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
        relaxation.price = f64::from(multiple * place);
    };
    let mut best = (f64::NEG_INFINITY, 0.0);
    for multiple in MULTIPLES {
        set(relaxation, multiple);
        let value = relaxation.advance(0.0, 0.0);
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

/// The candidates that the average holds more than `share` of, increasing.
pub fn often_held(average: &[f32], share: f32) -> Vec<Candidate> {
    (0..average.len() as Candidate).filter(|&t| average[t as usize] > share).collect()
}
