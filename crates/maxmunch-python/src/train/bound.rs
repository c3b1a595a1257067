//! The certificate of a bound, and its check.

use std::sync::Arc;

use maxmunch::Error;
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

/// What the packed price, `numbers` multipliers and packed parts prove, recomputed in integers.
#[pyfunction]
#[pyo3(signature = (table, rules, *, budget, multipliers, numbers, parts))]
pub(crate) fn check_bound(
    py: Python<'_>,
    table: &PretokenTable,
    rules: &TokenRules,
    budget: usize,
    multipliers: &[u8],
    numbers: usize,
    parts: &[u8],
) -> PyResult<u64> {
    let counts = Arc::clone(&table.counts);
    boundary::enter(py, || {
        // A few bytes may stand for more multipliers than memory has.
        if numbers > train::most_multipliers(&counts, &rules.rules) {
            let message = format!(
                "the certificate has {numbers} multipliers, more than its pretokens have room for; \
                 make it again"
            );
            return Err(Error::Certificate { message });
        }
        let (price, multipliers) = unpack(multipliers, numbers)?;
        let parts = train::unpack_parts(parts)?;
        let claim = Claim {
            counts: &counts,
            rules: &rules.rules,
            budget,
            multipliers: &multipliers,
            price,
            parts: &parts,
        };
        train::check_bound(&claim)
    })
}

/// The price of a place and the multipliers as bytes.
pub(super) fn pack(price: u64, multipliers: &[i64]) -> Vec<u8> {
    let mut bytes = price.to_le_bytes().to_vec();
    bytes.extend(train::pack(multipliers));
    bytes
}

/// What [`pack`] packed, with `count` multipliers.
pub(super) fn unpack(bytes: &[u8], count: usize) -> maxmunch::Result<(u64, Vec<i64>)> {
    let Some((price, rest)) = bytes.split_first_chunk() else {
        return train::unpack(&[], count).map(|multipliers| (0, multipliers));
    };
    Ok((u64::from_le_bytes(*price), train::unpack(rest, count)?))
}
