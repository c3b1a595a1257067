//! Vocabularies for greedy longest-match encoding.
//!
//! ```text
//! text → pretoken counts → instance (candidates and their occurrences) → search → vocabulary
//! ```
//!
//! The cost of a vocabulary is always the exact number of tokens that greedy longest-match encoding
//! gives; `docs/concepts/training.md` has the definitions and proofs.

mod anneal;
mod bound;
mod cases;
mod check;
mod check_sums;
mod choice;
mod counter;
mod instance;
mod local;
mod local_steps;
mod multipliers;
mod parts;
mod pretokens;
mod program;
mod relaxation;
mod rules;
mod search;
mod suffixes;
mod threads;
mod tokenization;
mod trie;

pub use anneal::{AnnealOptions, Annealed, anneal};
pub use bound::{Ascent, BoundOptions, Climb, often_held, raise_bound, round_average};
pub use cases::{CasesOptions, Proven, prove_by_cases};
pub use check::{Claim, UNIT, check_bound, most_multipliers};
pub use counter::{Counter, Invalid, Splitter, Tallied};
pub use instance::{Candidate, Instance};
pub use multipliers::{pack, unpack};
pub use parts::{Case, Part, pack_parts, unpack_parts};
pub use pretokens::{PretokenCounts, Tally};
pub use program::{Family, Program, Reading, for_each_segmentation, recount};
pub use rules::{MAX_TOKEN_BYTES, Rules};
pub use search::{Found, Round, SearchOptions, by_use, check_budget, search};
pub use tokenization::Tokenization;

#[cfg(test)]
mod cases_tests;
#[cfg(test)]
mod tests;
