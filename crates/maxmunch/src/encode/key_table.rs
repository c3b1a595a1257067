//! A table from keys to a few ids each, in lines of four places.
//!
//! A key stands in its own line, in one of two places next to each other if it came early. Where a line is full the
//! oldest key in it gives way.

use std::hint::select_unpredictable;

use crate::encode::piece_key::Key;
use crate::encode::prefetch::prefetch;
use crate::units::TokenId;

/// Places of a line: two lines of the processor's cache.
const PLACES: usize = 4;

/// The ids of a key, packed: the first with their number above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ids([u32; Self::MOST]);

impl Ids {
    /// Most ids.
    pub(super) const MOST: usize = 4;

    /// The bits of an id.
    const BITS: u32 = 29;

    /// What has the place of a number that is too large: the ids are listed elsewhere.
    const LISTED: usize = 7;

    const NONE: Self = Self([0; Self::MOST]);

    /// Some ids; none where they are none, too many, or the first is too large.
    pub(super) fn new(ids: &[TokenId]) -> Option<Self> {
        let mut packed = [0; Self::MOST];
        packed.get_mut(..ids.len())?.copy_from_slice(ids);
        (packed[0] >> Self::BITS == 0 && !ids.is_empty()).then_some(())?;
        packed[0] |= (ids.len() as u32) << Self::BITS;
        Some(Self(packed))
    }

    /// So many ids in a list, from `start` on.
    pub(super) const fn listed(start: u32, len: u32) -> Self {
        Self([(Self::LISTED as u32) << Self::BITS, start, len, 0])
    }

    /// Number of ids, above [`Self::MOST`] if they are listed.
    #[inline]
    pub(super) const fn len(self) -> usize {
        (self.0[0] >> Self::BITS) as usize
    }

    /// The ids, and something behind them.
    #[inline]
    pub(super) const fn padded(self) -> [TokenId; Self::MOST] {
        let [first, second, third, fourth] = self.0;
        [first & ((1 << Self::BITS) - 1), second, third, fourth]
    }

    /// Where the ids are listed, and how many, if they are.
    #[inline]
    pub(super) const fn list(self) -> Option<(usize, usize)> {
        if self.len() <= Self::MOST {
            return None;
        }
        Some((self.0[1] as usize, self.0[2] as usize))
    }
}

/// A key and its ids, or a place for them, half a line of the processor's cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Place {
    // The halves of a key, as numbers that can be compared without a branch.
    low: u64,
    high: u64,
    ids: Ids,
}

const FREE: Place = Place { low: 0, high: 0, ids: Ids::NONE };

impl Place {
    #[inline]
    const fn holds(&self, key: Key) -> bool {
        (self.low ^ key.low()) | (self.high ^ key.high()) == 0
    }

    #[inline]
    const fn is_free(&self) -> bool {
        self.ids.len() == 0
    }
}

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line([Place; PLACES]);

const EMPTY: Line = Line([FREE; PLACES]);

/// So many times its first size a table can have where it is.
const ROOM_TO_GROW: usize = 4;

/// The table. It never grows by itself.
#[derive(Debug, Default)]
pub(super) struct KeyTable {
    lines: Vec<Line>,
    used: usize,
    /// Which place of a full line is given away next.
    clock: usize,
}

impl KeyTable {
    /// Bytes of a place.
    pub(super) const PLACE_BYTES: usize = size_of::<Place>();

    /// An empty table of at least so many places.
    pub(super) fn new(places: usize) -> Self {
        let lines = lines_of(places);
        // PERF: memory that nobody has touched costs nothing, and a table that grows in its place is not copied.
        let mut room = Vec::with_capacity(lines * ROOM_TO_GROW);
        room.resize(lines, EMPTY);
        Self { lines: room, used: 0, clock: 0 }
    }

    /// Number of places.
    pub(super) fn len(&self) -> usize {
        self.lines.len() * PLACES
    }

    /// Number of keys.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Asks for the memory where a key of this hash is, or would be.
    #[inline]
    pub(super) fn fetch(&self, hash: u64) {
        if let Some(Line(line)) = self.lines.get(self.line(hash)) {
            prefetch(line, 0);
            // PERF: a new word is looked for in all places, and put into a free one.
            prefetch(line, PLACES / 2);
        }
    }

    /// Whether a key, of this hash, is in one of its two places, and the ids there; no branch depends on it.
    #[inline]
    pub(super) fn quick(&self, key: Key, hash: u64) -> (bool, Ids) {
        let Some(Line(line)) = self.lines.get(self.line(hash)) else { return (false, Ids::NONE) };
        let at = pair(hash);
        let (first, second) = (&line[at], &line[at + 1]);
        let (is_first, is_second) = (first.holds(key), second.holds(key));
        (is_first | is_second, *select_unpredictable(is_first, &first.ids, &second.ids))
    }

