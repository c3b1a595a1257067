//! Encode: the classes of the flow of the same name, as thin handles on the core.
//!
//! They give tuples, lists and arrays; `maxmunch.tokenizer` gives them names and documentation.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands extracted arguments over by value")]

mod components;
mod encoding;
mod hooks;
mod limits;
mod streams;
mod strings;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use maxmunch::encode::batch::map_ordered;
use maxmunch::encode::{
    AddedToken, EncodeOptions, Encoding, Input, PooledScratch, Specials, TokenBytes, Tokenizer,
    Unit,
};
use maxmunch::{Error, Result};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::boundary::{self, attached, enter};
use crate::text::Text;

pub(crate) use components::{
    DecoderCore, ModelCore, NormalizerCore, PostProcessorCore, PreTokenizerCore, check_pattern,
    last_merges,
};
use encoding::Batch;
pub(crate) use encoding::EncodingCore;
use limits::{PaddingParts, TruncationParts};
pub(crate) use streams::{DecodeStreamCore, StreamDecoderCore};
pub(crate) use strings::{NormalizedStringCore, PreTokenizedStringCore};

/// Content, `single_word`, lstrip, rstrip, normalized, special.
type TokenParts = (String, bool, bool, bool, bool, bool);
type Ragged<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

/// `specials` as Python gives it: a word, or the contents that are parsed.
#[derive(Clone)]
pub(crate) enum SpecialsArgument {
    Parse,
    Text,
    Refuse,
    Only(HashSet<String>),
}

impl<'py> FromPyObject<'_, 'py> for SpecialsArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(word) = value.extract::<String>() {
            return match word.as_str() {
                "parse" => Ok(Self::Parse),
                "text" => Ok(Self::Text),
                "error" => Ok(Self::Refuse),
                _ => Err(boundary::to_python(
                    value.py(),
                    Error::argument(
                        "specials",
                        format!(
                            "{word:?} should be \"parse\", \"text\", \"error\", or a set of contents"
                        ),
                    ),
                )),
            };
        }
        let contents: PyResult<HashSet<String>> =
            value.try_iter()?.map(|content| content?.extract()).collect();
        Ok(Self::Only(contents?))
    }
}

impl SpecialsArgument {
    pub(crate) fn as_core(&self) -> Specials<'_> {
        match self {
            Self::Parse => Specials::Parse,
            Self::Text => Specials::Text,
            Self::Refuse => Specials::Refuse,
            Self::Only(contents) => Specials::Only(contents),
        }
    }
}

fn unit(name: &str) -> PyResult<Unit> {
    match name {
        "char" => Ok(Unit::Char),
        "byte" => Ok(Unit::Byte),
        "none" => Ok(Unit::None),
        _ => Err(PyTypeError::new_err(format!("unit: {name:?} is no unit of offsets"))),
    }
}

/// A text, or a list of words, borrowed from Python.
fn input<'a>(name: &str, value: &'a Held<'_>) -> PyResult<Input<'a>> {
    match value {
        Held::Text(text) => Ok(Input::Text(boundary::text(name, text)?)),
        Held::Words(words) => {
            let words = words.iter().map(|word| boundary::text(name, word));
            Ok(Input::Words(words.collect::<PyResult<_>>()?))
        }
    }
}

/// References that keep borrowed texts alive.
enum Held<'py> {
    Text(Bound<'py, PyAny>),
    Words(Vec<Bound<'py, PyAny>>),
}

impl<'py> Held<'py> {
    fn of(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
            return Ok(Self::Text(value.clone()));
        }
        Ok(Self::Words(value.try_iter()?.collect::<PyResult<_>>()?))
    }
}

/// The texts of a batch without pairs and lists of words.
fn strings<'a, 'py>(
    inputs: &'a [(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)],
) -> Option<Vec<&'a Bound<'py, PyString>>> {
    let text = |(first, pair): &'a (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)| {
        first.cast::<PyString>().ok().filter(|_| pair.is_none())
    };
    inputs.iter().map(text).collect()
}

fn hold<'py>(values: &Bound<'py, PyList>) -> Vec<Bound<'py, PyAny>> {
    values.iter().collect()
}

fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// A tokenizer of the core.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct TokenizerCore(Arc<Tokenizer>);

