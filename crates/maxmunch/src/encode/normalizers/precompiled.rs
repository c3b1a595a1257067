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
}

impl Precompiled {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let source = node.field("precompiled_charsmap")?;
        let map = CharsMap::from_base64(source.text()?).map_err(|rule| source.invalid(rule))?;
        Ok(Self { source: source.text()?.to_owned(), map })
    }

    pub(super) fn to_json(&self) -> Json {
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
        let mut changes = Changes { list: Vec::new(), any: false };
        let whole = text.text();
        let mut at = 0;
        while at < whole.len() {
            let grapheme = &whole[at..at + grapheme_len(&whole[at..])];
            at += grapheme.len();
            if grapheme.len() <= LONGEST_GRAPHEME
                && let Some(mapped) = self.map.look_up(grapheme)?
            {
                changes.replace(grapheme, mapped);
                continue;
            }
            for (start, character) in grapheme.char_indices() {
                let part = &grapheme[start..start + character.len_utf8()];
                // A grapheme of one character was looked up already.
                let is_known_miss = part.len() == grapheme.len();
                match if is_known_miss { None } else { self.map.look_up(part)? } {
                    Some(mapped) => changes.replace(part, mapped),
                    None => changes.list.push((character, 0)),
                }
            }
        }
        if !changes.any {
            return Ok(text);
        }
        Ok(text.transform(changes.list.into_iter(), tracked))
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
        _ => {}
    }
    text.graphemes(true).next().map_or(text.len(), str::len)
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
    use super::{PREPENDED, grapheme_len};
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
