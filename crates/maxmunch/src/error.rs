//! The typed errors of the core, one variant per class of `maxmunch.errors`.
//!
//! A message has three parts: the value that was met, the rule that it breaks, the remedy. Facts that
//! a program may want (`json_path`, `position`) are fields as well, so that nobody has to parse text.

use std::any::Any;
use std::sync::Arc;

/// The result of every fallible function of the core.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a request was refused or could not be finished.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A well-formed tokenizer file asks for something that is not reproduced id for id.
    #[error("{json_path}: {message}")]
    UnsupportedTokenizer {
        /// Path of the offending value, such as `pre_tokenizer.pretokenizers[1].type`.
        json_path: String,
        /// Value, rule, remedy.
        message: String,
    },
    /// A tokenizer file is malformed.
    #[error("{json_path}: {message}")]
    InvalidTokenizer {
        /// Path of the offending value.
        json_path: String,
        /// Value, rule, remedy.
        message: String,
    },
    /// An argument lies outside its range.
    #[error("{name}: {message}")]
    InvalidArgument {
        /// Name of the argument as the caller knows it.
        name: String,
        /// Value, rule, remedy.
        message: String,
    },
    /// A token set is empty, holds an empty token, or a pattern cannot be compiled.
    #[error("{message}")]
    InvalidTokenSet {
        /// Value, rule, remedy.
        message: String,
    },
    /// The scan got stuck: no token is a prefix of the rest of the text.
    #[error(
        "no token matches at byte {position} (after {} complete tokens); the text is outside the domain of the token set",
        starts.len()
    )]
    Untokenizable {
        /// Byte position at which no token matches.
        position: usize,
        /// Starts of the tokens that were committed before it.
        starts: Vec<i64>,
    },
    /// A certificate belongs to another token set, or is damaged.
    #[error("{message}")]
    Certificate {
        /// Value, rule, remedy.
        message: String,
    },
    /// A state, byte or time limit was reached before the answer was known.
    #[error("limit {limit} reached: {message}")]
    Limit {
        /// Name of the limit, the argument that raises it.
        limit: String,
        /// What was being done, and how to raise the limit.
        message: String,
    },
    /// Training cannot give what was asked for.
    #[error("{message}")]
    Training {
        /// Value, rule, remedy.
        message: String,
    },
    /// A component that was brought from outside failed.
    #[error("{message}")]
    Custom {
        /// What it said.
        message: String,
        /// The failure as its own world knows it.
        cause: Cause,
    },
    /// The monitor asked to stop; the caller turns it into what its platform expects.
    #[error("interrupted")]
    Interrupted,
    /// A bug of ours.
    #[error("internal error: {message}; please report it with the input that caused it")]
    Internal {
        /// What invariant did not hold.
        message: String,
    },
}

/// A failure of another world, carried through. Two are equal when they are the same.
#[derive(Clone)]
pub struct Cause(Arc<dyn Any + Send + Sync>);

impl Cause {
    /// Carries a failure.
    pub fn new(failure: impl Any + Send + Sync) -> Self {
        Self(Arc::new(failure))
    }

    /// The failure, if it is one of these.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cause {}

impl std::fmt::Debug for Cause {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Cause")
    }
}

impl Error {
    /// An argument outside its range.
    pub fn argument(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidArgument { name: name.into(), message: message.into() }
    }

    /// A malformed tokenizer file.
    pub fn invalid(json_path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidTokenizer { json_path: json_path.into(), message: message.into() }
    }

    /// A tokenizer file that is not reproduced.
    pub fn unsupported(json_path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::UnsupportedTokenizer { json_path: json_path.into(), message: message.into() }
    }

    /// A broken invariant of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal { message: message.into() }
    }
}
