//! The training instance: pretokens, candidate tokens, and where each candidate occurs.
//!
//! Candidates are found with a sorted list of all suffixes of all pretokens: equal substrings are
//! neighbours there, so they are interned exactly, without hashing, and numbered in the order of their
//! bytes. An *arc* is one occurrence of one candidate: from position `i` of a pretoken to `i + length`.

use super::pretokens::PretokenCounts;
use super::rules::Rules;
use super::suffixes::{Class, Suffixes};
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// The number of a candidate, in the order of the candidates' bytes.
pub type Candidate = u32;

/// The most that the tables can number.
const MAX_INDEX: usize = u32::MAX as usize - 1;

/// Everything that search and bound read; immutable.
#[derive(Debug)]
pub struct Instance {
    pub(super) table: Table,
    /// The arcs that leave position `i` are `arc_start[i]..arc_start[i + 1]`, longest first.
    pub(super) arc_start: Vec<u32>,
    /// Bytes of each arc.
    pub(super) arc_length: Vec<u8>,
    /// Candidate of each arc.
    pub(super) arc_candidate: Vec<Candidate>,
    /// The arcs of candidate `t` start at the positions `occurrence[occurrence_start[t]..occurrence_start[t + 1]]`,
    /// which increase.
    pub(super) occurrence_start: Vec<u32>,
    pub(super) occurrence: Vec<u32>,
    /// Bytes of each candidate.
    pub(super) length: Vec<u8>,
    /// Pinned tokens that occur in no pretoken, sorted.
    pub(super) absent_pins: Vec<Vec<u8>>,
    /// Candidates that must be chosen, increasing.
    pub(super) pins: Vec<Candidate>,
}

/// The pretokens of two bytes or more, laid out for search.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// The pretokens after one another; a *position* is an index into this.
    pub(super) text: Vec<u8>,
    /// Pretoken `p` is `text[start[p]..start[p + 1]]`.
    pub(super) start: Vec<u32>,
    /// How often pretoken `p` occurs.
    pub(super) weight: Vec<u64>,
    /// The pretoken of each position.
    pub(super) host: Vec<u32>,
    /// Tokens that the pretokens of one byte cost, whatever the vocabulary.
    pub(super) constant: u64,
}

impl Table {
    fn new(counts: &PretokenCounts) -> Result<Self> {
        let mut table = Self {
            text: Vec::new(),
            start: vec![0],
            weight: Vec::new(),
            host: Vec::new(),
            constant: 0,
        };
        let mut most = 0u64;
        for (pretoken, count) in counts.iter() {
            most = (pretoken.len() as u64)
                .checked_mul(count)
                .and_then(|cost| most.checked_add(cost))
                .filter(|&cost| cost < 1 << 60)
                .ok_or_else(|| {
                    Error::argument(
                        "counts",
                        "the text has 2^60 bytes or more; scale the counts down",
                    )
                })?;
            if pretoken.len() == 1 {
                table.constant += count;
                continue;
            }
            if table.text.len() + pretoken.len() > MAX_INDEX {
                return Err(too_large(
                    "bytes of distinct pretokens",
                    table.text.len() + pretoken.len(),
                ));
            }
            table.text.extend_from_slice(pretoken);
            table.host.resize(table.text.len(), table.weight.len() as u32);
            table.start.push(table.text.len() as u32);
            table.weight.push(count);
        }
        Ok(table)
    }

    /// Number of pretokens.
    pub(super) fn len(&self) -> usize {
        self.weight.len()
    }

    pub(super) fn pretoken(&self, p: usize) -> &[u8] {
        &self.text[self.range(p)]
    }

    pub(super) fn range(&self, p: usize) -> std::ops::Range<usize> {
        self.start[p] as usize..self.start[p + 1] as usize
    }

    pub(super) fn weight_at(&self, position: u32) -> u64 {
        self.weight[self.host[position as usize] as usize]
    }
}

