//! Components that are brought from outside: the core calls them and cannot save them.
//!
//! They stand in the JSON of a part as `{"type": "Custom", "hook": n}`, the n-th of the hooks that were given
//! along with it.

use std::sync::Arc;

use crate::encode::strings::{NormalizedString, PreTokenizedString};
use crate::error::Result;

/// Changes text.
pub trait NormalizerHook: Send + Sync {
    /// Normalizes `text` in place.
    fn normalize(&self, text: &mut NormalizedString) -> Result<()>;
}

/// Cuts text.
pub trait PreTokenizerHook: Send + Sync {
    /// Cuts the pieces of `text` in place.
    fn pre_tokenize(&self, text: &mut PreTokenizedString) -> Result<()>;
}

/// Puts texts of tokens together.
pub trait DecoderHook: Send + Sync {
    /// The decoded texts, to be joined.
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>>;
}

/// One hook of any kind.
#[derive(Debug, Clone)]
pub enum Hook {
    /// A normalizer.
    Normalizer(Custom<dyn NormalizerHook>),
    /// A pre-tokenizer.
    PreTokenizer(Custom<dyn PreTokenizerHook>),
    /// A decoder.
    Decoder(Custom<dyn DecoderHook>),
}

/// A shared hook. Two are equal when they are the same.
pub struct Custom<T: ?Sized>(Arc<T>);

impl<T: ?Sized> Custom<T> {
    /// Shares a hook.
    pub fn new(hook: Arc<T>) -> Self {
        Self(hook)
    }
}

impl<T: ?Sized> std::ops::Deref for Custom<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> Clone for Custom<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> std::fmt::Debug for Custom<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Custom")
    }
}

impl<T: ?Sized> PartialEq for Custom<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
