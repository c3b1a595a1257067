//! NFC, NFD, NFKC, NFKD with the tables of the reference's crate, which are older than Unicode 12.1.
//!
//! A newer normalizer would give other ids: U+32FF, for one, stays as it is here.

use std::sync::OnceLock;

use unicode_normalization_alignments::char::canonical_combining_class;
use unicode_normalization_alignments::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use crate::encode::aligned::{AlignedText, Rewriter};
use crate::units::Span;

/// One of the four Unicode normalization forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

impl Form {
    /// Its name in tokenizer files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nfc => "NFC",
            Self::Nfd => "NFD",
            Self::Nfkc => "NFKC",
            Self::Nfkd => "NFKD",
        }
    }

    /// Whether marks are composed with the character before them.
    pub(in crate::encode) const fn composes(self) -> bool {
        matches!(self, Self::Nfc | Self::Nfkc)
    }

    /// The normalized text; text that is already normalized is handed back as it came.
    ///
    /// Complexity: `O(n)`; what surely stays as it is costs one look-up a character.
    pub(super) fn apply(self, text: AlignedText<'_>, tracked: bool) -> AlignedText<'_> {
        if text.has_front() {
            return text.transform(self.changed(text.text()).into_iter(), tracked);
        }
        if text.text().is_ascii() {
            return text;
        }
        let mut out: Option<Rewriter> = None;
        let mut done = 0;
        for unsure in Unsure::new(self, text.text()) {
            let part = &text.text()[unsure.range()];
            let changed = self.changed(part);
            if changed.iter().copied().eq(part.chars().map(|character| (character, 0))) {
                continue;
            }
            let out = out.get_or_insert_with(|| text.rewrite(tracked));
            out.keep(Span::new(done, unsure.start));
            out.transform(unsure, text.original_start(unsure.start), changed.into_iter());
            done = unsure.end;
        }
        let Some(mut out) = out else { return text };
        out.keep(Span::new(done, text.len()));
        let changed = out.finish();
        text.replaced(changed)
    }

    /// The characters of the normalized text, each with what it inserts or drops.
    fn changed(self, text: &str) -> Vec<(char, isize)> {
        match self {
            Self::Nfc => text.nfc().collect(),
            Self::Nfd => text.nfd().collect(),
            Self::Nfkc => text.nfkc().collect(),
            Self::Nfkd => text.nfkd().collect(),
        }
    }

    fn is_surely_done(self, text: &str) -> bool {
        let answer = match self {
            Self::Nfc => is_nfc_quick(text.chars()),
            Self::Nfd => is_nfd_quick(text.chars()),
            Self::Nfkc => is_nfkc_quick(text.chars()),
            Self::Nfkd => is_nfkd_quick(text.chars()),
        };
        answer == IsNormalized::Yes
    }

    /// The combining class of a character that stays as it is wherever it stands in order; else [`CHANGES`].
    #[inline]
    fn class(self, character: char) -> u8 {
        static PAGES: [[OnceLock<Box<Page>>; PAGE_COUNT]; 4] =
            [const { [const { OnceLock::new() }; PAGE_COUNT] }; 4];
        let code = character as usize;
        let page = PAGES[self as usize][code / PAGE].get_or_init(|| self.page(code / PAGE));
        page[code % PAGE]
    }

    #[cold]
    fn page(self, index: usize) -> Box<Page> {
        let mut page = Box::new([CHANGES; PAGE]);
        for (code, class) in (index * PAGE..).zip(page.iter_mut()) {
            let Some(character) = char::from_u32(code as u32) else { continue };
            if self.is_surely_done(character.encode_utf8(&mut [0; 4])) {
                *class = canonical_combining_class(character);
            }
        }
        page
    }
}

/// Characters whose classes are found out together, when the first of them is met.
const PAGE: usize = 256;
const PAGE_COUNT: usize = 0x11_0000 / PAGE;
type Page = [u8; PAGE];

/// Of a character that may change, or change the one before it; no combining class is so large.
const CHANGES: u8 = 255;

/// The parts of a text that may change, left to right. Each begins and ends before a character of class 0, so that
/// all that a part becomes depends on it alone: such a character is not composed with the one before it, and no
/// mark passes it.
#[derive(Debug)]
struct Unsure<'t> {
    form: Form,
    text: &'t str,
    at: usize,
}

impl<'t> Unsure<'t> {
    fn new(form: Form, text: &'t str) -> Self {
        Self { form, text, at: 0 }
    }
}

