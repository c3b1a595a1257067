//! Tries and automata: the machines that encoding runs, certification analyses and training builds.

pub mod literal_trie;
pub mod trie;

pub use trie::Trie;
