//! Seams: places where a text can be taken apart so that the ids of the parts, one after the other, are the
//! ids of the whole.
//!
//! Each stage answers from the two characters beside the place, `a` before it and `b` after it, and hands on
//! the two characters that stand there in *its* output. The claims, stage by stage, for every text in which
//! `a` and `b` stand side by side:
//!
//! - added tokens: no match crosses the place, takes white space across it, or depends on the character
//!   beyond it, so that the sections left and right of it are those of the parts;
//! - normalizer: the normalized parts, joined, are the normalized whole;
//! - pre-tokenizer: the pieces are those of the parts ([`Seam::Boundary`]), or would be if the piece that
//!   crosses the place were cut there ([`Seam::Inside`]);
//! - model: works piece by piece, so that a boundary is enough. Inside a piece it has to be asked.
//!
//! A composition of such stages has the property again. What a stage cannot promise is [`Seam::Unsafe`]; that
//! costs a cut, never an id (docs/decisions/0010-seams.md).

mod added;
mod continued;
mod normalizer;
mod pre_tokenizer;

use std::sync::Arc;

use crate::encode::normalizers::Normalizer;
use crate::encode::pre_tokenizers::PreTokenizer;
use crate::encode::tokenizer::Tokenizer;
use added::AddedSeams;

pub(in crate::encode) use pre_tokenizer::{of_characters, of_pattern};

/// The characters before and after a place; `None` where the text decides which one it is.
pub type Beside = (Option<char>, Option<char>);

/// What becomes of the right part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// It is encoded as a text of its own.
    Text,
    /// It is encoded by the tokenizer that goes on inside a text, see [`Tokenizer::continued`].
    Continued,
    /// Nothing: only the left part is to keep its ids, whatever follows it.
    Rest,
}

/// What the stages before the model say of a place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seam {
    /// A cut may change something.
    Unsafe,
    /// A cut changes nothing but that it may divide a piece; what is known of the characters beside it there.
    Inside(Beside),
    /// Whatever the text, a piece ends there and another begins.
    Boundary,
}

/// The stages of one tokenizer, prepared for questions.
#[derive(Debug)]
pub struct Seams {
    added: AddedSeams,
    normalizer: Option<Arc<Normalizer>>,
    pre_tokenizer: Option<Arc<PreTokenizer>>,
    /// Whether the ids of a text are those of its parts at all.
    applies: bool,
    /// Whether another tokenizer goes on inside a text.
    continues: bool,
}

impl Seams {
    /// Prepares the stages of `tokenizer`.
    pub fn new(tokenizer: &Tokenizer) -> Self {
        Self {
            added: AddedSeams::new(&tokenizer.added),
            normalizer: tokenizer.normalizer.clone(),
            pre_tokenizer: tokenizer.pre_tokenizer.clone(),
            applies: tokenizer.truncation.is_none()
                && tokenizer.padding.is_none()
                && !tokenizer.model().samples()
                && tokenizer.post_processor.as_ref().is_none_or(|part| part.keeps_order())
                && !tokenizer.may_double(),
            continues: tokenizer.continued().is_some(),
        }
    }

    /// Whether the ids of a text are those of its parts at all.
    pub fn applies(&self) -> bool {
        self.applies
    }

    /// What is known of the place between `before` and `after`, in every text.
    pub fn between(&self, before: char, after: char, right: Right) -> Seam {
        if !self.applies || !self.added.raw(before, after) {
            return Seam::Unsafe;
        }
        // Without a tokenizer of its own, what goes on is a text like others.
        let is_text = right == Right::Continued && !self.continues;
        let right = if is_text { Right::Text } else { right };
        let mut beside = (Some(before), Some(after));
        // Behind an added token a stretch begins anew, with what is put in front.
        if right == Right::Continued && self.added.may_end_raw(before) {
            return Seam::Unsafe;
        }
        if let Some(normalizer) = &self.normalizer {
            match normalizer.seam(beside, right) {
                Some(normalized) => beside = normalized,
                None => return Seam::Unsafe,
            }
        }
        if !self.added.normalized(beside)
            || (right == Right::Continued && self.added.may_end_normalized(beside.0))
        {
            return Seam::Unsafe;
        }
        match &self.pre_tokenizer {
            None => Seam::Inside(beside),
            Some(pre_tokenizer) => {
                pre_tokenizer.seam_from(beside, right, self.normalizer.is_some())
            }
        }
    }

    /// What is known of the place before byte `at`; unsafe inside a character and at the ends.
    pub fn at(&self, text: &str, at: usize, right: Right) -> Seam {
        if at == 0 || !text.is_char_boundary(at) {
            return Seam::Unsafe;
        }
        let before = text[..at].chars().next_back();
        match (before, text[at..].chars().next()) {
            (Some(before), Some(after)) => self.between(before, after, right),
            _ => Seam::Unsafe,
        }
    }
}
