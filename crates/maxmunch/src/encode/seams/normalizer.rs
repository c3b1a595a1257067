//! Normalizers at a seam: when the normalized parts, joined, are the normalized whole.

use unicode_normalization_alignments::UnicodeNormalization;
use unicode_normalization_alignments::char::canonical_combining_class;

use crate::encode::normalizers::Normalizer;
use crate::encode::pattern::Pattern;
use crate::encode::seams::{Beside, Right};

impl Normalizer {
    /// The last character of the normalized left part and the first of the right one, where the parts are
    /// normalized apart as they are together; `None` where that is not known.
    pub(super) fn seam(&self, beside: Beside, right: Right) -> Option<Beside> {
        match self {
            Self::ByteLevel | Self::Lowercase | Self::Nmt | Self::StripAccents => {
                Some(self.each(beside, |_| true))
            }
            // A mark that follows may be composed with the character after the place.
            Self::Unicode(form) => keep_apart(beside).then(|| {
                let stays = |c| !form.composes() || composes_with_nothing(c);
                let after = beside.1.filter(|&c| is_inert(c) && stays(c));
                (beside.0.filter(|&c| is_inert(c)), after)
            }),
            // Inert characters have no accents to strip; what is left is done character by character.
            Self::Bert(_) => keep_apart(beside).then(|| self.each(beside, is_inert)),
            Self::Precompiled(part) => are_graphemes(beside).then(|| {
                // What follows may make one grapheme of the character after the place and itself.
                let (before, after) = beside;
                let after = after
                    .filter(|&c| c != '\r' && (c.is_ascii_control() || composes_with_nothing(c)));
                self.each((before, after), |character| {
                    character.is_ascii_control()
                        || (is_inert(character) && part.leaves_prepended_marks())
                })
            }),
            // The right part would get a text in front that it does not have in the whole; one that goes on
            // does not, but the left part may only get it if something is left of it.
            Self::Prepend(text) => {
                let is_safe = match right {
                    Right::Text => text.is_empty(),
                    Right::Continued => text.is_empty() || beside.0.is_some(),
                    Right::Rest => true,
                };
                is_safe.then_some(beside)
            }
            Self::Replace { pattern, content } => replaced(pattern, content, beside),
            // Spaces at the ends of the text are dropped, and keys of the map may straddle.
            Self::Custom(_) | Self::SentencePiece(_) => None,
            Self::Strip { left: from_left, right: from_right } => {
                let is_safe = |stripped: bool, side: Option<char>| {
                    !stripped || side.is_some_and(|character| !character.is_whitespace())
                };
                let left = *from_left && right != Right::Rest;
                if !is_safe(left, beside.1) || !is_safe(*from_right, beside.0) {
                    return None;
                }
                // A part of nothing but white space vanishes, and then what is put in front comes later.
                let may_vanish = *from_left && right == Right::Continued;
                Some((beside.0.filter(|&c| is_safe(may_vanish, Some(c))), beside.1))
            }
            Self::Sequence(_) if self.may_put_twice() => None,
            Self::Sequence(parts) => {
                parts.iter().try_fold(beside, |beside, part| part.seam(beside, right))
            }
        }
    }

    /// For what works on each character by itself: what becomes of those that are treated so. A character
    /// that vanishes is no reason to stop, but then nothing is known of that side.
    fn each(&self, (before, after): Beside, is_alone: impl Fn(char) -> bool) -> Beside {
        let becomes = |character: char| self.normalize(character.encode_utf8(&mut [0; 4])).ok();
        let before = before.filter(|&c| is_alone(c)).and_then(becomes);
        let after = after.filter(|&c| is_alone(c)).and_then(becomes);
        (
            before.and_then(|text| text.chars().next_back()),
            after.and_then(|text| text.chars().next()),
        )
    }
}

/// Whether the normalization forms treat both sides apart: nothing joins the right side from the left, or
/// the left side joins nothing.
fn keep_apart((before, after): Beside) -> bool {
    after.is_some_and(is_inert)
        || before.is_some_and(|before| is_inert(before) && composes_with_nothing(before))
}

/// Whether a grapheme ends between the two.
fn are_graphemes((before, after): Beside) -> bool {
    let is_break = |side: Option<char>| side.is_some_and(|c| c.is_ascii_control());
    match (before, after) {
        (Some('\r') | None, Some('\n')) => false,
        _ if is_break(before) && before != Some('\r') => true,
        (Some('\r'), after) => after.is_some(),
        _ if is_break(after) => true,
        (before, after) => before.is_some_and(is_inert) && after.is_some_and(is_inert),
    }
}

/// Inert characters to which no mark is composed.
fn composes_with_nothing(character: char) -> bool {
    matches!(character, '\0'..=';' | '?' | '@' | '['..='`' | '{'..='~' | '\u{4E00}'..='\u{9FA5}')
}

/// Characters that no normalization form changes, and to which nothing before them is joined. Candidates:
/// scripts without characters that are the second half of a composition.
const INERT: &[(char, char)] = &[
    ('\0', '\u{7E}'),
    ('\u{A1}', '\u{AC}'),
    ('\u{AE}', '\u{2AF}'),
    ('\u{391}', '\u{3FF}'),
    ('\u{400}', '\u{482}'),
    ('\u{48A}', '\u{52F}'),
    ('\u{5D0}', '\u{5EA}'),
    ('\u{621}', '\u{63A}'),
    ('\u{641}', '\u{64A}'),
    ('\u{660}', '\u{66D}'),
    ('\u{904}', '\u{939}'),
    ('\u{964}', '\u{970}'),
    ('\u{E01}', '\u{E30}'),
    ('\u{2010}', '\u{2015}'),
    ('\u{2018}', '\u{201E}'),
    ('\u{3001}', '\u{3029}'),
    ('\u{3041}', '\u{3096}'),
    ('\u{30A1}', '\u{30FF}'),
    ('\u{4E00}', '\u{9FA5}'),
];

