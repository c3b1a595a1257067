//! Truncation: at most so many tokens, special ones included.

use crate::encode::encoding::{Direction, Encoding};
use crate::encode::json::{Json, Node};
use crate::error::{Error, Result};

/// Which sequence of a pair gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The longer one.
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

impl Strategy {
    const ALL: [(Self, &'static str); 3] = [
        (Self::LongestFirst, "LongestFirst"),
        (Self::OnlyFirst, "OnlyFirst"),
        (Self::OnlySecond, "OnlySecond"),
    ];

    /// The strategy of this name in tokenizer files.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(strategy, _)| *strategy)
    }

    /// Its name in tokenizer files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(strategy, _)| *strategy == self).map_or("", |(_, name)| name)
    }
}

/// The `truncation` of a tokenizer file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// From which end tokens are taken away.
    pub direction: Direction,
    /// Most tokens, special ones included.
    pub max_length: usize,
    /// Which sequence of a pair gives way.
    pub strategy: Strategy,
    /// Tokens that neighbouring windows share.
    pub stride: usize,
}

impl Truncation {
    /// Reads `truncation`.
    pub fn from_json(node: &Node) -> Result<Self> {
        let strategy = node.field("strategy")?;
        let known = Strategy::named(strategy.text()?);
        Ok(Self {
            direction: direction_from_json(node)?,
            max_length: node.field("max_length")?.count()?,
            strategy: known.ok_or_else(|| {
                strategy.invalid("should be LongestFirst, OnlyFirst or OnlySecond")
            })?,
            stride: node.field("stride")?.count()?,
        })
    }

    /// What the reference writes for it.
    pub fn to_json(self) -> Json<'static> {
        Json::object([
            ("direction", self.direction.name().into()),
            ("max_length", self.max_length.into()),
            ("strategy", self.strategy.name().into()),
            ("stride", self.stride.into()),
        ])
    }

    /// Truncates a text and perhaps its pair so that `added` special tokens still fit.
    pub fn apply(
        self,
        first: &mut Encoding,
        mut pair: Option<&mut Encoding>,
        added: usize,
    ) -> Result<()> {
        // A maximum below the number of special tokens truncates nothing, as in the reference.
        let Some(max_length) = self.max_length.checked_sub(added) else { return Ok(()) };
        let total = first.len() + pair.as_ref().map_or(0, |pair| pair.len());
        if total <= max_length && max_length > 0 {
            return Ok(());
        }
        let (keep_first, keep_second) = match &pair {
            _ if max_length == 0 => (0, 0),
            None if self.strategy != Strategy::OnlySecond => (max_length, 0),
            None => {
                return Err(Error::argument(
                    "strategy",
                    "only_second truncates the second sequence, and there is none; pass a pair",
                ));
            }
            Some(pair) => self.shares(first.len(), pair.len(), max_length)?,
        };
        self.cut(first, keep_first)?;
        pair.as_mut().map_or(Ok(()), |pair| self.cut(pair, keep_second))
    }

    /// How many tokens of either sequence stay.
    fn shares(self, first: usize, second: usize, max_length: usize) -> Result<(usize, usize)> {
        let removed = first + second - max_length;
        let rest = |length: usize| {
            length.checked_sub(removed).filter(|&rest| rest > 0).ok_or_else(|| {
                Error::argument(
                    "max_length",
                    format!(
                        "the sequence to truncate is too short: {removed} tokens must go and it has \
                         {length}; raise max_length or use strategy longest_first"
                    ),
                )
            })
        };
        match self.strategy {
            Strategy::OnlyFirst => Ok((rest(first)?, second)),
            Strategy::OnlySecond => Ok((first, rest(second)?)),
            Strategy::LongestFirst => {
                let short = first.min(second);
                // The short one stays whole where the long one can give enough.
                let mut kept = (short, short.max(max_length.saturating_sub(short)));
                if kept.0 + kept.1 > max_length {
                    kept = (max_length / 2, max_length / 2 + max_length % 2);
                }
                Ok(if first > second { (kept.1, kept.0) } else { kept })
            }
        }
    }

    fn cut(self, encoding: &mut Encoding, keep: usize) -> Result<()> {
        if encoding.len() > keep && keep > 0 && self.stride >= keep {
            return Err(Error::argument(
                "stride",
                format!(
                    "{} should be below the {keep} tokens that a window keeps; lower it or raise max_length",
                    self.stride
                ),
            ));
        }
        encoding.truncate(keep, self.stride, self.direction)
    }
}

/// Reads the `direction` of truncation or padding; old files have none in truncation.
pub(super) fn direction_from_json(node: &Node) -> Result<Direction> {
    let Some(direction) = node.present("direction") else { return Ok(Direction::Right) };
    match direction.text()? {
        "Left" => Ok(Direction::Left),
        "Right" => Ok(Direction::Right),
        _ => Err(direction.invalid("should be Left or Right")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Encoding, Strategy, Truncation};

    #[test]
    fn a_maximum_below_the_special_tokens_truncates_nothing() -> crate::Result<()> {
        let truncation = Truncation {
            direction: Direction::Right,
            max_length: 1,
            strategy: Strategy::OnlySecond,
            stride: 0,
        };
        let mut encoding = Encoding { ids: vec![1, 2, 3], ..Encoding::default() };

        truncation.apply(&mut encoding, None, 2)?;

        assert_eq!(vec![1, 2, 3], encoding.ids);
        Ok(())
    }

    #[test]
    fn the_longer_sequence_gives_way_first() -> crate::Result<()> {
        let truncation = Truncation {
            direction: Direction::Right,
            max_length: 0,
            strategy: Strategy::LongestFirst,
            stride: 0,
        };

        assert_eq!((2, 5), truncation.shares(2, 9, 7)?);
        assert_eq!((5, 2), truncation.shares(9, 2, 7)?);
        assert_eq!((3, 4), truncation.shares(9, 9, 7)?);
        assert_eq!((4, 3), truncation.shares(10, 9, 7)?);
        Ok(())
    }
}
