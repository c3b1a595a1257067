//! Which states of an automaton are the same: the coarsest partition that respects the transitions.
//!
//! Hopcroft's algorithm: every block is used once to split all others by who leads into it, and of a block that
//! is split only the smaller half has to be used again.

use hashbrown::HashMap;

use super::dfa::NONE;

/// The coarsest partition of states that respects `initial` and the transitions; blocks are numbered in
/// order of first member. A target that is no state ([`NONE`] or another mark) is equal to itself only.
///
/// Complexity: `O(m log n log m)` for `n` states and `m` transitions.
pub fn partition(initial: &[u32], symbols: usize, next: impl Fn(usize, usize) -> u32) -> Vec<u32> {
    let incoming = Incoming::new(initial.len(), symbols, next);
    let mut blocks = Blocks::new(initial, incoming.targets());
    let mut pending: Vec<u32> = (0..blocks.ranges.len() as u32).collect();
    while let Some(block) = pending.pop() {
        let mut edges: Vec<(u32, u32)> =
            blocks.members(block).iter().flat_map(|&state| incoming.of(state)).copied().collect();
        edges.sort_unstable();
        for group in edges.chunk_by(|left, right| left.0 == right.0) {
            for &(_, source) in group {
                blocks.mark(source);
            }
            pending.extend(blocks.split());
        }
    }
    blocks.numbered(initial.len())
}

/// The transitions by target; those to [`NONE`] are left out, since they tell apart nothing that the others
/// do not.
struct Incoming {
    /// Transitions into target `t` are `edges[offsets[t]..offsets[t + 1]]`.
    offsets: Vec<u32>,
    /// Symbol and source.
    edges: Vec<(u32, u32)>,
}

impl Incoming {
    fn new(states: usize, symbols: usize, next: impl Fn(usize, usize) -> u32) -> Self {
        let mut marks: HashMap<u32, u32> = HashMap::new();
        let mut all: Vec<(u32, u32, u32)> = vec![]; // target, symbol, source
        for state in 0..states {
            for symbol in 0..symbols {
                let target = next(state, symbol);
                if target == NONE {
                    continue;
                }
                let fresh = (states + marks.len()) as u32;
                let known = (target as usize) < states;
                let target = if known { target } else { *marks.entry(target).or_insert(fresh) };
                all.push((target, symbol as u32, state as u32));
            }
        }
        all.sort_unstable();
        let mut offsets = vec![0; states + marks.len() + 1];
        for &(target, _, _) in &all {
            offsets[target as usize + 1] += 1;
        }
        for index in 1..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        let edges = all.into_iter().map(|(_, symbol, source)| (symbol, source)).collect();
        Self { offsets, edges }
    }

    fn targets(&self) -> usize {
        self.offsets.len() - 1
    }

    fn of(&self, target: u32) -> &[(u32, u32)] {
        let at = target as usize;
        &self.edges[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// A partition that can be refined: the members of a block are next to each other, marked ones first.
struct Blocks {
    members: Vec<u32>,
    /// Where each member is.
    places: Vec<u32>,
    block_of: Vec<u32>,
    /// First place, place behind the last, number of marked members.
    ranges: Vec<(u32, u32, u32)>,
    /// Blocks with marked members.
    touched: Vec<u32>,
}

impl Blocks {
    /// Blocks of equal `initial`; every target beyond those is a block of its own.
    fn new(initial: &[u32], targets: usize) -> Self {
        let mut members: Vec<u32> = (0..targets as u32).collect();
        let key = |state: u32| match initial.get(state as usize) {
            Some(&kind) => (0, kind),
            None => (1, state),
        };
        members.sort_by_key(|&state| key(state));
        let mut blocks = Self {
            places: vec![0; targets],
            block_of: vec![0; targets],
            ranges: vec![],
            touched: vec![],
            members,
        };
        for place in 0..targets {
            let state = blocks.members[place];
            if place == 0 || key(blocks.members[place - 1]) != key(state) {
                blocks.ranges.push((place as u32, place as u32, 0));
            }
            let block = blocks.ranges.len() - 1;
            blocks.ranges[block].1 = place as u32 + 1;
            blocks.places[state as usize] = place as u32;
            blocks.block_of[state as usize] = block as u32;
        }
        blocks
    }

    fn members(&self, block: u32) -> &[u32] {
        let (first, end, _) = self.ranges[block as usize];
        &self.members[first as usize..end as usize]
    }

    fn mark(&mut self, state: u32) {
        let block = self.block_of[state as usize];
        let (first, _, marked) = &mut self.ranges[block as usize];
        let (place, border) = (self.places[state as usize], *first + *marked);
        if place < border {
            return; // marked already
        }
        if *marked == 0 {
            self.touched.push(block);
        }
        *marked += 1;
        let other = self.members[border as usize];
        self.members.swap(place as usize, border as usize);
        self.places[state as usize] = border;
        self.places[other as usize] = place;
    }

    /// Splits the blocks of which some members are marked; gives the smaller halves.
    fn split(&mut self) -> Vec<u32> {
        let mut fresh = vec![];
        for block in std::mem::take(&mut self.touched) {
            let (first, end, marked) = self.ranges[block as usize];
            let border = first + marked;
            self.ranges[block as usize].2 = 0;
            if border == end {
                continue;
            }
            let (small, large) = if marked <= end - border {
                ((first, border), (border, end))
            } else {
                ((border, end), (first, border))
            };
            let number = self.ranges.len() as u32;
            self.ranges[block as usize] = (large.0, large.1, 0);
            self.ranges.push((small.0, small.1, 0));
            for place in small.0..small.1 {
                self.block_of[self.members[place as usize] as usize] = number;
            }
            fresh.push(number);
        }
        fresh
    }

    /// The block of each state, numbered in order of first member.
    fn numbered(&self, states: usize) -> Vec<u32> {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        (0..states)
            .map(|state| {
                let fresh = numbers.len() as u32;
                *numbers.entry(self.block_of[state]).or_insert(fresh)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By the definition: refine until nothing changes.
    fn slowly(initial: &[u32], symbols: usize, next: impl Fn(usize, usize) -> u32) -> Vec<u32> {
        let mut blocks: Vec<u32> = initial.to_vec();
        loop {
            let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
            let finer: Vec<u32> = (0..initial.len())
                .map(|state| {
                    let mut key = vec![blocks[state]];
                    key.extend((0..symbols).map(|symbol| {
                        let target = next(state, symbol);
                        blocks.get(target as usize).copied().unwrap_or(target)
                    }));
                    let fresh = numbers.len() as u32;
                    *numbers.entry(key).or_insert(fresh)
                })
                .collect();
            if finer == blocks {
                return blocks;
            }
            blocks = finer;
        }
    }

    proptest! {
        #[test]
        fn it_is_the_coarsest_partition(
            (initial, targets) in (1..12_usize).prop_flat_map(|states| {
                let target = prop_oneof![
                    4 => 0..states as u32,
                    1 => Just(NONE),
                    1 => Just(NONE - 1),
                ];
                (
                    prop::collection::vec(0..3_u32, states),
                    prop::collection::vec(target, states * 3),
                )
            }),
        ) {
            let next = |state: usize, symbol: usize| targets[state * 3 + symbol];
            prop_assert_eq!(slowly(&initial, 3, next), partition(&initial, 3, next));
        }
    }
}
