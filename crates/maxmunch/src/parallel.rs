//! Cutting one text into pieces that are worked on in parallel: the only module that knows certify and encode.
//!
//! Landing rule: every piece is scanned from its cut with a view of the whole text and must end exactly at
//! the next cut. If all do, the joined scan is the sequential one, by induction from the left. If one does
//! not, the text is outside the domain, and the scan goes on sequentially from the last good cut, which
//! gives the error that the sequential scan gives.
//!
//! PERF: pieces are small, so that a thread's tokens stay in its cache until it is known where they go; then
//! they are copied to that place, which is written once. One piece for each thread, joined at the end, took
//! 1.4 times the processor time of a sequential scan; this takes about as much as it.

mod ids;
mod text;
mod truncate;

use std::collections::BTreeMap;
use std::mem::take;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::certify::{Budget, Inventory, TokenSet, cuts};
use crate::error::{Error, Result};
use crate::machine::overshoot::Overshoot;
use crate::monitor::Monitor;
use crate::scan::{Munch, Scan, extend_to_end, scan};
pub use text::TextCuts;

/// Bytes of a piece, about.
const PIECE: usize = 1 << 17;
/// Bytes after a point of division in which an anchor is looked for.
const REACH: usize = 1 << 13;

/// The number of threads to use: as asked, or one for each core.
///
/// # Errors
///
/// [`Error::InvalidArgument`] for zero threads.
pub fn thread_count(threads: Option<usize>) -> Result<usize> {
    match threads {
        Some(0) => Err(Error::argument("threads", "it is 0; at least one thread is needed")),
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, NonZero::get)),
    }
}

/// The scan of `data` on `threads` threads, cut at anchors of the inventory.
///
/// # Errors
///
/// [`Error::Untokenizable`], exactly where and with what the sequential scan reports it;
/// [`Error::Interrupted`].
pub fn parallel_scan(
    inventory: &Inventory,
    data: &[u8],
    threads: usize,
    monitor: &dyn Monitor,
) -> Result<Scan> {
    if threads == 1 {
        return scan(inventory.token_set(), data, monitor);
    }
    let pieces = data.len().div_ceil(PIECE).max(threads);
    let plan = cuts::plan_within(inventory, data, pieces, REACH, Budget::watched(monitor))?;
    scan_at_cuts(inventory.token_set(), data, &plan.cuts, threads, monitor)
}

/// The scan of `data`, in pieces between `cuts` (increasing, inside the text).
///
/// Right for any cuts whatever: those that are no boundaries cost time, never correctness.
///
/// # Errors
///
/// As [`parallel_scan`].
pub fn scan_at_cuts(
    set: &TokenSet,
    data: &[u8],
    cuts: &[i64],
    threads: usize,
    monitor: &dyn Monitor,
) -> Result<Scan> {
    let mut bounds: Vec<usize> = vec![0];
    bounds.extend(cuts.iter().map(|&cut| cut as usize));
    bounds.push(data.len());
    let pieces = Pieces { set, data, bounds };
    // the first piece tells how many tokens to expect
    let mut noted = Overshoot::default();
    let first = pieces.scan(0, Scan::default(), &mut noted);
    let expected =
        first.scan.starts.len() as u128 * data.len() as u128 / pieces.bounds[1].max(1) as u128;
    let places = affordable(&[expected + expected / 2 + 64, expected]);
    let mut whole = Scan { starts: vec![0; places], kinds: vec![0; places] };
    let board = Mutex::new(Board::new(&mut whole, first, &pieces.bounds));
    std::thread::scope(|scope| {
        // where the system has no more threads, those that there are do the work
        let others: Vec<_> = (1..threads.min(pieces.len()))
            .map_while(|_| {
                let work = || pieces.work(&board, |_| ControlFlow::Continue(()));
                std::thread::Builder::new().spawn_scoped(scope, work).ok()
            })
            .collect();
        pieces.work(&board, |done| monitor.tick("scanning", done as u64, pieces.len() as u64));
        others.into_iter().try_for_each(std::thread::ScopedJoinHandle::join)
    })
    .map_err(|_| Error::internal("a scanning thread panicked"))?;
    let Board { written, rest, broken, stopped, .. } =
        board.into_inner().unwrap_or_else(PoisonError::into_inner);
    whole.starts.truncate(written);
    whole.kinds.truncate(written);
    for part in rest.iter().chain(broken.as_ref().map(|part| &part.scan)) {
        whole.starts.extend_from_slice(&part.starts);
        whole.kinds.extend_from_slice(&part.kinds);
    }
    whole.starts.shrink_to_fit();
    whole.kinds.shrink_to_fit();
    match broken.map(|part| part.end) {
        None if stopped => Err(Error::Interrupted),
        None => Ok(whole),
        Some(Ok(end)) => extend_to_end(set, data, whole, end, monitor),
        Some(Err(position)) => Err(Error::Untokenizable { position, starts: whole.starts }),
    }
}

