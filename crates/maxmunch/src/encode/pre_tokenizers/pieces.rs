//! A text and the pieces it is cut into so far.

use crate::encode::aligned::{AlignedText, Rewriter};
use crate::error::Result;
use crate::units::{Span, TokenId};

/// A part of the text: an added token, or text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where it is.
    pub span: Span,
    /// The added token that it is; such a piece is never cut or changed.
    pub added: Option<TokenId>,
}

/// A text and its pieces: in order, never empty; what lies between them is dropped.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    text: AlignedText<'a>,
    list: Vec<Piece>,
    tracked: bool,
}

impl<'a> Pieces<'a> {
    /// A text without any piece. Origins are kept only when `tracked`.
    pub fn new(text: AlignedText<'a>, tracked: bool) -> Self {
        Self { text, list: Vec::new(), tracked }
    }

    /// A text that is one piece.
    pub fn whole(text: AlignedText<'a>, tracked: bool) -> Self {
        let span = text.span();
        let mut pieces = Self::new(text, tracked);
        pieces.push(Piece { span, added: None });
        pieces
    }

    /// Appends a piece unless it is empty.
    pub fn push(&mut self, piece: Piece) {
        if !piece.span.is_empty() {
            self.list.push(piece);
        }
    }

    /// The text that the pieces are parts of.
    pub fn text(&self) -> &AlignedText<'a> {
        &self.text
    }

    /// The pieces in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.list
    }

    /// The texts of the pieces that are no added tokens.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let pieces = self.list.iter().filter(|piece| piece.added.is_none());
        pieces.map(|piece| &self.text.text()[piece.span.range()])
    }

    /// Cuts every piece: `cut` gets its text and emits the parts to keep, relative to it, in order.
    pub fn split(
        &mut self,
        mut cut: impl FnMut(&str, &mut dyn FnMut(Span)) -> Result<()>,
    ) -> Result<()> {
        let mut pieces = Vec::with_capacity(self.list.len().max(self.text.len() / 8));
        for piece in &self.list {
            if piece.added.is_some() {
                pieces.push(*piece);
                continue;
            }
            let start = piece.span.start;
            cut(&self.text.text()[piece.span.range()], &mut |part| {
                if !part.is_empty() {
                    let span = Span::new(start + part.start, start + part.end);
                    pieces.push(Piece { span, added: None });
                }
            })?;
        }
        self.list = pieces;
        Ok(())
    }

    /// Rewrites every piece: `write` gets the text, the piece's place in it, and where to write.
    pub fn rewrite(&mut self, mut write: impl FnMut(&AlignedText, Span, &mut Rewriter)) {
        let mut out = self.text.rewrite(self.tracked);
        let mut pieces = Vec::with_capacity(self.list.len());
        for piece in &self.list {
            let start = out.position();
            if piece.added.is_some() {
                out.keep(piece.span);
            } else {
                write(&self.text, piece.span, &mut out);
            }
            let span = Span::new(start, out.position());
            if !span.is_empty() {
                pieces.push(Piece { span, ..*piece });
            }
        }
        let changed = out.finish();
        self.text = self.text.replaced(changed);
        self.list = pieces;
    }
}
