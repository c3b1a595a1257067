//! Sets of characters that are written as a class, such as `[\p{P}&&\p{age:8.0}]`.
//!
//! The tables are those of `regex-syntax` (Unicode 16). Components whose reference has older tables take the
//! part that existed then, by age: a character that has a category keeps it, with a few exceptions.

use regex_syntax::hir::{Class, HirKind};

use crate::error::{Error, Result};

/// A set of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharSet {
    /// Bit `c` for the ASCII character `c`.
    ascii: u128,
    /// Sorted, not overlapping, inclusive.
    ranges: Box<[(char, char)]>,
}

impl CharSet {
    /// The set that a class in the syntax of `regex-syntax` describes.
    pub fn new(class: &str) -> Result<Self> {
        let ranges = ranges_of(class)?;
        let ascii = (0..128_u8)
            .filter(|&byte| has(&ranges, char::from(byte)))
            .fold(0, |set, byte| set | 1_u128 << byte);
        Ok(Self { ascii, ranges })
    }

    /// The characters in order, as ranges with both ends.
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Whether `character` is in the set.
    #[inline]
    pub fn contains(&self, character: char) -> bool {
        match character as u32 {
            code @ 0..128 => self.ascii >> code & 1 == 1,
            _ => has(&self.ranges, character),
        }
    }
}

fn has(ranges: &[(char, char)], character: char) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= character);
    after > 0 && character <= ranges[after - 1].1
}

/// The sorted ranges of the characters of a class, both ends included.
pub(in crate::encode) fn ranges_of(class: &str) -> Result<Box<[(char, char)]>> {
    let broken =
        |what: &str| Error::internal(format!("{class:?} is no class of characters: {what}"));
    let parsed = regex_syntax::parse(class).map_err(|error| broken(&error.to_string()))?;
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            Ok(class.ranges().iter().map(|range| (range.start(), range.end())).collect())
        }
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| broken("bytes"))?;
            Ok(text.chars().map(|character| (character, character)).collect())
        }
        _ => Err(broken("another expression")),
    }
}

#[cfg(test)]
mod tests {
    use super::CharSet;
    use crate::error::Result;

    #[test]
    fn a_class_is_the_set_of_its_characters() -> Result<()> {
        let set = CharSet::new(r"[\p{Nd}&&\p{age:3.0}]")?;

        let found = (char::MIN..=char::MAX).filter(|&character| set.contains(character));
        assert!(found.eq((char::MIN..=char::MAX).filter(|&character| {
            set.ranges.iter().any(|&(first, last)| first <= character && character <= last)
        })));
        assert!(set.contains('7') && set.contains('٣') && !set.contains('²'));
        assert!(!set.contains('\u{1E950}'));
        Ok(())
    }

    #[test]
    fn one_character_is_a_class_and_a_word_is_an_error() -> Result<()> {
        assert!(CharSet::new("a")?.contains('a'));
        assert!(CharSet::new("a|bc").is_err());
        Ok(())
    }
}
