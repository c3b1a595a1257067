//! What a scan sees of a text: some windows side by side, and where matches end in them.

use super::kinds::LENGTH;

/// Windows that are looked at together.
pub(super) const LANES: usize = 4;

/// Places of a window of which something is told: two characters before each and two behind it are in the window.
pub(super) const TOLD: usize = LENGTH - 3;

/// Bytes of all windows: they overlap, so that each tells its places alone.
pub(super) const SEEN: usize = TOLD * (LANES - 1) + LENGTH;

/// A bit for each byte of each window.
pub(super) type Places<const N: usize> = [u64; N];

/// Where the matches of a part of a text end, as far as that is told.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// Where the first window begins.
    start: usize,
    lane: usize,
    /// Where the window of the lane begins.
    base: usize,
    /// Where the next matches in it end, one after the other, up to a place that is unsure.
    ends: u64,
    sure: Places<LANES>,
    unsure: Places<LANES>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// An end that is told.
    End,
    /// A place that is unsure.
    Unsure,
    /// What is beyond the view.
    Beyond,
}

impl View {
    /// One that sees nothing.
    pub(super) const fn new() -> Self {
        let (start, nothing) = (usize::MAX / 2, [0; LANES]);
        Self { start, lane: LANES, base: start, ends: 0, sure: nothing, unsure: nothing }
    }

    /// The view from byte `start` on, where a match begins.
    pub(super) fn of<const N: usize>(start: usize, ends: [Places<N>; 2]) -> Self {
        let [sure, unsure] = ends.map(|places| {
            let mut told = [0; LANES];
            for (lane, (told, places)) in told.iter_mut().zip(places).enumerate() {
                // The first two characters of a window are the last of the one before; before the first one a match
                // begins.
                let first = if lane == 0 { 1 } else { 2 };
                *told = places & (!0 >> (LENGTH - TOLD - 2)) & (!0 << first);
            }
            told
        });
        let mut view = Self { start, lane: 0, base: start, ends: 0, sure, unsure };
        view.enter(0);
        view
    }

    /// Whether it was made for the match that begins at `at`.
    pub(super) const fn is_from(&self, at: usize) -> bool {
        self.start == at
    }

    /// The next match begins at byte `at`.
    #[inline]
    pub(super) fn resume(&mut self, at: usize) {
        let offset = at.wrapping_sub(self.start);
        let lane = offset.wrapping_sub(1) / TOLD;
        let (Some(sure), Some(unsure)) = (self.sure.get_mut(lane), self.unsure.get_mut(lane))
        else {
            self.lane = LANES;
            self.ends = 0;
            return;
        };
        let behind = (!0 << (offset - lane * TOLD)) << 1;
        *sure &= behind;
        *unsure &= behind;
        self.enter(lane);
    }

    fn enter(&mut self, lane: usize) {
        self.lane = lane;
        self.base = self.start + lane * TOLD;
        let unsure = self.unsure[lane];
        let before = (unsure & unsure.wrapping_neg()).wrapping_sub(1);
        self.ends = self.sure[lane] & before;
    }

    /// Goes on to the next lane of which something is told.
    pub(super) fn advance(&mut self) -> Next {
        while let Some(&unsure) = self.unsure.get(self.lane) {
            if self.ends != 0 {
                return Next::End;
            }
            if unsure != 0 {
                return Next::Unsure;
            }
            if self.lane + 1 == LANES {
                break;
            }
            self.enter(self.lane + 1);
        }
        Next::Beyond
    }

    #[inline]
    pub(super) const fn has_ends(&self) -> bool {
        self.ends != 0
    }

    /// Takes the next end.
    #[inline]
    pub(super) const fn take(&mut self) -> usize {
        let end = self.base + self.ends.trailing_zeros() as usize;
        self.ends &= self.ends.wrapping_sub(1);
        end
    }

    /// Takes all ends that are told next: a bit for each, counted from the byte that is given.
    #[inline]
    pub(super) const fn take_all(&mut self) -> (usize, u64) {
        (self.base, std::mem::replace(&mut self.ends, 0))
    }
}
