//! Bounds by cases against the optimum by brute force, and what their checker refuses.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::local::Local;
use super::multipliers::{pack, put, unpack};
use super::tests::{ascent, build, found, optimum, optimum_with_pins, runs, substrings, tiny};
use super::{
    Case, CasesOptions, Claim, Instance, Part, PretokenCounts, Proven, Rules, check_bound,
    most_multipliers, prove_by_cases,
};
use crate::Quiet;

type Point<'a> = (&'a [i64], u64);

fn divided(instance: &Instance, budget: usize, point: Point<'_>, threads: usize) -> Proven {
    let options = CasesOptions {
        members: found(instance, budget, 1).members,
        threads: NonZeroUsize::new(threads).unwrap(),
        seconds: None,
    };
    prove_by_cases(instance, point, &options, &Quiet)
}

fn claim<'a>(
    counts: &'a PretokenCounts,
    rules: &'a Rules,
    budget: usize,
    (multipliers, price): Point<'a>,
    parts: &'a [Part],
) -> Claim<'a> {
    Claim { counts, rules, budget, multipliers, price, parts }
}

/// Rows of one sign, some with a space before or a line end after them.
fn rows() -> impl Strategy<Value = PretokenCounts> {
    let row = (" ?={1,7}\n?|-{2,5}", 1u64..30);
    proptest::collection::vec(row, 1..6).prop_map(|rows| PretokenCounts::from_pairs(rows).unwrap())
}

/// Each leaf with other multipliers: any number at the start of a pretoken, none below zero elsewhere.
fn shaken(instance: &Instance, parts: &[Part], numbers: &[i64]) -> Vec<Part> {
    let mut parts = parts.to_vec();
    let mut next = numbers.iter().cycle();
    for part in &mut parts {
        let opens = openings(instance, part);
        for case in &mut part.cases {
            let Case::Ends(packed) = case else { continue };
            let mut multipliers = unpack(packed, opens.len()).unwrap();
            for (multiplier, &opens) in multipliers.iter_mut().zip(&opens) {
                *multiplier += next.next().unwrap();
                *multiplier = if opens { *multiplier } else { (*multiplier).max(0) };
            }
            *packed = pack(&multipliers);
        }
    }
    parts
}

/// For each multiplier of a case whether it belongs to the start of a pretoken.
fn openings(instance: &Instance, part: &Part) -> Vec<bool> {
    let mut openings = Vec::new();
    for &host in &part.hosts {
        let range = instance.table.range(host as usize);
        for position in range.clone() {
            let arcs = instance.arc_range(position);
            let root = arcs.clone().last().map(|arc| instance.token(instance.arc_candidate[arc]));
            if root.is_some_and(|root| part.roots.iter().any(|own| own == root)) {
                let more = openings.len() + arcs.len() + 1;
                openings.resize(more, position == range.start);
            }
        }
    }
    openings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn cases_prove_no_more_than_the_optimum_and_no_less_than_the_multipliers(
        counts in prop_oneof![tiny(), runs(), rows()], budget in 1usize..4, steps in 1usize..60,
        pin in any::<bool>(), threads in 1usize..3, cheaper in 0u64..2000,
        numbers in proptest::collection::vec(prop_oneof![Just(0i64), -3000i64..6000], 1..60),
    ) {
        let pinned = if pin { [b"aa".to_vec()].into() } else { BTreeSet::new() };
        let rules = Rules { pinned, ..Rules::default() };
        let instance = build(&counts, &rules);
        prop_assume!(budget <= instance.candidates());
        prop_assume!(instance.absent_pins().is_empty());
        let near = ascent(&instance, budget, steps, 1);
        let point = (&near.multipliers[..], near.price.saturating_sub(cheaper));

        let done = divided(&instance, budget, point, threads);

        let best = optimum_with_pins(&counts, &rules, budget);
        let without = check_bound(&claim(&counts, &rules, budget, point, &[])).unwrap();
        let with = check_bound(&claim(&counts, &rules, budget, point, &done.parts)).unwrap();
        prop_assert!(with <= best);
        prop_assert!(with + 1 >= without);
        // What was found is what is checked, but for rounding.
        prop_assert!((with as f64 - without as f64 - done.gain).abs() <= 2.5);
        let shaken = shaken(&instance, &done.parts, &numbers);
        prop_assert!(check_bound(&claim(&counts, &rules, budget, point, &shaken)).unwrap() <= best);
        prop_assert_eq!(&done.parts, &divided(&instance, budget, point, 3 - threads).parts);
    }

    #[test]
    fn a_part_looked_at_by_itself_costs_what_the_vocabulary_costs_there(
        counts in rows(), mask in any::<u64>(),
    ) {
        let instance = build(&counts, &Rules::default());
        let (hosts, candidates) = (instance.table.len(), instance.candidates());
        // One part of everything, for a price of nothing: its cost is the whole cost.
        let zeros = vec![0; instance.multipliers()];
        let (of_host, of_candidate) = (vec![Some(0); hosts], vec![Some(0); candidates]);
        let parts = Local::all(&instance, (&zeros, 0), 1, &of_host, &of_candidate);
        let held: Vec<bool> = (0..candidates).map(|t| mask >> (t % 64) & 1 == 1).collect();
        let members: Vec<u32> = (0..candidates as u32).filter(|&t| held[t as usize]).collect();

        let cost = super::Tokenization::new(&instance, &members).cost();

        let constant = instance.table.constant as f64;
        prop_assert!((constant + parts[0].cost(&held) - cost as f64).abs() < 1e-6);
    }
}

