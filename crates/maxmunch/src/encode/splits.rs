//! What the splitter makes of a text, to tell people (`inspect`, `explain`).

use crate::encode::added_tokens::{Part, Specials};
use crate::encode::aligned::AlignedText;
use crate::encode::tokenizer::Tokenizer;
use crate::error::Result;

/// Pieces of a text before and after the splitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splits {
    /// Why pieces are not cut; `None` when they are.
    pub refusal: Option<&'static str>,
    /// Pieces that the pre-tokenizer makes, added tokens aside.
    pub pieces: usize,
    /// Parts that the splitter makes of them.
    pub parts: usize,
}

impl Tokenizer {
    /// What the splitter makes of `text`.
    ///
    /// # Errors
    ///
    /// As [`Tokenizer::encode`], of the stages before the model.
    pub fn splits(&self, text: &str) -> Result<Splits> {
        let on_bytes = self.runs_on_bytes();
        let refusal = self.model.refuses_cuts(on_bytes);
        let is_custom = self.pre_tokenizer.as_ref().is_some_and(|part| part.has_custom());
        if is_custom || self.normalizer.as_ref().is_some_and(|part| part.has_custom()) {
            let refusal = Some("a part that was brought from outside makes the pieces");
            return Ok(Splits { refusal, pieces: 0, parts: 0 });
        }
        let mut splits = Splits { refusal, pieces: 0, parts: 0 };
        let specials = Specials::Parse;
        self.added.scanner()?.raw(text, specials, |part| {
            let Part::Gap(span) = part else { return Ok(()) };
            let gap = AlignedText::unchanged(&text[span.range()], span.start);
            let mut pieces = self.pieces(gap, specials, true)?;
            match self.pre_tokenizer.as_deref() {
                Some(part) if on_bytes => part.apply_to_bytes(&mut pieces)?,
                Some(part) => part.apply(&mut pieces)?,
                None => {}
            }
            let bytes = pieces.text().text().as_bytes();
            for piece in pieces.pieces().iter().filter(|piece| piece.added.is_none()) {
                if piece.span.is_empty() {
                    continue;
                }
                splits.pieces += 1;
                splits.parts += self.model.part_count(bytes, piece.span, on_bytes);
            }
            Ok(())
        })?;
        Ok(splits)
    }
}
