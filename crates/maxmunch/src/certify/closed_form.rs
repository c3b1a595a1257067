//! Realised origins of a window over a literal token set, without automaton or search over inputs.
//!
//! Every realisation can be trimmed to tokens `t1 t2 … tk u`, `t1` covering the first byte of the window
//! and `u` its last, such that at the start of each `ti` no longer token matches the rest. Hence the origin
//! is BEFORE exactly if the window lies inside a token past its start; 0 exactly if it begins a token; and
//! `s` exactly if some *minimal* token `u` that continues `window[s..]` can be reached: from the start of
//! the window, or from the end of a token that overhangs it on the left ("committed"), by repeatedly taking
//! the longest token. A shorter `u` leaves less text on its right, hence fewer longer matches, so that the
//! minimal ones decide. While the right end is still open the answers are three-valued.

use super::literal::{Literal, Tables};
use crate::machine::literal_trie::{LiteralTrie, NONE, ROOT};

/// The token that covers the window's last byte starts before the window.
pub const BEFORE: i64 = -1;

/// An answer that may still depend on bytes to the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    No,
    Maybe,
    Yes,
}

use Answer::{Maybe, No, Yes};

/// Facts about one prefix of the text under consideration.
#[derive(Debug, Clone, Default)]
struct Frame {
    /// For each start: the trie node of the text from there to this prefix's end, or `NONE`.
    nodes: Vec<u32>,
    /// For each start: the end of the longest token found so far, or 0.
    ends: Vec<u32>,
    /// Words that end with this prefix and are longer, as a range of `by_suffix`.
    longer: (u32, u32),
    /// Whether one of them is a leaf.
    free: bool,
}

/// A window, or a window and the rest of its last token, grown and shrunk at its right end.
pub(super) struct Grown<'a> {
    set: &'a Literal,
    trie: &'a LiteralTrie,
    tables: &'a Tables,
    text: Vec<u8>,
    frames: Vec<Frame>,
    reach: Vec<Answer>,
}

impl<'a> Grown<'a> {
    pub(super) fn new(set: &'a Literal) -> Self {
        Self {
            set,
            trie: set.trie(),
            tables: set.tables(),
            text: Vec::new(),
            frames: vec![Frame::default()],
            reach: Vec::new(),
        }
    }

    pub(super) fn of(set: &'a Literal, window: &[u8]) -> Self {
        let mut grown = Self::new(set);
        grown.reset(window);
        grown
    }

