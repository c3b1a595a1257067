//! Padding: encodings of one length.

use std::sync::Arc;

use crate::encode::encoding::{Direction, Encoding, Filler};
use crate::encode::json::{Json, Node};
use crate::encode::truncation::direction_from_json;
use crate::error::Result;

/// The `padding` of a tokenizer file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Padding {
    /// The length; `None` is that of the longest encoding of a batch.
    pub length: Option<usize>,
    /// At which end.
    pub direction: Direction,
    /// Lengths are rounded up to a multiple of it, unless it is 0.
    pub multiple: Option<usize>,
    /// With what.
    pub filler: Filler,
}

impl Padding {
    /// Reads `padding`.
    pub fn from_json(node: &Node) -> Result<Self> {
        let strategy = node.field("strategy")?;
        let length = match strategy.value().as_str() {
            Some("BatchLongest") => None,
            Some(_) => return Err(strategy.invalid("should be \"BatchLongest\" or {\"Fixed\": …}")),
            None if strategy.members()?.count() != 1 => {
                return Err(strategy.invalid("should have one member, Fixed"));
            }
            None => Some(strategy.field("Fixed")?.count()?),
        };
        Ok(Self {
            length,
            direction: node.field("direction").and_then(|_| direction_from_json(node))?,
            multiple: node.optional("pad_to_multiple_of").map(|value| value.count()).transpose()?,
            filler: Filler {
                id: node.field("pad_id")?.number32()?,
                type_id: node.field("pad_type_id")?.number32()?,
                token: Arc::from(node.text_of("pad_token")?),
            },
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json<'_> {
        let strategy = match self.length {
            None => "BatchLongest".into(),
            Some(length) => Json::object([("Fixed", length.into())]),
        };
        Json::object([
            ("strategy", strategy),
            ("direction", self.direction.name().into()),
            ("pad_to_multiple_of", self.multiple.into()),
            ("pad_id", self.filler.id.into()),
            ("pad_type_id", self.filler.type_id.into()),
            ("pad_token", (*self.filler.token).into()),
        ])
    }

    /// Pads all encodings to one length.
    ///
    /// # Errors
    ///
    /// As [`Encoding::pad`].
    pub fn apply(&self, encodings: &mut [Encoding]) -> Result<()> {
        let longest = encodings.iter().map(Encoding::len).max().unwrap_or(0);
        let length = self.length.unwrap_or(longest);
        let target = match self.multiple {
            Some(multiple) if multiple > 0 => {
                length.checked_next_multiple_of(multiple).unwrap_or(usize::MAX)
            }
            _ => length,
        };
        for encoding in encodings {
            encoding.pad(target, &self.filler, self.direction)?;
        }
        Ok(())
    }
}
