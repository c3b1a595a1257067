//! `BPEDecoder`: the suffix that ends a word becomes the space after it.

use crate::encode::json::{Json, Node};
use crate::error::Result;

/// Turns the suffix of word ends into spaces; after the last token there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpeDecoder {
    suffix: String,
}

impl BpeDecoder {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self { suffix: node.text_of("suffix")?.to_owned() })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        Json::component("BPEDecoder", [("suffix", self.suffix.as_str().into())])
    }

    pub(super) fn decode_chain(&self, tokens: Vec<String>) -> Vec<String> {
        let last = tokens.len().saturating_sub(1);
        let tokens = tokens.into_iter().enumerate();
        tokens
            .map(|(index, token)| token.replace(&self.suffix, if index == last { "" } else { " " }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::BpeDecoder;

    #[test]
    fn only_the_last_suffix_leaves_no_space() {
        let decoder = BpeDecoder { suffix: "</w>".to_owned() };
        let tokens = ["a</w>", "b", "c</w></w>", "d</w>"].map(str::to_owned).to_vec();

        assert_eq!(vec!["a ", "b", "c  ", "d"], decoder.decode_chain(tokens));
    }
}
