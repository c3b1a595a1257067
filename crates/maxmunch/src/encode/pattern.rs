//! Patterns of `Split` and `Replace`, with the meaning that the engine of the reference gives them.
//!
//! Oniguruma, whose Unicode tables decide what `\p{L}` and `\s` are, is the definition
//! (docs/decisions/0004-regex-engine.md). Patterns whose meaning is proven run on our own machine, in linear
//! time (docs/decisions/0008-ordered-machine.md), all others on Oniguruma itself. Every search returns a
//! `Result`: where the reference panics because a match took too many steps, [`Error::Limit`] is returned.

use std::ops::ControlFlow;
use std::sync::Arc;

use onig::{MatchParam, Region, SearchOptions};

use crate::error::{Error, Result};
use crate::machine::ordered::{Cut, OrderedMachine};
use crate::units::Span;

/// Longest text that one search takes: Oniguruma stores positions as 32-bit integers.
const MAX_TEXT_BYTES: usize = i32::MAX as usize;

/// Backtracking steps that one match may always take; longer texts may take a few per byte.
const MIN_RETRIES: usize = 10_000_000;
const RETRIES_PER_BYTE: usize = 16;

/// A compiled pattern; cloning it is cheap and shares the compiled form.
#[derive(Debug, Clone)]
pub struct Pattern {
    engine: Arc<Engine>,
}

#[derive(Debug)]
enum Engine {
    /// A literal text; the empty one matches at every character boundary.
    Literal(String),
    /// A regular expression in the part of the syntax that our machine knows.
    Machine {
        source: String,
        machine: Box<OrderedMachine>,
    },
    Regex {
        source: String,
        compiled: onig::Regex,
    },
}

impl Pattern {
    /// Compiles a regular expression in Oniguruma's syntax.
    ///
    /// An invalid one is an [`Error::InvalidArgument`] named `pattern`.
    pub fn new(source: &str) -> Result<Self> {
        match OrderedMachine::new(source) {
            Ok(machine) => {
                let engine =
                    Engine::Machine { source: source.to_owned(), machine: Box::new(machine) };
                Ok(Self { engine: Arc::new(engine) })
            }
            Err(_) => Self::backtracking(source),
        }
    }

    /// Compiles a regular expression for Oniguruma, whatever it is.
    fn backtracking(source: &str) -> Result<Self> {
        let compiled = onig::Regex::new(source).map_err(|error| {
            Error::argument(
                "pattern",
                format!(
                    "{source:?} is not a regular expression in Oniguruma's syntax ({})",
                    error.description()
                ),
            )
        })?;
        let engine = Engine::Regex { source: source.to_owned(), compiled };
        Ok(Self { engine: Arc::new(engine) })
    }

    /// The pattern that matches exactly `text`.
    pub fn literal(text: &str) -> Self {
        Self { engine: Arc::new(Engine::Literal(text.to_owned())) }
    }

    /// The regular expression or the literal text.
    pub fn source(&self) -> &str {
        match &*self.engine {
            Engine::Literal(text) => text,
            Engine::Machine { source, .. } | Engine::Regex { source, .. } => source,
        }
    }

    /// The machine that runs the pattern, if it is not left to Oniguruma.
    pub fn machine(&self) -> Option<&OrderedMachine> {
        match &*self.engine {
            Engine::Machine { machine, .. } => Some(machine),
            Engine::Literal(_) | Engine::Regex { .. } => None,
        }
    }

    /// The cut at its matches, for a machine that makes several.
    pub(in crate::encode) fn cut(&self) -> Cut {
        let source = self.source().to_owned();
        if self.is_literal() { Cut::Literal(source) } else { Cut::Pattern(source) }
    }

    /// Whether it matches one text literally.
    pub fn is_literal(&self) -> bool {
        matches!(*self.engine, Engine::Literal(_))
    }

