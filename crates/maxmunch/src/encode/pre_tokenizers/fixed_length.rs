//! `FixedLength`: pieces of so many characters.

use crate::encode::json::{Json, Node};
use crate::encode::pre_tokenizers::Pieces;
use crate::error::Result;
use crate::units::Span;

/// What an absent length means.
const DEFAULT: usize = 5;

/// Cuts after every `length` characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedLength {
    /// At least 1.
    length: usize,
}

impl FixedLength {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let Some(length) = node.present("length") else { return Ok(Self { length: DEFAULT }) };
        match length.count()? {
            0 => Err(length.invalid("should be a length of 1 or more")),
            count => Ok(Self { length: count }),
        }
    }

    pub(super) fn to_json(self) -> Json<'static> {
        Json::component("FixedLength", [("length", self.length.into())])
    }

    pub(super) fn apply(self, pieces: &mut Pieces) -> Result<()> {
        pieces.split(|text, emit| {
            let mut start = 0;
            let ends = text.char_indices().map(|(at, character)| at + character.len_utf8());
            for end in ends.skip(self.length - 1).step_by(self.length) {
                emit(Span::new(start, end));
                start = end;
            }
            emit(Span::new(start, text.len()));
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FixedLength;
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::error::Result;

    #[test]
    fn characters_are_counted_not_bytes() -> Result<()> {
        let cut = |text| pieces_of(text, |pieces| FixedLength { length: 2 }.apply(pieces));

        assert_eq!(vec!["aé", "漢b", "c"], cut("aé漢bc")?);
        assert_eq!(vec!["ab"], cut("ab")?);
        assert_eq!(Vec::<String>::new(), cut("")?);
        Ok(())
    }
}
