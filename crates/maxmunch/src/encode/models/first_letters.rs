//! Letters of two bytes that form before anything is merged with them.
//!
//! Two neighbours that merge with a lower rank than any merge across their outer ends has, whatever tokens it joins, are
//! merged before one of those is done: as long as they are not, theirs comes first. What is merged elsewhere until then
//! does not touch them. So they can be merged at once, and the other merges stay what they are.
//!
//! PERF: words of Cyrillic and other scripts of two bytes begin with half as many symbols.

use crate::encode::byte_level;
use crate::encode::models::bpe::Bpe;
use crate::encode::models::merge_small::FirstPairs;
use crate::encode::models::merges::{ID_BITS, NO_MERGE, RANK_SHIFT};
use crate::units::TokenId;

/// First bytes of characters of two bytes.
const LEADS: std::ops::RangeInclusive<u8> = 0xC2..=0xDF;

/// Bytes of a piece from which on it is worth while to look for letters: GPT-2 on Russian, which has few tokens of several
/// letters, is .95 for shorter ones.
const WORTH_WHILE: usize = 7;

/// With which rank bytes are joined at the earliest.
#[derive(Debug)]
pub(super) struct FirstLetters {
    /// `crossing[left * 256 + right]`: the least rank of a merge of something that ends in one byte with something that
    /// begins with the other.
    crossing: Vec<u32>,
}

impl FirstLetters {
    pub(super) fn new(model: &Bpe) -> Self {
        let most = model.vocabulary().largest_id() as usize;
        let mut ends = vec![None; most + 1];
        for (token, id) in model.vocabulary().iter() {
            let (first, last) = (token.chars().next(), token.chars().next_back());
            let bytes = first.and_then(byte_level::byte_of).zip(last.and_then(byte_level::byte_of));
            ends[id as usize] = bytes;
        }
        let mut crossing = vec![u32::MAX; 256 * 256];
        for (left, right, merge) in model.merges().iter() {
            // A token of anything but bytes is never met.
            if let (Some((_, last)), Some((first, _))) = (ends[left as usize], ends[right as usize])
            {
                let least = &mut crossing[place(last, first)];
                *least = merge.rank.min(*least);
            }
        }
        Self { crossing }
    }

    /// Whether to look for such letters in a piece, as far as its length and first character that is no space tell.
    #[inline]
    pub(super) fn may_be_in(piece: &[u8]) -> bool {
        piece.len() >= WORTH_WHILE && piece.iter().take(2).any(|byte| LEADS.contains(byte))
    }

    /// The token of the letter at a place of a piece, if there is one that forms first.
    #[inline]
    pub(super) fn at(&self, piece: &[u8], at: usize, first: &FirstPairs) -> Option<TokenId> {
        let (&lead, &tail) = (piece.get(at)?, piece.get(at + 1)?);
        let order = first.get(usize::from(lead), usize::from(tail));
        if !LEADS.contains(&lead) || order >= NO_MERGE {
            return None;
        }
        let rank = (order >> RANK_SHIFT) as u32;
        let before = at.checked_sub(1).and_then(|at| piece.get(at));
        let is_first = before.is_none_or(|&before| rank < self.crossing(before, lead))
            && piece.get(at + 2).is_none_or(|&behind| rank < self.crossing(tail, behind));
        is_first.then_some(order as TokenId & ((1 << ID_BITS) - 1))
    }

    #[inline]
    fn crossing(&self, left: u8, right: u8) -> u32 {
        self.crossing.get(place(left, right)).copied().unwrap_or(0)
    }
}

#[inline]
const fn place(left: u8, right: u8) -> usize {
    (left as usize) << 8 | right as usize
}
