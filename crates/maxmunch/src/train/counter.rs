//! From text to pretoken counts: blocks in order, each counted on all threads.
//!
//! A document is split as one text: where it is cut into blocks and parts, the cut changes no pretoken
//! (`O200k::last_cut`, or the bounded look-ahead of the length-limited pattern); a pattern without such
//! a rule gets whole documents. So the counts do not depend on block sizes or threads.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;

use super::pretokens::{PretokenCounts, Tally};
use crate::encode::Pattern;
use crate::encode::pre_tokenizers::o200k::{LOOK_AHEAD_BYTES, O200k};
use crate::error::{Error, Result};

/// Text that is decoded before a block of a document is counted.
const BLOCK_BYTES: usize = 16 << 20;
/// Smallest part that is worth a thread.
const PART_BYTES: usize = 64 << 10;

/// What cuts text into pretokens.
#[derive(Debug, Clone)]
pub enum Splitter {
    /// The o200k pattern by hand; `true` for its length-limited form.
    O200k(O200k, bool),
    /// Any regular expression: its matches and the gaps between them.
    Pattern(Pattern),
}

impl Splitter {
    /// The splitter of a regular expression; the two forms of the o200k pattern are recognised.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when it does not compile.
    pub fn new(source: &str) -> Result<Self> {
        let (limited, unlimited) = (O200k::limited(), O200k::unlimited());
        if source == "o200k" || source == limited.source() {
            return Ok(Self::O200k(limited, true));
        }
        if source == unlimited.source() {
            return Ok(Self::O200k(unlimited, false));
        }
        Pattern::new(source).map(Self::Pattern)
    }

    /// The regular expression, in the syntax of `tokenizers`.
    pub fn source(&self) -> String {
        match self {
            Self::O200k(splitter, _) => splitter.source(),
            Self::Pattern(pattern) => pattern.source().to_owned(),
        }
    }

    /// Calls `emit` for each pretoken of `text`, in order.
    ///
    /// # Errors
    /// [`Error::Limit`] when the pattern backtracks too much.
    pub fn for_each_pretoken(&self, text: &str, mut emit: impl FnMut(&[u8])) -> Result<()> {
        match self {
            Self::O200k(splitter, _) => {
                splitter.for_each_piece(text, |start, end| emit(&text.as_bytes()[start..end]));
                Ok(())
            }
            Self::Pattern(pattern) => pattern.for_each_piece(text, |span| {
                emit(&text.as_bytes()[span.range()]);
                Ok(())
            }),
        }
    }

    fn last_cut(&self, text: &str) -> Option<usize> {
        match self {
            Self::O200k(splitter, _) => splitter.last_cut(text),
            Self::Pattern(_) => None,
        }
    }
}

/// What becomes of bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// Each maximal invalid part becomes U+FFFD, and is counted.
    Replace,
    /// Each maximal invalid part is left out, and is counted.
    Ignore,
    /// The text is refused.
    Strict,
}

/// What was read so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tallied {
    /// Documents that ended.
    pub documents: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Invalid parts that were replaced or left out.
    pub invalid: u64,
    /// Occurrences that were dropped to stay below the memory limit.
    pub dropped: u64,
}

/// Counts the pretokens of a corpus that comes in chunks.
#[derive(Debug)]
pub struct Counter {
    splitter: Splitter,
    invalid: Invalid,
    threads: NonZeroUsize,
    memory_limit: Option<u64>,
    tally: Tally,
    /// What each thread has counted since the tables were last put together.
    shares: Vec<Tally>,
    /// Bytes of the current document that are not decoded yet: an incomplete character.
    raw: Vec<u8>,
    /// Text of the current document that is not counted yet.
    text: String,
    document_bytes: u64,
    seen: Tallied,
    /// Pretokens seen at most this often are the next to be dropped.
    floor: u64,
}

impl Counter {
    /// A counter that has seen nothing.
    pub fn new(
        splitter: Splitter,
        invalid: Invalid,
        threads: NonZeroUsize,
        memory_limit: Option<u64>,
    ) -> Self {
        Self {
            splitter,
            invalid,
            threads,
            memory_limit,
            tally: Tally::default(),
            shares: Vec::new(),
            raw: Vec::new(),
            text: String::new(),
            document_bytes: 0,
            seen: Tallied::default(),
            floor: 1,
        }
    }

    /// What was read so far.
    pub fn seen(&self) -> Tallied {
        self.seen
    }

