//! Cuts of one text for a tokenizer: where it may be taken apart, and encoding the parts at once.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands extracted arguments over by value")]

use std::sync::Arc;

use maxmunch::encode::seams::Right;
use maxmunch::encode::{EncodeOptions, Tokenizer, Unit};
use maxmunch::parallel::TextCuts;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::boundary::{attached, enter};
use crate::encode::{SpecialsArgument, TokenizerCore};
use crate::text::Text;

/// Ids before those of a text, and after them.
type Frame = (Vec<u32>, Vec<u32>);

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

    /// Cuts for parts that are texts of their own, or that go on inside the text.
    fn plan<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        parts: usize,
        continued: bool,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let given = Text::new("text", text)?;
        let text = given.as_str();
        let right = if continued { Right::Continued } else { Right::Text };
        Ok(enter(py, || self.cuts.plan_for(text, parts, right))?.cuts.into_pyarray(py))
    }

    /// The ids of a part that goes on inside a text, where `last` or a plan for such parts cut it.
    fn continued_ids<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        specials: SpecialsArgument,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let given = Text::new("text", text)?;
        let text = given.as_str();
        let ids = enter(py, || {
            let (mut ids, mut scratch) = (Vec::new(), self.tokenizer.scratch());
            let specials = specials.as_core();
            self.cuts.append_continued_ids(
                &self.tokenizer,
                text,
                specials,
                &mut scratch,
                &mut ids,
            )?;
            Ok(ids)
        })?;
        Ok(ids.into_pyarray(py))
    }

    fn last(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let given = Text::new("text", text)?;
        let text = given.as_str();
        attached(py, || self.cuts.last(text))
    }

    /// What stands before and after the ids of a text; `None` where that is not all that is done.
    fn frame(&self, py: Python<'_>, add_special_tokens: bool) -> PyResult<Option<Frame>> {
        attached(py, || Ok(self.tokenizer.frame(add_special_tokens)))
    }

    /// Length in bytes of the longest beginning of a text with at most so many ids.
    fn truncated_len(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        max_ids: usize,
        specials: SpecialsArgument,
    ) -> PyResult<usize> {
        let given = Text::new("text", text)?;
        let text = given.as_str();
        let specials = specials.as_core();
        let options = EncodeOptions { add_special_tokens: true, specials, unit: Unit::None };
        enter(py, || {
            let mut scratch = self.tokenizer.scratch();
            self.tokenizer.truncated_len(text, max_ids, options, &self.cuts, &mut scratch)
        })
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
        let given = Text::new("text", text)?;
        let text = given.as_str();
        let options =
            EncodeOptions { add_special_tokens, specials: specials.as_core(), unit: Unit::None };
        let ids = enter(py, || self.tokenizer.encode_ids_on(text, options, &self.cuts, threads))?;
        Ok(ids.into_pyarray(py))
    }
}
