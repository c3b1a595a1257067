//! `Precompiled`: the character map of a `SentencePiece` model, applied grapheme by grapheme.
//!
//! A grapheme of less than six bytes is looked up as a whole, else (or if that finds nothing) each of its
//! characters is. A look-up takes the *shortest* key that the text starts with and replaces the whole text,
//! as the reference does. Graphemes are those of `unicode-segmentation`.

use unicode_segmentation::UnicodeSegmentation;

use crate::encode::aligned::AlignedText;
use crate::encode::json::{Json, Node};
use crate::encode::normalizers::charsmap::CharsMap;
use crate::error::Result;

/// Longer graphemes are looked up by character.
const LONGEST_GRAPHEME: usize = 5;

/// Marks that are one grapheme with the character after them.
const PREPENDED: &[(char, char)] = &[
    ('\u{600}', '\u{605}'),
    ('\u{6DD}', '\u{6DD}'),
    ('\u{70F}', '\u{70F}'),
    ('\u{890}', '\u{891}'),
    ('\u{8E2}', '\u{8E2}'),
    ('\u{D4E}', '\u{D4E}'),
    ('\u{110BD}', '\u{110BD}'),
    ('\u{110CD}', '\u{110CD}'),
    ('\u{111C2}', '\u{111C3}'),
    ('\u{113D1}', '\u{113D1}'),
    ('\u{1193F}', '\u{1193F}'),
    ('\u{11941}', '\u{11941}'),
    ('\u{11A84}', '\u{11A89}'),
    ('\u{11D46}', '\u{11D46}'),
    ('\u{11F02}', '\u{11F02}'),
];

/// Applies a character map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precompiled {
    /// As it stands in the file.
    source: String,
    map: CharsMap,
    /// Bit `c`: the ASCII character `c`, which joins no other, stays as it is.
    kept: u128,
}

impl Precompiled {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let source = node.field("precompiled_charsmap")?;
        let map = CharsMap::from_base64(source.text()?).map_err(|rule| source.invalid(rule))?;
        let mut kept = 0;
        for byte in (0..128_u8).filter(|&byte| byte != b'\r') {
            let found = map.look_up(char::from(byte).encode_utf8(&mut [0; 4]));
            // A damaged map is found out when the character is met.
            kept |= u128::from(found == Ok(None)) << byte;
        }
        Ok(Self { source: source.text()?.to_owned(), map, kept })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        Json::component("Precompiled", [("precompiled_charsmap", self.source.as_str().into())])
    }

    /// Whether the map has no key that starts with a mark which joins the character after it.
    ///
    /// Otherwise the shortest key takes that character with it, and what it becomes depends on the mark.
    pub(in crate::encode) fn leaves_prepended_marks(&self) -> bool {
        PREPENDED
            .iter()
            .flat_map(|&(first, last)| first..=last)
            .all(|mark| matches!(self.map.look_up(mark.encode_utf8(&mut [0; 4])), Ok(None)))
    }

    /// The normalized text; text in which no key occurs is handed back as it came.
    pub(super) fn apply<'a>(
        &self,
        text: AlignedText<'a>,
        tracked: bool,
    ) -> Result<AlignedText<'a>> {
        if !tracked && !text.has_front() {
            let (mut out, mut any) = (String::with_capacity(text.len() + text.len() / 16), false);
            self.for_each_part(text.text(), |part, mapped| {
                any |= mapped.is_some();
                out.push_str(mapped.unwrap_or(part));
            })?;
            return Ok(if any { text.replaced_by(out) } else { text });
        }
        let mut changes = Changes { list: Vec::new(), any: false };
        self.for_each_part(text.text(), |part, mapped| match mapped {
            Some(mapped) => changes.replace(part, mapped),
            None => changes.list.extend(part.chars().map(|character| (character, 0))),
        })?;
        if !changes.any {
            return Ok(text);
        }
        Ok(text.transform(changes.list.into_iter(), tracked))
    }

    /// Calls `emit` for each part of the text and what it becomes, if that is another text.
    fn for_each_part<'t>(
        &'t self,
        whole: &'t str,
        mut emit: impl FnMut(&'t str, Option<&'t str>),
    ) -> Result<()> {
        let mut at = 0;
        while at < whole.len() {
            let kept = self.kept_run(&whole.as_bytes()[at..]);
            if kept > 0 {
                emit(&whole[at..at + kept], None);
                at += kept;
                continue;
            }
            let grapheme = &whole[at..at + grapheme_len(&whole[at..])];
            at += grapheme.len();
            if grapheme.len() <= LONGEST_GRAPHEME
                && let Some(mapped) = self.map.look_up(grapheme)?
            {
                emit(grapheme, Some(mapped));
                continue;
            }
            for (start, character) in grapheme.char_indices() {
                let part = &grapheme[start..start + character.len_utf8()];
                // A grapheme of one character was looked up already.
                let is_known_miss = part.len() == grapheme.len();
                emit(part, if is_known_miss { None } else { self.map.look_up(part)? });
            }
        }
        Ok(())
    }

    /// Length of the longest run at the start in which every character is ASCII that the map does not change.
    ///
    /// The last character is left out: what follows may join it.
    fn kept_run(&self, rest: &[u8]) -> usize {
        let is_kept = |&&byte: &&u8| byte < 0x80 && self.kept >> byte & 1 == 1;
        rest.iter().take_while(is_kept).count().saturating_sub(1)
    }
}

