//! The fast way through the stages for callers that want ids alone.
//!
//! No offsets, no texts of tokens, no list of pieces where the pre-tokenizer is one pattern. `Tokenizer::encode`
//! is the slow twin; it uses what is cached here where token lengths tell the offsets.

use crate::encode::added_tokens::{Part, Specials};
use crate::encode::aligned::AlignedText;
use crate::encode::collect::Collect;
use crate::encode::models::{PieceEncoder, Scratch, SpacedEncoder};
use crate::encode::post_processors::PostProcessor;
use crate::encode::pre_tokenizers::{Cutter, PreTokenizer};
use crate::encode::scratch_pool::{PooledScratch, ScratchPool};
use crate::encode::tokenizer::{EncodeOptions, Input, Tokenizer, check_length};
use crate::error::Result;
use crate::units::{Span, TokenId};

/// Texts have at least so many bytes for an id, usually.
pub(crate) const BYTES_PER_ID: usize = 3;

/// Room for so many more ids is not worth a call.
const SLACK: usize = 256;

/// The ids, without room for more: whoever keeps those of many texts keeps nothing beside them.
fn fitted(mut ids: Vec<TokenId>) -> Vec<TokenId> {
    if ids.capacity() - ids.len() > SLACK {
        ids.shrink_to_fit();
    }
    ids
}