impl Instance {
    /// Enumerates the candidates of `counts` under `rules` and lists their occurrences.
    ///
    /// Pruning loses no optimum (docs/concepts/training.md): a substring is kept when it is a whole
    /// pretoken, occurs in two distinct pretokens, is pinned, or when the one pretoken it occurs in may
    /// not be a token itself.
    ///
    /// # Errors
    /// [`Error::Limit`] when the tables would pass `memory_limit` bytes or 32-bit indices.
    ///
    /// # Complexity
    /// `O(S log S)` comparisons of suffixes for `S` bytes of distinct pretokens, and one pass over the
    /// substrings of at most `max_token_bytes` bytes.
    pub fn build(
        counts: &PretokenCounts,
        rules: &Rules,
        memory_limit: Option<u64>,
        monitor: &dyn Monitor,
    ) -> Result<Self> {
        rules.check()?;
        let table = Table::new(counts)?;
        let suffixes = Suffixes::sort(&table, rules.max_token_bytes, monitor)?;
        if suffixes.class_limit() > MAX_INDEX {
            return Err(too_large("distinct substrings", suffixes.class_limit()));
        }
        let (number, candidates) = number_candidates(&table, &suffixes, rules);
        let sizes = Sizes::new(&table, &suffixes, &number, candidates);
        sizes.check(table.text.len(), memory_limit)?;
        let (arc_length, arc_candidate) = list_arcs(&suffixes, &number, &sizes);
        let Sizes { arc_start, length, .. } = sizes;
        let mut instance = Self {
            table,
            arc_start,
            arc_length,
            arc_candidate,
            occurrence_start: Vec::new(),
            occurrence: Vec::new(),
            length,
            absent_pins: Vec::new(),
            pins: Vec::new(),
        };
        instance.list_occurrences();
        instance.find_pins(rules);
        Ok(instance)
    }

    /// Number of candidates.
    pub fn candidates(&self) -> usize {
        self.length.len()
    }

    /// Number of occurrences of candidates in distinct pretokens.
    pub fn arcs(&self) -> usize {
        self.arc_candidate.len()
    }

    /// Number of multipliers of a bound: one for each arc, and one for each byte of the table.
    pub fn multipliers(&self) -> usize {
        self.arcs() + self.table.text.len()
    }

    /// Pinned tokens of two bytes or more that occur in no pretoken, sorted.
    pub fn absent_pins(&self) -> &[Vec<u8>] {
        &self.absent_pins
    }

    /// The same pretokens with `some` of the candidates and the pins alone. A vocabulary of these costs what
    /// it costs among all, and is found sooner.
    ///
    /// # Complexity
    /// One pass over the arcs.
    #[must_use]
    pub fn restricted(&self, some: &[Candidate]) -> Self {
        let mut keep = [some, &self.pins].concat();
        keep.sort_unstable();
        keep.dedup();
        let mut number = vec![PRUNED; self.candidates()];
        for (new, &old) in keep.iter().enumerate() {
            number[old as usize] = new as Candidate;
        }
        let mut instance = Self {
            table: self.table.clone(),
            arc_start: Vec::with_capacity(self.arc_start.len()),
            arc_length: Vec::new(),
            arc_candidate: Vec::new(),
            occurrence_start: Vec::new(),
            occurrence: Vec::new(),
            length: keep.iter().map(|&t| self.length[t as usize]).collect(),
            absent_pins: self.absent_pins.clone(),
            pins: self.pins.iter().map(|&t| number[t as usize]).collect(),
        };
        instance.arc_start.push(0);
        for position in 0..self.table.text.len() {
            for arc in self.arc_range(position) {
                let new = number[self.arc_candidate[arc] as usize];
                if new != PRUNED {
                    instance.arc_length.push(self.arc_length[arc]);
                    instance.arc_candidate.push(new);
                }
            }
            instance.arc_start.push(instance.arc_candidate.len() as u32);
        }
        instance.list_occurrences();
        instance
    }

