//! Models: from the text of one piece to ids.
//!
//! A model works on characters; where the pre-tokenizer ends in `ByteLevel` and the vocabulary allows it, it
//! works on the bytes themselves and the printable characters are never written (see [`Model::byte_form`]).

mod bpe;
mod bpe_blocks;
mod bpe_byte_form;
mod bpe_char_form;
mod bpe_forms;
mod bpe_ids;
mod bpe_segments;
mod char_table;
mod first_letters;
mod known_pieces;
mod last_merges;
mod merge;
mod merge_long;
mod merge_small;
mod merge_together;
mod merges;
mod open_merges;
mod packed_merges;
mod packed_shape;
mod parts;
mod piece_batch;
mod piece_encoder;
mod piece_table;
mod sample;
mod unigram;
mod unigram_ways;
mod vocabulary;
mod whole_pieces;
mod word_level;
mod word_piece;

use crate::encode::json::{Json, Node};
use crate::encode::kinds::{Kinds, Shape};
use crate::error::{Error, Result};
use crate::units::{Span, TokenId};

pub use bpe::Bpe;
pub use last_merges::{Units, last_merges};
pub use merge::Scratch;
pub(in crate::encode) use piece_encoder::{PieceEncoder, SpacedEncoder};
use sample::Random;
pub use sample::Sampling;
pub use unigram::Unigram;
pub use vocabulary::Vocabulary;
pub use word_level::WordLevel;
pub use word_piece::WordPiece;