/// Rows of `=` as rulers of titles are, and multipliers that are as good as they get.
fn rulers() -> (PretokenCounts, Instance, Vec<i64>, u64) {
    let rows: Vec<(String, u64)> = (2..=20).map(|n| ("=".repeat(n), 400 / n as u64)).collect();
    let rows = rows.iter().map(|(row, count)| (row.as_str(), *count));
    let counts = PretokenCounts::from_pairs(rows).unwrap();
    let instance = build(&counts, &Rules::default());
    let ascent = ascent(&instance, 3, 2000, 1);
    (counts, instance, ascent.multipliers, ascent.price)
}

#[test]
fn cases_close_half_of_the_gap_in_rows_of_one_sign() {
    let (counts, instance, multipliers, price) = rulers();
    let (rules, point) = (Rules::default(), (&multipliers[..], price));
    let best = optimum(&counts, &substrings(&counts, &rules), 3);

    let done = divided(&instance, 3, point, 1);

    let without = check_bound(&claim(&counts, &rules, 3, point, &[])).unwrap();
    let with = check_bound(&claim(&counts, &rules, 3, point, &done.parts)).unwrap();
    assert!(!done.stopped);
    assert!(with <= best && without < best);
    assert!(best - with <= (best - without) / 2, "{without} {with} {best}");
}

#[test]
fn cases_that_leave_something_out_are_refused() {
    let (counts, instance, multipliers, price) = rulers();
    let (rules, point) = (Rules::default(), (&multipliers[..], price));
    let part = divided(&instance, 3, point, 1).parts.remove(0);
    let asked = part.cases.iter().filter(|case| matches!(case, Case::Asks(_))).count();
    assert!(asked > 0 && matches!(part.cases.last(), Some(Case::Ends(_))));
    let changed = |change: &dyn Fn(&mut Part)| {
        let mut part = part.clone();
        change(&mut part);
        part
    };
    let wrong = [
        vec![changed(&|part| part.cases.truncate(part.cases.len() - 1))],
        vec![changed(&|part| part.cases.push(part.cases[part.cases.len() - 1].clone()))],
        vec![changed(&|part| part.cases.clear())],
        vec![changed(&|part| part.cases[0] = Case::Asks(b"=?".to_vec()))],
        vec![changed(&|part| part.hosts[0] = 1000)],
        vec![changed(&|part| part.roots.truncate(part.roots.len() - 1))],
        vec![changed(&|part| part.roots.push(part.roots[0].clone()))],
        vec![changed(&|part| part.hosts.truncate(part.hosts.len() - 1))],
        vec![changed(&|part| {
            let count = openings(&instance, part).len();
            if let Some(Case::Ends(packed)) = part.cases.last_mut() {
                *packed = pack(&vec![-1; count]);
            }
        })],
        // A few bytes that stand for more multipliers than any memory has.
        vec![changed(&|part| {
            if let Some(Case::Ends(packed)) = part.cases.last_mut() {
                packed.clear();
                put(packed, 1 << 60);
            }
        })],
        vec![part.clone(), part.clone()],
    ];

    assert!(check_bound(&claim(&counts, &rules, 3, point, &[part])).is_ok());
    for parts in wrong {
        assert!(check_bound(&claim(&counts, &rules, 3, point, &parts)).is_err());
    }
}

#[test]
fn a_price_and_places_without_end_prove_no_more_than_the_truth() {
    let (counts, _, multipliers, _) = rulers();
    let rules = Rules::default();
    // Where every pretoken is a token.
    let best: u64 = counts.iter().map(|(_, count)| count).sum();
    for price in [u64::MAX, u64::MAX / 2, 1 << 40] {
        for budget in [usize::MAX, usize::MAX / 2, 1 << 40] {
            let bound = check_bound(&claim(&counts, &rules, budget, (&multipliers, price), &[]));
            assert!(bound.is_err() || bound.is_ok_and(|bound| bound <= best));
        }
    }
    let numbers = most_multipliers(&counts, &rules);
    assert!(multipliers.len() <= numbers && numbers < 2 * multipliers.len());
}
