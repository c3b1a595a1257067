//! `Whitespace` and `WhitespaceSplit`: white space is dropped; the former also cuts words from symbols.

use crate::encode::pre_tokenizers::{Behavior, Pieces, by_character};
use crate::encode::seams::{Beside, Seam};
use crate::error::Result;
use crate::units::Span;

/// What a character is to `\w+|[^\w\s]+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Symbol,
}

fn class(character: char) -> Class {
    if is_word(character) {
        Class::Word
    } else if character.is_whitespace() {
        Class::Space
    } else {
        Class::Symbol
    }
}

/// Whether a character is `\w`: alphabetic, marks, decimal digits, connectors, joiners.
pub(in crate::encode) fn is_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    regex_syntax::try_is_word_character(character).unwrap_or(character.is_alphanumeric())
}

/// `Whitespace`: runs of word characters and runs of symbols.
pub(super) fn apply(pieces: &mut Pieces) -> Result<()> {
    pieces.split(|text, emit| {
        let mut start = 0;
        let mut current = Class::Space;
        for (at, character) in text.char_indices() {
            let next = class(character);
            if next != current {
                if current != Class::Space {
                    emit(Span::new(start, at));
                }
                (start, current) = (at, next);
            }
        }
        if current != Class::Space {
            emit(Span::new(start, text.len()));
        }
        Ok(())
    })
}

pub(in crate::encode) fn seam(beside: Beside) -> Seam {
    match (beside.0.map(class), beside.1.map(class)) {
        (Some(Class::Space), _) | (_, Some(Class::Space)) => Seam::Boundary,
        (Some(left), Some(right)) if left != right => Seam::Boundary,
        _ => Seam::Inside(beside),
    }
}

/// `WhitespaceSplit`: what stands between white space.
pub(super) fn split(pieces: &mut Pieces) -> Result<()> {
    by_character::cut(pieces, Behavior::Removed, char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::error::Result;

    #[test]
    fn words_and_symbols_are_runs() -> Result<()> {
        assert_eq!(
            vec!["Hey", "!!", "a\u{301}b", "²", "x‿y", "…", "漢字"],
            pieces_of(" Hey!! a\u{301}b²x‿y\n…漢字 ", super::apply)?
        );
        Ok(())
    }

    #[test]
    fn separators_that_are_no_white_space_stay() -> Result<()> {
        assert_eq!(
            vec!["a\u{1c}b", "c\u{200b}d"],
            pieces_of("a\u{1c}b\u{85}\u{a0}c\u{200b}d", super::split)?
        );
        Ok(())
    }
}
