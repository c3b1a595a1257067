//! The Python binding: converts arguments, detaches from the interpreter, maps errors, catches panics.
//! It holds no algorithm; see `boundary` for the one door into the core.

#[allow(dead_code, reason = "the flows that use the rest land next")]
mod boundary;
mod certify;
mod cuts;
mod encode;
mod text;
mod train;

use pyo3::prelude::*;

/// The compiled core of maxmunch. Private: everything public is re-exported by `maxmunch`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::boundary::provoke_panic;
    #[pymodule_export]
    use crate::certify::{InventoryCore, TokenSetCore, audit_sets};
    #[pymodule_export]
    use crate::cuts::TextCutsCore;
    #[pymodule_export]
    use crate::encode::{
        DecodeStreamCore, DecoderCore, EncodingCore, ModelCore, NormalizedStringCore,
        NormalizerCore, PostProcessorCore, PreTokenizedStringCore, PreTokenizerCore,
        StreamDecoderCore, TokenizerCore, check_pattern, last_merges,
    };
    #[pymodule_export]
    use crate::train::{
        PretokenCounter, PretokenTable, SegmentationProgram, TokenRules, TrainingInstance,
        check_bound, recount,
    };
}
