//! `BertPreTokenizer`: white space is dropped, each punctuation mark is a piece.

use crate::encode::char_set::CharSet;
use crate::encode::pre_tokenizers::{Behavior, Pieces, punctuation};
use crate::encode::seams::{Beside, Seam, of_characters};
use crate::error::Result;
use crate::units::Span;

/// Cuts as BERT does.
#[derive(Debug, Clone, PartialEq)]
pub struct BertPreTokenizer {
    marks: CharSet,
}

impl BertPreTokenizer {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { marks: punctuation::marks()? })
    }

    pub(super) fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        pieces.split(|text, emit| {
            self.for_each_piece(text, |span| {
                emit(span);
                Ok(())
            })
        })
    }

    /// Calls `emit` for each piece, left to right; none is empty.
    pub(in crate::encode) fn for_each_piece(
        &self,
        text: &str,
        mut emit: impl FnMut(Span) -> Result<()>,
    ) -> Result<()> {
        let mut start = 0;
        for (at, character) in text.char_indices() {
            // PERF: letters and digits of ASCII are told by one comparison each.
            if character.is_ascii_alphanumeric() {
                continue;
            }
            let is_mark = self.marks.contains(character);
            if !is_mark && !character.is_whitespace() {
                continue;
            }
            if start < at {
                emit(Span::new(start, at))?;
            }
            start = at + character.len_utf8();
            if is_mark {
                emit(Span::new(at, start))?;
            }
        }
        if start < text.len() {
            emit(Span::new(start, text.len()))?;
        }
        Ok(())
    }

    pub(in crate::encode) fn seam(&self, beside: Beside) -> Seam {
        // White space is dropped, marks stand alone: both ends of either are boundaries.
        let parts = |character: char| character.is_whitespace() || self.marks.contains(character);
        of_characters(Behavior::Isolated, parts, beside)
    }
}

#[cfg(test)]
mod tests {
    use super::BertPreTokenizer;
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::error::Result;

    #[test]
    fn spaces_go_and_marks_stand_alone() -> Result<()> {
        let part = BertPreTokenizer::new()?;

        assert_eq!(
            vec!["Don", "'", "t", "$", "5", "€", ".", "."],
            pieces_of(" Don't\u{85}$5\u{3000}€ ..\n", |pieces| part.apply(pieces))?
        );
        Ok(())
    }
}
