//! The Lagrangian relaxation of the arc program: multipliers on arcs, one shortest path per pretoken.
//!
//! For multipliers `lambda` (a token is used only if it is in the vocabulary) and `mu` (no shorter token
//! is used where a longer one is in the vocabulary) the program falls apart: the vocabulary takes the
//! tokens of largest weight, and each pretoken takes its cheapest path. Multipliers of a pretoken are kept
//! in units of its count, so that one step size suits all. Sums run over fixed blocks of pretokens in
//! their order, or over integers, so that the result does not depend on threads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;

use super::instance::Instance;

/// Parts of a token in which multipliers and weights are counted.
pub(super) const UNITS: f64 = 1024.0;

/// Pretokens are worked on in about this many blocks.
const BLOCKS: usize = 128;

/// Momentum of the subgradient.
const MOMENTUM: f32 = 0.9;

/// Share of the old mean square of a subgradient that a step keeps.
const SQUARES_KEPT: f32 = 0.95;
/// What the mean squares are taken for at rest.
const SQUARE_AT_REST: f32 = 0.1;
/// Added to their roots, so that multipliers that hardly move do not leap.
const LEAST_ROOT: f32 = 0.02;

/// One number per arc, cut into the blocks.
type PerArc = Vec<Vec<f32>>;

/// The state of the ascent.
pub(super) struct Relaxation<'a> {
    pub(super) instance: &'a Instance,
    threads: NonZeroUsize,
    blocks: Vec<Block>,
    /// For each candidate the sum of `lambda - mu` over its arcs, in [`UNITS`].
    pub(super) weight: Vec<i64>,
}

/// The arcs of some neighbouring pretokens, and their multipliers.
struct Block {
    pretokens: Range<usize>,
    first_arc: usize,
    lambda: Vec<f32>,
    mu: Vec<f32>,
    lambda_step: Vec<f32>,
    mu_step: Vec<f32>,
    /// Mean squares of the last subgradients.
    lambda_square: Vec<f32>,
    mu_square: Vec<f32>,
    /// Bytes of the arc that the cheapest path takes from each position; 0 where it does not pass.
    taken: Vec<u8>,
}

/// The multipliers of all arcs at one point.
pub(super) struct Point {
    lambda: PerArc,
    mu: PerArc,
}

impl Point {
    /// Numbers in each of its two parts.
    pub(super) fn len(&self) -> usize {
        self.lambda.iter().map(Vec::len).sum()
    }

    /// Appends all numbers, bit by bit.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        for value in self.lambda.iter().chain(&self.mu).flatten() {
            bytes.extend(value.to_le_bytes());
        }
    }

    /// Takes the numbers that `write` wrote off the front of `rest`.
    pub(super) fn read(&mut self, rest: &mut &[u8]) -> Option<()> {
        for value in self.lambda.iter_mut().chain(&mut self.mu).flatten() {
            *value = f32::from_le_bytes(next(rest)?);
        }
        Some(())
    }
}

/// Takes `N` bytes off the front of `rest`.
pub(super) fn next<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

impl<'a> Relaxation<'a> {
    pub(super) fn new(instance: &'a Instance, threads: NonZeroUsize) -> Self {
        let mut relaxation =
            Self { instance, threads, blocks: Vec::new(), weight: vec![0; instance.candidates()] };
        let goal = instance.arcs().div_ceil(BLOCKS).max(1);
        let mut start = 0;
        while start < instance.table.len() {
            let first_arc = relaxation.first_arc(start);
            let mut end = start + 1;
            while end < instance.table.len() && relaxation.first_arc(end) - first_arc < goal {
                end += 1;
            }
            let arcs = relaxation.first_arc(end) - first_arc;
            let positions = instance.table.range(end - 1).end - instance.table.range(start).start;
            relaxation.blocks.push(Block {
                pretokens: start..end,
                first_arc,
                lambda: vec![0.0; arcs],
                mu: vec![0.0; arcs],
                lambda_step: vec![0.0; arcs],
                mu_step: vec![0.0; arcs],
                lambda_square: vec![SQUARE_AT_REST; arcs],
                mu_square: vec![SQUARE_AT_REST; arcs],
                taken: vec![0; positions],
            });
            start = end;
        }
        relaxation
    }

