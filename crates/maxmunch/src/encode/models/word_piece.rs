//! Longest match first, from the left: `WordPiece`, and the form in which a greedy model is written.
//!
//! A token that continues a piece is spelled with a prefix (`##` in BERT). With an empty prefix there is one
//! set of tokens, and the model is plain maximal munch.

use std::sync::OnceLock;

use crate::encode::byte_level;
use crate::encode::json::{Json, Node};
use crate::encode::models::{Sink, Vocabulary, count_chars};
use crate::error::{Error, Result};
use crate::machine::Trie;
use crate::units::{Span, TokenId};

/// A longest-match model.
#[derive(Debug)]
pub struct WordPiece {
    vocabulary: Vocabulary,
    unk_token: String,
    prefix: String,
    /// A longer piece is unknown as a whole.
    max_chars: usize,
    chars: OnceLock<Result<Tries>>,
    bytes: OnceLock<Result<Tries>>,
}

/// Tokens that may start a piece, and those that may continue it, without their prefix.
#[derive(Debug)]
pub(super) struct Tries {
    first: Trie,
    /// `None`: the same.
    rest: Option<Trie>,
}

impl WordPiece {
    /// Reads the model of a tokenizer file.
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self {
            vocabulary: Vocabulary::from_json(&node.field("vocab")?)?,
            unk_token: node.text_of("unk_token")?.to_owned(),
            prefix: node.text_of("continuing_subword_prefix")?.to_owned(),
            max_chars: node.field("max_input_chars_per_word")?.count()?,
            chars: OnceLock::new(),
            bytes: OnceLock::new(),
        })
    }

    /// The same tokens under other options.
    pub(super) fn with_options(&self, node: &Node) -> Result<Self> {
        Ok(Self {
            vocabulary: self.vocabulary.clone(),
            unk_token: node.text_of("unk_token")?.to_owned(),
            prefix: node.text_of("continuing_subword_prefix")?.to_owned(),
            max_chars: node.field("max_input_chars_per_word")?.count()?,
            chars: OnceLock::new(),
            bytes: OnceLock::new(),
        })
    }

    /// The members of its JSON that are not tables.
    pub(super) fn options_json(&self) -> Vec<(&'static str, Json<'_>)> {
        vec![
            ("unk_token", self.unk_token.as_str().into()),
            ("continuing_subword_prefix", self.prefix.as_str().into()),
            ("max_input_chars_per_word", self.max_chars.into()),
        ]
    }

    /// What the reference writes for it.
    pub(super) fn to_json(&self, most: usize) -> Json<'_> {
        let mut members = self.options_json();
        members.push(("vocab", self.vocabulary.to_json(most)));
        Json::component_of("WordPiece", members)
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// See [`crate::encode::models::Model::token_len`].
    pub(super) fn token_len(&self, token: &str, on_bytes: bool) -> usize {
        if token == self.unk_token {
            return 0;
        }
        let own = token.strip_prefix(&self.prefix).unwrap_or(token);
        if on_bytes { own.chars().count() } else { own.len() }
    }

    /// A piece of more characters (bytes, under `ByteLevel`) is unknown as a whole.
    pub fn max_chars(&self) -> usize {
        self.max_chars
    }

    /// Prefix of tokens that continue a piece.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn tokenize(&self, piece: &str, sink: &mut impl Sink) -> Result<()> {
        let tries = self.tries(false)?;
        // Bytes bound the characters from above, so that most pieces need no count.
        let too_long = piece.len() > self.max_chars && piece.chars().count() > self.max_chars;
        self.run(piece.as_bytes(), tries, too_long, sink)
    }

    pub(super) fn tokenize_bytes(&self, piece: &[u8], sink: &mut impl Sink) -> Result<()> {
        let tries = self.tries(true)?;
        self.run(piece, tries, piece.len() > self.max_chars, sink)
    }

    fn run(&self, piece: &[u8], tries: &Tries, too_long: bool, sink: &mut impl Sink) -> Result<()> {
        if too_long {
            return self.unknown(piece, &[], sink);
        }
        // A piece that gets stuck is unknown as a whole: tokens are held back until it is through. Where it
        // cannot get stuck there is nothing to hold back, but that is not known here.
        let mut tokens = Vec::new();
        let mut start = 0;
        while start < piece.len() {
            let trie = match &tries.rest {
                Some(rest) if start > 0 => rest,
                _ => &tries.first,
            };
            let Some((len, id)) = trie.longest_prefix(&piece[start..]) else {
                return self.unknown(piece, &tokens, sink);
            };
            tokens.push((id, Span::new(start, start + len)));
            start += len;
        }
        for (id, span) in tokens {
            sink.token(id, span);
        }
        Ok(())
    }

    /// The tries of one form, built at their first use.
    pub(super) fn tries(&self, on_bytes: bool) -> Result<&Tries> {
        let tries = if on_bytes {
            self.bytes.get_or_init(|| self.build(byte_level::to_bytes))
        } else {
            self.chars.get_or_init(|| self.build(|text| Some(text.as_bytes().to_vec())))
        };
        tries.as_ref().map_err(Clone::clone)
    }

    /// As [`Self::tokenize`] and [`Self::tokenize_bytes`], for ids alone.
    pub(super) fn ids(&self, piece: &[u8], on_bytes: bool, out: &mut Vec<TokenId>) -> Result<()> {
        let from = out.len();
        let tries = self.tries(on_bytes)?;
        let is_long =
            piece.len() > self.max_chars && (on_bytes || count_chars(piece) > self.max_chars);
        let mut start = 0;
        let mut trie = &tries.first;
        while start < piece.len() && !is_long {
            let Some((len, id)) = trie.longest_prefix(&piece[start..]) else { break };
            out.push(id);
            start += len;
            trie = tries.rest.as_ref().unwrap_or(trie);
        }
        if start < piece.len() {
            out.truncate(from);
            return self.unknown(piece, &[], &mut |id| out.push(id));
        }
        Ok(())
    }

    /// The whole piece becomes the unknown token, if there is one.
    fn unknown(
        &self,
        piece: &[u8],
        committed: &[(TokenId, Span)],
        sink: &mut impl Sink,
    ) -> Result<()> {
        let id = self.vocabulary.id(&self.unk_token).ok_or_else(|| Error::Untokenizable {
            position: committed.last().map_or(0, |(_, span)| span.end),
            starts: committed.iter().map(|(_, span)| span.start as i64).collect(),
        })?;
        sink.token(id, Span::new(0, piece.len()));
        Ok(())
    }

    fn build(&self, spell: impl Fn(&str) -> Option<Vec<u8>>) -> Result<Tries> {
        let keys = |prefix: &str| -> Vec<(Vec<u8>, TokenId)> {
            let tokens = self.vocabulary.iter();
            tokens
                .filter_map(|(text, id)| Some((spell(text.strip_prefix(prefix)?)?, id)))
                .filter(|(key, _)| !key.is_empty())
                .collect()
        };
        let first = Trie::new(&keys(""))?;
        let rest = (!self.prefix.is_empty()).then(|| Trie::new(&keys(&self.prefix))).transpose()?;
        Ok(Tries { first, rest })
    }
}
