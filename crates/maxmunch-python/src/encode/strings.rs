//! `NormalizedString` and `PreTokenizedString`: handles whose text may be lent to a custom component for a while.

use std::sync::{Mutex, PoisonError};

use maxmunch::Error;
use maxmunch::encode::Pattern;
use maxmunch::encode::pre_tokenizers::Behavior;
use maxmunch::encode::strings::{NormalizedString, PreTokenizedString, Split, Token};
use maxmunch::units::Span;
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use super::components::NormalizerCore;
use super::encoding::EncodingCore;
use crate::boundary::{self, attached, enter, to_python};

/// The Python object of class `name` of `maxmunch.strings` around a handle.
pub(super) fn wrapped<'py, T: PyTypeInfo>(
    py: Python<'py>,
    name: &str,
    core: Bound<'py, T>,
) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE
        .get_or_try_init(py, || PyModule::import(py, "maxmunch.strings").map(Bound::unbind))?;
    module.bind(py).getattr(name)?.call_method1("from_core", (core,))
}

/// A value that its owner may take away: then the handle is of no use any more.
struct Lent<T> {
    value: Mutex<Option<T>>,
    outside: &'static str,
}

impl<T> Lent<T> {
    fn new(value: T, outside: &'static str) -> Self {
        Self { value: Mutex::new(Some(value)), outside }
    }

    fn with<U>(&self, work: impl FnOnce(&mut T) -> PyResult<U>) -> PyResult<U> {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        work(value.as_mut().ok_or_else(|| gone(self.outside))?)
    }

    fn take(&self) -> PyResult<T> {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        value.take().ok_or_else(|| gone(self.outside))
    }

    fn put(&self, new: T) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(new);
    }
}

fn gone(outside: &str) -> PyErr {
    let error = Error::argument("self", format!("{outside}: its text was handed back"));
    Python::attach(|py| to_python(py, error))
}

/// A text with its original.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct NormalizedStringCore(Lent<NormalizedString>);

impl NormalizedStringCore {
    pub(super) fn new(text: NormalizedString) -> Self {
        Self(Lent::new(text, "Cannot use a NormalizedStringRefMut outside `normalize`"))
    }

    pub(super) fn take(&self) -> PyResult<NormalizedString> {
        self.0.take()
    }

    pub(super) fn with<U>(
        &self,
        work: impl FnOnce(&mut NormalizedString) -> PyResult<U>,
    ) -> PyResult<U> {
        self.0.with(work)
    }
}

/// A literal text, or a regular expression.
fn pattern(py: Python<'_>, source: &str, is_regex: bool) -> PyResult<Pattern> {
    if is_regex { attached(py, || Pattern::new(source)) } else { Ok(Pattern::literal(source)) }
}

#[pymethods]
impl NormalizedStringCore {
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Self> {
        let text = boundary::utf8("sequence", text)?;
        Ok(Self::new(attached(py, || NormalizedString::new(text))?))
    }

    fn text(&self) -> PyResult<String> {
        self.with(|text| Ok(text.text().to_owned()))
    }

    fn original(&self) -> PyResult<String> {
        self.with(|text| Ok(text.original().to_owned()))
    }

    fn retain(&self, keep: Vec<bool>) -> PyResult<()> {
        self.with(|text| {
            text.retain(&keep);
            Ok(())
        })
    }

    fn map(&self, by: Vec<char>) -> PyResult<()> {
        self.with(|text| {
            text.map(&by);
            Ok(())
        })
    }

    fn uppercase(&self) -> PyResult<()> {
        self.with(|text| {
            text.uppercase();
            Ok(())
        })
    }

    fn append(&self, more: &Bound<'_, PyString>) -> PyResult<()> {
        let more = boundary::utf8("s", more)?;
        self.with(|text| {
            text.append(more);
            Ok(())
        })
    }

    fn clear(&self) -> PyResult<()> {
        self.with(|text| {
            text.clear();
            Ok(())
        })
    }

    fn normalize(&self, py: Python<'_>, normalizer: PyRef<'_, NormalizerCore>) -> PyResult<()> {
        let normalizer = normalizer.shared();
        // A custom normalizer may come back to this handle: its text is copied, not locked.
        let mut text = self.with(|text| Ok(text.clone()))?;
        enter(py, || text.apply(&normalizer))?;
        self.with(|own| {
            *own = text;
            Ok(())
        })
    }

    /// The bytes from `start` to `end`.
    fn slice(&self, start: usize, end: usize) -> PyResult<Option<Self>> {
        self.with(|text| Ok(text.slice(Span::new(start, end)).map(Self::new)))
    }

