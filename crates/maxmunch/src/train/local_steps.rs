//! Steps up in a part of the relaxation.

use super::local::{Known, Local, Look, Place, Word};

/// Share of the old direction that a step keeps.
const MOMENTUM: f64 = 0.9;
/// Share of the old mean square of a subgradient that a step keeps, what it is taken for before the first one,
/// and what is added to its root.
const SQUARES_KEPT: f64 = 0.95;
const SQUARE_AT_REST: f64 = 0.1;
const LEAST_ROOT: f64 = 0.02;
/// Share of the old average that a step keeps.
const MEMORY: f64 = 0.97;
/// Size of the first and the last step, relative to those that would close the gap.
const STEPS: (f64, f64) = (0.3, 0.03);

/// A good point.
pub(super) struct Point {
    pub(super) value: f64,
    pub(super) multipliers: Vec<f64>,
    /// How much of the last steps' vocabularies held each candidate.
    pub(super) average: Vec<f64>,
}

impl Local {
    /// Some steps up from `multipliers`, towards `upper`.
    pub(super) fn ascend(
        &self,
        mut multipliers: Vec<f64>,
        known: &[Known],
        upper: f64,
        steps: usize,
    ) -> Point {
        let mut direction = vec![0.0; multipliers.len()];
        let mut square = vec![SQUARE_AT_REST; multipliers.len()];
        let mut look = self.look(&multipliers, known);
        let average = look.chosen.iter().map(|&held| f64::from(u8::from(held))).collect();
        let mut best = Point { value: look.value, multipliers: multipliers.clone(), average };
        for step in 0..steps {
            let squares = self.turn(&multipliers, &look, &mut direction, &mut square);
            if squares <= 0.0 {
                break;
            }
            let relative = STEPS.0 * (STEPS.1 / STEPS.0).powf(step as f64 / steps as f64);
            let size = relative * (upper - look.value).max(1.0) / squares;
            for (opening, place) in self.openings_and_places() {
                for slot in place.slots() {
                    multipliers[slot] += size * direction[slot] * pace(square[slot]);
                    if place.slot != opening {
                        multipliers[slot] = multipliers[slot].max(0.0);
                    }
                }
            }
            look = self.look(&multipliers, known);
            for (mean, &held) in best.average.iter_mut().zip(&look.chosen) {
                *mean = MEMORY * *mean + (1.0 - MEMORY) * f64::from(u8::from(held));
            }
            if look.value > best.value {
                best.value = look.value;
                best.multipliers.copy_from_slice(&multipliers);
            }
        }
        best
    }

    /// The free places, each with where the multipliers of its pretoken begin: the only ones that may be
    /// negative.
    fn openings_and_places(&self) -> impl Iterator<Item = (usize, &Place)> {
        let of = |word: &'_ Word| word.places.first().map_or(0, |place| place.slot);
        let places = self
            .words
            .iter()
            .flat_map(move |word| word.places.iter().map(move |place| (of(word), place)));
        places.filter(|(_, place)| place.node.is_some())
    }

    /// Takes the subgradient into the direction; returns the sum of the squares, paced and weighted.
    fn turn(
        &self,
        multipliers: &[f64],
        look: &Look,
        direction: &mut [f64],
        square: &mut [f64],
    ) -> f64 {
        for (direction, square) in direction.iter_mut().zip(&mut *square) {
            *direction *= MOMENTUM;
            *square *= SQUARES_KEPT;
        }
        let mut total = 0.0;
        let mut taken = look.taken.iter();
        for word in &self.words {
            for (at, place) in word.places.iter().enumerate() {
                let length = taken.next().copied().unwrap_or(0);
                let Some(t) = place.node else { continue };
                let byte = place.slot + place.ways.len();
                let landing = byte - look.nearest[t];
                let lands = at == 0 || multipliers[landing] > 0.0;
                let found = place.ways.iter().position(|way| way.0 == length);
                let path = found.map(|way| place.slot + way).or((length == 1).then_some(byte));
                if !(lands && path == Some(landing)) {
                    for (slot, pull) in [(path, 1.0), (lands.then_some(landing), -1.0)] {
                        let Some(slot) = slot else { continue };
                        direction[slot] += pull;
                        square[slot] += 1.0 - SQUARES_KEPT;
                    }
                }
                for slot in place.slots() {
                    if at > 0 && multipliers[slot] <= 0.0 {
                        direction[slot] = direction[slot].max(0.0);
                    }
                    total += word.weight * direction[slot] * direction[slot] * pace(square[slot]);
                }
            }
        }
        total
    }
}

/// How far a multiplier goes with a step: what turns back and forth goes less far.
fn pace(square: f64) -> f64 {
    1.0 / (square.sqrt() + LEAST_ROOT)
}
