//! The o200k pattern by hand: the pieces that Oniguruma gives for it, many times faster.
//!
//! The pattern is an ordered alternation that backtracks; each alternative is one method here, tried in
//! the pattern's order, with the same greed. Two forms exist: the original one, and one in which each
//! unbounded repeat ends after [`LIMIT`] characters, so that no piece is longer than `2 * LIMIT + 4`
//! characters (training uses it, and writes it into the file that it exports).

use super::o200k_classes::RANGES;

/// The most characters of one repeat in the length-limited form.
pub const LIMIT: usize = 32;

/// The most bytes that deciding one piece of the length-limited form looks at: prefix, two runs,
/// contraction or one character of look-ahead, of at most four bytes each.
pub const LOOK_AHEAD_BYTES: usize = 4 * (2 * LIMIT + 5);

const UPPER: u8 = 1;
const LOWER: u8 = 2;
const LETTER: u8 = 4;
const NUMBER: u8 = 8;
const SPACE: u8 = 16;
const PAGE: usize = 256;

/// The splitter of the o200k pattern.
#[derive(Debug, Clone)]
pub struct O200k {
    /// Most characters of one repeat.
    limit: usize,
    /// Page of each block of 256 code points.
    page: Vec<u16>,
    flags: Vec<u8>,
}

impl O200k {
    /// The original pattern, with unbounded repeats.
    pub fn unlimited() -> Self {
        Self::new(usize::MAX)
    }

    /// The pattern whose repeats end after [`LIMIT`] characters.
    pub fn limited() -> Self {
        Self::new(LIMIT)
    }

    fn new(limit: usize) -> Self {
        let mut code_points = vec![0u8; 0x0011_0000];
        for (at, &(first, flags)) in RANGES.iter().enumerate() {
            let end = RANGES.get(at + 1).map_or(code_points.len(), |next| next.0 as usize);
            code_points[first as usize..end].fill(flags);
        }
        let (mut page, mut flags) = (Vec::new(), Vec::<u8>::new());
        for block in code_points.chunks_exact(PAGE) {
            let known = flags.chunks_exact(PAGE).position(|old| old == block);
            page.push(known.unwrap_or(flags.len() / PAGE) as u16);
            if known.is_none() {
                flags.extend_from_slice(block);
            }
        }
        Self { limit, page, flags }
    }

