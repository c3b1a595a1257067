//! Segmentations drawn at random: `dropout` of byte-pair merges, `alpha` and `nbest_size` of `Unigram`.
//!
//! With a seed, what is drawn depends on the seed and the text alone, not on threads, batches or what was
//! encoded before. Without one each text is a new draw, as in the reference.

use std::hash::{BuildHasher, RandomState};

pub(super) use crate::random::Random;
use crate::units::{Span, TokenId};

impl Random {
    /// The stream of a text: the same for the same seed, new without one.
    pub(super) fn of_text(seed: Option<u64>, text: &str) -> Self {
        let Some(seed) = seed else {
            return Self::new(RandomState::new().hash_one(text));
        };
        // FNV-1a, which is the same on every machine.
        let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self::new(Self::new(seed).next() ^ hash)
    }

    /// A place in `weights`, which are logarithms, drawn with the probability of its weight.
    fn choose(&mut self, weights: &[f64]) -> usize {
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = weights.iter().map(|weight| (weight - most).exp()).collect();
        let mut left = self.unit() * shares.iter().sum::<f64>();
        for (index, share) in shares.iter().enumerate() {
            left -= share;
            if left < 0.0 {
                return index;
            }
        }
        shares.len().saturating_sub(1)
    }
}

/// How `Unigram` samples.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sampling {
    /// Sharpness: a segmentation of score s has weight exp(alpha · s). None and 0 do not sample.
    pub alpha: Option<f64>,
    /// From how many of the best segmentations to draw; None and 0 draw from all.
    pub nbest_size: Option<usize>,
    /// Seed of the draws.
    pub seed: Option<u64>,
}

/// A token that ends at some position: where it starts, its id, its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    pub(super) start: usize,
    pub(super) id: TokenId,
    pub(super) score: f64,
}

/// The tokens of a piece by where they end.
pub(super) type Lattice = Vec<Vec<Arc>>;

/// Draws a segmentation from all of them; last token first. Empty where there is none.
///
/// Complexity: linear in the number of arcs.
pub(super) fn from_all(lattice: &Lattice, alpha: f64, random: &mut Random) -> Vec<(Span, TokenId)> {
    // By position: the logarithm of the total weight of the ways that lead there.
    let mut total = vec![f64::NEG_INFINITY; lattice.len()];
    if let Some(start) = total.first_mut() {
        *start = 0.0;
    }
    let weights = |total: &[f64], end: usize| -> Vec<f64> {
        lattice[end].iter().map(|arc| total[arc.start] + alpha * arc.score).collect()
    };
    for end in 1..lattice.len() {
        let weights = weights(&total, end);
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most > f64::NEG_INFINITY {
            total[end] = most + weights.iter().map(|w| (w - most).exp()).sum::<f64>().ln();
        }
    }
    let mut path = Vec::new();
    let mut end = lattice.len() - 1;
    while end > 0 && !lattice[end].is_empty() {
        let arc = lattice[end][random.choose(&weights(&total, end))];
        path.push((Span::new(arc.start, end), arc.id));
        end = arc.start;
    }
    path
}

/// One of the best ways to a position: its score, the arc it ends with, which way to the arc's start it takes.
#[derive(Debug, Clone, Copy)]
struct Way {
    score: f64,
    arc: usize,
    before: usize,
}

/// Draws a segmentation from the `count` best ones; last token first. Empty where there is none.
///
/// Complexity: `O(arcs · count · log)`.
pub(super) fn from_best(
    lattice: &Lattice,
    count: usize,
    alpha: f64,
    random: &mut Random,
) -> Vec<(Span, TokenId)> {
    let mut best: Vec<Vec<Way>> = vec![Vec::new(); lattice.len()];
    if let Some(start) = best.first_mut() {
        start.push(Way { score: 0.0, arc: 0, before: 0 });
    }
    for end in 1..lattice.len() {
        let mut ways = Vec::new();
        for (index, arc) in lattice[end].iter().enumerate() {
            let before = best[arc.start].iter().enumerate();
            ways.extend(before.map(|(before, way)| Way {
                score: way.score + arc.score,
                arc: index,
                before,
            }));
        }
        ways.sort_by(|a, b| b.score.total_cmp(&a.score));
        ways.truncate(count);
        best[end] = ways;
    }
    let mut path = Vec::new();
    let mut end = lattice.len() - 1;
    let scores: Vec<f64> = best[end].iter().map(|way| alpha * way.score).collect();
    let mut at = random.choose(&scores);
    while end > 0 {
        let Some(way) = best[end].get(at) else { break };
        let arc = lattice[end][way.arc];
        path.push((Span::new(arc.start, end), arc.id));
        (end, at) = (arc.start, way.before);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::{Arc, Lattice, Random, from_all, from_best};

    /// "ab" as `a b` (weight 1) or `ab` (weight e).
    fn two_ways() -> Lattice {
        let arc = |start, id, score| Arc { start, id, score };
        vec![vec![], vec![arc(0, 0, 0.0)], vec![arc(1, 1, 0.0), arc(0, 2, 1.0)]]
    }

    #[test]
    fn shares_are_those_of_the_weights() {
        let lattice = two_ways();
        let mut random = Random::of_text(Some(7), "ab");
        let whole = |path: Vec<_>| usize::from(path.len() == 1);

        let all: usize = (0..10_000).map(|_| whole(from_all(&lattice, 1.0, &mut random))).sum();
        let best: usize =
            (0..10_000).map(|_| whole(from_best(&lattice, 2, 1.0, &mut random))).sum();

        // e / (1 + e) is 0.731; the standard deviation of 10,000 draws is 0.0044.
        assert!((7_100..7_500).contains(&all), "{all}");
        assert!((7_100..7_500).contains(&best), "{best}");
        assert_eq!(1, from_best(&lattice, 1, 1.0, &mut random).len());
    }

    #[test]
    fn a_seed_makes_the_stream() {
        let draw = |seed, text| Random::of_text(Some(seed), text).next();

        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
    }
}
