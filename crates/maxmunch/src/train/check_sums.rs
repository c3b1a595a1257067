//! The checker's second half: the value of the relaxation, added up in integers.

use std::collections::HashMap;

use super::check::{Claim, UNIT, misfit};
use super::multipliers::unpack;
use super::parts::{Case, Part};
use crate::error::Result;

/// A pretoken: where it starts, where it ends, and its count.
type Host = (usize, usize, u64);

/// What is known of some candidates: in the vocabulary, or not.
type Known = HashMap<u32, bool>;

/// One way to go on from a start.
#[derive(Clone, Copy)]
struct Step {
    /// Where it ends in the pretoken.
    end: usize,
    /// Its candidate; none for the single byte.
    candidate: Option<u32>,
    multiplier: i128,
}

/// A place of a pretoken where a token may start.
#[derive(Clone)]
struct Start {
    /// The single byte, then the candidates by increasing length.
    steps: Vec<Step>,
    /// The part that its candidates belong to.
    part: Option<usize>,
}

/// A pretoken of a part.
struct Member {
    count: u64,
    starts: Vec<Start>,
}

/// Everything that is added up. Candidates go by the numbers of their substrings.
pub(super) struct Sums<'a> {
    claim: &'a Claim<'a>,
    spelled: Vec<&'a [u8]>,
    kept: Vec<bool>,
    /// The longest candidate among the proper prefixes of each.
    parent: Vec<Option<u32>>,
    part: Vec<Option<usize>>,
    /// What is collected at the starts below each, for each of its candidate prefixes that may be the longest
    /// in the vocabulary: none, the shortest, ..., itself.
    collected: Vec<Vec<i128>>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(claim: &'a Claim<'a>, spelled: Vec<&'a [u8]>, kept: Vec<bool>) -> Self {
        let size = spelled.len();
        Self {
            claim,
            spelled,
            kept,
            parent: vec![None; size],
            part: vec![None; size],
            collected: vec![Vec::new(); size],
        }
    }

    /// What the multipliers prove for the pretokens of two bytes or more.
    pub(super) fn value(mut self, hosts: &[Host], ids: &[u32]) -> Result<i128> {
        let parts = self.claim.parts;
        let part_of_host = owners(parts, hosts.len())?;
        let roots = roots(parts)?;
        let mut members: Vec<Vec<Member>> = parts.iter().map(|_| Vec::new()).collect();
        let mut rest = (ids, self.claim.multipliers);
        let mut total = 0;
        for (&host, &own) in hosts.iter().zip(&part_of_host) {
            let starts = self.read(host, &roots, &mut rest)?;
            for start in starts.iter().filter(|start| own.is_none() || start.part != own) {
                total -= self.hang(start);
            }
            match own {
                Some(part) => members[part].push(Member { count: host.2, starts }),
                None => total += cheapest_path(host.2, &starts),
            }
        }
        if !rest.1.is_empty() {
            return Err(misfit("has multipliers for other candidates than these pretokens have"));
        }
        // Longest first: what is below a candidate is complete before it is asked for.
        let mut order: Vec<u32> = (0..self.kept.len() as u32).collect();
        order.retain(|&id| self.kept[id as usize]);
        order.sort_by_key(|&id| std::cmp::Reverse(self.spelled[id as usize].len()));
        let (mut common, mut apart) = (Vec::new(), vec![Vec::new(); parts.len()]);
        for id in order {
            self.part[id as usize].map_or(&mut common, |k| &mut apart[k]).push(id);
        }
        total -= self.most_collected(&common, &Known::new()) + self.places();
        for (k, part) in parts.iter().enumerate() {
            total += self.least_of_cases(k, part, &members[k], &apart[k])?;
        }
        Ok(total)
    }

    /// What the places of the vocabulary cost together, at the price; no more of them can be taken than there are
    /// candidates.
    fn places(&self) -> i128 {
        let candidates = self.kept.iter().filter(|kept| **kept).count();
        let pins = self.claim.rules.pinned.iter().filter(|token| token.len() > 1).count();
        let places = self.claim.budget.saturating_sub(pins).min(candidates);
        i128::from(self.claim.price) * places as i128
    }

    /// Takes the starts of one pretoken off the front of all substrings and multipliers.
    fn read(
        &mut self,
        (from, to, _): Host,
        roots: &HashMap<&[u8], usize>,
        rest: &mut (&[u32], &'a [i64]),
    ) -> Result<Vec<Start>> {
        let length = to - from;
        let mut starts = Vec::with_capacity(length);
        for at in 0..length {
            let longest = length.min(at + self.claim.rules.max_token_bytes);
            let (here, later) = rest.0.split_at((longest + 1).saturating_sub(at + 2));
            rest.0 = later;
            let mut steps = vec![Step { end: at + 1, candidate: None, multiplier: 0 }];
            let kept = (at + 2..).zip(here).filter(|(_, id)| self.kept[**id as usize]);
            steps.extend(kept.map(|(end, &id)| Step { end, candidate: Some(id), multiplier: 0 }));
            let part = steps
                .get(1)
                .and_then(|step| roots.get(self.spelled[step.candidate? as usize]).copied());
            let mut parent = None;
            for (below, id) in steps.iter().filter_map(|step| step.candidate).enumerate() {
                self.parent[id as usize] = parent;
                self.part[id as usize] = part;
                self.collected[id as usize].resize(below + 2, 0);
                parent = Some(id);
            }
            let mut start = Start { steps, part };
            price(&mut start, at > 0, &mut rest.1)?;
            starts.push(start);
        }
        Ok(starts)
    }

    /// Adds the multipliers of a start to its longest candidate; where there is none, returns the byte's, which
    /// any vocabulary collects.
    fn hang(&mut self, start: &Start) -> i128 {
        let Some(longest) = start.steps.last().and_then(|step| step.candidate) else {
            return start.steps.iter().map(|step| step.multiplier).sum();
        };
        for (sum, step) in self.collected[longest as usize].iter_mut().zip(&start.steps) {
            *sum += step.multiplier;
        }
        0
    }

    /// The most that a vocabulary with what is `known` can collect below the roots that `order` holds everything
    /// of: for each start the multiplier of the longest of its tokens that fits there, less the tokens' prices.
    fn most_collected(&mut self, order: &[u32], known: &Known) -> i128 {
        let price = i128::from(self.claim.price);
        let mut total = 0;
        for &id in order {
            let collected = std::mem::take(&mut self.collected[id as usize]);
            let is_pinned = self.claim.rules.pinned.contains(self.spelled[id as usize]);
            let (last, without) =
                collected.split_last().map_or((0, &[][..]), |(last, rest)| (*last, rest));
            let with = last - if is_pinned { 0 } else { price };
            let held = if is_pinned { Some(&true) } else { known.get(&id) };
            let best = without.iter().map(|&sum| match held {
                Some(true) => with,
                Some(false) => sum,
                None => sum.max(with),
            });
            match self.parent[id as usize] {
                None => total += best.sum::<i128>(),
                Some(parent) => {
                    for (above, best) in self.collected[parent as usize].iter_mut().zip(best) {
                        *above += best;
                    }
                }
            }
        }
        total
    }

    /// The least that any case of a part proves: every vocabulary belongs to one of them.
    fn least_of_cases(
        &mut self,
        own: usize,
        part: &Part,
        members: &[Member],
        order: &[u32],
    ) -> Result<i128> {
        let outside: Vec<Vec<i128>> =
            order.iter().map(|&id| self.collected[id as usize].clone()).collect();
        let starts = members.iter().flat_map(|member| &member.starts);
        let numbers = starts.filter(|start| start.part == Some(own)).map(|start| start.steps.len());
        let numbers = numbers.sum();
        let mut waiting = vec![Known::new()];
        let mut least = None;
        for case in &part.cases {
            let known = waiting.pop().ok_or_else(|| misfit("has cases beside a tree of cases"))?;
            match case {
                Case::Asks(token) => {
                    let found = order.iter().find(|&&id| self.spelled[id as usize] == token);
                    let id = *found.ok_or_else(|| misfit("asks for a token of another part"))?;
                    let with = |held: bool| {
                        let mut known = known.clone();
                        known.insert(id, held);
                        known
                    };
                    waiting.extend([with(false), with(true)]);
                }
                Case::Ends(multipliers) => {
                    for (&id, sums) in order.iter().zip(&outside) {
                        self.collected[id as usize].clone_from(sums);
                    }
                    let paths = self.paths(own, members, &unpack(multipliers, numbers)?, &known)?;
                    let value = paths - self.most_collected(order, &known);
                    least = Some(least.map_or(value, |least: i128| least.min(value)));
                }
            }
        }
        let whole = least.filter(|_| waiting.is_empty());
        whole.ok_or_else(|| misfit("has a tree of cases that is not whole"))
    }

    /// The cheapest paths of a part's pretokens with the multipliers of one case, which are hung as well. Where a
    /// token is known to be in the vocabulary no shorter one is used, and what is known to be out never is.
    fn paths(
        &mut self,
        own: usize,
        members: &[Member],
        multipliers: &[i64],
        known: &Known,
    ) -> Result<i128> {
        let mut rest = multipliers;
        let mut total = 0;
        for member in members {
            let mut starts = member.starts.clone();
            for (at, start) in starts.iter_mut().enumerate() {
                if start.part != Some(own) {
                    continue;
                }
                price(start, at > 0, &mut rest)?;
                self.hang(start);
                let held = |step: &Step| step.candidate.and_then(|id| known.get(&id)).copied();
                let longest = start.steps.iter().rposition(|step| held(step) == Some(true));
                start.steps.drain(..longest.unwrap_or(0));
                start.steps.retain(|step| held(step) != Some(false));
            }
            total += cheapest_path(member.count, &starts);
        }
        if rest.is_empty() { Ok(total) } else { Err(misfit("has a case with other multipliers")) }
    }
}