/// Number of characters of valid UTF-8.
fn count_chars(piece: &[u8]) -> usize {
    piece.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Receives the tokens of a piece from left to right.
pub trait Sink {
    /// The token `id` covers the bytes `span` of the piece.
    fn token(&mut self, id: TokenId, span: Span);

    /// As [`Sink::token`]; the token's text is the text it covers, not the vocabulary's.
    fn surface(&mut self, id: TokenId, span: Span) {
        self.token(id, span);
    }
}

impl<F: FnMut(TokenId)> Sink for F {
    fn token(&mut self, id: TokenId, _span: Span) {
        self(id);
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

/// How they are told apart: by their type alone where there is one.
const BY_TYPE: Kinds =
    Kinds { by_type: &["BPE", "WordPiece", "WordLevel", "Unigram"], shapes: &[] };

/// What a file without a type means. The reference goes on to the others when a BPE has a mistake, and so
/// drops its merges; we do not.
const BY_MERGES: Kinds = Kinds { by_type: &[], shapes: &[Shape::of("BPE", &["merges"])] };

/// As [`BY_MERGES`], for a file without merges.
const BY_SHAPE: Kinds = Kinds {
    by_type: &[],
    shapes: &[
        Shape::of(
            "WordPiece",
            &["unk_token", "continuing_subword_prefix", "max_input_chars_per_word"],
        ),
        Shape::of("WordLevel", &["unk_token"]),
        Shape::of("Unigram", &["vocab"]),
    ],
};

impl Model {
    /// Builds the model that `node` describes.
    ///
    /// A file without a `type` is old: what its fields look like decides.
    pub fn from_json(node: &Node) -> Result<Self> {
        let kinds = match (node.present("type"), node.present("merges")) {
            (Some(_), _) => &BY_TYPE,
            (None, Some(_)) => &BY_MERGES,
            (None, None) => &BY_SHAPE,
        };
        kinds.read(node, |kind| Self::of_kind(kind, node))
    }

    fn of_kind(kind: &str, node: &Node) -> Result<Self> {
        Ok(match kind {
            "BPE" => Self::Bpe(Bpe::from_json(node)?),
            "WordPiece" => Self::WordPiece(WordPiece::from_json(node)?),
            "WordLevel" => Self::WordLevel(WordLevel::from_json(node)?),
            "Unigram" => Self::Unigram(Unigram::from_json(node)?),
            _ => return Err(BY_TYPE.unknown(node)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json<'_> {
        self.excerpt_json(usize::MAX)
    }

    /// As [`Self::to_json`], with the first `most` entries of each table.
    pub fn excerpt_json(&self, most: usize) -> Json<'_> {
        match self {
            Self::Bpe(model) => model.to_json(most),
            Self::WordPiece(model) => model.to_json(most),
            Self::WordLevel(model) => model.to_json(most),
            Self::Unigram(model) => model.to_json(most),
        }
    }

    /// The same tokens under the options that an object of [`Self::options_json`] gives.
    pub fn with_options(&self, node: &Node) -> Result<Self> {
        Ok(match self {
            Self::Bpe(model) => Self::Bpe(model.with_options(node)?),
            Self::WordPiece(model) => Self::WordPiece(model.with_options(node)?),
            Self::WordLevel(model) => Self::WordLevel(model.with_options(node)?),
            Self::Unigram(model) => Self::Unigram(model.with_options(node)?),
        })
    }

    /// Its type and the members of its JSON that are not tables: no vocabulary, no merges.
    pub fn options_json(&self) -> Json<'_> {
        match self {
            Self::Bpe(model) => Json::component_of("BPE", model.options_json()),
            Self::WordPiece(model) => Json::component_of("WordPiece", model.options_json()),
            Self::WordLevel(model) => Json::component_of("WordLevel", model.options_json()),
            Self::Unigram(model) => Json::component_of("Unigram", model.options_json()),
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

    /// Contents that the model finds in the text by itself, whatever added tokens say.
    pub fn whole_pieces(&self) -> &[String] {
        match self {
            Self::Bpe(model) => model.whole_pieces(),
            Self::WordPiece(_) | Self::WordLevel(_) | Self::Unigram(_) => &[],
        }
    }

    /// Whether its answer is drawn at random: it depends on the whole text, and nothing may be cached.
    pub fn samples(&self) -> bool {
        match self {
            Self::Bpe(model) => model.dropout().is_some(),
            Self::Unigram(model) => model.sampling().is_some(),
            Self::WordPiece(_) | Self::WordLevel(_) => false,
        }
    }

    /// Gets `scratch` ready for the pieces of `text`.
    pub fn begin(&self, text: &str, scratch: &mut Scratch) {
        if self.samples() {
            let seed = match self {
                Self::Bpe(model) => model.options().seed,
                Self::Unigram(model) => model.sampling().and_then(|sampling| sampling.seed),
                Self::WordPiece(_) | Self::WordLevel(_) => None,
            };
            scratch.random = Random::of_text(seed, text);
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

    /// Bytes of a piece that the token covers wherever it stands for its own text; 0 where it need not.
    pub(in crate::encode) fn token_len(&self, id: TokenId, on_bytes: bool) -> usize {
        let token = self.vocabulary().token(id).unwrap_or_default();
        match self {
            Self::Bpe(model) => model.token_len(token, on_bytes),
            Self::WordPiece(model) => model.token_len(token, on_bytes),
            Self::WordLevel(model) => model.token_len(token),
            Self::Unigram(model) => model.token_len(id, token),
        }
    }

    /// Whether a piece with these characters side by side has the ids of its two parts, in every piece.
    ///
    /// `on_bytes`: the piece is what `ByteLevel` would write as characters.
    pub fn parts_between(&self, before: char, after: char, on_bytes: bool) -> bool {
        match self {
            Self::Bpe(model) => model.parts_between(before, after, on_bytes),
            Self::WordPiece(_) | Self::WordLevel(_) | Self::Unigram(_) => false,
        }
    }

    /// Builds now what the first call would build.
    pub(in crate::encode) fn prepare(&self, on_bytes: bool) {
        match self {
            Self::Bpe(model) => drop(model.form(on_bytes)),
            Self::WordPiece(model) => drop(model.tries(on_bytes)),
            Self::WordLevel(_) | Self::Unigram(_) => {}
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