    fn first_arc(&self, pretoken: usize) -> usize {
        let position = self.instance.table.start[pretoken] as usize;
        self.instance.arc_start[position] as usize
    }

    /// Adds the subgradient at the current paths and vocabulary to the steps; returns the sum of their
    /// squares, paced and weighted by the pretokens' counts.
    pub(super) fn steps(&mut self, chosen: &[bool]) -> f64 {
        let instance = self.instance;
        let parts = self.each_block(|block| block.steps(instance, chosen));
        parts.into_iter().sum()
    }

    /// Moves the multipliers by `size` steps, onto their domain; sums up their weights, and returns the sum
    /// of the costs of the cheapest paths less the constants.
    pub(super) fn advance(&mut self, size: f32) -> f64 {
        let instance = self.instance;
        let candidates = instance.candidates();
        let queue = Mutex::new(self.blocks.iter_mut().enumerate());
        let run = || {
            let mut weight = vec![0i64; candidates];
            let mut done = Vec::new();
            while let Some((at, block)) = take(&queue) {
                done.push((at, block.advance(instance, size, &mut weight)));
            }
            (done, weight)
        };
        let parts = on_threads(self.threads, run);
        self.weight.fill(0);
        let mut values = Vec::new();
        for (done, sum) in parts {
            values.extend(done);
            for (total, part) in self.weight.iter_mut().zip(sum) {
                *total += part;
            }
        }
        // Floating-point sums depend on their order: take that of the blocks.
        values.sort_unstable_by_key(|value| value.0);
        values.into_iter().map(|value| value.1).sum()
    }

    /// Gives all occurrences of a candidate the same multiplier: what each use of it is to cost.
    pub(super) fn set_prices(&mut self, price: &[f32]) {
        let instance = self.instance;
        self.each_block(|block| block.set_prices(instance, price));
    }

    /// Takes over the multipliers of an instance of the table's first pretokens; further occurrences of its
    /// candidates get what each costs there on average.
    pub(super) fn lift(&mut self, lower: &Instance, lambda: &[i64], mu: &[i64]) {
        let instance = self.instance;
        let same = |p: usize| {
            p < lower.table.len() && lower.table.pretoken(p) == instance.table.pretoken(p)
        };
        let mut paid = vec![(0i64, 0u64); instance.candidates()];
        for block in &mut self.blocks {
            for p in block.pretokens.clone().filter(|&p| same(p)) {
                let count = instance.table.weight[p];
                let units = count as f64 * UNITS;
                let other = lower.table.range(p).start;
                for (position, below) in instance.table.range(p).zip(other..) {
                    for arc in instance.arc_range(position) {
                        let found = lower
                            .arc_range(below)
                            .find(|&old| lower.arc_length[old] == instance.arc_length[arc]);
                        let Some(old) = found else { continue };
                        block.lambda[arc - block.first_arc] = (lambda[old] as f64 / units) as f32;
                        block.mu[arc - block.first_arc] = (mu[old] as f64 / units) as f32;
                        let paid = &mut paid[instance.arc_candidate[arc] as usize];
                        *paid = (paid.0 + lambda[old], paid.1 + count);
                    }
                }
            }
        }
        for block in &mut self.blocks {
            for p in block.pretokens.clone().filter(|&p| !same(p)) {
                for arc in instance.table.range(p).flat_map(|position| instance.arc_range(position))
                {
                    let (sum, count) = paid[instance.arc_candidate[arc] as usize];
                    if count > 0 {
                        let most = f64::from(instance.arc_length[arc]) - 1.0;
                        let price = (sum as f64 / (count as f64 * UNITS)).clamp(0.0, most);
                        block.lambda[arc - block.first_arc] = price as f32;
                    }
                }
            }
        }
    }

    fn each_block<T: Send>(&mut self, work: impl Fn(&mut Block) -> T + Sync) -> Vec<T> {
        let queue = Mutex::new(self.blocks.iter_mut().enumerate());
        let run = || {
            let mut done = Vec::new();
            while let Some((at, block)) = take(&queue) {
                done.push((at, work(block)));
            }
            done
        };
        let mut parts: Vec<(usize, T)> =
            on_threads(self.threads, run).into_iter().flatten().collect();
        parts.sort_unstable_by_key(|part| part.0);
        parts.into_iter().map(|part| part.1).collect()
    }

