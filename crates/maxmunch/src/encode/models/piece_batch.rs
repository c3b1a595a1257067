//! Pieces that wait to be looked up together.
//!
//! PERF: while the key of a piece is made, its place in the cache is asked for; when it is looked at, it has come. No
//! branch depends on what is there, so that no guess can be wrong.

use crate::encode::key_table::Ids;
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

/// Room for pieces.
const ROOM: usize = FULL + Told::MOST;

/// Pieces that follow each other.
#[derive(Debug, Default)]
pub(in crate::encode) struct PieceBatch {
    waiting: Vec<Waiting>,
    len: usize,
    /// Where the first one begins.
    start: usize,
    /// Pieces that were encoded.
    done: usize,
    /// Their ids, before they are appended.
    found: Vec<TokenId>,
}

impl PieceBatch {
    /// Begins anew at `start`.
    pub(super) fn begin(&mut self, start: usize) {
        if self.waiting.is_empty() {
            self.waiting.resize(ROOM, Waiting { key: Key::NONE, hash: 0, end: 0 });
            self.found.resize(ROOM * Ids::MOST + LONG_LIST, 0);
        }
        (self.start, self.len, self.done) = (start, 0, 0);
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

    /// Appends the ids of the next pieces, up to one that is not in the cache, or not with a usual number of ids, which
    /// is given.
    #[inline(never)]
    pub(super) fn append_found(
        &mut self,
        cache: &mut WordCache,
        out: &mut Vec<TokenId>,
    ) -> Option<(Span, Key)> {
        let rest = self.waiting.get(self.done..self.len).unwrap_or_default();
        let (mut count, mut done) = (0, 0);
        for piece in rest {
            let Some((ids, len)) = cache.quick(piece.key, piece.hash) else {
                // PERF: to leave the loop and to come back costs more than this. What is behind has room, too.
                let needed = LONG_LIST + Ids::MOST * (rest.len() - done);
                if count + needed > self.found.len() {
                    out.extend_from_slice(&self.found[..count]);
                    count = 0;
                }
                let Some(room) = self.found.get_mut(count..count + LONG_LIST) else { break };
                let Some(len) = cache.copy_slowly(piece.key, piece.hash, room) else { break };
                count += len;
                done += 1;
                continue;
            };
            let Some(room) = self.found.get_mut(count..count + Ids::MOST) else { break };
            room.copy_from_slice(&ids);
            count += len;
            done += 1;
        }
        cache.count_hits(done);
        out.extend_from_slice(&self.found[..count]);
        let next = rest.get(done)?;
        let at = self.done + done;
        let before = at.checked_sub(1).and_then(|at| self.waiting.get(at));
        let start = before.map_or(self.start, |piece| piece.end);
        self.done = at + 1;
        Some((Span::new(start, next.end), next.key))
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
