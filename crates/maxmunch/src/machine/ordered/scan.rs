//! The scan: all matches of a text, one after the other.

use std::ops::ControlFlow;

use super::failures::Failures;
use super::glance::Glance;
use super::tables::{Entry, Tables};
use super::view::View;
use crate::machine::char_classes::{CharSet, contains};
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
    /// One that is in no run.
    const NOWHERE: Self = Self { start: usize::MAX, at: usize::MAX, state: 0, last: usize::MAX };

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
    let (mut failures, mut view) = (Failures::default(), View::new());
    let (mut at, mut cursor) = (from, Cursor::NOWHERE);
    while at < bytes.len() {
        let span = match glance.end(bytes, at, &mut view) {
            Some(end) => Span::new(at, end),
            None => match next(tables, bytes, at, &mut cursor, &mut failures) {
                Some(span) => {
                    view.resume(span.end);
                    span
                }
                None => break,
            },
        };
        emit(span)?;
        at = span.end;
    }
    ControlFlow::Continue(())
}

/// The matches of a text and what stands between them, left to right; together they cover the text, and none is
/// empty.
#[derive(Debug)]
pub struct Pieces<'m, 't> {
    tables: &'m Tables,
    glance: &'m Glance,
    borders: &'m [CharSet],
    text: &'t str,
    at: usize,
    view: View,
    cursor: Cursor,
    failures: Failures,
    /// A match behind the piece that is next.
    ahead: Option<Span>,
}

impl<'m, 't> Pieces<'m, 't> {
    /// Where characters change from inside to outside of one of the `borders`, a piece between matches ends, too.
    pub(super) fn new(
        tables: &'m Tables,
        glance: &'m Glance,
        borders: &'m [CharSet],
        text: &'t str,
    ) -> Self {
        let (view, failures) = (View::new(), Failures::default());
        let (cursor, ahead) = (Cursor::NOWHERE, None);
        Self { tables, glance, borders, text, at: 0, view, cursor, failures, ahead }
    }

    /// The end of the piece from `at` on, where a glance does not tell.
    #[inline(never)]
    fn end(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        let known = self.ahead.take().filter(|span| span.start >= self.at);
        let (cursor, failures) = (&mut self.cursor, &mut self.failures);
        let found = known.or_else(|| next(self.tables, bytes, self.at, cursor, failures));
        let end = match found {
            Some(span) if span.start == self.at => span.end,
            found => {
                let behind = Span::new(bytes.len(), bytes.len());
                let span = *self.ahead.insert(found.unwrap_or(behind));
                self.gap_end(Span::new(self.at, span.start))
            }
        };
        self.view.resume(end);
        end
    }

    /// Where the first piece of what stands between two matches ends.
    fn gap_end(&self, gap: Span) -> usize {
        if self.borders.is_empty() {
            return gap.end;
        }
        let text = self.text.get(gap.range()).unwrap_or_default();
        let sides = |character| self.borders.iter().map(move |set| contains(set, character));
        let Some(first) = text.chars().next() else { return gap.end };
        let border = text.char_indices().find(|&(_, other)| sides(other).ne(sides(first)));
        border.map_or(gap.end, |(offset, _)| gap.start + offset)
    }
}

/// Pieces without a gap whose ends were told together.
#[derive(Debug, Clone)]
pub struct Told {
    /// Where the next one begins.
    start: usize,
    /// Where the bits count from.
    base: usize,
    /// A bit for each byte where one ends.
    ends: u64,
}

impl Told {
    /// Most pieces.
    pub const MOST: usize = 64;
}

impl Iterator for Told {
    type Item = Span;

    #[inline]
    fn next(&mut self) -> Option<Span> {
        if self.ends == 0 {
            return None;
        }
        let piece = Span::new(self.start, self.base + self.ends.trailing_zeros() as usize);
        self.start = piece.end;
        self.ends &= self.ends - 1;
        Some(piece)
    }
}

/// Pieces that follow each other.
#[derive(Debug, Clone)]
pub enum Run {
    /// A single one.
    One(Span),
    /// Some.
    Told(Told),
}

impl Pieces<'_, '_> {
    /// Where the next piece begins.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The pieces that follow, as many as are told together.
    #[inline]
    pub fn next_run(&mut self) -> Option<Run> {
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        if let Some((base, ends)) = self.glance.ends(self.text.as_bytes(), start, &mut self.view) {
            self.at = base + (63 - ends.leading_zeros() as usize);
            return Some(Run::Told(Told { start, base, ends }));
        }
        self.at = self.end();
        Some(Run::One(Span::new(start, self.at)))
    }
}

impl Iterator for Pieces<'_, '_> {
    type Item = Span;

    #[inline]
    fn next(&mut self) -> Option<Span> {
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        let told = self.glance.end(self.text.as_bytes(), start, &mut self.view);
        self.at = told.unwrap_or_else(|| self.end());
        Some(Span::new(start, self.at))
    }
}

/// The first match from byte `from` on; `cursor` is kept from call to call.
fn next(
    tables: &Tables,
    bytes: &[u8],
    from: usize,
    cursor: &mut Cursor,
    failures: &mut Failures,
) -> Option<Span> {
    if cursor.start != from {
        *cursor = Cursor::new(tables, from);
    }
    while cursor.start < bytes.len() {
        let stop = bytes.len().min((cursor.at | (WINDOW - 1)) + 1);
        // Where a run has failed the next ones may, too: there each looks for its failure at once.
        let is_suspect = failures.reach_beyond(cursor.at);
        let end = if is_suspect { None } else { advance(tables, bytes, stop, cursor) };
        let Some(run) = end else {
            if !is_suspect && cursor.at < bytes.len() && cursor.at - cursor.start < WINDOW {
                continue;
            }
            finish(tables, bytes, cursor, failures);
            if let Some(span) = found(cursor) {
                return Some(span);
            }
            *cursor = Cursor::new(tables, after(tables, bytes, cursor.start));
            continue;
        };
        if let Some(span) = found(&run) {
            return Some(span);
        }
        *cursor = Cursor::new(tables, after(tables, bytes, run.start));
    }
    None
}

/// The match of a run that is over.
#[inline]
fn found(run: &Cursor) -> Option<Span> {
    (run.last > run.start).then(|| Span::new(run.start, run.last))
}

/// Where the next run begins when one from `start` has found nothing: further on, at a character that may begin a
/// match.
#[inline]
fn after(tables: &Tables, bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start + 1..).unwrap_or_default();
    let offset = rest.iter().position(|&byte| tables.may_begin(byte));
    offset.map_or(bytes.len(), |offset| start + 1 + offset)
}

/// Reads until the run is over, or `stop` is reached, or passed by a few bytes. Gives the run that is over; where
/// the next has begun already, the cursor stands in it.
#[inline]
fn advance(tables: &Tables, bytes: &[u8], stop: usize, cursor: &mut Cursor) -> Option<Cursor> {
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
        let mut over = None;
        if entry.is_last() {
            if !entry.commits() || byte.is_ascii() {
                return Some(now);
            }
            over = Some(now);
            now.start = now.at;
        }
        now.at += length;
        now.state = entry.target();
        if entry.runs() {
            leap(tables, entry, bytes, stop, &mut now);
        }
        if over.is_some() {
            *cursor = now;
            return over;
        }
    }
    *cursor = now;
    None
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
