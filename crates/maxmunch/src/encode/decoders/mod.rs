//! Decoders: from token texts back to text.
//!
//! A decoder maps a list of texts to a list of texts; what is left is joined. One file a component. A new one
//! is a file, a variant, and a line in [`Decoder::from_json`].

mod byte_level;

use crate::encode::json::{Json, Node};
use crate::encode::pre_tokenizers::ByteLevelOptions;
use crate::error::Result;

/// A decoder as a tokenizer file describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoder {
    /// Printable characters back to bytes.
    ByteLevel(ByteLevelOptions),
    /// Several, one after the other.
    Sequence(Vec<Decoder>),
}

/// The types that [`Decoder::from_json`] builds.
const KNOWN: &[&str] = &["ByteLevel", "Sequence"];

impl Decoder {
    /// Builds the decoder that `node` describes.
    pub fn from_json(node: &Node) -> Result<Self> {
        Ok(match node.kind()? {
            "ByteLevel" => Self::ByteLevel(ByteLevelOptions::from_json(node)?),
            "Sequence" => {
                let parts = node.field("decoders")?.elements()?;
                Self::Sequence(parts.iter().map(Self::from_json).collect::<Result<_>>()?)
            }
            _ => return Err(node.unknown_kind(KNOWN)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::ByteLevel(options) => options.to_json(),
            Self::Sequence(parts) => {
                let parts = parts.iter().map(Self::to_json).collect();
                Json::component("Sequence", [("decoders", Json::List(parts))])
            }
        }
    }

    /// The decoded texts, to be joined.
    pub fn decode_chain(&self, tokens: Vec<String>) -> Vec<String> {
        match self {
            Self::ByteLevel(_) => byte_level::decode_chain(&tokens),
            Self::Sequence(parts) => {
                parts.iter().fold(tokens, |tokens, part| part.decode_chain(tokens))
            }
        }
    }

    /// The decoded text.
    pub fn decode(&self, tokens: Vec<String>) -> String {
        self.decode_chain(tokens).concat()
    }
}
