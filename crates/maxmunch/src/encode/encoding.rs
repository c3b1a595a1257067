//! The result of encoding a text: ids, and all that is known about each.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::units::TokenId;

/// Most tokens to which an encoding is padded, and that padding adds to all its windows: some 6 GB.
pub const MOST_PADDED: usize = 1 << 27;

/// Most tokens by which windows may outgrow what they are made of, where they overlap or are combined: some
/// 4 GB. A window counts as [`WINDOW`] tokens more than it has.
pub const MOST_REPEATED: usize = 1 << 26;

/// What a window takes beside its tokens, in tokens.
const WINDOW: usize = 16;

/// On which side something is cut off or added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// At the start.
    Left,
    /// At the end.
    Right,
}

impl Direction {
    /// Its name in tokenizer files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "Left",
            Self::Right => "Right",
        }
    }
}

/// What padding appends: a token and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filler {
    /// Id of the padding token.
    pub id: TokenId,
    /// Its type id.
    pub type_id: u32,
    /// Its text.
    pub token: Arc<str>,
}

/// Parallel lists, one element a token.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Encoding {
    /// Ids.
    pub ids: Vec<TokenId>,
    /// Which sequence of a template a token belongs to.
    pub type_ids: Vec<u32>,
    /// The token's text where it is not that of the vocabulary.
    pub texts: Vec<Option<Arc<str>>>,
    /// Half-open ranges of the sequence that the token came from, in its unit (characters, usually).
    pub offsets: Vec<(usize, usize)>,
    /// Index of the piece, or of the word of pretokenized input.
    pub words: Vec<Option<u32>>,
    /// 1 for tokens that a template or padding put in.
    pub special_tokens_mask: Vec<u32>,
    /// 0 for padding.
    pub attention_mask: Vec<u32>,
    /// What truncation cut off.
    pub overflowing: Vec<Encoding>,
    /// Tokens of each input sequence.
    pub sequence_ranges: BTreeMap<usize, Range<usize>>,
}

impl Encoding {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Tokens that a template puts in.
    pub fn specials(tokens: impl IntoIterator<Item = (TokenId, Arc<str>)>, type_id: u32) -> Self {
        let (ids, texts): (Vec<_>, Vec<_>) =
            tokens.into_iter().map(|(id, text)| (id, Some(text))).unzip();
        let count = ids.len();
        Self {
            ids,
            type_ids: vec![type_id; count],
            texts,
            offsets: vec![(0, 0); count],
            words: vec![None; count],
            special_tokens_mask: vec![1; count],
            attention_mask: vec![1; count],
            ..Self::default()
        }
    }

    /// Number of input sequences.
    pub fn sequences(&self) -> usize {
        self.sequence_ranges.len().max(1)
    }

    /// Marks all tokens as those of input sequence `index`.
    pub fn set_sequence_id(&mut self, index: usize) {
        self.sequence_ranges.insert(index, 0..self.len());
    }

    /// Gives all tokens one type id.
    pub fn set_type_id(&mut self, type_id: u32) {
        self.type_ids.fill(type_id);
    }

    /// The tokens of input sequence `index`; without marks everything is sequence 0.
    pub fn sequence_range(&self, index: usize) -> Range<usize> {
        self.sequence_ranges.get(&index).cloned().unwrap_or(0..self.len())
    }

    /// The input sequence of each token: the marked ranges of sequences 0, 1, … in turn.
    ///
    /// A sequence without a mark counts as everything, as in the reference: what overflowed from the first
    /// sequence of a pair has a mark for the second sequence only, and reports 0 throughout.
    pub fn sequence_ids(&self) -> Vec<Option<usize>> {
        let mut ids = vec![None; self.len()];
        for sequence in 0..self.sequences() {
            if let Some(part) = ids.get_mut(self.sequence_range(sequence)) {
                part.fill(Some(sequence));
            }
        }
        ids
    }

    fn slice(&self, range: Range<usize>) -> Self {
        Self {
            ids: self.ids[range.clone()].to_vec(),
            type_ids: self.type_ids[range.clone()].to_vec(),
            texts: self.texts[range.clone()].to_vec(),
            offsets: self.offsets[range.clone()].to_vec(),
            words: self.words[range.clone()].to_vec(),
            special_tokens_mask: self.special_tokens_mask[range.clone()].to_vec(),
            attention_mask: self.attention_mask[range].to_vec(),
            overflowing: Vec::new(),
            sequence_ranges: BTreeMap::new(),
        }
    }

