//! Certify: the classes of the flow of the same name, as thin handles on the core.
//!
//! They give tuples and arrays; `maxmunch.certify` gives them names and documentation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use maxmunch::Monitor;
use maxmunch::certify::delimiter::delimiter;
use maxmunch::certify::regular::MAX_PATTERN_STATES;
use maxmunch::certify::{
    Budget, Count, Disagreement, Edit, Inventory, Language, Span, TokenSet, Verdict, Witness,
    audit, cuts, edit, minimal,
};
use maxmunch::machine::overshoot::Overshoot;
use maxmunch::monitor::Deadline;
use maxmunch::parallel;
use maxmunch::scan::{self, Munch, Scan};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString};

use crate::boundary::{self, PythonMonitor, attached, enter};

type Arrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>);
type Integers<'py> = Bound<'py, PyArray1<i64>>;
/// Certified and vacuous windows of one width, as Python integers.
type CountPair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);
type OptionalBytes<'py> = Option<Bound<'py, PyBytes>>;
type DelimiterParts<'py> = (bool, bool, OptionalBytes<'py>, OptionalBytes<'py>, u64);
/// Value and attaining input, or prefix, cycle and suffix; searched states.
type SpanParts<'py> = (Option<usize>, Vec<Bound<'py, PyBytes>>, u64);
/// Name of the verdict, the witness of a refutation, the reason of an undecided one, searched states.
type VerdictParts<'py> = (&'static str, Option<WitnessParts<'py>>, Option<String>, u64);
/// Classes, targets, accepting states.
type AutomatonParts = (Vec<u8>, Vec<Vec<i64>>, Vec<bool>);
type ExtensionParts<'py> = (Vec<(u32, Bound<'py, PyBytes>)>, Bound<'py, PyBytes>);
type StretchParts<'py> = (Integers<'py>, Bound<'py, PyArray1<u32>>, usize);
type RescanParts<'py> = (Integers<'py>, Bound<'py, PyArray1<u32>>, usize, usize);
/// Data and the starts of both sides.
type DisagreementParts<'py> = (Bound<'py, PyBytes>, Option<Vec<i64>>, Option<Vec<i64>>);
type AuditParts<'py> = (Option<DisagreementParts<'py>>, Option<DisagreementParts<'py>>, u64, u64);
/// Data, occurrence, claimed, actual.
type WitnessParts<'py> = (Bound<'py, PyBytes>, usize, usize, usize);

/// The bytes of an argument, borrowed: `bytes`, `str`, or a contiguous uint8 array.
pub(crate) enum Data<'a, 'py> {
    Bytes(&'a [u8]),
    Array(PyReadonlyArray1<'py, u8>),
}

impl<'a, 'py> Data<'a, 'py> {
    pub(crate) fn of(name: &str, value: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        // bytes and str first: asking whether a value is an array imports numpy
        let plain = value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyString>();
        if !plain && let Ok(array) = value.cast::<PyArray1<u8>>() {
            return Ok(Self::Array(array.try_readonly().map_err(|error| {
                PyTypeError::new_err(format!("{name}: the array is being written to: {error}"))
            })?));
        }
        boundary::bytes(name, value).map(Self::Bytes)
    }

    pub(crate) fn slice(&self) -> PyResult<&[u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Array(array) => Ok(array.as_slice()?),
        }
    }
}

/// Runs long work detached, with Ctrl-C, an optional progress callback, and an optional limit in seconds.
fn enter_limited<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    time_limit: Option<f64>,
    work: impl FnOnce(&dyn Monitor) -> maxmunch::Result<T> + Send,
) -> PyResult<T> {
    let monitor = PythonMonitor::new(callback);
    let outcome = enter(py, || within(&monitor, time_limit, work));
    monitor.take_error().map_or(outcome, Err)
}

