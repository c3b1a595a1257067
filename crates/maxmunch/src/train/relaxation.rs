//! The Lagrangian relaxation of training: a multiplier for each token at each place it could be used.
//!
//! A vocabulary decides on which token a start lands, wherever it is; a pretoken decides from which starts to
//! which it goes. The relaxation lets both decide alone: a pretoken takes its cheapest path when the use of a
//! token costs its multiplier, and the vocabulary collects the multipliers of the tokens that starts land on.
//! Multipliers of a pretoken are kept in units of its count, so that one step size suits all. Sums run over
//! fixed blocks of pretokens in their order, so that the result does not depend on threads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;

use super::choice::Choice;
use super::instance::Instance;
use super::threads::{on_threads, take};

/// Parts of a token in which multipliers are counted.
pub(super) const UNITS: f64 = 1024.0;

/// Pretokens are worked on in about this many blocks.
const BLOCKS: usize = 128;

/// Numbers that are added side by side.
const LANES: usize = 8;

/// Momentum of the subgradient.
const MOMENTUM: f32 = 0.9;

/// Share of the old mean square of a subgradient that a step keeps.
const SQUARES_KEPT: f32 = 0.95;
/// What the mean squares are taken for before the first step.
const SQUARE_AT_REST: f32 = 0.1;
/// Added to their roots, so that multipliers that hardly move do not leap.
const LEAST_ROOT: f32 = 0.02;
/// How fast the price follows the number of tokens that are held, for steps that would close the gap.
const GAIN: f64 = 0.07;

/// The state of the ascent.
pub(super) struct Relaxation<'a> {
    pub(super) instance: &'a Instance,
    threads: NonZeroUsize,
    blocks: Vec<Range<usize>>,
    /// For each position of the text a multiplier for each candidate there, longest first, and one for the
    /// single byte.
    multiplier: Vec<f32>,
    step: Vec<f32>,
    /// Mean squares of the last subgradients.
    square: Vec<f32>,
    /// Bytes of the arc that the cheapest path takes from each position; 0 where it does not pass.
    taken: Vec<u8>,
    pub(super) choice: Choice,
    /// Candidates to hold, pins included.
    budget: usize,
    /// Price of a place in the vocabulary.
    pub(super) price: f64,
}

/// The multipliers at one point.
pub(super) struct Point {
    multiplier: Vec<f32>,
    price: f64,
}

/// Takes `N` bytes off the front of `rest`.
pub(super) fn next<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

impl<'a> Relaxation<'a> {
    pub(super) fn new(instance: &'a Instance, budget: usize, threads: NonZeroUsize) -> Self {
        let slots = instance.arcs() + instance.table.text.len();
        let mut relaxation = Self {
            instance,
            threads,
            blocks: Vec::new(),
            multiplier: vec![0.0; slots],
            step: vec![0.0; slots],
            square: vec![SQUARE_AT_REST; slots],
            taken: vec![0; instance.table.text.len()],
            choice: Choice::new(instance, threads),
            budget,
            price: 0.0,
        };
        let goal = slots.div_ceil(BLOCKS).max(1);
        let mut start = 0;
        while start < instance.table.len() {
            let mut end = start + 1;
            while end < instance.table.len() && slots_of(instance, start..end).len() < goal {
                end += 1;
            }
            relaxation.blocks.push(start..end);
            start = end;
        }
        relaxation
    }

    /// Adds the subgradient at the current paths and vocabulary to the steps; returns the sum of their
    /// squares, paced and weighted by the pretokens' counts.
    pub(super) fn steps(&mut self) -> f64 {
        let threads = self.threads;
        let (parts, instance, choice) = self.parts();
        let parts = each(threads, parts, |part| part.steps(instance, choice));
        parts.into_iter().sum()
    }

    /// Moves the multipliers by `size` steps, onto their domain, and the price towards the number of places;
    /// returns the value there.
    pub(super) fn advance(&mut self, size: f32, relative: f64) -> f64 {
        if size > 0.0 && self.budget > 0 {
            let excess = self.choice.count as f64 / self.budget as f64 - 1.0;
            self.price *= (GAIN * relative * excess.clamp(-0.5, 0.5)).exp();
        }
        let threads = self.threads;
        let (parts, instance, _) = self.parts();
        let paths: f64 =
            each(threads, parts, |part| part.advance(instance, size)).into_iter().sum();
        let places = (self.budget - self.instance.pins.len()) as f64;
        let tokens = self.choice.take(&self.multiplier, self.price);
        self.instance.table.constant as f64 + paths + tokens - self.price * places
    }

