//! New words of a batch, merged two at a time.
//!
//! PERF: a merge waits for the table, and the next merge of the same word for it; the merges of two words do not wait
//! for each other.

use std::mem;

use crate::encode::models::bpe_forms::Form;
use crate::encode::models::merge_small::{Word, least};
use crate::encode::models::merges::NO_MERGE;
use crate::encode::models::packed_merges::PackedMerges;
use crate::encode::models::piece_batch::Answer;
use crate::encode::piece_key::Key;
use crate::units::{Span, TokenId};

/// Most symbols of a word that is merged with others.
pub(super) const MOST: usize = 16;

/// Words in which another one is looked for before it is added.
const LATEST: usize = 8;

/// The words.
#[derive(Debug, Default)]
pub(super) struct NewWords {
    /// As many as there are keys, and room for more.
    words: Vec<Word<MOST>>,
    keys: Vec<Key>,
}

impl NewWords {
    /// Forgets all words.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
    }

    /// Adds a piece, if it is one that is merged with others.
    pub(super) fn answer(
        &mut self,
        form: Form,
        text: &[u8],
        piece: Span,
        key: Key,
        merges: &PackedMerges,
    ) -> Answer {
        if let Some(at) = self.find(key) {
            return Answer::Word(at);
        }
        let at = self.keys.len();
        if at == self.words.len() {
            self.words.push(Word::EMPTY);
        }
        match self.words.get_mut(at).map(|word| form.fill(text, piece, merges, word)) {
            Some(true) => {
                self.keys.push(key);
                Answer::Word(at)
            }
            _ => Answer::Open,
        }
    }

    /// Where the word with this key is, if it was added of late.
    fn find(&self, key: Key) -> Option<usize> {
        let first = self.keys.len().saturating_sub(LATEST);
        let latest = self.keys.get(first..).unwrap_or_default();
        latest.iter().position(|&other| other == key).map(|at| first + at)
    }

    /// Applies all merges.
    pub(super) fn merge(&mut self, merges: &PackedMerges) {
        let mut words = self.words.iter_mut().take(self.keys.len());
        let Some(mut one) = words.next() else { return };
        for mut other in words {
            if merge_until_one_is_done(one, other, merges) {
                mem::swap(&mut one, &mut other);
            }
        }
        one.merge(merges);
    }

    /// Appends what is left of the symbols of a word.
    #[inline]
    pub(super) fn append(&self, at: usize, out: &mut Vec<TokenId>) {
        if let Some(word) = self.words.get(at) {
            word.append(out);
        }
    }
}

/// Merges two words until nothing more merges in one of them, and tells whether that is the first.
#[inline]
fn merge_until_one_is_done(
    one: &mut Word<MOST>,
    other: &mut Word<MOST>,
    merges: &PackedMerges,
) -> bool {
    loop {
        let (first, second) = (least(&one.pairs), least(&other.pairs));
        if first.max(second) >= NO_MERGE {
            return first >= NO_MERGE;
        }
        one.apply(first, merges);
        other.apply(second, merges);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MOST, NewWords};
    use crate::encode::models::Scratch;
    use crate::encode::models::merge_small::Word;
    use crate::encode::models::merges::{Merge, Merges, Orders};
    use crate::encode::models::packed_merges::PackedMerges;
    use crate::encode::piece_key::Key;

    proptest! {
        #[test]
        fn words_merged_together_become_what_each_becomes_alone(
            rules in prop::collection::vec((0_u32..9, 0_u32..9), 0..40),
            texts in prop::collection::vec(prop::collection::vec(0_u32..4, 1..=MOST), 0..9),
        ) {
            let rules: Vec<_> = (0..)
                .zip(rules)
                .map(|(rank, (left, right))| (left, right, Merge { rank, result: 4 + rank }))
                .collect();
            let packed = PackedMerges::new(&rules, 99)
                .ok_or_else(|| TestCaseError::fail("small numbers have a table"))?;
            let room = texts.iter().map(|_| Word::EMPTY).collect();
            let mut words = NewWords { words: room, keys: Vec::new() };
            for (word, text) in words.words.iter_mut().zip(&texts) {
                let order = |at: usize| packed.order(text[at], text[at + 1]);
                word.fill(text.len(), |at| text[at], order);
                words.keys.push(Key::NONE);
            }

            words.merge(&packed);

            let merges = Merges::new(&rules, 99, false);
            for (at, text) in texts.iter().enumerate() {
                let mut scratch = Scratch::default();
                for &id in text {
                    scratch.push(id, 1);
                }
                scratch.merge_all(&merges);
                let mut ids = Vec::new();
                words.append(at, &mut ids);
                prop_assert_eq!(scratch.spans().map(|(id, _)| id).collect::<Vec<_>>(), ids);
            }
        }
    }
}
