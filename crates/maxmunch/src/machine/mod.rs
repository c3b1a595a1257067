//! Tries and automata: the machines that encoding runs, certification analyses and training builds.

pub(crate) mod char_classes;
pub mod classes;
pub mod dfa;
pub mod dfa_build;
pub mod failure;
pub mod literal_trie;
pub mod ordered;
pub mod overshoot;
pub mod partition;
pub mod trie;

pub use trie::Trie;
