//! A training instance, and the search on it.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use maxmunch::monitor::Deadline;
use maxmunch::train::{
    self, BoundOptions, Candidate, CasesOptions, Climb, Found, Instance, SearchOptions,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::bound::{TokenRules, pack, unpack};
use super::counts::PretokenTable;
use crate::boundary::{self, PythonMonitor};

/// The candidates of a count table and where they occur.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct TrainingInstance {
    instance: Arc<Instance>,
}

/// Share of the last steps that must have held a token for it to be worth a closer look.
const SOME: f32 = 1e-3;

type Rounds = Vec<(String, usize, usize, u64, f64)>;
/// Estimate, packed multipliers, tokens of the rounded average, tokens that it holds some of, steps, seconds,
/// stopped, exception.
type Raised<'py> = (
    f64,
    Bound<'py, PyBytes>,
    Vec<Bound<'py, PyBytes>>,
    Vec<Bound<'py, PyBytes>>,
    usize,
    f64,
    bool,
    Option<PyErr>,
);
type Cases<'py> = (Bound<'py, PyBytes>, f64, f64, bool, Option<PyErr>);
type Annealed<'py> = (Vec<Bound<'py, PyBytes>>, u64, f64, bool, Option<PyErr>);
type Outcome<'py> = (Vec<Bound<'py, PyBytes>>, u64, Rounds, bool, Option<PyErr>);

#[pymethods]
impl TrainingInstance {
    #[new]
    #[pyo3(signature = (table, rules, *, memory_limit, callback))]
    fn new(
        py: Python<'_>,
        table: &PretokenTable,
        rules: &TokenRules,
        memory_limit: Option<u64>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let counts = Arc::clone(&table.counts);
        let monitor = PythonMonitor::new(callback);
        let built =
            boundary::enter(py, || Instance::build(&counts, &rules.rules, memory_limit, &monitor));
        let instance = monitor.take_error().map_or(built, Err)?;
        Ok(Self { instance: Arc::new(instance) })
    }

    /// Number of candidates.
    #[getter]
    fn candidates(&self) -> usize {
        self.instance.candidates()
    }

    /// Number of occurrences of candidates in distinct pretokens.
    #[getter]
    fn arcs(&self) -> usize {
        self.instance.arcs()
    }

    /// Number of multipliers of a bound: one for each occurrence and one for each byte.
    #[getter]
    fn numbers(&self) -> usize {
        self.instance.multipliers()
    }