/// The first number of places that memory can be had for; with none, pieces are joined at the end.
fn affordable(numbers: &[u128]) -> usize {
    let fits = |&places: &usize| {
        let starts = Vec::<i64>::new().try_reserve_exact(places);
        starts.and_then(|()| Vec::<u32>::new().try_reserve_exact(places)).is_ok()
    };
    numbers.iter().filter_map(|&places| usize::try_from(places).ok()).find(fits).unwrap_or(0)
}

/// The tokens of a piece, and where they end or are stuck.
struct Part {
    scan: Scan,
    end: std::result::Result<usize, usize>,
}

/// A text in pieces.
struct Pieces<'a> {
    set: &'a TokenSet,
    data: &'a [u8],
    /// Piece `i` lies between the bounds `i` and `i + 1`.
    bounds: Vec<usize>,
}

impl Pieces<'_> {
    fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    fn scan(&self, piece: usize, mut scan: Scan, noted: &mut Overshoot) -> Part {
        let (from, until) = (self.bounds[piece], self.bounds[piece + 1]);
        let end = self.set.extend(self.data, from, until, &mut scan, noted);
        Part { scan, end }
    }

    /// Scans pieces until there are none, and brings to their places whatever can be.
    fn work(&self, board: &Mutex<Board<'_>>, tick: impl Fn(usize) -> ControlFlow<()>) {
        let mut noted = Overshoot::default();
        let lock = || board.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some((piece, memory)) = lock().take_piece(self.len()) else { return };
            let part = self.scan(piece, memory, &mut noted);
            let mut guard: MutexGuard<'_, Board<'_>> = lock();
            guard.finished.insert(piece, part);
            while let Some((mut part, place)) = guard.settle(&self.bounds) {
                drop(guard);
                place.starts.copy_from_slice(&part.starts);
                place.kinds.copy_from_slice(&part.kinds);
                part.clear();
                guard = lock();
                guard.spare.push(part);
            }
            let done = guard.settled;
            drop(guard);
            if tick(done).is_break() {
                lock().stopped = true;
            }
        }
    }
}

/// Places of the result.
struct Place<'a> {
    starts: &'a mut [i64],
    kinds: &'a mut [u32],
}

/// What the threads know of each other.
struct Board<'a> {
    /// The next piece that nobody scans yet.
    next: usize,
    /// Pieces before this one are in their places.
    settled: usize,
    /// Scanned pieces that wait for one before them.
    finished: BTreeMap<usize, Part>,
    /// The places that are left.
    free: Place<'a>,
    /// Number of places that are taken.
    written: usize,
    /// Once places run out: the pieces that come after them.
    rest: Vec<Scan>,
    /// The first piece that did not land on its right bound.
    broken: Option<Part>,
    /// Whether everybody should stop.
    stopped: bool,
    /// Memory that can be used again.
    spare: Vec<Scan>,
}

impl<'a> Board<'a> {
    fn new(whole: &'a mut Scan, first: Part, bounds: &[usize]) -> Self {
        let mut board = Self {
            next: 1,
            settled: 0,
            finished: BTreeMap::from([(0, first)]),
            free: Place { starts: &mut whole.starts, kinds: &mut whole.kinds },
            written: 0,
            rest: vec![],
            broken: None,
            stopped: false,
            spare: vec![],
        };
        if let Some((part, place)) = board.settle(bounds) {
            place.starts.copy_from_slice(&part.starts);
            place.kinds.copy_from_slice(&part.kinds);
        }
        board
    }

    fn take_piece(&mut self, pieces: usize) -> Option<(usize, Scan)> {
        if self.stopped || self.next == pieces {
            return None;
        }
        self.next += 1;
        Some((self.next - 1, self.spare.pop().unwrap_or_default()))
    }

    /// The next piece in order, if it is scanned, and the places of its tokens.
    fn settle(&mut self, bounds: &[usize]) -> Option<(Scan, Place<'a>)> {
        while self.broken.is_none()
            && let Some(part) = self.finished.remove(&self.settled)
        {
            self.settled += 1;
            if part.end != Ok(bounds[self.settled]) {
                self.broken = Some(part);
                self.stopped = true;
                return None;
            }
            let tokens = part.scan.starts.len();
            if self.rest.is_empty() && tokens <= self.free.starts.len() {
                let (starts, free_starts) = take(&mut self.free.starts).split_at_mut(tokens);
                let (kinds, free_kinds) = take(&mut self.free.kinds).split_at_mut(tokens);
                self.free = Place { starts: free_starts, kinds: free_kinds };
                self.written += tokens;
                return Some((part.scan, Place { starts, kinds }));
            }
            self.rest.push(part.scan);
        }
        None
    }
}
