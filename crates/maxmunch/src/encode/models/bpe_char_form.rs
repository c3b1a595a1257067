//! A byte-pair model on characters, spelled without looking up texts.

use std::sync::OnceLock;

use crate::encode::models::Vocabulary;
use crate::encode::models::bpe::Bpe;
use crate::encode::models::char_table::CharTable;
use crate::encode::models::known_pieces::KnownPieces;
use crate::encode::models::merge_small::{FirstPairs, Word};
use crate::encode::models::merges::Orders;
use crate::encode::splitter::{MARK, PairGuard, SPACE_MARK, Spaces, Unit};
use crate::units::{Span, TokenId};

/// What it takes to spell characters without looking up texts.
#[derive(Debug)]
pub(super) struct CharForm {
    /// The token of each character; none where prefixes or suffixes change what is looked up.
    pub(super) symbols: CharTable,
    /// The tokens of the 256 bytes, if all are tokens and unknown characters become bytes.
    pub(super) bytes: Option<Box<[TokenId; 256]>>,
    pub(super) guard: std::result::Result<PairGuard, &'static str>,
    /// The first merges of the characters that have a short code.
    first: Option<FirstPairs>,
    pub(super) spaces: Spaces,
    /// Pieces that are one token, once somebody asked for them.
    pub(super) known: OnceLock<KnownPieces>,
}

/// A number for ASCII characters and the mark for spaces.
#[inline]
const fn short_code(code: u32) -> Option<usize> {
    match code {
        0..128 => Some(code as usize),
        SPACE_MARK => Some(128),
        _ => None,
    }
}

impl CharForm {
    /// `None` where a prefix or suffix changes what a character is spelled as, or a space has no token.
    pub(super) fn new(model: &Bpe, spaces: Spaces) -> Option<Self> {
        if model.has_affixes() {
            return None;
        }
        let vocabulary = model.vocabulary();
        let single = vocabulary.iter().filter_map(|(text, _)| {
            let mut characters = text.chars();
            let first = characters.next().filter(|_| characters.next().is_none())?;
            let is_there = first != ' ' || spaces == Spaces::Plain;
            Some((first, vocabulary.id(text).filter(|_| is_there)?))
        });
        let space = match spaces {
            Spaces::Plain => None,
            Spaces::Marks => Some((' ', vocabulary.id(MARK)?)),
        };
        let bytes = fallback(vocabulary).filter(|_| model.options().byte_fallback);
        let symbols = CharTable::new(single.chain(space));
        let guard = model.may_cut(bytes.as_deref()).map(|()| {
            let results = model.merge_results().filter(|text| spaces.allows(text));
            let is_spelled = |&code: &u32| bytes.is_some() || symbols.get(code).is_some();
            let spelled = (0..128).filter(is_spelled).fold(0, |set, code| set | 1 << code);
            PairGuard::new(results.map(str::as_bytes), spelled, spaces)
        });
        let coded: Vec<Option<TokenId>> =
            (0..128).chain([SPACE_MARK]).map(|code| symbols.get(code)).collect();
        let first = FirstPairs::new(&coded, model.merges());
        Some(Self { symbols, bytes, guard, first, spaces, known: OnceLock::new() })
    }

    /// Whether every text is spelled, and can be cut.
    pub(super) fn spells_all(&self) -> bool {
        self.bytes.is_some() && self.guard.is_ok()
    }

    /// Writes a segment as a word, if it has few characters, each of them a token, and words are merged in arrays.
    #[inline]
    pub(super) fn fill<const N: usize>(
        &self,
        text: &[u8],
        span: Span,
        merges: &impl Orders,
        word: &mut Word<N>,
    ) -> bool {
        let Some(first) = &self.first else { return false };
        let (mut ids, mut codes) = ([0; N], [0; N]);
        let (mut count, mut at) = (0, span.start);
        while at < span.end {
            let unit = Unit::at(text, at);
            let (Some(id), true) = (self.symbols.get(unit.code), count < N) else { return false };
            (ids[count], codes[count]) = (id, unit.code);
            count += 1;
            at += unit.len;
        }
        let order = |at: usize| match (short_code(codes[at]), short_code(codes[at + 1])) {
            (Some(left), Some(right)) => first.get(left, right),
            _ => merges.order(ids[at], ids[at + 1]),
        };
        word.fill(count, |at| ids[at], order);
        true
    }

    /// Why pieces are not cut, if they are not.
    pub(super) fn guard(&self) -> std::result::Result<&PairGuard, &'static str> {
        self.guard.as_ref().map_err(|reason| *reason)
    }

    /// Whether a cut beside this character changes nothing: unknown characters join each other, or vanish.
    #[inline]
    pub(super) fn is_spelled(&self, unit: Unit) -> bool {
        self.bytes.is_some() || self.symbols.get(unit.code).is_some()
    }
}

/// The tokens `<0xHH>`, if there are all 256.
pub(super) fn fallback(vocabulary: &Vocabulary) -> Option<Box<[TokenId; 256]>> {
    let mut ids = Box::new([0; 256]);
    for (byte, id) in ids.iter_mut().enumerate() {
        *id = vocabulary.id(&format!("<0x{byte:02X}>"))?;
    }
    Some(ids)
}
