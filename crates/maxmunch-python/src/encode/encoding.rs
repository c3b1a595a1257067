//! Encodings: columns as lists, and the calls that make other encodings.

use std::sync::{Arc, OnceLock};

use maxmunch::Error;
use maxmunch::encode::batch::map_ordered;
use maxmunch::encode::encoding::{Direction, Filler};
use maxmunch::encode::tokenizer::Input;
use maxmunch::encode::{EncodeOptions, Encoding, Tokenizer, Unit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::SpecialsArgument;
use crate::boundary::{self, attached, enter};

/// An encoding of the core, with the tokenizer that knows the texts of its tokens.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct EncodingCore {
    tokenizer: Option<Arc<Tokenizer>>,
    content: Content,
}

enum Content {
    Whole(Encoding),
    Later(Later),
}

/// The ids of a text, which most callers ask for alone; the rest is found out when it is asked for.
struct Later {
    ids: Vec<u32>,
    batch: Arc<Batch>,
    index: usize,
}

/// Texts of one call, and what it takes to encode them again.
///
/// All of them are encoded when something of one is asked for, on as many threads as the call had: who asks one
/// for its offsets asks the others, too.
pub(super) struct Batch {
    pub(super) texts: Vec<Py<PyString>>,
    pub(super) add_special_tokens: bool,
    pub(super) specials: SpecialsArgument,
    pub(super) unit: Unit,
    pub(super) threads: usize,
    pub(super) wholes: OnceLock<Vec<Encoding>>,
}

impl Batch {
    fn wholes(&self, py: Python<'_>, tokenizer: &Tokenizer) -> PyResult<&[Encoding]> {
        if let Some(wholes) = self.wholes.get() {
            return Ok(wholes);
        }
        let texts = self.texts.iter().map(|text| boundary::utf8("sequence", text.bind(py)));
        let texts: Vec<&str> = texts.collect::<PyResult<_>>()?;
        let options = EncodeOptions {
            add_special_tokens: self.add_special_tokens,
            specials: self.specials.as_core(),
            unit: self.unit,
        };
        let wholes = enter(py, || {
            let state = || tokenizer.scratch();
            map_ordered(texts.len(), self.threads, state, |scratch, index| {
                tokenizer.encode(&Input::Text(texts[index]), None, options, scratch)
            })
        })?;
        Ok(self.wholes.get_or_init(|| wholes))
    }
}

impl Later {
    fn whole(&self, py: Python<'_>, tokenizer: &Tokenizer) -> PyResult<&Encoding> {
        let whole = self.batch.wholes(py, tokenizer)?.get(self.index);
        attached(py, || {
            whole
                .filter(|whole| whole.ids == self.ids)
                .ok_or_else(|| Error::internal("a text has other ids than before"))
        })
    }
}

#[pymethods]
impl EncodingCore {
    /// Builds an encoding from its columns: ids, type ids, tokens, offsets, words, the two masks.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "an encoding has that many columns")]
    fn from_columns(
        py: Python<'_>,
        ids: Vec<u32>,
        type_ids: Vec<u32>,
        tokens: Vec<String>,
        offsets: Vec<(usize, usize)>,
        words: Vec<Option<u32>>,
        special_tokens_mask: Vec<u32>,
        attention_mask: Vec<u32>,
        ranges: Vec<(usize, usize, usize)>,
        overflowing: Vec<PyRef<'_, Self>>,
    ) -> PyResult<Self> {
        let encoding = Encoding {
            ids,
            type_ids,
            texts: tokens.into_iter().map(|token| Some(Arc::from(token))).collect(),
            offsets,
            words,
            special_tokens_mask,
            attention_mask,
            overflowing: overflowing
                .iter()
                .map(|part| part.encoding(py).cloned())
                .collect::<PyResult<_>>()?,
            sequence_ranges: ranges
                .into_iter()
                .map(|(index, from, to)| (index, from..to))
                .collect(),
        };
        Ok(Self::new(None, encoding))
    }

