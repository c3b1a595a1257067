//! Normalizers: what happens to a gap between added tokens before it is cut into pieces.
//!
//! One file a component. A new one is a file, a variant, and a line in [`Normalizer::from_json`].

mod bert;
mod bert_table;
mod chars;
mod charsmap;
mod nmt;
mod precompiled;
mod replace;
mod sentencepiece;
mod unicode;

use crate::encode::aligned::AlignedText;
use crate::encode::custom::{Custom, Hook, NormalizerHook};
use crate::encode::json::{Json, Node};
use crate::encode::kinds::{Kinds, Shape};
use crate::encode::pattern::Pattern;
use crate::encode::splitter::MARK;
use crate::encode::strings::NormalizedString;
use crate::error::Result;

pub use bert::BertNormalizer;
pub(in crate::encode) use chars::keep_behind;
pub use precompiled::Precompiled;
pub use sentencepiece::SentencePiece;
pub use unicode::Form;

/// A normalizer as a tokenizer file describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Normalizer {
    /// What BERT does: clean, space Chinese characters, strip accents, lowercase.
    Bert(BertNormalizer),
    /// Bytes written as printable characters.
    ByteLevel,
    /// Lowercase, character by character.
    Lowercase,
    /// Controls go, unusual spaces become a space.
    Nmt,
    /// The character map of a `SentencePiece` model.
    Precompiled(Precompiled),
    /// A text put in front of every text that is not empty.
    Prepend(String),
    /// Every match of a pattern replaced by a text.
    Replace {
        /// What is replaced.
        pattern: Pattern,
        /// By what, literally.
        content: String,
    },
    /// What `SentencePiece` does, exactly.
    SentencePiece(Box<SentencePiece>),
    /// White space taken off the ends.
    Strip {
        /// At the start.
        left: bool,
        /// At the end.
        right: bool,
    },
    /// Combining marks dropped.
    StripAccents,
    /// One of the four Unicode normalization forms.
    Unicode(Form),
    /// One that was brought from outside.
    Custom(Custom<dyn NormalizerHook>),
    /// Several, one after the other; none is fine.
    Sequence(Vec<Normalizer>),
}

/// How they are told apart: the type `BertNormalizer` alone says nothing.
const KINDS: Kinds = Kinds {
    by_type: &[
        "ByteLevel",
        "Lowercase",
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "Nmt",
        "Precompiled",
        "Prepend",
        "Replace",
        "Sequence",
        "Strip",
        "StripAccents",
    ],
    shapes: &[
        Shape::of("BertNormalizer", &["clean_text", "handle_chinese_chars", "lowercase"]),
        Shape::of("Strip", &["strip_left", "strip_right"]),
        Shape::of("Sequence", &["normalizers"]),
        Shape::of("Replace", &["pattern", "content"]),
        Shape::of("Prepend", &["prepend"]),
    ],
};

impl Normalizer {
    /// Builds the normalizer that `node` describes.
    pub fn from_json(node: &Node) -> Result<Self> {
        if let Some(Hook::Normalizer(custom)) = node.hook() {
            return Ok(Self::Custom(custom.clone()));
        }
        KINDS.read(node, |kind| Self::of_kind(kind, node))
    }