/// The part that each pretoken belongs to.
fn owners(parts: &[Part], hosts: usize) -> Result<Vec<Option<usize>>> {
    let mut owner = vec![None; hosts];
    for (k, part) in parts.iter().enumerate() {
        for &host in &part.hosts {
            let own = owner.get_mut(host as usize).filter(|owner| owner.is_none());
            *own.ok_or_else(|| misfit("has parts that are not of these pretokens"))? = Some(k);
        }
    }
    Ok(owner)
}

/// The part of each root.
fn roots(parts: &[Part]) -> Result<HashMap<&[u8], usize>> {
    let mut roots = HashMap::new();
    for (k, part) in parts.iter().enumerate() {
        for root in &part.roots {
            if roots.insert(&root[..], k).is_some() {
                return Err(misfit("has a root in two parts"));
            }
        }
    }
    Ok(roots)
}

/// Takes the multipliers of a start, the longest candidate's first, off the front of `rest`.
fn price(start: &mut Start, may_be_skipped: bool, rest: &mut &[i64]) -> Result<()> {
    let Some((own, later)) = rest.split_at_checked(start.steps.len()) else {
        return Err(misfit("has fewer multipliers than these pretokens have candidates"));
    };
    *rest = later;
    if may_be_skipped && own.iter().any(|&multiplier| multiplier < 0) {
        return Err(misfit("has a negative multiplier where none may be"));
    }
    for (step, &multiplier) in start.steps.iter_mut().zip(own.iter().rev()) {
        step.multiplier = multiplier.into();
    }
    Ok(())
}

/// Cost of the cheapest path through a pretoken.
fn cheapest_path(count: u64, starts: &[Start]) -> i128 {
    let token = i128::from(count) * UNIT;
    let mut cheapest = vec![0i128; starts.len() + 1];
    for (at, start) in starts.iter().enumerate().rev() {
        let cost = |step: &Step| token + step.multiplier + cheapest[step.end];
        cheapest[at] = start.steps.iter().map(cost).min().unwrap_or_default();
    }
    cheapest[0]
}
