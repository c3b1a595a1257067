//! Text that user code changes and cuts, with the original behind it.
//!
//! [`NormalizedString`] is [`AlignedText`] that owns what it needs, [`PreTokenizedString`] a text in the pieces
//! that it was cut into so far. Custom components work on them; every operation that a built-in component
//! has too is that component's.

use std::sync::Arc;

use crate::encode::aligned::{AlignedText, Range32};
use crate::encode::collect::{count_chars, given_offsets};
use crate::encode::encoding::Encoding;
use crate::encode::normalizers::{Normalizer, keep_behind};
use crate::encode::pattern::Pattern;
use crate::encode::pre_tokenizers::{Behavior, Joining, Pieces, PreTokenizer};
use crate::error::{Error, Result};
use crate::units::{Span, TokenId};

/// A text as it is now, as it was, and from where each byte came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalizedString {
    original: String,
    /// Where `original` starts in the text that this one was cut from.
    base: usize,
    text: String,
    /// By byte of `text`; positions count from the start of the text that this one was cut from.
    ranges: Vec<Range32>,
}

impl NormalizedString {
    /// A text that is not changed yet.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] above 4 GiB.
    pub fn new(text: &str) -> Result<Self> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::Limit {
                limit: "text length".to_owned(),
                message: "one text has at most 4 GiB; take it in parts".to_owned(),
            });
        }
        Ok(Self::of(&AlignedText::unchanged(text, 0)))
    }

    /// A copy of a text at work.
    pub(super) fn of(text: &AlignedText) -> Self {
        let (source, base) = text.source();
        let ranges = text.ranges(text.span());
        Self { original: source.to_owned(), base, text: text.text().to_owned(), ranges }
    }

    /// The part `span` of a text at work.
    pub(super) fn part_of(text: &AlignedText, span: Span) -> Self {
        let (source, base) = text.source();
        let original = text.original(span);
        let behind = source.get(original.start - base..original.end - base).unwrap_or_default();
        Self {
            original: behind.to_owned(),
            base: original.start,
            text: text.text()[span.range()].to_owned(),
            ranges: text.ranges(span),
        }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it was.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Where the original stands in the text that this one was cut from.
    pub fn original_span(&self) -> Span {
        Span::new(self.base, self.base + self.original.len())
    }

    /// As a text at work.
    pub(super) fn view(&self) -> AlignedText<'_> {
        AlignedText::with_ranges(&self.text, self.ranges.clone(), &self.original, self.base)
    }

    /// The same original with the text that `changed` has.
    fn rewritten(&self, changed: &AlignedText) -> Self {
        Self {
            text: changed.text().to_owned(),
            ranges: changed.ranges(changed.span()),
            ..self.clone()
        }
    }

    /// What `source`, from which this was made, has become.
    pub(super) fn give_back<'a>(self, source: &AlignedText<'a>) -> AlignedText<'a> {
        source.with_changed(self.text, self.ranges)
    }

    /// Normalizes it.
    pub fn apply(&mut self, normalizer: &Normalizer) -> Result<()> {
        if let Normalizer::Custom(custom) = normalizer {
            return custom.normalize(self);
        }
        let changed = self.rewritten(&normalizer.apply(self.view(), true)?);
        *self = changed;
        Ok(())
    }

    /// Keeps the characters that `keep` names, one answer a character.
    pub fn retain(&mut self, keep: &[bool]) {
        let view = self.view();
        let characters = self.text.chars().zip(keep.iter().copied());
        if view.has_front()
            && let Some(changed) = keep_behind(&view, true, characters)
        {
            (self.ranges, self.text) = (changed.ranges(changed.span()), changed.text().to_owned());
            return;
        }
        let mut at = 0;
        let mut ranges = Vec::with_capacity(self.ranges.len());
        let mut text = String::with_capacity(self.text.len());
        for (character, keep) in self.text.chars().zip(keep) {
            let end = at + character.len_utf8();
            if *keep {
                text.push(character);
                ranges.extend_from_slice(&self.ranges[at..end]);
            }
            at = end;
        }
        (self.text, self.ranges) = (text, ranges);
    }

    /// Replaces each character by another one.
    pub fn map(&mut self, by: &[char]) {
        self.put(by.iter().map(|&character| (character, 0)));
    }

    /// Writes every character in upper case.
    pub fn uppercase(&mut self) {
        let upper: Vec<(char, isize)> = self
            .text
            .chars()
            .flat_map(|character| {
                let upper = character.to_uppercase().enumerate();
                upper.map(|(index, upper)| (upper, isize::from(index > 0)))
            })
            .collect();
        self.put(upper.into_iter());
    }

    fn put(&mut self, characters: impl Iterator<Item = (char, isize)>) {
        let changed = self.view().transform(characters, true);
        (self.ranges, self.text) = (changed.ranges(changed.span()), changed.text().to_owned());
    }

    /// Appends a text, which belongs to the last character.
    pub fn append(&mut self, text: &str) {
        let here = (self.base as u32, self.base as u32);
        let last = self.ranges.last().copied().unwrap_or(here);
        self.text.push_str(text);
        self.ranges.resize(self.text.len(), last);
    }

    /// Drops all text that stands for some of the original.
    pub fn clear(&mut self) {
        self.retain(&vec![false; self.text.chars().count()]);
    }

    /// The bytes `span` of the text; `None` where that is no range of whole characters.
    pub fn slice(&self, span: Span) -> Option<Self> {
        self.text.get(span.range())?;
        let text = self.view();
        if span.is_empty() {
            // As in the reference, an empty range of the text stands for the same numbers in the original.
            return Some(Self {
                original: String::new(),
                base: self.base + span.start,
                text: String::new(),
                ranges: Vec::new(),
            });
        }
        Some(Self::part_of(&text, span))
    }

    /// Cuts at the matches of `pattern`.
    pub fn split(&self, pattern: &Pattern, behavior: Behavior) -> Result<Vec<Self>> {
        let text = self.view();
        let mut pieces = Vec::new();
        let mut joining = Joining::new(behavior);
        if !self.text.is_empty() && !is_empty(pattern) {
            pattern.for_each_part(&self.text, |span, hit| {
                joining.part(span, hit, &mut |piece| pieces.push(piece));
                Ok(())
            })?;
        } else {
            joining.part(text.span(), false, &mut |piece| pieces.push(piece));
        }
        joining.finish(&mut |piece| pieces.push(piece));
        Ok(pieces.into_iter().filter_map(|span| self.slice(span)).collect())
    }

    /// Replaces the matches of `pattern`; the empty text matches nowhere.
    pub fn replace(&mut self, pattern: &Pattern, content: &str) -> Result<()> {
        if is_empty(pattern) {
            return Ok(());
        }
        let content = content.to_owned();
        self.apply(&Normalizer::Replace { pattern: pattern.clone(), content })
    }
}

