//! How the candidates hang in the trie of their prefixes.

use super::instance::{Candidate, Instance};

/// For each candidate what is above it.
pub(super) struct Trie {
    /// Candidates among its prefixes, itself included.
    pub(super) depth: Vec<u8>,
    /// The longest one among its proper prefixes; [`Candidate::MAX`] where none is one.
    pub(super) parent: Vec<Candidate>,
}

impl Trie {
    pub(super) fn new(instance: &Instance) -> Self {
        let size = instance.candidates();
        let mut trie = Self { depth: vec![0; size], parent: vec![Candidate::MAX; size] };
        for position in 0..instance.table.text.len() {
            let arcs = instance.arc_range(position);
            for arc in arcs.clone() {
                let t = instance.arc_candidate[arc] as usize;
                trie.depth[t] = (arcs.end - arc) as u8;
                if arc + 1 < arcs.end {
                    trie.parent[t] = instance.arc_candidate[arc + 1];
                }
            }
        }
        trie
    }
}
