//! A tokenizer: the stages in their order, and look-ups.
//!
//! ```text
//! text → added tokens (raw) → normalizer → added tokens (normalized) → pre-tokenizer → model
//!      → truncation → post-processor → padding → Encoding
//! ```
//!
//! Immutable: changing a part makes another tokenizer that shares the other parts.

use std::sync::Arc;

use crate::encode::added_tokens::{AddedToken, AddedTokens, Part, Specials};
use crate::encode::aligned::AlignedText;
use crate::encode::collect::{Collect, FullCollector, PieceSink, Unit};
use crate::encode::decoders::{Decoder, StreamingDecoder};
use crate::encode::encoding::Encoding;
use crate::encode::models::{Model, Scratch};
use crate::encode::normalizers::Normalizer;
use crate::encode::padding::Padding;
use crate::encode::post_processors::{PostProcessor, post_process};
use crate::encode::pre_tokenizers::{Piece, Pieces, PreTokenizer};
use crate::encode::scratch_pool::ScratchPool;
use crate::encode::strings::{NormalizedString, PreTokenizedString, Split, Token};
use crate::encode::truncation::Truncation;
use crate::error::{Error, Result};
use crate::units::{Span, TokenId};

/// One input: a text, or words that are encoded one by one.
#[derive(Debug, Clone)]
pub enum Input<'a> {
    /// A text.
    Text(&'a str),
    /// Words; each is its own piece of text, with its own offsets.
    Words(Vec<&'a str>),
}

/// The options of a call.
#[derive(Debug, Clone, Copy)]
pub struct EncodeOptions<'a> {
    /// Whether the post-processor adds its special tokens.
    pub add_special_tokens: bool,
    /// What becomes of special tokens in the text.
    pub specials: Specials<'a>,
    /// In which unit offsets are counted.
    pub unit: Unit,
}

/// A tokenizer, built from a tokenizer file or from parts.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "`pre_tokenizer` is the name in the file format")]
pub struct Tokenizer {
    pub(super) truncation: Option<Truncation>,
    pub(super) padding: Option<Padding>,
    pub(super) added: Arc<AddedTokens>,
    pub(super) normalizer: Option<Arc<Normalizer>>,
    pub(super) pre_tokenizer: Option<Arc<PreTokenizer>>,
    pub(super) post_processor: Option<Arc<PostProcessor>>,
    pub(super) decoder: Option<Arc<Decoder>>,
    pub(super) model: Arc<Model>,
    pub(super) pool: Arc<ScratchPool>,
}

impl Tokenizer {
    /// Whether the model runs on bytes, so that the printable characters of `ByteLevel` are never written.
    pub fn works_on_bytes(&self) -> bool {
        self.pre_tokenizer.as_ref().is_some_and(|part| part.ends_in_byte_level())
            && self.model.has_byte_form()
    }

    /// Whether a piece may stand for no text at all when `ByteLevel` rewrites it: see
    /// [`PreTokenizer::apply`](crate::encode::pre_tokenizers::PreTokenizer::apply).
    pub(crate) fn may_double(&self) -> bool {
        self.pre_tokenizer.as_ref().is_some_and(|part| part.has_byte_level())
            && self.normalizer.as_ref().is_some_and(|part| part.may_put_before())
    }

