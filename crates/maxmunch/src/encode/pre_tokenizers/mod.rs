//! Pre-tokenizers: how the text of a gap is cut into the pieces that the model sees, one at a time.
//!
//! One file a component. A new one is a file, a variant, and a line in [`PreTokenizer::from_json`].

mod bert;
mod by_character;
mod byte_level;
mod char_delimiter_split;
mod digits;
mod fixed_length;
mod metaspace;
pub mod o200k;
mod o200k_classes;
mod pieces;
mod punctuation;
mod sequence;
mod split;
mod unicode_scripts;
#[cfg(test)]
mod unicode_tests;
mod whitespace;

use crate::encode::custom::{Custom, Hook, PreTokenizerHook};
use crate::encode::json::{Json, Node};
use crate::encode::pattern::Pattern;
use crate::error::{Error, Result};
use crate::machine::ordered::{self, NestedMachine};
use crate::units::Span;

pub use bert::BertPreTokenizer;
pub use byte_level::{ByteLevel, ByteLevelOptions};
pub use char_delimiter_split::CharDelimiterSplit;
pub use digits::Digits;
pub use fixed_length::FixedLength;
pub use metaspace::{MetaspaceOptions, PrependScheme};
pub use pieces::{Piece, Pieces};
pub use punctuation::Punctuation;
pub use sequence::Sequence;
pub(in crate::encode) use split::Joining;
pub use split::{Behavior, Split};
pub use unicode_scripts::UnicodeScripts;
pub(in crate::encode) use whitespace::{is_word, seam as whitespace_seam};

/// A pre-tokenizer as a tokenizer file describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum PreTokenizer {
    /// White space dropped, punctuation marks alone.
    Bert(BertPreTokenizer),
    /// Bytes written as printable characters, after a cut by the pattern of GPT-2.
    ByteLevel(ByteLevel),
    /// Cut at a character, which is dropped.
    CharDelimiterSplit(CharDelimiterSplit),
    /// Cut at numeric characters.
    Digits(Digits),
    /// Cut after so many characters.
    FixedLength(FixedLength),
    /// A mark for spaces, in front of each word.
    Metaspace(MetaspaceOptions),
    /// Cut at punctuation marks.
    Punctuation(Punctuation),
    /// Cut at the matches of a pattern.
    Split(Split),
    /// Cut where the script changes.
    UnicodeScripts(UnicodeScripts),
    /// Runs of word characters and runs of symbols.
    Whitespace,
    /// What stands between white space.
    WhitespaceSplit,
    /// One that was brought from outside; it works on whole texts, see [`PreTokenizedString::apply`].
    ///
    /// [`PreTokenizedString::apply`]: crate::encode::strings::PreTokenizedString::apply
    Custom(Custom<dyn PreTokenizerHook>),
    /// Several, each on every piece of the one before.
    Sequence(Sequence),
}

/// The types that [`PreTokenizer::from_json`] builds.
const KNOWN: &[&str] = &[
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "Punctuation",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
    "Sequence",
];

/// Cuts a text into pieces without a list of them.
#[derive(Debug, Clone, Copy)]
pub(in crate::encode) enum Cutter<'p> {
    /// The matches and what lies between them.
    Pattern(&'p Pattern),
    /// The same for several patterns, each in the pieces of the one before, where one machine does it.
    Nested(&'p NestedMachine),
    /// The same where none does.
    Patterns(&'p [PreTokenizer], &'p Pattern),
    /// Words and marks.
    Bert(&'p BertPreTokenizer),
}

impl<'p> Cutter<'p> {
    /// The pieces, if one machine gives them.
    pub(in crate::encode) fn pieces<'t>(self, text: &'t str) -> Option<ordered::Pieces<'p, 't>> {
        match self {
            Self::Pattern(pattern) => pattern.machine().map(|machine| machine.pieces(text)),
            Self::Nested(machine) => Some(machine.pieces(text)),
            Self::Patterns(..) | Self::Bert(_) => None,
        }
    }

    /// Calls `emit` for each piece, left to right; none is empty.
    pub(in crate::encode) fn for_each_piece(
        self,
        text: &str,
        mut emit: impl FnMut(Span) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Pattern(pattern) => pattern.for_each_piece(text, emit),
            Self::Nested(machine) => machine.pieces(text).try_for_each(emit),
            Self::Patterns(parts, last) => {
                cut_by_all(parts, text, Span::new(0, text.len()), &mut |piece| {
                    last.for_each_piece(&text[piece.range()], |part| {
                        emit(part.shifted(piece.start))
                    })
                })
            }
            Self::Bert(part) => part.for_each_piece(text, emit),
        }
    }
}

