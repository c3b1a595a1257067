//! Counting pretokens, and the table that comes out of it.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use maxmunch::train::{Counter, Invalid, PretokenCounts, Splitter};
use maxmunch::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::boundary;

/// A sorted table of distinct pretokens and their counts.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct PretokenTable {
    pub(super) counts: Arc<PretokenCounts>,
}

impl PretokenTable {
    fn wrap(counts: PretokenCounts) -> Self {
        Self { counts: Arc::new(counts) }
    }
}

#[pymethods]
impl PretokenTable {
    #[staticmethod]
    fn from_pairs(py: Python<'_>, pairs: Vec<(Vec<u8>, u64)>) -> PyResult<Self> {
        boundary::enter(py, || PretokenCounts::from_pairs(pairs).map(Self::wrap))
    }

    /// The table with these parts: lengths (little-endian u32), counts (little-endian u64), bytes.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        lengths: &[u8],
        counts: &[u8],
        pretokens: &[u8],
    ) -> PyResult<Self> {
        boundary::enter(py, || {
            let lengths: Vec<u32> = words(lengths, u32::from_le_bytes)?;
            let counts: Vec<u64> = words(counts, u64::from_le_bytes)?;
            PretokenCounts::from_parts(&lengths, counts, pretokens.to_vec()).map(Self::wrap)
        })
    }

    /// What `from_parts` takes.
    fn parts<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let (lengths, counts, pretokens) = self.counts.parts();
        let lengths: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
        let counts: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        (PyBytes::new(py, &lengths), PyBytes::new(py, &counts), PyBytes::new(py, pretokens))
    }

    fn __len__(&self) -> usize {
        self.counts.len()
    }

    fn total(&self) -> u64 {
        self.counts.total()
    }

    fn total_bytes(&self) -> u64 {
        self.counts.total_bytes()
    }

    fn top(&self, limit: usize) -> Self {
        Self::wrap(self.counts.top(limit))
    }

    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let (left, right) = (Arc::clone(&self.counts), Arc::clone(&other.counts));
        boundary::enter(py, move || left.merge(&right).map(Self::wrap))
    }

    /// Pretokens and counts of the ranks from `start` up to `stop`.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        stop: usize,
    ) -> Vec<(Bound<'py, PyBytes>, u64)> {
        (start..stop.min(self.counts.len()))
            .filter_map(|rank| self.counts.get(rank))
            .map(|(pretoken, count)| (PyBytes::new(py, pretoken), count))
            .collect()
    }
}

fn words<const N: usize, T>(bytes: &[u8], word: impl Fn([u8; N]) -> T) -> Result<Vec<T>> {
    if !bytes.len().is_multiple_of(N) {
        return Err(Error::argument(
            "counts",
            "the count table is cut off; count the corpus again",
        ));
    }
    Ok(bytes.as_chunks().0.iter().map(|&chunk| word(chunk)).collect())
}

/// Counts pretokens of a corpus that comes in chunks.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct PretokenCounter {
    counter: Mutex<Counter>,
    source: String,
}

#[pymethods]
impl PretokenCounter {
    #[new]
    fn new(
        py: Python<'_>,
        pattern: String,
        errors: &str,
        threads: NonZeroUsize,
        memory_limit: Option<u64>,
    ) -> PyResult<Self> {
        let invalid = match errors {
            "replace" => Invalid::Replace,
            "ignore" => Invalid::Ignore,
            "strict" => Invalid::Strict,
            other => {
                let message =
                    format!("{other:?} is not a policy; use \"replace\", \"ignore\" or \"strict\"");
                return Err(boundary::to_python(py, Error::argument("errors", message)));
            }
        };
        boundary::enter(py, move || {
            let splitter = Splitter::new(&pattern)?;
            let source = splitter.source();
            let counter = Counter::new(splitter, invalid, threads, memory_limit);
            Ok(Self { counter: Mutex::new(counter), source })
        })
    }

    /// The regular expression that cuts, in the syntax of `tokenizers`.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// Reads the next bytes of the current document.
    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        boundary::enter(py, || self.counter().feed(chunk))
    }

    /// Ends the current document.
    fn end_document(&self, py: Python<'_>) -> PyResult<()> {
        boundary::enter(py, || self.counter().end_document())
    }

    /// Reads whole documents.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a converted argument is handed over by value"
    )]
    fn documents(&self, py: Python<'_>, documents: Vec<Bound<'_, PyString>>) -> PyResult<()> {
        let texts: PyResult<Vec<&str>> =
            documents.iter().map(|document| boundary::utf8("source", document)).collect();
        let texts = texts?;
        boundary::enter(py, || self.counter().documents(&texts))
    }

    /// Documents, bytes, invalid parts, and occurrences dropped for the memory limit.
    fn seen(&self) -> (u64, u64, u64, u64) {
        let seen = self.counter().seen();
        (seen.documents, seen.bytes, seen.invalid, seen.dropped)
    }

    /// The sorted table; the counter is empty afterwards.
    fn finish(&self, py: Python<'_>) -> PyResult<PretokenTable> {
        boundary::enter(py, || self.counter().take_counts().map(PretokenTable::wrap))
    }
}

impl PretokenCounter {
    fn counter(&self) -> std::sync::MutexGuard<'_, Counter> {
        // A panic inside is reported as an internal error; what was counted before stays consistent.
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
