//! Texts from Python as UTF-8, without leaving a copy behind.
//!
//! Python keeps the UTF-8 of a `str` that is not ASCII beside it, for as long as the `str` lives: whoever encodes a
//! corpus in memory would have it twice. So that of a long text is made for the call alone.
//!
//! PERF: it takes the same memory each time, which is near the processor: documents of 10 kB in Russian and Chinese
//! 1.00 to 1.04 times as fast.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::boundary;

/// Characters from which on a text is long.
const LONG: usize = 1024;

/// A text argument.
#[derive(Clone)]
pub(crate) enum Text<'a, 'py> {
    /// The UTF-8 that Python has of it.
    Kept(&'a str),
    /// UTF-8 of our own.
    Made(Utf8<'py>),
}

impl<'a, 'py> Text<'a, 'py> {
    /// The text of a `str` or (valid UTF-8) `bytes` argument.
    pub(crate) fn new(name: &str, value: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>()
            && text.len().is_ok_and(|characters| characters >= LONG)
            && !is_ascii(text)
            && let Some(made) = Utf8::of(text)
        {
            return Ok(Self::Made(made));
        }
        boundary::text(name, value).map(Self::Kept)
    }

    /// Several of them; one that comes many times in a row is made once.
    pub(crate) fn all(name: &str, values: &'a [Bound<'py, PyAny>]) -> PyResult<Vec<Self>> {
        let mut all: Vec<Self> = Vec::with_capacity(values.len());
        for (at, value) in values.iter().enumerate() {
            let before = all.last().filter(|_| at > 0 && values[at - 1].is(value));
            let text = before.cloned().map_or_else(|| Self::new(name, value), Ok)?;
            all.push(text);
        }
        Ok(all)
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Kept(text) => text,
            Self::Made(text) => text.as_str(),
        }
    }
}

/// Whether Python has the text in one byte a character already, or does not say.
fn is_ascii(text: &Bound<'_, PyString>) -> bool {
    let answer = text.call_method0(intern!(text.py(), "isascii"));
    answer.and_then(|answer| answer.is_truthy()).unwrap_or(true)
}

/// Bytes that are UTF-8.
#[derive(Clone)]
pub(crate) struct Utf8<'py>(Bound<'py, PyBytes>);

impl<'py> Utf8<'py> {
    /// The UTF-8 of a `str`; none where it has lone surrogates.
    fn of(text: &Bound<'py, PyString>) -> Option<Self> {
        text.encode_utf8().ok().map(Self)
    }

    #[expect(unsafe_code, reason = "looking through all bytes again takes a twentieth of the time")]
    fn as_str(&self) -> &str {
        // SAFETY: Python's own encoder has made them, bytes never change, and nobody else makes this type.
        unsafe { std::str::from_utf8_unchecked(self.0.as_bytes()) }
    }
}
