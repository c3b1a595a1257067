//! Pre-tokenizers.

pub mod o200k;
mod o200k_classes;
