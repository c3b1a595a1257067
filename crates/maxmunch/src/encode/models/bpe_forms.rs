//! The forms of a byte-pair model that fast encoding works on, each built when it is first asked for.

use std::sync::OnceLock;

use crate::encode::byte_level;
use crate::encode::models::bpe::Bpe;
use crate::encode::models::bpe_byte_form::ByteForm;
use crate::encode::models::bpe_char_form::CharForm;
use crate::encode::models::first_letters::FirstLetters;
use crate::encode::models::known_pieces::KnownPieces;
use crate::encode::models::merge_small::{SMALL, Word};
use crate::encode::models::merges::{Orders, Quick};
use crate::encode::models::{Scratch, count_chars};
use crate::encode::piece_key::{Key, Kind};
use crate::encode::splitter::{MARK, PairGuard, Spaces, Unit};
use crate::units::{Span, TokenId};

/// The forms that were built, each `None` where the model has none.
#[derive(Debug, Default)]
pub(super) struct Forms {
    bytes: OnceLock<Option<Box<ByteForm>>>,
    chars: OnceLock<Option<Box<CharForm>>>,
    spaced: OnceLock<Option<Box<CharForm>>>,
}

/// A form of the model: how segments are spelled.
#[derive(Clone, Copy)]
pub(super) enum Form<'m> {
    Chars(&'m CharForm),
    Bytes(&'m ByteForm),
}

impl<'m> Form<'m> {
    /// Why pieces are not cut, if they are not.
    pub(super) fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Bytes(form) => form.guard.as_ref().err().copied(),
            Self::Chars(form) => form.guard.as_ref().err().copied(),
        }
    }

    pub(super) fn guard(self) -> Option<&'m PairGuard> {
        match self {
            Self::Bytes(form) => form.guard.as_ref().ok(),
            Self::Chars(form) => form.guard.as_ref().ok(),
        }
    }

    fn known(self) -> &'m OnceLock<KnownPieces> {
        match self {
            Self::Bytes(form) => &form.known,
            Self::Chars(form) => &form.known,
        }
    }

    /// Pieces that are one token, as far as that was found out.
    pub(super) fn known_now(self) -> &'m KnownPieces {
        self.known().get().unwrap_or_else(|| KnownPieces::none())
    }

    /// What a piece is for the cache, if whole pieces are looked up and this is none, or not.
    pub(super) fn kind(self, has_wholes: bool) -> Kind {
        match self {
            Self::Chars(form) if form.spaces == Spaces::Marks => Kind::Spaced,
            _ if has_wholes => Kind::Segment,
            _ => Kind::Piece,
        }
    }

    /// The text of a token as this form reads it, written to `text`; `false` where no piece has that text.
    fn write(self, token: &str, text: &mut Vec<u8>) -> bool {
        match self {
            // Bytes that are no characters are the text of no piece, and keys take them for something else.
            Self::Bytes(_) => {
                byte_level::append_bytes(token, text).is_some() && std::str::from_utf8(text).is_ok()
            }
            Self::Chars(form) if form.spaces == Spaces::Marks => {
                text.extend_from_slice(token.replace(MARK, " ").as_bytes());
                form.spaces.allows(token)
            }
            Self::Chars(_) => {
                text.extend_from_slice(token.as_bytes());
                true
            }
        }
    }

    /// Writes a piece as a word, if it has few symbols and words are merged in arrays.
    #[inline]
    pub(super) fn fill<const N: usize>(
        self,
        text: &[u8],
        span: Span,
        merges: &impl Orders,
        word: &mut Word<N>,
    ) -> bool {
        match self {
            Self::Bytes(form) => form.fill(&text[span.range()], merges, word),
            Self::Chars(form) => form.fill(text, span, merges, word),
        }
    }

    /// Appends the ids of a piece of few symbols; `false` where it is none.
    pub(super) fn merge_small(
        self,
        text: &[u8],
        span: Span,
        merges: Quick,
        out: &mut Vec<TokenId>,
    ) -> bool {
        match merges {
            Quick::Packed(merges) => self.merge_few(text, span, merges, out),
            Quick::Open(merges) => self.merge_few(text, span, merges, out),
        }
    }

    #[inline]
    fn merge_few(
        self,
        text: &[u8],
        span: Span,
        merges: &impl Orders,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let bytes = &text[span.range()];
        let symbols = match self {
            Self::Bytes(_) if !FirstLetters::may_be_in(bytes) => span.len(),
            _ => count_chars(bytes),
        };
        // PERF: words of few symbols look at few pairs.
        match symbols {
            0..=8 if self.merge_word::<8>(text, span, merges, out) => true,
            0..=16 if self.merge_word::<16>(text, span, merges, out) => true,
            _ => self.merge_word::<SMALL>(text, span, merges, out),
        }
    }

    #[inline]
    fn merge_word<const N: usize>(
        self,
        text: &[u8],
        span: Span,
        merges: &impl Orders,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let mut word = Word::<N>::EMPTY;
        let is_word = self.fill(text, span, merges, &mut word);
        if is_word {
            word.merge_into(merges, out);
        }
        is_word
    }

    /// The last place up to `at` where no symbol is cut.
    pub(super) fn boundary(self, text: &[u8], at: usize) -> usize {
        let begins = |at: usize| text.get(at).is_none_or(|byte| byte & 0xC0 != 0x80);
        match self {
            Self::Bytes(_) => at,
            Self::Chars(_) => (0..=at).rev().find(|&at| begins(at)).unwrap_or(0),
        }
    }

    /// Gives the symbols of `span` with their bytes; `None` where a symbol depends on what stands beside it.
    pub(super) fn spell(
        self,
        text: &[u8],
        span: Span,
        mut push: impl FnMut(TokenId, usize),
    ) -> Option<()> {
        let form = match self {
            Self::Bytes(form) => {
                let inner = form.uniform.as_ref()?;
                for &byte in &text[span.range()] {
                    push(inner[usize::from(byte)], 1);
                }
                return Some(());
            }
            Self::Chars(form) => form,
        };
        let mut at = span.start;
        while at < span.end {
            let unit = Unit::at(text, at);
            if let Some(id) = form.symbols.get(unit.code) {
                push(id, unit.len);
            } else {
                let bytes = form.bytes.as_ref()?;
                for &byte in &text[at..at + unit.len] {
                    push(bytes[usize::from(byte)], 1);
                }
            }
            at += unit.len;
        }
        Some(())
    }
}

