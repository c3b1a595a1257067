//! The bytes that a token stands for in the text that the model sees.

use crate::encode::byte_level::{self, fallback_byte};
use crate::encode::models::Model;
use crate::encode::tokenizer::Tokenizer;
use crate::units::TokenId;

/// What a token of the vocabulary stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenBytes {
    /// These bytes, anywhere.
    Anywhere(Vec<u8>),
    /// These bytes, but not at the start of a piece (`##x` of `WordPiece`).
    Inside(Vec<u8>),
    /// No text: the model never sees what is spelled like this.
    Unreachable(Vec<u8>),
    /// These bytes, matched before the model sees the text.
    Added(Vec<u8>),
}

impl TokenBytes {
    /// The bytes, whatever they stand for.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Anywhere(bytes)
            | Self::Inside(bytes)
            | Self::Unreachable(bytes)
            | Self::Added(bytes) => bytes,
        }
    }
}

impl Tokenizer {
    /// What token `id` stands for; `None` for a hole.
    pub fn token_bytes(&self, id: TokenId) -> Option<TokenBytes> {
        if let Some(added) = self.added.get(id) {
            return Some(TokenBytes::Added(added.content.as_bytes().to_vec()));
        }
        let text = self.model.vocabulary().token(id)?;
        let own = || text.as_bytes().to_vec();
        match &*self.model {
            Model::WordPiece(model) if !model.prefix().is_empty() => {
                if let Some(rest) = text.strip_prefix(model.prefix()) {
                    return Some(TokenBytes::Inside(rest.as_bytes().to_vec()));
                }
            }
            Model::Bpe(model) if model.options().byte_fallback => {
                if let Some(byte) = fallback_byte(text) {
                    return Some(TokenBytes::Anywhere(vec![byte]));
                }
            }
            Model::Unigram(model) if model.byte_fallback() => {
                if let Some(byte) = fallback_byte(text) {
                    return Some(TokenBytes::Anywhere(vec![byte]));
                }
            }
            _ => {}
        }
        if !self.is_byte_level() {
            return Some(TokenBytes::Anywhere(own()));
        }
        Some(
            byte_level::to_bytes(text)
                .map_or_else(|| TokenBytes::Unreachable(own()), TokenBytes::Anywhere),
        )
    }

    /// Whether the model's tokens are spelled with the printable characters of `ByteLevel`.
    pub fn is_byte_level(&self) -> bool {
        self.pre_tokenizer.as_ref().is_some_and(|part| part.has_byte_level())
    }

    /// One more than the largest id.
    pub fn id_bound(&self) -> usize {
        let model = self.model.vocabulary().iter().map(|(_, id)| id).max();
        let added = self.added.iter().map(|(id, _)| id).max();
        model.max(added).map_or(0, |id| id as usize + 1)
    }
}