    /// Keeps at most `max_length` tokens; the rest goes to `overflowing`, in windows that share `stride`
    /// tokens with their neighbour. `stride` is below `max_length`, or `max_length` is 0.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] when what the windows share is more than [`MOST_REPEATED`] tokens.
    pub fn truncate(
        &mut self,
        max_length: usize,
        stride: usize,
        direction: Direction,
    ) -> Result<()> {
        let count = self.len();
        if max_length >= count {
            return Ok(());
        }
        if max_length == 0 {
            let whole = std::mem::take(self);
            self.overflowing.push(whole);
            return Ok(());
        }
        *self = self.windows(max_length, stride, direction)?;
        Ok(())
    }

    /// As [`Self::truncate`], leaving the encoding as it is.
    ///
    /// # Errors
    ///
    /// As [`Self::truncate`].
    pub fn truncated(
        &self,
        max_length: usize,
        stride: usize,
        direction: Direction,
    ) -> Result<Self> {
        if 0 < max_length && max_length < self.len() {
            return self.windows(max_length, stride, direction);
        }
        let mut truncated = self.clone();
        truncated.truncate(max_length, stride, direction)?;
        Ok(truncated)
    }

    /// The first window; the others overflow.
    fn windows(&self, max_length: usize, stride: usize, direction: Direction) -> Result<Self> {
        let count = self.len();
        let step = max_length.saturating_sub(stride).max(1);
        let shared = (count / step).saturating_mul(stride);
        if shared > MOST_REPEATED {
            return Err(Error::Limit {
                limit: "stride".to_owned(),
                message: format!(
                    "windows of {max_length} of {count} tokens that share {stride} repeat {shared} tokens: \
                     they may repeat {MOST_REPEATED} at most; lower stride or truncate a shorter text"
                ),
            });
        }
        let mut windows = Vec::new();
        for moved in (0..count).step_by(step) {
            let window = match direction {
                Direction::Right => moved..(moved + max_length).min(count),
                Direction::Left => (count - moved).saturating_sub(max_length)..count - moved,
            };
            let last = match direction {
                Direction::Right => window.end == count,
                Direction::Left => window.start == 0,
            };
            windows.push(self.slice(window));
            if last {
                break;
            }
        }
        let mut windows = windows.into_iter();
        let mut kept = windows.next().unwrap_or_default();
        kept.overflowing = windows.collect();
        Ok(kept)
    }

    /// Fills up to `target` tokens, in `overflowing` too.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] when more than [`MOST_PADDED`] are missing in all, or something is and `target` is more.
    pub fn pad(&mut self, target: usize, filler: &Filler, direction: Direction) -> Result<()> {
        let missing = self.missing(target);
        if missing > 0 && missing.max(target) > MOST_PADDED {
            return Err(Error::Limit {
                limit: "length".to_owned(),
                message: format!(
                    "padding to {target} tokens takes {missing} more: an encoding is padded to at most \
                     {MOST_PADDED}, and gets no more in all that overflows; pad to fewer"
                ),
            });
        }
        self.fill(target, filler, direction);
        Ok(())
    }

    /// How many tokens `target` is beyond those of the encoding and of all that overflows.
    pub fn missing(&self, target: usize) -> usize {
        let own = target.saturating_sub(self.len());
        self.overflowing.iter().fold(own, |sum, part| sum.saturating_add(part.missing(target)))
    }

    fn fill(&mut self, target: usize, filler: &Filler, direction: Direction) {
        for part in &mut self.overflowing {
            part.fill(target, filler, direction);
        }
        let missing = target.saturating_sub(self.len());
        if missing == 0 {
            return;
        }
        let mut padding = Self::specials(
            std::iter::repeat_n((filler.id, Arc::clone(&filler.token)), missing),
            filler.type_id,
        );
        padding.attention_mask.fill(0);
        match direction {
            Direction::Right => self.append(padding),
            Direction::Left => {
                let overflowing = std::mem::take(&mut self.overflowing);
                let ranges = std::mem::take(&mut self.sequence_ranges);
                let moved = ranges.into_iter().map(|(sequence, range)| {
                    (sequence, range.start + missing..range.end + missing)
                });
                padding.sequence_ranges = moved.collect();
                padding.append(std::mem::take(self));
                padding.overflowing = overflowing;
                *self = padding;
            }
        }
    }

    /// Appends the tokens of `other`, as they are.
    fn append(&mut self, other: Self) {
        let before = self.len();
        let moved = other.sequence_ranges.into_iter();
        self.sequence_ranges.extend(
            moved.map(|(sequence, range)| (sequence, before + range.start..before + range.end)),
        );
        self.ids.extend(other.ids);
        self.type_ids.extend(other.type_ids);
        self.texts.extend(other.texts);
        self.offsets.extend(other.offsets);
        self.words.extend(other.words);
        self.special_tokens_mask.extend(other.special_tokens_mask);
        self.attention_mask.extend(other.attention_mask);
    }

