//! `CTC`: repeated tokens are one, padding is none.

use crate::encode::decoders::word_piece;
use crate::encode::json::{Json, Node};
use crate::error::Result;

/// Undoes the alignment of connectionist temporal classification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ctc {
    pad_token: String,
    word_delimiter_token: String,
    /// Whether spaces before punctuation go and word delimiters become spaces.
    cleanup: bool,
}

impl Ctc {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self {
            pad_token: node.text_of("pad_token")?.to_owned(),
            word_delimiter_token: node.text_of("word_delimiter_token")?.to_owned(),
            cleanup: node.flag_of("cleanup")?,
        })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        Json::component(
            "CTC",
            [
                ("pad_token", self.pad_token.as_str().into()),
                ("word_delimiter_token", self.word_delimiter_token.as_str().into()),
                ("cleanup", self.cleanup.into()),
            ],
        )
    }

    pub(super) fn decode_chain(&self, mut tokens: Vec<String>) -> Vec<String> {
        tokens.dedup();
        let decoded = tokens.into_iter().map(|token| {
            let token = token.replace(&self.pad_token, "");
            if self.cleanup {
                word_piece::clean_up(&token).replace(&self.word_delimiter_token, " ")
            } else {
                token
            }
        });
        decoded.filter(|token| !token.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Ctc;

    fn decoded(cleanup: bool) -> Vec<String> {
        let decoder =
            Ctc { pad_token: "<pad>".to_owned(), word_delimiter_token: "|".to_owned(), cleanup };
        let tokens = ["a", "a", "<pad>", "a", "|", "|", "b<pad>", " ."];
        decoder.decode_chain(tokens.map(str::to_owned).to_vec())
    }

    #[test]
    fn repetitions_go_before_padding() {
        assert_eq!(vec!["a", "a", "|", "b", " ."], decoded(false));
    }

    #[test]
    fn the_word_delimiter_is_replaced_only_in_cleanup() {
        assert_eq!(vec!["a", "a", " ", "b", "."], decoded(true));
    }
}