impl Iterator for Unsure<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let rest = self.text.get(self.at..)?;
        let (mut start, mut last) = (0, 0);
        let mut is_sure = |&(offset, character): &(usize, char)| {
            // Those in most texts, which no form changes or composes with the one before.
            let class = if character.is_ascii() { 0 } else { self.form.class(character) };
            if class == 0 {
                start = offset;
            }
            let in_order = class == 0 || (class != CHANGES && class >= last);
            last = class;
            in_order
        };
        let (offset, _) = rest.char_indices().find(|place| !is_sure(place))?;
        let begins = |character: char| character.is_ascii() || self.form.class(character) == 0;
        let end = rest[offset..].char_indices().skip(1).find(|&(_, character)| begins(character));
        let end = end.map_or(rest.len(), |(length, _)| offset + length);
        let found = Span::new(self.at + start, self.at + end);
        self.at = found.end;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization_alignments::UnicodeNormalization;
    use unicode_normalization_alignments::char::canonical_combining_class;

    use super::Form;
    use crate::encode::aligned::AlignedText;
    use crate::units::Span;

    /// Characters that change alone, with the one before, or not at all, and marks of several classes.
    const TELLING: &str = "ae\u{301}\u{323}\u{344}\u{308}éǻ각가\u{11A8}\u{1161}\u{1100}क\
        \u{93C}\u{958}\u{94D}\u{5B0}ʰﬁ①Å\u{212B}\u{2ADC}\u{1D15E}豈\u{FA10} -";

    const FORMS: [Form; 4] = [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd];

    /// The definition: all characters changed at once.
    fn at_once(form: Form, text: &AlignedText<'_>) -> (String, Vec<Span>) {
        spans(&text.transform(form.changed(text.text()).into_iter(), true))
    }

    fn spans(text: &AlignedText<'_>) -> (String, Vec<Span>) {
        let bytes = 0..text.len();
        let spans = bytes.map(|byte| text.original(Span::new(byte, byte + 1))).collect();
        (text.text().to_owned(), spans)
    }

    proptest! {
        #[test]
        fn parts_that_may_change_give_what_the_whole_gives(
            text in prop::collection::vec(prop::sample::select(TELLING.chars().collect::<Vec<_>>()), 0..14),
        ) {
            let text = String::from_iter(text);
            for form in FORMS {
                let text = AlignedText::unchanged(&text, 0);
                let expected = at_once(form, &text);
                let untracked = form.apply(text.clone(), false);
                prop_assert_eq!(&expected.0, untracked.text());
                prop_assert_eq!(expected, spans(&form.apply(text, true)));
            }
        }
    }

    /// What `Unsure` relies on: a character of class 0 that stays as it is begins with one that neither moves nor
    /// joins the one before it.
    #[test]
    fn no_character_of_class_0_joins_the_one_before() {
        for form in FORMS {
            for character in (char::MIN..=char::MAX).filter(|&character| form.class(character) == 0)
            {
                let alone = character.to_string();
                let first = alone.nfd().next().map(|(first, _)| first);
                let first = first.unwrap_or(character);
                assert_eq!(0, canonical_combining_class(first), "{character:?}");
                assert!(
                    form == Form::Nfd || form == Form::Nfkd || form.class(first) == 0,
                    "{first:?}"
                );
                assert!(form.is_surely_done(character.encode_utf8(&mut [0; 4])));
            }
            assert!(('\0'..='\x7F').all(|character| form.class(character) == 0));
        }
    }

    #[test]
    fn text_that_passes_the_quick_check_would_not_change() {
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            if Form::Nfc.is_surely_done(&text) {
                assert!(text.nfc().eq([(character, 0)]), "{character:?}");
            }
            if Form::Nfkd.is_surely_done(&text) {
                assert!(text.nfkd().eq([(character, 0)]), "{character:?}");
            }
        }
    }

    #[test]
    fn composition_joins_the_ranges() {
        let text = AlignedText::unchanged("ae\u{301}b", 0);

        let composed = Form::Nfc.apply(text, true);

        assert_eq!("aéb", composed.text());
        assert_eq!(Span::new(4, 5), composed.original(Span::new(3, 4)));
    }

    #[test]
    fn the_tables_are_the_old_ones() {
        let text = AlignedText::unchanged("\u{32FF}", 0);

        assert_eq!("\u{32FF}", Form::Nfkc.apply(text, true).text());
    }
}
