//! `Digits`: numeric characters are cut off, one by one or in runs.

use crate::encode::json::{Json, Node};
use crate::encode::pre_tokenizers::{Behavior, Pieces, by_character};
use crate::encode::seams::{Beside, Seam, of_characters};
use crate::error::Result;
use crate::machine::ordered::Cut;

/// Cuts at numeric characters: all of Nd, Nl and No, so `²` and `Ⅷ` too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits {
    individual: bool,
}

impl Digits {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self { individual: node.flag_of("individual_digits")? })
    }

    pub(super) fn to_json(self) -> Json<'static> {
        Json::component("Digits", [("individual_digits", self.individual.into())])
    }

    pub(super) fn apply(self, pieces: &mut Pieces) -> Result<()> {
        by_character::cut(pieces, self.behavior(), char::is_numeric)
    }

    pub(in crate::encode) fn seam(self, beside: Beside) -> Seam {
        of_characters(self.behavior(), char::is_numeric, beside)
    }

    /// The cut around numeric characters or runs of them.
    pub(super) fn cut(self) -> Option<Cut> {
        by_character::as_cut(self.behavior(), by_character::ranges(char::is_numeric))
    }

    fn behavior(self) -> Behavior {
        if self.individual { Behavior::Isolated } else { Behavior::Contiguous }
    }
}

#[cfg(test)]
mod tests {
    use super::Digits;
    use crate::encode::pre_tokenizers::Pieces;
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::error::Result;

    #[test]
    fn digits_stand_alone_or_in_runs() -> Result<()> {
        let text = "a12 ²½Ⅷ①٣一";
        let alone = |pieces: &mut Pieces| Digits { individual: true }.apply(pieces);
        let runs = |pieces: &mut Pieces| Digits { individual: false }.apply(pieces);

        assert_eq!(
            vec!["a", "1", "2", " ", "²", "½", "Ⅷ", "①", "٣", "一"],
            pieces_of(text, alone)?
        );
        assert_eq!(vec!["a", "12", " ", "²½Ⅷ①٣", "一"], pieces_of(text, runs)?);
        Ok(())
    }
}
