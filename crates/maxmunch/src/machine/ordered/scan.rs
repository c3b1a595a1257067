//! The scan: all matches of a text, one after the other.

use std::ops::ControlFlow;

use super::failures::Failures;
use super::glance::{Glance, View};
use super::tables::{Entry, Tables};
use crate::units::Span;

/// Bytes between two looks at how far a run has read, and between two marks of a long run; powers of two.
const WINDOW: usize = 256;
const STRIDE: usize = 64;

/// Where a scan stands: a run is a try to match from `start`.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    start: usize,
    /// The next byte to read, and the state in which it is read.
    at: usize,
    state: u32,
    /// End of the last match of this run; `start` when there is none yet.
    last: usize,
}

impl Cursor {
    const fn new(tables: &Tables, start: usize) -> Self {
        Self { start, at: start, state: tables.start, last: start }
    }
}

/// Calls `emit` for each match from byte `from` on, until it breaks.
#[inline]
pub(crate) fn scan<B>(
    tables: &Tables,
    glance: &Glance,
    text: &str,
    from: usize,
    mut emit: impl FnMut(Span) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let bytes = text.as_bytes();
    let mut failures = Failures::default();
    let mut cursor = Cursor::new(tables, from);
    let mut view = View::new();
    while cursor.start < bytes.len() {
        if cursor.at == cursor.start {
            let mut at = cursor.start;
            while let Some(end) = glance.end(bytes, at, &mut view) {
                emit(Span::new(at, end))?;
                at = end;
            }
            if at >= bytes.len() {
                break;
            }
            cursor = Cursor::new(tables, at);
        }
        let stop = bytes.len().min((cursor.at | (WINDOW - 1)) + 1);
        // Where a run has failed the next ones may, too: there each looks for its failure at once.
        let is_suspect = failures.reach_beyond(cursor.at);
        if !is_suspect {
            advance(tables, bytes, stop, &mut cursor, &mut emit)?;
            if cursor.at == cursor.start {
                continue;
            }
        }
        if is_suspect || cursor.at >= bytes.len() || cursor.at - cursor.start >= WINDOW {
            finish(tables, bytes, &mut cursor, &mut failures);
            if let Some(span) = found(&cursor) {
                emit(span)?;
            }
            cursor = Cursor::new(tables, after(bytes, &cursor));
        }
    }
    ControlFlow::Continue(())
}

/// The match of a run that is over.
#[inline]
fn found(cursor: &Cursor) -> Option<Span> {
    (cursor.last > cursor.start).then(|| Span::new(cursor.start, cursor.last))
}

/// Where the next run begins when this one is over: after its match, or one character further.
#[inline]
fn after(bytes: &[u8], cursor: &Cursor) -> usize {
    if cursor.last > cursor.start {
        return cursor.last;
    }
    let begins = |&at: &usize| bytes[at] & 0xC0 != 0x80;
    (cursor.start + 1..bytes.len()).find(begins).unwrap_or(bytes.len())
}

/// Reads until a run is over and the next may be told at a glance, or `stop` is reached, or passed by a few bytes.
#[inline]
fn advance<B>(
    tables: &Tables,
    bytes: &[u8],
    stop: usize,
    cursor: &mut Cursor,
    emit: &mut impl FnMut(Span) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let window = bytes.get(..stop).unwrap_or(bytes);
    let mut now = *cursor;
    while let Some(&byte) = window.get(now.at) {
        let (entry, length) = tables.entry(now.state, byte, bytes, now.at);
        if entry.is_plain() {
            now.state = entry.target();
            now.at += length;
            continue;
        }
        if entry.accepts() {
            now.last = now.at;
        }
        if entry.is_last() {
            if let Some(span) = found(&now) {
                emit(span)?;
            }
            if !entry.commits() || bytes.get(now.at).is_none_or(u8::is_ascii) {
                *cursor = Cursor::new(tables, after(bytes, &now));
                return ControlFlow::Continue(());
            }
            now.start = now.at;
        }
        now.at += length;
        now.state = entry.target();
        if entry.runs() {
            leap(tables, entry, bytes, stop, &mut now);
        }
    }
    *cursor = now;
    ControlFlow::Continue(())
}

/// Skips the run that `entry` has led to.
#[inline]
fn leap(tables: &Tables, entry: Entry, bytes: &[u8], stop: usize, cursor: &mut Cursor) {
    let (state, end) = tables.leap(entry, cursor.state, bytes, cursor.at, stop);
    if entry.run_accepts() && end > cursor.at {
        cursor.last = end - 1;
    }
    cursor.state = state;
    cursor.at = end;
}

/// Reads to the end of a run that is long or meets the end of the text, leaving marks on the way.
#[cold]
fn finish(tables: &Tables, bytes: &[u8], cursor: &mut Cursor, failures: &mut Failures) {
    failures.start_run();
    let mut is_over = false;
    while !is_over && cursor.at < bytes.len() {
        let stop = bytes.len().min((cursor.at | (STRIDE - 1)) + 1);
        is_over = finish_until(tables, bytes, stop, cursor);
        if !is_over && cursor.at < bytes.len() && !tables.is_certain(cursor.state) {
            is_over = failures.meet(cursor.at, cursor.state, cursor.last);
        }
    }
    if !is_over && tables.end_entry(cursor.state).accepts() {
        cursor.last = cursor.at;
    }
    failures.end_run(cursor.last);
}

/// Whether the run is over before `stop`. ASCII characters beyond `stop` are not read, so that runs that
/// meet leave the same marks.
fn finish_until(tables: &Tables, bytes: &[u8], stop: usize, cursor: &mut Cursor) -> bool {
    let window = bytes.get(..stop).unwrap_or(bytes);
    while let Some(&byte) = window.get(cursor.at) {
        let (entry, length) = tables.entry(cursor.state, byte, bytes, cursor.at);
        if entry.accepts() {
            cursor.last = cursor.at;
        }
        if entry.is_last() {
            return true;
        }
        cursor.state = entry.target();
        cursor.at += length;
        if entry.runs() && cursor.at < stop {
            leap(tables, entry, window, stop, cursor);
        }
    }
    false
}