/// Calls `emit` for each piece of `span` by these patterns, each in the pieces of the one before.
fn cut_by_all(
    parts: &[PreTokenizer],
    text: &str,
    span: Span,
    emit: &mut dyn FnMut(Span) -> Result<()>,
) -> Result<()> {
    match parts.split_first().and_then(|(first, rest)| Some((first.as_pattern()?, rest))) {
        Some((pattern, rest)) => pattern.for_each_piece(&text[span.range()], |piece| {
            cut_by_all(rest, text, piece.shifted(span.start), emit)
        }),
        None => emit(span),
    }
}

impl PreTokenizer {
    /// Builds the pre-tokenizer that `node` describes.
    pub fn from_json(node: &Node) -> Result<Self> {
        Ok(match node.kind()? {
            "BertPreTokenizer" => Self::Bert(BertPreTokenizer::new()?),
            "ByteLevel" => Self::ByteLevel(ByteLevel::from_json(node)?),
            "CharDelimiterSplit" => Self::CharDelimiterSplit(CharDelimiterSplit::from_json(node)?),
            "Digits" => Self::Digits(Digits::from_json(node)?),
            "FixedLength" => Self::FixedLength(FixedLength::from_json(node)?),
            "Metaspace" => Self::Metaspace(MetaspaceOptions::from_json(node)?),
            "Punctuation" => Self::Punctuation(Punctuation::from_json(node)?),
            "Split" => Self::Split(Split::from_json(node)?),
            "UnicodeScripts" => Self::UnicodeScripts(UnicodeScripts::new()?),
            "Whitespace" => Self::Whitespace,
            "WhitespaceSplit" => Self::WhitespaceSplit,
            "Sequence" => {
                let parts = node.field("pretokenizers")?.elements()?;
                let parts = parts.iter().map(Self::from_json).collect::<Result<_>>()?;
                Self::Sequence(Sequence::new(parts))
            }
            _ => match node.hook() {
                Some(Hook::PreTokenizer(custom)) => Self::Custom(custom.clone()),
                _ => return Err(node.unknown_kind(KNOWN)),
            },
        })
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json<'_> {
        match self {
            Self::Bert(_) => Json::component("BertPreTokenizer", []),
            Self::ByteLevel(part) => part.to_json(),
            Self::CharDelimiterSplit(part) => part.to_json(),
            Self::Digits(part) => part.to_json(),
            Self::FixedLength(part) => part.to_json(),
            Self::Metaspace(options) => options.to_json(),
            Self::Punctuation(part) => part.to_json(),
            Self::Split(part) => part.to_json(),
            Self::UnicodeScripts(_) => Json::component("UnicodeScripts", []),
            Self::Whitespace => Json::component("Whitespace", []),
            Self::WhitespaceSplit => Json::component("WhitespaceSplit", []),
            Self::Custom(_) => Json::component("Custom", []),
            Self::Sequence(parts) => {
                let parts = parts.iter().map(Self::to_json).collect();
                Json::component("Sequence", [("pretokenizers", Json::List(parts))])
            }
        }
    }

