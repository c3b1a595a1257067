//! A part of the relaxation by itself: some pretokens, and all candidates below some roots of the trie.
//!
//! What other pretokens collect at these candidates is added up beforehand, so that one look at a part takes
//! as long as the part is large. Of some candidates it may be known whether they are in the vocabulary.

use std::ops::Range;

use super::instance::{Candidate, Instance};
use super::parts::Part;
use super::relaxation::UNITS;
use super::trie::Trie;

/// Whether a candidate is in the vocabulary, where that is known.
pub(super) type Known = Option<bool>;

#[derive(Clone, Default)]
pub(super) struct Local {
    /// Ranks of its pretokens.
    pub(super) hosts: Vec<u32>,
    /// All candidates below its roots, increasing, so that prefixes come first.
    pub(super) candidates: Vec<Candidate>,
    /// Candidates among the prefixes of each, itself included.
    depth: Vec<usize>,
    /// The longest one among its proper prefixes.
    parent: Vec<Option<usize>>,
    pub(super) pinned: Vec<bool>,
    /// What other pretokens collect at candidate `t` when its `j`-th prefix is the longest that is held:
    /// `outside[row[t] + j]`.
    outside: Vec<f64>,
    row: Vec<usize>,
    pub(super) words: Vec<Word>,
    /// The multipliers that it starts from, in units of the pretokens' counts.
    pub(super) base: Vec<f64>,
    price: f64,
}

/// The part of each candidate, and its number there.
struct Whose<'a> {
    part: &'a [Option<usize>],
    number: &'a [usize],
}

/// A pretoken.
#[derive(Clone)]
pub(super) struct Word {
    pub(super) weight: f64,
    pub(super) places: Vec<Place>,
}

/// A place of a pretoken.
#[derive(Clone)]
pub(super) struct Place {
    /// Bytes and candidate of each token that may start here, longest first; the single byte is not listed.
    pub(super) ways: Vec<(u8, Option<u32>)>,
    /// Where their multipliers begin; that of the byte is the last.
    pub(super) slot: usize,
    /// Its longest candidate, if it belongs to the part; else its multipliers stay what they are.
    pub(super) node: Option<usize>,
}

/// Where paths and vocabulary go at some multipliers.
pub(super) struct Look {
    pub(super) value: f64,
    /// Bytes of the token that the cheapest path takes, for all places in order; 0 where it does not pass.
    pub(super) taken: Vec<u8>,
    pub(super) chosen: Vec<bool>,
    /// Which of its prefixes is the longest held one.
    pub(super) nearest: Vec<usize>,
}

impl Place {
    pub(super) fn slots(&self) -> Range<usize> {
        self.slot..self.slot + self.ways.len() + 1
    }
}

impl Local {
    /// The parts of the relaxation at `multipliers`; `part_of_host` and `part_of_candidate` say what is whose.
    pub(super) fn all(
        instance: &Instance,
        (multipliers, price): (&[i64], u64),
        count: usize,
        part_of_host: &[Option<usize>],
        part_of_candidate: &[Option<usize>],
    ) -> Vec<Self> {
        let empty = Self { price: price as f64 / UNITS, ..Self::default() };
        let mut parts: Vec<Self> = (0..count).map(|_| empty.clone()).collect();
        let mut number = vec![0usize; instance.candidates()];
        let trie = Trie::new(instance);
        for (t, part) in part_of_candidate.iter().enumerate() {
            if let Some(part) = part {
                number[t] = parts[*part].candidates.len();
                parts[*part].enter(instance, t as Candidate, &trie, &number);
            }
        }
        let whose = Whose { part: part_of_candidate, number: &number };
        for (p, &own) in part_of_host.iter().enumerate() {
            for position in instance.table.range(p) {
                let arcs = instance.arc_range(position);
                let values = &multipliers[arcs.start + position..=arcs.end + position];
                let Some(longest) = arcs.clone().next() else { continue };
                let t = instance.arc_candidate[longest];
                // What hangs at the candidates of a part, and is not the part's own, stays what it is.
                if let Some(part) = whose.part[t as usize].filter(|_| whose.part[t as usize] != own)
                {
                    parts[part].collect(number[t as usize], values);
                }
            }
            if let Some(own) = own {
                parts[own].enter_word(instance, p, own, multipliers, &whose);
            }
        }
        parts
    }

    fn enter(&mut self, instance: &Instance, t: Candidate, trie: &Trie, number: &[usize]) {
        let at = t as usize;
        self.candidates.push(t);
        self.depth.push(trie.depth[at].into());
        self.parent.push(number.get(trie.parent[at] as usize).copied());
        self.pinned.push(instance.pins.binary_search(&t).is_ok());
        self.row.push(self.outside.len());
        self.outside.resize(self.outside.len() + usize::from(trie.depth[at]) + 1, 0.0);
    }

    /// Takes in a pretoken, and its multipliers in units of its count.
    fn enter_word(
        &mut self,
        instance: &Instance,
        p: usize,
        own: usize,
        multipliers: &[i64],
        whose: &Whose<'_>,
    ) {
        let weight = instance.table.weight[p] as f64;
        let local = |arc: usize| {
            let t = instance.arc_candidate[arc] as usize;
            whose.part[t].filter(|&part| part == own).map(|_| whose.number[t])
        };
        let mut places = Vec::new();
        for position in instance.table.range(p) {
            let arcs = instance.arc_range(position);
            let values = &multipliers[arcs.start + position..=arcs.end + position];
            let node = arcs.clone().next().and_then(local);
            let slot = self.base.len();
            self.base.extend(values.iter().map(|&value| value as f64 / UNITS / weight));
            let way = |arc| (instance.arc_length[arc], local(arc).map(|t| t as u32));
            places.push(Place { ways: arcs.map(way).collect(), slot, node });
        }
        self.hosts.push(p as u32);
        self.words.push(Word { weight, places });
    }