    /// Gives all occurrences of a candidate the same multiplier: what each use of it is to cost.
    pub(super) fn set_prices(&mut self, price: &[f32]) {
        let instance = self.instance;
        self.multiplier.fill(0.0);
        for position in 0..instance.table.text.len() {
            for arc in instance.arc_range(position) {
                self.multiplier[arc + position] = price[instance.arc_candidate[arc] as usize];
            }
        }
    }

    /// Takes over the multipliers of an instance of the table's first pretokens; further occurrences of its
    /// candidates get what each costs there on average.
    pub(super) fn lift(&mut self, lower: &Instance, multipliers: &[i64], price: u64) {
        let instance = self.instance;
        self.price = price as f64 / UNITS;
        let same = |p: usize| {
            p < lower.table.len() && lower.table.pretoken(p) == instance.table.pretoken(p)
        };
        let mut paid = vec![(0i64, 0u64); instance.candidates()];
        for p in (0..instance.table.len()).filter(|&p| same(p)) {
            let count = instance.table.weight[p];
            let units = count as f64 * UNITS;
            let other = lower.table.range(p).start;
            for (position, below) in instance.table.range(p).zip(other..) {
                let arcs = instance.arc_range(position);
                let old = lower.arc_range(below);
                self.multiplier[arcs.end + position] =
                    (multipliers[old.end + below] as f64 / units) as f32;
                for arc in arcs {
                    let found =
                        old.clone().find(|&old| lower.arc_length[old] == instance.arc_length[arc]);
                    let Some(old) = found else { continue };
                    let value = multipliers[old + below];
                    self.multiplier[arc + position] = (value as f64 / units) as f32;
                    let paid = &mut paid[instance.arc_candidate[arc] as usize];
                    *paid = (paid.0 + value, paid.1 + count);
                }
            }
        }
        for p in (0..instance.table.len()).filter(|&p| !same(p)) {
            for position in instance.table.range(p) {
                for arc in instance.arc_range(position) {
                    let (sum, count) = paid[instance.arc_candidate[arc] as usize];
                    if count > 0 {
                        let most = f64::from(instance.arc_length[arc]) - 1.0;
                        let price = (sum as f64 / (count as f64 * UNITS)).clamp(0.0, most);
                        self.multiplier[arc + position] = price as f32;
                    }
                }
            }
        }
    }

    /// The blocks with what is theirs, the instance, and the vocabulary that was chosen last.
    fn parts(&mut self) -> (Vec<Part<'_>>, &'a Instance, &Choice) {
        let instance = self.instance;
        let (mut multiplier, mut step) = (Rest(&mut self.multiplier), Rest(&mut self.step));
        let (mut square, mut taken) = (Rest(&mut self.square), Rest(&mut self.taken));
        let mut parts = Vec::with_capacity(self.blocks.len());
        for pretokens in &self.blocks {
            let slots = slots_of(instance, pretokens.clone());
            let origin = instance.table.start[pretokens.start] as usize;
            let positions = instance.table.start[pretokens.end] as usize - origin;
            parts.push(Part {
                pretokens: pretokens.clone(),
                first: slots.start,
                origin,
                multiplier: multiplier.cut(slots.len()),
                step: step.cut(slots.len()),
                square: square.cut(slots.len()),
                taken: taken.cut(positions),
            });
        }
        (parts, instance, &self.choice)
    }

    /// The current multipliers.
    pub(super) fn point(&self) -> Point {
        Point { multiplier: self.multiplier.clone(), price: self.price }
    }

    /// Keeps the current multipliers in `point`.
    pub(super) fn store(&self, point: &mut Point) {
        point.multiplier.copy_from_slice(&self.multiplier);
        point.price = self.price;
    }

    /// Appends all that later steps depend on, bit by bit.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.reserve(8 + 12 * self.multiplier.len());
        bytes.extend(self.price.to_le_bytes());
        for values in [&self.multiplier, &self.step, &self.square] {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
    }

    /// Takes what [`Self::write`] wrote off the front of `rest`, and goes there.
    pub(super) fn read(&mut self, rest: &mut &[u8]) -> Option<()> {
        self.price = f64::from_le_bytes(next(rest)?);
        for values in [&mut self.multiplier, &mut self.step, &mut self.square] {
            for value in values {
                *value = f32::from_le_bytes(next(rest)?);
            }
        }
        Some(())
    }