#[pymethods]
impl TokenizerCore {
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = boundary::text("json", text)?;
        Ok(Self(Arc::new(enter(py, || Tokenizer::from_json(text))?)))
    }

    fn to_json(&self, py: Python<'_>, pretty: bool) -> PyResult<String> {
        enter(py, || self.0.to_json(pretty))
    }

    /// As [`Self::to_json`], with the first `most` entries of each table.
    fn excerpt_json(&self, py: Python<'_>, most: usize) -> PyResult<String> {
        enter(py, || Ok(self.0.excerpt_json(most)?.write(false)))
    }

    #[staticmethod]
    fn from_model(model: PyRef<'_, ModelCore>) -> Self {
        Self(Arc::new(Tokenizer::from_model(model.shared())))
    }

    /// Why pieces are not cut, if they are not; pieces and parts of `text`.
    fn splits(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
    ) -> PyResult<(Option<&'static str>, usize, usize)> {
        let text = boundary::text("text", text)?;
        let found = enter(py, || self.0.splits(text))?;
        Ok((found.refusal, found.pieces, found.parts))
    }

    fn cache_bytes(&self) -> usize {
        self.0.cache_bytes()
    }

    fn with_cache_bytes(&self, bytes: usize) -> Self {
        Self(Arc::new(self.0.with_cache_bytes(bytes)))
    }

    fn with_part(&self, py: Python<'_>, name: &str, json: &Bound<'_, PyString>) -> PyResult<Self> {
        let json = boundary::utf8(name, json)?;
        Ok(Self(Arc::new(enter(py, || self.0.with_part(name, json))?)))
    }

    /// The tokenizer with the component `part` of section `name`; None takes it away.
    #[pyo3(signature = (name, part))]
    fn with_component(
        &self,
        py: Python<'_>,
        name: &str,
        part: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let component = components::of_section(name, part)?;
        Ok(Self(Arc::new(enter(py, || self.0.with_component(component))?)))
    }

    /// The tokenizer after an option of the component of section `name` was set, which makes it `part`.
    fn with_changed(&self, py: Python<'_>, name: &str, part: &Bound<'_, PyAny>) -> PyResult<Self> {
        let component = components::of_section(name, Some(part))?;
        Ok(Self(Arc::new(enter(py, || Ok(self.0.with_changed(component)))?)))
    }

    fn model(&self) -> ModelCore {
        ModelCore::new(self.0.shared_model())
    }

    fn part_json(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        enter(py, || Ok(self.0.part_json(name)?.write(false)))
    }

    fn truncation(&self) -> Option<TruncationParts> {
        self.0.truncation().map(limits::truncation_parts)
    }

    #[pyo3(signature = (parts))]
    fn with_truncation(&self, py: Python<'_>, parts: Option<TruncationParts>) -> PyResult<Self> {
        let truncation = attached(py, || parts.map(limits::truncation).transpose())?;
        Ok(Self(Arc::new(self.0.with_truncation(truncation))))
    }

    fn padding(&self) -> Option<PaddingParts> {
        self.0.padding().map(limits::padding_parts)
    }

    #[pyo3(signature = (parts))]
    fn with_padding(&self, parts: Option<PaddingParts>) -> Self {
        Self(Arc::new(self.0.with_padding(parts.map(limits::padding))))
    }

    fn with_added(&self, py: Python<'_>, tokens: Vec<TokenParts>) -> PyResult<(Self, usize)> {
        let tokens = tokens.into_iter().map(added_token).collect();
        let (changed, count) = enter(py, || self.0.with_added(tokens))?;
        Ok((Self(Arc::new(changed)), count))
    }

    #[pyo3(signature = (input, pair, add_special_tokens, specials, unit))]
    fn encode(
        &self,
        py: Python<'_>,
        input: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        add_special_tokens: bool,
        specials: SpecialsArgument,
        unit: &str,
    ) -> PyResult<EncodingCore> {
        let (held, held_pair) = (Held::of(input)?, pair.map(Held::of).transpose()?);
        let first = self::input("sequence", &held)?;
        let second = held_pair.as_ref().map(|held| self::input("pair", held)).transpose()?;
        let options = EncodeOptions {
            add_special_tokens,
            specials: specials.as_core(),
            unit: self::unit(unit)?,
        };
        if let (Input::Text(text), None, Ok(own)) = (&first, &second, input.cast::<PyString>()) {
            let work = || Ok(self.0.ids_before_the_rest(text, options, &mut self.0.scratch()));
            if let Some(ids) = enter(py, work)? {
                let batch = Batch {
                    texts: vec![own.clone().unbind()],
                    add_special_tokens,
                    specials: specials.clone(),
                    unit: options.unit,
                    threads: 1,
                    wholes: OnceLock::new(),
                };
                if let Some(later) = EncodingCore::later(&self.0, vec![ids], batch).next() {
                    return Ok(later);
                }
            }
        }
        let encoding =
            enter(py, || self.0.encode(&first, second.as_ref(), options, &mut self.0.scratch()))?;
        Ok(self.wrap(encoding))
    }

    #[pyo3(signature = (inputs, add_special_tokens, specials, unit, threads=None))]
    fn encode_batch(
        &self,
        py: Python<'_>,
        inputs: Vec<(Bound<'_, PyAny>, Option<Bound<'_, PyAny>>)>,
        add_special_tokens: bool,
        specials: SpecialsArgument,
        unit: &str,
        threads: Option<usize>,
    ) -> PyResult<Vec<EncodingCore>> {
        let threads = self::threads(threads);
        let unit = self::unit(unit)?;
        let options = EncodeOptions { add_special_tokens, specials: specials.as_core(), unit };
        if self.0.gives_ids_first()
            && let Some(texts) = strings(&inputs)
            && let Some(ids) = self.ids_of_all(py, &texts, options, threads)?
        {
            let texts = texts.into_iter().map(|text| text.clone().unbind()).collect();
            let wholes = OnceLock::new();
            let batch = Batch { texts, add_special_tokens, specials, unit, threads, wholes };
            return Ok(EncodingCore::later(&self.0, ids, batch).collect());
        }
        let held: Vec<(Held, Option<Held>)> = inputs
            .iter()
            .map(|(first, pair)| Ok((Held::of(first)?, pair.as_ref().map(Held::of).transpose()?)))
            .collect::<PyResult<_>>()?;
        let inputs: Vec<(Input, Option<Input>)> = held
            .iter()
            .map(|(first, pair)| {
                let pair = pair.as_ref().map(|pair| input("pair", pair)).transpose()?;
                Ok((input("sequence", first)?, pair))
            })
            .collect::<PyResult<_>>()?;
        let encodings = enter(py, || {
            let work = |scratch: &mut PooledScratch, index: usize| {
                let (first, pair) = &inputs[index];
                self.0.encode(first, pair.as_ref(), options, scratch)
            };
            let mut encodings = map_ordered(inputs.len(), threads, || self.0.scratch(), work)?;
            if let Some(padding) = self.0.padding() {
                padding.apply(&mut encodings)?;
            }
            Ok(encodings)
        })?;
        Ok(encodings.into_iter().map(|encoding| self.wrap(encoding)).collect())
    }

    #[pyo3(signature = (first, pair, add_special_tokens))]
    fn finish(
        &self,
        py: Python<'_>,
        first: PyRef<'_, EncodingCore>,
        pair: Option<PyRef<'_, EncodingCore>>,
        add_special_tokens: bool,
    ) -> PyResult<EncodingCore> {
        let first = first.under(py, &self.0)?;
        let pair = pair.map(|pair| pair.under(py, &self.0)).transpose()?;
        let encoding = enter(py, || self.0.finish(first, pair, add_special_tokens))?;
        Ok(self.wrap(encoding))
    }

    fn encode_ids<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        specials: SpecialsArgument,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let given = Text::new("text", text)?;
        let text = given.as_str();
        let ids = enter(py, || self.ids(text, add_special_tokens, &specials))?;
        Ok(ids.into_pyarray(py))
    }

    fn count_tokens(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        add_special_tokens: bool,
        specials: SpecialsArgument,
    ) -> PyResult<usize> {
        let given = Text::new("text", text)?;
        let text = given.as_str();
        enter(py, || Ok(self.ids(text, add_special_tokens, &specials)?.len()))
    }

    #[pyo3(signature = (texts, add_special_tokens, specials, threads=None))]
    fn encode_ids_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyList>,
        add_special_tokens: bool,
        specials: SpecialsArgument,
        threads: Option<usize>,
    ) -> PyResult<Ragged<'py>> {
        let held = hold(texts);
        let given = Text::all("texts", &held)?;
        let texts: Vec<&str> = given.iter().map(Text::as_str).collect();
        let options =
            EncodeOptions { add_special_tokens, specials: specials.as_core(), unit: Unit::None };
        let (ids, offsets) = enter(py, || {
            let (ids, ends) = self.0.encode_ids_batch(&texts, options, self::threads(threads))?;
            let offsets: Vec<i64> = std::iter::once(0).chain(ends).map(|end| end as i64).collect();
            Ok((ids, offsets))
        })?;
        Ok((ids.into_pyarray(py), offsets.into_pyarray(py)))
    }

    fn decode(&self, py: Python<'_>, ids: Vec<u32>, skip_special_tokens: bool) -> PyResult<String> {
        enter(py, || self.0.decode(&ids, skip_special_tokens))
    }

    #[pyo3(signature = (rows, skip_special_tokens, threads=None))]
    fn decode_batch(
        &self,
        py: Python<'_>,
        rows: Vec<Vec<u32>>,
        skip_special_tokens: bool,
        threads: Option<usize>,
    ) -> PyResult<Vec<String>> {
        enter(py, || {
            let work = |(): &mut (), index: usize| self.0.decode(&rows[index], skip_special_tokens);
            map_ordered(rows.len(), self::threads(threads), || (), work)
        })
    }

    fn token(&self, id: u32) -> Option<&str> {
        self.0.token(id)
    }

    fn id(&self, token: &Bound<'_, PyString>) -> PyResult<Option<u32>> {
        Ok(self.0.id(boundary::utf8("token", token)?))
    }

    fn vocabulary_size(&self, with_added_tokens: bool) -> usize {
        self.0.vocabulary_size(with_added_tokens)
    }

    fn vocabulary<'py>(
        &self,
        py: Python<'py>,
        with_added_tokens: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (token, id) in self.0.model().vocabulary().iter() {
            all.set_item(token, id)?;
        }
        if with_added_tokens {
            // Contents, not entries: two of them may have come to share an id.
            let mut added: Vec<_> = self.0.added_tokens().contents().collect();
            added.sort_unstable_by_key(|&(content, id)| (id, content));
            for (content, id) in added {
                all.set_item(content, id)?;
            }
        }
        Ok(all)
    }

    fn added_tokens(&self) -> Vec<(u32, TokenParts)> {
        let all = self.0.added_tokens().iter();
        all.map(|(id, token)| (id, added_parts(token))).collect()
    }

    fn num_special_tokens_to_add(&self, is_pair: bool) -> usize {
        self.0.added_by_processor(is_pair)
    }

    fn works_on_bytes(&self) -> bool {
        self.0.works_on_bytes()
    }

    fn id_bound(&self) -> usize {
        self.0.id_bound()
    }

    /// How an id is matched, and its bytes; None for a hole.
    fn token_bytes<'py>(
        &self,
        py: Python<'py>,
        id: u32,
    ) -> Option<(&'static str, Bound<'py, PyBytes>)> {
        let token = self.0.token_bytes(id)?;
        let kind = match token {
            TokenBytes::Anywhere(_) => "anywhere",
            TokenBytes::Inside(_) => "inside",
            TokenBytes::Unreachable(_) => "unreachable",
            TokenBytes::Added(_) => "added",
        };
        Some((kind, PyBytes::new(py, token.bytes())))
    }
}