/// A cut between two characters that may join without a merge is none.
#[inline]
pub(super) fn may_part(form: Form, left: Unit, right: Unit) -> bool {
    match form {
        Form::Bytes(_) => true,
        Form::Chars(form) => form.is_spelled(left) && form.is_spelled(right),
    }
}

impl Bpe {
    pub(super) fn form(&self, on_bytes: bool) -> Option<Form<'_>> {
        if on_bytes { self.byte_form().map(Form::Bytes) } else { self.char_form().map(Form::Chars) }
    }

    pub(super) fn char_form(&self) -> Option<&CharForm> {
        if !self.whole_pieces().is_empty() {
            return None;
        }
        self.forms.chars.get_or_init(|| CharForm::new(self, Spaces::Plain).map(Box::new)).as_deref()
    }

    /// The form for texts in which a space stands for the mark; none where that could change an id.
    pub(super) fn spaced_form(&self) -> Option<&CharForm> {
        if !self.whole_pieces().is_empty() || self.options().ignore_merges {
            return None;
        }
        let build = || {
            let form = CharForm::new(self, Spaces::Marks)?;
            form.spells_all().then(|| Box::new(form))
        };
        self.forms.spaced.get_or_init(build).as_deref()
    }

    pub(super) fn byte_form(&self) -> Option<&ByteForm> {
        if !self.whole_pieces().is_empty() {
            return None;
        }
        self.forms.bytes.get_or_init(|| self.build_byte_form().map(Box::new)).as_deref()
    }

    /// Pieces that are one token in this form, found out now if they were not before.
    pub(super) fn known<'m>(&self, form: Form<'m>) -> &'m KnownPieces {
        form.known().get_or_init(|| self.find_known(form))
    }

    /// Finds the pieces that are one token, among the texts of the tokens.
    fn find_known(&self, form: Form) -> KnownPieces {
        let (mut text, mut ids, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
        let has_wholes = self.options().ignore_merges;
        // Whole pieces are looked up, not parts.
        let kind = form.kind(false);
        let mut known = Vec::new();
        for (token, _) in self.vocabulary().iter() {
            text.clear();
            ids.clear();
            if token.is_empty() || !form.write(token, &mut text) {
                continue;
            }
            let span = Span::new(0, text.len());
            let key = Key::new(&text, span, kind).filter(|key| key.is_small());
            let Some(key) = key else { continue };
            let done = match self.whole(form, &text).filter(|_| has_wholes) {
                Some(id) => {
                    ids.push(id);
                    Ok(())
                }
                None => self.merge_segment(form, &text, span, &mut scratch, &mut ids),
            };
            if let ([id], Ok(())) = (ids.as_slice(), done) {
                known.push((key, *id));
            }
        }
        KnownPieces::new(&known)
    }
}
