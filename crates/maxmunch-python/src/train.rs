//! Train: the classes of the flow of the same name.

mod counts;
mod instance;

pub(crate) use counts::{PretokenCounter, PretokenTable};
pub(crate) use instance::TrainingInstance;
