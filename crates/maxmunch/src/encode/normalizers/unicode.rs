//! NFC, NFD, NFKC, NFKD with the tables of the reference's crate, which are older than Unicode 12.1.
//!
//! A newer normalizer would give other ids: U+32FF, for one, stays as it is here.

use unicode_normalization_alignments::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use crate::encode::aligned::AlignedText;

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
    pub(super) fn apply(self, text: AlignedText<'_>, tracked: bool) -> AlignedText<'_> {
        if !text.has_front() && (text.text().is_ascii() || self.is_surely_done(text.text())) {
            return text;
        }
        match self {
            Self::Nfc => text.transform(text.text().nfc(), tracked),
            Self::Nfd => text.transform(text.text().nfd(), tracked),
            Self::Nfkc => text.transform(text.text().nfkc(), tracked),
            Self::Nfkd => text.transform(text.text().nfkd(), tracked),
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
}

#[cfg(test)]
mod tests {
    use super::Form;
    use crate::encode::aligned::AlignedText;
    use crate::units::Span;
    use unicode_normalization_alignments::UnicodeNormalization;

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
