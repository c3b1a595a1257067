//! From text to ids, stage by stage, exactly as `tokenizers` does it.
//!
//! ```text
//! text → added_tokens (raw) → normalizers → added_tokens (normalized) → pre_tokenizers → models
//!      → truncation → post_processors → padding → encoding
//! ```
//!
//! [`tokenizer`] is the flow, `tokenizer_json` the one place where it is built. `aligned` is the text at
//! work; `pattern` and `byte_level` are what several stages share.

pub mod added_tokens;
pub mod aligned;
pub mod batch;
pub mod byte_level;
mod categories;
pub mod char_set;
mod collect;
pub mod custom;
pub mod decode_stream;
pub mod decoders;
pub mod encoding;
mod encoding_json;
mod hashing;
pub(crate) mod ids;
pub mod json;
mod key_table;
mod kinds;
mod large_tables;
mod list_forms;
mod long_words;
mod look_ups;
pub mod models;
pub mod normalizers;
pub mod padding;
pub mod pattern;
mod piece_key;
pub mod post_processors;
pub mod pre_tokenizers;
mod prefetch;
mod scratch_pool;
pub mod seams;
mod splits;
mod splitter;
pub mod strings;
mod token_bytes;
pub mod tokenizer;
mod tokenizer_json;
pub mod truncation;
mod word_cache;

pub use added_tokens::{AddedToken, Specials};
pub use collect::Unit;
pub use encoding::Encoding;
pub use models::Scratch;
pub use pattern::Pattern;
pub use scratch_pool::{DEFAULT_CACHE_BYTES, PooledScratch};
pub use token_bytes::TokenBytes;
pub use tokenizer::{EncodeOptions, Input, Tokenizer};
pub use tokenizer_json::{Component, custom_is_not_saved, read_component};
pub use word_cache::CacheStatistics;