    /// The current multipliers.
    pub(super) fn point(&self) -> Point {
        Point {
            lambda: self.blocks.iter().map(|block| block.lambda.clone()).collect(),
            mu: self.blocks.iter().map(|block| block.mu.clone()).collect(),
        }
    }

    /// Keeps the current multipliers in `point`.
    pub(super) fn store(&self, point: &mut Point) {
        for (at, block) in self.blocks.iter().enumerate() {
            point.lambda[at].copy_from_slice(&block.lambda);
            point.mu[at].copy_from_slice(&block.mu);
        }
    }

    /// Returns to `point`, at rest.
    pub(super) fn restore(&mut self, point: &Point) {
        for (at, block) in self.blocks.iter_mut().enumerate() {
            block.lambda.copy_from_slice(&point.lambda[at]);
            block.mu.copy_from_slice(&point.mu[at]);
            block.lambda_step.fill(0.0);
            block.mu_step.fill(0.0);
            block.lambda_square.fill(SQUARE_AT_REST);
            block.mu_square.fill(SQUARE_AT_REST);
        }
    }

    /// The multipliers of `point` in [`UNITS`], arc by arc in the instance's order.
    pub(super) fn integers(&self, point: &Point) -> (Vec<i64>, Vec<i64>) {
        let mut lambda = Vec::with_capacity(self.instance.arcs());
        let mut mu = Vec::with_capacity(self.instance.arcs());
        for (at, block) in self.blocks.iter().enumerate() {
            for p in block.pretokens.clone() {
                let count = self.instance.table.weight[p] as f64;
                for arc in self.first_arc(p)..self.first_arc(p + 1) {
                    lambda.push(units(count, point.lambda[at][arc - block.first_arc]));
                    mu.push(units(count, point.mu[at][arc - block.first_arc]));
                }
            }
        }
        (lambda, mu)
    }
}

impl Block {
    fn advance(&mut self, instance: &Instance, size: f32, weight: &mut [i64]) -> f64 {
        let mut total = 0.0;
        let mut best: Vec<f32> = Vec::new();
        for p in self.pretokens.clone() {
            self.shift(instance, p, size);
            self.weigh(instance, p, weight);
            total += self.shortest_path(instance, p, &mut best);
        }
        total
    }

    /// The arcs of pretoken `p`, counted from the block's first, and whether the first is the whole pretoken.
    fn arcs(&self, instance: &Instance, p: usize) -> (Range<usize>, bool) {
        let range = instance.table.range(p);
        let first = instance.arc_start[range.start] as usize;
        let end = instance.arc_start[range.end] as usize;
        let whole = end > first && usize::from(instance.arc_length[first]) == range.len();
        (first - self.first_arc..end - self.first_arc, whole)
    }

    fn shift(&mut self, instance: &Instance, p: usize, size: f32) {
        let (arcs, whole) = self.arcs(instance, p);
        for arc in arcs.clone() {
            let step = size * pace(self.lambda_square[arc]) * self.lambda_step[arc];
            let lambda = self.lambda[arc] + step;
            // The flow of a whole pretoken equals its token's part: that multiplier is free in sign.
            let free = whole && arc == arcs.start;
            self.lambda[arc] = if free { lambda } else { lambda.max(0.0) };
            let step = size * pace(self.mu_square[arc]) * self.mu_step[arc];
            self.mu[arc] = (self.mu[arc] + step).max(0.0);
        }
    }

    fn weigh(&self, instance: &Instance, p: usize, weight: &mut [i64]) {
        let count = instance.table.weight[p] as f64;
        let arcs = self.arcs(instance, p).0;
        let from = self.first_arc + arcs.start;
        let candidates = &instance.arc_candidate[from..from + arcs.len()];
        for (at, &candidate) in arcs.zip(candidates) {
            weight[candidate as usize] += units(count, self.lambda[at]) - units(count, self.mu[at]);
        }
    }

