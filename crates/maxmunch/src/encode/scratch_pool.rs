//! The scratch memory of a tokenizer's calls, kept between them.
//!
//! Each call takes one and gives it back, so that a thread that calls again finds buffers and cache warm, and
//! everything is freed with the tokenizer. A tokenizer with another model, or one that takes bytes where it took
//! characters, gets a new pool: nothing that was cached under the old one can be found under the new one. All other
//! changes leave what pieces become as it is.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, OnceLock};

use crate::encode::models::Scratch;
use crate::encode::word_cache::{Budget, WordCache};

/// Bytes that the word caches of one tokenizer may take together, unless it is told otherwise.
pub const DEFAULT_CACHE_BYTES: usize = 64 << 20;

/// Scratches that wait for a call.
#[derive(Debug)]
pub(super) struct ScratchPool {
    waiting: Mutex<Vec<Scratch>>,
    budget: Arc<Budget>,
    cache_bytes: usize,
    /// Bytes that each token covers, by id; see [`Self::lengths`].
    lengths: OnceLock<Box<[u32]>>,
}

impl Default for ScratchPool {
    fn default() -> Self {
        Self::new(DEFAULT_CACHE_BYTES)
    }
}

impl ScratchPool {
    pub(super) fn new(cache_bytes: usize) -> Self {
        let budget = Arc::new(Budget::new(cache_bytes));
        Self { waiting: Mutex::default(), budget, cache_bytes, lengths: OnceLock::new() }
    }

    /// A pool of the same size in which nothing is cached.
    pub(super) fn emptied(&self) -> Self {
        Self::new(self.cache_bytes)
    }

    /// The lengths of all tokens, computed once; empty where ids have too many holes for a list.
    pub(super) fn lengths(&self, compute: impl FnOnce() -> Box<[u32]>) -> &[u32] {
        self.lengths.get_or_init(compute)
    }

    pub(super) fn cache_bytes(&self) -> usize {
        self.cache_bytes
    }

    /// A scratch for one call, one that was used before if there is one.
    pub(super) fn take(&self) -> PooledScratch<'_> {
        // Never waits: after a fork, a lock that another thread held stays held for ever.
        let used = self.waiting.try_lock().ok().and_then(|mut waiting| waiting.pop());
        let scratch = used.unwrap_or_else(|| {
            let mut scratch = Scratch::default();
            scratch.cache = WordCache::new(Arc::clone(&self.budget));
            scratch
        });
        PooledScratch { pool: self, scratch: Some(scratch) }
    }
}

/// A scratch that goes back to its pool.
#[derive(Debug)]
pub struct PooledScratch<'p> {
    pool: &'p ScratchPool,
    /// Always there until it is dropped.
    scratch: Option<Scratch>,
}

impl Deref for PooledScratch<'_> {
    type Target = Scratch;

    #[expect(clippy::expect_used, reason = "only `drop` takes it out")]
    fn deref(&self) -> &Scratch {
        self.scratch.as_ref().expect("a scratch until it is dropped")
    }
}

impl DerefMut for PooledScratch<'_> {
    #[expect(clippy::expect_used, reason = "only `drop` takes it out")]
    fn deref_mut(&mut self) -> &mut Scratch {
        self.scratch.as_mut().expect("a scratch until it is dropped")
    }
}

impl Drop for PooledScratch<'_> {
    fn drop(&mut self) {
        // A call that panicked may have left anything in its scratch.
        if let (Some(mut scratch), false) = (self.scratch.take(), std::thread::panicking())
            && let Ok(mut waiting) = self.pool.waiting.try_lock()
        {
            scratch.shrink();
            waiting.push(scratch);
        }
    }
}
