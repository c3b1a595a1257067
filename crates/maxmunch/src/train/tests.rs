//! Everything clever in this flow against the slow and obvious: brute force and full recounts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::choice::Choice;
use super::{
    AnnealOptions, Annealed, Ascent, BoundOptions, Candidate, Claim, Climb, Found, Instance,
    PretokenCounts, Rules, SearchOptions, Tokenization, anneal, check_bound, raise_bound, search,
};
use crate::Quiet;

type Vocabulary = BTreeSet<Vec<u8>>;

/// Greedy longest match, as one would explain it.
fn greedy(pretoken: &[u8], vocabulary: &Vocabulary) -> u64 {
    let mut start = 0;
    let mut tokens = 0;
    while start < pretoken.len() {
        let longest = (start + 2..=pretoken.len())
            .rev()
            .find(|&end| vocabulary.contains(&pretoken[start..end]));
        start = longest.unwrap_or(start + 1);
        tokens += 1;
    }
    tokens
}

pub(super) fn recount(counts: &PretokenCounts, vocabulary: &Vocabulary) -> u64 {
    counts.iter().map(|(pretoken, count)| count * greedy(pretoken, vocabulary)).sum()
}

/// Every admissible substring of every pretoken, without any pruning.
pub(super) fn substrings(counts: &PretokenCounts, rules: &Rules) -> Vec<Vec<u8>> {
    let mut found = BTreeSet::new();
    for (pretoken, _) in counts.iter() {
        for start in 0..pretoken.len() {
            for end in start + 2..=pretoken.len() {
                found.insert(pretoken[start..end].to_vec());
            }
        }
    }
    found.into_iter().filter(|token| rules.admits(token)).collect()
}

/// The least cost of at most `budget` of `tokens`, by trying all choices.
pub(super) fn optimum(counts: &PretokenCounts, tokens: &[Vec<u8>], budget: usize) -> u64 {
    choose(counts, tokens, budget, &mut Vocabulary::new())
}

/// The same for the tokens that `rules` allow, where those pinned are held in any case.
pub(super) fn optimum_with_pins(counts: &PretokenCounts, rules: &Rules, budget: usize) -> u64 {
    let mut others = substrings(counts, rules);
    others.retain(|token| !rules.pinned.contains(token));
    choose(counts, &others, budget - rules.pinned.len(), &mut rules.pinned.clone())
}

/// The same for vocabularies that hold what is `chosen` already.
fn choose(
    counts: &PretokenCounts,
    tokens: &[Vec<u8>],
    budget: usize,
    chosen: &mut Vocabulary,
) -> u64 {
    let mut best = recount(counts, chosen);
    if budget > 0 {
        for (at, token) in tokens.iter().enumerate() {
            chosen.insert(token.clone());
            best = best.min(choose(counts, &tokens[at + 1..], budget - 1, chosen));
            chosen.remove(token);
        }
    }
    best
}

pub(super) fn tiny() -> impl Strategy<Value = PretokenCounts> {
    let row = ("[abc]{1,5}", prop_oneof![1u64..6, 1u64..60]);
    proptest::collection::vec(row, 1..6).prop_map(|rows| PretokenCounts::from_pairs(rows).unwrap())
}

/// Runs of one character, whose tokens overlap themselves.
pub(super) fn runs() -> impl Strategy<Value = PretokenCounts> {
    let row = ("a{1,8}|ba{1,5}", 1u64..30);
    proptest::collection::vec(row, 1..5).prop_map(|rows| PretokenCounts::from_pairs(rows).unwrap())
}

fn rules() -> impl Strategy<Value = Rules> {
    let parts = (prop_oneof![Just(255usize), 2usize..5], any::<bool>(), any::<bool>());
    parts.prop_map(|(longest, split, split_after)| Rules {
        max_token_bytes: longest,
        splittable: split.then_some(b'c').into_iter().collect(),
        split_after,
        ..Rules::default()
    })
}

pub(super) fn build(counts: &PretokenCounts, rules: &Rules) -> Instance {
    Instance::build(counts, rules, None, &Quiet).unwrap()
}

fn options(budget: usize, threads: usize) -> SearchOptions {
    let threads = NonZeroUsize::new(threads).unwrap();
    SearchOptions { budget, start: None, threads, passes: 20 }
}

pub(super) fn tokens_of(instance: &Instance, members: &[Candidate]) -> Vocabulary {
    members.iter().map(|&t| instance.token(t).to_vec()).collect()
}

