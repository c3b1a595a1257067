//! The `Strip` decoder: takes a character off both ends of each token, a limited number of times.

use crate::encode::json::{Json, Node};
use crate::error::Result;

/// Takes at most `start` and `stop` times `content` off the ends of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strip {
    content: char,
    start: usize,
    stop: usize,
}

impl Strip {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self {
            content: node.field("content")?.character()?,
            start: node.field("start")?.count()?,
            stop: node.field("stop")?.count()?,
        })
    }

    pub(super) fn to_json(self) -> Json<'static> {
        Json::component(
            "Strip",
            [
                ("content", self.content.into()),
                ("start", self.start.into()),
                ("stop", self.stop.into()),
            ],
        )
    }

    pub(super) fn content(self) -> char {
        self.content
    }

    pub(super) fn start(self) -> usize {
        self.start
    }

    pub(super) fn stop(self) -> usize {
        self.stop
    }

    pub(super) fn decode_chain(self, mut tokens: Vec<String>) -> Vec<String> {
        for token in &mut tokens {
            let is_content = |character: &char| *character == self.content;
            let leading = token.chars().take(self.start).take_while(is_content).count();
            let trailing = token.chars().rev().take(self.stop).take_while(is_content).count();
            let size = self.content.len_utf8();
            // A token that is too short for both loses everything; the reference panics.
            token.truncate(token.len() - trailing * size);
            token.drain(..(leading * size).min(token.len()));
        }
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::Strip;

    fn stripped(token: &str, start: usize, stop: usize) -> String {
        Strip { content: 'é', start, stop }.decode_chain(vec![token.to_owned()]).concat()
    }

    #[test]
    fn each_end_loses_at_most_so_many() {
        assert_eq!("éxé", stripped("ééxéé", 1, 1));
        assert_eq!("xé", stripped("xé", 3, 0));
        assert_eq!("x", stripped("éxé", 3, 3));
    }

    #[test]
    fn a_token_too_short_for_both_ends_becomes_empty() {
        assert_eq!("", stripped("é", 1, 1));
        assert_eq!("", stripped("", 0, 1));
        assert_eq!("", stripped("éé", 0, 3));
    }
}