    /// Cuts (and perhaps rewrites) every piece.
    pub fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        match self {
            Self::Bert(part) => part.apply(pieces),
            Self::ByteLevel(part) => part.apply(pieces),
            Self::CharDelimiterSplit(part) => part.apply(pieces),
            Self::Digits(part) => part.apply(pieces),
            Self::FixedLength(part) => part.apply(pieces),
            Self::Metaspace(options) => options.apply(pieces),
            Self::Punctuation(part) => part.apply(pieces),
            Self::Split(part) => part.apply(pieces),
            Self::UnicodeScripts(part) => part.apply(pieces),
            Self::Whitespace => whitespace::apply(pieces),
            Self::WhitespaceSplit => whitespace::split(pieces),
            Self::Custom(_) => {
                Err(Error::internal("a custom pre-tokenizer was given pieces, not the whole text"))
            }
            Self::Sequence(parts) => parts.iter().try_for_each(|part| part.apply(pieces)),
        }
    }

    /// Whether a part of it was brought from outside: it needs the whole text and cannot be saved.
    pub fn has_custom(&self) -> bool {
        match self {
            Self::Custom(_) => true,
            Self::Sequence(parts) => parts.iter().any(Self::has_custom),
            _ => false,
        }
    }

    /// As [`Self::apply`], but a last `ByteLevel` leaves the bytes of its pieces as they are.
    ///
    /// That is for models which work on bytes; see [`Self::ends_in_byte_level`].
    pub fn apply_to_bytes(&self, pieces: &mut Pieces) -> Result<()> {
        match self {
            Self::ByteLevel(part) => part.apply_to_bytes(pieces),
            Self::Sequence(parts) => {
                let Some((last, before)) = parts.split_last() else { return Ok(()) };
                before.iter().try_for_each(|part| part.apply(pieces))?;
                last.apply_to_bytes(pieces)
            }
            _ => self.apply(pieces),
        }
    }

    /// What gives the pieces one after the other, if the text is cut once and not changed; `on_bytes` as in
    /// [`Self::apply_to_bytes`].
    pub(in crate::encode) fn cutter(&self, on_bytes: bool) -> Option<Cutter<'_>> {
        match self {
            Self::Bert(part) => Some(Cutter::Bert(part)),
            Self::ByteLevel(part) if on_bytes => part.as_pattern().map(Cutter::Pattern),
            Self::Split(part) => part.as_pattern().map(Cutter::Pattern),
            Self::Sequence(parts) => {
                let cutting = match &**parts {
                    [cutting @ .., Self::ByteLevel(last)] if on_bytes && last.is_plain() => cutting,
                    [only] => return only.cutter(on_bytes),
                    parts => parts,
                };
                match cutting {
                    [only] => only.cutter(false),
                    _ if let Some(machine) = parts.machine(on_bytes) => {
                        Some(Cutter::Nested(machine))
                    }
                    [before @ .., last]
                        if before.iter().all(|part| part.as_pattern().is_some()) =>
                    {
                        Some(Cutter::Patterns(before, last.as_pattern()?))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The pattern whose matches, and what lies between them, are the pieces, if that is all it does.
    fn as_pattern(&self) -> Option<&Pattern> {
        match self {
            Self::Split(part) => part.as_pattern(),
            _ => None,
        }
    }

    /// Whether a text without spaces is one piece as it is.
    pub(in crate::encode) fn cuts_at_spaces_only(&self) -> bool {
        match self {
            Self::Split(part) => part.cuts_at_spaces_only(),
            _ => false,
        }
    }

    /// Whether it cuts at all; else it rewrites each piece where it is.
    pub(in crate::encode) fn cuts(&self) -> bool {
        match self {
            Self::ByteLevel(part) => part.cuts(),
            Self::Metaspace(options) => options.split,
            _ => true,
        }
    }

    /// Whether it matters where in the original text a piece starts, so that origins have to be kept.
    pub fn needs_origins(&self) -> bool {
        match self {
            Self::Metaspace(options) => options.needs_origins(),
            Self::Sequence(parts) => parts.iter().any(Self::needs_origins),
            _ => false,
        }
    }

    /// Whether the last step writes bytes as printable characters and no other step does.
    pub fn ends_in_byte_level(&self) -> bool {
        match self {
            Self::ByteLevel(_) => true,
            Self::Sequence(parts) => parts.split_last().is_some_and(|(last, before)| {
                last.ends_in_byte_level() && !before.iter().any(Self::has_byte_level)
            }),
            _ => false,
        }
    }

    /// Whether any step writes bytes as printable characters.
    pub fn has_byte_level(&self) -> bool {
        match self {
            Self::ByteLevel(_) => true,
            Self::Sequence(parts) => parts.iter().any(Self::has_byte_level),
            _ => false,
        }
    }
}