/// Does the work in at most so many seconds.
fn within<T>(
    monitor: &dyn Monitor,
    time_limit: Option<f64>,
    work: impl FnOnce(&dyn Monitor) -> maxmunch::Result<T>,
) -> maxmunch::Result<T> {
    // a limit beyond what the clock can tell is none
    let length = time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let until = length.and_then(|length| Instant::now().checked_add(length));
    work(&Deadline::new(monitor, until)).map_err(|error| match error {
        maxmunch::Error::Interrupted if until.is_some_and(|until| Instant::now() >= until) => {
            out_of_time(length)
        }
        other => other,
    })
}

fn enter_monitored<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&dyn Monitor) -> maxmunch::Result<T> + Send,
) -> PyResult<T> {
    enter_limited(py, callback, None, work)
}

fn out_of_time(limit: Option<Duration>) -> maxmunch::Error {
    maxmunch::Error::Limit {
        limit: "time_limit".to_owned(),
        message: format!(
            "{} seconds passed before the answer was known; pass a larger time_limit, or None",
            limit.unwrap_or_default().as_secs_f64()
        ),
    }
}

fn arrays(py: Python<'_>, scan: Scan) -> Arrays<'_> {
    (scan.starts.into_pyarray(py), scan.kinds.into_pyarray(py))
}

fn witness(py: Python<'_>, witness: Witness) -> WitnessParts<'_> {
    let Witness { data, occurrence, claimed, actual } = witness;
    (PyBytes::new(py, &data), occurrence, claimed, actual)
}

fn integer<'py>(py: Python<'py>, count: &Count) -> PyResult<Bound<'py, PyAny>> {
    py.get_type::<PyInt>().call_method1("from_bytes", (count.to_le_bytes(), "little"))
}

/// A token set of the core.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct TokenSetCore(Arc<TokenSet>);

#[pymethods]
impl TokenSetCore {
    #[staticmethod]
    #[pyo3(signature = (tokens, kinds=None))]
    fn literal(
        py: Python<'_>,
        tokens: &Bound<'_, PyList>,
        kinds: Option<Vec<u32>>,
    ) -> PyResult<Self> {
        let mut owned: Vec<Vec<u8>> = Vec::with_capacity(tokens.len());
        for token in tokens {
            owned.push(boundary::bytes("tokens", &token)?.to_vec());
        }
        let set = enter(py, move || {
            if kinds.as_ref().is_some_and(|kinds| kinds.len() != owned.len()) {
                return Err(maxmunch::Error::argument(
                    "kinds",
                    format!("there must be one for each of the {} tokens", owned.len()),
                ));
            }
            TokenSet::literal(&owned, |index| {
                kinds.as_ref().map_or(index as u32, |kinds| kinds[index])
            })
        })?;
        Ok(Self(Arc::new(set)))
    }

    #[staticmethod]
    #[pyo3(signature = (patterns, max_states=None))]
    fn regular(
        py: Python<'_>,
        patterns: Vec<(String, String)>,
        max_states: Option<usize>,
    ) -> PyResult<Self> {
        let max_states = max_states.unwrap_or(MAX_PATTERN_STATES);
        let set =
            enter_monitored(py, None, |monitor| TokenSet::regular(patterns, max_states, monitor))?;
        Ok(Self(Arc::new(set)))
    }

