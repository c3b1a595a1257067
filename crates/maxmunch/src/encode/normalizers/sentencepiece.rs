//! What `SentencePiece` does to a text before its model sees it, exactly.
//!
//! The form of a tokenizer file has no such component: its `Precompiled` maps grapheme by grapheme, and
//! spaces are dealt with by patterns. So a `Sequence` that comes close, for other readers, carries what to do
//! exactly in a member `sentencepiece`, which they ignore.
//!
//! From left to right the text is cut into chunks: a piece that the user defined stays as it is, else the
//! longest key of the character map is replaced, else one character is kept. Then spaces become marks.

use serde_json::Value;

use crate::encode::aligned::{AlignedText, Rewriter};
use crate::encode::json::{Json, Node};
use crate::encode::normalizers::Normalizer;
use crate::encode::normalizers::charsmap::CharsMap;
use crate::error::Result;
use crate::machine::Trie;
use crate::units::Span;

const MARK: char = '▁';

/// The normalization of a `SentencePiece` model.
#[derive(Debug, Clone)]
pub struct SentencePiece {
    /// What other readers run instead.
    parts: Vec<Normalizer>,
    /// The member as it stands in the file.
    source: Value,
    map: Option<CharsMap>,
    user_defined: Option<Trie>,
    add_dummy_prefix: bool,
    /// Whether runs of spaces become one, and those at the ends none.
    remove_extra_whitespaces: bool,
    /// What a space becomes.
    mark: char,
    /// Whether the added mark goes to the end.
    is_suffix: bool,
}

impl PartialEq for SentencePiece {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.parts == other.parts
    }
}

impl SentencePiece {
    pub(super) fn from_json(node: &Node, parts: Vec<Normalizer>) -> Result<Self> {
        let map = node.optional("precompiled_charsmap").map(|source| {
            CharsMap::from_base64(source.text()?).map_err(|rule| source.invalid(rule))
        });
        let user_defined = node.optional("user_defined").map(|list| {
            let pieces = list.elements()?;
            let pieces = pieces.iter().map(|piece| Ok((piece.text()?, 0)));
            Trie::new(&pieces.collect::<Result<Vec<_>>>()?)
        });
        Ok(Self {
            parts,
            source: node.value().clone(),
            map: map.transpose()?,
            user_defined: user_defined.transpose()?,
            add_dummy_prefix: node.flag_of("add_dummy_prefix")?,
            remove_extra_whitespaces: node.flag_of("remove_extra_whitespaces")?,
            mark: if node.flag_of("escape_whitespaces")? { MARK } else { ' ' },
            is_suffix: node.flag_of("treat_whitespace_as_suffix")?,
        })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        let parts = self.parts.iter().map(Normalizer::to_json).collect();
        Json::component(
            "Sequence",
            [("normalizers", Json::List(parts)), ("sentencepiece", Json::of(&self.source))],
        )
    }

    /// The normalized text; an added mark covers nothing of the original.
    pub(super) fn apply<'a>(
        &self,
        text: &AlignedText<'a>,
        tracked: bool,
    ) -> Result<AlignedText<'a>> {
        let whole = text.text();
        let mut out = text.rewrite(tracked);
        let mut at = self.skip_leading_spaces(whole)?;
        if at == whole.len() {
            let changed = out.finish();
            return Ok(text.replaced(changed));
        }
        if self.add_dummy_prefix && !self.is_suffix {
            out.put_empty(self.mark, text.original_start(0));
        }
        let mut after_space = self.remove_extra_whitespaces;
        while at < whole.len() {
            let (len, replaced) = self.chunk(&whole[at..])?;
            let span = Span::new(at, at + len);
            let mut new = replaced.unwrap_or(&whole[span.range()]);
            if after_space {
                new = new.trim_start_matches(' ');
            }
            if !new.is_empty() {
                self.write(new, span, &mut out);
                after_space = self.remove_extra_whitespaces && new.ends_with(' ');
            }
            at += len;
        }
        if self.remove_extra_whitespaces {
            out.drop_trailing(self.mark);
        }
        if self.add_dummy_prefix && self.is_suffix {
            out.put_over(self.mark, Span::new(whole.len(), whole.len()));
        }
        let changed = out.finish();
        Ok(text.replaced(changed))
    }

    /// Where the text begins after spaces that are dropped.
    fn skip_leading_spaces(&self, text: &str) -> Result<usize> {
        let mut at = 0;
        while self.remove_extra_whitespaces && at < text.len() {
            let (len, replaced) = self.chunk(&text[at..])?;
            if replaced.unwrap_or(&text[at..at + len]) != " " {
                break;
            }
            at += len;
        }
        Ok(at)
    }

    /// Length of the chunk that a text, not empty, starts with, and what it becomes.
    fn chunk(&self, text: &str) -> Result<(usize, Option<&str>)> {
        let user_defined = self.user_defined.as_ref();
        if let Some((len, _)) = user_defined.and_then(|trie| trie.longest_prefix(text.as_bytes())) {
            return Ok((len, None));
        }
        if let Some(map) = &self.map
            && let Some((len, new)) = map.longest(text)?
        {
            return Ok((len, Some(new)));
        }
        Ok((text.chars().next().map_or(1, char::len_utf8), None))
    }

    fn write(&self, new: &str, span: Span, out: &mut Rewriter) {
        for character in new.chars() {
            out.put_over(if character == ' ' { self.mark } else { character }, span);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SentencePiece;
    use crate::encode::aligned::AlignedText;
    use crate::encode::json::Node;
    use crate::error::Result;
    use crate::units::Span;

    fn normalizer(prefix: bool, remove: bool, suffix: bool) -> Result<SentencePiece> {
        let member = json!({
            "precompiled_charsmap": null,
            "user_defined": ["<x>", "a b"],
            "add_dummy_prefix": prefix,
            "remove_extra_whitespaces": remove,
            "escape_whitespaces": true,
            "treat_whitespace_as_suffix": suffix,
        });
        SentencePiece::from_json(&Node::root(&member), Vec::new())
    }

    fn normalized(part: &SentencePiece, text: &str) -> Result<String> {
        Ok(part.apply(&AlignedText::unchanged(text, 0), true)?.text().to_owned())
    }

    #[test]
    fn spaces_become_marks() -> Result<()> {
        let part = normalizer(true, false, false)?;

        assert_eq!("▁▁c▁▁d▁", normalized(&part, " c  d ")?);
        assert_eq!("", normalized(&part, "")?);
        Ok(())
    }

    #[test]
    fn extra_spaces_go() -> Result<()> {
        let part = normalizer(true, true, false)?;

        assert_eq!("▁c▁d", normalized(&part, "  c  d  ")?);
        assert_eq!("▁c", normalized(&part, "c▁▁")?);
        assert_eq!("", normalized(&part, "   ")?);
        assert_eq!("▁<x>▁a▁b", normalized(&part, " <x>  a b ")?);
        Ok(())
    }

    #[test]
    fn the_mark_may_go_to_the_end() -> Result<()> {
        assert_eq!("c▁d▁", normalized(&normalizer(true, true, true)?, " c d ")?);
        Ok(())
    }

    #[test]
    fn offsets_lead_back_to_the_original() -> Result<()> {
        let text =
            normalizer(true, true, false)?.apply(&AlignedText::unchanged("é  b", 0), true)?;

        assert_eq!("▁é▁b", text.text());
        assert_eq!(Span::new(0, 2), text.original(Span::new(0, 5)));
        assert_eq!(Span::new(2, 5), text.original(Span::new(5, 9)));
        Ok(())
    }
}
