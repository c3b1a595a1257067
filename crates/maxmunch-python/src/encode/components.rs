//! Components that stand alone: built from their JSON once, shared with the tokenizers that they are set on.

use std::sync::Arc;

use maxmunch::Result;
use maxmunch::encode::decoders::Decoder;
use maxmunch::encode::json::Node;
use maxmunch::encode::models::{self, Model, Scratch, Sink};
use maxmunch::encode::normalizers::Normalizer;
use maxmunch::encode::post_processors::{PostProcessor, process};
use maxmunch::encode::pre_tokenizers::PreTokenizer;
use maxmunch::encode::strings::PreTokenizedString;
use maxmunch::encode::{Component, Pattern, read_component};
use maxmunch::units::Span;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyDict, PyString};

use super::encoding::EncodingCore;
use super::hooks;
use super::strings::{PreTokenizedStringCore, TokenParts};
use crate::boundary::{self, attached, enter};

/// Builds a component; custom parts of its JSON name one of `custom`.
fn build<T: Send>(
    py: Python<'_>,
    section: &str,
    json: &Bound<'_, PyString>,
    custom: Vec<Py<PyAny>>,
    build: impl FnOnce(&Node) -> Result<T> + Send,
) -> PyResult<Arc<T>> {
    let json = boundary::utf8(section, json)?;
    let hooks = hooks::of_section(section, custom);
    Ok(Arc::new(enter(py, || read_component(section, json, &hooks, build))?))
}

/// The component of a section, from its handle.
pub(super) fn of_section(section: &str, part: Option<&Bound<'_, PyAny>>) -> PyResult<Component> {
    Ok(match section {
        "normalizer" => Component::Normalizer(
            part.map(|part| Ok::<_, PyErr>(part.cast::<NormalizerCore>()?.get().shared()))
                .transpose()?,
        ),
        "pre_tokenizer" => Component::PreTokenizer(
            part.map(|part| Ok::<_, PyErr>(part.cast::<PreTokenizerCore>()?.get().shared()))
                .transpose()?,
        ),
        "post_processor" => Component::PostProcessor(
            part.map(|part| Ok::<_, PyErr>(part.cast::<PostProcessorCore>()?.get().shared()))
                .transpose()?,
        ),
        "decoder" => Component::Decoder(
            part.map(|part| Ok::<_, PyErr>(part.cast::<DecoderCore>()?.get().shared()))
                .transpose()?,
        ),
        "model" => match part {
            Some(part) => Component::Model(part.cast::<ModelCore>()?.get().shared()),
            None => return Err(PyTypeError::new_err("model: a tokenizer cannot be without one")),
        },
        _ => return Err(PyTypeError::new_err(format!("{section:?} is no section of components"))),
    })
}

/// A normalizer.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct NormalizerCore(Arc<Normalizer>);

impl NormalizerCore {
    pub(super) fn shared(&self) -> Arc<Normalizer> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl NormalizerCore {
    #[staticmethod]
    fn from_json(
        py: Python<'_>,
        json: &Bound<'_, PyString>,
        custom: Vec<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self(build(py, "normalizer", json, custom, Normalizer::from_json)?))
    }

    fn normalize_str(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<String> {
        let text = boundary::utf8("sequence", text)?;
        enter(py, || self.0.normalize(text))
    }
}

/// A pre-tokenizer.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct PreTokenizerCore(Arc<PreTokenizer>);

impl PreTokenizerCore {
    fn shared(&self) -> Arc<PreTokenizer> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl PreTokenizerCore {
    #[staticmethod]
    fn from_json(
        py: Python<'_>,
        json: &Bound<'_, PyString>,
        custom: Vec<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self(build(py, "pre_tokenizer", json, custom, PreTokenizer::from_json)?))
    }

    fn pre_tokenize_str(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
    ) -> PyResult<Vec<(String, (usize, usize))>> {
        let text = boundary::utf8("sequence", text)?;
        enter(py, || {
            let mut whole = PreTokenizedString::new(text)?;
            whole.apply(&self.0)?;
            let offsets = whole.offsets(true, true);
            let texts = whole.splits.into_iter().map(|split| split.text.text().to_owned());
            Ok(texts.zip(offsets).collect())
        })
    }

    fn pre_tokenize(
        &self,
        py: Python<'_>,
        text: PyRef<'_, PreTokenizedStringCore>,
    ) -> PyResult<()> {
        text.change(|whole| enter(py, || whole.apply(&self.0)))
    }
}

/// A post-processor.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct PostProcessorCore(Arc<PostProcessor>);

impl PostProcessorCore {
    fn shared(&self) -> Arc<PostProcessor> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl PostProcessorCore {
    #[staticmethod]
    fn from_json(
        py: Python<'_>,
        json: &Bound<'_, PyString>,
        added_single: Vec<Option<usize>>,
    ) -> PyResult<Self> {
        let read = |node: &Node| {
            let mut part = PostProcessor::from_json(node)?;
            part.claim(&mut added_single.into_iter());
            Ok(part)
        };
        Ok(Self(build(py, "post_processor", json, Vec::new(), read)?))
    }

    fn added(&self, is_pair: bool) -> usize {
        self.0.added(is_pair)
    }

    #[pyo3(signature = (first, pair, add_special_tokens))]
    fn process(
        &self,
        py: Python<'_>,
        first: PyRef<'_, EncodingCore>,
        pair: Option<PyRef<'_, EncodingCore>>,
        add_special_tokens: bool,
    ) -> PyResult<EncodingCore> {
        let (first, pair) = (first.alone(py)?, pair.map(|pair| pair.alone(py)).transpose()?);
        let encoding = enter(py, || process(&self.0, first, pair, add_special_tokens))?;
        Ok(EncodingCore::new(None, encoding))
    }
}

/// A decoder.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct DecoderCore(Arc<Decoder>);

impl DecoderCore {
    fn shared(&self) -> Arc<Decoder> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl DecoderCore {
    #[staticmethod]
    fn from_json(
        py: Python<'_>,
        json: &Bound<'_, PyString>,
        custom: Vec<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self(build(py, "decoder", json, custom, Decoder::from_json)?))
    }

