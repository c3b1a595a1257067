//! Exact, certified, fast greedy tokenization: the pure core.
//!
//! Three flows share two nouns, the machine and the scan:
//!
//! ```text
//! encode    text → added tokens (raw) → normalizer → added tokens (normalized) → pre-tokenizer → splitter → model
//!                → truncation → post-processor → padding → Encoding
//! certify   token set → machine → realised origins → inventory → anchors → cuts → parallel scan
//! train     corpus → pretoken counts → candidates → search → vocabulary → tokenizer.json
//! ```
//!
//! No Python, no file or network access, no globals. What each module may import is drawn in
//! `CONTRIBUTING.md` and held by `tests/test_architecture.py`.

pub mod certify;
pub mod encode;
pub mod error;
pub mod machine;
pub mod monitor;
pub mod parallel;
mod random;
pub mod scan;
pub mod train;
pub mod units;

pub use error::{Cause, Error, Result};
pub use monitor::{Monitor, Quiet};