fn is_empty(pattern: &Pattern) -> bool {
    pattern.is_literal() && pattern.source().is_empty()
}

/// A token that user code gives: its id, its text, its place in the piece in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The id.
    pub id: TokenId,
    /// The text, whatever the vocabulary says.
    pub value: String,
    /// Where it stands, in bytes of the piece.
    pub offsets: (usize, usize),
}

/// A piece, and its tokens once it has them; then it is never cut or changed again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The text.
    pub text: NormalizedString,
    /// The tokens.
    pub tokens: Option<Vec<Token>>,
}

/// A text in pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreTokenizedString {
    /// The whole text as it was.
    pub original: String,
    /// The pieces in order.
    pub splits: Vec<Split>,
}

impl PreTokenizedString {
    /// A text that is one piece.
    pub fn new(text: &str) -> Result<Self> {
        let whole = NormalizedString::new(text)?;
        Ok(Self { original: text.to_owned(), splits: vec![Split { text: whole, tokens: None }] })
    }

    /// Cuts, and perhaps rewrites, every piece without tokens.
    pub fn apply(&mut self, pre_tokenizer: &PreTokenizer) -> Result<()> {
        match pre_tokenizer {
            PreTokenizer::Custom(custom) => custom.pre_tokenize(self),
            PreTokenizer::Sequence(parts) => parts.iter().try_for_each(|part| self.apply(part)),
            _ => self.split(|_, text| {
                let view = text.view();
                let mut pieces = Pieces::whole(view, true);
                pre_tokenizer.apply(&mut pieces)?;
                if !pre_tokenizer.cuts() {
                    // What is not cut keeps all of its original, even what no character stands for any more.
                    return Ok(vec![text.rewritten(pieces.text())]);
                }
                let cut = pieces.pieces().iter();
                Ok(cut.map(|piece| NormalizedString::part_of(pieces.text(), piece.span)).collect())
            }),
        }
    }