/// Length of the grapheme that a text, not empty, starts with.
fn grapheme_len(text: &str) -> usize {
    // PERF: two characters of ASCII never join, except CR and LF.
    match text.as_bytes() {
        [first, rest @ ..] if first.is_ascii() => match rest.first() {
            None => return 1,
            Some(next) if next.is_ascii() && (*first, *next) != (b'\r', b'\n') => return 1,
            Some(_) => {}
        },
        _ => {
            let mut characters = text.chars();
            if let Some(first) = characters.next().filter(|&first| is_plain(first))
                && characters.next().is_none_or(|next| next.is_ascii() || is_plain(next))
            {
                return first.len_utf8();
            }
        }
    }
    text.graphemes(true).next().map_or(text.len(), str::len)
}

/// Letters that join neither ASCII nor each other.
fn is_plain(character: char) -> bool {
    matches!(
        character,
        '\u{C0}'..='\u{24F}'
            | '\u{400}'..='\u{482}'
            | '\u{48A}'..='\u{52F}'
            | '\u{3041}'..='\u{3096}'
            | '\u{30A1}'..='\u{30FA}'
            | '\u{4E00}'..='\u{9FFF}'
    )
}

/// The changes in the form that [`AlignedText::transform`] takes.
struct Changes {
    list: Vec<(char, isize)>,
    any: bool,
}

impl Changes {
    /// Characters beyond the old count are insertions; missing ones go with the last character written,
    /// which may be one of an earlier part. Where there is none, they are not taken away but shift what
    /// follows, as in the reference.
    fn replace(&mut self, old: &str, new: &str) {
        self.any = true;
        let difference = new.chars().count() as isize - old.chars().count() as isize;
        self.list.extend(new.chars().map(|character| (character, 0)));
        if difference > 0 {
            let inserted = self.list.iter_mut().rev().take(difference.unsigned_abs());
            inserted.for_each(|(_, change)| *change = 1);
        } else if let Some((_, change)) = self.list.last_mut() {
            *change += difference;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PREPENDED, grapheme_len, is_plain};
    use unicode_segmentation::UnicodeSegmentation;

    #[test]
    fn the_prepended_marks_are_those_of_the_library() {
        let joins = |mark: char| format!("{mark}a").graphemes(true).count() == 1;
        let mut found: Vec<(char, char)> = Vec::new();
        for mark in (char::MIN..=char::MAX).filter(|&mark| joins(mark)) {
            match found.last_mut() {
                Some((_, last)) if u32::from(*last) + 1 == u32::from(mark) => *last = mark,
                _ => found.push((mark, mark)),
            }
        }

        assert_eq!(PREPENDED, found.as_slice());
    }

    #[test]
    fn plain_letters_join_nothing_that_is_plain() {
        let plain: Vec<char> =
            ('\0'..=char::MAX).filter(|&character| is_plain(character)).collect();
        for &letter in &plain {
            for other in ['a', '\r', '\n', 'é', 'я', 'か', 'ン', '漢'] {
                let text = format!("{letter}{other}{letter}");
                assert_eq!(3, text.graphemes(true).count(), "{text:?}");
            }
        }
    }

    #[test]
    fn the_short_cut_gives_the_same_graphemes() {
        let joined = "\r\n\r\r\na\u{301}bc\u{200d}d😀👩\u{200d}👩🇦🇧🇨नि x\u{e33}\t漢";

        let (mut at, mut found) = (0, Vec::new());
        while at < joined.len() {
            let len = grapheme_len(&joined[at..]);
            found.push(&joined[at..at + len]);
            at += len;
        }

        assert_eq!(joined.graphemes(true).collect::<Vec<_>>(), found);
    }
}
