//! Text at work: what the next stage sees, and from which bytes of the original each byte came.
//!
//! Every byte carries a range of the original. A character that was put in takes the range of the
//! character before it; a token covers from the start of its first byte's range to the end of its last
//! byte's. Most text is never changed: then no range is stored at all.

use std::borrow::Cow;

use crate::units::Span;

/// A range of the original in 32 bits: texts over 4 GiB are refused before they get here.
pub(super) type Range32 = (u32, u32);

/// A text and the original bytes behind it.
#[derive(Debug, Clone)]
pub struct AlignedText<'a> {
    text: Cow<'a, str>,
    /// The text as it was before any change.
    source: &'a str,
    /// Original byte position of the start of the text.
    base: usize,
    origin: Origin,
}

#[derive(Debug, Clone)]
enum Origin {
    /// The text is the original from `base` on.
    Same,
    /// One range a byte.
    Ranges(Vec<Range32>),
    /// The text was changed and nobody asks for offsets; so many bytes at its start are made up.
    Untracked { front: usize },
}

impl<'a> AlignedText<'a> {
    /// Unchanged text that starts at byte `base` of the original.
    pub fn unchanged(text: &'a str, base: usize) -> Self {
        Self { text: Cow::Borrowed(text), source: text, base, origin: Origin::Same }
    }

    /// Text with the original range of each of its bytes; `source` starts at byte `base` of the original.
    pub(super) fn with_ranges(
        text: &'a str,
        ranges: Vec<Range32>,
        source: &'a str,
        base: usize,
    ) -> Self {
        debug_assert_eq!(text.len(), ranges.len());
        Self { text: Cow::Borrowed(text), source, base, origin: Origin::Ranges(ranges) }
    }

    /// The same text with the ranges that somebody else gave it.
    pub(super) fn with_changed(&self, text: String, ranges: Vec<Range32>) -> AlignedText<'a> {
        self.replaced(Changed { text, ranges: Some(ranges), front: 0 })
    }

    /// The text as it was before any change, and where it starts in the original.
    pub(super) fn source(&self) -> (&'a str, usize) {
        (self.source, self.base)
    }

    /// The original range of each byte in `span`.
    pub(super) fn ranges(&self, span: Span) -> Vec<Range32> {
        span.range().map(|byte| self.range_of(byte)).collect()
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// All of it.
    pub fn span(&self) -> Span {
        Span::new(0, self.text.len())
    }

    /// The original range of the bytes in `span`; an empty span gives an empty range.
    pub fn original(&self, span: Span) -> Span {
        if span.is_empty() {
            return Span::new(self.base + span.start, self.base + span.end);
        }
        Span::new(self.range_of(span.start).0 as usize, self.range_of(span.end - 1).1 as usize)
    }

    /// Whether it is known that the bytes in `span` stand for nothing of the original.
    pub fn is_made_up(&self, span: Span) -> bool {
        matches!(self.origin, Origin::Ranges(_))
            && !span.is_empty()
            && self.original(span).is_empty()
    }

    /// Number of bytes at the start that stand for nothing of the original: a normalizer put them there.
    fn front(&self) -> usize {
        match &self.origin {
            Origin::Same => 0,
            Origin::Ranges(ranges) => ranges.iter().take_while(|(start, end)| start == end).count(),
            Origin::Untracked { front } => *front,
        }
    }

    /// Whether changes of the whole text are those of [`Self::transform_behind`].
    pub fn has_front(&self) -> bool {
        self.front() > 0
    }

    /// Original position where the bytes from `start` on begin.
    pub fn original_start(&self, start: usize) -> usize {
        if start < self.len() { self.range_of(start).0 as usize } else { self.base }
    }

    fn range_of(&self, byte: usize) -> Range32 {
        match &self.origin {
            Origin::Same => {
                let bytes = self.text.as_bytes();
                let mut start = byte;
                while start > 0 && !self.text.is_char_boundary(start) {
                    start -= 1;
                }
                let mut end = byte + 1;
                while end < bytes.len() && !self.text.is_char_boundary(end) {
                    end += 1;
                }
                ((self.base + start) as u32, (self.base + end) as u32)
            }
            Origin::Ranges(ranges) => ranges.get(byte).copied().unwrap_or_default(),
            Origin::Untracked { .. } => (self.base as u32, self.base as u32),
        }
    }

    /// Starts a changed copy; ranges are kept only when `tracked`.
    pub fn rewrite(&self, tracked: bool) -> Rewriter<'_> {
        Rewriter {
            source: self,
            text: String::with_capacity(self.len() + self.len() / 8),
            ranges: tracked.then(|| Vec::with_capacity(self.len() + self.len() / 8)),
            source_front: self.front(),
            front: 0,
        }
    }

    /// The changed copy that a [`Rewriter`] made of a text with the same base.
    #[must_use]
    pub fn replaced(&self, changed: Changed) -> AlignedText<'a> {
        AlignedText {
            text: Cow::Owned(changed.text),
            source: self.source,
            base: self.base,
            origin: match changed.ranges {
                Some(ranges) => Origin::Ranges(ranges),
                None => Origin::Untracked { front: changed.front },
            },
        }
    }

    /// Another text in its place, of which nobody asks for offsets and nothing is made up.
    #[must_use]
    pub fn replaced_by(&self, text: String) -> AlignedText<'a> {
        self.replaced(Changed { text, ranges: None, front: 0 })
    }

    /// Changes the whole text by a sequence of `(character, change)` pairs, as normalization gives them:
    /// 0 replaces one character, a positive change inserts, `-n` replaces one and drops `n` more.
    #[must_use]
    pub fn transform(
        &self,
        characters: impl Iterator<Item = (char, isize)>,
        tracked: bool,
    ) -> AlignedText<'a> {
        if self.has_front() {
            let characters: Vec<_> = characters.collect();
            if let Some(changed) = self.transform_behind(0, &characters, tracked) {
                return changed;
            }
            return self.transform_all(characters.into_iter(), tracked);
        }
        self.transform_all(characters, tracked)
    }

    fn transform_all(
        &self,
        characters: impl Iterator<Item = (char, isize)>,
        tracked: bool,
    ) -> AlignedText<'a> {
        let mut out = self.rewrite(tracked);
        out.transform(self.span(), self.base, characters);
        self.replaced(out.finish())
    }

    /// Changes a text with a made up front as the reference does, which replaces what stands for the original
    /// by the whole text changed: the front is there twice. `None` where it fails to find a place for a character.
    ///
    /// `characters` is as in [`Self::transform`]; before them so many characters are dropped.
    pub fn transform_behind(
        &self,
        dropped: usize,
        characters: &[(char, isize)],
        tracked: bool,
    ) -> Option<AlignedText<'a>> {
        // Nothing stands for an original without text: then nothing is replaced.
        let replaced = if self.source.is_empty() {
            Span::new(0, 0)
        } else {
            Span::new(self.front(), self.len())
        };
        let mut out = self.rewrite(tracked);
        out.keep(Span::new(0, replaced.start));
        let mut rest = self.text[replaced.range()].chars();
        let mut at = replaced.start + len_of((&mut rest).take(dropped));
        for &(character, change) in characters {
            if change > 0 {
                match at.checked_sub(1) {
                    Some(before) => out.put(character, before),
                    None => out.put_empty(character, self.base),
                }
                continue;
            }
            if at >= self.len() {
                return None;
            }
            out.put(character, at);
            at += len_of((&mut rest).take(1 + change.unsigned_abs()));
        }
        out.keep(Span::new(replaced.end, self.len()));
        Some(self.replaced(out.finish()))
    }
}