    /// Reads the next bytes of the current document.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for bytes that are not UTF-8 under [`Invalid::Strict`], and the errors of
    /// [`Splitter::for_each_pretoken`].
    pub fn feed(&mut self, chunk: &[u8]) -> Result<()> {
        for block in chunk.chunks(BLOCK_BYTES) {
            self.raw.extend_from_slice(block);
            self.document_bytes += block.len() as u64;
            self.seen.bytes += block.len() as u64;
            self.decode(false)?;
            if self.text.len() >= BLOCK_BYTES {
                self.count_block()?;
            }
        }
        Ok(())
    }

    /// Ends the current document.
    ///
    /// # Errors
    /// As [`Self::feed`].
    pub fn end_document(&mut self) -> Result<()> {
        self.decode(true)?;
        let text = std::mem::take(&mut self.text);
        self.count(&[&text])?;
        self.document_bytes = 0;
        self.seen.documents += 1;
        Ok(())
    }

    /// Reads whole documents, many at once.
    ///
    /// # Errors
    /// As [`Self::feed`].
    pub fn documents(&mut self, documents: &[&str]) -> Result<()> {
        self.count(documents)?;
        self.seen.documents += documents.len() as u64;
        self.seen.bytes += documents.iter().map(|text| text.len() as u64).sum::<u64>();
        Ok(())
    }

    /// The sorted table of everything that was read; the counter goes on empty.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the total leaves `u64`.
    pub fn take_counts(&mut self) -> Result<PretokenCounts> {
        self.gather();
        std::mem::take(&mut self.tally).into_counts()
    }