    /// The ASCII character that it matches literally, if it is one.
    pub(in crate::encode) fn literal_byte(&self) -> Option<u8> {
        match &*self.engine {
            Engine::Literal(text) => match *text.as_bytes() {
                [byte] => Some(byte),
                _ => None,
            },
            Engine::Machine { .. } | Engine::Regex { .. } => None,
        }
    }

    /// The leftmost match that starts at or after byte `start` of `text`, a character boundary.
    ///
    /// Text before `start` is visible to look-behind.
    pub fn find_from(&self, text: &str, start: usize) -> Result<Option<Span>> {
        self.search(text, start, &mut Region::new())
    }

    /// Calls `emit` for each match, left to right, without overlaps.
    ///
    /// An empty match directly after the previous match is skipped, other empty matches are given.
    pub fn for_each_match(
        &self,
        text: &str,
        mut emit: impl FnMut(Span) -> Result<()>,
    ) -> Result<()> {
        if let Some(machine) = self.machine() {
            return as_result(machine.for_each_match(text, |span| as_flow(emit(span))));
        }
        let mut region = Region::new();
        let mut from = 0;
        let mut last_end = None;
        while from <= text.len() {
            region.clear();
            let Some(span) = self.search(text, from, &mut region)? else { break };
            if span.is_empty() && last_end == Some(span.end) {
                // The search resumes one character after where it *started*, as the reference's does.
                from += text[from..].chars().next().map_or(1, char::len_utf8);
            } else {
                from = span.end;
                last_end = Some(span.end);
                emit(span)?;
            }
        }
        Ok(())
    }

    /// Calls `emit` for each match (`true`) and each gap between matches (`false`), left to right.
    ///
    /// Together they cover `text`. Gaps are not empty; matches may be.
    pub fn for_each_part(
        &self,
        text: &str,
        mut emit: impl FnMut(Span, bool) -> Result<()>,
    ) -> Result<()> {
        let mut done = 0;
        self.for_each_match(text, |span| {
            if done < span.start {
                emit(Span::new(done, span.start), false)?;
            }
            done = span.end;
            emit(span, true)
        })?;
        if done < text.len() {
            emit(Span::new(done, text.len()), false)?;
        }
        Ok(())
    }

    /// Calls `emit` for each piece of `Split(pattern, Isolated)`: matches and the gaps between them, in
    /// order, without the empty ones; together they cover `text`.
    pub fn for_each_piece(
        &self,
        text: &str,
        mut emit: impl FnMut(Span) -> Result<()>,
    ) -> Result<()> {
        if let Some(machine) = self.machine() {
            return machine.pieces(text).try_for_each(emit);
        }
        self.for_each_part(text, |span, _| if span.is_empty() { Ok(()) } else { emit(span) })
    }

