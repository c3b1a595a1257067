//! `CharDelimiterSplit`: one character separates the pieces and is dropped.

use crate::encode::json::{Json, Node};
use crate::encode::pre_tokenizers::{Behavior, Pieces, by_character};
use crate::encode::seams::{Beside, Seam, of_characters};
use crate::error::Result;

/// Cuts at a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharDelimiterSplit {
    delimiter: char,
}

impl CharDelimiterSplit {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self { delimiter: node.field("delimiter")?.character()? })
    }

    pub(super) fn to_json(self) -> Json<'static> {
        Json::component("CharDelimiterSplit", [("delimiter", self.delimiter.into())])
    }

    pub(super) fn apply(self, pieces: &mut Pieces) -> Result<()> {
        by_character::cut(pieces, Behavior::Removed, |character| character == self.delimiter)
    }

    pub(in crate::encode) fn seam(self, beside: Beside) -> Seam {
        of_characters(Behavior::Removed, |character| character == self.delimiter, beside)
    }
}

#[cfg(test)]
mod tests {
    use super::CharDelimiterSplit;
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::error::Result;

    #[test]
    fn nothing_is_left_between_two_delimiters() -> Result<()> {
        let part = CharDelimiterSplit { delimiter: '▁' };

        assert_eq!(vec!["a", "b c"], pieces_of("▁a▁▁b c▁", |pieces| part.apply(pieces))?);
        Ok(())
    }
}
