//! The fast way of byte-pair encoding, for callers that want ids alone.
//!
//! A piece is cut by the splitter where no merge can cross, segments are looked up in the cache, and only those
//! not seen before are spelled and merged. [`Bpe::tokenize`] and [`Bpe::tokenize_bytes`] are the slow twins.

use crate::encode::models::Scratch;
use crate::encode::models::bpe::Bpe;
use crate::encode::models::bpe_blocks::BLOCK;
use crate::encode::models::bpe_char_form::CharForm;
use crate::encode::models::bpe_forms::{Form, may_part};
use crate::encode::piece_key::{Key, Kind};
use crate::encode::splitter::Unit;
use crate::error::Result;
use crate::units::{Span, TokenId};

/// Longest pieces that are kept whole: words. Longer ones are cut, and their parts are kept.
const LONGEST_WORD: usize = 40;

/// Bytes of two characters of most scripts.
const TWO_CHARACTERS: usize = 6;

impl Bpe {
    /// Appends the ids of the piece `span` of `text`, which has the key if it has one, to `out`.
    pub(super) fn ids(
        &self,
        text: &[u8],
        span: Span,
        key: Option<Key>,
        on_bytes: bool,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Some(form) = self.form(on_bytes) else {
            return self.ids_slowly(text, span, on_bytes, scratch, out);
        };
        let whole = self.options().ignore_merges;
        // The caller looked short ones up among the known pieces, which have all of them where this is asked.
        let may_be_whole = whole && !key.is_some_and(Key::is_small);
        if may_be_whole && let Some(id) = self.whole(form, &text[span.range()]) {
            out.push(id);
            return Ok(());
        }
        // PERF: a short word is one segment for us; a few characters of other scripts are cut, as their
        // combinations are many.
        if key.is_some() && stays_whole(text, span) {
            // The caller looked it up as a whole and will keep it.
            return self.merge_segment(form, text, span, scratch, out);
        }
        if key.is_some() || span.len() > LONGEST_WORD {
            return self.cut_ids(form, text, span, form.kind(whole), scratch, out);
        }
        let bytes = &text[span.range()];
        if let Some(ids) = scratch.cache.get_long(bytes, Kind::Piece) {
            append(out, ids);
            return Ok(());
        }
        let from = out.len();
        self.cut_ids(form, text, span, form.kind(whole), scratch, out)?;
        scratch.cache.insert_if_due(bytes, Kind::Piece, &out[from..]);
        Ok(())
    }

    /// Appends the ids of a text in which a space stands for the mark, in a form that reads it so.
    pub(super) fn spaced_ids(
        &self,
        form: &CharForm,
        text: &[u8],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let span = Span::new(0, text.len());
        self.cut_ids(Form::Chars(form), text, span, Kind::Spaced, scratch, out)
    }

    /// Whether a piece with these characters side by side has the ids of its two parts, in every piece.
    pub(super) fn parts_between(&self, before: char, after: char, on_bytes: bool) -> bool {
        let Some(form) = self.form(on_bytes) else { return false };
        let Some(guard) = form.guard() else { return false };
        let text: String = [before, after].iter().collect();
        let (text, at) = (text.as_bytes(), before.len_utf8());
        let (left, right) = (Unit::at(text, 0), Unit::at(text, at));
        // Where whole pieces are looked up first, what is whole matters.
        !self.options().ignore_merges
            && guard.is_closed(text, at, left, right)
            && may_part(form, left, right)
    }

    pub(super) fn whole(&self, form: Form, piece: &[u8]) -> Option<TokenId> {
        match form {
            Form::Bytes(form) => form.whole.get(piece),
            Form::Chars(_) => self.vocabulary().id(std::str::from_utf8(piece).ok()?),
        }
    }

    pub(super) fn merge_segment(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if span.len() > BLOCK && self.merge_blocks(form, text, span, BLOCK, scratch, out) {
            return Ok(());
        }
        if let Some(merges) = self.merges().quick()
            && form.merge_small(text, span, merges, out)
        {
            return Ok(());
        }
        let from = out.len();
        if let Form::Bytes(form) = form {
            form.spell(&text[span.range()], out);
        } else if form.spell(text, span, |id, _| out.push(id)).is_none() {
            out.truncate(from);
            let piece = boundary(&text[span.range()])?;
            self.spell(piece, scratch)?;
            scratch.merge(self.merges());
            out.extend(scratch.spans().map(|(id, _)| id));
            return Ok(());
        }
        scratch.merge_ids(out, from, self.merges());
        Ok(())
    }

    fn ids_slowly(
        &self,
        text: &[u8],
        span: Span,
        on_bytes: bool,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let piece = &text[span.range()];
        let mut sink = |id| out.push(id);
        if on_bytes {
            self.tokenize_bytes(piece, scratch, &mut sink)
        } else {
            self.tokenize(boundary(piece)?, scratch, &mut sink)
        }
    }
}

/// Whether a piece with a key is not cut.
#[inline]
pub(super) fn stays_whole(text: &[u8], span: Span) -> bool {
    is_word(text, span) || span.len() <= TWO_CHARACTERS
}

/// Whether a piece, not empty, ends in ASCII, as the words of many texts do.
///
/// PERF: most of those are one token, so that it is looked up first; most pieces of other scripts are not.
#[inline]
pub(super) fn is_word(text: &[u8], span: Span) -> bool {
    text.get(span.end - 1).is_some_and(u8::is_ascii)
}

#[inline]
pub(super) fn append(out: &mut Vec<TokenId>, ids: &[TokenId]) {
    // PERF: most lists are one id, for which copying memory costs more than the id.
    match *ids {
        [only] => out.push(only),
        [first, second] => out.extend([first, second]),
        _ => out.extend_from_slice(ids),
    }
}

/// Pieces on characters end at characters.
fn boundary(piece: &[u8]) -> Result<&str> {
    std::str::from_utf8(piece)
        .map_err(|_| crate::Error::internal("a piece that ends inside a character"))
}
