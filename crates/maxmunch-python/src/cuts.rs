//! Cuts of one text for a tokenizer: where it may be taken apart, and encoding the parts at once.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands extracted arguments over by value")]

use std::sync::Arc;

use maxmunch::encode::{EncodeOptions, Tokenizer, Unit};
use maxmunch::parallel::TextCuts;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::boundary::{self, enter};
use crate::encode::{SpecialsArgument, TokenizerCore};

/// The cuts of one tokenizer, with the tokenizer they are proven for.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct TextCutsCore {
    tokenizer: Arc<Tokenizer>,
    cuts: TextCuts,
}

#[pymethods]
impl TextCutsCore {
    #[new]
    fn new(py: Python<'_>, core: &TokenizerCore) -> PyResult<Self> {
        let tokenizer = core.shared();
        let cuts = enter(py, || TextCuts::new(&tokenizer))?;
        Ok(Self { tokenizer, cuts })
    }

    fn plan<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        parts: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let text = boundary::text("text", text)?;
        Ok(enter(py, || self.cuts.plan(text, parts))?.cuts.into_pyarray(py))
    }

    fn proves_delimiter(&self, py: Python<'_>, delimiter: String, after: bool) -> PyResult<bool> {
        enter(py, || Ok(self.cuts.proves_delimiter(&delimiter, after)))
    }

    fn encode_ids<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        specials: SpecialsArgument,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let text = boundary::text("text", text)?;
        let options =
            EncodeOptions { add_special_tokens, specials: specials.as_core(), unit: Unit::None };
        let ids = enter(py, || {
            let mut scratch = self.tokenizer.scratch();
            self.tokenizer.encode_ids_on(text, options, &self.cuts, threads, &mut scratch)
        })?;
        Ok(ids.into_pyarray(py))
    }
}
