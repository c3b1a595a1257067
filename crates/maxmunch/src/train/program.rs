//! JOLT's program: explicit segmentations of each pretoken up to an order, and a fallback.
//!
//! Columns are tokens `x`, segmentations `z` and fallbacks; rows are aggregated per start and end, which
//! has the same integer points as one row per segmentation and token, and a tighter relaxation
//! (docs/concepts/training.md). A solver elsewhere is given the arrays; what it returns is read here.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::pretokens::PretokenCounts;
use super::rules::Rules;
use crate::error::{Error, Result};

/// Longest pretoken that takes part: its splits fit in a 64-bit mask. Longer ones only count in the cost.
const MAX_PRETOKEN_BYTES: usize = 64;

/// Sparse arrays of a linear program: minimise `cost * v` with `lower <= rows * v <= upper`, `0 <= v <= 1`.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Objective of each column, in tokens.
    pub cost: Vec<f64>,
    /// Least value of each column: 1 for pinned tokens, else 0.
    pub column_lower: Vec<f64>,
    /// Bounds of each row.
    pub row_lower: Vec<f64>,
    /// Bounds of each row.
    pub row_upper: Vec<f64>,
    /// Where each row starts in `index` and `value`; one more than there are rows.
    pub start: Vec<i32>,
    /// Columns of the nonzeros.
    pub index: Vec<i32>,
    /// Values of the nonzeros.
    pub value: Vec<f64>,
    /// Candidate tokens, one for each of the first columns, in the order of their bytes.
    pub tokens: Vec<Vec<u8>>,
    /// Column of each token.
    column: HashMap<Vec<u8>, u32>,
    /// The segmentations by pretoken, one for each column after the tokens.
    segmentations: Vec<Segmentation>,
    /// The fallback column of each pretoken, if it has one.
    fallback: Vec<Option<u32>>,
    /// Tokens of pretokens that no choice can change.
    pub constant: u64,
}

#[derive(Debug, Clone)]
struct Segmentation {
    pretoken: u32,
    column: u32,
    /// Where its pieces end.
    ends: Vec<u8>,
}

impl Segmentation {
    /// Start and end of each piece.
    fn pieces(&self) -> impl Iterator<Item = (usize, usize)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| (usize::from(start), usize::from(end)))
    }
}

/// What a solution says.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Mass on the fallback of each pretoken.
    pub fallback: Vec<f64>,
    /// Share of all occurrences whose pretoken is on its fallback.
    pub fallback_mass: f64,
    /// Value of each token.
    pub value: Vec<f64>,
    /// Count-weighted mass of the segmentations that use each token.
    pub contribution: Vec<f64>,
}

/// How the program is to be built.
#[derive(Debug, Clone, Copy)]
pub struct Family<'a> {
    /// The pretokens.
    pub counts: &'a PretokenCounts,
    /// Which tokens are allowed.
    pub rules: &'a Rules,
    /// Largest order of each pretoken's segmentations.
    pub order: &'a [u8],
    /// Tokens of more than one byte in the vocabulary.
    pub budget: usize,
    /// Whether a fallback costs a token for each byte, instead of one more than the largest order.
    pub repriced: bool,
}

/// Calls `visit` with the ends of the pieces of each segmentation of `bytes` bytes into `order` pieces.
///
/// The pretoken `table` has 16 segmentations; 5 of them have at most two pieces, and 6 have three:
///
/// ```
/// use maxmunch::train::for_each_segmentation;
///
/// let mut by_order = [0; 6];
/// for order in 1..=5 {
///     for_each_segmentation("table".len(), order, |_| by_order[order] += 1);
/// }
/// assert_eq!([0, 1, 4, 6, 4, 1], by_order);
/// ```
pub fn for_each_segmentation(bytes: usize, order: usize, mut visit: impl FnMut(&[usize])) {
    fn place(bytes: usize, left: usize, ends: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
        let start = ends.last().copied().unwrap_or(0);
        if left == 1 {
            ends.push(bytes);
            visit(ends);
            ends.pop();
            return;
        }
        for end in start + 1..=bytes - (left - 1) {
            ends.push(end);
            place(bytes, left - 1, ends, visit);
            ends.pop();
        }
    }
    if (1..=bytes).contains(&order) {
        place(bytes, order, &mut Vec::new(), &mut visit);
    }
}

