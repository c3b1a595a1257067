//! The fast way of byte-pair encoding, for callers that want ids alone.
//!
//! A piece is cut by the splitter where no merge can cross, segments are looked up in the cache, and only those
//! not seen before are spelled and merged. [`Bpe::tokenize`] and [`Bpe::tokenize_bytes`] are the slow twins.

use crate::encode::models::bpe::{Bpe, ByteForm, NO_SYMBOL};
use crate::encode::models::bpe_blocks::BLOCK;
use crate::encode::models::char_table::CharTable;
use crate::encode::models::merge::Merges;
use crate::encode::models::merge_small::{FirstPairs, SMALL, SmallWord};
use crate::encode::models::{Scratch, Vocabulary};
use crate::encode::splitter::{PairGuard, Unit};
use crate::encode::word_cache::{Key, Kind, LONGEST_KEY, SHORT_KEY};
use crate::error::Result;
use crate::units::{Span, TokenId};

/// What it takes to spell characters without looking up texts.
#[derive(Debug)]
pub(super) struct CharForm {
    /// The token of each character; none where prefixes or suffixes change what is looked up.
    symbols: CharTable,
    /// The tokens of the 256 bytes, if all are tokens and unknown characters become bytes.
    bytes: Option<Box<[TokenId; 256]>>,
    guard: std::result::Result<PairGuard, &'static str>,
    /// The first merges of the characters that have a short code.
    first: FirstPairs,
}

