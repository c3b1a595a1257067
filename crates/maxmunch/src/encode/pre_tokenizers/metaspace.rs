//! `Metaspace`: a visible mark for spaces, `▁`, in front of each word.

use crate::encode::json::{Json, Node};
use crate::encode::pre_tokenizers::{Behavior, Pieces, by_character};
use crate::error::Result;
use crate::units::Span;

/// Which pieces get a mark in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrependScheme {
    /// The one that starts where the text starts, before any normalizer.
    First,
    /// None.
    Never,
    /// All.
    Always,
}

impl PrependScheme {
    const ALL: [(Self, &'static str); 3] =
        [(Self::First, "first"), (Self::Never, "never"), (Self::Always, "always")];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(scheme, _)| *scheme == self).map_or("", |(_, name)| name)
    }

    fn from_json(node: &Node) -> Result<Self> {
        let name = node.text()?;
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(scheme, _)| *scheme).ok_or_else(|| {
            node.invalid(format!("should be one of {}", Self::ALL.map(|(_, name)| name).join(", ")))
        })
    }
}

/// The options that the pre-tokenizer and the decoder of this name share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetaspaceOptions {
    /// The mark.
    pub replacement: char,
    /// Which pieces get one in front.
    pub prepend_scheme: PrependScheme,
    /// Whether a mark starts a piece.
    pub split: bool,
}

impl MetaspaceOptions {
    pub(in crate::encode) fn from_json(node: &Node) -> Result<Self> {
        let scheme = node.present("prepend_scheme");
        let prepend_scheme = match &scheme {
            Some(scheme) => PrependScheme::from_json(scheme)?,
            None => PrependScheme::Always,
        };
        // The flag of old files; where it says no, the scheme has to say so as well.
        if let Some(old) = node.optional("add_prefix_space")
            && !old.flag()?
            && prepend_scheme != PrependScheme::Never
        {
            return Err(old.invalid("contradicts prepend_scheme, which should be \"never\" then"));
        }
        // Another member of old files, which says nothing new.
        node.optional_text("str_rep")?;
        Ok(Self {
            replacement: node.field("replacement")?.character()?,
            prepend_scheme,
            split: node.optional("split").map_or(Ok(true), |split| split.flag())?,
        })
    }

    pub(in crate::encode) fn to_json(self) -> Json<'static> {
        Json::component(
            "Metaspace",
            [
                ("replacement", self.replacement.into()),
                ("prepend_scheme", self.prepend_scheme.name().into()),
                ("split", self.split.into()),
            ],
        )
    }

    pub(super) fn apply(self, pieces: &mut Pieces) -> Result<()> {
        let mark = self.replacement;
        pieces.rewrite(|text, piece, out| {
            let part = &text.text()[piece.range()];
            let is_marked = part.starts_with(' ') || part.starts_with(mark);
            let prepends = match self.prepend_scheme {
                PrependScheme::Always => true,
                PrependScheme::First => text.original_start(piece.start) == 0,
                PrependScheme::Never => false,
            };
            if prepends && !is_marked {
                out.put(mark, piece.start);
            }
            let mut done = piece.start;
            for space in memchr::memchr_iter(b' ', part.as_bytes()) {
                let space = piece.start + space;
                out.keep(Span::new(done, space));
                out.put(mark, space);
                done = space + 1;
            }
            out.keep(Span::new(done, piece.end));
        });
        if self.split {
            by_character::cut(pieces, Behavior::MergedWithNext, |character| character == mark)?;
        }
        Ok(())
    }

    /// Whether it matters where in the original text a piece starts.
    pub(super) fn needs_origins(self) -> bool {
        self.prepend_scheme == PrependScheme::First
    }
}

#[cfg(test)]
mod tests {
    use super::{MetaspaceOptions, PrependScheme};
    use crate::encode::aligned::AlignedText;
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::encode::pre_tokenizers::{Pieces, whitespace};
    use crate::error::Result;
    use crate::units::Span;

    fn metaspace(prepend_scheme: PrependScheme, split: bool) -> MetaspaceOptions {
        MetaspaceOptions { replacement: '▁', prepend_scheme, split }
    }

    #[test]
    fn a_mark_starts_a_piece_and_stands_alone_before_another() -> Result<()> {
        let part = metaspace(PrependScheme::Always, true);

        assert_eq!(vec!["▁a", "▁", "▁c\n"], pieces_of("a  c\n", |pieces| part.apply(pieces))?);
        assert_eq!(vec!["▁a"], pieces_of("▁a", |pieces| part.apply(pieces))?);
        assert_eq!(vec!["▁a"], pieces_of(" a", |pieces| part.apply(pieces))?);
        Ok(())
    }

    #[test]
    fn first_is_where_the_original_text_starts() -> Result<()> {
        let first = metaspace(PrependScheme::First, false);
        let both = |pieces: &mut Pieces| {
            whitespace::split(pieces)?;
            first.apply(pieces)
        };

        assert_eq!(vec!["▁a", "b"], pieces_of("a b", both)?);
        assert_eq!(vec!["b"], pieces_of(" b", both)?);
        Ok(())
    }

    #[test]
    fn marks_cover_their_space_or_the_character_after_them() -> Result<()> {
        let mut pieces = Pieces::whole(AlignedText::unchanged("é b", 3), true);
        metaspace(PrependScheme::Always, false).apply(&mut pieces)?;

        assert_eq!("▁é▁b", pieces.text().text());
        assert_eq!(Span::new(3, 5), pieces.text().original(Span::new(0, 3)));
        assert_eq!(Span::new(5, 6), pieces.text().original(Span::new(5, 8)));
        Ok(())
    }
}