impl Program {
    /// Builds the arrays.
    ///
    /// # Errors
    /// [`Error::Limit`] when there are more nonzeros than 32-bit indices number.
    pub fn build(family: &Family) -> Result<Self> {
        let mut program = Self::default();
        program.enumerate(family);
        program.price(family);
        program.start.push(0);
        let tokens: Vec<(u32, f64)> = (0..program.tokens.len() as u32).map(|t| (t, 1.0)).collect();
        program.row(f64::NEG_INFINITY, family.budget as f64, &tokens);
        let mut first = 0;
        for (p, (pretoken, _)) in family.counts.iter().enumerate() {
            let of = |s: &&Segmentation| s.pretoken as usize == p;
            let own = program.segmentations[first..].iter().take_while(of).cloned();
            let own: Vec<Segmentation> = own.collect();
            first += own.len();
            if takes_part(pretoken) {
                program.rows_of(pretoken, program.fallback[p], &own);
            }
        }
        if program.index.len() > i32::MAX as usize {
            return Err(Error::Limit {
                limit: "top".to_owned(),
                message: format!(
                    "{} nonzeros are more than the solver's 32-bit indices number; lower top or max_order",
                    program.index.len()
                ),
            });
        }
        Ok(program)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.cost.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_lower.len()
    }

    /// Number of segmentations, fallbacks not included.
    pub fn choices(&self) -> usize {
        self.segmentations.len()
    }

    /// Reads a solution, one value for each column.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when it has another number of values.
    pub fn read(&self, counts: &PretokenCounts, solution: &[f64]) -> Result<Reading> {
        if solution.len() != self.columns() {
            let message = format!("{} values for {} columns", solution.len(), self.columns());
            return Err(Error::argument("solution", message));
        }
        let mut contribution = vec![0.0; self.tokens.len()];
        for segmentation in &self.segmentations {
            let Some((pretoken, count)) = counts.get(segmentation.pretoken as usize) else {
                continue;
            };
            let mass = count as f64 * solution[segmentation.column as usize].max(0.0);
            for (start, end) in segmentation.pieces() {
                if let Some(&token) = self.column.get(&pretoken[start..end]) {
                    contribution[token as usize] += mass;
                }
            }
        }
        let fallback: Vec<f64> = self
            .fallback
            .iter()
            .map(|column| column.map_or(0.0, |column| solution[column as usize]))
            .collect();
        let weighted = counts.iter().zip(&fallback).map(|((_, count), mass)| mass * count as f64);
        Ok(Reading {
            fallback_mass: weighted.sum::<f64>() / counts.total().max(1) as f64,
            fallback,
            value: solution[..self.tokens.len()].to_vec(),
            contribution,
        })
    }

    /// Lists the segmentations and the tokens that they use.
    fn enumerate(&mut self, family: &Family) {
        let longer_pins = family.rules.pinned.iter().filter(|token| token.len() > 1);
        self.column = longer_pins.map(|token| (token.clone(), 0)).collect();
        for (p, (pretoken, _)) in family.counts.iter().enumerate() {
            if !takes_part(pretoken) {
                continue;
            }
            for order in 1..=usize::from(family.order[p]) {
                for_each_segmentation(pretoken.len(), order, |ends| {
                    let ends: Vec<u8> = ends.iter().map(|&end| end as u8).collect();
                    let one = Segmentation { pretoken: p as u32, column: 0, ends };
                    let pieces = || one.pieces().map(|(start, end)| &pretoken[start..end]);
                    if pieces().all(|piece| piece.len() == 1 || family.rules.admits(piece)) {
                        for token in pieces().filter(|piece| piece.len() > 1) {
                            self.column.entry_ref(token).or_insert(0);
                        }
                        self.segmentations.push(one);
                    }
                });
            }
        }
        self.tokens = self.column.keys().cloned().collect();
        self.tokens.sort_unstable();
        for (number, token) in self.tokens.iter().enumerate() {
            self.column.insert(token.clone(), number as u32);
        }
    }

    /// Numbers the columns: tokens, segmentations, fallbacks; and prices them.
    fn price(&mut self, family: &Family) {
        self.cost = vec![0.0; self.tokens.len()];
        let pinned = |token: &Vec<u8>| f64::from(u8::from(family.rules.pinned.contains(token)));
        self.column_lower = self.tokens.iter().map(pinned).collect();
        for segmentation in &mut self.segmentations {
            let count = family.counts.get(segmentation.pretoken as usize).map_or(0, |row| row.1);
            segmentation.column = self.cost.len() as u32;
            self.cost.push(count as f64 * segmentation.ends.len() as f64);
        }
        for (p, (pretoken, count)) in family.counts.iter().enumerate() {
            let order = usize::from(family.order[p]);
            if !takes_part(pretoken) {
                self.constant += count * pretoken.len() as u64;
                self.fallback.push(None);
            } else if order >= pretoken.len() {
                self.fallback.push(None);
            } else {
                let pieces = if family.repriced { pretoken.len() } else { order + 1 };
                self.fallback.push(Some(self.cost.len() as u32));
                self.cost.push(count as f64 * pieces as f64);
            }
        }
        self.column_lower.resize(self.cost.len(), 0.0);
    }

