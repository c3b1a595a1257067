//! The `Replace` decoder: matches of a pattern become a fixed text, in each token for itself.

use crate::encode::json::{Json, Node};
use crate::encode::pattern::Pattern;
use crate::error::Result;

/// Replaces what a pattern matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Replace {
    pattern: Pattern,
    /// Put in as it is: `$1` means nothing.
    content: String,
}

impl Replace {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self {
            pattern: Pattern::from_json(&node.field("pattern")?)?,
            content: node.text_of("content")?.to_owned(),
        })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        Json::component(
            "Replace",
            [("pattern", self.pattern.to_json()), ("content", self.content.as_str().into())],
        )
    }

    pub(super) fn decode_chain(&self, tokens: &[String]) -> Result<Vec<String>> {
        tokens.iter().map(|token| self.replaced(token)).collect()
    }

    fn replaced(&self, token: &str) -> Result<String> {
        let mut text = String::with_capacity(token.len());
        if token.is_empty() {
            // A pattern that matches the empty text finds nothing in it, as in the reference.
            return Ok(text);
        }
        self.pattern.for_each_part(token, |span, hit| {
            text.push_str(if hit { &self.content } else { &token[span.range()] });
            Ok(())
        })?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Replace;
    use crate::encode::pattern::Pattern;
    use crate::error::Result;

    #[test]
    fn the_content_is_literal() -> Result<()> {
        let decoder = Replace { pattern: Pattern::new("(b)+")?, content: "$1".to_owned() };

        let decoded = decoder.decode_chain(&["abba".to_owned(), String::new()])?;

        assert_eq!(vec!["a$1a", ""], decoded);
        Ok(())
    }

    #[test]
    fn the_empty_pattern_matches_between_characters_but_not_in_nothing() -> Result<()> {
        let decoder = Replace { pattern: Pattern::literal(""), content: "-".to_owned() };

        assert_eq!(vec!["-a-b-", ""], decoder.decode_chain(&["ab".to_owned(), String::new()])?);
        Ok(())
    }
}
