//! The `WordPiece` decoder: a token with the prefix joins the one before it, others follow a space.

use crate::encode::json::{Json, Node};
use crate::error::Result;

/// Joins continued words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieceDecoder {
    prefix: String,
    cleanup: bool,
}

impl WordPieceDecoder {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self { prefix: node.text_of("prefix")?.to_owned(), cleanup: node.flag_of("cleanup")? })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        Json::component(
            "WordPiece",
            [("prefix", self.prefix.as_str().into()), ("cleanup", self.cleanup.into())],
        )
    }

    pub(super) fn decode_chain(&self, mut tokens: Vec<String>) -> Vec<String> {
        for (index, token) in tokens.iter_mut().enumerate() {
            if index > 0 {
                match token.strip_prefix(&self.prefix) {
                    Some(rest) => *token = rest.to_owned(),
                    None => token.insert(0, ' '),
                }
            }
            if self.cleanup {
                *token = clean_up(token);
            }
        }
        tokens
    }
}

/// Takes out the spaces that a tokenizer puts around English punctuation, rule after rule.
///
/// It sees one token: a rule whose text is spread over two tokens does not apply.
pub(super) fn clean_up(token: &str) -> String {
    const RULES: [(&str, &str); 11] = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    RULES.iter().fold(token.to_owned(), |text, (from, to)| {
        if text.contains(from) { text.replace(from, to) } else { text }
    })
}

#[cfg(test)]
mod tests {
    use super::{WordPieceDecoder, clean_up};

    #[test]
    fn continued_words_are_joined_and_cleaned_token_by_token() {
        let decoder = WordPieceDecoder { prefix: "##".to_owned(), cleanup: true };
        let tokens = ["##a", "##b", "####c", ".", "'", "s", "do not"].map(str::to_owned).to_vec();

        let decoded = decoder.decode_chain(tokens);

        assert_eq!(vec!["##a", "b", "##c", ".", " '", " s", " don't"], decoded);
    }

    #[test]
    fn rules_are_applied_in_order() {
        assert_eq!("a.b'c", clean_up("a .b ' c"));
        assert_eq!("i'm don't'Z", clean_up("i 'm do not ' Z"));
    }
}
