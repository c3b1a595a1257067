//! Encodings: columns as lists, and the calls that make other encodings.

use std::sync::Arc;

use maxmunch::Error;
use maxmunch::encode::encoding::{Direction, Filler};
use maxmunch::encode::{Encoding, Tokenizer};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::boundary::attached;

/// An encoding of the core, with the tokenizer that knows the texts of its tokens.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct EncodingCore {
    tokenizer: Option<Arc<Tokenizer>>,
    encoding: Encoding,
}

#[pymethods]
impl EncodingCore {
    /// Builds an encoding from its columns: ids, type ids, tokens, offsets, words, the two masks.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "an encoding has that many columns")]
    fn from_columns(
        ids: Vec<u32>,
        type_ids: Vec<u32>,
        tokens: Vec<String>,
        offsets: Vec<(usize, usize)>,
        words: Vec<Option<u32>>,
        special_tokens_mask: Vec<u32>,
        attention_mask: Vec<u32>,
        ranges: Vec<(usize, usize, usize)>,
        overflowing: Vec<PyRef<'_, Self>>,
    ) -> Self {
        let encoding = Encoding {
            ids,
            type_ids,
            texts: tokens.into_iter().map(|token| Some(Arc::from(token))).collect(),
            offsets,
            words,
            special_tokens_mask,
            attention_mask,
            overflowing: overflowing.iter().map(|part| part.encoding.clone()).collect(),
            sequence_ranges: ranges
                .into_iter()
                .map(|(index, from, to)| (index, from..to))
                .collect(),
        };
        Self { tokenizer: None, encoding }
    }

    fn __len__(&self) -> usize {
        self.encoding.len()
    }

    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding.ids)
    }

    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding.type_ids)
    }

    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, (0..self.encoding.len()).map(|index| self.text(index)))
    }

    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding.offsets)
    }

    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding.words)
    }

    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding.special_tokens_mask)
    }

    fn attention_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding.attention_mask)
    }

    fn sequence_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.encoding.sequence_ids())
    }

    fn sequence_range(&self, index: usize) -> (usize, usize) {
        let range = self.encoding.sequence_range(index);
        (range.start, range.end)
    }

    fn token_to_sequence(&self, token: usize) -> Option<usize> {
        self.encoding.token_to_sequence(token)
    }

    fn token_to_chars(&self, token: usize) -> Option<(usize, usize)> {
        self.encoding.token_to_chars(token)
    }

    fn token_to_word(&self, token: usize) -> Option<u32> {
        self.encoding.token_to_word(token)
    }

    fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        self.encoding.word_to_tokens(word, sequence)
    }

    fn word_to_chars(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        self.encoding.word_to_chars(word, sequence)
    }

    fn char_to_token(&self, position: usize, sequence: usize) -> Option<usize> {
        self.encoding.char_to_token(position, sequence)
    }

    fn char_to_word(&self, position: usize, sequence: usize) -> Option<u32> {
        self.encoding.char_to_word(position, sequence)
    }

    fn ranges(&self) -> Vec<(usize, usize, usize)> {
        let ranges = self.encoding.sequence_ranges.iter();
        ranges.map(|(&index, range)| (index, range.start, range.end)).collect()
    }

    fn n_sequences(&self) -> usize {
        self.encoding.sequences()
    }

    fn overflowing(&self) -> Vec<Self> {
        self.encoding.overflowing.iter().map(|part| self.with(part.clone())).collect()
    }

    fn truncated(
        &self,
        py: Python<'_>,
        max_length: usize,
        stride: usize,
        left: bool,
    ) -> PyResult<Self> {
        attached(py, || {
            if stride >= max_length && max_length > 0 {
                return Err(Error::argument(
                    "stride",
                    format!("{stride} should be below max_length, which is {max_length}"),
                ));
            }
            let mut encoding = self.encoding.clone();
            encoding.truncate(max_length, stride, direction(left));
            Ok(self.with(encoding))
        })
    }

    fn padded(&self, length: usize, left: bool, id: u32, type_id: u32, token: &str) -> Self {
        let mut encoding = self.encoding.clone();
        encoding.pad(length, &Filler { id, type_id, token: Arc::from(token) }, direction(left));
        self.with(encoding)
    }

    fn with_sequence_id(&self, index: usize) -> Self {
        let mut encoding = self.encoding.clone();
        encoding.set_sequence_id(index);
        self.with(encoding)
    }

    #[staticmethod]
    fn merged(parts: Vec<PyRef<'_, Self>>, growing_offsets: bool) -> Self {
        // Parts may come from different tokenizers: the texts of their tokens are spelled out.
        let encodings = parts.iter().map(|part| part.spelled(part.encoding.clone()));
        Self { tokenizer: None, encoding: Encoding::merge(encodings, growing_offsets) }
    }
}

impl EncodingCore {
    pub(super) fn new(tokenizer: Option<Arc<Tokenizer>>, encoding: Encoding) -> Self {
        Self { tokenizer, encoding }
    }

    /// The encoding, with the texts of its tokens spelled out: it may go to another tokenizer.
    pub(super) fn alone(&self) -> Encoding {
        self.spelled(self.encoding.clone())
    }

    fn with(&self, encoding: Encoding) -> Self {
        Self { tokenizer: self.tokenizer.clone(), encoding }
    }

    fn text(&self, index: usize) -> &str {
        match &self.tokenizer {
            Some(tokenizer) => tokenizer.encoded_token(&self.encoding, index),
            None => self.encoding.texts.get(index).and_then(Option::as_deref).unwrap_or_default(),
        }
    }

    fn spelled(&self, mut encoding: Encoding) -> Encoding {
        if let Some(tokenizer) = &self.tokenizer {
            let texts =
                (0..encoding.len()).map(|i| Some(Arc::from(tokenizer.encoded_token(&encoding, i))));
            encoding.texts = texts.collect();
        }
        encoding.overflowing =
            encoding.overflowing.into_iter().map(|part| self.spelled(part)).collect();
        encoding
    }
}

fn direction(left: bool) -> Direction {
    if left { Direction::Left } else { Direction::Right }
}
