//! What is kept of the tokens as they come: ids alone, or everything.

use std::sync::Arc;

use crate::encode::aligned::AlignedText;
use crate::encode::encoding::Encoding;
use crate::encode::models::{Sink, Vocabulary};
use crate::units::{Span, TokenId};

/// In which unit the offsets of an encoding are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Unicode scalar values.
    Char,
    /// Bytes of UTF-8.
    Byte,
    /// Nobody wants offsets: all are (0, 0), and there are no token texts and no words.
    None,
}

/// Takes the tokens of a text in order.
pub(super) trait Collect {
    /// An added token.
    fn added(&mut self, id: TokenId, text: &AlignedText, span: Span);

    /// The next piece begins.
    fn piece(&mut self);

    /// A token that user code gave for the current piece, with its text and its place in the piece.
    fn given(&mut self, id: TokenId, value: &str, text: &AlignedText, place: (usize, usize));

    /// A token of the current piece; with `surface`, its text is the text it covers.
    fn token(&mut self, id: TokenId, text: &AlignedText, span: Span, surface: bool);

    /// A token that reaches beyond the end of its piece: bytes of a prefix that byte fallback spelled out
    /// count as text in the reference. Its offsets stay those in the piece.
    fn beyond(&mut self, id: TokenId, in_piece: Span);
}

/// Hands the tokens of one piece on to a collector.
pub(super) struct PieceSink<'s, 'a, C> {
    pub(super) text: &'s AlignedText<'a>,
    pub(super) piece: Span,
    pub(super) out: &'s mut C,
}

impl<C: Collect> PieceSink<'_, '_, C> {
    #[inline]
    fn absolute(&self, span: Span) -> Span {
        Span::new(self.piece.start + span.start, self.piece.start + span.end)
    }
}

impl<C: Collect> Sink for PieceSink<'_, '_, C> {
    #[inline]
    fn token(&mut self, id: TokenId, span: Span) {
        if span.end > self.piece.end - self.piece.start {
            return self.out.beyond(id, span);
        }
        self.out.token(id, self.text, self.absolute(span), false);
    }

    fn surface(&mut self, id: TokenId, span: Span) {
        self.out.token(id, self.text, self.absolute(span), true);
    }
}

/// Keeps everything that an [`Encoding`] has.
#[derive(Debug)]
pub(super) struct FullCollector<'v> {
    vocabulary: &'v Vocabulary,
    unit: Unit,
    /// Number of pieces so far, added tokens included.
    pieces: u32,
    /// Whether some offsets may lie outside the text.
    strays: bool,
    out: Encoding,
}

impl<'v> FullCollector<'v> {
    pub(super) fn new(vocabulary: &'v Vocabulary, unit: Unit) -> Self {
        Self { vocabulary, unit, pieces: 0, strays: false, out: Encoding::default() }
    }

    fn push(&mut self, id: TokenId, text: &AlignedText, span: Span, own: Option<Arc<str>>) {
        let original = text.original(span);
        self.push_at(id, (original.start, original.end), own);
    }

    fn push_at(&mut self, id: TokenId, offsets: (usize, usize), own: Option<Arc<str>>) {
        self.out.ids.push(id);
        self.out.offsets.push(offsets);
        self.out.words.push(Some(self.pieces.wrapping_sub(1)));
        self.out.texts.push(own);
    }

    /// The encoding of `text`; all tokens belong to word `word`, if one is given.
    pub(super) fn finish(mut self, text: &str, type_id: u32, word: Option<u32>) -> Encoding {
        let count = self.out.ids.len();
        self.out.type_ids = vec![type_id; count];
        self.out.special_tokens_mask = vec![0; count];
        self.out.attention_mask = vec![1; count];
        if word.is_some() {
            self.out.words.fill(word);
        }
        match self.unit {
            Unit::Byte => {}
            Unit::None => {
                self.out.words.fill(None);
                self.out.offsets.fill((0, 0));
                let empty: Arc<str> = Arc::from("");
                self.out.texts.fill(Some(empty));
            }
            Unit::Char if text.is_ascii() && !self.strays => {}
            Unit::Char => count_chars(text, &mut self.out.offsets),
        }
        self.out
    }
}

impl Collect for FullCollector<'_> {
    fn added(&mut self, id: TokenId, text: &AlignedText, span: Span) {
        self.pieces += 1;
        let surface = &text.text()[span.range()];
        let own = (self.vocabulary.token(id) != Some(surface)).then(|| Arc::from(surface));
        self.push(id, text, span, own);
    }

    fn given(&mut self, id: TokenId, value: &str, text: &AlignedText, place: (usize, usize)) {
        self.strays = true;
        self.push_at(id, given_offsets(text, place), Some(Arc::from(value)));
    }

    fn piece(&mut self) {
        self.pieces += 1;
    }

    fn token(&mut self, id: TokenId, text: &AlignedText, span: Span, surface: bool) {
        let own = surface.then(|| Arc::from(&text.text()[span.range()]));
        self.push(id, text, span, own);
    }

    fn beyond(&mut self, id: TokenId, in_piece: Span) {
        self.strays = true;
        self.push_at(id, (in_piece.start, in_piece.end), None);
    }
}

/// The original offsets of a place that user code names; one outside the text is taken as it is.
pub(super) fn given_offsets(text: &AlignedText, (start, end): (usize, usize)) -> (usize, usize) {
    if start > end || end > text.len() {
        return (start, end);
    }
    let original = text.original(Span::new(start, end));
    (original.start, original.end)
}

/// Byte offsets become character offsets; one inside a character becomes that character's.
///
/// Those outside the text follow the reference: an end outside it stands two characters behind the start,
/// and where the start is not before the end of the text nothing is converted.
pub(super) fn count_chars(text: &str, offsets: &mut [(usize, usize)]) {
    // PERF: four bytes a byte of text, for a look-up that needs no order among the offsets.
    let mut chars = Vec::with_capacity(text.len() + 1);
    for (index, character) in text.chars().enumerate() {
        chars.extend(std::iter::repeat_n(index as u32, character.len_utf8()));
    }
    chars.push(chars.last().map_or(0, |last| last + 1));
    for (start, end) in offsets.iter_mut().filter(|(start, _)| *start < text.len()) {
        let first = chars[*start] as usize;
        let last = chars.get(*end).map_or(first + 2, |last| *last as usize);
        (*start, *end) = (first, last);
    }
}
