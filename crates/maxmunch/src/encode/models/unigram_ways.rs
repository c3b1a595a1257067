//! The best way over a piece for `Unigram`, in four bytes a position.
//!
//! A token is known by its id, and its length by its text: that is all it takes to find the way back. Scores are
//! kept as long as a token may still start from them.

use crate::units::TokenId;

/// "No way leads here."
const NOWHERE: TokenId = TokenId::MAX;

/// In place of a token: a character that none stands for.
pub(super) const UNKNOWN: TokenId = TokenId::MAX - 1;

/// The best ways to the positions of a piece.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// The last token of the way to each position; once turned round, the token that starts at each position of
    /// the best way.
    tokens: Vec<TokenId>,
    /// The scores of the last positions: that of position `p` at `p` modulo the length, a power of two.
    scores: Vec<f64>,
}

/// The positions of a piece while ways to them are looked for.
///
/// PERF: slices of its own, so that what is written to one is known not to move the other (with lengths by
/// `token_len`, 5 % of the instructions on Chinese under xlm-roberta).
#[derive(Debug)]
pub(super) struct Positions<'w> {
    tokens: &'w mut [TokenId],
    scores: &'w mut [f64],
}

impl Positions<'_> {
    /// The score of a position that was reached, or of the start.
    #[inline]
    pub(super) fn score(&self, position: usize) -> f64 {
        self.scores[position & (self.scores.len() - 1)]
    }

    /// Whether a way of this score to `end` is the first or strictly better.
    #[inline]
    pub(super) fn would_take(&self, end: usize, score: f64) -> bool {
        self.tokens[end] == NOWHERE || score > self.score(end)
    }

    /// Takes the way to `end` over `token`.
    #[inline]
    pub(super) fn take(&mut self, end: usize, score: f64, token: TokenId) {
        self.tokens[end] = token;
        let place = end & (self.scores.len() - 1);
        self.scores[place] = score;
    }
}

impl Ways {
    /// Starts a piece of `length` bytes; no token is longer than `longest` bytes, or a character.
    pub(super) fn start(&mut self, length: usize, longest: usize) -> Positions<'_> {
        let reach = (longest.max(char::MAX.len_utf8()) + 1).next_power_of_two();
        self.tokens.clear();
        self.tokens.resize(length + 1, NOWHERE);
        self.scores.resize(reach.max(self.scores.len()), 0.0);
        self.scores[0] = 0.0;
        Positions { tokens: &mut self.tokens, scores: &mut self.scores }
    }

    /// Turns the best way to the end of the piece round, so that it can be read from the start.
    ///
    /// `before` is the length of a token that ends at a position.
    pub(super) fn turn_round(&mut self, before: impl Fn(usize, TokenId) -> usize) {
        let mut end = self.tokens.len() - 1;
        let mut token = self.tokens[end];
        while end > 0 {
            end -= before(end, token);
            token = std::mem::replace(&mut self.tokens[end], token);
        }
    }

    /// The token that starts at a position of the best way, once it is turned round.
    pub(super) fn token_at(&self, start: usize) -> TokenId {
        self.tokens[start]
    }

    /// Gives back what only a very long piece needed.
    pub(super) fn shrink(&mut self, kept: usize) {
        self.tokens.clear();
        self.tokens.shrink_to(kept);
    }
}