    /// Starts again with `window`.
    pub(super) fn reset(&mut self, window: &[u8]) {
        self.text.clear();
        for &byte in window {
            self.push(byte, usize::MAX);
            self.find_longer();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Appends a byte; only starts below `limit` are followed.
    #[inline]
    pub(super) fn push(&mut self, byte: u8, limit: usize) {
        let depth = self.text.len();
        self.text.push(byte);
        if self.frames.len() == depth + 1 {
            self.frames.push(Frame::default());
        }
        let (old, new) = self.frames.split_at_mut(depth + 1);
        let (Some(old), Some(new)) = (old.last(), new.first_mut()) else { return };
        new.nodes.clear();
        new.ends.clear();
        let end = depth as u32 + 1;
        for (&node, &longest) in old.nodes.iter().zip(&old.ends).take(limit) {
            let next = if node == NONE { NONE } else { self.trie.child(node, byte) };
            new.nodes.push(next);
            new.ends.push(if next != NONE && self.trie.is_word(next) { end } else { longest });
        }
        if depth < limit {
            let next = self.trie.child(ROOT, byte);
            new.nodes.push(next);
            new.ends.push(if next != NONE && self.trie.is_word(next) { end } else { 0 });
        }
    }

    /// Fills in the words that end with the whole text; needed before the text is grown further.
    pub(super) fn find_longer(&mut self) {
        let mut node = ROOT;
        for &byte in self.text.iter().rev() {
            node = self.tables.reversed.child(node, byte);
            if node == NONE {
                break;
            }
        }
        let longer = self.tables.longer(node);
        let frame = &mut self.frames[self.text.len()];
        frame.longer = longer;
        frame.free = self.tables.has_leaf(longer);
    }

    pub(super) fn pop(&mut self) {
        self.text.pop();
    }

    /// Whether the text from `start` on is the beginning of a token.
    #[inline]
    pub(super) fn begins_token(&self, start: usize) -> bool {
        self.frames[self.text.len()].nodes[start] != NONE
    }

    /// Whether some token that overhangs the text on the left ends after `e` bytes of it.
    fn committed(&self, e: usize, at_end: bool) -> Answer {
        let frame = &self.frames[e];
        if frame.free {
            return Yes;
        }
        let (low, high) = frame.longer;
        let mut answer = No;
        for &(_, node) in &self.tables.by_suffix[low as usize..high as usize] {
            match self.unextended(node, e, at_end) {
                Yes => return Yes,
                other => answer = answer.max(other),
            }
        }
        answer
    }

    /// Whether a token (at `node`) that ends after `e` bytes stays the longest match there.
    fn unextended(&self, node: u32, e: usize, at_end: bool) -> Answer {
        let mut node = node;
        for &byte in &self.text[e..] {
            node = self.trie.child(node, byte);
            if node == NONE {
                return Yes;
            }
            if self.trie.is_word(node) {
                return No;
            }
        }
        if at_end || self.trie.is_leaf(node) { Yes } else { Maybe }
    }

    /// For each start up to `s`: whether repeatedly taking the longest token leads exactly to `s`.
    fn fill_reach(&mut self, s: usize, at_end: bool) {
        let frame = &self.frames[self.text.len()];
        self.reach.clear();
        self.reach.resize(s + 1, No);
        self.reach[s] = Yes;
        for start in (0..s).rev() {
            let end = frame.ends[start] as usize;
            if end == 0 || end > s {
                continue;
            }
            let beyond = self.reach[end];
            let node = frame.nodes[start];
            let open = !at_end && node != NONE && !self.trie.is_leaf(node);
            self.reach[start] = if open { beyond.min(Maybe) } else { beyond };
        }
    }

    /// Whether a token can begin at `s`, given what is known of the right side; `open`: a token may
    /// overhang on the left, otherwise the text begins at a boundary.
    fn reachable(&mut self, s: usize, at_end: bool, open: bool) -> Answer {
        self.fill_reach(s, at_end);
        let mut answer = self.reach[0];
        if !open {
            return answer;
        }
        for e in 1..=s {
            if answer == Yes {
                return Yes;
            }
            if self.reach[e] > answer {
                answer = answer.max(self.reach[e].min(self.committed(e, at_end)));
            }
        }
        answer
    }

    /// Whether the text, as it stands, ends at a boundary in some input that ends there or goes on with
    /// a byte that no token has after the text's last one.
    pub(super) fn ends_at_boundary(&mut self, open: bool) -> bool {
        let end = self.text.len();
        if !open {
            self.fill_reach(end, true);
            return self.reach[0] == Yes;
        }
        self.reachable(end, true, true) == Yes
    }

    /// Whether origin `s` (at least 1) is realised.
    pub(super) fn realises(&mut self, s: usize, open: bool) -> bool {
        if !self.begins_token(s) {
            return false;
        }
        let mut found = false;
        self.descend(s, usize::MAX, |grown, at_end| match grown.reachable(s, at_end, open) {
            Yes => {
                found = true;
                Step::Stop
            }
            No => Step::Skip,
            Maybe => Step::Deeper,
        });
        found
    }

    /// Visits the text and its continuations along the token that begins at `s`, up to minimal tokens.
    fn descend(
        &mut self,
        s: usize,
        max_len: usize,
        mut visit: impl FnMut(&mut Self, bool) -> Step,
    ) {
        let base = self.text.len();
        let mut next: Vec<u16> = Vec::new(); // per level below the window: the byte to try next
        loop {
            let node = self.frames[self.text.len()].nodes[s];
            let at_end = self.trie.is_word(node);
            match visit(self, at_end) {
                Step::Stop => break,
                Step::Deeper if !at_end && self.text.len() < max_len => next.push(0),
                Step::Deeper | Step::Skip => {
                    if self.text.len() > base {
                        self.pop();
                    }
                }
            }
            // advance to the next continuation, leaving levels that are used up
            loop {
                let Some(byte) = next.last_mut() else {
                    self.text.truncate(base);
                    return;
                };
                let node = self.frames[self.text.len()].nodes[s];
                let found = (*byte..256).find(|&b| self.trie.child(node, b as u8) != NONE);
                if let Some(found) = found {
                    *byte = found + 1;
                    self.push(found as u8, s + 1);
                    break;
                }
                next.pop();
                if self.text.len() > base {
                    self.pop();
                }
            }
        }
        self.text.truncate(base);
    }

    /// The shortest input that realises origin `s` (at least 1) of the text of length `h`: the overhang
    /// on the left and the text with its continuation.
    fn shortest(&mut self, s: usize) -> Option<(Vec<u8>, Vec<u8>)> {
        if !self.begins_token(s) {
            return None;
        }
        let mut best: Option<(Vec<u8>, Vec<u8>)> = None;
        let total = |best: &Option<(Vec<u8>, Vec<u8>)>| {
            best.as_ref().map_or(usize::MAX, |(left, rest)| left.len() + rest.len())
        };
        let window = self.text.len();
        for max_len in window..=window + self.set.longest_word() {
            if total(&best) <= max_len {
                break;
            }
            self.descend(s, max_len, |grown, at_end| {
                if at_end && grown.len() == max_len {
                    if let Some(left) = grown.shortest_overhang(s, total(&best) - max_len) {
                        best = Some((left, grown.text.clone()));
                    }
                    return Step::Skip;
                }
                if grown.reachable(s, at_end, true) == No { Step::Skip } else { Step::Deeper }
            });
        }
        best
    }

    /// The shortest left overhang, shorter than `bound`, from which `s` is reached in the finished text.
    fn shortest_overhang(&mut self, s: usize, bound: usize) -> Option<Vec<u8>> {
        self.fill_reach(s, true);
        if self.reach[0] == Yes {
            return Some(Vec::new());
        }
        let mut bound = bound;
        let mut best = None;
        for e in 1..=s {
            if self.reach[e] != Yes {
                continue;
            }
            let (low, high) = self.frames[e].longer;
            for &(word, node) in &self.tables.by_suffix[low as usize..high as usize] {
                let word = &self.set.words()[word as usize];
                if word.len() - e < bound && self.unextended(node, e, true) == Yes {
                    bound = word.len() - e;
                    best = Some(word[..bound].to_vec());
                }
            }
        }
        best
    }
}

enum Step {
    Stop,
    Skip,
    Deeper,
}

/// All realised origins of the window, increasing; [`BEFORE`] for a token that starts before it.
///
/// Empty: the window occurs in no completely tokenizable text. Complexity: `O(h^2)` trie steps for most
/// windows of `h` bytes, plus rare walks along words that end inside the window.
pub fn origins(set: &Literal, window: &[u8]) -> Vec<i64> {
    let mut grown = Grown::of(set, window);
    let mut found = Vec::new();
    if set.occurs_inside(window) {
        found.push(BEFORE);
    }
    for origin in 0..window.len() {
        let real = if origin == 0 { grown.begins_token(0) } else { grown.realises(origin, true) };
        if real {
            found.push(origin as i64);
        }
    }
    found
}

/// The first byte that begins tokens and occurs nowhere else in them.
pub(super) fn certified_byte(set: &Literal) -> Option<u8> {
    (0..=255_u8).find(|&byte| origins(set, &[byte]) == [0])
}

/// A shortest input that realises `origin`, and where the window occurs in it.
pub(super) fn realisation(set: &Literal, window: &[u8], origin: i64) -> Option<(Vec<u8>, usize)> {
    if origin == BEFORE {
        return set.shortest_around(window).map(|(word, at)| (word.to_vec(), at));
    }
    if origin == 0 {
        return shortest_with_prefix(set, window).map(|word| (word, 0));
    }
    let (left, rest) = Grown::of(set, window).shortest(origin as usize)?;
    let occurrence = left.len();
    let mut data = left;
    data.extend(rest);
    Some((data, occurrence))
}

fn shortest_with_prefix(set: &Literal, prefix: &[u8]) -> Option<Vec<u8>> {
    let words = set.words();
    let low = words.partition_point(|word| word.as_ref() < prefix);
    words[low..]
        .iter()
        .take_while(|word| word.starts_with(prefix))
        .min_by_key(|word| word.len())
        .map(|word| word.to_vec())
}
