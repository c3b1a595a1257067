//! From text to ids, stage by stage, exactly as `tokenizers` does it.

pub mod byte_level;
pub mod pattern;
pub mod pre_tokenizers;

pub use pattern::Pattern;