fn len_of(characters: impl Iterator<Item = char>) -> usize {
    characters.map(char::len_utf8).sum()
}

/// What a [`Rewriter`] made.
#[derive(Debug)]
pub struct Changed {
    text: String,
    ranges: Option<Vec<Range32>>,
    /// Number of bytes at the start that are made up, for when there are no ranges.
    front: usize,
}

/// Writes a changed copy of a text from left to right.
#[derive(Debug)]
pub struct Rewriter<'s> {
    source: &'s AlignedText<'s>,
    text: String,
    ranges: Option<Vec<Range32>>,
    /// Bytes at the start that are made up, of the source and of what is written.
    source_front: usize,
    front: usize,
}

impl Rewriter<'_> {
    /// Bytes written so far.
    pub fn position(&self) -> usize {
        self.text.len()
    }

    /// Copies the bytes of `span` as they are.
    pub fn keep(&mut self, span: Span) {
        if span.start < self.source_front {
            self.extend_front(span.end.min(self.source_front) - span.start);
        }
        self.text.push_str(&self.source.text[span.range()]);
        if let Some(ranges) = &mut self.ranges {
            match &self.source.origin {
                Origin::Ranges(all) => ranges.extend_from_slice(&all[span.range()]),
                _ => ranges.extend(span.range().map(|byte| self.source.range_of(byte))),
            }
        }
    }

    /// Notes that the next bytes stand for nothing, if that is so of all before them.
    fn extend_front(&mut self, bytes: usize) {
        if self.front == self.text.len() {
            self.front += bytes;
        }
    }

    /// Writes a character that takes the range of byte `from` of the source.
    pub fn put(&mut self, character: char, from: usize) {
        if from < self.source_front {
            self.extend_front(character.len_utf8());
        }
        if let Some(ranges) = &mut self.ranges {
            let range = self.source.range_of(from);
            ranges.extend(std::iter::repeat_n(range, character.len_utf8()));
        }
        self.text.push(character);
    }

    /// Writes a character that takes the range of the bytes `from` of the source.
    pub fn put_over(&mut self, character: char, from: Span) {
        if let Some(ranges) = &mut self.ranges {
            let range = self.source.original(from);
            let range = (range.start as u32, range.end as u32);
            ranges.extend(std::iter::repeat_n(range, character.len_utf8()));
        }
        self.text.push(character);
    }

    /// Takes off the end all of `character` that was written.
    pub fn drop_trailing(&mut self, character: char) {
        let kept = self.text.trim_end_matches(character).len();
        self.text.truncate(kept);
        self.front = self.front.min(kept);
        if let Some(ranges) = &mut self.ranges {
            ranges.truncate(kept);
        }
    }

    /// Writes a character that has nothing before it: it takes the empty range at `at` of the original.
    pub fn put_empty(&mut self, character: char, at: usize) {
        self.extend_front(character.len_utf8());
        if let Some(ranges) = &mut self.ranges {
            let range = (at as u32, at as u32);
            ranges.extend(std::iter::repeat_n(range, character.len_utf8()));
        }
        self.text.push(character);
    }

    /// Writes the bytes `span` of the source as changed by `characters` (see [`AlignedText::transform`]).
    ///
    /// `start` is the original position that a character inserted before everything stands at.
    pub fn transform(
        &mut self,
        span: Span,
        start: usize,
        characters: impl Iterator<Item = (char, isize)>,
    ) {
        let mut at = span.start;
        let mut replaced = self.source.text[span.range()].chars();
        for (character, change) in characters {
            if change > 0 {
                match at {
                    at if at > span.start => self.put(character, at - 1),
                    _ => self.put_empty(character, start),
                }
                continue;
            }
            self.put(character, at);
            at += len_of((&mut replaced).take(1 + change.unsigned_abs()));
        }
    }

    /// The copy.
    pub fn finish(self) -> Changed {
        Changed { text: self.text, ranges: self.ranges, front: self.front }
    }
}

