//! `Split`: cut at the matches of a pattern, in one of five ways.

use crate::encode::json::{Json, Node};
use crate::encode::pattern::Pattern;
use crate::encode::pre_tokenizers::Pieces;
use crate::encode::seams::{Beside, Seam, of_pattern};
use crate::error::{Error, Result};
use crate::units::Span;

/// What happens to the matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// They are dropped.
    Removed,
    /// Each is a piece.
    Isolated,
    /// Each ends the piece before it.
    MergedWithPrevious,
    /// Each starts the piece after it.
    MergedWithNext,
    /// Neighbouring ones are one piece.
    Contiguous,
}

impl Behavior {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Removed, "Removed"),
        (Self::Isolated, "Isolated"),
        (Self::MergedWithPrevious, "MergedWithPrevious"),
        (Self::MergedWithNext, "MergedWithNext"),
        (Self::Contiguous, "Contiguous"),
    ];

    /// The one with this name in tokenizer files.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(behavior, _)| *behavior)
    }

    /// Its name in tokenizer files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(behavior, _)| *behavior == self).map_or("", |(_, name)| name)
    }

    pub(in crate::encode) fn from_json(node: &Node) -> Result<Self> {
        let name = node.text()?;
        Self::named(name).ok_or_else(|| {
            let names = Self::ALL.map(|(_, name)| name).join(", ");
            node.invalid(format!("should be one of {names}"))
        })
    }

    /// Emits the pieces of a text that is cut into `parts`, each a match (`true`) or not.
    pub(in crate::encode) fn pieces(self, parts: &[(Span, bool)], emit: &mut dyn FnMut(Span)) {
        match self {
            Self::Removed => parts.iter().filter(|(_, hit)| !hit).for_each(|(span, _)| emit(*span)),
            Self::Isolated => parts.iter().for_each(|(span, _)| emit(*span)),
            Self::MergedWithPrevious => merge_with_previous(parts.iter().copied(), emit),
            Self::MergedWithNext => {
                // The mirror image: cut from the right, then turn the order around.
                let mut pieces = Vec::new();
                merge_with_previous(parts.iter().rev().copied(), &mut |span| pieces.push(span));
                pieces.into_iter().rev().for_each(emit);
            }
            Self::Contiguous => {
                for group in parts.chunk_by(|a, b| a.1 == b.1) {
                    emit(hull(group[0].0, group[group.len() - 1].0));
                }
            }
        }
    }
}

/// A match joins the part before it, unless that is a match too.
fn merge_with_previous(parts: impl Iterator<Item = (Span, bool)>, emit: &mut dyn FnMut(Span)) {
    let mut pending: Option<Span> = None;
    let mut after_match = false;
    for (span, hit) in parts {
        pending = match pending {
            Some(before) if hit && !after_match => Some(hull(before, span)),
            Some(before) => {
                emit(before);
                Some(span)
            }
            None => Some(span),
        };
        after_match = hit;
    }
    if let Some(last) = pending {
        emit(last);
    }
}

fn hull(a: Span, b: Span) -> Span {
    Span::new(a.start.min(b.start), a.end.max(b.end))
}

/// Cuts at the matches of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    pattern: Pattern,
    behavior: Behavior,
    invert: bool,
}

impl Split {
    /// A cut at the matches of `pattern`, or, with `invert`, at what it does not match.
    pub fn new(pattern: Pattern, behavior: Behavior, invert: bool) -> Self {
        Self { pattern, behavior, invert }
    }

    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self {
            pattern: Pattern::from_json(&node.field("pattern")?)?,
            behavior: Behavior::from_json(&node.field("behavior")?)?,
            invert: node.flag_of("invert")?,
        })
    }

    pub(super) fn to_json(&self) -> Json {
        Json::component(
            "Split",
            [
                ("pattern", self.pattern.to_json()),
                ("behavior", self.behavior.name().into()),
                ("invert", self.invert.into()),
            ],
        )
    }

    /// The pattern, if its matches and what lies between them are the pieces.
    pub(super) fn as_pattern(&self) -> Option<&Pattern> {
        (self.behavior == Behavior::Isolated).then_some(&self.pattern)
    }

    pub(super) fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        if self.behavior == Behavior::Isolated {
            return pieces.split(|text, emit| {
                self.pattern.for_each_piece(text, |span| {
                    emit(span);
                    Ok(())
                })
            });
        }
        let mut parts = Vec::new();
        pieces.split(|text, emit| {
            parts.clear();
            self.pattern.for_each_part(text, |span, hit| {
                parts.push((span, hit != self.invert));
                Ok(())
            })?;
            self.behavior.pieces(&parts, emit);
            Ok(())
        })
    }

    pub(in crate::encode) fn seam(&self, beside: Beside) -> Seam {
        of_pattern(&self.pattern, self.behavior, self.invert, beside)
    }
}

impl Pattern {
    /// Reads `{"String": …}` or `{"Regex": …}`.
    pub fn from_json(node: &Node) -> Result<Self> {
        let members: Vec<(&str, Node)> = node.members()?.collect();
        match members.as_slice() {
            [("String", text)] => Ok(Self::literal(text.text()?)),
            [("Regex", source)] => Self::new(source.text()?).map_err(|error| match error {
                Error::InvalidArgument { message, .. } => Error::invalid(source.path(), message),
                other => other,
            }),
            _ => Err(node.invalid("should be {\"String\": …} or {\"Regex\": …}")),
        }
    }

    /// What the reference writes for it.
    pub fn to_json(&self) -> Json {
        let kind = if self.is_literal() { "String" } else { "Regex" };
        Json::object([(kind, self.source().into())])
    }
}

#[cfg(test)]
mod tests {
    use super::{Behavior, Split};
    use crate::encode::aligned::AlignedText;
    use crate::encode::pattern::Pattern;
    use crate::encode::pre_tokenizers::Pieces;
    use crate::error::Result;

    fn cut(behavior: Behavior, invert: bool) -> Result<Vec<String>> {
        let text = AlignedText::unchanged("the-final--countdown-", 0);
        let mut pieces = Pieces::whole(text, true);
        Split::new(Pattern::literal("-"), behavior, invert).apply(&mut pieces)?;
        Ok(pieces.texts().map(str::to_owned).collect())
    }

    #[test]
    fn the_five_behaviors() -> Result<()> {
        use Behavior::{Contiguous, Isolated, MergedWithNext, MergedWithPrevious, Removed};

        assert_eq!(["the", "final", "countdown"].as_slice(), cut(Removed, false)?);
        assert_eq!(
            ["the", "-", "final", "-", "-", "countdown", "-"].as_slice(),
            cut(Isolated, false)?
        );
        assert_eq!(
            ["the-", "final-", "-", "countdown-"].as_slice(),
            cut(MergedWithPrevious, false)?
        );
        assert_eq!(
            ["the", "-final", "-", "-countdown", "-"].as_slice(),
            cut(MergedWithNext, false)?
        );
        assert_eq!(
            ["the", "-", "final", "--", "countdown", "-"].as_slice(),
            cut(Contiguous, false)?
        );
        assert_eq!(
            ["the", "-final", "-", "-countdown", "-"].as_slice(),
            cut(MergedWithPrevious, true)?
        );
        Ok(())
    }
}
