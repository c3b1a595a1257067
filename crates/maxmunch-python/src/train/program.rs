//! JOLT's program as arrays for a solver, and what a solution says.

use std::sync::Arc;

use maxmunch::train::{self, Family, PretokenCounts, Program};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::bound::TokenRules;
use super::counts::PretokenTable;
use crate::boundary;

/// A program of one round.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct SegmentationProgram {
    program: Program,
    counts: Arc<PretokenCounts>,
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Integers<'py> = Bound<'py, PyArray1<i32>>;
type Arrays<'py> =
    (Floats<'py>, Floats<'py>, Floats<'py>, Floats<'py>, Integers<'py>, Integers<'py>, Floats<'py>);

#[pymethods]
impl SegmentationProgram {
    #[new]
    #[pyo3(signature = (table, rules, *, order, budget, repriced))]
    fn new(
        py: Python<'_>,
        table: &PretokenTable,
        rules: &TokenRules,
        order: &[u8],
        budget: usize,
        repriced: bool,
    ) -> PyResult<Self> {
        let counts = Arc::clone(&table.counts);
        boundary::enter(py, || {
            if order.len() != counts.len() {
                return Err(maxmunch::Error::internal("not one order for each pretoken"));
            }
            let family = Family { counts: &counts, rules: &rules.rules, order, budget, repriced };
            Program::build(&family).map(|program| Self { program, counts: Arc::clone(&counts) })
        })
    }

    /// Columns, rows, nonzeros, and segmentations.
    fn sizes(&self) -> (usize, usize, usize, usize) {
        let program = &self.program;
        (program.columns(), program.rows(), program.index.len(), program.choices())
    }

    /// Tokens that no choice can change.
    #[getter]
    fn constant(&self) -> u64 {
        self.program.constant
    }

    /// Costs, lower bounds of columns, bounds of rows, starts, indices, values.
    fn arrays<'py>(&self, py: Python<'py>) -> Arrays<'py> {
        let program = &self.program;
        (
            program.cost.clone().into_pyarray(py),
            program.column_lower.clone().into_pyarray(py),
            program.row_lower.clone().into_pyarray(py),
            program.row_upper.clone().into_pyarray(py),
            program.start.clone().into_pyarray(py),
            program.index.clone().into_pyarray(py),
            program.value.clone().into_pyarray(py),
        )
    }

    /// The candidate tokens, in the order of their columns.
    fn tokens<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.program.tokens.iter().map(|token| PyBytes::new(py, token)).collect()
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a converted argument is handed over by value"
    )]
    /// Fallback mass of each pretoken and in all, value and contribution of each token.
    fn read<'py>(
        &self,
        py: Python<'py>,
        solution: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(Floats<'py>, f64, Floats<'py>, Floats<'py>)> {
        let solution = solution.as_slice()?;
        let reading = boundary::enter(py, || self.program.read(&self.counts, solution))?;
        Ok((
            reading.fallback.into_pyarray(py),
            reading.fallback_mass,
            reading.value.into_pyarray(py),
            reading.contribution.into_pyarray(py),
        ))
    }
}

/// Exact cost of the 256 bytes and `tokens`.
#[pyfunction]
pub(crate) fn recount(
    py: Python<'_>,
    table: &PretokenTable,
    tokens: Vec<Vec<u8>>,
) -> PyResult<u64> {
    let counts = Arc::clone(&table.counts);
    boundary::enter(py, move || Ok(train::recount(&counts, &tokens)))
}
