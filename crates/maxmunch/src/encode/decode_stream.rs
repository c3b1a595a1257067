//! Decoding ids as they come.
//!
//! [`DecodeStream`] does what the class of that name does in the reference: it decodes the last ids again at
//! every step, and refuses where the text so far changes. [`StreamDecoder`] is ours: what it wrote stays, no id is
//! refused, and all of it is the text of all ids.

use std::sync::Arc;

use crate::encode::decoders::StreamingDecoder;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::units::TokenId;

/// The ids whose text may still change, and the text of those before the last ones.
#[derive(Debug, Clone, Default)]
pub struct DecodeStream {
    ids: Vec<TokenId>,
    prefix: String,
    prefix_len: usize,
    skip_special_tokens: bool,
}

impl DecodeStream {
    /// A stream that starts after `ids`, the prompt.
    pub fn new(ids: Vec<TokenId>, skip_special_tokens: bool) -> Self {
        Self { ids, skip_special_tokens, ..Self::default() }
    }

    /// Takes ids; the text that they add, or `None` while it may still change.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] where the new ids change text that was given already.
    pub fn step(&mut self, tokenizer: &Tokenizer, ids: &[TokenId]) -> Result<Option<String>> {
        if self.prefix.is_empty() && !self.ids.is_empty() {
            let prefix = self.decode(tokenizer)?;
            if !prefix.ends_with('\u{FFFD}') {
                (self.prefix, self.prefix_len) = (prefix, self.ids.len());
            }
        }
        self.ids.extend_from_slice(ids);
        let text = self.decode(tokenizer)?;
        if text.len() <= self.prefix.len() || text.ends_with('\u{FFFD}') {
            return Ok(None);
        }
        let Some(added) = text.strip_prefix(&self.prefix) else {
            return Err(Error::argument(
                "id",
                format!(
                    "the text {:?} became {text:?}: the decoder changes what it gave before; \
                     use stream_decoder, which holds such text back",
                    self.prefix
                ),
            ));
        };
        let kept = self.ids.split_off(self.prefix_len);
        self.prefix_len = kept.len();
        self.ids = kept;
        self.prefix = self.decode(tokenizer)?;
        Ok(Some(added.to_owned()))
    }

    fn decode(&self, tokenizer: &Tokenizer) -> Result<String> {
        tokenizer.decode(&self.ids, self.skip_special_tokens)
    }
}

/// Writes the text of ids as soon as no later id can change it.
#[derive(Debug)]
pub struct StreamDecoder {
    tokenizer: Arc<Tokenizer>,
    skip_special_tokens: bool,
    decoder: StreamingDecoder,
}

impl StreamDecoder {
    /// Starts a stream.
    pub fn new(tokenizer: Arc<Tokenizer>, skip_special_tokens: bool) -> Self {
        let decoder = tokenizer.streaming_decoder();
        Self { tokenizer, skip_special_tokens, decoder }
    }

    /// The text that is certain now; an id without a token adds nothing.
    ///
    /// Complexity: amortised, the length of the tokens.
    pub fn feed(&mut self, ids: &[TokenId]) -> Result<String> {
        let mut out = String::new();
        for &id in ids {
            if let Some(token) = self.tokenizer.decoded_token(id, self.skip_special_tokens) {
                self.decoder.token(token, &mut out)?;
            }
        }
        Ok(out)
    }

    /// The text that was held back; the stream starts anew.
    pub fn finish(&mut self) -> Result<String> {
        let mut out = String::new();
        self.decoder.finish(&mut out)?;
        self.decoder = self.tokenizer.streaming_decoder();
        Ok(out)
    }
}
