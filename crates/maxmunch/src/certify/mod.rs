//! Certified splitting: where text may be cut, decided with proof or counter-example.
//!
//! ```text
//! token set → machine → realised origins → inventory → anchors → cuts → parallel scan
//! ```
//!
//! A *certificate* is a window and an origin such that, at every occurrence of the window in every
//! completely tokenizable text, the token that covers the window's last byte starts at the origin.
//! Definitions and theorems: `docs/concepts/certified_splitting.md`. This flow never imports encode.

mod arms;
pub mod audit;
mod audit_literal;
mod budget;
pub mod closed_form;
mod cloud;
mod code;
pub mod count;
pub mod cuts;
pub mod delimiter;
pub mod edit;
mod engine;
pub mod inventory;
pub mod literal;
pub mod minimal;
mod paths;
pub mod regular;
pub mod span;
mod span_search;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may")]
mod tests;
pub mod token_set;
pub mod verdict;
mod verifier;
mod width;

pub use audit::{Audit, Disagreement};
pub use budget::Budget;
pub use closed_form::BEFORE;
pub use count::{Count, Counts};
pub use cuts::Plan;
pub use delimiter::Delimiter;
pub use edit::{Edit, EditBounds};
pub use inventory::{Decision, Inventory};
pub use span::Span;
pub use token_set::{Language, MAX_STATES, TokenSet};
pub use verdict::{Verdict, Witness};