    /// The encoding of the tokens; all belong to word `word`, if one is given, else to their piece.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] where a piece has no tokens yet.
    pub fn encoding(&self, type_id: u32, word: Option<u32>) -> Result<Encoding> {
        let mut out = Encoding::default();
        for (index, split) in self.splits.iter().enumerate() {
            let tokens = split.tokens.as_ref().ok_or_else(|| {
                let shown = split.text.text();
                Error::argument(
                    "splits",
                    format!("{shown:?} has no tokens yet; call tokenize first"),
                )
            })?;
            let text = split.text.view();
            for token in tokens {
                out.ids.push(token.id);
                out.texts.push(Some(Arc::from(token.value.as_str())));
                out.offsets.push(given_offsets(&text, token.offsets));
                out.words.push(Some(word.unwrap_or(index as u32)));
            }
        }
        let count = out.ids.len();
        out.type_ids = vec![type_id; count];
        out.special_tokens_mask = vec![0; count];
        out.attention_mask = vec![1; count];
        count_chars(&self.original, &mut out.offsets);
        Ok(out)
    }

    /// Where each piece stands: in bytes or characters, of the original or of the pieces one after another.
    pub fn offsets(&self, of_original: bool, in_chars: bool) -> Vec<(usize, usize)> {
        let mut done = 0;
        let place = |split: &Split| {
            let span = split.text.original_span();
            let start = done;
            done += split.text.text.len();
            if of_original { (span.start, span.end) } else { (start, done) }
        };
        let mut offsets: Vec<_> = self.splits.iter().map(place).collect();
        if in_chars {
            count_chars(&self.original, &mut offsets);
        }
        offsets
    }

    /// Replaces every piece without tokens by the pieces that `cut` makes of it; empty ones are dropped.
    pub fn split<E: From<Error>>(
        &mut self,
        mut cut: impl FnMut(usize, &NormalizedString) -> std::result::Result<Vec<NormalizedString>, E>,
    ) -> std::result::Result<(), E> {
        let mut splits = Vec::with_capacity(self.splits.len());
        for (index, split) in self.splits.iter().enumerate() {
            if split.tokens.is_some() {
                splits.push(split.clone());
                continue;
            }
            let parts = cut(index, &split.text)?.into_iter();
            let parts = parts.filter(|text| !text.text.is_empty());
            splits.extend(parts.map(|text| Split { text, tokens: None }));
        }
        self.splits = splits;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{NormalizedString, PreTokenizedString};
    use crate::encode::normalizers::Normalizer;
    use crate::encode::pattern::Pattern;
    use crate::encode::pre_tokenizers::{Behavior, MetaspaceOptions, PreTokenizer, PrependScheme};
    use crate::error::Result;
    use crate::units::Span;

    #[test]
    fn a_slice_knows_the_original_behind_it() -> Result<()> {
        let mut text = NormalizedString::new("aİb")?;
        text.apply(&Normalizer::Lowercase)?;
        assert_eq!("ai\u{307}b", text.text());

        let part = text.slice(Span::new(1, 4)).ok_or_else(|| crate::Error::internal("slice"))?;

        assert_eq!(("i\u{307}", "İ"), (part.text(), part.original()));
        assert_eq!(Span::new(1, 3), part.original_span());
        Ok(())
    }

    #[test]
    fn cuts_are_those_of_the_component() -> Result<()> {
        let text = NormalizedString::new("a-b")?;
        let parts = text.split(&Pattern::literal("-"), Behavior::MergedWithNext)?;

        assert_eq!(vec!["a", "-b"], parts.iter().map(NormalizedString::text).collect::<Vec<_>>());
        Ok(())
    }

    #[test]
    fn what_is_rewritten_without_a_cut_keeps_its_original() -> Result<()> {
        let mut whole = PreTokenizedString::new(" a b ")?;
        whole.splits[0].text.apply(&Normalizer::Strip { left: true, right: true })?;
        let options = MetaspaceOptions {
            replacement: '_',
            prepend_scheme: PrependScheme::Never,
            split: false,
        };
        whole.apply(&PreTokenizer::Metaspace(options))?;

        assert_eq!(
            ("a_b", " a b "),
            (whole.splits[0].text.text(), whole.splits[0].text.original())
        );
        Ok(())
    }

    #[test]
    fn pieces_with_tokens_are_left_alone() -> Result<()> {
        let mut whole = PreTokenizedString::new("a b")?;
        whole.splits[0].tokens = Some(Vec::new());
        whole.apply(&PreTokenizer::WhitespaceSplit)?;

        assert_eq!(1, whole.splits.len());
        Ok(())
    }
}
