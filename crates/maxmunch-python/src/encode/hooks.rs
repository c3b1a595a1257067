//! Custom components: Python objects behind the hooks of the core.
//!
//! A hook attaches to the interpreter for each call, so that encoding may run detached around it. What the object
//! raises goes through the core as a cause and comes out chained to the exception.

use std::sync::Arc;

use maxmunch::encode::custom::{Custom, DecoderHook, Hook, NormalizerHook, PreTokenizerHook};
use maxmunch::encode::strings::{NormalizedString, PreTokenizedString};
use maxmunch::{Cause, Error, Result};
use pyo3::prelude::*;

use super::strings::{NormalizedStringCore, PreTokenizedStringCore, wrapped};

/// The Python object of a custom component.
struct Object(Py<PyAny>);

/// The hooks for the objects of a section.
pub(super) fn of_section(section: &str, objects: Vec<Py<PyAny>>) -> Vec<Hook> {
    let hook = |object| {
        let object = Arc::new(Object(object));
        match section {
            "normalizer" => Hook::Normalizer(Custom::new(object)),
            "pre_tokenizer" => Hook::PreTokenizer(Custom::new(object)),
            _ => Hook::Decoder(Custom::new(object)),
        }
    };
    objects.into_iter().map(hook).collect()
}

/// What was raised, as an error that the core hands through.
pub(super) fn carried(error: PyErr) -> Error {
    Error::Custom { message: error.to_string(), cause: Cause::new(error) }
}

impl NormalizerHook for Object {
    fn normalize(&self, text: &mut NormalizedString) -> Result<()> {
        Python::attach(|py| {
            let core = Bound::new(py, NormalizedStringCore::new(text.clone()))?;
            self.0.call_method1(
                py,
                "normalize",
                (wrapped(py, "NormalizedString", core.clone())?,),
            )?;
            *text = core.get().take()?;
            Ok(())
        })
        .map_err(carried)
    }
}

impl PreTokenizerHook for Object {
    fn pre_tokenize(&self, text: &mut PreTokenizedString) -> Result<()> {
        Python::attach(|py| {
            let core = Bound::new(py, PreTokenizedStringCore::new(text.clone()))?;
            let argument = wrapped(py, "PreTokenizedString", core.clone())?;
            self.0.call_method1(py, "pre_tokenize", (argument,))?;
            *text = core.get().take()?;
            Ok(())
        })
        .map_err(carried)
    }
}

impl DecoderHook for Object {
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        Python::attach(|py| self.0.call_method1(py, "decode_chain", (tokens,))?.extract(py))
            .map_err(carried)
    }
}
