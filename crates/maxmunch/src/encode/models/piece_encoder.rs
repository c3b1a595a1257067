//! A model as callers use it that want ids alone.

use crate::encode::long_words::LONGEST_KEY;
use crate::encode::models::bpe_char_form::CharForm;
use crate::encode::models::bpe_forms::Form;
use crate::encode::models::bpe_ids::{self, stays_whole};
use crate::encode::models::known_pieces::KnownPieces;
use crate::encode::models::merges::Quick;
use crate::encode::models::piece_batch::{Answer, Missing, PieceBatch};
use crate::encode::models::{Bpe, Model, Scratch};
use crate::encode::piece_key::{Key, Kind};
use crate::error::{Error, Result};
use crate::machine::ordered::{Pieces, Run};
use crate::units::{Span, TokenId};

/// Gives the ids of pieces: those that are known, those that came before, and those that are new.
#[derive(Debug, Clone, Copy)]
pub(in crate::encode) struct PieceEncoder<'m> {
    model: &'m Model,
    known: &'m KnownPieces,
    on_bytes: bool,
}

/// Gives the ids of texts in which a space stands for the mark, so that no text with marks is ever written.
#[derive(Debug, Clone, Copy)]
pub(in crate::encode) struct SpacedEncoder<'m> {
    model: &'m Bpe,
    form: &'m CharForm,
}

impl SpacedEncoder<'_> {
    /// Appends the ids of a text, not empty, that is one piece.
    pub(in crate::encode) fn ids(
        &self,
        text: &str,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        self.warm_up(scratch);
        self.model.spaced_ids(self.form, text.as_bytes(), scratch, out)
    }

    /// Begins the cache with what is known.
    pub(in crate::encode) fn warm_up(&self, scratch: &mut Scratch) {
        scratch.cache.begin_with(Form::Chars(self.form).known_now().first());
    }
}

impl Model {
    /// What gives ids alone; with `on_bytes` those of [`Self::tokenize_bytes`], else of [`Self::tokenize`].
    pub(in crate::encode) fn piece_encoder(&self, on_bytes: bool) -> PieceEncoder<'_> {
        let known = self.bpe_form(on_bytes).map(|(model, form)| model.known(form));
        PieceEncoder { model: self, known: known.unwrap_or(KnownPieces::none()), on_bytes }
    }

    /// As [`Self::piece_encoder`], without finding out anything first, unless ids depend on it: where tokens are
    /// looked up whole, short ones are looked up among the known pieces only.
    pub(in crate::encode) fn piece_encoder_now(&self, on_bytes: bool) -> PieceEncoder<'_> {
        let known = self.bpe_form(on_bytes).map(|(model, form)| {
            if model.options().ignore_merges { model.known(form) } else { form.known_now() }
        });
        PieceEncoder { model: self, known: known.unwrap_or(KnownPieces::none()), on_bytes }
    }

    fn bpe_form(&self, on_bytes: bool) -> Option<(&Bpe, Form<'_>)> {
        match self {
            Self::Bpe(model) => Some((model, model.form(on_bytes)?)),
            Self::WordPiece(_) | Self::WordLevel(_) | Self::Unigram(_) => None,
        }
    }

    /// What gives the ids of texts in which a space stands for the mark; none where that could change an id.
    pub(in crate::encode) fn spaced_encoder(&self) -> Option<SpacedEncoder<'_>> {
        let Self::Bpe(model) = self else { return None };
        let form = model.spaced_form()?;
        model.known(Form::Chars(form));
        Some(SpacedEncoder { model, form })
    }
}

