//! Decoders: from token texts back to text.
//!
//! A decoder maps a list of texts to a list of texts; what is left is joined. One file a component. A new one
//! is a file, a variant, and a line in [`Decoder::from_json`].

mod bpe;
mod byte_fallback;
mod byte_level;
mod ctc;
mod metaspace;
mod replace;
mod streaming;
mod strip;
mod word_piece;

use crate::encode::custom::{Custom, DecoderHook, Hook};
use crate::encode::json::{Json, Node};
use crate::encode::kinds::{Kinds, Shape};
use crate::encode::pre_tokenizers::{ByteLevelOptions, MetaspaceOptions};
use crate::error::Result;

pub use bpe::BpeDecoder;
pub use ctc::Ctc;
pub use replace::Replace;
pub use streaming::StreamingDecoder;
pub use strip::Strip;
pub use word_piece::WordPieceDecoder;

/// A decoder as a tokenizer file describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoder {
    /// The suffix of word ends becomes a space.
    Bpe(BpeDecoder),
    /// Tokens `<0xHH>` become bytes.
    ByteFallback,
    /// Printable characters back to bytes.
    ByteLevel(ByteLevelOptions),
    /// Repeated tokens and padding go.
    Ctc(Ctc),
    /// All tokens become one.
    Fuse,
    /// The mark of spaces becomes a space.
    Metaspace(MetaspaceOptions),
    /// Matches of a pattern become a fixed text.
    Replace(Replace),
    /// A character is taken off both ends.
    Strip(Strip),
    /// Continued words are joined.
    WordPiece(WordPieceDecoder),
    /// One that was brought from outside.
    Custom(Custom<dyn DecoderHook>),
    /// Several, one after the other.
    Sequence(Vec<Decoder>),
}

/// How they are told apart.
const KINDS: Kinds = Kinds {
    by_type: &[
        "BPEDecoder",
        "ByteFallback",
        "ByteLevel",
        "CTC",
        "Fuse",
        "Metaspace",
        "Replace",
        "Sequence",
        "Strip",
        "WordPiece",
    ],
    shapes: &[
        Shape::of("BPEDecoder", &["suffix"]),
        Shape::of("WordPiece", &["prefix", "cleanup"]),
        Shape::of("CTC", &["pad_token", "word_delimiter_token", "cleanup"]),
        Shape::of("Replace", &["pattern", "content"]),
        Shape::of("Strip", &["content", "start", "stop"]),
    ],
};

impl Decoder {
    /// Builds the decoder that `node` describes.
    pub fn from_json(node: &Node) -> Result<Self> {
        if let Some(Hook::Decoder(custom)) = node.hook() {
            return Ok(Self::Custom(custom.clone()));
        }
        KINDS.read(node, |kind| Self::of_kind(kind, node))
    }

    fn of_kind(kind: &str, node: &Node) -> Result<Self> {
        Ok(match kind {
            "BPEDecoder" => Self::Bpe(BpeDecoder::from_json(node)?),
            "ByteFallback" => Self::ByteFallback,
            "ByteLevel" => Self::ByteLevel(ByteLevelOptions::from_json(node)?),
            "CTC" => Self::Ctc(Ctc::from_json(node)?),
            "Fuse" => Self::Fuse,
            "Metaspace" => Self::Metaspace(MetaspaceOptions::from_json(node)?),
            "Replace" => Self::Replace(Replace::from_json(node)?),
            "Strip" => Self::Strip(Strip::from_json(node)?),
            "WordPiece" => Self::WordPiece(WordPieceDecoder::from_json(node)?),
            "Sequence" => {
                let parts = node.field("decoders")?.elements()?;
                Self::Sequence(parts.iter().map(Self::from_json).collect::<Result<_>>()?)
            }
            _ => return Err(KINDS.unknown(node)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json<'_> {
        match self {
            Self::Bpe(part) => part.to_json(),
            Self::ByteFallback => Json::component("ByteFallback", []),
            Self::ByteLevel(options) => options.to_json(),
            Self::Ctc(part) => part.to_json(),
            Self::Fuse => Json::component("Fuse", []),
            Self::Metaspace(options) => options.to_json(),
            Self::Replace(part) => part.to_json(),
            Self::Strip(part) => part.to_json(),
            Self::WordPiece(part) => part.to_json(),
            Self::Custom(_) => Json::component("Custom", []),
            Self::Sequence(parts) => {
                let parts = parts.iter().map(Self::to_json).collect();
                Json::component("Sequence", [("decoders", Json::List(parts))])
            }
        }
    }

    /// The decoded texts, to be joined.
    pub fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        Ok(match self {
            Self::Bpe(part) => part.decode_chain(tokens),
            Self::ByteFallback => byte_fallback::decode_chain(tokens),
            Self::ByteLevel(_) => byte_level::decode_chain(&tokens),
            Self::Ctc(part) => part.decode_chain(tokens),
            Self::Fuse => vec![tokens.concat()],
            Self::Metaspace(options) => metaspace::decode_chain(*options, tokens),
            Self::Replace(part) => part.decode_chain(&tokens)?,
            Self::Strip(part) => part.decode_chain(tokens),
            Self::WordPiece(part) => part.decode_chain(tokens),
            Self::Custom(custom) => return custom.decode_chain(tokens),
            Self::Sequence(parts) => {
                return parts.iter().try_fold(tokens, |tokens, part| part.decode_chain(tokens));
            }
        })
    }

    /// Whether a part of it was brought from outside, so that it cannot be saved.
    pub fn has_custom(&self) -> bool {
        match self {
            Self::Custom(_) => true,
            Self::Sequence(parts) => parts.iter().any(Self::has_custom),
            _ => false,
        }
    }

    /// The decoded text.
    pub fn decode(&self, tokens: Vec<String>) -> Result<String> {
        Ok(self.decode_chain(tokens)?.concat())
    }
}
