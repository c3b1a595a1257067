//! A byte-pair model on the bytes that `ByteLevel` would write as characters.

use std::sync::OnceLock;

use crate::encode::byte_level;
use crate::encode::models::bpe::{Bpe, NO_SYMBOL};
use crate::encode::models::first_letters::FirstLetters;
use crate::encode::models::known_pieces::KnownPieces;
use crate::encode::models::merge_small::{FirstPairs, Word};
use crate::encode::models::merges::Orders;
use crate::encode::models::piece_table::PieceTable;
use crate::encode::splitter::{PairGuard, Spaces};
use crate::units::TokenId;

/// What it takes to run on the bytes that `ByteLevel` would write as characters.
#[derive(Debug)]
pub(super) struct ByteForm {
    /// The symbol of each byte by its place in the piece: only, first, inner, last.
    pub(super) symbols: [[TokenId; 256]; 4],
    /// The symbols, where the place makes no difference.
    pub(super) uniform: Option<[TokenId; 256]>,
    /// The first merges of neighbouring bytes, where the place makes no difference.
    pub(super) first: Option<FirstPairs>,
    /// Letters that form before anything else, where words are merged in arrays.
    letters: Option<FirstLetters>,
    /// Whole pieces that are tokens, where merges are ignored for them.
    pub(super) whole: PieceTable,
    /// Where pieces may be cut, or why they may not.
    pub(super) guard: std::result::Result<PairGuard, &'static str>,
    /// Pieces that are one token, once somebody asked for them.
    pub(super) known: OnceLock<KnownPieces>,
}

impl ByteForm {
    pub(super) const fn place(first: bool, last: bool) -> usize {
        match (first, last) {
            (true, true) => ONLY,
            (true, false) => FIRST,
            (false, false) => INNER,
            (false, true) => LAST,
        }
    }
}

pub(super) const ONLY: usize = 0;
pub(super) const FIRST: usize = 1;
pub(super) const INNER: usize = 2;
pub(super) const LAST: usize = 3;

impl ByteForm {
    /// Writes a piece as a word, if it has few symbols and words are merged in arrays.
    #[inline]
    pub(super) fn fill<const N: usize>(
        &self,
        piece: &[u8],
        merges: &impl Orders,
        word: &mut Word<N>,
    ) -> bool {
        let (Some(first), Some(inner)) = (&self.first, &self.uniform) else { return false };
        if FirstLetters::may_be_in(piece)
            && let Some(letters) = &self.letters
        {
            return fill_with_letters(piece, letters, first, inner, merges, word);
        }
        let byte = |at: usize| usize::from(piece[at]);
        let order = |at: usize| first.get(byte(at), byte(at + 1));
        if piece.len() <= N {
            word.fill(piece.len(), |at| inner[byte(at)], order);
        }
        piece.len() <= N
    }

    /// Appends the symbols of `piece`.
    pub(super) fn spell(&self, piece: &[u8], out: &mut Vec<TokenId>) {
        debug_assert!(self.symbols.iter().flatten().all(|&id| id != NO_SYMBOL));
        if let Some(inner) = &self.uniform {
            out.extend(piece.iter().map(|&byte| inner[usize::from(byte)]));
            return;
        }
        let last = piece.len().wrapping_sub(1);
        out.extend(piece.iter().enumerate().map(|(index, &byte)| {
            self.symbols[Self::place(index == 0, index == last)][usize::from(byte)]
        }));
    }
}

impl Bpe {
    /// There is one exactly if every byte has a symbol in every place, so that nothing is ever unknown.
    pub(super) fn build_byte_form(&self) -> Option<ByteForm> {
        let mut symbols = [[0; 256]; 4];
        let places =
            [(ONLY, true, true), (FIRST, true, false), (INNER, false, false), (LAST, false, true)];
        let mut spelled = String::new();
        for (place, first, last) in places {
            for byte in 0..=255_u8 {
                let character = byte_level::char_of(byte).to_string();
                let symbol = self.symbol(&character, first, last, &mut spelled);
                symbols[place][usize::from(byte)] = self.vocabulary().id(symbol)?;
            }
        }
        let uniform = Some(symbols[INNER]).filter(|inner| symbols.iter().all(|row| row == inner));
        let first = uniform.and_then(|row| FirstPairs::new(&row.map(Some), self.merges()));
        let letters = first.as_ref().map(|_| FirstLetters::new(self));
        // One buffer for the bytes of all tokens.
        let mut bytes = Vec::new();
        let mut places = Vec::new();
        if self.options().ignore_merges {
            let tokens = self.vocabulary().iter();
            places.extend(
                tokens.filter_map(|(text, id)| {
                    Some((byte_level::append_bytes(text, &mut bytes)?, id))
                }),
            );
        }
        let whole: Vec<(&[u8], TokenId)> =
            places.into_iter().map(|(place, id)| (&bytes[place], id)).collect();
        let whole = PieceTable::new(&whole);
        let guard = self.may_cut(None).map(|()| {
            bytes.clear();
            let results = self.merge_results();
            let places: Vec<_> =
                results.filter_map(|text| byte_level::append_bytes(text, &mut bytes)).collect();
            PairGuard::new(places.into_iter().map(|place| &bytes[place]), u128::MAX, Spaces::Plain)
        });
        Some(ByteForm { symbols, uniform, first, letters, whole, guard, known: OnceLock::new() })
    }
}

/// As [`ByteForm::fill`], of letters that are formed at once and the bytes between them.
#[inline(never)]
fn fill_with_letters<const N: usize>(
    piece: &[u8],
    letters: &FirstLetters,
    first: &FirstPairs,
    bytes: &[TokenId; 256],
    merges: &impl Orders,
    word: &mut Word<N>,
) -> bool {
    let (mut ids, mut count, mut at) = ([0; N], 0, 0);
    while let Some(&byte) = piece.get(at) {
        let letter = letters.at(piece, at, first);
        let Some(id) = ids.get_mut(count) else { return false };
        *id = letter.unwrap_or(bytes[usize::from(byte)]);
        count += 1;
        at += 1 + usize::from(letter.is_some());
    }
    word.fill(count, |at| ids[at], |at| merges.order(ids[at], ids[at + 1]));
    true
}