    /// The bytes of a candidate.
    pub fn token(&self, candidate: Candidate) -> &[u8] {
        let first = self.occurrence[self.occurrence_start[candidate as usize] as usize] as usize;
        &self.table.text[first..first + usize::from(self.length[candidate as usize])]
    }

    /// The candidate with these bytes, if it is one.
    pub fn find(&self, token: &[u8]) -> Option<Candidate> {
        let count = self.candidates() as u32;
        let at = partition(count, |t| self.token(t) < token);
        (at < count && self.token(at) == token).then_some(at)
    }

    /// Tokens when every pretoken is spelled in single bytes: the most that any vocabulary costs.
    pub fn byte_cost(&self) -> u64 {
        let spelled = |p: usize| self.table.weight[p] * self.table.pretoken(p).len() as u64;
        self.table.constant + (0..self.table.len()).map(spelled).sum::<u64>()
    }

    /// For each multiplier of a bound whether it belongs to the start of a pretoken.
    #[cfg(test)]
    pub(super) fn openings(&self) -> Vec<bool> {
        let mut openings = Vec::new();
        for position in 0..self.table.text.len() {
            let opens = self.table.start[self.table.host[position] as usize] as usize == position;
            openings.resize(openings.len() + self.arc_range(position).len() + 1, opens);
        }
        openings
    }

    pub(super) fn arc_range(&self, position: usize) -> std::ops::Range<usize> {
        self.arc_start[position] as usize..self.arc_start[position + 1] as usize
    }

    pub(super) fn occurrences(&self, candidate: Candidate) -> &[u32] {
        let t = candidate as usize;
        &self.occurrence[self.occurrence_start[t] as usize..self.occurrence_start[t + 1] as usize]
    }

    /// How often a candidate occurs in the text, used or not.
    pub(super) fn occurring(&self, candidate: Candidate) -> u64 {
        self.occurrences(candidate).iter().map(|&at| self.table.weight_at(at)).sum()
    }

    fn list_occurrences(&mut self) {
        let mut start = vec![0u32; self.candidates() + 1];
        for &candidate in &self.arc_candidate {
            start[candidate as usize + 1] += 1;
        }
        for t in 0..self.candidates() {
            start[t + 1] += start[t];
        }
        let mut next = start.clone();
        self.occurrence = vec![0; self.arcs()];
        for position in 0..self.table.text.len() {
            for arc in self.arc_range(position) {
                let slot = &mut next[self.arc_candidate[arc] as usize];
                self.occurrence[*slot as usize] = position as u32;
                *slot += 1;
            }
        }
        self.occurrence_start = start;
    }

    fn find_pins(&mut self, rules: &Rules) {
        for token in rules.pinned.iter().filter(|token| token.len() > 1) {
            match self.find(token) {
                Some(candidate) => self.pins.push(candidate),
                None => self.absent_pins.push(token.clone()),
            }
        }
    }
}

const PRUNED: u32 = u32::MAX;
const KEPT: u32 = u32::MAX - 1;

/// The candidate number of each class of equal substrings, or [`PRUNED`], and how many candidates there are.
fn number_candidates(table: &Table, suffixes: &Suffixes, rules: &Rules) -> (Vec<u32>, usize) {
    let admissible: Vec<bool> = (0..table.len()).map(|p| rules.admits(table.pretoken(p))).collect();
    let mut number = Vec::new();
    suffixes.for_each_class(|class: Class| {
        let first = class.position as usize;
        let token = &table.text[first..first + usize::from(class.length)];
        let wanted = class.several_hosts
            || class.whole
            || !admissible[table.host[first] as usize]
            || (!rules.pinned.is_empty() && rules.pinned.contains(token));
        let index = class.index as usize;
        if number.len() <= index {
            number.resize(index + 1, PRUNED);
        }
        if wanted && rules.admits(token) {
            number[index] = KEPT;
        }
    });
    let mut next = 0;
    for slot in &mut number {
        if *slot == KEPT {
            *slot = next;
            next += 1;
        }
    }
    (number, next as usize)
}