    /// The multipliers of `point` in [`UNITS`], in the instance's order, and the price.
    pub(super) fn integers(&self, point: &Point) -> (Vec<i64>, u64) {
        let mut multipliers = Vec::with_capacity(point.multiplier.len());
        for p in 0..self.instance.table.len() {
            let count = self.instance.table.weight[p] as f64;
            let slots = slots_of(self.instance, p..p + 1);
            multipliers.extend(point.multiplier[slots].iter().map(|&value| units(count, value)));
        }
        (multipliers, (point.price * UNITS).round() as u64)
    }
}

/// Where the multipliers of some pretokens are: one for each arc and one for each byte.
fn slots_of(instance: &Instance, pretokens: Range<usize>) -> Range<usize> {
    let at = |p: usize| {
        let position = instance.table.start[p] as usize;
        instance.arc_start[position] as usize + position
    };
    at(pretokens.start)..at(pretokens.end)
}

/// What is left of a slice that is given out piece by piece.
struct Rest<'b, T>(&'b mut [T]);

impl<'b, T> Rest<'b, T> {
    fn cut(&mut self, size: usize) -> &'b mut [T] {
        let (first, after) = std::mem::take(&mut self.0).split_at_mut(size);
        self.0 = after;
        first
    }
}

fn each<T: Send>(
    threads: NonZeroUsize,
    parts: Vec<Part<'_>>,
    work: impl Fn(&mut Part<'_>) -> T + Sync,
) -> Vec<T> {
    let queue = Mutex::new(parts.into_iter().enumerate());
    let run = || {
        let mut done = Vec::new();
        while let Some((at, mut part)) = take(&queue) {
            done.push((at, work(&mut part)));
        }
        done
    };
    let mut values: Vec<(usize, T)> = on_threads(threads, run).into_iter().flatten().collect();
    // Floating-point sums depend on their order: take that of the blocks.
    values.sort_unstable_by_key(|value| value.0);
    values.into_iter().map(|value| value.1).collect()
}

/// Some neighbouring pretokens, and what is theirs.
struct Part<'b> {
    pretokens: Range<usize>,
    /// Where their multipliers begin among all.
    first: usize,
    /// Where their text begins.
    origin: usize,
    multiplier: &'b mut [f32],
    step: &'b mut [f32],
    square: &'b mut [f32],
    taken: &'b mut [u8],
}

