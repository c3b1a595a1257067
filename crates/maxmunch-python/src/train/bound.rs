//! The certificate of a bound, and its check.

use std::sync::Arc;

use maxmunch::train::{self, Claim, Rules};
use pyo3::prelude::*;

use super::counts::PretokenTable;
use crate::boundary;

/// Which tokens a vocabulary may hold.
#[pyclass(frozen, module = "maxmunch._core")]
pub(crate) struct TokenRules {
    pub(super) rules: Rules,
}

#[pymethods]
impl TokenRules {
    #[new]
    #[pyo3(signature = (*, max_token_bytes, valid_utf8, forbidden, pinned, splittable, split_after))]
    fn new(
        py: Python<'_>,
        max_token_bytes: usize,
        valid_utf8: bool,
        forbidden: Vec<Vec<u8>>,
        pinned: Vec<Vec<u8>>,
        splittable: &[u8],
        split_after: bool,
    ) -> PyResult<Self> {
        let rules = Rules {
            max_token_bytes,
            valid_utf8,
            forbidden: forbidden.into_iter().collect(),
            pinned: pinned.into_iter().collect(),
            splittable: splittable.iter().copied().collect(),
            split_after,
        };
        boundary::attached(py, || rules.check())?;
        Ok(Self { rules })
    }
}

/// The number of tokens that `multipliers` prove, recomputed in integers.
#[pyfunction]
#[pyo3(signature = (table, rules, *, budget, multipliers, arcs))]
pub(crate) fn check_bound(
    py: Python<'_>,
    table: &PretokenTable,
    rules: &TokenRules,
    budget: usize,
    multipliers: &[u8],
    arcs: usize,
) -> PyResult<u64> {
    let counts = Arc::clone(&table.counts);
    boundary::enter(py, || {
        let (lambda, mu) = train::unpack(multipliers, arcs)?;
        let claim =
            Claim { counts: &counts, rules: &rules.rules, budget, lambda: &lambda, mu: &mu };
        train::check_bound(&claim)
    })
}
