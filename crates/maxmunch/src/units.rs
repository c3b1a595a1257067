//! The shared small nouns: ids and half-open ranges, so that raw integers stop at the boundary.

use std::ops::Range;

/// The number that a model gives to a token.
pub type TokenId = u32;

/// A half-open range of byte positions, `start <= end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Number of bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the range holds no byte.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range so many bytes further on.
    #[must_use]
    pub const fn shifted(self, by: usize) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }

    /// The same range as the standard library's type, for slicing.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_span_slices_what_it_names() {
        let span = Span::new(1, 3);

        assert_eq!("bc", &"abcd"[span.range()]);
        assert_eq!(2, span.len());
        assert!(!span.is_empty());
    }
}