    fn __len__(&self) -> usize {
        self.own_ids().len()
    }

    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.own_ids())
    }

    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding(py)?.type_ids)
    }

    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let encoding = self.encoding(py)?;
        PyList::new(py, (0..encoding.len()).map(|index| self.text(encoding, index)))
    }

    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding(py)?.offsets)
    }

    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding(py)?.words)
    }

    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.encoding(py)?.special_tokens_mask)
    }

    fn attention_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match &self.content {
            // What is put off is not padded.
            Content::Later(later) => PyList::new(py, vec![1; later.ids.len()]),
            Content::Whole(encoding) => PyList::new(py, &encoding.attention_mask),
        }
    }

    fn sequence_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.encoding(py)?.sequence_ids())
    }

    fn sequence_range(&self, py: Python<'_>, index: usize) -> PyResult<(usize, usize)> {
        let range = self.encoding(py)?.sequence_range(index);
        Ok((range.start, range.end))
    }

    fn token_to_sequence(&self, py: Python<'_>, token: usize) -> PyResult<Option<usize>> {
        Ok(self.encoding(py)?.token_to_sequence(token))
    }

    fn token_to_chars(&self, py: Python<'_>, token: usize) -> PyResult<Option<(usize, usize)>> {
        Ok(self.encoding(py)?.token_to_chars(token))
    }

    fn token_to_word(&self, py: Python<'_>, token: usize) -> PyResult<Option<u32>> {
        Ok(self.encoding(py)?.token_to_word(token))
    }

    fn word_to_tokens(
        &self,
        py: Python<'_>,
        word: u32,
        sequence: usize,
    ) -> PyResult<Option<(usize, usize)>> {
        Ok(self.encoding(py)?.word_to_tokens(word, sequence))
    }

    fn word_to_chars(
        &self,
        py: Python<'_>,
        word: u32,
        sequence: usize,
    ) -> PyResult<Option<(usize, usize)>> {
        Ok(self.encoding(py)?.word_to_chars(word, sequence))
    }

    fn char_to_token(
        &self,
        py: Python<'_>,
        position: usize,
        sequence: usize,
    ) -> PyResult<Option<usize>> {
        Ok(self.encoding(py)?.char_to_token(position, sequence))
    }

    fn char_to_word(
        &self,
        py: Python<'_>,
        position: usize,
        sequence: usize,
    ) -> PyResult<Option<u32>> {
        Ok(self.encoding(py)?.char_to_word(position, sequence))
    }

    fn ranges(&self, py: Python<'_>) -> PyResult<Vec<(usize, usize, usize)>> {
        let ranges = self.encoding(py)?.sequence_ranges.iter();
        Ok(ranges.map(|(&index, range)| (index, range.start, range.end)).collect())
    }

    fn n_sequences(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.encoding(py)?.sequences())
    }

    fn overflowing(&self, py: Python<'_>) -> PyResult<Vec<Self>> {
        Ok(self.encoding(py)?.overflowing.iter().map(|part| self.with(part.clone())).collect())
    }

    fn truncated(
        &self,
        py: Python<'_>,
        max_length: usize,
        stride: usize,
        left: bool,
    ) -> PyResult<Self> {
        let mut encoding = self.encoding(py)?.clone();
        attached(py, || {
            if encoding.len() > max_length && stride >= max_length && max_length > 0 {
                return Err(Error::argument(
                    "stride",
                    format!("{stride} should be below max_length, which is {max_length}"),
                ));
            }
            encoding.truncate(max_length, stride, direction(left))?;
            Ok(self.with(encoding))
        })
    }

    fn padded(
        &self,
        py: Python<'_>,
        length: usize,
        left: bool,
        id: u32,
        type_id: u32,
        token: &str,
    ) -> PyResult<Self> {
        let mut encoding = self.encoding(py)?.clone();
        let filler = Filler { id, type_id, token: Arc::from(token) };
        attached(py, || encoding.pad(length, &filler, direction(left)))?;
        Ok(self.with(encoding))
    }

    fn with_sequence_id(&self, py: Python<'_>, index: usize) -> PyResult<Self> {
        let mut encoding = self.encoding(py)?.clone();
        encoding.set_sequence_id(index);
        Ok(self.with(encoding))
    }

    #[staticmethod]
    fn merged(
        py: Python<'_>,
        parts: Vec<PyRef<'_, Self>>,
        growing_offsets: bool,
    ) -> PyResult<Self> {
        // Parts may come from different tokenizers: the texts of their tokens are spelled out.
        let encodings: Vec<Encoding> =
            parts.iter().map(|part| part.alone(py)).collect::<PyResult<_>>()?;
        let whole = attached(py, || Encoding::merge(encodings, growing_offsets))?;
        Ok(Self::new(None, whole))
    }
}

impl EncodingCore {
    pub(super) fn new(tokenizer: Option<Arc<Tokenizer>>, encoding: Encoding) -> Self {
        Self { tokenizer, content: Content::Whole(encoding) }
    }

    /// The encodings of a batch of which only the ids are known yet.
    pub(super) fn later(
        tokenizer: &Arc<Tokenizer>,
        ids: Vec<Vec<u32>>,
        batch: Batch,
    ) -> impl Iterator<Item = Self> {
        let batch = Arc::new(batch);
        ids.into_iter().enumerate().map(move |(index, ids)| {
            let later = Later { ids, batch: Arc::clone(&batch), index };
            Self { tokenizer: Some(Arc::clone(tokenizer)), content: Content::Later(later) }
        })
    }

    /// The encoding, with the texts of its tokens spelled out: it may go to another tokenizer.
    pub(super) fn alone(&self, py: Python<'_>) -> PyResult<Encoding> {
        Ok(self.spelled(self.encoding(py)?.clone()))
    }

    fn encoding(&self, py: Python<'_>) -> PyResult<&Encoding> {
        match (&self.content, &self.tokenizer) {
            (Content::Whole(encoding), _) => Ok(encoding),
            (Content::Later(later), Some(tokenizer)) => later.whole(py, tokenizer),
            (Content::Later(_), None) => {
                attached(py, || Err(Error::internal("an encoding without its tokenizer")))
            }
        }
    }

    fn own_ids(&self) -> &[u32] {
        match &self.content {
            Content::Whole(encoding) => &encoding.ids,
            Content::Later(later) => &later.ids,
        }
    }

    fn with(&self, encoding: Encoding) -> Self {
        Self::new(self.tokenizer.clone(), encoding)
    }

    fn text<'a>(&'a self, encoding: &'a Encoding, index: usize) -> &'a str {
        match &self.tokenizer {
            Some(tokenizer) => tokenizer.encoded_token(encoding, index),
            None => encoding.texts.get(index).and_then(Option::as_deref).unwrap_or_default(),
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