    fn split(
        &self,
        py: Python<'_>,
        source: &str,
        is_regex: bool,
        behavior: &str,
    ) -> PyResult<Vec<Self>> {
        let pattern = pattern(py, source, is_regex)?;
        let behavior = Behavior::named(behavior).ok_or_else(|| {
            to_python(py, Error::argument("behavior", format!("{behavior:?} is none")))
        })?;
        let parts = self.with(|text| attached(py, || text.split(&pattern, behavior)))?;
        Ok(parts.into_iter().map(Self::new).collect())
    }

    fn replace(&self, py: Python<'_>, source: &str, is_regex: bool, content: &str) -> PyResult<()> {
        let pattern = pattern(py, source, is_regex)?;
        self.with(|text| attached(py, || text.replace(&pattern, content)))
    }
}

/// Id, text, offsets in bytes.
pub(super) type TokenParts = (u32, String, (usize, usize));
/// Text, offsets, tokens.
type SplitParts = (String, (usize, usize), Option<Vec<TokenParts>>);

/// A text in pieces.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct PreTokenizedStringCore(Lent<PreTokenizedString>);

impl PreTokenizedStringCore {
    pub(super) fn new(text: PreTokenizedString) -> Self {
        Self(Lent::new(text, "Cannot use a PreTokenizedStringRefMut outside `pre_tokenize`"))
    }

    pub(super) fn take(&self) -> PyResult<PreTokenizedString> {
        self.0.take()
    }

    /// Changes a copy and puts it in place: user code may look at the handle meanwhile.
    pub(super) fn change(
        &self,
        work: impl FnOnce(&mut PreTokenizedString) -> PyResult<()>,
    ) -> PyResult<()> {
        let mut text = self.0.with(|text| Ok(text.clone()))?;
        work(&mut text)?;
        self.0.put(text);
        Ok(())
    }
}

/// What comes from Python and what comes from the core, on one way out of a loop.
struct Raised(PyErr);

impl From<Error> for Raised {
    fn from(error: Error) -> Self {
        Self(Python::attach(|py| to_python(py, error)))
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

#[pymethods]
impl PreTokenizedStringCore {
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Self> {
        let text = boundary::utf8("sequence", text)?;
        Ok(Self::new(attached(py, || PreTokenizedString::new(text))?))
    }

    /// `cut` gets the number of a piece and its text, and gives texts.
    fn split(&self, py: Python<'_>, cut: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(|whole| {
            let done = whole.split(|index, text| {
                let core = Bound::new(py, NormalizedStringCore::new(text.clone()))?;
                let given = cut.call1((index, core))?;
                let parts: Vec<PyRef<'_, NormalizedStringCore>> = given.extract()?;
                let parts = parts.iter().map(|part| part.with(|text| Ok(text.clone())));
                Ok::<_, Raised>(parts.collect::<PyResult<_>>()?)
            });
            done.map_err(|Raised(error)| error)
        })
    }

    /// `change` gets the text of each piece and changes it.
    fn normalize(&self, py: Python<'_>, change: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(|whole| {
            for split in whole.splits.iter_mut().filter(|split| split.tokens.is_none()) {
                let core = Bound::new(py, NormalizedStringCore::new(split.text.clone()))?;
                change.call1((core.clone(),))?;
                split.text = core.get().take()?;
            }
            Ok(())
        })
    }

    /// `tokenize` gets the text of each piece and gives its tokens.
    fn tokenize(&self, tokenize: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(|whole| {
            for split in whole.splits.iter_mut().filter(|split| split.tokens.is_none()) {
                let given: Vec<TokenParts> = tokenize.call1((split.text.text(),))?.extract()?;
                let tokens = given.into_iter();
                let tokens = tokens.map(|(id, value, offsets)| Token { id, value, offsets });
                split.tokens = Some(tokens.collect());
            }
            Ok(())
        })
    }

    #[pyo3(signature = (type_id, word))]
    fn encoding(&self, py: Python<'_>, type_id: u32, word: Option<u32>) -> PyResult<EncodingCore> {
        let encoding = self.0.with(|whole| attached(py, || whole.encoding(type_id, word)))?;
        Ok(EncodingCore::new(None, encoding))
    }

    fn splits(&self, of_original: bool, in_chars: bool) -> PyResult<Vec<SplitParts>> {
        self.0.with(|whole| {
            let offsets = whole.offsets(of_original, in_chars);
            let parts = |(split, offsets): (&Split, (usize, usize))| {
                let tokens = split.tokens.as_ref().map(|tokens| {
                    let tokens = tokens.iter();
                    tokens.map(|token| (token.id, token.value.clone(), token.offsets)).collect()
                });
                (split.text.text().to_owned(), offsets, tokens)
            };
            Ok(whole.splits.iter().zip(offsets).map(parts).collect())
        })
    }
}
