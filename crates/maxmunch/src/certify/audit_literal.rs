//! The differential auditor for literal sets: tokens instead of a search.
//!
//! *Boundary.* Let the first difference in a text be at its start (what is before it can be cut off). The
//! longer of the two tokens, `v`, belongs to one side only, or the other side would have taken it or a longer
//! one; and the other side has a token that is a proper prefix of `v`. So a text with a difference is at least
//! as long as the shortest such `v`, and `v` itself is one whenever the other side can tokenize it. *Domain.*
//! Coded sets have the same domain exactly if they have the same code; otherwise a shortest difference is a
//! word of one code that the other one does not generate.
//!
//! What these facts leave open is found by trying short texts, up to a limit.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::budget::Budget;
use super::literal::Literal;
use super::token_set::TokenSet;
use crate::error::{Error, Result};
use crate::machine::literal_trie::{NONE, ROOT};
use crate::scan::scan;

/// What is known without an automaton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// A shortest text with a difference.
    Differs(Vec<u8>),
    /// There is none.
    Never,
    /// Neither; no text shorter than this differs.
    Open(usize),
}

/// Nodes of both readers, and the text that leads there.
type Way = ([u32; 2], Vec<u8>);

/// Two literal sets, and the sets of tokens that they are.
pub(super) struct LiteralPair<'a> {
    pub(super) sets: [&'a TokenSet; 2],
    pub(super) words: [&'a Literal; 2],
}

impl LiteralPair<'_> {
    /// Tokens of one side only, each with the side that has it, shortest first.
    fn differences(&self) -> Vec<(usize, &[u8])> {
        let mut all: Vec<(usize, &[u8])> = vec![];
        for side in 0..2 {
            let other = self.words[1 - side];
            let words = self.words[side].words().iter().map(AsRef::as_ref);
            all.extend(words.filter(|word| !other.contains(word)).map(|word| (side, word)));
        }
        all.sort_by_key(|&(side, word)| (word.len(), side, word));
        all
    }

    fn tokenizes(&self, side: usize, text: &[u8]) -> bool {
        match self.words[side].code() {
            Some(code) => code.generates(text),
            None => self.sets[side].scan(text).is_ok(),
        }
    }

    /// Whether both sides tokenize `text`, with different boundaries.
    fn disagrees(&self, text: &[u8]) -> bool {
        let starts = self.sets.map(|set| set.scan(text).ok().map(|scan| scan.starts));
        starts[0].is_some() && starts[1].is_some() && starts[0] != starts[1]
    }

    /// What tokens alone tell about boundaries.
    pub(super) fn boundary(&self) -> Known {
        let candidates: Vec<(usize, &[u8])> = self
            .differences()
            .into_iter()
            .filter(|&(side, word)| {
                self.words[1 - side].munching().longest(&word[..word.len() - 1], 0).is_some()
            })
            .collect();
        let Some(&(_, first)) = candidates.first() else { return Known::Never };
        let least = first.len();
        let whole = candidates.iter().find(|(side, word)| self.tokenizes(1 - side, word));
        if let Some(&(_, word)) = whole
            && word.len() == least
        {
            return Known::Differs(word.to_vec());
        }
        match self.completed(&candidates) {
            Known::Differs(text) if !self.disagrees(&text) => Known::Open(least),
            Known::Open(_) => Known::Open(least),
            other => other,
        }
    }

    /// A shortest text of both domains that begins with one of the candidates, for coded sets: the readers of
    /// both codes are followed together, from behind each candidate, until both stand between words.
    fn completed(&self, candidates: &[(usize, &[u8])]) -> Known {
        let (Some(left), Some(right)) = (self.words[0].code(), self.words[1].code()) else {
            return Known::Open(0);
        };
        let codes = [left, right];
        let mut queue: BTreeMap<usize, Vec<Way>> = BTreeMap::new(); // by length
        for &(_, word) in candidates {
            let nodes = codes.map(|code| code.node_after(word));
            if nodes[0] != NONE && nodes[1] != NONE {
                queue.entry(word.len()).or_default().push((nodes, word.to_vec()));
            }
        }
        let mut seen: HashSet<[u32; 2]> = HashSet::new();
        while let Some((length, texts)) = queue.pop_first() {
            for (nodes, text) in texts {
                if nodes == [ROOT, ROOT] {
                    return Known::Differs(text);
                }
                if !seen.insert(nodes) {
                    continue;
                }
                for (byte, left) in codes[0].steps(nodes[0]) {
                    let right = codes[1].step(nodes[1], byte);
                    if right != NONE {
                        let longer = [&text[..], &[byte]].concat();
                        queue.entry(length + 1).or_default().push(([left, right], longer));
                    }
                }
            }
        }
        Known::Never
    }

    /// What codes tell about domains.
    pub(super) fn domain(&self) -> Known {
        let (Some(left), Some(right)) = (self.words[0].code(), self.words[1].code()) else {
            return Known::Open(1);
        };
        if left.words() == right.words() {
            return Known::Never;
        }
        let only = left.words().iter().filter(|word| !right.generates(word));
        let only = only.chain(right.words().iter().filter(|word| !left.generates(word)));
        match only.min_by_key(|word| word.len()) {
            Some(word) => Known::Differs(word.to_vec()),
            None => Known::Never, // not reached: different codes generate different domains
        }
    }

    /// A shortest text that differs, by trying all texts over the bytes that occur in tokens, from the length
    /// `least` on; also gives the number of texts tried.
    pub(super) fn tried(
        &self,
        least: usize,
        domain: bool,
        budget: Budget<'_>,
    ) -> Result<(Vec<u8>, u64)> {
        let mut used = [false; 256];
        for word in self.words.iter().flat_map(|set| set.words()) {
            word.iter().for_each(|&byte| used[usize::from(byte)] = true);
        }
        let bytes: Vec<u8> = (0..=255).filter(|&byte| used[usize::from(byte)]).collect();
        let max_texts = budget.states();
        let mut tried = 0_u64;
        for length in least.. {
            let mut digits = vec![0; length];
            loop {
                let text: Vec<u8> = digits.iter().map(|&digit| bytes[digit]).collect();
                tried += 1;
                let inside = self.sets.map(|set| scan(set, &text, &crate::Quiet).is_ok());
                if domain && inside[0] != inside[1] || !domain && self.disagrees(&text) {
                    return Ok((text, tried));
                }
                if tried >= max_texts {
                    return Err(out_of_texts(max_texts, length));
                }
                budget.look("trying texts", tried as usize)?;
                if !advance(&mut digits, bytes.len()) {
                    break;
                }
            }
        }
        Err(Error::internal("the lengths of texts came to an end"))
    }
}

/// The next number in this base, of the same length; `false` after the last.
fn advance(digits: &mut [usize], base: usize) -> bool {
    for digit in digits.iter_mut().rev() {
        *digit += 1;
        if *digit < base {
            return true;
        }
        *digit = 0;
    }
    false
}

fn out_of_texts(max_texts: u64, length: usize) -> Error {
    Error::Limit {
        limit: "max_states".to_owned(),
        message: format!(
            "none of the first {max_texts} texts of up to {length} bytes shows a difference, and the sets are \
             too large for an automaton; pass a larger max_states, or compare smaller sets"
        ),
    }
}