    /// The regular expression with this meaning, in the syntax of `tokenizers`.
    pub fn source(&self) -> String {
        let (any, some) = if self.limit == usize::MAX {
            ("*".to_owned(), "+".to_owned())
        } else {
            (format!("{{0,{}}}", self.limit), format!("{{1,{}}}", self.limit))
        };
        let upper = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]";
        let lower = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";
        let tail = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
        [
            format!(r"[^\r\n\p{{L}}\p{{N}}]?{upper}{any}{lower}{some}{tail}"),
            format!(r"[^\r\n\p{{L}}\p{{N}}]?{upper}{some}{lower}{any}{tail}"),
            r"\p{N}{1,3}".to_owned(),
            format!(r" ?[^\s\p{{L}}\p{{N}}]{some}[\r\n/]{any}"),
            format!(r"\s{any}[\r\n]{some}"),
            format!(r"\s{some}(?!\S)"),
            format!(r"\s{some}"),
        ]
        .join("|")
    }

    /// Where the piece that starts at byte `start` ends; `start` must be a character boundary inside `text`.
    #[inline]
    pub fn piece_end(&self, text: &str, start: usize) -> usize {
        let bytes = text.as_bytes();
        let (flags, length) = self.class(bytes, start);
        let first = bytes[start];
        if flags & (LETTER | NUMBER) == 0 && first != b'\r' && first != b'\n' {
            let after = start + length;
            let prefixed = self
                .lower_word(bytes, after)
                .or_else(|| self.lower_word(bytes, start))
                .or_else(|| self.upper_word(bytes, after));
            if let Some(end) = prefixed {
                return end;
            }
        } else if flags & LETTER != 0
            && let Some(end) = self.lower_word(bytes, start)
        {
            return end;
        }
        // Only a letter is left for the second alternative without a prefix: a mark is a lower word.
        self.upper_word(bytes, start)
            .or_else(|| self.number(bytes, start))
            .or_else(|| self.symbols(bytes, start))
            .unwrap_or_else(|| self.white_space(bytes, start))
    }

    /// Calls `emit(start, end)` for each piece, in order; together they cover `text`.
    #[inline]
    pub fn for_each_piece(&self, text: &str, mut emit: impl FnMut(usize, usize)) {
        let mut start = 0;
        while start < text.len() {
            let end = self.piece_end(text, start);
            emit(start, end);
            start = end;
        }
    }

    /// The last byte position of `text` where cutting changes no piece of either part, if there is one.
    ///
    /// It is before a space that follows a character other than white space: no alternative holds a space
    /// after such a character, and the one look-ahead of the pattern is after white space only.
    pub fn last_cut(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut end = text.len();
        while let Some(space) = memchr::memrchr(b' ', &bytes[..end]) {
            let before = text[..space].chars().next_back();
            if before.is_some_and(|character| self.of(character) & SPACE == 0) {
                return Some(space);
            }
            end = space;
        }
        None
    }

    /// `UPPER{0,limit} LOWER{1,limit} contraction?` at `start`.
    #[inline]
    fn lower_word(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let mut position = self.run(bytes, start, UPPER, UPPER, self.limit);
        loop {
            if position < bytes.len() && self.class(bytes, position).0 & LOWER != 0 {
                let end = self.run(bytes, position, LOWER, LOWER, self.limit);
                return Some(contraction(bytes, end));
            }
            if position == start {
                return None;
            }
            position = previous(bytes, position);
        }
    }

    /// `UPPER{1,limit} LOWER{0,limit} contraction?` at `start`.
    fn upper_word(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let middle = self.run(bytes, start, UPPER, UPPER, self.limit);
        if middle == start {
            return None;
        }
        let end = self.run(bytes, middle, LOWER, LOWER, self.limit);
        Some(contraction(bytes, end))
    }

    fn number(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let end = self.run(bytes, start, NUMBER, NUMBER, 3);
        (end > start).then_some(end)
    }

    /// ` ?[^\s\p{L}\p{N}]{1,limit}[\r\n/]{0,limit}` at `start`.
    fn symbols(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let from = start + usize::from(bytes[start] == b' ');
        let mut end = self.run(bytes, from, SPACE | LETTER | NUMBER, 0, self.limit);
        if end == from {
            return None;
        }
        let mut left = self.limit;
        while left > 0 && matches!(bytes.get(end), Some(b'\r' | b'\n' | b'/')) {
            end += 1;
            left -= 1;
        }
        Some(end)
    }

    /// The last three alternatives, all of white space.
    fn white_space(&self, bytes: &[u8], start: usize) -> usize {
        let all = self.run(bytes, start, SPACE, SPACE, self.limit);
        let newline = |at: usize| matches!(bytes.get(at), Some(b'\r' | b'\n'));
        let mut position = all;
        loop {
            if newline(position) {
                let mut left = self.limit;
                while left > 0 && newline(position) {
                    position += 1;
                    left -= 1;
                }
                return position;
            }
            if position == start {
                break;
            }
            position = previous(bytes, position);
        }
        let white = |at: usize| at >= bytes.len() || self.class(bytes, at).0 & SPACE != 0;
        position = all;
        while position > start {
            if white(position) {
                return position;
            }
            position = previous(bytes, position);
        }
        all
    }

    /// The end of the run of at most `limit` characters from `start` whose flags under `mask` are some of
    /// `wanted`, or none where `wanted` is 0.
    #[inline]
    fn run(&self, bytes: &[u8], start: usize, mask: u8, wanted: u8, limit: usize) -> usize {
        let mut position = start;
        let mut left = limit;
        while left > 0 && position < bytes.len() {
            let (flags, length) = self.class(bytes, position);
            if (flags & mask != 0) != (wanted != 0) {
                break;
            }
            position += length;
            left -= 1;
        }
        position
    }

    /// Flags and bytes of the character at `position`, which must be a boundary inside valid UTF-8.
    #[inline]
    fn class(&self, bytes: &[u8], position: usize) -> (u8, usize) {
        let first = bytes[position];
        if first < 0x80 {
            return (self.flags[usize::from(first)], 1);
        }
        let low = |at: usize| u32::from(bytes.get(position + at).copied().unwrap_or(0) & 0x3F);
        let (code, length) = match first {
            0xC0..0xE0 => (u32::from(first & 0x1F) << 6 | low(1), 2),
            0xE0..0xF0 => (u32::from(first & 0x0F) << 12 | low(1) << 6 | low(2), 3),
            _ => (u32::from(first & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4),
        };
        (self.lookup(code), length)
    }

    fn of(&self, character: char) -> u8 {
        self.lookup(character.into())
    }

    #[inline]
    fn lookup(&self, code: u32) -> u8 {
        let code = code as usize;
        // The first page is the first block's, since pages are numbered as they come.
        self.flags[usize::from(self.page[code / PAGE]) * PAGE + code % PAGE]
    }
}

/// The end of a contraction at `start`, or `start`.
#[inline]
fn contraction(bytes: &[u8], start: usize) -> usize {
    if bytes.get(start) != Some(&b'\'') {
        return start;
    }
    let next = |offset: usize| bytes.get(start + offset).map(u8::to_ascii_lowercase);
    match (next(1), next(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => start + 2,
        // U+017F, the long s, is an s in another case: two bytes.
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) | (Some(0xC5), Some(0xBF)) => {
            start + 3
        }
        _ => start,
    }
}

/// The boundary before `position`, which must not be the first.
fn previous(bytes: &[u8], position: usize) -> usize {
    let mut at = position - 1;
    while at > 0 && bytes[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    at
}

#[cfg(test)]
#[path = "o200k_tests.rs"]
mod tests;
