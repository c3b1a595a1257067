//! Parts of the relaxation that stay loose, proven by cases.
//!
//! The relaxation lets a start collect what no path pays. It costs most in pretokens of one sign: a row of `=`
//! is cut by few tokens, each of which serves rows of many lengths, and half of one and half of another one
//! serve all of them. So a token is asked for: with it and without it multipliers of their own are found, and
//! so on in the case that proves least. A bound for all vocabularies is the least of all cases, part by part.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use super::instance::{Candidate, Instance};
use super::local::{Known, Local};
use super::local_steps::Point;
use super::multipliers::pack;
use super::parts::{Case, Part};
use super::threads::{on_threads, take};
use super::tokenization::Tokenization;
use crate::monitor::Monitor;

/// Cases of a part, at most.
const MOST_CASES: usize = 100;
/// Steps up in each case.
const STEPS: usize = 100;
/// A part is worth cases when so much of the whole cost is left open there, and at least a token.
const WORTH: f64 = 5e-6;
/// How near to wholly in or out the relaxation holds a token that it is not worth to ask for.
const CERTAIN: f64 = 1e-4;

/// What proving by cases may do.
#[derive(Debug, Clone)]
pub struct CasesOptions {
    /// A good vocabulary: what it costs is what the cases go up to.
    pub members: Vec<Candidate>,
    /// Threads; they change the time, never the result.
    pub threads: NonZeroUsize,
    /// Seconds after which no case is divided further. Then time decides what is found; without it the result
    /// is always the same.
    pub seconds: Option<f64>,
}

/// What was proven by cases.
#[derive(Debug, Clone)]
pub struct Proven {
    /// The parts, for a claim with the multipliers that they were found for.
    pub parts: Vec<Part>,
    /// By how much they raise the bound, in floating point.
    pub gain: f64,
    /// Whether the monitor or the clock stopped it.
    pub stopped: bool,
    /// Seconds it took.
    pub seconds: f64,
}

/// Raises the bound of some multipliers by cases.
///
/// # Complexity
/// A few passes over the arcs; then steps over each part that is worth it, [`STEPS`] for each of its cases.
pub fn prove_by_cases(
    instance: &Instance,
    (multipliers, price): (&[i64], u64),
    options: &CasesOptions,
    monitor: &dyn Monitor,
) -> Proven {
    let began = Instant::now();
    let members = Tokenization::new(instance, &options.members);
    let worth = (WORTH * members.cost() as f64).max(1.0);
    let all = signs(instance, (multipliers, price));
    let mut trees: Vec<Tree> = all
        .iter()
        .map(|part| {
            let held: Vec<bool> = part.candidates.iter().map(|&t| members.contains(t)).collect();
            Tree::new(part, part.cost(&held))
        })
        .filter(|tree| tree.upper - tree.first >= worth)
        .collect();
    let total = (trees.len() * MOST_CASES) as u64;
    let mut stopped = false;
    for (number, tree) in trees.iter_mut().enumerate() {
        loop {
            let done = (number * MOST_CASES + tree.cases()) as u64;
            stopped |= monitor.tick("cases", done, total) == ControlFlow::Break(());
            stopped |= options.seconds.is_some_and(|most| began.elapsed().as_secs_f64() >= most);
            if stopped || tree.cases() >= MOST_CASES || !tree.divide(options.threads) {
                break;
            }
        }
    }
    trees.retain(|tree| tree.gain() > 0.0);
    Proven {
        gain: trees.iter().map(Tree::gain).sum(),
        parts: trees.iter().map(|tree| tree.named(instance)).collect(),
        stopped,
        seconds: began.elapsed().as_secs_f64(),
    }
}

/// One part for each byte: the pretokens that hold it and otherwise only white space, and the roots that begin
/// with two such bytes.
fn signs(instance: &Instance, point: (&[i64], u64)) -> Vec<Local> {
    let part_of_host: Vec<Option<usize>> =
        (0..instance.table.len()).map(|p| sign(instance.table.pretoken(p))).collect();
    let mut is_met = vec![false; instance.candidates()];
    let mut part_of_candidate: Vec<Option<usize>> = vec![None; instance.candidates()];
    for (p, part) in part_of_host.iter().enumerate() {
        for position in instance.table.range(p).filter(|_| part.is_some()) {
            if let Some(root) = instance.arc_range(position).last() {
                is_met[instance.arc_candidate[root] as usize] = true;
            }
        }
    }
    for position in 0..instance.table.text.len() {
        let arcs = instance.arc_range(position);
        let Some(root) = arcs.clone().last().map(|arc| instance.arc_candidate[arc]) else {
            continue;
        };
        let part = sign(&instance.token(root)[..2]).filter(|_| is_met[root as usize]);
        for arc in arcs.filter(|_| part.is_some()) {
            part_of_candidate[instance.arc_candidate[arc] as usize] = part;
        }
    }
    Local::all(instance, point, 256, &part_of_host, &part_of_candidate)
}

