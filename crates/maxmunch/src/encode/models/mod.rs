//! Models: from the text of one piece to ids.
//!
//! A model works on characters; where the pre-tokenizer ends in `ByteLevel` and the vocabulary allows it, it
//! works on the bytes themselves and the printable characters are never written (see [`Model::byte_form`]).

mod bpe;
mod merge;
mod unigram;
mod vocabulary;
mod word_level;
mod word_piece;

use crate::encode::json::{Json, Node};
use crate::error::{Error, Result};
use crate::units::{Span, TokenId};

pub use bpe::Bpe;
pub use merge::Scratch;
pub use unigram::Unigram;
pub use vocabulary::Vocabulary;
pub use word_level::WordLevel;
pub use word_piece::WordPiece;

/// Receives the tokens of a piece from left to right.
pub trait Sink {
    /// The token `id` covers the bytes `span` of the piece.
    fn token(&mut self, id: TokenId, span: Span);

    /// As [`Sink::token`]; the token's text is the text it covers, not the vocabulary's.
    fn surface(&mut self, id: TokenId, span: Span) {
        self.token(id, span);
    }
}

/// A model as a tokenizer file describes it.
#[derive(Debug)]
pub enum Model {
    /// Byte-pair encoding.
    Bpe(Bpe),
    /// Longest match first, from the left; also what `LongestMatch` is written as.
    WordPiece(WordPiece),
    /// One token a piece.
    WordLevel(WordLevel),
    /// The segmentation with the highest score.
    Unigram(Unigram),
}

/// The types that [`Model::from_json`] builds.
const KNOWN: &[&str] = &["BPE", "WordPiece", "WordLevel", "Unigram"];

impl Model {
    /// Builds the model that `node` describes.
    ///
    /// A file without a `type` is old: what its fields look like decides.
    pub fn from_json(node: &Node) -> Result<Self> {
        let kind = match node.present("type") {
            Some(kind) => kind.text()?,
            None => guess_kind(node),
        };
        Ok(match kind {
            "BPE" => Self::Bpe(Bpe::from_json(node)?),
            "WordPiece" => Self::WordPiece(WordPiece::from_json(node)?),
            "WordLevel" => Self::WordLevel(WordLevel::from_json(node)?),
            "Unigram" => Self::Unigram(Unigram::from_json(node)?),
            _ => return Err(node.unknown_kind(KNOWN)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Bpe(model) => model.to_json(),
            Self::WordPiece(model) => model.to_json(),
            Self::WordLevel(model) => model.to_json(),
            Self::Unigram(model) => model.to_json(),
        }
    }

    /// Its tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        match self {
            Self::Bpe(model) => model.vocabulary(),
            Self::WordPiece(model) => model.vocabulary(),
            Self::WordLevel(model) => model.vocabulary(),
            Self::Unigram(model) => model.vocabulary(),
        }
    }

    /// Gives the tokens of one piece, not empty, to `sink`.
    pub fn tokenize(&self, piece: &str, scratch: &mut Scratch, sink: &mut impl Sink) -> Result<()> {
        match self {
            Self::Bpe(model) => model.tokenize(piece, scratch, sink),
            Self::WordPiece(model) => model.tokenize(piece, sink),
            Self::WordLevel(model) => model.tokenize(piece, sink),
            Self::Unigram(model) => model.tokenize(piece, scratch, sink),
        }
    }

    /// Whether the model can run on bytes that a `ByteLevel` step would write as characters.
    pub fn has_byte_form(&self) -> bool {
        match self {
            Self::Bpe(model) => model.has_byte_form(),
            Self::WordPiece(_) => true,
            Self::WordLevel(_) | Self::Unigram(_) => false,
        }
    }

    /// As [`Self::tokenize`] on what `ByteLevel` would write for `piece`; spans are bytes of `piece`.
    pub fn tokenize_bytes(
        &self,
        piece: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        match self {
            Self::Bpe(model) => model.tokenize_bytes(piece, scratch, sink),
            Self::WordPiece(model) => model.tokenize_bytes(piece, sink),
            Self::WordLevel(_) | Self::Unigram(_) => {
                Err(Error::internal("a model without a byte form was given bytes"))
            }
        }
    }
}

fn guess_kind(node: &Node) -> &'static str {
    if node.present("merges").is_some() {
        "BPE"
    } else if node.present("max_input_chars_per_word").is_some() {
        "WordPiece"
    } else if node.present("unk_token").is_some() {
        "WordLevel"
    } else {
        "Unigram"
    }
}
