//! `Nmt`: control characters go, unusual spaces and a few other characters become a space.
//!
//! NUL stays, as in the reference.

use crate::encode::aligned::AlignedText;
use crate::encode::normalizers::chars;

/// The normalized text; text without any such character is handed back as it came.
pub(super) fn apply(text: AlignedText<'_>, tracked: bool) -> AlignedText<'_> {
    if text.has_front() {
        let text = chars::filter(text, tracked, |character| !is_dropped(character));
        return chars::map(text, tracked, |c| if is_space(c) { ' ' } else { c });
    }
    if !text.text().chars().any(|character| is_dropped(character) || is_space(character)) {
        return text;
    }
    let mut out = text.rewrite(tracked);
    for (at, character) in text.text().char_indices() {
        if !is_dropped(character) {
            out.put(if is_space(character) { ' ' } else { character }, at);
        }
    }
    let changed = out.finish();
    text.replaced(changed)
}

fn is_dropped(character: char) -> bool {
    matches!(
        character,
        '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}'
    )
}

fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\u{C}' | '\r' | '\u{1680}' | '\u{200B}'
            ..='\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{2581}' | '\u{FEFF}' | '\u{FFFD}'
    )
}

#[cfg(test)]
mod tests {
    use super::apply;
    use crate::encode::aligned::AlignedText;
    use crate::units::Span;

    #[test]
    fn controls_go_and_marks_become_spaces() {
        let text = apply(AlignedText::unchanged("\u{1}a\0\u{b}b▁\tc", 0), true);

        assert_eq!("a\0b  c", text.text());
        assert_eq!(Span::new(1, 5), text.original(Span::new(0, 3)));
        assert_eq!(Span::new(5, 8), text.original(Span::new(3, 4)));
    }
}
