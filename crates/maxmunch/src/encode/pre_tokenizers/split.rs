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

    /// Whether two neighbouring parts are one piece, each a match or not.
    fn joins(self, left: bool, right: bool) -> bool {
        match self {
            Self::Removed | Self::Isolated => false,
            Self::MergedWithPrevious => !left && right,
            Self::MergedWithNext => left && !right,
            Self::Contiguous => left == right,
        }
    }
}

/// Makes pieces of the parts of a text as they come: of a text of nothing but matches, a list of them would be
/// many times as long as the text.
#[derive(Debug)]
pub(in crate::encode) struct Joining {
    behavior: Behavior,
    /// A piece that may go on, and whether its last part is a match.
    open: Option<(Span, bool)>,
}

impl Joining {
    pub(in crate::encode) fn new(behavior: Behavior) -> Self {
        Self { behavior, open: None }
    }

    /// Takes the next part of the text, a match or not.
    pub(in crate::encode) fn part(
        &mut self,
        span: Span,
        is_match: bool,
        emit: &mut dyn FnMut(Span),
    ) {
        if self.behavior == Behavior::Removed && is_match {
            return;
        }
        match &mut self.open {
            Some((piece, last)) if self.behavior.joins(*last, is_match) => {
                (piece.end, *last) = (span.end, is_match);
            }
            open => {
                if let Some((piece, _)) = open.replace((span, is_match)) {
                    emit(piece);
                }
            }
        }
    }

    /// Ends the text.
    pub(in crate::encode) fn finish(self, emit: &mut dyn FnMut(Span)) {
        if let Some((piece, _)) = self.open {
            emit(piece);
        }
    }
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

    /// Whether a text without spaces is one piece.
    pub(super) fn cuts_at_spaces_only(&self) -> bool {
        self.pattern.literal_byte() == Some(b' ') && !self.invert
    }

    pub(super) fn to_json(&self) -> Json<'_> {
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
        pieces.split(|text, emit| {
            let mut joining = Joining::new(self.behavior);
            self.pattern.for_each_part(text, |span, hit| {
                joining.part(span, hit != self.invert, emit);
                Ok(())
            })?;
            joining.finish(emit);
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
    pub fn to_json(&self) -> Json<'_> {
        let kind = if self.is_literal() { "String" } else { "Regex" };
        Json::object([(kind, self.source().into())])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Behavior, Joining, Split};
    use crate::encode::aligned::AlignedText;
    use crate::encode::pattern::Pattern;
    use crate::encode::pre_tokenizers::Pieces;
    use crate::error::Result;
    use crate::units::Span;

    /// The definition, of a whole list.
    fn pieces(behavior: Behavior, parts: &[(Span, bool)]) -> Vec<Span> {
        let hull = |group: &[(Span, bool)]| {
            Span::new(group[0].0.start, group.iter().fold(0, |end, (span, _)| end.max(span.end)))
        };
        match behavior {
            Behavior::Removed => parts.iter().filter(|(_, hit)| !hit).map(|&(s, _)| s).collect(),
            Behavior::Isolated => parts.iter().map(|&(span, _)| span).collect(),
            Behavior::Contiguous => parts.chunk_by(|a, b| a.1 == b.1).map(hull).collect(),
            // A match joins the part before it, unless that is a match too.
            Behavior::MergedWithPrevious => parts.chunk_by(|a, b| !a.1 && b.1).map(hull).collect(),
            Behavior::MergedWithNext => {
                let mirrored = |span: Span| Span::new(1000 - span.end, 1000 - span.start);
                let turned: Vec<_> =
                    parts.iter().rev().map(|&(span, hit)| (mirrored(span), hit)).collect();
                let found = pieces(Behavior::MergedWithPrevious, &turned);
                found.into_iter().rev().map(mirrored).collect()
            }
        }
    }

    proptest! {
        #[test]
        fn parts_that_come_one_by_one_make_the_same_pieces(
            parts in proptest::collection::vec((1..4_usize, any::<bool>()), 0..12),
        ) {
            let mut end = 0;
            let parts: Vec<(Span, bool)> = parts
                .into_iter()
                .map(|(length, hit)| {
                    end += length;
                    (Span::new(end - length, end), hit)
                })
                .collect();
            for (behavior, _) in Behavior::ALL {
                let mut found = Vec::new();
                let mut joining = Joining::new(behavior);
                for &(span, hit) in &parts {
                    joining.part(span, hit, &mut |piece| found.push(piece));
                }
                joining.finish(&mut |piece| found.push(piece));
                prop_assert_eq!(pieces(behavior, &parts), found);
            }
        }
    }

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
