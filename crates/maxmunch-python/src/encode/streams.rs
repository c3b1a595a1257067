//! Streams of ids.

use std::sync::{Mutex, PoisonError};

use maxmunch::encode::decode_stream::{DecodeStream, StreamDecoder};
use pyo3::prelude::*;

use super::TokenizerCore;
use crate::boundary::enter;

/// `DecodeStream` of the reference.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct DecodeStreamCore(Mutex<DecodeStream>);

#[pymethods]
impl DecodeStreamCore {
    #[new]
    fn new(ids: Vec<u32>, skip_special_tokens: bool) -> Self {
        Self(Mutex::new(DecodeStream::new(ids, skip_special_tokens)))
    }

    fn step(
        &self,
        py: Python<'_>,
        tokenizer: PyRef<'_, TokenizerCore>,
        ids: Vec<u32>,
    ) -> PyResult<Option<String>> {
        let tokenizer = tokenizer.shared();
        enter(py, || self.0.lock().unwrap_or_else(PoisonError::into_inner).step(&tokenizer, &ids))
    }

    /// As `step` with one id.
    fn step_one(
        &self,
        py: Python<'_>,
        tokenizer: PyRef<'_, TokenizerCore>,
        id: u32,
    ) -> PyResult<Option<String>> {
        let tokenizer = tokenizer.shared();
        enter(py, || self.0.lock().unwrap_or_else(PoisonError::into_inner).step(&tokenizer, &[id]))
    }

    fn copy(&self) -> Self {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Self(Mutex::new(stream.clone()))
    }
}

/// The decoder that never takes text back.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct StreamDecoderCore(Mutex<StreamDecoder>);

#[pymethods]
impl StreamDecoderCore {
    #[new]
    fn new(tokenizer: PyRef<'_, TokenizerCore>, skip_special_tokens: bool) -> Self {
        Self(Mutex::new(StreamDecoder::new(tokenizer.shared(), skip_special_tokens)))
    }

    fn feed(&self, py: Python<'_>, ids: Vec<u32>) -> PyResult<String> {
        enter(py, || self.0.lock().unwrap_or_else(PoisonError::into_inner).feed(&ids))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || self.0.lock().unwrap_or_else(PoisonError::into_inner).finish())
    }
}