pub(super) fn found(instance: &Instance, budget: usize, threads: usize) -> Found {
    search(instance, &options(budget, threads), &Quiet).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn search_is_never_below_the_optimum_and_pruning_keeps_it(
        counts in tiny(), rules in rules(), budget in 1usize..4,
    ) {
        let instance = build(&counts, &rules);
        let all = substrings(&counts, &rules);
        let best = optimum(&counts, &all, budget);
        let kept: Vec<Vec<u8>> =
            (0..instance.candidates() as u32).map(|t| instance.token(t).to_vec()).collect();
        prop_assert_eq!(best, optimum(&counts, &kept, budget));

        if budget <= instance.candidates() {
            let found = found(&instance, budget, 1);
            prop_assert_eq!(budget, found.members.len());
            prop_assert_eq!(recount(&counts, &tokens_of(&instance, &found.members)), found.cost);
            prop_assert!(best <= found.cost);
        }
    }

    #[test]
    fn a_flip_changes_the_cost_by_its_delta(
        counts in proptest::collection::vec(("[ab]{1,9}", 1u64..9), 1..12),
        flips in proptest::collection::vec(any::<u32>(), 1..40),
    ) {
        let counts = PretokenCounts::from_pairs(counts).unwrap();
        let instance = build(&counts, &Rules::default());
        prop_assume!(instance.candidates() > 0);
        let mut state = Tokenization::new(&instance, &[]);
        for flip in flips {
            let candidate = flip % instance.candidates() as u32;
            let expected = state.cost().wrapping_add_signed(state.delta(candidate));
            state.flip(candidate);
            let members = state.members();
            prop_assert_eq!(expected, state.cost());
            prop_assert_eq!(recount(&counts, &tokens_of(&instance, &members)), state.cost());
            prop_assert_eq!(
                members.iter().map(|&t| state.uses(t)).collect::<Vec<_>>(),
                members.iter().map(|&t| Tokenization::new(&instance, &members).uses(t)).collect::<Vec<_>>()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn threads_change_nothing(
        counts in proptest::collection::vec(("[a-h]{1,12}", 1u64..1000), 500..900),
    ) {
        let counts = PretokenCounts::from_pairs(counts).unwrap();
        let instance = build(&counts, &Rules::default());
        let one = found(&instance, 60, 1);

        for threads in [2, 5] {
            let other = found(&instance, 60, threads);
            prop_assert_eq!(&one.members, &other.members);
            prop_assert_eq!(one.cost, other.cost);
        }
    }
}

#[test]
fn a_substring_of_one_inadmissible_pretoken_stays_a_candidate() {
    let counts = PretokenCounts::from_pairs([("abcdef", 10), ("xy", 1)]).unwrap();
    let rules = Rules { max_token_bytes: 3, ..Rules::default() };

    let found = found(&build(&counts, &rules), 2, 1);

    assert_eq!(22, found.cost);
}

#[test]
fn candidates_are_numbered_by_their_bytes_and_found_by_them() {
    let counts = PretokenCounts::from_pairs([("banana", 3), ("bandana", 2), ("an", 1)]).unwrap();
    let instance = build(&counts, &Rules::default());
    let tokens: Vec<&[u8]> = (0..instance.candidates() as u32).map(|t| instance.token(t)).collect();

    assert!(tokens.is_sorted());
    for (number, token) in tokens.iter().enumerate() {
        assert_eq!(Some(number as u32), instance.find(token));
    }
    assert_eq!(None, instance.find(b"zz"));
}

#[test]
fn pins_stay_and_pins_that_do_not_fit_are_refused() {
    let counts = PretokenCounts::from_pairs([("abab", 9), ("abc", 4), ("zz", 1)]).unwrap();
    let pinned = [b"zz".to_vec(), b"qq".to_vec()].into();
    let instance = build(&counts, &Rules { pinned, ..Rules::default() });

    assert_eq!(&[b"qq".to_vec()], instance.absent_pins());
    let members = found(&instance, 1, 1).members;
    assert_eq!(Vocabulary::from([b"zz".to_vec()]), tokens_of(&instance, &members));
    assert!(search(&instance, &options(0, 1), &Quiet).is_err());
}

#[test]
fn a_memory_limit_is_kept_before_the_tables_are_built() {
    let counts = PretokenCounts::from_pairs([("a long pretoken", 9)]).unwrap();

    let refused = Instance::build(&counts, &Rules::default(), Some(100), &Quiet);

    assert!(matches!(refused, Err(crate::Error::Limit { limit, .. }) if limit == "memory_limit"));
}

pub(super) fn ascent(instance: &Instance, budget: usize, steps: usize, threads: usize) -> Ascent {
    let options = BoundOptions {
        budget,
        members: found(instance, budget, 1).members,
        threads: NonZeroUsize::new(threads).unwrap(),
        steps,
        seconds: None,
    };
    raise_bound(instance, &options, &Quiet).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_checked_bound_is_never_above_the_optimum(
        counts in tiny(), rules in rules(), budget in 1usize..4, steps in 1usize..200,
    ) {
        let instance = build(&counts, &rules);
        prop_assume!(budget <= instance.candidates());
        let ascent = ascent(&instance, budget, steps, 1);
        let claim = Claim {
            counts: &counts,
            rules: &rules,
            budget,
            multipliers: &ascent.multipliers,
            price: ascent.price,
            parts: &[],
        };

        let bound = check_bound(&claim).unwrap();

        prop_assert!(bound <= optimum(&counts, &substrings(&counts, &rules), budget));
        // Rounding of multipliers to 1/1024 and f32 may cost a little of what was found, not more.
        prop_assert!(bound as f64 + 1.0 >= ascent.value - 1e-3 * ascent.value.abs());
    }

    #[test]
    fn an_ascent_that_was_killed_between_two_legs_ends_where_it_would_have(
        counts in tiny(), budget in 1usize..4, killed_after in 0usize..4,
    ) {
        let instance = build(&counts, &Rules::default());
        prop_assume!(budget <= instance.candidates());
        let options = BoundOptions {
            budget,
            members: found(&instance, budget, 1).members,
            threads: NonZeroUsize::MIN,
            steps: 450,
            seconds: None,
        };
        let whole = raise_bound(&instance, &options, &Quiet).unwrap();

        let mut climb = Climb::new(&instance, &options).unwrap();
        let mut saved = climb.save();
        for _ in 0..killed_after {
            if !climb.leg(&Quiet) {
                break;
            }
            saved = climb.save();
        }
        let mut climb = Climb::resume(&instance, &options, &saved).unwrap();
        while climb.leg(&Quiet) {}
        let resumed = climb.finish();

        prop_assert_eq!(
            (whole.multipliers, whole.price), (resumed.multipliers, resumed.price),
        );
        prop_assert_eq!(whole.average, resumed.average);
        prop_assert_eq!(whole.steps, resumed.steps);
        prop_assert!(Climb::resume(&instance, &options, &saved[1..]).is_err());
    }

    #[test]
    fn an_ascent_from_the_frequent_pretokens_proves_a_bound_as_well(
        counts in tiny(), budget in 1usize..4, top in 1usize..6,
    ) {
        let rules = Rules::default();
        let instance = build(&counts, &rules);
        let lower = build(&counts.top(top), &rules);
        prop_assume!(budget <= lower.candidates() && budget <= instance.candidates());
        let below = ascent(&lower, budget, 40, 1);
        let options = BoundOptions {
            budget,
            members: found(&instance, budget, 1).members,
            threads: NonZeroUsize::MIN,
            steps: 40,
            seconds: None,
        };
        let from = Some((&lower, &below.multipliers[..], below.price));
        // In no time it proves what prices prove.
        let none = BoundOptions { steps: 0, ..options.clone() };
        let mut climb = Climb::above(&instance, &none, from).unwrap();
        prop_assert!(!climb.leg(&Quiet));
        prop_assert!(climb.finish().value >= Climb::new(&instance, &none).unwrap().finish().value);
        let mut climb = Climb::above(&instance, &options, from).unwrap();
        while climb.leg(&Quiet) {}
        let end = climb.finish();
        let claim = Claim {
            counts: &counts,
            rules: &rules,
            budget,
            multipliers: &end.multipliers,
            price: end.price,
            parts: &[],
        };

        let bound = check_bound(&claim).unwrap();
        prop_assert!(bound <= optimum(&counts, &substrings(&counts, &rules), budget));
        prop_assert!(bound as f64 + 1.0 >= end.value - 1e-3 * end.value.abs());
        if top >= counts.len() {
            // Nothing is lost where the frequent pretokens are all: the ascent goes on from its end.
            prop_assert!(end.value >= below.value - 1e-3 * below.value.abs() - 1.0);
        }
    }

    #[test]
    fn any_multipliers_that_are_accepted_prove_a_bound(
        counts in prop_oneof![tiny(), runs()], budget in 1usize..4, pin in any::<bool>(),
        steps in 0usize..60, cheaper in 0u64..2000,
        numbers in proptest::collection::vec(prop_oneof![Just(0i64), -3000i64..6000], 1..60),
    ) {
        let pinned = if pin { [b"aa".to_vec()].into() } else { BTreeSet::new() };
        let rules = Rules { pinned, ..Rules::default() };
        let instance = build(&counts, &rules);
        prop_assume!(budget <= instance.candidates());
        prop_assume!(instance.absent_pins().is_empty());
        // Near good multipliers, where a bound that is too high would be seen.
        let near = ascent(&instance, budget, steps, 1);
        let multipliers: Vec<i64> = near.multipliers
            .iter()
            .enumerate()
            .map(|(at, multiplier)| multiplier + numbers[at % numbers.len()])
            .zip(instance.openings())
            .map(|(number, opens)| if opens { number } else { number.max(0) })
            .collect();
        let price = near.price.saturating_sub(cheaper);
        let claim =
            Claim { counts: &counts, rules: &rules, budget, multipliers: &multipliers, price, parts: &[] };

        let bound = check_bound(&claim).unwrap();

        prop_assert!(bound <= optimum_with_pins(&counts, &rules, budget));
        let short = Claim { multipliers: &multipliers[1..], ..claim };
        prop_assert!(check_bound(&short).is_err());
        let free = instance.openings().iter().filter(|opens| **opens).count();
        let negative = vec![-1; multipliers.len()];
        let negative = Claim { multipliers: &negative, ..claim };
        prop_assert!(free == multipliers.len() || check_bound(&negative).is_err());
    }

    #[test]
    fn the_choice_collects_as_much_as_any_vocabulary(
        counts in prop_oneof![tiny(), runs()], price in 0u32..80, pin in any::<bool>(),
        numbers in proptest::collection::vec(-9i16..40, 1..60), threads in 1usize..4,
    ) {
        let pinned = if pin { [b"aa".to_vec()].into() } else { BTreeSet::new() };
        let instance = build(&counts, &Rules { pinned, ..Rules::default() });
        prop_assume!((1..12).contains(&instance.candidates()));
        let multipliers: Vec<f32> = (0..instance.multipliers())
            .map(|at| f32::from(numbers[at % numbers.len()]) / 4.0)
            .collect();
        let mut choice = Choice::new(&instance, NonZeroUsize::new(threads).unwrap());

        let value = choice.take(&multipliers, f64::from(price));

        let collected = |held: &dyn Fn(Candidate) -> bool| -> f64 {
            let is_free = |t: Candidate| instance.pins.contains(&t);
            let all = 0..instance.candidates() as Candidate;
            let paid = all.filter(|&t| held(t) && !is_free(t)).count() as f64 * f64::from(price);
            paid - collected_by(&instance, &multipliers, held)
        };
        let least = (0u32..1 << instance.candidates())
            .filter(|set| instance.pins.iter().all(|&pin| set >> pin & 1 == 1))
            .map(|set| collected(&|t| set >> t & 1 == 1))
            .fold(f64::INFINITY, f64::min);
        prop_assert!((least - value).abs() < 1e-6 * (1.0 + value.abs()));
        prop_assert!((collected(&|t| choice.chosen[t as usize]) - value).abs() < 1e-6 * (1.0 + value.abs()));
        prop_assert_eq!(choice.chosen.iter().filter(|held| **held).count(), choice.count);
    }
}

/// What the starts of an instance collect under the vocabulary of the candidates that are `held`.
fn collected_by(instance: &Instance, multipliers: &[f32], held: &dyn Fn(Candidate) -> bool) -> f64 {
    let mut total = 0.0;
    for position in 0..instance.table.text.len() {
        let p = instance.table.host[position] as usize;
        let arcs = instance.arc_range(position);
        if arcs.is_empty() {
            continue;
        }
        let longest = arcs.clone().find(|&arc| held(instance.arc_candidate[arc]));
        let own = f64::from(multipliers[longest.unwrap_or(arcs.end) + position]);
        let opens = instance.table.start[p] as usize == position;
        total += instance.table.weight[p] as f64 * if opens { own } else { own.max(0.0) };
    }
    total
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn threads_change_no_multiplier(
        counts in proptest::collection::vec(("[a-h]{1,12}", 1u64..1000), 300..500),
    ) {
        let counts = PretokenCounts::from_pairs(counts).unwrap();
        let instance = build(&counts, &Rules::default());
        let one = ascent(&instance, 60, 60, 1);

        for threads in [2, 5] {
            let other = ascent(&instance, 60, 60, threads);
            prop_assert_eq!(&one.multipliers, &other.multipliers);
            prop_assert_eq!(one.price, other.price);
            prop_assert_eq!(&one.average, &other.average);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_vocabulary_costs_the_same_among_some_candidates_as_among_all(
        counts in tiny(), rules in rules(), mask in any::<u64>(), pin in any::<bool>(),
    ) {
        let pinned = if pin { [b"ab".to_vec()].into() } else { BTreeSet::new() };
        let instance = build(&counts, &Rules { pinned, ..rules });
        let picked = |t: &Candidate| mask >> (t % 64) & 1 == 1;
        let some: Vec<Candidate> = (0..instance.candidates() as Candidate).filter(picked).collect();

        let few = instance.restricted(&some);

        let all: Vec<Candidate> = (0..few.candidates() as Candidate).collect();
        let back = |t: Candidate| instance.find(few.token(t)).unwrap();
        let mut expected = [&some[..], &instance.pins].concat();
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(&expected, &all.iter().map(|&t| back(t)).collect::<Vec<_>>());
        let names = |of: &Instance| of.pins.iter().map(|&t| of.token(t).to_vec()).collect::<Vec<_>>();
        prop_assert_eq!(names(&instance), names(&few));
        let held: Vec<Candidate> = all.iter().copied().filter(|t| t % 2 == 0).collect();
        let here = Tokenization::new(&few, &held);
        let there = Tokenization::new(&instance, &held.iter().map(|&t| back(t)).collect::<Vec<_>>());
        prop_assert_eq!(there.cost(), here.cost());
        for t in all {
            prop_assert_eq!(there.delta(back(t)), here.delta(t));
        }
    }
}

fn annealed(instance: &Instance, start: &[Candidate], budget: usize, threads: usize) -> Annealed {
    let options = AnnealOptions {
        budget,
        start: start.to_vec(),
        sweeps: 24,
        seconds: None,
        threads: NonZeroUsize::new(threads).unwrap(),
        seed: 1,
    };
    anneal(instance, &options, &Quiet)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn annealing_counts_exactly_keeps_pins_and_leads_to_no_less_than_the_optimum(
        counts in tiny(), rules in rules(), budget in 1usize..4, pin in any::<bool>(),
    ) {
        let pinned = if pin { [b"ab".to_vec()].into() } else { BTreeSet::new() };
        let instance = build(&counts, &Rules { pinned, ..rules.clone() });
        prop_assume!(budget <= instance.candidates());
        let start = found(&instance, budget, 1).members;

        let done = annealed(&instance, &start, budget, 1);

        prop_assert_eq!(recount(&counts, &tokens_of(&instance, &done.members)), done.cost);
        for pin in &instance.pins {
            prop_assert!(done.members.contains(pin));
        }
        let again = SearchOptions { start: Some(done.members), ..options(budget, 1) };
        let last = search(&instance, &again, &Quiet).unwrap();
        prop_assert_eq!(budget, last.members.len());
        if instance.absent_pins().is_empty() {
            prop_assert!(optimum(&counts, &substrings(&counts, &rules), budget) <= last.cost);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn threads_change_nothing_that_annealing_finds(
        counts in proptest::collection::vec(("[a-h]{1,12}", 1u64..1000), 300..500),
    ) {
        let counts = PretokenCounts::from_pairs(counts).unwrap();
        let instance = build(&counts, &Rules::default());
        let start = found(&instance, 60, 1).members;
        let one = annealed(&instance, &start, 60, 1);

        prop_assert_eq!(&one.members, &annealed(&instance, &start, 60, 3).members);
    }
}

#[test]
fn annealing_in_no_time_returns_where_it_started() {
    let counts = PretokenCounts::from_pairs([("banana", 3), ("bandana", 2)]).unwrap();
    let instance = build(&counts, &Rules::default());
    let start = found(&instance, 2, 1).members;
    let options = AnnealOptions {
        budget: 2,
        start: start.clone(),
        sweeps: 100,
        seconds: Some(0.0),
        threads: NonZeroUsize::MIN,
        seed: 1,
    };

    assert_eq!(start, anneal(&instance, &options, &Quiet).members);
}