    /// The words with their kinds, in increasing order; None for a regular set.
    fn words<'py>(&self, py: Python<'py>) -> Option<Vec<(Bound<'py, PyBytes>, u32)>> {
        let Language::Literal(set) = self.0.language() else { return None };
        let words = set.words().iter().zip(set.kinds());
        Some(words.map(|(word, &kind)| (PyBytes::new(py, word), kind)).collect())
    }

    /// Names and patterns, in order of priority; None for a literal set.
    fn patterns(&self) -> Option<Vec<(String, String)>> {
        match self.0.language() {
            Language::Regular(set) => Some(set.patterns().to_vec()),
            Language::Literal(_) => None,
        }
    }

    /// For each byte the one that stands for its class in windows.
    fn representatives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &enter(py, || self.0.representative_of())?))
    }

    /// Class of each byte, targets of each state by class (-1 for none), and which states accept.
    fn automaton(&self, py: Python<'_>) -> PyResult<AutomatonParts> {
        let found = enter(py, || self.0.automaton())?;
        let target = |&next: &u32| if next == u32::MAX { -1 } else { i64::from(next) };
        let next = found.next.iter().map(|row| row.iter().map(target).collect()).collect();
        Ok((found.class_of, next, found.accepts))
    }

    /// Length of the longest token in bytes, or None when there is no bound.
    #[getter]
    fn longest_token(&self) -> Option<usize> {
        self.0.longest_token()
    }

    fn scan<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<Arrays<'py>> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        let found = enter_monitored(py, None, |monitor| scan::scan(&*self.0, bytes, monitor))?;
        Ok(arrays(py, found))
    }

    /// Starts and kinds of the tokens that start in `start..until`, `start` being a boundary, and where
    /// they end; matches may look at the whole text.
    fn scan_stretch<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        start: usize,
        until: usize,
    ) -> PyResult<StretchParts<'py>> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        let (scan, end) = enter(py, || {
            let mut scan = Scan::default();
            let noted = &mut Overshoot::default();
            match self.0.extend(bytes, start, until.min(bytes.len()), &mut scan, noted) {
                Ok(end) => Ok((scan, end)),
                Err(position) => {
                    Err(maxmunch::Error::Untokenizable { position, starts: scan.starts })
                }
            }
        })?;
        let (starts, kinds) = arrays(py, scan);
        Ok((starts, kinds, end))
    }

    fn is_tokenizable(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        enter_monitored(py, None, |monitor| scan::is_tokenizable(&*self.0, bytes, monitor))
    }

    #[pyo3(signature = (window, max_states=None, time_limit=None))]
    fn realised_origins(
        &self,
        py: Python<'_>,
        window: &Bound<'_, PyAny>,
        max_states: Option<u64>,
        time_limit: Option<f64>,
    ) -> PyResult<Vec<i64>> {
        let window = boundary::bytes("window", window)?;
        enter_limited(py, None, time_limit, |monitor| {
            self.0.realised_origins(window, Budget { max_states, monitor })
        })
    }

    /// The width, and the searched states.
    #[pyo3(signature = (max_states=None, time_limit=None))]
    fn shortest_certified_width(
        &self,
        py: Python<'_>,
        max_states: Option<u64>,
        time_limit: Option<f64>,
    ) -> PyResult<(Option<usize>, u64)> {
        enter_limited(py, None, time_limit, |monitor| {
            self.0.shortest_certified_width(Budget { max_states, monitor })
        })
    }

    #[pyo3(signature = (window, origin, max_states=None, time_limit=None))]
    fn certify<'py>(
        &self,
        py: Python<'py>,
        window: &Bound<'py, PyAny>,
        origin: i64,
        max_states: Option<u64>,
        time_limit: Option<f64>,
    ) -> PyResult<VerdictParts<'py>> {
        let window = boundary::bytes("window", window)?;
        let (verdict, searched) = enter_monitored(py, None, |monitor| {
            let mut searched = 0;
            let decided = within(monitor, time_limit, |monitor| {
                let budget = Budget { max_states, monitor };
                self.0.certify_counting(window, origin, budget, &mut searched)
            });
            let verdict = match decided {
                Err(error @ maxmunch::Error::Limit { .. }) => Verdict::Undecided(error.to_string()),
                other => other?,
            };
            Ok((verdict, searched))
        })?;
        Ok(match verdict {
            Verdict::Certified => ("certified", None, None, searched),
            Verdict::Vacuous => ("vacuous", None, None, searched),
            Verdict::Refuted(found) => ("refuted", Some(witness(py, found)), None, searched),
            Verdict::Undecided(reason) => ("undecided", None, Some(reason), searched),
        })
    }

    /// Sound before, sound after, the refuting tokens, searched states.
    fn delimiter<'py>(&self, py: Python<'py>, byte: u8) -> PyResult<DelimiterParts<'py>> {
        let found = enter(py, || Ok(delimiter(&self.0, byte)))?;
        let token = |token: Option<Vec<u8>>| token.map(|token| PyBytes::new(py, &token));
        let (before, after) = (token(found.refutation_before), token(found.refutation_after));
        Ok((before.is_none(), after.is_none(), before, after, found.searched_states))
    }

    fn inventory(&self, py: Python<'_>, max_width: usize) -> PyResult<InventoryCore> {
        let set = Arc::clone(&self.0);
        attached(py, || Inventory::new(set, max_width)).map(InventoryCore)
    }
}

