//! `WordLevel`: each piece is one token.

use crate::encode::json::{Json, Node};
use crate::encode::models::{Sink, Vocabulary};
use crate::error::{Error, Result};
use crate::units::Span;

/// A table of whole pieces.
#[derive(Debug)]
pub struct WordLevel {
    vocabulary: Vocabulary,
    unk_token: String,
}

impl WordLevel {
    /// Reads the model of a tokenizer file.
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self {
            vocabulary: Vocabulary::from_json(&node.field("vocab")?)?,
            unk_token: node.text_of("unk_token")?.to_owned(),
        })
    }

    /// The same tokens under other options.
    pub(super) fn with_options(&self, node: &Node) -> Result<Self> {
        let unk_token = node.text_of("unk_token")?.to_owned();
        Ok(Self { vocabulary: self.vocabulary.clone(), unk_token })
    }

    /// The members of its JSON that are not tables.
    pub(super) fn options_json(&self) -> Vec<(&'static str, Json<'_>)> {
        vec![("unk_token", self.unk_token.as_str().into())]
    }

    /// What the reference writes for it.
    pub(super) fn to_json(&self, most: usize) -> Json<'_> {
        Json::component(
            "WordLevel",
            [
                ("vocab", self.vocabulary.to_json(most)),
                ("unk_token", self.unk_token.as_str().into()),
            ],
        )
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// See [`crate::encode::models::Model::token_len`].
    pub(super) fn token_len(&self, token: &str) -> usize {
        if token == self.unk_token { 0 } else { token.len() }
    }

    /// The token of the piece, else the unknown token, if there is one.
    pub(super) fn tokenize(&self, piece: &str, sink: &mut impl Sink) -> Result<()> {
        let found = self.vocabulary.id(piece).or_else(|| self.vocabulary.id(&self.unk_token));
        let id = found.ok_or_else(|| Error::Untokenizable { position: 0, starts: Vec::new() })?;
        sink.token(id, Span::new(0, piece.len()));
        Ok(())
    }
}