impl TokenizerCore {
    pub(crate) fn shared(&self) -> Arc<Tokenizer> {
        Arc::clone(&self.0)
    }

    fn wrap(&self, encoding: Encoding) -> EncodingCore {
        EncodingCore::new(Some(Arc::clone(&self.0)), encoding)
    }

    /// The ids of all texts, where the rest can be found out later.
    fn ids_of_all(
        &self,
        py: Python<'_>,
        texts: &[&Bound<'_, PyString>],
        options: EncodeOptions,
        threads: usize,
    ) -> PyResult<Option<Vec<Vec<u32>>>> {
        let texts = texts.iter().map(|text| boundary::utf8("sequence", text));
        let texts: Vec<&str> = texts.collect::<PyResult<_>>()?;
        let found = enter(py, || {
            map_ordered(
                texts.len(),
                threads,
                || self.0.scratch(),
                |scratch, index| {
                    let ids = self.0.ids_before_the_rest(texts[index], options, scratch);
                    ids.ok_or_else(|| Error::internal("the rest comes first"))
                },
            )
            .map_or(Ok(None), |ids| Ok(Some(ids)))
        })?;
        Ok(found)
    }

    fn ids(
        &self,
        text: &str,
        add_special_tokens: bool,
        specials: &SpecialsArgument,
    ) -> Result<Vec<u32>> {
        let options =
            EncodeOptions { add_special_tokens, specials: specials.as_core(), unit: Unit::None };
        self.0.encode_ids(text, options, &mut self.0.scratch())
    }
}

fn added_token(parts: TokenParts) -> AddedToken {
    let (content, single_word, lstrip, rstrip, normalized, special) = parts;
    AddedToken { content: content.into(), single_word, lstrip, rstrip, normalized, special }
}

fn added_parts(token: &AddedToken) -> TokenParts {
    let AddedToken { content, single_word, lstrip, rstrip, normalized, special } = token.clone();
    (content.as_ref().to_owned(), single_word, lstrip, rstrip, normalized, special)
}