#[cfg(test)]
mod tests {
    use super::AlignedText;
    use crate::units::Span;

    #[test]
    fn unchanged_text_covers_whole_characters() {
        let text = AlignedText::unchanged("aé漢", 10);

        assert_eq!(Span::new(11, 13), text.original(Span::new(1, 2)));
        assert_eq!(Span::new(11, 16), text.original(Span::new(2, 4)));
    }

    #[test]
    fn an_inserted_character_takes_the_range_before_it() {
        let text = AlignedText::unchanged("éb", 4);

        let decomposed = text.transform([('e', 0), ('\u{301}', 1), ('b', 0)].into_iter(), true);

        assert_eq!("e\u{301}b", decomposed.text());
        assert_eq!(Span::new(4, 6), decomposed.original(Span::new(1, 3)));
        assert_eq!(Span::new(6, 7), decomposed.original(Span::new(3, 4)));
    }

    #[test]
    fn a_dropped_character_belongs_to_nobody() {
        let text = AlignedText::unchanged("abc", 0);

        let shorter = text.transform([('a', -1), ('c', 0)].into_iter(), true);

        assert_eq!("ac", shorter.text());
        assert_eq!(Span::new(2, 3), shorter.original(Span::new(1, 2)));
    }

    #[test]
    fn an_insertion_before_everything_is_empty() {
        let text = AlignedText::unchanged("b", 7);

        let longer = text.transform([('a', 1), ('b', 0)].into_iter(), true);

        assert_eq!(Span::new(7, 7), longer.original(Span::new(0, 1)));
        assert_eq!(Span::new(7, 8), longer.original(Span::new(0, 2)));
    }

    fn with_front(tracked: bool) -> AlignedText<'static> {
        let text = AlignedText::unchanged("ab", 0);
        text.transform([('x', 1), ('a', 0), ('b', 0)].into_iter(), tracked)
    }

    #[test]
    fn text_behind_a_front_is_replaced_by_all_text_where_enough_is_dropped() {
        for tracked in [false, true] {
            let doubled = with_front(tracked).transform([('x', 0), ('a', -1)].into_iter(), tracked);

            assert_eq!("xxa", doubled.text());
            assert_eq!(1, doubled.front());
        }
    }

    #[test]
    fn what_finds_no_place_is_changed_once() {
        for tracked in [false, true] {
            let whole = [('X', 0), ('A', 0), ('B', 0)];
            let once = with_front(tracked).transform(whole.into_iter(), tracked);

            assert_eq!("XAB", once.text());
        }
    }
}