impl PieceEncoder<'_> {
    /// Appends the ids of pieces that follow each other.
    pub(in crate::encode) fn all_ids(
        &self,
        text: &[u8],
        mut pieces: Pieces,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        self.warm_up(scratch);
        let mut is_done = false;
        while !is_done {
            scratch.batch.begin(pieces.at());
            while !scratch.batch.is_full() {
                match pieces.next_run() {
                    Some(Run::One(piece)) => {
                        scratch.batch.push(text, piece, Kind::Piece, &scratch.cache);
                    }
                    Some(Run::Told(run)) => scratch.batch.extend(text, run, &scratch.cache),
                    None => {
                        is_done = true;
                        break;
                    }
                }
            }
            scratch.batch.look_up(&mut scratch.cache);
            self.answer(text, &mut scratch.batch);
            while let Some(missing) = scratch.batch.next_missing(out) {
                self.missing_ids(missing, text, scratch, out)?;
            }
        }
        Ok(())
    }

    /// Finds the ids of new words of a batch together, where that may be.
    fn answer(&self, text: &[u8], batch: &mut PieceBatch) {
        let Model::Bpe(model) = self.model else { return };
        // PERF: not for parts of long pieces, few of which are known (0.92 to 0.95).
        batch.missing().for_each(|key| self.known.fetch(key));
        let (Some(form), Some(Quick::Packed(merges))) =
            (model.form(self.on_bytes), model.merges().quick())
        else {
            return;
        };
        let has_wholes = model.options().ignore_merges;
        batch.answer(merges, |piece, key, words| {
            if let Some(id) = self.known.get(key) {
                return Answer::Token(id);
            }
            let is_word = stays_whole(text, piece) && (key.is_small() || !has_wholes);
            if is_word { words.answer(form, text, piece, key, merges) } else { Answer::Open }
        });
    }

    /// Appends the ids of a piece that is not in the cache.
    fn missing_ids(
        &self,
        missing: Missing,
        text: &[u8],
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Missing { piece, key, .. } = missing;
        if key == Key::NONE {
            return self.new_ids(None, text, piece, scratch, out);
        }
        if scratch.batch.append_answer(missing, &mut scratch.cache, out) {
            return Ok(());
        }
        self.keep_ids(key, text, piece, scratch, out)
    }

    /// Begins the cache with what is known.
    pub(in crate::encode) fn warm_up(&self, scratch: &mut Scratch) {
        scratch.cache.begin_with(self.known.first());
    }

    /// Appends the ids of the piece `span` of `text`, not empty, to `out`.
    ///
    /// Where that fails, what was appended is unspecified.
    #[inline]
    pub(in crate::encode) fn ids(
        &self,
        text: &[u8],
        span: Span,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        match Key::new(text, span, Kind::Piece) {
            Some(key) if scratch.cache.append(key, out) => Ok(()),
            Some(key) => self.keep_ids(key, text, span, scratch, out),
            None => self.new_ids(None, text, span, scratch, out),
        }
    }

    /// As [`Self::ids`], for a short piece that was not found; then it will be.
    #[inline(never)]
    fn keep_ids(
        &self,
        key: Key,
        text: &[u8],
        span: Span,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let from = out.len();
        match self.known.get(key) {
            Some(id) => out.push(id),
            None => self.new_ids(Some(key), text, span, scratch, out)?,
        }
        scratch.cache.insert(key, &out[from..]);
        Ok(())
    }

    /// As [`Self::ids`], for a piece that was not found under its key, if it has one.
    fn new_ids(
        &self,
        key: Option<Key>,
        text: &[u8],
        span: Span,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if let Model::Bpe(model) = self.model {
            return model.ids(text, span, key, self.on_bytes, scratch, out);
        }
        let piece = &text[span.range()];
        let is_long = key.is_none() && piece.len() <= LONGEST_KEY;
        if is_long && let Some(ids) = scratch.cache.get_long(piece, Kind::Piece) {
            bpe_ids::append(out, ids);
            return Ok(());
        }
        let from = out.len();
        let mut sink = |id| out.push(id);
        if let Model::WordPiece(model) = self.model {
            model.ids(piece, self.on_bytes, out)?;
        } else if self.on_bytes {
            self.model.tokenize_bytes(piece, scratch, &mut sink)?;
        } else {
            let piece = std::str::from_utf8(piece)
                .map_err(|_| Error::internal("a piece that ends inside a character"))?;
            self.model.tokenize(piece, scratch, &mut sink)?;
        }
        if is_long {
            scratch.cache.insert_long(piece, Kind::Piece, &out[from..]);
        }
        Ok(())
    }
}