impl Part<'_> {
    /// The multipliers of a position: those of its arcs, then that of the byte.
    fn slots(&self, instance: &Instance, position: usize) -> Range<usize> {
        let arcs = instance.arc_range(position);
        arcs.start + position - self.first..arcs.end + position + 1 - self.first
    }

    fn advance(&mut self, instance: &Instance, size: f32) -> f64 {
        let mut total = 0.0;
        let mut best: Vec<f32> = Vec::new();
        if size > 0.0 {
            self.shift(size);
        }
        for p in self.pretokens.clone() {
            if size > 0.0 {
                self.project(instance, p);
            }
            total += self.shortest_path(instance, p, &mut best);
        }
        total
    }

    /// Moves all multipliers, whatever their sign may be.
    fn shift(&mut self, size: f32) {
        let steps = self.step.iter().zip(self.square.iter());
        for (multiplier, (&step, &square)) in self.multiplier.iter_mut().zip(steps) {
            *multiplier += size * pace(square) * step;
        }
    }

    /// Brings those of a pretoken back that must not be negative.
    fn project(&mut self, instance: &Instance, p: usize) {
        let all = slots_of(instance, p..p + 1);
        let opening = self.slots(instance, instance.table.start[p] as usize);
        for multiplier in &mut self.multiplier[opening.end..all.end - self.first] {
            *multiplier = multiplier.max(0.0);
        }
    }

    fn shortest_path(&mut self, instance: &Instance, p: usize, best: &mut Vec<f32>) -> f64 {
        let range = instance.table.range(p);
        best.clear();
        best.resize(range.len() + 1, 0.0);
        for at in (0..range.len()).rev() {
            let position = range.start + at;
            let slots = self.slots(instance, position);
            let lengths = &instance.arc_length[instance.arc_range(position)];
            let multipliers = &self.multiplier[slots];
            let (mut lowest, mut taken) = (f32::INFINITY, 1u8);
            for (&length, &multiplier) in lengths.iter().zip(multipliers) {
                let cost = multiplier + best[at + usize::from(length)];
                if cost < lowest {
                    (lowest, taken) = (cost, length);
                }
            }
            let byte = multipliers[lengths.len()] + best[at + 1];
            if byte < lowest {
                (lowest, taken) = (byte, 1);
            }
            best[at] = 1.0 + lowest;
            self.taken[position - self.origin] = taken;
        }
        self.keep_path(range.start - self.origin..range.end - self.origin);
        instance.table.weight[p] as f64 * f64::from(best[0])
    }

    /// Clears what was noted at positions that the path does not pass.
    fn keep_path(&mut self, range: Range<usize>) {
        let mut next = range.start;
        for at in range {
            if at == next {
                next += usize::from(self.taken[at]);
            } else {
                self.taken[at] = 0;
            }
        }
    }

    fn steps(&mut self, instance: &Instance, choice: &Choice) -> f64 {
        let mut total = 0.0;
        for (step, square) in self.step.iter_mut().zip(&mut *self.square) {
            *step *= MOMENTUM;
            *square *= SQUARES_KEPT;
        }
        for p in self.pretokens.clone() {
            let all = slots_of(instance, p..p + 1);
            let all = all.start - self.first..all.end - self.first;
            let range = instance.table.range(p);
            for position in range.clone() {
                self.pull(instance, choice, position, position == range.start);
            }
            let opening = self.slots(instance, range.start);
            let later = opening.end..all.end;
            for (step, &multiplier) in
                self.step[later.clone()].iter_mut().zip(&self.multiplier[later])
            {
                // A multiplier at zero does not go below.
                *step = if multiplier <= 0.0 { step.max(0.0) } else { *step };
            }
            let squares = squares(&self.step[all.clone()], &self.square[all]);
            total += instance.table.weight[p] as f64 * f64::from(squares);
        }
        total
    }

    /// Takes the subgradient at one position into the steps: where the path goes up, where the vocabulary
    /// lands down.
    fn pull(&mut self, instance: &Instance, choice: &Choice, position: usize, opens: bool) {
        let arcs = instance.arc_range(position);
        if arcs.is_empty() {
            return;
        }
        let slots = self.slots(instance, position);
        let byte = slots.end - 1;
        let landing = byte - choice.landing(instance.arc_candidate[arcs.start]);
        let lands = opens || self.multiplier[landing] > 0.0;
        let taken = self.taken[position - self.origin];
        let path = match taken {
            0 => None,
            1 => Some(byte),
            _ => {
                let at = instance.arc_length[arcs].iter().position(|&length| length == taken);
                at.map(|at| slots.start + at)
            }
        };
        if lands && path == Some(landing) {
            return;
        }
        if let Some(path) = path {
            self.step[path] += 1.0;
            self.square[path] += 1.0 - SQUARES_KEPT;
        }
        if lands {
            self.step[landing] -= 1.0;
            self.square[landing] += 1.0 - SQUARES_KEPT;
        }
    }
}

/// The sum of the squares of steps, each at its pace, in lanes that the processor adds side by side.
fn squares(step: &[f32], square: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (steps, squares) = (step.chunks_exact(LANES), square.chunks_exact(LANES));
    let rest = steps.remainder().iter().zip(squares.remainder());
    let last: f32 = rest.map(|(step, square)| step * step * pace(*square)).sum();
    for (step, square) in steps.zip(squares) {
        for (lane, (step, square)) in lanes.iter_mut().zip(step.iter().zip(square)) {
            *lane += step * step * pace(*square);
        }
    }
    lanes.iter().sum::<f32>() + last
}

/// How far a multiplier goes with a step: what turns back and forth goes less far.
fn pace(square: f32) -> f32 {
    1.0 / (square.sqrt() + LEAST_ROOT)
}

/// A multiplier of a pretoken that occurs `count` times, in [`UNITS`].
fn units(count: f64, multiplier: f32) -> i64 {
    (count * f64::from(multiplier) * UNITS).round() as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{pace, squares};

    proptest! {
        #[test]
        fn squares_are_summed_as_one_after_another(
            values in proptest::collection::vec((-8.0f32..8.0, 0.0f32..1.0), 0..40),
        ) {
            let (step, square): (Vec<f32>, Vec<f32>) = values.into_iter().unzip();
            let one = |(&step, &square): (&f32, &f32)| step * step * pace(square);
            let sum: f32 = step.iter().zip(&square).map(one).sum();

            prop_assert!((sum - squares(&step, &square)).abs() <= 1e-5 * sum);
        }
    }
}