    /// The rows of one pretoken: one choice, links, and greedy consistency.
    fn rows_of(&mut self, pretoken: &[u8], fallback: Option<u32>, own: &[Segmentation]) {
        let choices = own.iter().map(|s| s.column).chain(fallback);
        let choices: Vec<(u32, f64)> = choices.map(|column| (column, 1.0)).collect();
        self.row(1.0, 1.0, &choices);
        let mut links: BTreeMap<(usize, usize), Vec<(u32, f64)>> = BTreeMap::new();
        let mut greedy: BTreeMap<(usize, usize), Vec<(u32, f64)>> = BTreeMap::new();
        for segmentation in own {
            for (start, end) in segmentation.pieces() {
                if end - start > 1 {
                    links.entry((start, end)).or_default().push((segmentation.column, 1.0));
                }
                for longer in (end + 1).max(start + 2)..=pretoken.len() {
                    if self.column.contains_key(&pretoken[start..longer]) {
                        greedy.entry((start, longer)).or_default().push((segmentation.column, 1.0));
                    }
                }
            }
        }
        for ((start, end), mut row) in links {
            row.push((self.column[&pretoken[start..end]], -1.0));
            self.row(f64::NEG_INFINITY, 0.0, &row);
        }
        for ((start, end), mut row) in greedy {
            row.push((self.column[&pretoken[start..end]], 1.0));
            self.row(f64::NEG_INFINITY, 1.0, &row);
        }
    }

    fn row(&mut self, lower: f64, upper: f64, entries: &[(u32, f64)]) {
        self.row_lower.push(lower);
        self.row_upper.push(upper);
        for &(column, value) in entries {
            self.index.push(column as i32);
            self.value.push(value);
        }
        self.start.push(self.index.len() as i32);
    }
}

/// Whether the choice of tokens can change what a pretoken costs, in the program.
fn takes_part(pretoken: &[u8]) -> bool {
    (2..=MAX_PRETOKEN_BYTES).contains(&pretoken.len())
}

/// Exact cost of the 256 bytes and `tokens` on `counts`, whatever the tokens are.
pub fn recount(counts: &PretokenCounts, tokens: &[Vec<u8>]) -> u64 {
    let known: HashSet<&[u8]> = tokens.iter().map(Vec::as_slice).collect();
    let longest = tokens.iter().map(Vec::len).max().unwrap_or(1);
    let mut total = 0;
    for (pretoken, count) in counts.iter() {
        let mut start = 0;
        while start < pretoken.len() {
            let limit = pretoken.len().min(start + longest);
            let fits = |&end: &usize| known.contains(&pretoken[start..end]);
            start = (start + 2..=limit).rev().find(fits).unwrap_or(start + 1);
            total += count;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::{Family, Program, for_each_segmentation, recount};
    use crate::train::{PretokenCounts, Rules};

    fn choices(order: u8) -> Program {
        let counts = PretokenCounts::from_pairs([("table", 1)]).unwrap();
        let rules = Rules::default();
        let family =
            Family { counts: &counts, rules: &rules, order: &[order], budget: 3, repriced: false };
        Program::build(&family).unwrap()
    }

    #[test]
    fn table_has_sixteen_segmentations_six_choices_at_first_and_six_more_at_order_three() {
        let mut all = 0;
        for order in 1..=5 {
            for_each_segmentation(5, order, |_| all += 1);
        }

        assert_eq!(16, all);
        // The unsplit pretoken, four pairs, and the fallback.
        assert_eq!((5, 1), (choices(2).choices(), choices(2).fallback.iter().flatten().count()));
        assert_eq!(5 + 6, choices(3).choices());
        assert_eq!((16, 0), (choices(5).choices(), choices(5).fallback.iter().flatten().count()));
    }

    #[test]
    fn rows_are_aggregated_by_start_and_end() {
        let program = choices(2);

        // Budget, one choice, seven links (the whole, and a prefix or suffix of 2 to 4 bytes each way).
        let greedy = program
            .row_upper
            .iter()
            .zip(&program.row_lower)
            .filter(|(u, l)| **u > 0.5 && **u < 1.5 && l.is_infinite());
        assert_eq!(1 + 1 + 7 + greedy.count(), program.rows());
        assert_eq!(7, program.tokens.len());
    }

    #[test]
    fn recount_takes_the_longest_token() {
        let counts = PretokenCounts::from_pairs([("abcd", 3), ("a", 5)]).unwrap();

        assert_eq!(3 * 2 + 5, recount(&counts, &[b"ab".to_vec(), b"abc".to_vec(), b"cd".to_vec()]));
    }
}
