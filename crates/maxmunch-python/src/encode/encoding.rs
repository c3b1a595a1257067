//! Encodings: columns as lists, and the calls that make other encodings.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use maxmunch::Error;
use maxmunch::encode::batch::map_ordered;
use maxmunch::encode::encoding::Filler;
use maxmunch::encode::tokenizer::Input;
use maxmunch::encode::{EncodeOptions, Encoding, Tokenizer, Unit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use super::SpecialsArgument;
use super::components::ModelCore;
use super::limits::direction;
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
    #[new]
    fn empty() -> Self {
        Self::new(None, Encoding::default())
    }

    /// What `state` gave.
    #[staticmethod]
    fn from_state(py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = boundary::text("state", state)?;
        Ok(Self::new(None, enter(py, || Encoding::from_json(text))?))
    }

    /// All columns as JSON.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let encoding = self.encoding(py)?;
        let text = attached(py, || Ok(encoding.to_json(&|part, index| self.text(part, index))))?;
        Ok(PyBytes::new(py, text.as_bytes()))
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

    fn n_sequences(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.encoding(py)?.sequences())
    }

    /// The model that the ids are those of.
    fn model(&self) -> Option<ModelCore> {
        self.tokenizer.as_ref().map(|tokenizer| ModelCore::new(tokenizer.shared_model()))
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
    ) -> PyResult<Option<Self>> {
        let encoding = self.encoding(py)?;
        if encoding.len() <= max_length {
            return Ok(None);
        }
        attached(py, || {
            if stride >= max_length && max_length > 0 {
                return Err(Error::argument(
                    "stride",
                    format!("{stride} should be below max_length, which is {max_length}"),
                ));
            }
            Ok(Some(self.with(encoding.truncated(max_length, stride, direction(left))?)))
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
    ) -> PyResult<Option<Self>> {
        if self.encoding(py)?.missing(length) == 0 {
            return Ok(None);
        }
        let mut encoding = self.encoding(py)?.clone();
        let filler = Filler { id, type_id, token: Arc::from(token) };
        attached(py, || encoding.pad(length, &filler, direction(left)))?;
        Ok(Some(self.with(encoding)))
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
        let tokenizer = parts.first().and_then(|part| part.tokenizer.as_ref());
        let is_shared = parts.iter().all(|part| part.is_of(tokenizer));
        let parts: Vec<Cow<Encoding>> = parts
            .iter()
            .map(|part| {
                if is_shared {
                    part.encoding(py).map(Cow::Borrowed)
                } else {
                    part.alone(py).map(Cow::Owned)
                }
            })
            .collect::<PyResult<_>>()?;
        let parts: Vec<&Encoding> = parts.iter().map(|part| &**part).collect();
        let whole = attached(py, || Encoding::merged(&parts, growing_offsets))?;
        Ok(Self::new(tokenizer.filter(|_| is_shared).cloned(), whole))
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

    /// Whether the texts of its tokens are those of this tokenizer.
    fn is_of(&self, tokenizer: Option<&Arc<Tokenizer>>) -> bool {
        match (&self.tokenizer, tokenizer) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }

    /// The encoding for this tokenizer: the texts of its tokens are spelled out if they are those of another one.
    pub(super) fn under(&self, py: Python<'_>, tokenizer: &Arc<Tokenizer>) -> PyResult<Encoding> {
        if self.is_of(Some(tokenizer)) {
            return self.encoding(py).cloned();
        }
        self.alone(py)
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