    /// Whether the model is given bytes: it could be, and no piece needs the characters of `ByteLevel`.
    pub(crate) fn runs_on_bytes(&self) -> bool {
        self.works_on_bytes() && !self.may_double()
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model, to be used elsewhere too.
    pub fn shared_model(&self) -> Arc<Model> {
        Arc::clone(&self.model)
    }

    /// The added tokens.
    pub fn added_tokens(&self) -> &AddedTokens {
        &self.added
    }

    /// The truncation.
    pub fn truncation(&self) -> Option<Truncation> {
        self.truncation
    }

    /// The tokenizer with another truncation, or without one.
    #[must_use]
    pub fn with_truncation(&self, truncation: Option<Truncation>) -> Self {
        Self { truncation, ..self.clone() }
    }

    /// The tokenizer with another padding, or without one.
    #[must_use]
    pub fn with_padding(&self, padding: Option<Padding>) -> Self {
        Self { padding, ..self.clone() }
    }

    /// The padding.
    pub fn padding(&self) -> Option<&Padding> {
        self.padding.as_ref()
    }

    /// The tokenizer with more added tokens, and how many of them were not ignored.
    pub fn with_added(&self, tokens: Vec<AddedToken>) -> Result<(Self, usize)> {
        let mut added = AddedTokens::clone(&self.added);
        let count = added.add(tokens, self.model.vocabulary(), self.normalizer.as_deref())?;
        Ok((Self { added: Arc::new(added), ..self.clone() }, count))
    }

    /// Encodes a text and perhaps its pair.
    pub fn encode(
        &self,
        input: &Input,
        pair: Option<&Input>,
        options: EncodeOptions,
        scratch: &mut Scratch,
    ) -> Result<Encoding> {
        let first = self.encode_input(input, 0, options, scratch)?;
        let second = pair.map(|pair| self.encode_input(pair, 1, options, scratch)).transpose()?;
        self.finish(first, second, options.add_special_tokens)
    }

    /// Truncates, post-processes and pads what was encoded.
    pub fn finish(
        &self,
        mut first: Encoding,
        mut second: Option<Encoding>,
        add_special_tokens: bool,
    ) -> Result<Encoding> {
        if let Some(truncation) = self.truncation {
            let added =
                if add_special_tokens { self.added_by_processor(second.is_some()) } else { 0 };
            truncation.apply(&mut first, second.as_mut(), added)?;
        }
        let processor = self.post_processor.as_deref();
        let vocabulary = self.model.vocabulary();
        let mut whole = post_process(processor, first, second, vocabulary, add_special_tokens)?;
        if let Some(padding) = &self.padding {
            padding.apply(std::slice::from_mut(&mut whole))?;
        }
        Ok(whole)
    }

    /// How many tokens the post-processor adds.
    pub fn added_by_processor(&self, is_pair: bool) -> usize {
        self.post_processor.as_ref().map_or(0, |part| part.added(is_pair))
    }

    fn encode_input(
        &self,
        input: &Input,
        type_id: u32,
        options: EncodeOptions,
        scratch: &mut Scratch,
    ) -> Result<Encoding> {
        // Who asks for no offsets gets no type ids either, except those of a template, as in the reference.
        let type_id = if options.unit == Unit::None { 0 } else { type_id };
        match input {
            Input::Text(text) => {
                let mut out = FullCollector::new(self.model.vocabulary(), options.unit);
                self.run(text, options.specials, &mut out, scratch)?;
                Ok(out.finish(text, type_id, None))
            }
            Input::Words(words) => {
                let mut parts = Vec::with_capacity(words.len());
                for (index, word) in words.iter().enumerate() {
                    let mut out = FullCollector::new(self.model.vocabulary(), options.unit);
                    self.run(word, options.specials, &mut out, scratch)?;
                    parts.push(out.finish(word, type_id, Some(index as u32)));
                }
                Encoding::merge(parts, false)
            }
        }
    }

    /// Added tokens, normalizer, pre-tokenizer and model on one text.
    fn run<C: Collect>(
        &self,
        text: &str,
        specials: Specials,
        out: &mut C,
        scratch: &mut Scratch,
    ) -> Result<()> {
        check_length(text)?;
        self.model.begin(text, scratch);
        if self.pre_tokenizer.as_ref().is_some_and(|part| part.has_custom()) {
            return self.run_custom(text, specials, out, scratch);
        }
        let on_bytes = self.runs_on_bytes();
        self.added.scanner()?.raw(text, specials, |part| match part {
            Part::Match(id, span) => {
                out.added(id, &AlignedText::unchanged(text, 0), span);
                Ok(())
            }
            Part::Gap(span) => {
                let gap = AlignedText::unchanged(&text[span.range()], span.start);
                let mut pieces = self.pieces(gap, specials, true)?;
                if let Some(pre_tokenizer) = &self.pre_tokenizer {
                    if on_bytes {
                        pre_tokenizer.apply_to_bytes(&mut pieces)?;
                    } else {
                        pre_tokenizer.apply(&mut pieces)?;
                    }
                }
                self.model_pieces(&pieces, on_bytes, out, scratch)
            }
        })
    }

    /// As [`Self::run`], with the whole text in the hands of a custom pre-tokenizer.
    fn run_custom<C: Collect>(
        &self,
        text: &str,
        specials: Specials,
        out: &mut C,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let mut whole = PreTokenizedString { original: text.to_owned(), splits: Vec::new() };
        let mut push = |part: NormalizedString, added: Option<TokenId>| {
            let token =
                |id| Token { id, value: part.text().to_owned(), offsets: (0, part.text().len()) };
            let tokens = added.map(|id| vec![token(id)]);
            whole.splits.push(Split { text: part, tokens });
        };
        self.added.scanner()?.raw(text, specials, |part| match part {
            Part::Match(id, span) => {
                let whole = AlignedText::unchanged(text, 0);
                push(NormalizedString::part_of(&whole, span), Some(id));
                Ok(())
            }
            Part::Gap(span) => {
                let gap = AlignedText::unchanged(&text[span.range()], span.start);
                let pieces = self.pieces(gap, specials, true)?;
                for piece in pieces.pieces() {
                    push(NormalizedString::part_of(pieces.text(), piece.span), piece.added);
                }
                Ok(())
            }
        })?;
        if let Some(pre_tokenizer) = &self.pre_tokenizer {
            whole.apply(pre_tokenizer)?;
        }
        for split in &whole.splits {
            let text = split.text.view();
            match &split.tokens {
                Some(tokens) => {
                    out.piece();
                    for token in tokens {
                        out.given(token.id, &token.value, &text, token.offsets);
                    }
                }
                // A piece of which user code left nothing is a piece all the same.
                None if text.text().is_empty() => {
                    self.piece(&text, Span::new(0, 0), false, out, scratch)?;
                }
                None => self.model_pieces(&Pieces::whole(text, true), false, out, scratch)?,
            }
        }
        Ok(())
    }

    /// Normalizes a gap and finds normalized added tokens in it.
    pub(super) fn pieces<'a>(
        &self,
        gap: AlignedText<'a>,
        specials: Specials,
        tracked: bool,
    ) -> Result<Pieces<'a>> {
        let text = match &self.normalizer {
            Some(normalizer) => normalizer.apply(gap, tracked)?,
            None => gap,
        };
        let scanner = self.added.scanner()?;
        if !scanner.has_normalized() {
            return Ok(Pieces::whole(text, tracked));
        }
        let mut found = Vec::new();
        scanner.normalized(text.text(), specials, |part| {
            found.push(match part {
                Part::Gap(span) => Piece { span, added: None },
                Part::Match(id, span) => Piece { span, added: Some(id) },
            });
            Ok(())
        })?;
        let mut pieces = Pieces::new(text, tracked);
        for piece in found {
            pieces.push(piece);
        }
        Ok(pieces)
    }

    fn model_pieces<C: Collect>(
        &self,
        pieces: &Pieces,
        on_bytes: bool,
        out: &mut C,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let text = pieces.text();
        for piece in pieces.pieces() {
            if let Some(id) = piece.added {
                out.added(id, text, piece.span);
                continue;
            }
            self.piece(text, piece.span, on_bytes, out, scratch)?;
        }
        Ok(())
    }

    /// The tokens of one piece.
    #[inline]
    fn piece<C: Collect>(
        &self,
        text: &AlignedText,
        piece: Span,
        on_bytes: bool,
        out: &mut C,
        scratch: &mut Scratch,
    ) -> Result<()> {
        out.piece();
        if self.quick_spans(text, piece, on_bytes, out, scratch) {
            return Ok(());
        }
        let part = &text.text()[piece.range()];
        let mut sink = PieceSink { text, piece, out };
        let done = if on_bytes {
            self.model.tokenize_bytes(part.as_bytes(), scratch, &mut sink)
        } else {
            self.model.tokenize(part, scratch, &mut sink)
        };
        done.map_err(|error| placed(error, text, piece.start))
    }

    /// The text of `ids`; ids without a token are skipped.
    pub fn decode(&self, ids: &[TokenId], skip_special_tokens: bool) -> Result<String> {
        let kept = ids.iter().filter_map(|&id| self.decoded_token(id, skip_special_tokens));
        match &self.decoder {
            Some(decoder) => decoder.decode(kept.map(str::to_owned).collect()),
            None => Ok(kept.collect::<Vec<_>>().join(" ")),
        }
    }

    /// The token with this id, unless it is left out.
    pub(super) fn decoded_token(&self, id: TokenId, skip_special_tokens: bool) -> Option<&str> {
        self.token(id).filter(|token| !skip_special_tokens || !self.added.is_special(token))
    }

    /// The decoder, ready for a stream.
    pub(super) fn streaming_decoder(&self) -> StreamingDecoder {
        StreamingDecoder::new(self.decoder.as_deref())
    }

    /// The token with this id, as decoding sees it: added tokens come first.
    pub fn token(&self, id: TokenId) -> Option<&str> {
        self.added.token(id).or_else(|| self.model.vocabulary().token(id))
    }

    /// The id of a token: added tokens come first.
    pub fn id(&self, token: &str) -> Option<TokenId> {
        self.added.id(token).or_else(|| self.model.vocabulary().id(token))
    }

    /// Number of different tokens.
    pub fn vocabulary_size(&self, with_added_tokens: bool) -> usize {
        let vocabulary = self.model.vocabulary();
        let new = self.added.contents().filter(|(content, _)| vocabulary.id(content).is_none());
        vocabulary.len() + if with_added_tokens { new.count() } else { 0 }
    }

    /// The text that an encoding's token stands for.
    pub fn encoded_token<'t>(&'t self, encoding: &'t Encoding, index: usize) -> &'t str {
        let own = encoding.texts.get(index).and_then(Option::as_deref);
        let id = encoding.ids.get(index).copied();
        own.or_else(|| self.model.vocabulary().token(id?)).unwrap_or_default()
    }
}

/// Positions are kept in 32 bits.
pub(super) fn check_length(text: &str) -> Result<()> {
    if u32::try_from(text.len()).is_ok() {
        return Ok(());
    }
    Err(Error::Limit {
        limit: "text length".to_owned(),
        message: "one text has at most 4 GiB; encode it in parts".to_owned(),
    })
}

/// Positions of a piece become positions of the original.
fn placed(error: Error, text: &AlignedText, piece_start: usize) -> Error {
    let original = |position: usize| {
        let at = piece_start + position;
        text.original(crate::units::Span::new(at, at + 1)).start
    };
    match error {
        Error::Untokenizable { position, starts } => Error::Untokenizable {
            position: original(position),
            starts: starts.into_iter().map(|start| original(start as usize) as i64).collect(),
        },
        other => other,
    }
}
