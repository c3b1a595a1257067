//! Pieces that wait to be looked up together.
//!
//! PERF: while the key of a piece is made, its place in the cache is asked for; when it is looked at, it has come. No
//! branch depends on what is there, so that no guess can be wrong.

use crate::encode::key_table::Ids;
use crate::encode::models::merge_together::NewWords;
use crate::encode::models::packed_merges::PackedMerges;
use crate::encode::piece_key::{Key, Kind};
use crate::encode::word_cache::WordCache;
use crate::machine::ordered::Told;
use crate::units::{Span, TokenId};

/// Pieces of a batch, but for those of a run that has begun before.
const FULL: usize = 128;

/// A piece.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    key: Key,
    hash: u64,
    /// Where it ends.
    end: usize,
}

/// Ids that a piece with a key may have, usually.
const LONG_LIST: usize = 64;

/// A piece that is not in the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missing {
    pub(super) piece: Span,
    pub(super) key: Key,
    pub(super) answer: Answer,
    /// Ids of the pieces before it that are in the cache.
    found: usize,
}

/// What is known of a piece that is not in the cache.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer {
    Open,
    /// Its only token.
    Token(TokenId),
    /// The word that has its ids, among the new ones of the batch.
    Word(usize),
}

/// Room for pieces.
const ROOM: usize = FULL + Told::MOST;

/// Pieces that follow each other.
#[derive(Debug, Default)]
pub(in crate::encode) struct PieceBatch {
    waiting: Vec<Waiting>,
    len: usize,
    /// Where the first one begins.
    start: usize,
    /// The ids of those that are in the cache, so many.
    found: Vec<TokenId>,
    count: usize,
    /// Those that are not.
    missing: Vec<Missing>,
    /// Missing pieces that were given, and ids before them that were appended.
    given: usize,
    appended: usize,
    /// New words among the missing pieces.
    pub(super) words: NewWords,
}

impl PieceBatch {
    /// Begins anew at `start`.
    pub(super) fn begin(&mut self, start: usize) {
        if self.waiting.is_empty() {
            self.waiting.resize(ROOM, Waiting { key: Key::NONE, hash: 0, end: 0 });
            self.found.resize(ROOM * Ids::MOST + LONG_LIST, 0);
        }
        (self.start, self.len) = (start, 0);
    }

    pub(super) fn is_full(&self) -> bool {
        self.len >= FULL
    }

    /// Takes a piece that begins where the last one ends.
    #[inline]
    pub(super) fn push(&mut self, text: &[u8], piece: Span, kind: Kind, cache: &WordCache) {
        let key = Key::new(text, piece, kind).unwrap_or(Key::NONE);
        if let Some(waiting) = self.waiting.get_mut(self.len) {
            *waiting = Waiting::new(key, piece, cache);
            self.len += 1;
        }
    }

    /// Takes pieces that begin where the last one ends; none begins with the mark for spaces.
    #[inline(never)]
    pub(super) fn extend(&mut self, text: &[u8], mut run: Told, cache: &WordCache) {
        let room = self.waiting.get_mut(self.len..).unwrap_or_default();
        let mut len = 0;
        for waiting in room {
            let Some(piece) = run.next() else { break };
            let key = Key::inside(text, piece).unwrap_or_else(|| key_at_the_end(text, piece));
            *waiting = Waiting::new(key, piece, cache);
            len += 1;
        }
        debug_assert!(run.next().is_none(), "a batch that is not full has room for a run");
        self.len += len;
    }

    /// Looks all pieces up.
    #[inline(never)]
    pub(super) fn look_up(&mut self, cache: &mut WordCache) {
        let pieces = self.waiting.get(..self.len).unwrap_or_default();
        self.missing.clear();
        self.words.clear();
        let (mut count, mut start) = (0, self.start);
        for (index, piece) in pieces.iter().enumerate() {
            if let Some((ids, len)) = cache.quick(piece.key, piece.hash)
                && let Some(room) = self.found.get_mut(count..count + Ids::MOST)
            {
                room.copy_from_slice(&ids);
                count += len;
            } else {
                // What is behind has room, too.
                let needed = count + LONG_LIST + Ids::MOST * (pieces.len() - index);
                if self.found.len() < needed {
                    self.found.resize(needed, 0);
                }
                let room = self.found.get_mut(count..count + LONG_LIST).unwrap_or_default();
                match cache.copy_slowly(piece.key, piece.hash, room) {
                    Some(len) => count += len,
                    None => self.missing.push(Missing {
                        piece: Span::new(start, piece.end),
                        key: piece.key,
                        answer: Answer::Open,
                        found: count,
                    }),
                }
            }
            start = piece.end;
        }
        cache.count_hits(pieces.len() - self.missing.len());
        (self.count, self.given, self.appended) = (count, 0, 0);
    }

    /// The keys of what is not in the cache.
    pub(super) fn missing(&self) -> impl Iterator<Item = Key> {
        self.missing.iter().map(|missing| missing.key)
    }

    /// Answers what is not in the cache: `answer` may add new words, which are merged.
    pub(super) fn answer(
        &mut self,
        merges: &PackedMerges,
        mut answer: impl FnMut(Span, Key, &mut NewWords) -> Answer,
    ) {
        for missing in self.missing.iter_mut().filter(|missing| missing.key != Key::NONE) {
            missing.answer = answer(missing.piece, missing.key, &mut self.words);
        }
        self.words.merge(merges);
    }

    /// Appends the ids of the next pieces, up to one that is not in the cache, which is given.
    pub(super) fn next_missing(&mut self, out: &mut Vec<TokenId>) -> Option<Missing> {
        let missing = self.missing.get(self.given).copied();
        self.given += 1;
        let end = missing.map_or(self.count, |missing| missing.found);
        out.extend_from_slice(self.found.get(self.appended..end).unwrap_or_default());
        self.appended = end;
        missing
    }

    /// Appends the ids of a missing piece, if they are known by now, and keeps them.
    #[inline]
    pub(super) fn append_answer(
        &self,
        missing: Missing,
        cache: &mut WordCache,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let from = out.len();
        match missing.answer {
            Answer::Open => return false,
            Answer::Token(id) => out.push(id),
            Answer::Word(at) => self.words.append(at, out),
        }
        cache.insert(missing.key, &out[from..]);
        true
    }
}

#[cold]
fn key_at_the_end(text: &[u8], piece: Span) -> Key {
    Key::new(text, piece, Kind::Piece).unwrap_or(Key::NONE)
}

impl Waiting {
    #[expect(clippy::inline_always, reason = "PERF: it is most of the loop around it")]
    #[inline(always)]
    fn new(key: Key, piece: Span, cache: &WordCache) -> Self {
        let hash = key.hash();
        cache.fetch(hash);
        Self { key, hash, end: piece.end }
    }
}