    fn search(&self, text: &str, start: usize, region: &mut Region) -> Result<Option<Span>> {
        match &*self.engine {
            Engine::Literal(literal) => Ok(find_literal(text, start, literal)),
            Engine::Machine { machine, .. } => {
                check_boundary(text, start)?;
                Ok(machine.find_from(text, start))
            }
            Engine::Regex { source, compiled } => search(compiled, source, text, start, region),
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.is_literal() == other.is_literal() && self.source() == other.source()
    }
}

#[inline]
fn as_flow(done: Result<()>) -> ControlFlow<Error> {
    match done {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

#[inline]
fn as_result(flow: ControlFlow<Error>) -> Result<()> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

fn find_literal(text: &str, start: usize, literal: &str) -> Option<Span> {
    let tail = text.as_bytes().get(start..)?;
    // PERF: a searcher for one byte is built for every match; this is none.
    let found = match literal.as_bytes() {
        [byte] => memchr::memchr(*byte, tail),
        bytes => memchr::memmem::find(tail, bytes),
    };
    let at = start + found?;
    Some(Span::new(at, at + literal.len()))
}

fn check_boundary(text: &str, start: usize) -> Result<()> {
    if text.is_char_boundary(start) {
        Ok(())
    } else {
        Err(Error::internal(format!("search from byte {start}, inside a character")))
    }
}

fn search(
    compiled: &onig::Regex,
    source: &str,
    text: &str,
    start: usize,
    region: &mut Region,
) -> Result<Option<Span>> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Error::Limit {
            limit: "text length".to_owned(),
            message: format!(
                "a regular expression searches at most {MAX_TEXT_BYTES} bytes at once, the text \
                 has {}; encode it in parts",
                text.len()
            ),
        });
    }
    check_boundary(text, start)?;
    let retries = MIN_RETRIES.max(RETRIES_PER_BYTE.saturating_mul(text.len()));
    let mut limits = MatchParam::default();
    limits.set_retry_limit_in_match(u32::try_from(retries).unwrap_or(u32::MAX));
    let found = compiled.search_with_param(
        text,
        start,
        text.len(),
        SearchOptions::SEARCH_OPTION_NONE,
        Some(region),
        limits,
    );
    match found {
        Ok(Some(_)) => Ok(region.pos(0).map(|(from, to)| Span::new(from, to))),
        Ok(None) => Ok(None),
        Err(error) => Err(Error::Limit {
            limit: "steps of one match".to_owned(),
            message: format!(
                "the pattern {source:?} gave up after byte {start} of a text of {} bytes ({}); use a \
                 pattern that backtracks less, or encode the text in parts",
                text.len(),
                error.description()
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use crate::error::{Error, Result};

    const GPT2: &str =
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

    fn pieces<'a>(pattern: &Pattern, text: &'a str) -> Result<Vec<&'a str>> {
        let mut found = Vec::new();
        pattern.for_each_piece(text, |span| {
            found.push(&text[span.range()]);
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn pieces_are_matches_and_gaps() -> Result<()> {
        let gpt2 = Pattern::new(GPT2)?;

        assert_eq!(
            vec!["I", "'ll", " see", "  ", " 東京", "!", "\n"],
            pieces(&gpt2, "I'll see   東京!\n")?
        );
        assert_eq!(vec!["ab", "12", "c"], pieces(&Pattern::new("[0-9]+")?, "ab12c")?);
        assert_eq!(Vec::<&str>::new(), pieces(&gpt2, "")?);
        Ok(())
    }

    #[test]
    fn both_engines_give_the_same_pieces() -> Result<()> {
        for source in [GPT2, "[0-9]+", "b"] {
            let (fast, slow) = (Pattern::new(source)?, Pattern::backtracking(source)?);

            assert!(fast.machine().is_some());
            for text in ["", "I'll see   東京!\n", "ab12c  \r\n b"] {
                assert_eq!(pieces(&slow, text)?, pieces(&fast, text)?);
            }
        }
        Ok(())
    }

    #[test]
    fn empty_matches_make_boundaries() -> Result<()> {
        assert_eq!(vec!["a", "ba", "b"], pieces(&Pattern::new("(?=b)")?, "abab")?);
        assert_eq!(vec!["é", "b"], pieces(&Pattern::new("")?, "éb")?);
        assert_eq!(vec!["é", "b"], pieces(&Pattern::literal(""), "éb")?);
        Ok(())
    }

    #[test]
    fn look_behind_sees_the_text_before_the_start() -> Result<()> {
        let pattern = Pattern::new("(?<=a)b")?;

        assert_eq!(Some(1), pattern.find_from("ab", 1)?.map(|span| span.start));
        assert_eq!(None, pattern.find_from("ab", 2)?);
        Ok(())
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let refused = Pattern::new("(a");

        assert!(matches!(refused, Err(Error::InvalidArgument { name, .. }) if name == "pattern"));
    }

    #[test]
    fn a_match_that_takes_too_many_steps_is_an_error_not_a_panic() -> Result<()> {
        let pattern = Pattern::new(r"(?:(x+)x+)+\1(?![x!])")?;

        let gave_up = pattern.find_from(&format!("{}!", "x".repeat(60)), 0);

        assert!(matches!(gave_up, Err(Error::Limit { .. })));
        Ok(())
    }
}