    fn of_kind(kind: &str, node: &Node) -> Result<Self> {
        Ok(match kind {
            "BertNormalizer" => Self::Bert(BertNormalizer::from_json(node)?),
            "ByteLevel" => Self::ByteLevel,
            "Lowercase" => Self::Lowercase,
            "NFC" => Self::Unicode(Form::Nfc),
            "NFD" => Self::Unicode(Form::Nfd),
            "NFKC" => Self::Unicode(Form::Nfkc),
            "NFKD" => Self::Unicode(Form::Nfkd),
            "Nmt" => Self::Nmt,
            "Precompiled" => Self::Precompiled(Precompiled::from_json(node)?),
            "Prepend" => Self::Prepend(node.text_of("prepend")?.to_owned()),
            "Replace" => Self::Replace {
                pattern: Pattern::from_json(&node.field("pattern")?)?,
                content: node.text_of("content")?.to_owned(),
            },
            "Strip" => Self::Strip {
                left: node.flag_of("strip_left")?,
                right: node.flag_of("strip_right")?,
            },
            "StripAccents" => Self::StripAccents,
            "Sequence" => {
                let parts = node.field("normalizers")?.elements()?;
                let parts = parts.iter().map(Self::from_json).collect::<Result<_>>()?;
                match node.optional("sentencepiece") {
                    Some(exact) => {
                        Self::SentencePiece(Box::new(SentencePiece::from_json(&exact, parts)?))
                    }
                    None => Self::Sequence(parts),
                }
            }
            _ => return Err(KINDS.unknown(node)),
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json<'_> {
        match self {
            Self::Bert(part) => part.to_json(),
            Self::ByteLevel => Json::component("ByteLevel", []),
            Self::Lowercase => Json::component("Lowercase", []),
            Self::Prepend(text) => Json::component("Prepend", [("prepend", text.as_str().into())]),
            Self::Replace { pattern, content } => Json::component(
                "Replace",
                [("pattern", pattern.to_json()), ("content", content.as_str().into())],
            ),
            Self::Strip { left, right } => Json::component(
                "Strip",
                [("strip_left", (*left).into()), ("strip_right", (*right).into())],
            ),
            Self::SentencePiece(part) => part.to_json(),
            Self::StripAccents => Json::component("StripAccents", []),
            Self::Nmt => Json::component("Nmt", []),
            Self::Precompiled(part) => part.to_json(),
            Self::Unicode(form) => Json::component(form.name(), []),
            Self::Custom(_) => Json::component("Custom", []),
            Self::Sequence(parts) => {
                let parts = parts.iter().map(Self::to_json).collect();
                Json::component("Sequence", [("normalizers", Json::List(parts))])
            }
        }
    }

    /// The normalized text; origins are kept only when `tracked`.
    pub fn apply<'a>(&self, text: AlignedText<'a>, tracked: bool) -> Result<AlignedText<'a>> {
        match self {
            Self::Bert(part) => Ok(part.apply(text, tracked)),
            Self::ByteLevel => Ok(chars::byte_level(text, tracked)),
            Self::Lowercase => Ok(chars::lowercase(text, tracked)),
            Self::Prepend(prefix) => Ok(chars::prepend(text, prefix, tracked)),
            Self::Replace { pattern, content } => replace::apply(text, pattern, content, tracked),
            Self::SentencePiece(part) => part.apply(&text, tracked),
            Self::Strip { left, right } => Ok(chars::strip(text, *left, *right, tracked)),
            Self::StripAccents => Ok(chars::strip_accents(text, tracked)),
            Self::Nmt => Ok(nmt::apply(text, tracked)),
            Self::Precompiled(part) => part.apply(text, tracked),
            Self::Unicode(form) => Ok(form.apply(text, tracked)),
            Self::Custom(custom) => {
                let mut own = NormalizedString::of(&text);
                custom.normalize(&mut own)?;
                Ok(own.give_back(&text))
            }
            Self::Sequence(parts) => {
                parts.iter().try_fold(text, |text, part| part.apply(text, tracked))
            }
        }
    }

    /// Whether a part of it was brought from outside, so that it needs origins and cannot be saved.
    pub fn has_custom(&self) -> bool {
        match self {
            Self::Custom(_) => true,
            Self::Sequence(parts) => parts.iter().any(Self::has_custom),
            _ => false,
        }
    }

    /// Whether it may put text before the first character, which then stands for nothing of the original.
    pub fn may_put_before(&self) -> bool {
        match self {
            // A regular expression may match the empty text there.
            Self::Replace { pattern, .. } => !pattern.is_literal() || pattern.source().is_empty(),
            Self::Prepend(text) => text.is_empty(),
            Self::Custom(_) | Self::SentencePiece(_) => true,
            Self::Sequence(parts) => parts.iter().any(Self::may_put_before),
            _ => false,
        }
    }

    /// Whether text that it puts before the first character may be there twice, for what is dropped at the end:
    /// see [`AlignedText::transform_behind`].
    pub(in crate::encode) fn may_put_twice(&self) -> bool {
        let Self::Sequence(parts) = self else { return false };
        let drops = |part: &Self| !matches!(part, Self::Replace { .. } | Self::Prepend(_));
        let put = parts.iter().position(Self::may_put_before);
        put.is_some_and(|at| parts[at..].iter().any(drops))
    }

    /// What it puts before every text that is not empty, a space for the mark, if all else that it does is to write
    /// the mark `▁` for each space.
    pub(in crate::encode) fn space_marks(&self) -> Option<&'static str> {
        let writes_marks = |part: &Self| match part {
            Self::Replace { pattern, content } => {
                pattern.literal_byte() == Some(b' ') && content == MARK
            }
            _ => false,
        };
        let prepends = |part: &Self| matches!(part, Self::Prepend(text) if text == MARK);
        match self {
            Self::Sequence(parts) => match parts.as_slice() {
                [only] => only.space_marks(),
                [a, b] if prepends(a) && writes_marks(b) || writes_marks(a) && prepends(b) => {
                    Some(" ")
                }
                _ => None,
            },
            part => writes_marks(part).then_some(""),
        }
    }

    /// The normalized form of a text of which nobody wants the origins.
    pub fn normalize(&self, text: &str) -> Result<String> {
        Ok(self.apply(AlignedText::unchanged(text, 0), false)?.text().to_owned())
    }
}