    fn decode(&self, py: Python<'_>, tokens: Vec<String>) -> PyResult<String> {
        enter(py, || self.0.decode(tokens))
    }
}

/// A model.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct ModelCore(Arc<Model>);

impl ModelCore {
    pub(super) fn new(model: Arc<Model>) -> Self {
        Self(model)
    }

    pub(super) fn shared(&self) -> Arc<Model> {
        Arc::clone(&self.0)
    }
}

/// Tokens of one piece: id, text, bytes.
#[derive(Default)]
struct Collected(Vec<(u32, Option<Span>, Span)>);

impl Sink for Collected {
    fn token(&mut self, id: u32, span: Span) {
        self.0.push((id, None, span));
    }

    fn surface(&mut self, id: u32, span: Span) {
        self.0.push((id, Some(span), span));
    }
}

#[pymethods]
impl ModelCore {
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &Bound<'_, PyString>) -> PyResult<Self> {
        Ok(Self(build(py, "model", json, Vec::new(), Model::from_json)?))
    }

    fn to_json(&self, py: Python<'_>, pretty: bool) -> PyResult<String> {
        enter(py, || Ok(self.0.to_json().write(pretty)))
    }

    /// As [`Self::to_json`], with the first `most` entries of each table.
    fn excerpt_json(&self, py: Python<'_>, most: usize) -> PyResult<String> {
        enter(py, || Ok(self.0.excerpt_json(most).write(false)))
    }

    fn options_json(&self) -> String {
        self.0.options_json().write(false)
    }

    fn with_options(&self, py: Python<'_>, json: &Bound<'_, PyString>) -> PyResult<Self> {
        let model = self.shared();
        Ok(Self(build(py, "model", json, Vec::new(), move |node| model.with_options(node))?))
    }

    fn id(&self, token: &Bound<'_, PyString>) -> PyResult<Option<u32>> {
        Ok(self.0.vocabulary().id(boundary::utf8("token", token)?))
    }

    fn token(&self, id: u32) -> Option<&str> {
        self.0.vocabulary().token(id)
    }

    fn vocabulary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (token, id) in self.0.vocabulary().iter() {
            all.set_item(token, id)?;
        }
        Ok(all)
    }

    /// All tokens with their ids, as an object.
    fn vocabulary_json(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || Ok(self.0.vocabulary().to_json(usize::MAX).write(false)))
    }

    /// The merges of a byte-pair model by rank, a line each.
    fn merges_text(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || match &*self.0 {
            Model::Bpe(model) => {
                Ok(model.merge_texts().flat_map(|(left, right)| [left, " ", right, "\n"]).collect())
            }
            _ => Ok(String::new()),
        })
    }

    /// The tokens of one piece: id, text, offsets in bytes.
    fn tokenize(&self, py: Python<'_>, piece: &Bound<'_, PyString>) -> PyResult<Vec<TokenParts>> {
        let piece = boundary::utf8("sequence", piece)?;
        enter(py, || {
            let mut found = Collected::default();
            // Only `WordLevel` has an answer for the empty piece.
            if !piece.is_empty() || matches!(*self.0, Model::WordLevel(_)) {
                let mut scratch = Scratch::default();
                self.0.begin(piece, &mut scratch);
                self.0.tokenize(piece, &mut scratch, &mut found)?;
            }
            let tokens = found.0.into_iter().map(|(id, surface, span)| {
                let text = match surface {
                    Some(span) => piece.get(span.range()),
                    None => self.0.vocabulary().token(id),
                };
                (id, text.unwrap_or_default().to_owned(), (span.start, span.end))
            });
            Ok(tokens.collect())
        })
    }
}

/// Refuses what is no regular expression.
#[pyfunction]
pub(crate) fn check_pattern(py: Python<'_>, source: &Bound<'_, PyString>) -> PyResult<()> {
    let source = boundary::utf8("pattern", source)?;
    attached(py, || Pattern::new(source).map(drop))
}

/// Where the last merge of each token joins two tokens; see `maxmunch::encode::models::last_merges`.
#[pyfunction]
pub(crate) fn last_merges(
    py: Python<'_>,
    tokens: Vec<PyBackedBytes>,
    ranks: Vec<f64>,
    by_character: bool,
) -> PyResult<Vec<usize>> {
    enter(py, || {
        let tokens: Vec<&[u8]> = tokens.iter().map(|token| &**token).collect();
        let units = if by_character { models::Units::Characters } else { models::Units::Bytes };
        Ok(models::last_merges(&tokens, &ranks, units))
    })
}
