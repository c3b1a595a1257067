//! The longest beginning of a text whose ids fit a limit, reading little more than that.
//!
//! Counts of ids do not grow with every character: a longer text may have fewer. But at a cut that no following
//! text can spoil they do: what stands before it keeps its ids, so that no longer text has fewer. So the limit
//! is first found among cuts, by doubling and halving, and then among the characters between two neighbours.

use crate::encode::models::Scratch;
use crate::encode::seams::Right;
use crate::encode::tokenizer::{EncodeOptions, Tokenizer};
use crate::error::{Error, Result};
use crate::parallel::TextCuts;

/// Bytes that a first look takes for each id.
const BYTES_PER_ID: usize = 4;
/// Bytes that may be encoded to try one beginning after the other; beyond that the answer is refused.
const MOST_READ: usize = 1 << 28;

struct Counter<'a, 's> {
    tokenizer: &'a Tokenizer,
    text: &'a str,
    options: EncodeOptions<'a>,
    scratch: &'s mut Scratch,
    /// A place where the text may be cut in two, and the number of ids before it.
    base: (usize, usize),
    /// The last cut up to which the ids fit.
    done: usize,
}

impl Counter<'_, '_> {
    /// Number of ids of the text up to `end`, without those that stand around every text.
    fn count(&mut self, end: usize) -> Result<usize> {
        let (from, before) = self.base;
        let mut ids = Vec::new();
        let part = &self.text[from..end];
        self.tokenizer.append_ids(part, self.options.specials, self.scratch, &mut ids)?;
        Ok(before + ids.len())
    }
}

impl Tokenizer {
    /// Length in bytes of the longest beginning of `text` with at most `max_ids` ids, those that the
    /// post-processor adds counted.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] when the ids that are always added are too many; [`Error::Limit`] where a long
    /// stretch has no cut, so that every beginning would have to be tried.
    ///
    /// Complexity: that of encoding a few times the answer, where cuts are frequent.
    pub fn truncated_len(
        &self,
        text: &str,
        max_ids: usize,
        options: EncodeOptions,
        cuts: &TextCuts,
        scratch: &mut Scratch,
    ) -> Result<usize> {
        let refused = || {
            Error::argument(
                "max_tokens",
                "this tokenizer truncates, pads, samples, puts a text in twice, or changes texts so that those of \
                 two parts are not that of the whole: its ids cannot be counted piece by piece; use encode and its \
                 offsets",
            )
        };
        let (before, after) = self.frame(options.add_special_tokens).ok_or_else(refused)?;
        let added = before.len() + after.len();
        let Some(limit) = max_ids.checked_sub(added) else {
            return Err(Error::argument(
                "max_tokens",
                format!("{max_ids} is below the {added} special tokens that every text gets"),
            ));
        };
        if !cuts.applies() {
            return Err(refused());
        }
        let base = (0, 0);
        let mut counter = Counter { tokenizer: self, text, options, scratch, base, done: 0 };
        let end = counter.bracket(limit, cuts)?;
        counter.longest(limit, end)
    }
}

impl Counter<'_, '_> {
    /// Moves `done` to the last cut up to which the ids fit; returns the next cut, or the end of the text.
    fn bracket(&mut self, limit: usize, cuts: &TextCuts) -> Result<usize> {
        let mut step = limit.saturating_mul(BYTES_PER_ID).max(64);
        let mut too_far = self.text.len();
        loop {
            let middle = self.done + step.min((too_far - self.done).div_ceil(2)).max(1);
            let found = match self.first_cut(cuts, middle, too_far)? {
                Some(cut) => Some(cut),
                None => self.first_cut(cuts, self.done + 1, middle)?,
            };
            let Some(cut) = found else { return Ok(too_far) };
            let count = self.count(cut)?;
            if count > limit {
                too_far = cut;
                step = (step / 2).max(1);
                continue;
            }
            self.done = cut;
            if cuts.is_cut_of_beginnings(self.text, cut, Right::Text)? {
                self.base = (cut, count);
            }
        }
    }

    fn first_cut(&self, cuts: &TextCuts, from: usize, until: usize) -> Result<Option<usize>> {
        for at in from..until {
            if cuts.is_cut_of_beginnings(self.text, at, Right::Rest)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The longest beginning that fits and ends between `done` and `end`; no longer one does.
    fn longest(&mut self, limit: usize, end: usize) -> Result<usize> {
        let done = self.done;
        let ends = self.text[done..end].char_indices().rev().map(|(at, _)| done + at);
        let mut read = 0;
        for at in std::iter::once(end).chain(ends) {
            read += at - self.base.0;
            if read > MOST_READ {
                return Err(Error::Limit {
                    limit: "max_tokens".to_owned(),
                    message: format!(
                        "between bytes {done} and {end} no place is known to keep the ids before it whatever \
                         follows, and trying every beginning that ends there takes too long; use encode and \
                         its offsets"
                    ),
                });
            }
            if self.count(at)? <= limit {
                return Ok(at);
            }
        }
        Ok(done)
    }
}
