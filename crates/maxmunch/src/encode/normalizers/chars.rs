//! Normalizers that look at one character at a time. Text that would not change is handed back as it came.

use unicode_normalization_alignments::char::is_combining_mark;

use crate::encode::aligned::AlignedText;
use crate::encode::byte_level as table;
use crate::units::Span;

/// Keeps the characters for which `keep` holds.
pub(super) fn filter(
    text: AlignedText<'_>,
    tracked: bool,
    keep: impl Fn(char) -> bool,
) -> AlignedText<'_> {
    if text.has_front() {
        let characters = text.text().chars().map(|character| (character, keep(character)));
        if let Some(changed) = keep_behind(&text, tracked, characters) {
            return changed;
        }
    }
    if text.text().chars().all(&keep) {
        return text;
    }
    let mut out = text.rewrite(tracked);
    for (at, character) in text.text().char_indices().filter(|(_, character)| keep(*character)) {
        out.keep(Span::new(at, at + character.len_utf8()));
    }
    let changed = out.finish();
    text.replaced(changed)
}

/// Drops characters, each of which comes with whether it is kept, from a text with a made up front; `None`
/// where the reference fails.
pub(in crate::encode) fn keep_behind<'a>(
    text: &AlignedText<'a>,
    tracked: bool,
    characters: impl Iterator<Item = (char, bool)>,
) -> Option<AlignedText<'a>> {
    let (mut first, mut kept) = (0, Vec::new());
    for (character, keep) in characters {
        match kept.last_mut() {
            _ if keep => kept.push((character, 0)),
            Some((_, change)) => *change -= 1,
            None => first += 1,
        }
    }
    // Where nothing is kept, nothing counts as dropped before it.
    text.transform_behind(if kept.is_empty() { 0 } else { first }, &kept, tracked)
}

/// Replaces every character by one character.
pub(super) fn map(
    text: AlignedText<'_>,
    tracked: bool,
    change: impl Fn(char) -> char,
) -> AlignedText<'_> {
    if !text.has_front() && text.text().chars().all(|character| change(character) == character) {
        return text;
    }
    let changed = text.text().chars().map(|character| (change(character), 0));
    text.transform(changed, tracked)
}

pub(super) fn lowercase(text: AlignedText<'_>, tracked: bool) -> AlignedText<'_> {
    let is_lower = |character: char| character.to_lowercase().eq([character]);
    if !text.has_front() && text.text().chars().all(is_lower) {
        return text;
    }
    let changed = text.text().chars().flat_map(|character| {
        let lower = character.to_lowercase().enumerate();
        lower.map(|(index, lower)| (lower, isize::from(index > 0)))
    });
    text.transform(changed, tracked)
}

pub(super) fn strip_accents(text: AlignedText<'_>, tracked: bool) -> AlignedText<'_> {
    filter(text, tracked, |character| !is_combining_mark(character))
}

pub(super) fn strip(
    text: AlignedText<'_>,
    left: bool,
    right: bool,
    tracked: bool,
) -> AlignedText<'_> {
    let whole = text.text();
    let start = if left { whole.len() - whole.trim_start().len() } else { 0 };
    let end = if right { whole.trim_end().len().max(start) } else { whole.len() };
    if start == 0 && end == whole.len() {
        return text;
    }
    if text.has_front() {
        let kept: Vec<_> = whole[start..end].chars().map(|character| (character, 0)).collect();
        let dropped = whole[..start].chars().count();
        if let Some(changed) = text.transform_behind(dropped, &kept, tracked) {
            return changed;
        }
    }
    let mut out = text.rewrite(tracked);
    out.keep(Span::new(start, end));
    let changed = out.finish();
    text.replaced(changed)
}

/// Every character put in takes the range of the first character of the text. Where none is put in, the first
/// character itself counts as put before everything, as in the reference.
pub(super) fn prepend<'a>(text: AlignedText<'a>, prefix: &str, tracked: bool) -> AlignedText<'a> {
    let Some(first) = text.text().chars().next() else { return text };
    let mut out = text.rewrite(tracked);
    let mut rest = text.span();
    for character in prefix.chars() {
        out.put(character, 0);
    }
    if prefix.is_empty() {
        out.put_empty(first, text.original_start(text.len()));
        rest.start = first.len_utf8();
    }
    out.keep(rest);
    let changed = out.finish();
    text.replaced(changed)
}

pub(super) fn byte_level(text: AlignedText<'_>, tracked: bool) -> AlignedText<'_> {
    if text.is_empty() {
        return text;
    }
    if text.has_front() {
        let whole = text.text();
        let first = |at| isize::from(!whole.is_char_boundary(at));
        let written = whole.bytes().enumerate().map(|(at, byte)| (table::char_of(byte), first(at)));
        let written: Vec<_> = written.collect();
        if let Some(changed) = text.transform_behind(0, &written, tracked) {
            return changed;
        }
    }
    let mut out = text.rewrite(tracked);
    for (index, byte) in text.text().bytes().enumerate() {
        out.put(table::char_of(byte), index);
    }
    let changed = out.finish();
    text.replaced(changed)
}

#[cfg(test)]
mod tests {
    use super::{lowercase, prepend, strip};
    use crate::encode::aligned::AlignedText;
    use crate::units::Span;

    #[test]
    fn lowercasing_may_lengthen() {
        let lower = lowercase(AlignedText::unchanged("aİb", 0), true);

        assert_eq!("ai\u{307}b", lower.text());
        assert_eq!(Span::new(1, 3), lower.original(Span::new(2, 4)));
        assert_eq!(Span::new(3, 4), lower.original(Span::new(4, 5)));
    }

    #[test]
    fn a_prefix_has_the_range_of_the_first_character() {
        let longer = prepend(AlignedText::unchanged("éa", 5), "▁▁", true);

        assert_eq!("▁▁éa", longer.text());
        assert_eq!(Span::new(5, 7), longer.original(Span::new(0, 6)));
        assert_eq!(Span::new(5, 7), longer.original(Span::new(6, 8)));
    }

    #[test]
    fn stripping_everything_leaves_nothing() {
        assert_eq!("", strip(AlignedText::unchanged(" \n", 0), true, true, true).text());
        assert_eq!("a ", strip(AlignedText::unchanged(" a ", 0), true, false, true).text());
    }
}
