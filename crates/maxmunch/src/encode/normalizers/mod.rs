//! Normalizers: what happens to a gap between added tokens before it is cut into pieces.
//!
//! One file a component. A new one is a file, a variant, and a line in [`Normalizer::from_json`].

mod charsmap;
mod nmt;
mod precompiled;
mod unicode;

use crate::encode::aligned::AlignedText;
use crate::encode::json::{Json, Node};
use crate::error::Result;

pub use precompiled::Precompiled;
pub use unicode::Form;

/// A normalizer as a tokenizer file describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Normalizer {
    /// Controls go, unusual spaces become a space.
    Nmt,
    /// The character map of a `SentencePiece` model.
    Precompiled(Precompiled),
    /// One of the four Unicode normalization forms.
    Unicode(Form),
    /// Several, one after the other; none is fine.
    Sequence(Vec<Normalizer>),
}

/// The types that [`Normalizer::from_json`] builds.
const KNOWN: &[&str] = &["NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled", "Sequence"];

impl Normalizer {
    /// Builds the normalizer that `node` describes.
    pub fn from_json(node: &Node) -> Result<Self> {
        Ok(match node.kind()? {
            "NFC" => Self::Unicode(Form::Nfc),
            "NFD" => Self::Unicode(Form::Nfd),
            "NFKC" => Self::Unicode(Form::Nfkc),
            "NFKD" => Self::Unicode(Form::Nfkd),
            "Nmt" => Self::Nmt,
            "Precompiled" => Self::Precompiled(Precompiled::from_json(node)?),
            "Sequence" => {
                let parts = node.field("normalizers")?.elements()?;
                Self::Sequence(parts.iter().map(Self::from_json).collect::<Result<_>>()?)
            }
            _ => return Err(node.unknown_kind(KNOWN)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Nmt => Json::component("Nmt", []),
            Self::Precompiled(part) => part.to_json(),
            Self::Unicode(form) => Json::component(form.name(), []),
            Self::Sequence(parts) => {
                let parts = parts.iter().map(Self::to_json).collect();
                Json::component("Sequence", [("normalizers", Json::List(parts))])
            }
        }
    }

    /// The normalized text; origins are kept only when `tracked`.
    pub fn apply<'a>(&self, text: AlignedText<'a>, tracked: bool) -> Result<AlignedText<'a>> {
        match self {
            Self::Nmt => Ok(nmt::apply(text, tracked)),
            Self::Precompiled(part) => part.apply(text, tracked),
            Self::Unicode(form) => Ok(form.apply(text, tracked)),
            Self::Sequence(parts) => {
                parts.iter().try_fold(text, |text, part| part.apply(text, tracked))
            }
        }
    }

    /// The normalized form of a text of which nobody wants the origins.
    pub fn normalize(&self, text: &str) -> Result<String> {
        Ok(self.apply(AlignedText::unchanged(text, 0), false)?.text().to_owned())
    }
}
