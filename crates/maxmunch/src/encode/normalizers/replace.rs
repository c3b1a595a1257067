//! `Replace`: every match of a pattern becomes a text.

use crate::encode::aligned::AlignedText;
use crate::encode::pattern::Pattern;
use crate::error::Result;

/// The characters put in take the range of the last character of the match.
pub(super) fn apply<'a>(
    text: AlignedText<'a>,
    pattern: &Pattern,
    content: &str,
    tracked: bool,
) -> Result<AlignedText<'a>> {
    // An empty text has no matches, not even of the empty pattern.
    if text.is_empty() || pattern.find_from(text.text(), 0)?.is_none() {
        return Ok(text);
    }
    if let (false, Some(byte)) = (tracked || text.has_front(), pattern.literal_byte())
        && let Some(changed) = replace_byte(text.text(), byte, content)
    {
        return Ok(text.replaced_by(changed));
    }
    let mut out = text.rewrite(tracked);
    let base = text.original_start(text.len());
    pattern.for_each_part(text.text(), |span, is_match| {
        if !is_match {
            out.keep(span);
            return Ok(());
        }
        for character in content.chars() {
            match span.end.checked_sub(1) {
                Some(last) => out.put(character, last),
                None => out.put_empty(character, base),
            }
        }
        Ok(())
    })?;
    let changed = out.finish();
    Ok(text.replaced(changed))
}

/// Bytes that are written at once.
const WIDE: usize = 4;

/// The text with `content`, of 1 to [`WIDE`] bytes, for each `byte`, which is ASCII; `None` for other contents.
fn replace_byte(text: &str, byte: u8, content: &str) -> Option<String> {
    let mut wide = [0; WIDE];
    wide.get_mut(..content.len())
        .filter(|_| !content.is_empty())?
        .copy_from_slice(content.as_bytes());
    let count = text.bytes().filter(|&found| found == byte).count();
    let size = text.len() - count + count * content.len();
    let mut out = vec![0; size + WIDE];
    let mut at = 0;
    for found in text.bytes() {
        // PERF: no branch on what is found; what is written beyond it is overwritten.
        let is_match = found == byte;
        let written = if is_match { wide } else { [found, 0, 0, 0] };
        out.get_mut(at..at + WIDE)?.copy_from_slice(&written);
        at += if is_match { content.len() } else { 1 };
    }
    out.truncate(size);
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::apply;
    use crate::encode::aligned::AlignedText;
    use crate::encode::pattern::Pattern;
    use crate::error::Result;
    use crate::units::Span;

    #[test]
    fn what_is_put_in_covers_the_last_replaced_character() -> Result<()> {
        let text = AlignedText::unchanged("a  b", 0);
        let changed = apply(text, &Pattern::new(" +")?, "xy", true)?;

        assert_eq!("axyb", changed.text());
        assert_eq!(Span::new(2, 3), changed.original(Span::new(1, 3)));
        Ok(())
    }

    #[test]
    fn the_empty_pattern_matches_between_characters() -> Result<()> {
        let text = AlignedText::unchanged("ab", 0);

        assert_eq!("XaXbX", apply(text, &Pattern::literal(""), "X", true)?.text());
        Ok(())
    }

    proptest! {
        #[test]
        fn without_offsets_the_text_is_the_same(
            text in "[ a-c漢é🙂]{0,40}",
            content in "[ ab▁🙂]{0,3}",
        ) {
            for literal in [" ", "a", "漢", "ab"] {
                let pattern = Pattern::literal(literal);
                let of = |tracked| {
                    let changed = apply(AlignedText::unchanged(&text, 0), &pattern, &content, tracked);
                    changed.map(|changed| changed.text().to_owned())
                };
                let expected = text.replace(literal, &content);
                prop_assert_eq!(Some(expected.clone()), of(true).ok());
                prop_assert_eq!(Some(expected), of(false).ok());
            }
        }
    }
}
