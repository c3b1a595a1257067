//! Cuts at single characters: what the simple pre-tokenizers have in common.

use crate::encode::pre_tokenizers::{Behavior, Pieces};
use crate::error::Result;
use crate::units::Span;

/// Cuts every piece at the characters that `is_match` accepts; each of them is a match for itself.
pub(super) fn cut(
    pieces: &mut Pieces,
    behavior: Behavior,
    is_match: impl Fn(char) -> bool,
) -> Result<()> {
    let mut parts = Vec::new();
    pieces.split(|text, emit| {
        parts.clear();
        let mut done = 0;
        for (start, character) in text.char_indices().filter(|&(_, character)| is_match(character))
        {
            if done < start {
                parts.push((Span::new(done, start), false));
            }
            done = start + character.len_utf8();
            parts.push((Span::new(start, done), true));
        }
        if done < text.len() {
            parts.push((Span::new(done, text.len()), false));
        }
        behavior.pieces(&parts, emit);
        Ok(())
    })
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
