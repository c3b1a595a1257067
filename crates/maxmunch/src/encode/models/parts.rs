//! What the splitter does to a piece, to tell people; encoding itself cuts on its way.

use crate::encode::models::bpe_forms::may_part;
use crate::encode::models::{Bpe, Model};
use crate::encode::splitter::Unit;
use crate::units::Span;

impl Model {
    /// Why pieces are not cut; `None` when they are.
    pub fn refuses_cuts(&self, on_bytes: bool) -> Option<&'static str> {
        if self.samples() {
            return Some("tokens are drawn at random");
        }
        match self {
            Self::Bpe(model) => model.refuses_cuts(on_bytes),
            Self::WordPiece(_) => Some("longest match reads a piece once: cuts gain nothing"),
            Self::WordLevel(_) => Some("pieces are looked up whole"),
            Self::Unigram(_) => {
                Some("scores are added up along a piece, and no cut is proven to keep their order")
            }
        }
    }

    /// Into how many parts the piece `span` is cut.
    ///
    /// Complexity: linear in the piece.
    pub fn part_count(&self, text: &[u8], span: Span, on_bytes: bool) -> usize {
        match self {
            Self::Bpe(model) if !self.samples() => model.part_count(text, span, on_bytes),
            _ => 1,
        }
    }
}

impl Bpe {
    fn refuses_cuts(&self, on_bytes: bool) -> Option<&'static str> {
        let Some(form) = self.form(on_bytes) else {
            return Some(
                "the model cannot work on ids alone (an unknown token, merges without order)",
            );
        };
        form.refusal()
    }

    fn part_count(&self, text: &[u8], span: Span, on_bytes: bool) -> usize {
        let Some((form, guard)) = self.form(on_bytes).and_then(|form| Some((form, form.guard()?)))
        else {
            return 1;
        };
        let mut left = Unit::at(text, span.start);
        let (mut at, mut parts) = (span.start + left.len, 1);
        while at < span.end {
            let right = Unit::at(text, at);
            let is_cut = guard.is_closed(text, at, left, right) && may_part(form, left, right);
            parts += usize::from(is_cut);
            left = right;
            at += right.len;
        }
        parts
    }
}
