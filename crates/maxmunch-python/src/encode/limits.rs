//! Truncation and padding as tuples.

use std::sync::Arc;

use maxmunch::encode::encoding::{Direction, Filler};
use maxmunch::encode::padding::Padding;
use maxmunch::encode::truncation::{Strategy, Truncation};
use maxmunch::{Error, Result};

/// `max_length`, stride, strategy as in files, whether tokens are taken away on the left.
pub(super) type TruncationParts = (usize, usize, String, bool);
/// Length, `pad_to_multiple_of`, `pad_id`, `pad_type_id`, `pad_token`, whether padding is on the left.
pub(super) type PaddingParts = (Option<usize>, Option<usize>, u32, u32, String, bool);

pub(super) fn truncation(parts: TruncationParts) -> Result<Truncation> {
    let (max_length, stride, strategy, left) = parts;
    let strategy = Strategy::named(&strategy)
        .ok_or_else(|| Error::argument("strategy", format!("{strategy:?} is no strategy")))?;
    Ok(Truncation { direction: direction(left), max_length, strategy, stride })
}

pub(super) fn truncation_parts(truncation: Truncation) -> TruncationParts {
    let Truncation { direction, max_length, strategy, stride } = truncation;
    (max_length, stride, strategy.name().to_owned(), direction == Direction::Left)
}

pub(super) fn padding(parts: PaddingParts) -> Padding {
    let (length, multiple, id, type_id, token, left) = parts;
    let filler = Filler { id, type_id, token: Arc::from(token) };
    Padding { length, direction: direction(left), multiple, filler }
}

pub(super) fn padding_parts(padding: &Padding) -> PaddingParts {
    let Filler { id, type_id, token } = &padding.filler;
    let left = padding.direction == Direction::Left;
    (padding.length, padding.multiple, *id, *type_id, token.as_ref().to_owned(), left)
}

pub(super) fn direction(left: bool) -> Direction {
    if left { Direction::Left } else { Direction::Right }
}