/// An inventory of the core, with its memo.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct InventoryCore(Inventory);

#[pymethods]
impl InventoryCore {
    /// For each width the certified and the vacuous windows, and the number of searched states.
    #[pyo3(signature = (max_states=None, time_limit=None))]
    fn counts<'py>(
        &self,
        py: Python<'py>,
        max_states: Option<u64>,
        time_limit: Option<f64>,
    ) -> PyResult<(Vec<CountPair<'py>>, u64)> {
        let (counts, searched) = enter_limited(py, None, time_limit, |monitor| {
            self.0.counts(Budget { max_states, monitor })
        })?;
        let counts = counts
            .iter()
            .map(|count| Ok((integer(py, &count.certified)?, integer(py, &count.vacuous)?)))
            .collect::<PyResult<_>>()?;
        Ok((counts, searched))
    }

    #[getter]
    fn max_width(&self) -> usize {
        self.0.max_width()
    }

    /// Certified windows of each width, every window decided; for literal sets up to width 3.
    fn counts_directly(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        enter_monitored(py, None, |monitor| self.0.counts_directly(monitor))
    }

    /// The value with an input that attains it, or None with prefix, cycle and suffix; searched states.
    #[pyo3(signature = (max_states=None, time_limit=None))]
    fn span<'py>(
        &self,
        py: Python<'py>,
        max_states: Option<u64>,
        time_limit: Option<f64>,
    ) -> PyResult<SpanParts<'py>> {
        let bytes = |parts: &[Vec<u8>]| parts.iter().map(|part| PyBytes::new(py, part)).collect();
        let (found, searched) = enter_limited(py, None, time_limit, |monitor| {
            self.0.span(Budget { max_states, monitor })
        })?;
        Ok(match found {
            Span::Bounded { value, data } => (Some(value), bytes(&[data]), searched),
            Span::Unbounded { prefix, cycle, suffix } => {
                (None, bytes(&[prefix, cycle, suffix]), searched)
            }
        })
    }

    fn origin(&self, py: Python<'_>, window: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let window = boundary::bytes("window", window)?;
        enter_monitored(py, None, |monitor| self.0.origin(window, Budget::watched(monitor)))
    }

    /// For each open window: origins with the bytes before it that certify, and those that leave it open;
    /// sets of bytes are 32 bytes, the first bit first.
    fn left_extensions<'py>(
        &self,
        py: Python<'py>,
        open: &Bound<'py, PyList>,
    ) -> PyResult<Vec<ExtensionParts<'py>>> {
        let open: Vec<Vec<u8>> = open.extract()?;
        let found = enter_monitored(py, None, |monitor| {
            minimal::left_extensions(&self.0, &open, Budget::watched(monitor))
        })?;
        let mask = |mask: &minimal::Mask| {
            let bytes: Vec<u8> = mask.iter().flat_map(|word| word.to_le_bytes()).collect();
            PyBytes::new(py, &bytes)
        };
        let parts = found.iter().map(|extensions| {
            let certified = extensions.certified.iter();
            (certified.map(|(origin, at)| (*origin, mask(at))).collect(), mask(&extensions.open))
        });
        Ok(parts.collect())
    }

    fn anchors<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<Integers<'py>> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        let found =
            enter_monitored(py, None, |monitor| self.0.anchors(bytes, Budget::watched(monitor)))?;
        Ok(found.into_pyarray(py))
    }

    /// For each byte the width of the narrowest window that anchors it, or 0.
    fn anchor_widths<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        let found = enter_monitored(py, None, |monitor| {
            self.0.anchor_widths(bytes, Budget::watched(monitor))
        })?;
        Ok(found.into_pyarray(py))
    }

    /// The cuts and their snap distances.
    fn plan_cuts(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        parts: usize,
    ) -> PyResult<(Vec<i64>, Vec<i64>)> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        let plan = enter_monitored(py, None, |monitor| {
            cuts::plan(&self.0, bytes, parts, Budget::watched(monitor))
        })?;
        Ok((plan.cuts, plan.snap_distances))
    }

    #[pyo3(signature = (data, threads=None))]
    fn parallel_scan<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Arrays<'py>> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        let scan = enter_monitored(py, None, |monitor| {
            let threads = parallel::thread_count(threads)?;
            parallel::parallel_scan(&self.0, bytes, threads, monitor)
        })?;
        Ok(arrays(py, scan))
    }

    /// Left anchor, right anchor, and the bound that the length of tokens proves.
    fn edit_bounds(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        position: usize,
        removed: usize,
    ) -> PyResult<(Option<usize>, Option<usize>, Option<usize>)> {
        let data = Data::of("data", data)?;
        let bytes = data.slice()?;
        let found = enter_monitored(py, None, |monitor| {
            edit::edit_bounds(&self.0, bytes, position, removed, Budget::watched(monitor))
        })?;
        Ok((found.left, found.right, found.proven_left))
    }

    /// Starts and kinds of the new text, and the range of it that was read.
    #[expect(clippy::too_many_arguments, reason = "they are the arguments of the public call")]
    fn rescan<'py>(
        &self,
        py: Python<'py>,
        starts: &Bound<'py, PyArray1<i64>>,
        kinds: &Bound<'py, PyArray1<u32>>,
        old_data: &Bound<'py, PyAny>,
        new_data: &Bound<'py, PyAny>,
        position: usize,
        removed: usize,
        inserted: usize,
    ) -> PyResult<RescanParts<'py>> {
        let (old, new) = (Data::of("old_data", old_data)?, Data::of("new_data", new_data)?);
        let (old, new) = (old.slice()?, new.slice()?);
        let scan = Scan { starts: starts.readonly().to_vec()?, kinds: kinds.readonly().to_vec()? };
        let edit = Edit { position, removed, inserted };
        let (scan, from, until) = enter_monitored(py, None, |monitor| {
            edit::rescan(&self.0, &scan, old, new, edit, Budget::watched(monitor))
        })?;
        let (starts, kinds) = arrays(py, scan);
        Ok((starts, kinds, from, until))
    }
}

fn disagreement(py: Python<'_>, found: Option<Disagreement>) -> Option<DisagreementParts<'_>> {
    found.map(|found| (PyBytes::new(py, &found.data), found.left_starts, found.right_starts))
}

/// Boundary disagreement, domain difference, and the states searched for each.
#[pyfunction]
#[pyo3(name = "audit", signature = (left, right, max_states=None, time_limit=None))]
pub(crate) fn audit_sets<'py>(
    py: Python<'py>,
    left: &TokenSetCore,
    right: &TokenSetCore,
    max_states: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<AuditParts<'py>> {
    let found = enter_limited(py, None, time_limit, |monitor| {
        audit::audit(&left.0, &right.0, Budget { max_states, monitor })
    })?;
    Ok((
        disagreement(py, found.boundary),
        disagreement(py, found.domain),
        found.boundary_states,
        found.domain_states,
    ))
}
