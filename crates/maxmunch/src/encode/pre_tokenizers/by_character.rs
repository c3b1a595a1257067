//! Cuts at single characters: what the simple pre-tokenizers have in common.

use crate::encode::pre_tokenizers::{Behavior, Joining, Pieces};
use crate::error::Result;
use crate::machine::ordered::Cut;
use crate::units::Span;

/// Cuts every piece at the characters that `is_match` accepts; each of them is a match for itself.
pub(super) fn cut(
    pieces: &mut Pieces,
    behavior: Behavior,
    is_match: impl Fn(char) -> bool,
) -> Result<()> {
    pieces.split(|text, emit| {
        let mut joining = Joining::new(behavior);
        let mut done = 0;
        for (start, character) in text.char_indices().filter(|&(_, character)| is_match(character))
        {
            if done < start {
                joining.part(Span::new(done, start), false, emit);
            }
            done = start + character.len_utf8();
            joining.part(Span::new(start, done), true, emit);
        }
        if done < text.len() {
            joining.part(Span::new(done, text.len()), false, emit);
        }
        joining.finish(emit);
        Ok(())
    })
}

/// The cut around these characters, each or in runs, if that is all the behavior does.
pub(super) fn as_cut(behavior: Behavior, characters: Vec<(char, char)>) -> Option<Cut> {
    match behavior {
        Behavior::Isolated => Some(Cut::Each(characters)),
        Behavior::Contiguous => Some(Cut::Runs(characters)),
        Behavior::Removed | Behavior::MergedWithPrevious | Behavior::MergedWithNext => None,
    }
}

/// The characters that `is_match` accepts, as ranges with both ends.
pub(super) fn ranges(is_match: impl Fn(char) -> bool) -> Vec<(char, char)> {
    let mut ranges: Vec<(char, char)> = Vec::new();
    for character in (char::MIN..=char::MAX).filter(|&character| is_match(character)) {
        match ranges.last_mut() {
            Some((_, last)) if *last as u32 + 1 == character as u32 => *last = character,
            _ => ranges.push((character, character)),
        }
    }
    ranges
}

/// Helpers of the tests of several components.
#[cfg(test)]
pub(super) mod testing {
    use crate::encode::aligned::AlignedText;
    use crate::encode::pre_tokenizers::Pieces;
    use crate::error::Result;

    /// The pieces that `apply` makes of `text`.
    pub(in super::super) fn pieces_of(
        text: &str,
        apply: impl FnOnce(&mut Pieces) -> Result<()>,
    ) -> Result<Vec<String>> {
        let mut pieces = Pieces::whole(AlignedText::unchanged(text, 0), true);
        apply(&mut pieces)?;
        Ok(pieces.texts().map(str::to_owned).collect())
    }
}
