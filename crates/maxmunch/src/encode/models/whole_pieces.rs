//! Pieces that stand for themselves wherever the text has them: those that a user of `SentencePiece` defined.
//!
//! Merges neither make nor touch them. The member `sentencepiece` of a BPE model lists them; other readers
//! pass it over and find them as added tokens.

use crate::encode::json::{Json, Node};
use crate::encode::models::{Sink, Vocabulary};
use crate::error::Result;
use crate::machine::Trie;
use crate::units::{Span, TokenId};

/// The pieces, and how they are found.
#[derive(Debug, Clone)]
pub(super) struct WholePieces {
    list: Vec<String>,
    trie: Trie,
}

impl WholePieces {
    pub(super) fn from_json(node: &Node, vocabulary: &Vocabulary) -> Result<Self> {
        let mut tokens = Vec::new();
        for piece in node.field("user_defined")?.elements()? {
            let text = piece.text()?;
            let id = vocabulary.id(text).filter(|_| !text.is_empty());
            tokens.push((text, id.ok_or_else(|| piece.invalid("should be a token of vocab"))?));
        }
        let list = tokens.iter().map(|(text, _)| (*text).to_owned()).collect();
        Ok(Self { trie: Trie::new(&tokens)?, list })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        let list: Vec<&str> = self.list.iter().map(String::as_str).collect();
        Json::object([("user_defined", list.into())])
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// The parts of a text: whole pieces with their ids, and what stands between them.
    pub(super) fn parts(&self, text: &str) -> Vec<(Span, Option<TokenId>)> {
        let (mut parts, mut done, mut at) = (Vec::new(), 0, 0);
        while at < text.len() {
            let Some((len, id)) = self.trie.longest_prefix(&text.as_bytes()[at..]) else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            if done < at {
                parts.push((Span::new(done, at), None));
            }
            at += len;
            parts.push((Span::new(at - len, at), Some(id)));
            done = at;
        }
        if done < text.len() {
            parts.push((Span::new(done, text.len()), None));
        }
        parts
    }
}

/// Hands on tokens that were found in a later part of a piece.
pub(super) struct Shifted<'s, S> {
    pub(super) sink: &'s mut S,
    pub(super) start: usize,
}

impl<S: Sink> Sink for Shifted<'_, S> {
    fn token(&mut self, id: TokenId, span: Span) {
        self.sink.token(id, Span::new(self.start + span.start, self.start + span.end));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::WholePieces;
    use crate::encode::json::Node;
    use crate::encode::models::Vocabulary;
    use crate::error::Result;

    #[test]
    fn the_longest_piece_is_taken_from_the_left() -> Result<()> {
        let vocabulary = Vocabulary::new([("ab", 1), ("abcd", 2), ("é", 3)])?;
        let member = json!({"user_defined": ["ab", "abcd", "é"]});
        let pieces = WholePieces::from_json(&Node::root(&member), &vocabulary)?;

        let parts: Vec<_> = pieces
            .parts("xabcéabcd")
            .iter()
            .map(|(span, id)| (span.start, span.end, *id))
            .collect();

        let expected =
            [(0, 1, None), (1, 3, Some(1)), (3, 4, None), (4, 6, Some(3)), (6, 10, Some(2))];
        assert_eq!(expected.to_vec(), parts);
        Ok(())
    }

    #[test]
    fn a_piece_that_is_no_token_is_refused() -> Result<()> {
        let member = json!({"user_defined": ["ab"]});

        assert!(
            WholePieces::from_json(&Node::root(&member), &Vocabulary::new([("a", 1)])?).is_err()
        );
        Ok(())
    }
}
