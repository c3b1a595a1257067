//! `BertProcessing` and `RobertaProcessing`: a token in front, separators behind and between.
//!
//! BERT writes `cls A sep` and `cls A sep B sep`; `RoBERTa` `cls A sep` and `cls A sep sep B sep`, with type 0
//! everywhere.

use std::sync::Arc;

use crate::encode::encoding::Encoding;
use crate::encode::json::{Json, Node};
use crate::encode::models::Vocabulary;
use crate::encode::post_processors::byte_level;
use crate::error::Result;
use crate::units::TokenId;

/// A special token: its text and id.
type Special = (Arc<str>, TokenId);

/// What `RoBERTa` does to offsets, with or without special tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Trim {
    trim_offsets: bool,
    add_prefix_space: bool,
}

/// Adds `cls` and `sep`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClsSep {
    cls: Special,
    sep: Special,
    /// Only `RoBERTa` has it.
    roberta: Option<Trim>,
}

impl ClsSep {
    /// Which of the two it is depends on the flags alone, as in the reference: both are there, or it is BERT.
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let flag = |name| node.present(name).and_then(|flag| flag.flag().ok());
        let trim = flag("trim_offsets").zip(flag("add_prefix_space"));
        Ok(Self {
            cls: special(&node.field("cls")?)?,
            sep: special(&node.field("sep")?)?,
            roberta: trim
                .map(|(trim_offsets, add_prefix_space)| Trim { trim_offsets, add_prefix_space }),
        })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        fn special((text, id): &Special) -> Json<'_> {
            Json::List(vec![(&**text).into(), (*id).into()])
        }
        let (sep, cls) = (("sep", special(&self.sep)), ("cls", special(&self.cls)));
        match self.roberta {
            None => Json::component("BertProcessing", [sep, cls]),
            Some(trim) => Json::component(
                "RobertaProcessing",
                [
                    sep,
                    cls,
                    ("trim_offsets", trim.trim_offsets.into()),
                    ("add_prefix_space", trim.add_prefix_space.into()),
                ],
            ),
        }
    }

    pub(super) fn added(&self, is_pair: bool) -> usize {
        match (is_pair, self.roberta) {
            (false, _) => 2,
            (true, None) => 3,
            (true, Some(_)) => 4,
        }
    }

    pub(super) fn wrap_ids(&self, mut ids: Vec<TokenId>, add_special_tokens: bool) -> Vec<TokenId> {
        if add_special_tokens {
            ids.insert(0, self.cls.1);
            ids.push(self.sep.1);
        }
        ids
    }

    pub(super) fn apply(
        &self,
        mut encodings: Vec<Encoding>,
        vocabulary: &Vocabulary,
        add_special_tokens: bool,
    ) -> Result<Vec<Encoding>> {
        if let Some(trim) = self.roberta {
            for encoding in &mut encodings {
                if trim.trim_offsets {
                    byte_level::trim_all(encoding, vocabulary, trim.add_prefix_space);
                }
                encoding.set_type_id(0);
            }
        }
        if !add_special_tokens {
            return Ok(encodings);
        }
        let encodings = encodings.into_iter().enumerate();
        encodings.map(|(index, encoding)| self.wrapped(index, encoding)).collect()
    }

    /// Sequence `index` and what overflowed from it, with its special tokens.
    fn wrapped(&self, index: usize, mut encoding: Encoding) -> Result<Encoding> {
        let overflowing = std::mem::take(&mut encoding.overflowing);
        let mut whole = self.wrapped_part(index, encoding)?;
        let parts = overflowing.into_iter().map(|part| self.wrapped_part(index, part));
        whole.overflowing = parts.collect::<Result<_>>()?;
        Ok(whole)
    }

    fn wrapped_part(&self, index: usize, mut part: Encoding) -> Result<Encoding> {
        let first = match (index, self.roberta) {
            (0, _) => Some(&self.cls),
            (_, None) => None,
            (_, Some(_)) => Some(&self.sep),
        };
        let type_id = u32::from(index > 0 && self.roberta.is_none());
        let one = |(text, id): &Special| Encoding::specials([(*id, Arc::clone(text))], type_id);
        if self.roberta.is_some() {
            part.set_type_id(0);
        }
        part.special_tokens_mask.fill(0);
        part.attention_mask.fill(1);
        part.sequence_ranges.clear();
        // What overflowed from an overflowing part is dropped, as in the reference.
        part.overflowing.clear();
        // Whatever comes after the first counts as the second, however many a processor before made.
        part.set_sequence_id(index.min(1));
        Encoding::merge(first.map(one).into_iter().chain([part, one(&self.sep)]), false)
    }
}

/// Reads `["[SEP]", 102]`.
fn special(node: &Node) -> Result<Special> {
    match node.elements()?.as_slice() {
        [text, id] => Ok((Arc::from(text.text()?), id.number32()?)),
        _ => Err(node.invalid("should be a list of a token and its id")),
    }
}
