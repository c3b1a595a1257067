//! A token set, and the questions that are asked of it.

use super::closed_form::{self, BEFORE};
use super::literal::Literal;
use super::verdict::{self, Verdict, Witness};
use crate::error::Result;
use crate::scan::{Munch, Scan, is_tokenizable, scan};

/// How the tokens are given.
#[derive(Debug)]
pub enum Language {
    /// A finite set of words.
    Literal(Literal),
}

/// A token set with its maximal-munch scan.
#[derive(Debug)]
pub struct TokenSet {
    language: Language,
}

impl TokenSet {
    /// The literal set of `tokens`; the scan reports `kind(index)`, of equal tokens the first stays.
    ///
    /// # Errors
    ///
    /// [`crate::Error::InvalidTokenSet`] for an empty set or an empty token.
    pub fn literal<T: AsRef<[u8]>>(tokens: &[T], kind: impl Fn(usize) -> u32) -> Result<Self> {
        Ok(Self { language: Language::Literal(Literal::new(tokens, kind)?) })
    }

    /// How the tokens are given.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// The scan of `data`.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Untokenizable`] where it is stuck.
    pub fn scan(&self, data: &[u8]) -> Result<Scan> {
        match &self.language {
            Language::Literal(set) => scan(set, data),
        }
    }

    /// Whether the scan of `data` completes.
    pub fn is_tokenizable(&self, data: &[u8]) -> bool {
        match &self.language {
            Language::Literal(set) => is_tokenizable(set, data),
        }
    }

    /// Length of the longest token in bytes; `None` when tokens can be arbitrarily long.
    pub fn longest_token(&self) -> Option<usize> {
        match &self.language {
            Language::Literal(set) => Some(set.longest_word()),
        }
    }

    /// The realised origins of `window`, increasing, [`BEFORE`] first.
    ///
    /// # Errors
    ///
    /// [`crate::Error::InvalidArgument`] for a window of no or of more than 256 bytes.
    pub fn realised_origins(&self, window: &[u8]) -> Result<Vec<i64>> {
        verdict::check_window(window)?;
        match &self.language {
            Language::Literal(set) => Ok(closed_form::origins(set, window)),
        }
    }

    /// Whether `window` is certified at `origin`; a refutation is a shortest one and has been re-scanned.
    ///
    /// # Errors
    ///
    /// [`crate::Error::InvalidArgument`] for a window or an origin outside its range.
    pub fn certify(&self, window: &[u8], origin: i64) -> Result<Verdict> {
        verdict::check_window(window)?;
        verdict::check_origin(window, origin)?;
        let Language::Literal(set) = &self.language;
        let origins = closed_form::origins(set, window);
        if origins.is_empty() {
            return Ok(Verdict::Vacuous);
        }
        if origins == [origin] {
            return Ok(Verdict::Certified);
        }
        let shortest = origins
            .into_iter()
            .filter(|&other| other != origin)
            .filter_map(|other| {
                let (data, occurrence) = closed_form::realisation(set, window, other)?;
                Some((data, occurrence, other))
            })
            .min_by_key(|(data, _, _)| data.len());
        let Some((data, occurrence, other)) = shortest else {
            return Err(crate::Error::internal("a realised origin has no shortest input"));
        };
        let claimed = occurrence + origin as usize;
        let actual = if other == BEFORE { 0 } else { occurrence + other as usize };
        let witness = Witness { data, occurrence, claimed, actual };
        verdict::rescan(set, window, origin, &witness)?;
        Ok(Verdict::Refuted(witness))
    }
}

impl Munch for TokenSet {
    #[inline]
    fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
        match &self.language {
            Language::Literal(set) => set.longest(text, at),
        }
    }
}