    fn shortest_path(&mut self, instance: &Instance, p: usize, best: &mut Vec<f32>) -> f64 {
        let origin = instance.table.range(self.pretokens.start).start;
        let range = instance.table.range(p);
        best.clear();
        best.resize(range.len() + 1, 0.0);
        let mut constant = 0.0;
        for at in (0..range.len()).rev() {
            let position = range.start + at;
            let (mut lowest, mut taken) = (f32::INFINITY, 1u8);
            let mut shorter = 0.0;
            for arc in instance.arc_range(position) {
                let length = instance.arc_length[arc];
                let cost = 1.0
                    + self.lambda[arc - self.first_arc]
                    + shorter
                    + best[at + usize::from(length)];
                if cost < lowest {
                    (lowest, taken) = (cost, length);
                }
                // `mu` of a whole pretoken is 0: it has no row.
                shorter += self.mu[arc - self.first_arc];
            }
            constant += f64::from(shorter);
            let byte = 1.0 + shorter + best[at + 1];
            if byte < lowest {
                (lowest, taken) = (byte, 1);
            }
            best[at] = lowest;
            self.taken[position - origin] = taken;
        }
        self.keep_path(range.start - origin..range.end - origin);
        instance.table.weight[p] as f64 * (f64::from(best[0]) - constant)
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

    fn steps(&mut self, instance: &Instance, chosen: &[bool]) -> f64 {
        let origin = instance.table.range(self.pretokens.start).start;
        let mut total = 0.0;
        for p in self.pretokens.clone() {
            let range = instance.table.range(p);
            let mut squares = 0.0f32;
            for position in range.clone() {
                let taken = self.taken[position - origin];
                for arc in instance.arc_range(position) {
                    let length = instance.arc_length[arc];
                    let x = f32::from(u8::from(chosen[instance.arc_candidate[arc] as usize]));
                    let whole = usize::from(length) == range.len();
                    let arc = arc - self.first_arc;
                    let flow = f32::from(u8::from(taken == length));
                    squares += follow(
                        &mut self.lambda_step[arc],
                        &mut self.lambda_square[arc],
                        flow - x,
                        self.lambda[arc] <= 0.0 && !whole,
                    );
                    if whole {
                        continue;
                    }
                    let short = f32::from(u8::from(taken != 0 && taken < length));
                    squares += follow(
                        &mut self.mu_step[arc],
                        &mut self.mu_square[arc],
                        short + x - 1.0,
                        self.mu[arc] <= 0.0,
                    );
                }
            }
            total += instance.table.weight[p] as f64 * f64::from(squares);
        }
        total
    }

    fn set_prices(&mut self, instance: &Instance, price: &[f32]) {
        let candidates =
            &instance.arc_candidate[self.first_arc..self.first_arc + self.lambda.len()];
        for (lambda, &candidate) in self.lambda.iter_mut().zip(candidates) {
            *lambda = price[candidate as usize];
        }
    }
}

/// Takes a subgradient into a step and into the mean of its squares; returns the step's square, paced. A
/// multiplier that is `held` at zero does not go below.
fn follow(step: &mut f32, square: &mut f32, subgradient: f32, held: bool) -> f32 {
    if !held || subgradient > 0.0 {
        *square += (1.0 - SQUARES_KEPT) * (subgradient * subgradient - *square);
    }
    *step = MOMENTUM * *step + subgradient;
    if held && *step < 0.0 {
        *step = 0.0;
    }
    *step * *step * pace(*square)
}

/// How far a multiplier goes with a step: what turns back and forth goes less far.
fn pace(square: f32) -> f32 {
    1.0 / (square.sqrt() + LEAST_ROOT)
}

/// A multiplier of a pretoken that occurs `count` times, in [`UNITS`].
fn units(count: f64, multiplier: f32) -> i64 {
    // PERF: rounding by hand, away from zero at halves; the library's is a call on plain x86-64.
    let exact = count * f64::from(multiplier) * UNITS;
    (exact + 0.5f64.copysign(exact)) as i64
}

/// The next piece of work, for whoever asks first.
fn take<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().ok()?.next()
}

fn on_threads<T: Send>(threads: NonZeroUsize, run: impl Fn() -> T + Sync) -> Vec<T> {
    if threads.get() == 1 {
        return vec![run()];
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get()).map(|_| scope.spawn(&run)).collect();
        let mut results = vec![run()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
