//! The segments of a piece, into which the splitter cuts it where no merge can cross: each is looked up, and merged if
//! it is new.

use crate::encode::long_words::LONGEST_KEY;
use crate::encode::models::Scratch;
use crate::encode::models::bpe::Bpe;
use crate::encode::models::bpe_forms::{Form, may_part};
use crate::encode::models::bpe_ids::append;
use crate::encode::models::merges::Quick;
use crate::encode::models::piece_batch::{Answer, Missing, PieceBatch};
use crate::encode::piece_key::{Key, Kind};
use crate::encode::splitter::Unit;
use crate::error::Result;
use crate::units::{Span, TokenId};

/// Bytes of a piece from which on it is worth while to look its parts up together.
const MANY_PARTS: usize = 64;

impl Bpe {
    /// Appends the ids of the parts of a piece, not empty, into which the splitter cuts it.
    pub(super) fn cut_ids(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        kind: Kind,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if span.len() < MANY_PARTS {
            return for_each_part(form, text, span, |part| {
                self.segment(form, text, part, kind, scratch, out)
            });
        }
        let mut parts = std::mem::take(&mut scratch.parts);
        parts.begin(span.start);
        let done = for_each_part(form, text, span, |part| {
            parts.push(text, part, kind, &scratch.cache);
            if parts.is_full() {
                self.part_ids(form, text, kind, &mut parts, scratch, out)?;
                parts.begin(part.end);
            }
            Ok(())
        });
        let done = done.and_then(|()| self.part_ids(form, text, kind, &mut parts, scratch, out));
        scratch.parts = parts;
        done
    }

    /// Appends the ids of parts that wait.
    fn part_ids(
        &self,
        form: Form,
        text: &[u8],
        kind: Kind,
        parts: &mut PieceBatch,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        parts.look_up(&mut scratch.cache);
        if let Some(Quick::Packed(merges)) = self.merges().quick() {
            let known = form.known_now();
            parts.answer(merges, |part, key, words| match known.get(key) {
                Some(id) => Answer::Token(id),
                None => words.answer(form, text, part, key, merges),
            });
        }
        while let Some(missing) = parts.next_missing(out) {
            let Missing { piece: part, key, .. } = missing;
            if key == Key::NONE {
                self.long_segment(form, text, part, kind, scratch, out)?;
            } else if !parts.append_answer(missing, &mut scratch.cache, out) {
                self.new_segment(form, text, part, key, scratch, out)?;
            }
        }
        Ok(())
    }

    /// One segment, from the cache or by merging.
    #[inline]
    fn segment(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        kind: Kind,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        match Key::new(text, span, kind) {
            Some(key) if scratch.cache.append(key, out) => Ok(()),
            Some(key) => self.new_segment(form, text, span, key, scratch, out),
            None => self.long_segment(form, text, span, kind, scratch, out),
        }
    }

    /// A segment with a key that the cache does not have; then it will.
    #[inline(never)]
    fn new_segment(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        key: Key,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let from = out.len();
        match form.known_now().get(key) {
            Some(id) => out.push(id),
            None => self.merge_segment(form, text, span, scratch, out)?,
        }
        scratch.cache.insert(key, &out[from..]);
        Ok(())
    }

    /// A segment too long for a key.
    fn long_segment(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        kind: Kind,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if span.len() > LONGEST_KEY {
            return self.merge_segment(form, text, span, scratch, out);
        }
        let bytes = &text[span.range()];
        if let Some(ids) = scratch.cache.get_long(bytes, kind) {
            append(out, ids);
            return Ok(());
        }
        let from = out.len();
        self.merge_segment(form, text, span, scratch, out)?;
        scratch.cache.insert_long(bytes, kind, &out[from..]);
        Ok(())
    }
}

/// Calls `visit` with the parts into which the splitter cuts a piece, not empty.
#[inline]
fn for_each_part(
    form: Form,
    text: &[u8],
    span: Span,
    mut visit: impl FnMut(Span) -> Result<()>,
) -> Result<()> {
    let Some(guard) = form.guard() else { return visit(span) };
    let (mut start, mut at) = (span.start, span.start);
    let mut left = Unit::at(text, at);
    at += left.len;
    while at < span.end {
        // PERF: the same for ASCII characters by one look-up.
        while let (Some(&byte @ 0..0x80), 0..0x80) = (text.get(at), left.code)
            && at < span.end
        {
            if guard.cuts_ascii(left.code as u8, byte) {
                visit(Span::new(start, at))?;
                start = at;
            }
            left = Unit { code: u32::from(byte), len: 1 };
            at += 1;
        }
        if at >= span.end {
            break;
        }
        let right = Unit::at(text, at);
        if guard.is_closed(text, at, left, right) && may_part(form, left, right) {
            visit(Span::new(start, at))?;
            start = at;
        }
        left = right;
        at += right.len;
    }
    visit(Span::new(start, span.end))
}