    /// The ids of a key of this hash that is in none of its two places; then it will be.
    pub(super) fn displaced(&mut self, key: Key, hash: u64) -> Option<Ids> {
        let at = self.line(hash);
        let Line(line) = self.lines.get_mut(at)?;
        let place = order(hash).skip(PLACES / 2).find(|&place| line[place].holds(key))?;
        let ids = line[place].ids;
        // Keys that come often change places with those that do not.
        self.clock = self.clock.wrapping_add(1);
        line.swap(place, pair(hash) + self.clock % (PLACES / 2));
        Some(ids)
    }

    /// Keeps the ids, at least one, of a key.
    pub(super) fn insert(&mut self, key: Key, ids: Ids) {
        let hash = key.hash();
        let at = self.line(hash);
        self.clock = self.clock.wrapping_add(1);
        let oldest = self.clock % PLACES;
        let Some(Line(line)) = self.lines.get_mut(at) else { return };
        let free = order(hash).find(|&place| line[place].is_free() || line[place].holds(key));
        self.used += usize::from(free.is_some_and(|place| line[place].is_free()));
        line[free.unwrap_or(oldest)] = Place { low: key.low(), high: key.high(), ids };
    }

    /// Makes room for so many places.
    pub(super) fn grow(&mut self, places: usize) {
        let before = self.lines.len();
        let lines = lines_of(places);
        if before == 0 {
            *self = Self::new(places);
        } else if before < lines {
            self.lines.resize(lines, EMPTY);
            // What is in a line goes to it or to new ones, where nothing else goes.
            for from in 0..before {
                self.spread(from);
            }
        }
    }

    /// Puts the keys of a line where they belong.
    fn spread(&mut self, from: usize) {
        let Some(line) = self.lines.get_mut(from) else { return };
        let Line(places) = std::mem::replace(line, EMPTY);
        for place in places.into_iter().filter(|place| !place.is_free()) {
            let hash = Key::of_halves(place.low, place.high).hash();
            let at = self.line(hash);
            let Some(Line(line)) = self.lines.get_mut(at) else { continue };
            if let Some(free) = order(hash).find(|&free| line[free].is_free()) {
                line[free] = place;
            }
        }
    }

    /// Forgets all keys.
    pub(super) fn clear(&mut self) {
        self.lines.fill(EMPTY);
        self.used = 0;
    }

    #[inline]
    fn line(&self, hash: u64) -> usize {
        // An empty table has no line of this number.
        hash as usize & self.lines.len().saturating_sub(1)
    }
}

/// Lines that have at least so many places.
const fn lines_of(places: usize) -> usize {
    places.div_ceil(PLACES).next_power_of_two()
}

/// The first of the two places of a key.
#[inline]
const fn pair(hash: u64) -> usize {
    (hash >> 62) as usize & 2
}

/// The places of a line, those of the key first.
#[inline]
fn order(hash: u64) -> impl Iterator<Item = usize> {
    let first = pair(hash);
    (0..PLACES).map(move |place| first ^ place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Ids, Key, KeyTable};
    use crate::encode::piece_key::Kind;
    use crate::units::Span;

    fn key(word: u32) -> Option<Key> {
        Key::new(&word.to_le_bytes(), Span::new(0, 4), Kind::Piece)
    }

    fn find(table: &mut KeyTable, key: Key) -> Option<u32> {
        let (is_found, ids) = table.quick(key, key.hash());
        let ids = if is_found { Some(ids) } else { table.displaced(key, key.hash()) };
        ids.map(|ids| ids.padded()[0])
    }

    proptest! {
        #[test]
        fn a_table_that_grows_keeps_all_keys(
            words in prop::collection::btree_set(0..100_000_u32, 1..300),
            places in 1..400_usize,
            factors in prop::collection::vec(1..6_usize, 1..4),
        ) {
            let mut table = KeyTable::new(places);
            let keys = || words.iter().filter_map(|&word| Some((key(word)?, word)));
            for (key, word) in keys() {
                table.insert(key, Ids::new(&[word]).unwrap_or(Ids::NONE));
            }
            let mut kept: Vec<_> = keys().filter(|&(key, _)| find(&mut table, key).is_some()).collect();
            prop_assert_eq!(kept.len(), table.used());
            for factor in factors {
                table.grow(table.len() * factor);
                for &(key, word) in &kept {
                    prop_assert_eq!(Some(word), find(&mut table, key));
                }
                prop_assert_eq!(kept.len(), table.used());
            }
            // A table that has grown is one that keys can be put in.
            for (key, word) in keys() {
                table.insert(key, Ids::new(&[word]).unwrap_or(Ids::NONE));
                prop_assert_eq!(Some(word), find(&mut table, key));
            }
            kept.clear();
            table.clear();
            prop_assert!(keys().all(|(key, _)| find(&mut table, key).is_none()));
        }
    }
}