/// The one byte of a string that is no white space, if it has one and no other.
fn sign(string: &[u8]) -> Option<usize> {
    let mut others = string.iter().filter(|byte| !byte.is_ascii_whitespace());
    let first = others.next()?;
    others.all(|byte| byte == first).then_some(usize::from(*first))
}

/// The cases of a part.
struct Tree<'a> {
    part: &'a Local,
    /// What the best known vocabulary costs in this part.
    upper: f64,
    /// What the part proves without cases.
    first: f64,
    nodes: Vec<Node>,
}

enum Node {
    /// A local candidate, and the nodes for "yes" and "no".
    Asks(usize, [usize; 2]),
    Ends(Vec<Known>, Point),
}

impl<'a> Tree<'a> {
    fn new(part: &'a Local, upper: f64) -> Self {
        let known = vec![None; part.candidates.len()];
        let first = part.value(&part.base, &known);
        Self { part, upper, first, nodes: Vec::new() }
    }

    fn cases(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// The case that proves least.
    fn least(&self) -> Option<(usize, &[Known], &Point)> {
        let ends = self.nodes.iter().enumerate().filter_map(|(at, node)| match node {
            Node::Asks(..) => None,
            Node::Ends(known, point) => Some((at, &known[..], point)),
        });
        ends.min_by(|left, right| left.2.value.total_cmp(&right.2.value))
    }

    /// By how much the cases raise what the part proves.
    fn gain(&self) -> f64 {
        self.least().map_or(0.0, |(_, _, point)| point.value - self.first)
    }

    /// Divides the case that proves least; says whether that may have raised what all prove.
    fn divide(&mut self, threads: NonZeroUsize) -> bool {
        let Some((at, known, point)) = self.least() else {
            let known = vec![None; self.part.candidates.len()];
            let point = self.part.ascend(self.part.base.clone(), &known, self.upper, STEPS);
            self.nodes.push(Node::Ends(known, point));
            return true;
        };
        let Some(asked) = self.fractional(known, point) else { return false };
        if point.value + 1.0 > self.upper {
            return false;
        }
        let answers = Mutex::new([true, false].into_iter());
        let run = || {
            let mut found = Vec::new();
            while let Some(answer) = take(&answers) {
                let mut known = known.to_vec();
                known[asked] = Some(answer);
                let from = point.multipliers.clone();
                let point = self.part.ascend(from, &known, self.upper, STEPS);
                found.push((answer, known, point));
            }
            found
        };
        let mut found: Vec<_> = on_threads(threads.min(TWO), run).into_iter().flatten().collect();
        found.sort_by_key(|(answer, ..)| !answer);
        let next = self.nodes.len();
        self.nodes[at] = Node::Asks(asked, [next, next + 1]);
        self.nodes.extend(found.into_iter().map(|(_, known, point)| Node::Ends(known, point)));
        true
    }

    /// The token that the relaxation holds most nearly half of.
    fn fractional(&self, known: &[Known], point: &Point) -> Option<usize> {
        let half = |t: &usize| point.average[*t] * (1.0 - point.average[*t]);
        (0..known.len())
            .filter(|&t| known[t].is_none() && !self.part.pinned[t])
            .max_by(|left, right| half(left).total_cmp(&half(right)))
            .filter(|t| half(t) > CERTAIN)
    }

    /// The part as a certificate holds it.
    fn named(&self, instance: &Instance) -> Part {
        let mut part = self.part.named(instance);
        let mut waiting = vec![0];
        while let Some(at) = waiting.pop() {
            part.cases.push(match &self.nodes[at] {
                Node::Asks(asked, [yes, no]) => {
                    waiting.extend([no, yes]);
                    Case::Asks(instance.token(self.part.candidates[*asked]).to_vec())
                }
                Node::Ends(known, point) => {
                    Case::Ends(pack(&self.part.integers(&point.multipliers, known)))
                }
            });
        }
        part
    }
}

/// Answers to a question.
const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);