    /// Appends `other`; what overflowed from both is combined in every way.
    ///
    /// With `growing_offsets` the offsets of `other` continue where those of `self` end.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] when the combinations have [`MOST_REPEATED`] tokens more than both. What is combined
    /// overflows itself and is combined again, so that a template with a text `n` times has a power of `n` of
    /// windows, as in the reference.
    pub fn merge_with(&mut self, other: Self, growing_offsets: bool) -> Result<()> {
        let mut rest = MOST_REPEATED.saturating_add(self.weight()).saturating_add(other.weight());
        if self.weigh_combinations(&other, &mut rest).is_none() {
            return Err(Error::Limit {
                limit: "overflowing".to_owned(),
                message: format!(
                    "{} windows of what was cut off are combined with {} in every way, which gives more than \
                     {MOST_REPEATED} tokens; raise max_length, lower stride, encode shorter texts or let the \
                     post-processor use each text once",
                    self.overflowing.len() + 1,
                    other.overflowing.len() + 1,
                ),
            });
        }
        self.combine(other, growing_offsets);
        Ok(())
    }

    /// Tokens of all windows, in any depth, and what the windows take.
    fn weight(&self) -> usize {
        let parts = self.overflowing.iter();
        parts.map(|part| WINDOW + part.len() + part.weight()).fold(0, usize::saturating_add)
    }

    /// Takes the weight of what [`Self::combine`] lets overflow off `rest`, or gives up when that is not enough.
    fn weigh_combinations(&self, other: &Self, rest: &mut usize) -> Option<()> {
        let mut weigh = |left: &Self, right: &Self| {
            *rest = rest.checked_sub(WINDOW + left.len() + right.len())?;
            left.weigh_combinations(right, rest)
        };
        for own in &self.overflowing {
            weigh(own, other)?;
            other.overflowing.iter().try_for_each(|theirs| weigh(own, theirs))?;
        }
        other.overflowing.iter().try_for_each(|theirs| weigh(self, theirs))
    }

    fn combine(&mut self, mut other: Self, growing_offsets: bool) {
        let mut overflowing = Vec::new();
        let combined = |left: &Self, right: &Self| {
            let mut left = left.clone();
            left.combine(right.clone(), growing_offsets);
            left
        };
        for own in &self.overflowing {
            overflowing.push(combined(own, &other));
            overflowing.extend(other.overflowing.iter().map(|theirs| combined(own, theirs)));
        }
        overflowing.extend(other.overflowing.iter().map(|theirs| combined(self, theirs)));
        if growing_offsets {
            let shift = self.offsets.last().map_or(0, |offsets| offsets.1);
            for offsets in &mut other.offsets {
                *offsets = (offsets.0 + shift, offsets.1 + shift);
            }
        }
        self.append(other);
        self.overflowing = overflowing;
    }

    /// Joins encodings from left to right.
    ///
    /// # Errors
    ///
    /// As [`Self::merge_with`].
    pub fn merge(parts: impl IntoIterator<Item = Self>, growing_offsets: bool) -> Result<Self> {
        let mut whole = Self::default();
        for part in parts {
            whole.merge_with(part, growing_offsets)?;
        }
        Ok(whole)
    }

    /// As [`Self::merge`], leaving the parts as they are.
    ///
    /// # Errors
    ///
    /// As [`Self::merge_with`].
    pub fn merged(parts: &[&Self], growing_offsets: bool) -> Result<Self> {
        if parts.iter().any(|part| !part.overflowing.is_empty()) {
            return Self::merge(parts.iter().map(|&part| part.clone()), growing_offsets);
        }
        let mut whole = Self::default();
        whole.reserve(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            whole.append_copy(part, growing_offsets);
        }
        Ok(whole)
    }

    fn reserve(&mut self, count: usize) {
        self.ids.reserve(count);
        self.type_ids.reserve(count);
        self.texts.reserve(count);
        self.offsets.reserve(count);
        self.words.reserve(count);
        self.special_tokens_mask.reserve(count);
        self.attention_mask.reserve(count);
    }

    /// As [`Self::combine`], of encodings that nothing overflowed from.
    fn append_copy(&mut self, other: &Self, growing_offsets: bool) {
        let before = self.len();
        let ranges = other.sequence_ranges.iter();
        self.sequence_ranges.extend(
            ranges.map(|(&sequence, range)| (sequence, before + range.start..before + range.end)),
        );
        let last = self.offsets.last().map_or(0, |offsets| offsets.1);
        let shift = if growing_offsets { last } else { 0 };
        self.offsets.extend(other.offsets.iter().map(|&(start, end)| (start + shift, end + shift)));
        self.ids.extend_from_slice(&other.ids);
        self.type_ids.extend_from_slice(&other.type_ids);
        self.texts.extend_from_slice(&other.texts);
        self.words.extend_from_slice(&other.words);
        self.special_tokens_mask.extend_from_slice(&other.special_tokens_mask);
        self.attention_mask.extend_from_slice(&other.attention_mask);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Direction, Encoding, Error, Filler, MOST_PADDED, MOST_REPEATED, Result};

