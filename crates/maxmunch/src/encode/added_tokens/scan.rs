//! Finding added tokens in a text: leftmost, then longest, then filtered, then stripped.
//!
//! Selection comes before filtering: a longest match that is rejected hides shorter ones, and the characters
//! it covers start no other match. The search resumes at the end of the bare content, whatever was stripped.

use std::collections::HashSet;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use crate::encode::added_tokens::AddedToken;
use crate::encode::added_tokens::between::Between;
use crate::encode::pre_tokenizers::is_word;
use crate::error::{Error, Result};
use crate::units::{Span, TokenId};

/// What becomes of special tokens that stand in the text.
#[derive(Debug, Clone, Copy, Default)]
pub enum Specials<'a> {
    /// They become their ids.
    #[default]
    Parse,
    /// They are text like any other.
    Text,
    /// They are refused.
    Refuse,
    /// Those whose contents are named become ids, the others are text.
    Only(&'a HashSet<String>),
}

/// A part of a scanned text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Text between matches.
    Gap(Span),
    /// An added token, with the white space it took.
    Match(TokenId, Span),
}

/// The searches of both passes.
#[derive(Debug, Clone, Default)]
pub struct Scanner {
    raw: Option<Pass>,
    normalized: Option<Pass>,
}

#[derive(Debug, Clone)]
struct Pass {
    search: Search,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
enum Search {
    Contents(AhoCorasick),
    /// One of the contents is spelled by nothing.
    Between(Between),
}

#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of the file format")]
struct Entry {
    id: TokenId,
    single_word: bool,
    lstrip: bool,
    rstrip: bool,
    special: bool,
    content: Arc<str>,
}

/// An entry, and how it is looked for.
#[derive(Clone, Copy)]
pub(super) struct Sought<'a> {
    pub(super) id: TokenId,
    pub(super) token: &'a AddedToken,
    /// Whether its content was ever added as special.
    pub(super) is_special: bool,
    /// Its content, or its spelling in normalized text.
    pub(super) pattern: &'a str,
}

impl Scanner {
    /// Builds the searches from entries sorted by id.
    pub(super) fn new<'a>(entries: impl Iterator<Item = Sought<'a>> + Clone) -> Result<Self> {
        Ok(Self {
            raw: Pass::new(entries.clone().filter(|sought| !sought.token.normalized))?,
            normalized: Pass::new(entries.filter(|sought| sought.token.normalized))?,
        })
    }

    /// Scans original text for entries that are not normalized.
    pub fn raw(
        &self,
        text: &str,
        specials: Specials,
        emit: impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        scan(self.raw.as_ref(), text, specials, emit)
    }

    /// Scans a normalized gap for normalized entries.
    pub fn normalized(
        &self,
        text: &str,
        specials: Specials,
        emit: impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        scan(self.normalized.as_ref(), text, specials, emit)
    }

    /// Whether any entry is looked for in normalized text.
    pub fn has_normalized(&self) -> bool {
        self.normalized.is_some()
    }
}

impl Pass {
    /// The search for `entries`; of equal patterns the first, with the lowest id, wins.
    ///
    /// A content that normalization deletes whole leaves an empty pattern. It matches between
    /// characters, as in the reference: it cuts the text there and takes white space, if so flagged.
    fn new<'a>(entries: impl Iterator<Item = Sought<'a>>) -> Result<Option<Self>> {
        let mut patterns = Vec::new();
        let mut kept = Vec::new();
        for Sought { id, token, is_special, pattern } in entries {
            patterns.push(pattern);
            kept.push(Entry {
                id,
                single_word: token.single_word,
                lstrip: token.lstrip,
                rstrip: token.rstrip,
                special: is_special,
                content: Arc::clone(&token.content),
            });
        }
        if patterns.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { search: Search::new(&patterns)?, entries: kept }))
    }
}

impl Search {
    fn new(patterns: &[&str]) -> Result<Self> {
        if patterns.contains(&"") {
            return Ok(Self::Between(Between::new(patterns)));
        }
        AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .build(patterns)
            .map(Self::Contents)
            .map_err(|error| Error::Limit {
                limit: "added tokens".to_owned(),
                message: format!("their contents are too large to search for ({error})"),
            })
    }
}

fn scan(
    pass: Option<&Pass>,
    text: &str,
    specials: Specials,
    mut emit: impl FnMut(Part) -> Result<()>,
) -> Result<()> {
    // End of the last emitted part. A later match may begin before it, in white space that an earlier one
    // took; then it moves back, and what follows is emitted again, as the reference does.
    let mut done = 0;
    if let Some(Pass { search, entries }) = pass {
        let mut take = |pattern: usize, bare: Span| -> Result<()> {
            let entry = &entries[pattern];
            let Some(span) = taken(entry, text, bare, specials, done)? else { return Ok(()) };
            if done < span.start {
                emit(Part::Gap(Span::new(done, span.start)))?;
            }
            if !span.is_empty() {
                emit(Part::Match(entry.id, span))?;
            }
            done = span.end;
            Ok(())
        };
        match search {
            Search::Contents(search) => {
                for found in search.find_iter(text) {
                    take(found.pattern().as_usize(), Span::new(found.start(), found.end()))?;
                }
            }
            Search::Between(search) => {
                for (pattern, start, end) in search.find_iter(text) {
                    take(pattern, Span::new(start, end))?;
                }
            }
        }
    }
    if done < text.len() {
        emit(Part::Gap(Span::new(done, text.len())))?;
    }
    Ok(())
}

/// What an entry found at `bare` takes, if it is not rejected there.
fn taken(
    entry: &Entry,
    text: &str,
    bare: Span,
    specials: Specials,
    done: usize,
) -> Result<Option<Span>> {
    // Nobody wrote a token that is found in no characters: there is nothing to refuse.
    if bare.is_empty() && matches!(specials, Specials::Refuse) {
        return Ok(None);
    }
    if entry.special && !admitted(entry, specials, bare.start)? {
        return Ok(None);
    }
    if entry.single_word && beside_word(text, bare) {
        return Ok(None);
    }
    let (start, end) = stripped(entry, text, bare, done);
    // The white space it wants may be taken already, beyond its end: nothing of it is left.
    Ok((start <= end).then(|| Span::new(start, end)))
}

fn admitted(entry: &Entry, specials: Specials, position: usize) -> Result<bool> {
    match specials {
        Specials::Parse => Ok(true),
        Specials::Text => Ok(false),
        Specials::Only(contents) => Ok(contents.contains(&*entry.content)),
        Specials::Refuse => Err(Error::argument(
            "text",
            format!(
                "has the special token {:?} at byte {position}, which specials=\"error\" refuses; \
                 remove it, or pass specials=\"text\"",
                entry.content
            ),
        )),
    }
}

/// The span with the white space that it takes, clamped on the left to what was emitted.
fn stripped(entry: &Entry, text: &str, bare: Span, done: usize) -> (usize, usize) {
    let Span { mut start, mut end } = bare;
    if entry.lstrip {
        start = text[..start].trim_end_matches(char::is_whitespace).len().max(done);
    }
    if entry.rstrip {
        let rest = &text[end..];
        end += rest.len() - rest.trim_start_matches(char::is_whitespace).len();
    }
    (start, end)
}

fn beside_word(text: &str, bare: Span) -> bool {
    text[..bare.start].chars().next_back().is_some_and(is_word)
        || text[bare.end..].chars().next().is_some_and(is_word)
}