impl Tokenizer {
    /// Memory for one or more calls, with what pieces became in earlier ones.
    pub fn scratch(&self) -> PooledScratch<'_> {
        self.pool.take()
    }

    /// The tokenizer with other limits for what it remembers of earlier calls, in bytes, for all threads
    /// together; 0 remembers nothing.
    #[must_use]
    pub fn with_cache_bytes(&self, bytes: usize) -> Self {
        let tokenizer = Self { pool: ScratchPool::new(bytes).into(), ..self.clone() };
        tokenizer.prepare();
        tokenizer
    }

    /// Bytes that may be taken to remember what pieces became.
    pub fn cache_bytes(&self) -> usize {
        self.pool.cache_bytes()
    }

    /// The ids of `encode(text)`, without computing anything else where that is possible.
    pub fn encode_ids(
        &self,
        text: &str,
        options: EncodeOptions,
        scratch: &mut Scratch,
    ) -> Result<Vec<TokenId>> {
        let mut ids = Vec::new();
        self.encode_ids_into(text, options, scratch, &mut ids)?;
        Ok(fitted(ids))
    }

    /// Appends the ids of `encode(text)` to `out`; on an error `out` is as it was.
    pub fn encode_ids_into(
        &self,
        text: &str,
        options: EncodeOptions,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let from = out.len();
        out.reserve(text.len() / BYTES_PER_ID);
        if !scratch.cache.is_detached() {
            if self.append_first(text, options, scratch, out) {
                return Ok(());
            }
            // The slow way knows where the error is.
            out.truncate(from);
        }
        let encoding = self.encode(&Input::Text(text), None, options, scratch)?;
        out.extend_from_slice(&encoding.ids);
        Ok(())
    }

    /// Whether ids can be found without all else, and are the same every time.
    pub fn gives_ids_first(&self) -> bool {
        self.truncation.is_none()
            && self.padding.is_none()
            && !self.model.samples()
            && !self.pre_tokenizer.as_ref().is_some_and(|part| part.has_custom())
            && !self.normalizer.as_ref().is_some_and(|part| part.has_custom())
    }

    /// The ids of `encode(text)`, where the rest can be found out later; `None` also where it fails.
    pub fn ids_before_the_rest(
        &self,
        text: &str,
        options: EncodeOptions,
        scratch: &mut Scratch,
    ) -> Option<Vec<TokenId>> {
        let mut ids = Vec::with_capacity(text.len() / BYTES_PER_ID);
        self.append_first(text, options, scratch, &mut ids).then(|| fitted(ids))
    }

    /// Appends the ids of `encode(text)`, if they can be found without all else; where not, what was appended is
    /// unspecified.
    fn append_first(
        &self,
        text: &str,
        options: EncodeOptions,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> bool {
        if !self.gives_ids_first() {
            return false;
        }
        let Some((before, after)) = self.frame(options.add_special_tokens) else { return false };
        out.extend(before);
        let is_done = self.append_ids(text, options.specials, scratch, out).is_ok();
        out.extend(after);
        is_done
    }

    /// What the post-processor puts before and after the ids of a text; `None` where it does more than that.
    pub fn frame(&self, add_special_tokens: bool) -> Option<(Vec<TokenId>, Vec<TokenId>)> {
        let processor = match self.post_processor.as_deref() {
            None | Some(PostProcessor::ByteLevel(_)) => return Some((Vec::new(), Vec::new())),
            Some(processor) => processor,
        };
        let added = processor.wrap_ids(Vec::new(), add_special_tokens)?;
        // Stands for the text: a template may add any number, and need not use the text.
        let stand_in = (0..=TokenId::MAX).find(|id| !added.contains(id))?;
        let framed = processor.wrap_ids(vec![stand_in], add_special_tokens)?;
        match framed.split(|&id| id == stand_in).collect::<Vec<_>>().as_slice() {
            [before, after] => Some((before.to_vec(), after.to_vec())),
            _ => None,
        }
    }

    /// Appends the ids of a text before any post-processing.
    pub(crate) fn append_ids(
        &self,
        text: &str,
        specials: Specials,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        self.append_continued_ids(self, text, specials, scratch, out)
    }

    /// As [`Self::append_ids`], for a part that begins inside a stretch between added tokens, where a place is
    /// safe for [`Right::Continued`]; `continued` is [`Self::continued`].
    ///
    /// [`Right::Continued`]: crate::encode::seams::Right::Continued
    pub(crate) fn append_continued_ids(
        &self,
        continued: &Self,
        text: &str,
        specials: Specials,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        check_length(text)?;
        self.added.scanner()?.raw(text, specials, |part| match part {
            Part::Match(id, _) => {
                out.push(id);
                Ok(())
            }
            Part::Gap(span) => {
                let tokenizer = if span.start == 0 { continued } else { self };
                let gap = AlignedText::unchanged(&text[span.range()], span.start);
                tokenizer.gap_ids(gap, specials, scratch, out)
            }
        })
    }

    fn gap_ids(
        &self,
        gap: AlignedText,
        specials: Specials,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if let Some((prefix, model)) = self.spaced_encoder()
            && !gap.is_empty()
        {
            if prefix.is_empty() {
                return model.ids(gap.text(), scratch, out);
            }
            return model.ids(&[prefix, gap.text()].concat(), scratch, out);
        }
        let on_bytes = self.runs_on_bytes();
        let pre_tokenizer = self.pre_tokenizer.as_deref();
        let tracked = pre_tokenizer.is_some_and(PreTokenizer::needs_origins)
            || self.may_double()
            || self.normalizer.as_ref().is_some_and(|part| part.has_custom());
        let model = self.model.piece_encoder(on_bytes);
        let cutter = pre_tokenizer.and_then(|part| part.cutter(on_bytes));
        if let (Some(cutter), false) = (cutter, self.added.has_normalized()) {
            let text = match &self.normalizer {
                Some(normalizer) => normalizer.apply(gap, tracked)?,
                None => gap,
            };
            return cut_ids(cutter, text.text(), text.span(), model, scratch, out);
        }
        let mut pieces = self.pieces(gap, specials, tracked)?;
        if let Some(cutter) = cutter {
            let text = pieces.text().text();
            for stretch in pieces.pieces() {
                match stretch.added {
                    Some(id) => out.push(id),
                    None => cut_ids(cutter, text, stretch.span, model, scratch, out)?,
                }
            }
            return Ok(());
        }
        match pre_tokenizer {
            Some(part) if on_bytes => part.apply_to_bytes(&mut pieces)?,
            Some(part) => part.apply(&mut pieces)?,
            None => {}
        }
        let bytes = pieces.text().text().as_bytes();
        for piece in pieces.pieces() {
            match piece.added {
                Some(id) => out.push(id),
                None => model.ids(bytes, piece.span, scratch, out)?,
            }
        }
        Ok(())
    }

    /// What stands before every text between added tokens, and what takes the text, if all that is done to it before
    /// the model is to write a mark for each space.
    pub(super) fn spaced_encoder(&self) -> Option<(&'static str, SpacedEncoder<'_>)> {
        let prefix = self.normalizer.as_ref()?.space_marks()?;
        let is_whole = |part: &PreTokenizer| part.cuts_at_spaces_only();
        if self.added.has_normalized() || !self.pre_tokenizer.as_deref().is_none_or(is_whole) {
            return None;
        }
        Some((prefix, self.model.spaced_encoder()?))
    }

    /// Builds now what the first call would build.
    pub(super) fn prepare(&self) {
        self.added.prepare();
        let on_bytes = self.runs_on_bytes();
        self.model.prepare(on_bytes);
        let pieces = self.pre_tokenizer.as_deref().and_then(|part| part.cutter(on_bytes));
        if let Some((_, model)) = self.spaced_encoder() {
            model.warm_up(&mut self.scratch());
        } else {
            let model = self.model.piece_encoder(on_bytes);
            if pieces.is_some_and(|cutter| cutter.pieces("").is_some()) {
                model.warm_up(&mut self.scratch());
            }
        }
    }

    /// The length of every token by id; nothing where ids have many holes.
    fn token_lengths(&self, on_bytes: bool) -> Box<[u32]> {
        let vocabulary = self.model.vocabulary();
        let bound = vocabulary.iter().last().map_or(0, |(_, id)| id as usize + 1);
        if bound > 2 * vocabulary.len() {
            return Box::default();
        }
        (0..bound as TokenId).map(|id| self.model.token_len(id, on_bytes) as u32).collect()
    }

    /// Gives the tokens of one piece by their ids alone, if the lengths of the tokens tell where they stand.
    ///
    /// A token that covers another text than its own (an unknown one, a byte, one that continues a word) counts
    /// less than it covers, or nothing. So if the counts add up to the piece, each is right.
    pub(super) fn quick_spans<C: Collect>(
        &self,
        text: &AlignedText,
        piece: Span,
        on_bytes: bool,
        out: &mut C,
        scratch: &mut Scratch,
    ) -> bool {
        // A scratch of its own is how tests ask for the slow way.
        if scratch.cache.is_detached()
            || self.model.samples()
            || self.model.vocabulary().has_shared_ids()
        {
            return false;
        }
        let mut ids = std::mem::take(&mut scratch.ids);
        ids.clear();
        let bytes = text.text().as_bytes();
        let model = self.model.piece_encoder_now(on_bytes);
        let done = model.ids(bytes, piece, scratch, &mut ids).is_ok();
        let listed = self.pool.lengths(|| self.token_lengths(on_bytes));
        let length = |&id: &TokenId| match listed.get(id as usize) {
            Some(&length) => length as usize,
            None => self.model.token_len(id, on_bytes),
        };
        let lengths = || ids.iter().map(length);
        let is_exact = done && lengths().sum::<usize>() == piece.len();
        if is_exact {
            let mut start = piece.start;
            for (&id, len) in ids.iter().zip(lengths()) {
                out.token(id, text, Span::new(start, start + len), false);
                start += len;
            }
        }
        scratch.ids = ids;
        is_exact
    }
}

/// Appends the ids of the pieces into which `span` of a text is cut.
fn cut_ids(
    cutter: Cutter,
    text: &str,
    span: Span,
    model: PieceEncoder,
    scratch: &mut Scratch,
    out: &mut Vec<TokenId>,
) -> Result<()> {
    let (bytes, part) = (text.as_bytes(), &text[span.range()]);
    let Some(pieces) = cutter.pieces(part) else {
        return cutter.for_each_piece(part, |piece| {
            model.ids(bytes, piece.shifted(span.start), scratch, out)
        });
    };
    model.all_ids(part.as_bytes(), pieces, scratch, out)
}