    /// Moves what is decodable from `raw` to `text`; `last` says that nothing follows.
    fn decode(&mut self, last: bool) -> Result<()> {
        let raw = std::mem::take(&mut self.raw);
        let mut rest = raw.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    self.text.push_str(valid);
                    return Ok(());
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    // Checked by `from_utf8` a moment ago, so nothing is replaced here.
                    self.text.push_str(&String::from_utf8_lossy(valid));
                    let Some(length) = error.error_len().or(last.then_some(after.len())) else {
                        self.raw = after.to_vec();
                        return Ok(());
                    };
                    self.refuse_or_replace(after, length)?;
                    rest = &after[length..];
                }
            }
        }
    }

    fn refuse_or_replace(&mut self, after: &[u8], length: usize) -> Result<()> {
        self.seen.invalid += 1;
        match self.invalid {
            Invalid::Ignore => {}
            Invalid::Replace => self.text.push('\u{FFFD}'),
            Invalid::Strict => {
                return Err(Error::argument(
                    "errors",
                    format!(
                        "document {} is not UTF-8 at byte {} ({:02x?}) and errors is \"strict\"; use \"replace\" or \
                         \"ignore\", or convert the text first",
                        self.seen.documents,
                        self.document_bytes - after.len() as u64,
                        &after[..length]
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Counts as much of `text` as no later byte can change.
    fn count_block(&mut self) -> Result<()> {
        let mut cut = self.splitter.last_cut(&self.text).unwrap_or(0);
        if cut == 0
            && let Splitter::O200k(splitter, true) = &self.splitter
        {
            // No safe cut in sight: go piece by piece, up to where the look-ahead would leave the block.
            while cut + LOOK_AHEAD_BYTES <= self.text.len() {
                cut = splitter.piece_end(&self.text, cut);
            }
        }
        let rest = self.text.split_off(cut);
        let text = std::mem::replace(&mut self.text, rest);
        self.count(&[&text])
    }

    fn count(&mut self, texts: &[&str]) -> Result<()> {
        let parts = self.parts(texts);
        let threads = self.threads.get().min(parts.len()).max(1);
        let groups: Vec<&[&str]> = parts.chunks(parts.len().div_ceil(threads).max(1)).collect();
        if threads == 1 {
            for part in &parts {
                self.splitter.for_each_pretoken(part, |pretoken| self.tally.add(pretoken, 1))?;
            }
        } else {
            let splitter = &self.splitter;
            self.shares.resize_with(self.shares.len().max(groups.len()), Tally::default);
            std::thread::scope(|scope| {
                let workers: Vec<_> = groups
                    .iter()
                    .zip(&mut self.shares)
                    .map(|(group, share)| scope.spawn(|| tally(splitter, group, share)))
                    .collect();
                let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                    worker.join().unwrap_or_else(|panic| resume_unwind(panic))
                };
                workers.into_iter().try_for_each(join)
            })?;
        }
        self.keep_limit()
    }

    /// Puts the threads' tables together.
    fn gather(&mut self) {
        for share in std::mem::take(&mut self.shares) {
            self.tally.absorb(&share);
        }
    }

    /// The texts, each cut at safe places into parts that keep every thread busy.
    fn parts<'t>(&self, texts: &[&'t str]) -> Vec<&'t str> {
        let total: usize = texts.iter().map(|text| text.len()).sum();
        let target = (total / self.threads).max(PART_BYTES);
        let mut parts = Vec::new();
        for &text in texts {
            let mut rest = text;
            while self.threads.get() > 1 && rest.len() > target + PART_BYTES {
                let head = floor_boundary(rest, target);
                let Some(cut) = self.splitter.last_cut(&rest[..head]).filter(|&cut| cut > 0) else {
                    break;
                };
                let (part, after) = rest.split_at(cut);
                parts.push(part);
                rest = after;
            }
            parts.push(rest);
        }
        parts
    }

    /// Drops rare pretokens, the rarest first, while the table is larger than its limit.
    fn keep_limit(&mut self) -> Result<()> {
        let Some(limit) = self.memory_limit else { return Ok(()) };
        // What is dropped must not depend on threads: look at one table only.
        self.gather();
        while self.tally.memory_bytes() as u64 > limit {
            if self.tally.len() <= 1 {
                return Err(Error::Limit {
                    limit: "memory_limit".to_owned(),
                    message: format!(
                        "{limit} bytes do not hold a count table; give at least a few MB"
                    ),
                });
            }
            self.seen.dropped += self.tally.prune(self.floor);
            self.floor += 1;
        }
        // Start low again: what comes next is as likely to be rare as before.
        self.floor = 1;
        Ok(())
    }
}

fn tally(splitter: &Splitter, texts: &[&str], share: &mut Tally) -> Result<()> {
    for text in texts {
        splitter.for_each_pretoken(text, |pretoken| share.add(pretoken, 1))?;
    }
    Ok(())
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use std::num::NonZeroUsize;

    use proptest::prelude::*;

    use super::{Counter, Invalid, Splitter};
    use crate::train::PretokenCounts;

    fn counted(chunks: &[&[u8]], threads: usize) -> PretokenCounts {
        let threads = NonZeroUsize::new(threads).unwrap();
        let splitter = Splitter::new("o200k").unwrap();
        let mut counter = Counter::new(splitter, Invalid::Replace, threads, None);
        for chunk in chunks {
            counter.feed(chunk).unwrap();
            if !counter.text.is_empty() {
                counter.count_block().unwrap();
            }
        }
        counter.end_document().unwrap();
        counter.take_counts().unwrap()
    }

    proptest! {
        #[test]
        fn chunks_and_threads_change_no_count(
            parts in proptest::collection::vec(("[ \nAa東'/.1\u{301}\u{1F600}]{1,12}", 1usize..60), 0..20),
            cuts in proptest::collection::vec(0usize..400, 0..6),
        ) {
            let text: String = parts.iter().map(|(text, times)| text.repeat(*times)).collect();
            let whole = counted(&[text.as_bytes()], 1);
            let mut chunks = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (chunk, after) = rest.split_at(cut.min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            chunks.push(rest);

            prop_assert_eq!(&whole, &counted(&chunks, 1));
            prop_assert_eq!(&whole, &counted(&chunks, 3));
        }
    }

    #[test]
    fn long_text_is_counted_alike_on_every_number_of_threads() {
        let text = "It's the year 1984, isn't it?\n\n    Yes/no…   ".repeat(20_000);

        let one = counted(&[text.as_bytes()], 1);

        assert_eq!(one, counted(&[text.as_bytes()], 2));
        assert_eq!(one, counted(&[text.as_bytes()], 7));
        assert_eq!(text.len() as u64, one.total_bytes());
    }

    #[test]
    fn bytes_that_are_not_utf8_follow_the_policy() {
        let read = |invalid| {
            let splitter = Splitter::new("o200k").unwrap();
            let mut counter = Counter::new(splitter, invalid, NonZeroUsize::MIN, None);
            counter.feed(b"caf\xc3")?;
            counter.feed(b"\xa9 \xff\xe6\x9d")?;
            counter.end_document()?;
            Ok::<_, crate::Error>((counter.seen().invalid, counter.take_counts()?))
        };

        let (replaced, table) = read(Invalid::Replace).unwrap();
        assert_eq!(2, replaced);
        assert!(table.iter().any(|row| row == (" \u{FFFD}\u{FFFD}".as_bytes(), 1)));
        let (ignored, table) = read(Invalid::Ignore).unwrap();
        assert_eq!((2, 2), (ignored, table.len()));
        let refused = read(Invalid::Strict).unwrap_err().to_string();
        assert!(refused.contains("byte 6"), "{refused}");
    }
}