    /// Pinned tokens of more than one byte that occur in no pretoken.
    #[getter]
    fn absent_pins<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.instance.absent_pins().iter().map(|token| PyBytes::new(py, token)).collect()
    }

    /// Tokens when every pretoken is spelled in bytes.
    fn byte_cost(&self) -> u64 {
        self.instance.byte_cost()
    }

    /// Refuses a number of tokens of more than one byte that cannot be met.
    fn check_budget(&self, py: Python<'_>, budget: usize) -> PyResult<()> {
        boundary::attached(py, || train::check_budget(&self.instance, budget))
    }

    /// The same pretokens with those of `tokens` that are candidates, and the pins, as the only candidates.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a converted argument is handed over by value"
    )]
    fn restricted(&self, py: Python<'_>, tokens: Vec<Vec<u8>>) -> PyResult<Self> {
        boundary::enter(py, || {
            Ok(Self { instance: Arc::new(self.instance.restricted(&self.find(&tokens))) })
        })
    }

    /// Exact cost of the 256 bytes and those of `tokens` that are candidates.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a converted argument is handed over by value"
    )]
    fn cost(&self, py: Python<'_>, tokens: Vec<Vec<u8>>) -> PyResult<u64> {
        boundary::enter(py, || {
            Ok(train::Tokenization::new(&self.instance, &self.find(&tokens)).cost())
        })
    }

    /// Chooses tokens; returns them by decreasing use, their cost, the rounds, whether the run was
    /// stopped early, and what stopped it if that was an exception.
    #[pyo3(signature = (*, budget, start, threads, passes, seconds, callback))]
    #[expect(clippy::too_many_arguments, reason = "one call with all options; Python names each")]
    fn search<'py>(
        &self,
        py: Python<'py>,
        budget: usize,
        start: Option<Vec<Vec<u8>>>,
        threads: NonZeroUsize,
        passes: usize,
        seconds: Option<f64>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Outcome<'py>> {
        let monitor = PythonMonitor::new(callback);
        let until = seconds.map(deadline);
        let (found, tokens) = boundary::enter(py, || {
            let start = start.map(|tokens| self.find(&tokens));
            let options = SearchOptions { budget, start, threads, passes };
            let found = train::search(&self.instance, &options, &Deadline::new(&monitor, until))?;
            let tokens = train::by_use(&self.instance, &found.members);
            Ok((found, tokens))
        })?;
        let Found { cost, rounds, stopped, .. } = found;
        let rounds = rounds
            .into_iter()
            .map(|r| (r.phase.to_owned(), r.members, r.swaps, r.cost, r.seconds))
            .collect();
        Ok((self.bytes(py, &tokens), cost, rounds, stopped, monitor.take_error()))
    }

    /// Anneals; returns about `budget` tokens, their cost, the seconds it took, whether it was stopped, and
    /// what stopped it if that was an exception.
    #[pyo3(signature = (*, budget, start, threads, sweeps, seed, seconds, callback))]
    #[expect(clippy::too_many_arguments, reason = "one call with all options; Python names each")]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a converted argument is handed over by value"
    )]
    fn anneal<'py>(
        &self,
        py: Python<'py>,
        budget: usize,
        start: Vec<Vec<u8>>,
        threads: NonZeroUsize,
        sweeps: usize,
        seed: u64,
        seconds: Option<f64>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Annealed<'py>> {
        let monitor = PythonMonitor::new(callback);
        let done = boundary::enter(py, || {
            let start = self.find(&start);
            let options = train::AnnealOptions { budget, start, sweeps, seconds, threads, seed };
            let until = seconds.map(deadline);
            Ok(train::anneal(&self.instance, &options, &Deadline::new(&monitor, until)))
        })?;
        let tokens = self.bytes(py, &done.members);
        Ok((tokens, done.cost, done.seconds, done.stopped, monitor.take_error()))
    }

    /// Raises the lower bound; see `Raised`. `keep` is called with the state when `keep_seconds` have passed
    /// since it was called last, for `saved` to go on there. `below`: an instance of the most frequent
    /// pretokens of the same table, and the packed multipliers of its ascent, to start from.
    #[pyo3(signature = (*, budget, members, threads, steps, seconds, callback, saved=None, keep=None, keep_seconds=0.0, below=None))]
    #[expect(clippy::too_many_arguments, reason = "one call with all options; Python names each")]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a converted argument is handed over by value"
    )]
    fn raise_bound<'py>(
        &self,
        py: Python<'py>,
        budget: usize,
        members: Vec<Vec<u8>>,
        threads: NonZeroUsize,
        steps: usize,
        seconds: Option<f64>,
        callback: Option<Py<PyAny>>,
        saved: Option<&[u8]>,
        keep: Option<Py<PyAny>>,
        keep_seconds: f64,
        below: Option<(Py<Self>, Vec<u8>)>,
    ) -> PyResult<Raised<'py>> {
        let below = below.map(|(lower, packed)| (Arc::clone(&lower.get().instance), packed));
        let monitor = PythonMonitor::new(callback);
        let mut failed = None;
        let raised = boundary::enter(py, || {
            let members = self.find(&members);
            let options = BoundOptions { budget, members, threads, steps, seconds };
            let mut climb = match (saved, &below) {
                (Some(saved), _) => Climb::resume(&self.instance, &options, saved)?,
                (None, None) => Climb::new(&self.instance, &options)?,
                (None, Some((lower, packed))) => {
                    let (price, multipliers) = unpack(packed, lower.multipliers())?;
                    Climb::above(&self.instance, &options, Some((lower, &multipliers, price)))?
                }
            };
            let mut kept = Instant::now();
            while climb.leg(&monitor) {
                let Some(keep) = &keep else { continue };
                if kept.elapsed().as_secs_f64() < keep_seconds {
                    continue;
                }
                let state = climb.save();
                let called = Python::attach(|py| keep.call1(py, (PyBytes::new(py, &state),)));
                if let Err(error) = called {
                    failed = Some(error);
                    break;
                }
                kept = Instant::now();
            }
            let ascent = climb.finish();
            let start = train::round_average(&self.instance, &ascent.average, budget);
            let held = train::often_held(&ascent.average, SOME);
            let packed = pack(ascent.price, &ascent.multipliers);
            Ok((ascent, packed, start, held))
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let (ascent, packed, start, held) = raised?;
        let (tokens, held) = (self.bytes(py, &start), self.bytes(py, &held));
        let packed = PyBytes::new(py, &packed);
        let train::Ascent { value, steps, seconds, stopped, .. } = ascent;
        Ok((value, packed, tokens, held, steps, seconds, stopped, monitor.take_error()))
    }

    /// Raises the bound of packed multipliers by cases; returns the packed parts, by how much they raise it,
    /// the seconds it took, whether it was stopped, and what stopped it if that was an exception.
    #[pyo3(signature = (*, members, multipliers, threads, seconds, callback))]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a converted argument is handed over by value"
    )]
    fn prove_by_cases<'py>(
        &self,
        py: Python<'py>,
        members: Vec<Vec<u8>>,
        multipliers: &[u8],
        threads: NonZeroUsize,
        seconds: Option<f64>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Cases<'py>> {
        let monitor = PythonMonitor::new(callback);
        let (done, packed) = boundary::enter(py, || {
            let (price, multipliers) = unpack(multipliers, self.instance.multipliers())?;
            let options = CasesOptions { members: self.find(&members), threads, seconds };
            let point = (&multipliers[..], price);
            let done = train::prove_by_cases(&self.instance, point, &options, &monitor);
            let packed = train::pack_parts(&done.parts);
            Ok((done, packed))
        })?;
        let packed = PyBytes::new(py, &packed);
        Ok((packed, done.gain, done.seconds, done.stopped, monitor.take_error()))
    }
}

impl TrainingInstance {
    /// Those of `tokens` that are candidates.
    fn find(&self, tokens: &[Vec<u8>]) -> Vec<Candidate> {
        tokens.iter().filter_map(|token| self.instance.find(token)).collect()
    }

    fn bytes<'py>(&self, py: Python<'py>, tokens: &[Candidate]) -> Vec<Bound<'py, PyBytes>> {
        tokens.iter().map(|&t| PyBytes::new(py, self.instance.token(t))).collect()
    }
}

fn deadline(seconds: f64) -> Instant {
    Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 1e9))
}