/// How many arcs leave each position, and how long each candidate is.
struct Sizes {
    arc_start: Vec<u32>,
    length: Vec<u8>,
    arcs: usize,
}

impl Sizes {
    fn new(table: &Table, suffixes: &Suffixes, number: &[u32], candidates: usize) -> Self {
        let mut sizes =
            Self { arc_start: vec![0; table.text.len() + 1], length: vec![0; candidates], arcs: 0 };
        suffixes.for_each_substring(|position, length, class| {
            let candidate = number[class as usize];
            if candidate != PRUNED {
                sizes.arcs += 1;
                sizes.arc_start[position as usize + 1] += 1;
                sizes.length[candidate as usize] = length;
            }
        });
        // Where the sum leaves 32 bits it is not used: `check` refuses first.
        for position in 0..table.text.len() {
            sizes.arc_start[position + 1] =
                sizes.arc_start[position + 1].wrapping_add(sizes.arc_start[position]);
        }
        sizes
    }

    fn check(&self, positions: usize, limit: Option<u64>) -> Result<()> {
        if self.arcs > MAX_INDEX {
            return Err(too_large("occurrences of candidates", self.arcs));
        }
        let needed = memory_bytes(positions, self.arcs, self.length.len());
        match limit {
            Some(limit) if needed > limit => Err(Error::Limit {
                limit: "memory_limit".to_owned(),
                message: format!(
                    "{} occurrences of {} candidates need about {} MB, the limit is {} MB; raise it, or lower \
                     `top` or `max_token_bytes`",
                    self.arcs,
                    self.length.len(),
                    needed.div_ceil(1_000_000),
                    limit / 1_000_000
                ),
            }),
            _ => Ok(()),
        }
    }
}

/// Bytes that an instance of this size holds at its peak: while it is built, or in search and ascent.
fn memory_bytes(positions: usize, arcs: usize, candidates: usize) -> u64 {
    // Text, host, first arc, token length; length, candidate and occurrence of each arc.
    let tables = positions * (1 + 4 + 4 + 1) + arcs * (1 + 4 + 4) + candidates * 8;
    // A key and two numbers for each suffix, a number for each class of substrings.
    let sorting = positions * 24 + candidates * 32;
    // Multipliers, steps, their mean squares and the best multipliers of each arc and byte, and what is held
    // where; the places where tokens start; the trie of the candidates.
    let ascent = (arcs + positions) * 16 + arcs + positions * 17 + candidates * 28;
    (tables + sorting.max(ascent)) as u64
}

/// Length and candidate of each arc, those of a position together, longest first.
fn list_arcs(suffixes: &Suffixes, number: &[u32], sizes: &Sizes) -> (Vec<u8>, Vec<Candidate>) {
    let (mut lengths, mut candidates) = (vec![0; sizes.arcs], vec![0; sizes.arcs]);
    let mut last = u32::MAX;
    let mut slot = 0usize;
    suffixes.for_each_substring(|position, length, class| {
        if position != last {
            last = position;
            slot = sizes.arc_start[position as usize + 1] as usize;
        }
        let candidate = number[class as usize];
        if candidate != PRUNED {
            // Substrings of one position come by increasing length: fill its arcs from the back.
            slot -= 1;
            lengths[slot] = length;
            candidates[slot] = candidate;
        }
    });
    (lengths, candidates)
}

fn too_large(what: &str, count: usize) -> Error {
    Error::Limit {
        limit: "top".to_owned(),
        message: format!(
            "{count} {what} are more than 32-bit indices can number; train on the `top` most frequent pretokens"
        ),
    }
}

/// The first `t` below `count` for which `before` is false.
fn partition(count: u32, before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
