//! `ByteLevel`: the pattern of GPT-2, and bytes written as printable characters.

use crate::encode::byte_level;
use crate::encode::json::{Json, Node};
use crate::encode::pattern::Pattern;
use crate::encode::pre_tokenizers::{Behavior, Pieces};
use crate::encode::seams::{Beside, Right, Seam, of_pattern};
use crate::error::Result;
use crate::units::Span;

/// The pattern that `use_regex` stands for.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// The options that the three components of this name (pre-tokenizer, post-processor, decoder) share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteLevelOptions {
    /// Whether a piece that does not start with a space gets one.
    pub add_prefix_space: bool,
    /// Whether the post-processor takes white space off the offsets.
    pub trim_offsets: bool,
    /// Whether the pre-tokenizer cuts by the pattern of GPT-2 first.
    pub use_regex: bool,
}

impl ByteLevelOptions {
    pub(in crate::encode) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self {
            add_prefix_space: node.flag_of("add_prefix_space")?,
            trim_offsets: node.flag_of("trim_offsets")?,
            use_regex: node.flag_or("use_regex", true)?,
        })
    }

    pub(in crate::encode) fn to_json(self) -> Json<'static> {
        Json::component(
            "ByteLevel",
            [
                ("add_prefix_space", self.add_prefix_space.into()),
                ("trim_offsets", self.trim_offsets.into()),
                ("use_regex", self.use_regex.into()),
            ],
        )
    }
}

/// Writes bytes as printable characters.
#[derive(Debug, Clone, PartialEq)]
pub struct ByteLevel {
    options: ByteLevelOptions,
    /// The pattern of GPT-2, where it is used.
    pattern: Option<Pattern>,
}

impl ByteLevel {
    /// The pre-tokenizer with these options.
    pub fn new(options: ByteLevelOptions) -> Result<Self> {
        let pattern = options.use_regex.then(|| Pattern::new(GPT2)).transpose()?;
        Ok(Self { options, pattern })
    }

    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Self::new(ByteLevelOptions::from_json(node)?)
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        self.options.to_json()
    }

    /// Whether it cuts by the pattern of GPT-2.
    pub(super) fn cuts(&self) -> bool {
        self.pattern.is_some()
    }

    /// Whether pieces keep their bytes and their ends when a model on bytes follows.
    pub(super) fn is_plain(&self) -> bool {
        !self.options.add_prefix_space && self.pattern.is_none()
    }

    /// The pattern, if it is all there is to do before a model on bytes.
    pub(super) fn as_pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref().filter(|_| !self.options.add_prefix_space)
    }

    /// This without the space in front; `None` when it adds none.
    pub(in crate::encode) fn without_prefix_space(&self) -> Option<Self> {
        self.options.add_prefix_space.then(|| Self {
            options: ByteLevelOptions { add_prefix_space: false, ..self.options },
            pattern: self.pattern.clone(),
        })
    }

    /// The whole component: the text of the pieces becomes printable characters.
    ///
    /// A piece that stands for nothing of the original, because a normalizer put it before the first character,
    /// stays behind its printable characters as it was: the reference looks for the original of what it replaces.
    pub(super) fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        self.apply_to_bytes(pieces)?;
        pieces.rewrite(|text, piece, out| {
            for (index, byte) in text.text().as_bytes()[piece.range()].iter().enumerate() {
                out.put(byte_level::char_of(*byte), piece.start + index);
            }
            if text.is_made_up(piece) {
                out.keep(piece);
            }
        });
        Ok(())
    }

    /// The component without its last step: pieces keep their bytes.
    pub(super) fn apply_to_bytes(&self, pieces: &mut Pieces) -> Result<()> {
        let lacks_space = |text: &str| !text.starts_with(' ');
        if self.options.add_prefix_space && pieces.texts().any(lacks_space) {
            pieces.rewrite(|text, piece, out| {
                if lacks_space(&text.text()[piece.range()]) {
                    out.put(' ', piece.start);
                }
                out.keep(piece);
            });
        }
        let Some(pattern) = &self.pattern else { return Ok(()) };
        pieces.split(|text, emit| {
            pattern.for_each_piece(text, |span: Span| {
                emit(span);
                Ok(())
            })
        })
    }

    pub(in crate::encode) fn seam(&self, beside: Beside, right: Right) -> Seam {
        if right == Right::Text && self.options.add_prefix_space && beside.1 != Some(' ') {
            return Seam::Unsafe; // the right part would get a space in front
        }
        match &self.pattern {
            Some(pattern) => of_pattern(pattern, Behavior::Isolated, false, beside),
            None => Seam::Inside(beside),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ByteLevel, ByteLevelOptions};
    use crate::encode::aligned::AlignedText;
    use crate::encode::pre_tokenizers::Pieces;
    use crate::error::Result;
    use crate::units::Span;

    #[test]
    fn each_byte_of_a_character_covers_the_character() -> Result<()> {
        let text = AlignedText::unchanged("é a", 0);
        let mut pieces = Pieces::whole(text, true);
        let part = ByteLevel::new(ByteLevelOptions {
            add_prefix_space: true,
            trim_offsets: true,
            use_regex: true,
        })?;

        part.apply(&mut pieces)?;

        assert_eq!(vec!["ĠÃ©", "Ġa"], pieces.texts().collect::<Vec<_>>());
        assert_eq!(Span::new(0, 2), pieces.text().original(Span::new(0, 2)));
        assert_eq!(Span::new(0, 2), pieces.text().original(Span::new(4, 6)));
        assert_eq!(Span::new(2, 4), pieces.text().original(pieces.pieces()[1].span));
        Ok(())
    }
}
