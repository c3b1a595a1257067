//! All suffixes of all pretokens in the order of their bytes: equal substrings become neighbours.

use std::ops::ControlFlow;

use super::instance::Table;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// A class of equal substrings, complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    /// Classes are numbered in the order in which their first substring comes.
    pub(super) index: u32,
    /// One position at which the substring starts.
    pub(super) position: u32,
    pub(super) length: u8,
    /// Whether it occurs in two distinct pretokens.
    pub(super) several_hosts: bool,
    /// Whether it is a whole pretoken.
    pub(super) whole: bool,
}

/// The sorted suffixes and how long a prefix each shares with its predecessor.
#[derive(Debug)]
pub(super) struct Suffixes<'a> {
    table: &'a Table,
    max_length: usize,
    position: Vec<u32>,
    /// Common prefix with the predecessor, in bytes, capped at the longest token; `shared[0]` is 0.
    shared: Vec<u8>,
}

impl<'a> Suffixes<'a> {
    pub(super) fn sort(table: &'a Table, max_length: usize, monitor: &dyn Monitor) -> Result<Self> {
        let text = &table.text;
        let end = |position: u32| {
            let end = table.start[table.host[position as usize] as usize + 1] as usize;
            end.min(position as usize + max_length)
        };
        let tail = |position: u32| &text[position as usize..end(position)];
        let mut keyed: Vec<(u64, u32)> =
            (0..text.len() as u32).map(|position| (key(tail(position)), position)).collect();
        if monitor.tick("candidates", 0, text.len() as u64) == ControlFlow::Break(()) {
            return Err(Error::Interrupted);
        }
        keyed.sort_unstable_by(|left, right| {
            left.0
                .cmp(&right.0)
                .then_with(|| tail(left.1).cmp(tail(right.1)))
                .then_with(|| left.1.cmp(&right.1))
        });
        let position: Vec<u32> = keyed.into_iter().map(|(_, position)| position).collect();
        let mut shared = vec![0u8; position.len()];
        for rank in 1..position.len() {
            let (left, right) = (tail(position[rank - 1]), tail(position[rank]));
            shared[rank] = left.iter().zip(right).take_while(|(a, b)| a == b).count() as u8;
        }
        Ok(Self { table, max_length, position, shared })
    }

    /// An upper bound on the number of classes, which their 32-bit numbers must hold.
    pub(super) fn class_limit(&self) -> usize {
        let of = |(&position, &shared): (&u32, &u8)| {
            self.lengths(position).0.saturating_sub(usize::from(shared).max(1))
        };
        self.position.iter().zip(&self.shared).map(of).sum()
    }

    /// Calls `visit` once for each class of equal substrings of two bytes or more, when it is complete.
    pub(super) fn for_each_class(&self, mut visit: impl FnMut(Class)) {
        let mut open: Vec<Class> = Vec::new();
        let mut next = 0;
        for rank in 0..self.position.len() {
            let position = self.position[rank];
            let (length, rest) = self.lengths(position);
            while open.last().is_some_and(|class| class.length > self.shared[rank]) {
                if let Some(class) = open.pop() {
                    visit(class);
                }
            }
            for class in &mut open {
                class.several_hosts |=
                    self.table.host[class.position as usize] != self.table.host[position as usize];
            }
            for new in open.len() + 2..=length {
                open.push(Class {
                    index: next,
                    position,
                    length: new as u8,
                    several_hosts: false,
                    whole: false,
                });
                next += 1;
            }
            if rest == length && self.is_start(position) && length >= 2 {
                open[length - 2].whole = true;
            }
        }
        open.into_iter().rev().for_each(visit);
    }

    /// Calls `visit(position, length, class)` for each substring of two bytes or more, those of one
    /// position together, by increasing length.
    pub(super) fn for_each_substring(&self, mut visit: impl FnMut(u32, u8, u32)) {
        let mut open: Vec<u32> = Vec::new();
        let mut next = 0;
        for (&position, &shared) in self.position.iter().zip(&self.shared) {
            let (length, _) = self.lengths(position);
            open.truncate(usize::from(shared).saturating_sub(1));
            for _ in open.len() + 2..=length {
                open.push(next);
                next += 1;
            }
            for (at, &class) in open.iter().enumerate() {
                visit(position, at as u8 + 2, class);
            }
        }
    }

    /// The longest substring at `position` that may be a token, and all the bytes up to the pretoken's end.
    fn lengths(&self, position: u32) -> (usize, usize) {
        let end = self.table.start[self.table.host[position as usize] as usize + 1];
        let rest = (end - position) as usize;
        (rest.min(self.max_length), rest)
    }

    fn is_start(&self, position: u32) -> bool {
        self.table.start[self.table.host[position as usize] as usize] == position
    }
}

/// The first eight bytes as a number that sorts as they do (a shorter tail is padded with zeros).
fn key(tail: &[u8]) -> u64 {
    let mut bytes = [0u8; 8];
    let length = tail.len().min(8);
    bytes[..length].copy_from_slice(&tail[..length]);
    u64::from_be_bytes(bytes)
}
