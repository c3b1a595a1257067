//! `BertPreTokenizer`: white space is dropped, each punctuation mark is a piece.

use crate::encode::char_set::CharSet;
use crate::encode::pre_tokenizers::{Behavior, Pieces, by_character, punctuation};
use crate::encode::seams::{Beside, Seam, of_characters};
use crate::error::Result;

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
        by_character::cut(pieces, Behavior::Removed, char::is_whitespace)?;
        by_character::cut(pieces, Behavior::Isolated, |character| self.marks.contains(character))
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