fn is_inert(character: char) -> bool {
    let after = INERT.partition_point(|&(first, _)| first <= character);
    after > 0
        && character <= INERT[after - 1].1
        && canonical_combining_class(character) == 0
        && std::iter::once(character).nfkd().eq([(character, 0)])
}

/// Matches are those of the parts; what stands beside the place must be known, too.
fn replaced(pattern: &Pattern, content: &str, beside: Beside) -> Option<Beside> {
    let (first, last) = (content.chars().next(), content.chars().next_back());
    if pattern.is_literal() && pattern.source().chars().count() == 1 {
        let becomes = |character: char, side: Option<char>| {
            if pattern.source().starts_with(character) { side } else { Some(character) }
        };
        let (before, after) = beside;
        return Some((
            before.and_then(|before| becomes(before, last)),
            after.and_then(|after| becomes(after, first)),
        ));
    }
    let (before, after) = (beside.0?, beside.1?);
    let kept = |character, side| {
        (!pattern.matches_hold(character) || side == Some(character)).then_some(character)
    };
    pattern.is_safe_between(before, after).then(|| (kept(before, last), kept(after, first)))
}

impl Pattern {
    /// Whether matches of a text are those of its two parts, if it is taken apart between these characters.
    pub(in crate::encode) fn is_safe_between(&self, before: char, after: char) -> bool {
        match self.machine() {
            Some(machine) => machine.is_safe_between(before, after),
            None if self.is_literal() => {
                let text = self.source();
                !text.is_empty()
                    && text.chars().zip(text.chars().skip(1)).all(|pair| pair != (before, after))
            }
            None => false,
        }
    }

    /// Whether a match can hold `character`.
    pub(in crate::encode) fn matches_hold(&self, character: char) -> bool {
        match self.machine() {
            Some(machine) => machine.matches_hold(character),
            None => !self.is_literal() || self.source().contains(character),
        }
    }

    /// Whether `character` stands in a match wherever it stands.
    pub(in crate::encode) fn always_matches(&self, character: char) -> bool {
        match self.machine() {
            Some(machine) => machine.always_matches(character),
            None => self.is_literal() && self.source().chars().eq([character]),
        }
    }
}

#[cfg(test)]
mod tests {
    use unicode_normalization_alignments::UnicodeNormalization;
    use unicode_segmentation::UnicodeSegmentation;

    use super::{canonical_combining_class, composes_with_nothing, is_inert};

    /// Everything that a mark, a jamo or a sign could do to its neighbour.
    const NEIGHBOURS: &str = "aeAOkх\u{301}\u{308}\u{323}\u{327}\u{338}\u{345}\u{5B7}\u{653}\u{93C}\u{9BE}\
        \u{B3E}\u{BD7}\u{CD5}\u{D57}\u{DCF}\u{1100}\u{1161}\u{11A8}가\u{3099}\u{309A}か\u{1B35}\u{200D}\u{FE0F}\
        \u{1F3FB}\u{20E3}\u{600}\u{110BD}";

    #[test]
    fn inert_characters_keep_apart_whatever_stands_around_them() {
        let inert = || (char::MIN..=char::MAX).filter(|&c| is_inert(c));
        assert!(inert().count() > 20_000);
        for character in inert() {
            for around in NEIGHBOURS.chars() {
                let right: String = [character, around].iter().collect();
                let left = around.to_string();
                let whole = format!("{left}{right}");
                let nfc = |text: &str| text.nfc().map(|(c, _)| c).collect::<String>();
                let nfd = |text: &str| text.nfd().map(|(c, _)| c).collect::<String>();
                let nfkc = |text: &str| text.nfkc().map(|(c, _)| c).collect::<String>();
                let nfkd = |text: &str| text.nfkd().map(|(c, _)| c).collect::<String>();
                assert_eq!(nfc(&whole), nfc(&left) + &nfc(&right), "{whole:?}");
                assert_eq!(nfd(&whole), nfd(&left) + &nfd(&right), "{whole:?}");
                assert_eq!(nfkc(&whole), nfkc(&left) + &nfkc(&right), "{whole:?}");
                assert_eq!(nfkd(&whole), nfkd(&left) + &nfkd(&right), "{whole:?}");
            }
        }
    }

    #[test]
    fn some_inert_characters_compose_with_nothing() {
        let marks: Vec<char> = (char::MIN..=char::MAX)
            .filter(|&c| canonical_combining_class(c) != 0 || NEIGHBOURS.contains(c))
            .collect();
        for character in (char::MIN..=char::MAX).filter(|&c| composes_with_nothing(c)) {
            assert!(is_inert(character), "{character:?}");
            for mark in marks.iter().step_by(if character.is_ascii() { 1 } else { 97 }) {
                let text: String = [character, *mark].iter().collect();
                let right: String = mark.to_string().nfkc().map(|(c, _)| c).collect();
                let whole: String = text.nfkc().map(|(c, _)| c).collect();
                assert_eq!(format!("{character}{right}"), whole);
            }
        }
    }

    #[test]
    fn two_inert_characters_are_two_graphemes() {
        let some: Vec<char> =
            (char::MIN..=char::MAX).filter(|&c| is_inert(c)).step_by(37).collect();
        for &before in some.iter().chain(&['\r', '\n', ' ']) {
            for &after in &some {
                let text: String = [before, after].iter().collect();
                let expected = if text == "\r\n" { 1 } else { 2 };
                assert_eq!(expected, text.graphemes(true).count(), "{text:?}");
            }
        }
    }
}
