//! Pre-tokenizers: how the text of a gap is cut into the pieces that the model sees, one at a time.
//!
//! One file a component. A new one is a file, a variant, and a line in [`PreTokenizer::from_json`].

mod byte_level;
pub mod o200k;
mod o200k_classes;
mod pieces;
mod split;

use crate::encode::json::{Json, Node};
use crate::error::Result;

pub use byte_level::{ByteLevel, ByteLevelOptions};
pub use pieces::{Piece, Pieces};
pub use split::{Behavior, Split};

/// A pre-tokenizer as a tokenizer file describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum PreTokenizer {
    /// Bytes written as printable characters, after a cut by the pattern of GPT-2.
    ByteLevel(ByteLevel),
    /// Cut at the matches of a pattern.
    Split(Split),
    /// Several, each on every piece of the one before.
    Sequence(Vec<PreTokenizer>),
}

/// The types that [`PreTokenizer::from_json`] builds.
const KNOWN: &[&str] = &["ByteLevel", "Split", "Sequence"];

impl PreTokenizer {
    /// Builds the pre-tokenizer that `node` describes.
    pub fn from_json(node: &Node) -> Result<Self> {
        Ok(match node.kind()? {
            "ByteLevel" => Self::ByteLevel(ByteLevel::from_json(node)?),
            "Split" => Self::Split(Split::from_json(node)?),
            "Sequence" => {
                let parts = node.field("pretokenizers")?.elements()?;
                Self::Sequence(parts.iter().map(Self::from_json).collect::<Result<_>>()?)
            }
            _ => return Err(node.unknown_kind(KNOWN)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::ByteLevel(part) => part.to_json(),
            Self::Split(part) => part.to_json(),
            Self::Sequence(parts) => {
                let parts = parts.iter().map(Self::to_json).collect();
                Json::component("Sequence", [("pretokenizers", Json::List(parts))])
            }
        }
    }

    /// Cuts (and perhaps rewrites) every piece.
    pub fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        match self {
            Self::ByteLevel(part) => part.apply(pieces),
            Self::Split(part) => part.apply(pieces),
            Self::Sequence(parts) => parts.iter().try_for_each(|part| part.apply(pieces)),
        }
    }

    /// As [`Self::apply`], but a last `ByteLevel` leaves the bytes of its pieces as they are.
    ///
    /// That is for models which work on bytes; see [`Self::ends_in_byte_level`].
    pub fn apply_to_bytes(&self, pieces: &mut Pieces) -> Result<()> {
        match self {
            Self::ByteLevel(part) => part.apply_to_bytes(pieces),
            Self::Sequence(parts) => {
                let Some((last, before)) = parts.split_last() else { return Ok(()) };
                before.iter().try_for_each(|part| part.apply(pieces))?;
                last.apply_to_bytes(pieces)
            }
            Self::Split(_) => self.apply(pieces),
        }
    }

    /// Whether the last step writes bytes as printable characters and no other step does.
    pub fn ends_in_byte_level(&self) -> bool {
        match self {
            Self::ByteLevel(_) => true,
            Self::Sequence(parts) => parts.split_last().is_some_and(|(last, before)| {
                last.ends_in_byte_level() && !before.iter().any(Self::has_byte_level)
            }),
            Self::Split(_) => false,
        }
    }

    /// Whether any step writes bytes as printable characters.
    pub fn has_byte_level(&self) -> bool {
        match self {
            Self::ByteLevel(_) => true,
            Self::Sequence(parts) => parts.iter().any(Self::has_byte_level),
            Self::Split(_) => false,
        }
    }
}
