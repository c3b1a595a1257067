//! Train: the classes of the flow of the same name.

mod bound;
mod counts;
mod instance;
mod program;

pub(crate) use bound::{TokenRules, check_bound};
pub(crate) use counts::{PretokenCounter, PretokenTable};
pub(crate) use instance::TrainingInstance;
pub(crate) use program::{SegmentationProgram, recount};