    fn numbered(count: u32) -> Encoding {
        let texts = (0..count).map(|id| (id, Arc::from("x")));
        Encoding::specials(texts, 0)
    }

    fn windows(direction: Direction) -> Result<Vec<Vec<u32>>> {
        let mut encoding = numbered(5);
        encoding.truncate(2, 1, direction)?;
        let mut ids = vec![encoding.ids];
        ids.extend(encoding.overflowing.into_iter().map(|part| part.ids));
        Ok(ids)
    }

    #[test]
    fn truncation_gives_windows_from_either_end() -> Result<()> {
        let expected = vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4]];
        assert_eq!(expected, windows(Direction::Right)?);
        assert_eq!(expected.into_iter().rev().collect::<Vec<_>>(), windows(Direction::Left)?);
        Ok(())
    }

    fn filler() -> Filler {
        Filler { id: 9, type_id: 0, token: Arc::from("<pad>") }
    }

    #[test]
    fn what_no_memory_holds_is_not_padded() {
        let mut encoding = numbered(1);

        let refused = encoding.pad(MOST_PADDED + 1, &filler(), Direction::Right);

        assert!(matches!(refused, Err(Error::Limit { limit, .. }) if limit == "length"));
        assert_eq!(numbered(1), encoding);
    }

    #[test]
    fn padding_on_the_left_moves_the_sequence() -> Result<()> {
        let mut encoding = numbered(1);
        encoding.set_sequence_id(0);
        encoding.pad(3, &filler(), Direction::Left)?;

        assert_eq!(vec![9, 9, 0], encoding.ids);
        assert_eq!(vec![0, 0, 1], encoding.attention_mask);
        assert_eq!(vec![None, None, Some(0)], encoding.sequence_ids());
        Ok(())
    }

    #[test]
    fn merging_combines_what_overflowed() -> Result<()> {
        let mut left = numbered(3);
        left.truncate(2, 0, Direction::Right)?;
        let merged = Encoding::merge([left, numbered(1)], false)?;

        assert_eq!(vec![0, 1, 0], merged.ids);
        assert_eq!(
            vec![vec![2, 0]],
            merged.overflowing.iter().map(|e| e.ids.clone()).collect::<Vec<_>>()
        );
        Ok(())
    }

    #[test]
    fn copies_are_merged_as_the_parts_are() -> Result<()> {
        let mut marked = numbered(2);
        marked.set_sequence_id(0);
        marked.offsets = vec![(0, 1), (1, 3)];
        let mut cut = numbered(5);
        cut.truncate(2, 1, Direction::Right)?;
        for parts in [vec![marked.clone(), numbered(1), marked.clone()], vec![marked, cut]] {
            for growing in [false, true] {
                let copied = Encoding::merged(&parts.iter().collect::<Vec<_>>(), growing)?;

                assert_eq!(Encoding::merge(parts.clone(), growing)?, copied);
            }
        }
        Ok(())
    }

    #[test]
    fn the_weight_of_combinations_is_known_before_they_are_made() -> Result<()> {
        let mut part = numbered(4);
        part.truncate(1, 0, Direction::Right)?;
        let mut whole = Encoding::default();
        for _ in 0..4 {
            let mut rest = MOST_REPEATED;
            whole.weigh_combinations(&part, &mut rest);
            whole.merge_with(part.clone(), false)?;

            assert_eq!(whole.weight(), MOST_REPEATED - rest);
        }
        Ok(())
    }

    #[test]
    fn what_no_memory_holds_is_not_combined() -> Result<()> {
        let mut part = numbered(300);
        part.truncate(1, 0, Direction::Right)?;
        let mut whole = part.clone();
        whole.merge_with(part.clone(), false)?;

        let refused = whole.merge_with(part, false);

        assert!(matches!(refused, Err(Error::Limit { limit, .. }) if limit == "overflowing"));
        Ok(())
    }

    #[test]
    fn what_no_memory_holds_is_not_repeated() {
        let mut encoding = numbered(40_000);

        let refused = encoding.truncate(10_000, 9_999, Direction::Right);

        assert!(matches!(refused, Err(Error::Limit { limit, .. }) if limit == "stride"));
        assert_eq!(numbered(40_000), encoding);
    }
}
