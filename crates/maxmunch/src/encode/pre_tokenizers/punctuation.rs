//! `Punctuation`: cut at punctuation marks.

use crate::encode::char_set::CharSet;
use crate::encode::json::{Json, Node};
use crate::encode::pre_tokenizers::{Behavior, Pieces, by_character};
use crate::encode::seams::{Beside, Seam, of_characters};
use crate::error::Result;
use crate::machine::ordered::Cut;

/// ASCII punctuation, symbols such as `$` and `+` included, and category P as it was in Unicode 8, in which
/// two characters were P that are not today.
const CLASS: &str = r"[!-/:-@\[-`{-~[\p{P}&&\p{age:8.0}]\x{166D}\x{111C9}]";

/// The characters that `Punctuation` and `BertPreTokenizer` cut at.
pub(super) fn marks() -> Result<CharSet> {
    CharSet::new(CLASS)
}

/// Cuts at punctuation marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Punctuation {
    behavior: Behavior,
    marks: CharSet,
}

impl Punctuation {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let behavior = node.present("behavior");
        Ok(Self {
            behavior: behavior.map_or(Ok(Behavior::Isolated), |node| Behavior::from_json(&node))?,
            marks: marks()?,
        })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        Json::component("Punctuation", [("behavior", self.behavior.name().into())])
    }

    pub(super) fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        by_character::cut(pieces, self.behavior, |character| self.marks.contains(character))
    }

    /// The cut around marks or runs of them.
    pub(super) fn cut(&self) -> Option<Cut> {
        by_character::as_cut(self.behavior, self.marks.ranges().to_vec())
    }

    pub(in crate::encode) fn seam(&self, beside: Beside) -> Seam {
        let is_mark = |character| self.marks.contains(character);
        of_characters(self.behavior, is_mark, beside)
    }
}

#[cfg(test)]
mod tests {
    use super::{Punctuation, marks};
    use crate::encode::pre_tokenizers::Behavior;
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::error::Result;

    #[test]
    fn symbols_count_only_in_ascii() -> Result<()> {
        let part = Punctuation { behavior: Behavior::Contiguous, marks: marks()? };

        assert_eq!(
            vec!["a", "$+<~", "€¢", "«»", "b", "。", "\u{9FD}"],
            pieces_of("a$+<~€¢«»b。\u{9FD}", |pieces| part.apply(pieces))?
        );
        Ok(())
    }
}
