//! Post-processors: special tokens around the sequences, and trimmed offsets.
//!
//! One file a component. A new one is a file, a variant, and a line in [`PostProcessor::from_json`].

mod byte_level;
mod cls_sep;
mod template;

use crate::encode::encoding::Encoding;
use crate::encode::json::{Json, Node};
use crate::encode::kinds::{Kinds, Shape};
use crate::encode::models::Vocabulary;
use crate::encode::pre_tokenizers::ByteLevelOptions;
use crate::error::{Error, Result};
use crate::units::TokenId;

pub use cls_sep::ClsSep;
pub use template::Template;

/// A post-processor as a tokenizer file describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum PostProcessor {
    /// Takes white space off the offsets.
    ByteLevel(ByteLevelOptions),
    /// A token in front, separators behind and between: BERT and `RoBERTa`.
    ClsSep(ClsSep),
    /// Puts sequences and special tokens in the order of a template.
    Template(Template),
    /// Several, one after the other.
    Sequence(Vec<PostProcessor>),
}

/// How they are told apart: by their members; two of them need their type besides.
const KINDS: Kinds = Kinds {
    by_type: &[],
    shapes: &[
        Shape::of("RobertaProcessing", &["sep", "cls", "trim_offsets", "add_prefix_space"]),
        Shape::of("BertProcessing", &["sep", "cls"]),
        Shape::named("ByteLevel", &["trim_offsets", "add_prefix_space"]),
        Shape::of("TemplateProcessing", &["single", "pair", "special_tokens"]),
        Shape::named("Sequence", &["processors"]),
    ],
};

impl PostProcessor {
    /// Builds the post-processor that `node` describes.
    pub fn from_json(node: &Node) -> Result<Self> {
        KINDS.read(node, |kind| Self::of_kind(kind, node))
    }

    fn of_kind(kind: &str, node: &Node) -> Result<Self> {
        Ok(match kind {
            "ByteLevel" => Self::ByteLevel(ByteLevelOptions::from_json(node)?),
            "BertProcessing" | "RobertaProcessing" => Self::ClsSep(ClsSep::from_json(node)?),
            "TemplateProcessing" => Self::Template(Template::from_json(node)?),
            "Sequence" => {
                let parts = node.field("processors")?.elements()?;
                Self::Sequence(parts.iter().map(Self::from_json).collect::<Result<_>>()?)
            }
            _ => return Err(KINDS.unknown(node)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json<'_> {
        match self {
            Self::ByteLevel(options) => options.to_json(),
            Self::ClsSep(part) => part.to_json(),
            Self::Template(template) => template.to_json(),
            Self::Sequence(parts) => {
                let parts = parts.iter().map(Self::to_json).collect();
                Json::component("Sequence", [("processors", Json::List(parts))])
            }
        }
    }

    /// Takes for each template in it, in order, how many tokens it says that it adds to a single text, where
    /// that is not counted. No file holds it: it is told beside the JSON.
    pub fn claim(&mut self, added_single: &mut impl Iterator<Item = Option<usize>>) {
        match self {
            Self::ByteLevel(_) | Self::ClsSep(_) => {}
            Self::Template(template) => template.claim(added_single.next().flatten()),
            Self::Sequence(parts) => parts.iter_mut().for_each(|part| part.claim(added_single)),
        }
    }

    /// How many tokens it adds to a single text or to a pair.
    pub fn added(&self, is_pair: bool) -> usize {
        match self {
            Self::ByteLevel(_) => 0,
            Self::ClsSep(part) => part.added(is_pair),
            Self::Template(template) => template.added(is_pair),
            Self::Sequence(parts) => parts.iter().map(|part| part.added(is_pair)).sum(),
        }
    }

    /// Whether a single text is there once at most, even without special tokens.
    pub fn keeps_order(&self) -> bool {
        match self {
            Self::ByteLevel(_) | Self::ClsSep(_) => true,
            Self::Template(template) => template.keeps_order(),
            Self::Sequence(parts) => parts.iter().all(Self::keeps_order),
        }
    }

    /// The ids of a single text with its special tokens.
    ///
    /// `None` where that needs the whole encoding.
    pub fn wrap_ids(&self, ids: Vec<TokenId>, add_special_tokens: bool) -> Option<Vec<TokenId>> {
        match self {
            Self::ByteLevel(_) => Some(ids),
            Self::ClsSep(part) => Some(part.wrap_ids(ids, add_special_tokens)),
            Self::Template(template) => template.wrap_ids(&ids, add_special_tokens),
            Self::Sequence(parts) => {
                // The second part that adds tokens sees several encodings.
                if parts.iter().filter(|part| !matches!(part, Self::ByteLevel(_))).count() > 1 {
                    return None;
                }
                parts.iter().try_fold(ids, |ids, part| part.wrap_ids(ids, add_special_tokens))
            }
        }
    }

    /// Processes one or two encodings; their number may change.
    fn apply(
        &self,
        encodings: Vec<Encoding>,
        vocabulary: &Vocabulary,
        add_special_tokens: bool,
    ) -> Result<Vec<Encoding>> {
        match self {
            Self::ByteLevel(options) => Ok(byte_level::apply(*options, encodings, vocabulary)),
            Self::ClsSep(part) => part.apply(encodings, vocabulary, add_special_tokens),
            Self::Template(template) => template.apply(encodings, add_special_tokens),
            Self::Sequence(parts) => parts.iter().try_fold(encodings, |encodings, part| {
                part.apply(encodings, vocabulary, add_special_tokens)
            }),
        }
    }
}

/// As [`post_process`], for encodings whose tokens all have their texts.
pub fn process(
    processor: &PostProcessor,
    first: Encoding,
    pair: Option<Encoding>,
    add_special_tokens: bool,
) -> Result<Encoding> {
    post_process(Some(processor), first, pair, &Vocabulary::empty(), add_special_tokens)
}

/// Joins the encodings of a text and perhaps its pair, as `processor` says.
pub fn post_process(
    processor: Option<&PostProcessor>,
    first: Encoding,
    pair: Option<Encoding>,
    vocabulary: &Vocabulary,
    add_special_tokens: bool,
) -> Result<Encoding> {
    let mut encodings: Vec<Encoding> = std::iter::once(first).chain(pair).collect();
    let Some(processor) = processor else {
        if encodings.len() > 1 {
            for (index, encoding) in encodings.iter_mut().enumerate() {
                encoding.set_sequence_id(index);
            }
            return Encoding::merge(encodings, false);
        }
        return encodings.pop().ok_or_else(|| Error::internal("no encoding to process"));
    };
    for (index, encoding) in encodings.iter_mut().enumerate() {
        encoding.set_sequence_id(index);
        encoding.overflowing.iter_mut().for_each(|part| part.set_sequence_id(index));
        encoding.set_type_id(index as u32);
    }
    let encodings = processor.apply(encodings, vocabulary, add_special_tokens)?;
    Encoding::merge(encodings, false)
}
