//! The tokenizer that goes on inside a text: as the whole one, but with nothing put in front.
//!
//! `Prepend`, `Metaspace` and `add_prefix_space` put something in front of a stretch between added tokens. A part
//! that begins inside such a stretch gets the ids of that stretch from a tokenizer without them; stretches that
//! begin later in the part are as always.

use std::sync::Arc;

use crate::encode::normalizers::Normalizer;
use crate::encode::pre_tokenizers::{MetaspaceOptions, PreTokenizer, PrependScheme, Sequence};
use crate::encode::tokenizer::Tokenizer;

impl Tokenizer {
    /// The tokenizer for what follows inside a stretch between added tokens; `None` where nothing is put in
    /// front, so that this one does it, and where what is put in front depends on pieces or on added tokens that
    /// are found in the normalized text.
    pub fn continued(&self) -> Option<Self> {
        let normalizer = self.normalizer.as_deref().and_then(Normalizer::continued);
        let pre_tokenizer = match self.pre_tokenizer.as_deref() {
            None => None,
            Some(part) => part.continued().ok()?,
        };
        if pre_tokenizer.is_some() && self.added.has_normalized() {
            return None;
        }
        (normalizer.is_some() || pre_tokenizer.is_some()).then(|| Self {
            normalizer: normalizer.map(Arc::new).or_else(|| self.normalizer.clone()),
            pre_tokenizer: pre_tokenizer.map(Arc::new).or_else(|| self.pre_tokenizer.clone()),
            ..self.clone()
        })
    }
}

impl Normalizer {
    /// This without `Prepend`; `None` when there is none in it.
    fn continued(&self) -> Option<Self> {
        self.prepends().then(|| match self {
            Self::Sequence(parts) => {
                let mut kept: Vec<Self> = Vec::new();
                for part in parts {
                    match part {
                        Self::Prepend(_) => {}
                        _ => kept.push(part.continued().unwrap_or_else(|| part.clone())),
                    }
                }
                // A single step alone, for which there are shorter ways.
                if kept.len() == 1 { kept.remove(0) } else { Self::Sequence(kept) }
            }
            _ => Self::Sequence(Vec::new()),
        })
    }

    fn prepends(&self) -> bool {
        match self {
            Self::Prepend(text) => !text.is_empty(),
            Self::Sequence(parts) => parts.iter().any(Self::prepends),
            _ => false,
        }
    }
}

/// What is put in front depends on pieces that other steps make.
struct ByPieces;

impl PreTokenizer {
    /// This with nothing put in front of a stretch, `None` when nothing is.
    fn continued(&self) -> Result<Option<Self>, ByPieces> {
        match self {
            Self::Metaspace(options) if options.prepend_scheme != PrependScheme::Never => {
                let prepend_scheme = PrependScheme::Never;
                Ok(Some(Self::Metaspace(MetaspaceOptions { prepend_scheme, ..*options })))
            }
            Self::ByteLevel(part) => Ok(part.without_prefix_space().map(Self::ByteLevel)),
            Self::Sequence(parts) => {
                let Some((first, rest)) = parts.split_first() else { return Ok(None) };
                if rest.iter().any(|part| !matches!(part.continued(), Ok(None))) {
                    return Err(ByPieces);
                }
                Ok(first.continued()?.map(|first| {
                    let parts = std::iter::once(first).chain(rest.iter().cloned());
                    Self::Sequence(Sequence::new(parts.collect()))
                }))
            }
            _ => Ok(None),
        }
    }
}
