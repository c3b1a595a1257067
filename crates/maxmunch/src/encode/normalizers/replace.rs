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

#[cfg(test)]
mod tests {
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
}
