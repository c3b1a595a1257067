//! From text to ids, stage by stage, exactly as `tokenizers` does it.

pub mod byte_level;
pub mod pattern;

pub use pattern::Pattern;