    /// Adds what a place of another pretoken collects.
    fn collect(&mut self, t: usize, values: &[i64]) {
        let row = &mut self.outside[self.row[t]..];
        for (sum, &value) in row.iter_mut().zip(values.iter().rev()) {
            *sum += value as f64 / UNITS;
        }
    }

    /// The value at some multipliers for the vocabularies of which this is known.
    pub(super) fn value(&self, multipliers: &[f64], known: &[Known]) -> f64 {
        self.look(multipliers, known).value
    }

    /// About what the part costs with these of its candidates.
    pub(super) fn cost(&self, held: &[bool]) -> f64 {
        // Where all is known nothing has to be paid for.
        let mut none = self.base.clone();
        for place in self.free() {
            none[place.slots()].fill(0.0);
        }
        self.value(&none, &held.iter().map(|&held| Some(held)).collect::<Vec<_>>())
    }

    /// The places whose multipliers may differ from case to case.
    fn free(&self) -> impl Iterator<Item = &Place> {
        self.words.iter().flat_map(|word| &word.places).filter(|place| place.node.is_some())
    }

    pub(super) fn look(&self, multipliers: &[f64], known: &[Known]) -> Look {
        let mut taken = Vec::new();
        let mut sums = self.outside.clone();
        let mut value = 0.0;
        for word in &self.words {
            value += word.weight * shortest_path(word, multipliers, known, &mut taken);
            for place in &word.places {
                let Some(t) = place.node else { continue };
                let own = &multipliers[place.slots()];
                for (sum, multiplier) in sums[self.row[t]..].iter_mut().zip(own.iter().rev()) {
                    *sum += word.weight * multiplier;
                }
            }
        }
        let (collected, held) = self.choose(&mut sums, known);
        let mut nearest = vec![0; self.depth.len()];
        let mut chosen = vec![false; self.depth.len()];
        for t in 0..nearest.len() {
            let above = self.parent[t].map_or(0, |parent| nearest[parent]);
            chosen[t] = held[self.row[t] + above];
            nearest[t] = if chosen[t] { self.depth[t] } else { above };
        }
        Look { value: value - collected, taken, chosen, nearest }
    }

    /// The most that can be collected, and whether each candidate is held below each longest held prefix.
    fn choose(&self, sums: &mut [f64], known: &[Known]) -> (f64, Vec<bool>) {
        let mut held = vec![false; sums.len()];
        let mut total = 0.0;
        for t in (0..self.depth.len()).rev() {
            let (row, depth) = (self.row[t], self.depth[t]);
            let with = sums[row + depth] - if self.pinned[t] { 0.0 } else { self.price };
            let certain = if self.pinned[t] { Some(true) } else { known[t] };
            for j in 0..depth {
                let without = sums[row + j];
                let takes = certain.unwrap_or(with > without);
                held[row + j] = takes;
                let best = if takes { with } else { without };
                match self.parent[t] {
                    Some(parent) => sums[self.row[parent] + j] += best,
                    None => total += best,
                }
            }
        }
        (total, held)
    }

    /// Multipliers of the free places in 1/1024 of a token; those that nothing known leaves a use for are zero.
    pub(super) fn integers(&self, multipliers: &[f64], known: &[Known]) -> Vec<i64> {
        let mut integers = Vec::new();
        for word in &self.words {
            for place in word.places.iter().filter(|place| place.node.is_some()) {
                let mut is_used = true;
                let uses = place.ways.iter().map(|way| way.1.and_then(|t| known[t as usize]));
                for (slot, use_) in place.slots().zip(uses.chain([None])) {
                    let value = (multipliers[slot] * word.weight * UNITS).round() as i64;
                    integers.push(if is_used && use_ != Some(false) { value } else { 0 });
                    is_used &= use_ != Some(true);
                }
            }
        }
        integers
    }

    /// The part without its cases, as a certificate names it.
    pub(super) fn named(&self, instance: &Instance) -> Part {
        let roots = self.candidates.iter().zip(&self.depth).filter(|(_, depth)| **depth == 1);
        Part {
            hosts: self.hosts.clone(),
            roots: roots.map(|(&t, _)| instance.token(t).to_vec()).collect(),
            cases: Vec::new(),
        }
    }
}

/// The cheapest path through a pretoken, in units of its count; appends what it takes.
fn shortest_path(word: &Word, multipliers: &[f64], known: &[Known], taken: &mut Vec<u8>) -> f64 {
    let first = taken.len();
    taken.resize(first + word.places.len(), 0);
    let mut best = vec![0.0; word.places.len() + 1];
    for (at, place) in word.places.iter().enumerate().rev() {
        let (mut lowest, mut length) = (f64::INFINITY, 1);
        let mut is_open = true;
        for (way, slot) in place.ways.iter().zip(place.slots()) {
            let certain = way.1.and_then(|t| known[t as usize]);
            if certain == Some(false) {
                continue;
            }
            let cost = multipliers[slot] + best[at + usize::from(way.0)];
            if cost < lowest {
                (lowest, length) = (cost, way.0);
            }
            if certain == Some(true) {
                is_open = false;
                break;
            }
        }
        let byte = multipliers[place.slot + place.ways.len()] + best[at + 1];
        if is_open && byte < lowest {
            (lowest, length) = (byte, 1);
        }
        best[at] = 1.0 + lowest;
        taken[first + at] = length;
    }
    let mut next = first;
    for (at, length) in taken.iter_mut().enumerate().skip(first) {
        if at == next {
            next += usize::from(*length);
        } else {
            *length = 0;
        }
    }
    best[0]
}