/// The mark for spaces, which most words of most texts begin with.
const SPACE_MARK: u32 = 0x2581;

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
    /// `None` where a prefix or suffix changes what a character is spelled as.
    pub(super) fn new(model: &Bpe) -> Option<Self> {
        if model.has_affixes() {
            return None;
        }
        let vocabulary = model.vocabulary();
        let single = vocabulary.iter().filter_map(|(text, _)| {
            let mut characters = text.chars();
            let first = characters.next().filter(|_| characters.next().is_none())?;
            Some((first, vocabulary.id(text)?))
        });
        let bytes = fallback(vocabulary).filter(|_| model.options().byte_fallback);
        let symbols = CharTable::new(single);
        let guard = model.may_cut(bytes.as_deref()).map(|()| {
            let results = model.merge_results();
            let is_spelled = |&code: &u32| bytes.is_some() || symbols.get(code).is_some();
            let spelled = (0..128).filter(is_spelled).fold(0, |set, code| set | 1 << code);
            PairGuard::new(results.map(str::as_bytes), spelled)
        });
        let coded: Vec<Option<TokenId>> =
            (0..128).chain([SPACE_MARK]).map(|code| symbols.get(code)).collect();
        let first = FirstPairs::new(&coded, model.merges());
        Some(Self { symbols, bytes, guard, first })
    }

    /// Merges a segment of few characters, each of them a token; `false` where it is none.
    #[inline]
    fn merge_small(
        &self,
        text: &[u8],
        span: Span,
        merges: &Merges,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let (mut ids, mut codes) = ([0; SMALL], [0; SMALL]);
        let (mut count, mut at) = (0, span.start);
        while at < span.end {
            let unit = Unit::at(text, at);
            let (Some(id), true) = (self.symbols.get(unit.code), count < SMALL) else {
                return false;
            };
            (ids[count], codes[count]) = (id, unit.code);
            count += 1;
            at += unit.len;
        }
        let order = |at: usize| match (short_code(codes[at]), short_code(codes[at + 1])) {
            (Some(left), Some(right)) => self.first.get(left, right),
            _ => merges.order(ids[at], ids[at + 1]),
        };
        SmallWord::new(count, |at| ids[at], order).merge_into(merges, out);
        true
    }

    /// Why pieces are not cut, if they are not.
    pub(super) fn guard(&self) -> std::result::Result<&PairGuard, &'static str> {
        self.guard.as_ref().map_err(|reason| *reason)
    }

    /// Whether a cut beside this character changes nothing: unknown characters join each other, or vanish.
    #[inline]
    fn is_spelled(&self, unit: Unit) -> bool {
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

/// Bytes of two characters of most scripts.
const TWO_CHARACTERS: usize = 6;

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

impl Bpe {
    /// Appends the ids of the piece `span` of `text` to `out`.
    pub(super) fn ids(
        &self,
        text: &[u8],
        span: Span,
        on_bytes: bool,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Some(form) = self.form(on_bytes) else {
            return self.ids_slowly(text, span, on_bytes, scratch, out);
        };
        let whole = self.options().ignore_merges;
        if whole && let Some(id) = self.whole(form, &text[span.range()]) {
            out.push(id);
            return Ok(());
        }
        // PERF: a short word is one segment for us; a few characters of other scripts are cut, as their
        // combinations are many.
        let is_word = text.get(span.end - 1).is_none_or(u8::is_ascii);
        if span.len() <= SHORT_KEY && (is_word || span.len() <= TWO_CHARACTERS) {
            // The caller looked it up as a whole and will keep it.
            return self.merge_segment(form, text, span, scratch, out);
        }
        let kind = if whole { Kind::Segment } else { Kind::Piece };
        let Some(guard) = form.guard() else {
            return self.segment(form, text, span, kind, scratch, out);
        };
        let (mut start, mut at) = (span.start, span.start);
        let mut left = Unit::at(text, at);
        at += left.len;
        while at < span.end {
            // PERF: the same for ASCII characters by one look-up.
            while let (Some(&byte @ 0..0x80), 0..0x80) = (text.get(at), left.code)
                && at < span.end
            {
                if guard.cuts_ascii(left.code as u8, byte) {
                    self.segment(form, text, Span::new(start, at), kind, scratch, out)?;
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
                self.segment(form, text, Span::new(start, at), kind, scratch, out)?;
                start = at;
            }
            left = right;
            at += right.len;
        }
        self.segment(form, text, Span::new(start, span.end), kind, scratch, out)
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

    pub(super) fn form(&self, on_bytes: bool) -> Option<Form<'_>> {
        if on_bytes { self.byte_form().map(Form::Bytes) } else { self.char_form().map(Form::Chars) }
    }

    fn whole(&self, form: Form, piece: &[u8]) -> Option<TokenId> {
        match form {
            Form::Bytes(form) => form.whole.get(piece),
            Form::Chars(_) => self.vocabulary().id(std::str::from_utf8(piece).ok()?),
        }
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
        if span.len() <= SHORT_KEY {
            let key = Key::new(text, span, kind);
            if scratch.cache.append(key, out) {
                return Ok(());
            }
            let from = out.len();
            self.merge_segment(form, text, span, scratch, out)?;
            scratch.cache.insert(key, &out[from..]);
            return Ok(());
        }
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

    fn merge_segment(
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
        let from = out.len();
        match form {
            Form::Bytes(form) => {
                let piece = &text[span.range()];
                if let (Some(first), Some(inner)) = (&form.first, &form.uniform)
                    && piece.len() <= SMALL
                {
                    let byte = |at: usize| usize::from(piece[at]);
                    let order = |at: usize| first.get(byte(at), byte(at + 1));
                    let word = SmallWord::new(piece.len(), |at| inner[byte(at)], order);
                    word.merge_into(self.merges(), out);
                    return Ok(());
                }
                form.spell(piece, out);
                scratch.merge_ids(out, from, self.merges());
                Ok(())
            }
            Form::Chars(form) => {
                let merges = self.merges();
                if !merges.ambiguous && form.merge_small(text, span, merges, out) {
                    return Ok(());
                }
                if Form::Chars(form).spell(text, span, |id, _| out.push(id)).is_none() {
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
        }
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

impl ByteForm {
    /// Appends the symbols of `piece`.
    fn spell(&self, piece: &[u8], out: &mut Vec<TokenId>) {
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

/// A cut between two characters that may join without a merge is none.
#[inline]
pub(super) fn may_part(form: Form, left: Unit, right: Unit) -> bool {
    match form {
        Form::Bytes(_) => true,
        Form::Chars(form) => form.is_spelled(left) && form.is_spelled(right),
    }
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
