//! The part of Oniguruma's pattern syntax whose meaning we can prove, parsed into a small tree.
//!
//! Everything else is refused with a reason, never guessed: the caller then keeps Oniguruma itself.

use super::class_syntax;
use super::fold::Folding;
use crate::machine::char_classes::{CharSet, complement, singleton};

/// Groups may nest this deep.
const MAX_DEPTH: usize = 50;

/// Largest count in `{n,m}`; more is refused.
const MAX_REPEAT: u32 = 1_000;

/// Why a pattern is not compiled to a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub(crate) String);

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

pub(crate) type Parsed<T> = std::result::Result<T, Refusal>;

pub(crate) fn refuse<T>(reason: impl Into<String>) -> Parsed<T> {
    Err(Refusal(reason.into()))
}

/// How often a repeated part is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Greed {
    /// More before fewer.
    Greedy,
    /// Fewer before more.
    Lazy,
    /// As many as possible, never fewer.
    Possessive,
}

/// What a pattern means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ast {
    /// One character of the set.
    Set(CharSet),
    /// No character; the next one is in the set, or the text ends and `at_end` holds.
    Guard { next: CharSet, at_end: bool },
    /// One after the other; none means the empty text.
    Concat(Vec<Ast>),
    /// The first that leads to a match.
    Alternate(Vec<Ast>),
    /// Between `min` and `max` times.
    Repeat { body: Box<Ast>, min: u32, max: Option<u32>, greed: Greed },
}

impl Ast {
    /// Whether it can match without consuming a character.
    pub(crate) fn is_nullable(&self) -> bool {
        match self {
            Self::Set(_) => false,
            Self::Guard { .. } => true,
            Self::Concat(parts) => parts.iter().all(Self::is_nullable),
            Self::Alternate(parts) => parts.iter().any(Self::is_nullable),
            Self::Repeat { body, min, .. } => *min == 0 || body.is_nullable(),
        }
    }
}

/// Parses `pattern`, or says which part of it is outside the supported class.
pub(crate) fn parse(pattern: &str) -> Parsed<Ast> {
    let mut parser = Parser { chars: pattern.chars().collect(), at: 0, folding: None };
    let ast = parser.alternation(0)?;
    match parser.peek() {
        None => Ok(ast),
        Some(_) => refuse("an unmatched `)`"),
    }
}

/// A cursor over the pattern's characters.
pub(crate) struct Parser {
    chars: Vec<char>,
    at: usize,
    /// Inside `(?i:…)`.
    folding: Option<Folding>,
}

impl Parser {
    pub(crate) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let found = self.peek();
        self.at += usize::from(found.is_some());
        found
    }

    /// Steps over `text` if it comes next.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let comes = self.sees(text);
        if comes {
            self.at += text.chars().count();
        }
        comes
    }

    /// Whether `text` comes next.
    pub(crate) fn sees(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn alternation(&mut self, depth: usize) -> Parsed<Ast> {
        if depth > MAX_DEPTH {
            return refuse(format!("groups nested deeper than {MAX_DEPTH}"));
        }
        let mut branches = vec![self.concatenation(depth)?];
        while self.eat("|") {
            branches.push(self.concatenation(depth)?);
        }
        Ok(if branches.len() == 1 { branches.swap_remove(0) } else { Ast::Alternate(branches) })
    }

    fn concatenation(&mut self, depth: usize) -> Parsed<Ast> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let atom = self.atom(depth)?;
            parts.push(self.quantified(atom)?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Ast::Concat(parts) })
    }

    fn atom(&mut self, depth: usize) -> Parsed<Ast> {
        match self.next() {
            Some('(') => self.group(depth),
            Some('[') => class_syntax::bracket(self, depth).and_then(|set| self.letters(set)),
            Some('.') => Ok(Ast::Set(complement(&singleton('\n')))),
            Some('$') => Ok(Ast::Guard { next: singleton('\n'), at_end: true }),
            Some('\\') if self.eat("z") => Ok(Ast::Guard { next: CharSet::empty(), at_end: true }),
            Some('\\') => match class_syntax::escape(self, class_syntax::Place::Bare)? {
                class_syntax::Escape::Char(character) => self.letters(singleton(character)),
                class_syntax::Escape::Set(set) if self.folding.is_none() => Ok(Ast::Set(set)),
                class_syntax::Escape::Set(_) => refuse("a character type inside `(?i:…)`"),
            },
            Some(other) if "^*+?{}])|".contains(other) => {
                refuse(format!("`{other}` in this place"))
            }
            Some(other) => self.letters(singleton(other)),
            None => refuse("an end where an expression should be"),
        }
    }

    /// A set that was written as single characters: letter case is ignored where asked.
    fn letters(&mut self, set: CharSet) -> Parsed<Ast> {
        match &mut self.folding {
            None => Ok(Ast::Set(set)),
            Some(folding) => folding.fold(&set).map(Ast::Set),
        }
    }

    pub(crate) fn ignores_case(&self) -> bool {
        self.folding.is_some()
    }

    fn group(&mut self, depth: usize) -> Parsed<Ast> {
        if !self.eat("?") {
            return self.rest_of_group(depth); // it captures, which changes no match
        }
        if self.eat(":") {
            return self.rest_of_group(depth);
        }
        if self.eat("i:") {
            let outer = self.folding.replace(Folding::default());
            let body = self.rest_of_group(depth)?;
            let inner = std::mem::replace(&mut self.folding, outer);
            if let Some(folding) = inner.filter(|_| self.repeats()) {
                folding.check_repeatable()?;
            }
            return Ok(body);
        }
        if self.eat("=") {
            let body = self.rest_of_group(depth)?;
            let (next, at_end) = one_symbol(&body)?;
            return Ok(Ast::Guard { next, at_end });
        }
        if self.eat("!") {
            let body = self.rest_of_group(depth)?;
            let (next, at_end) = one_symbol(&body)?;
            return Ok(Ast::Guard { next: complement(&next), at_end: !at_end });
        }
        refuse("a group that is none of `(…)`, `(?:…)`, `(?i:…)`, `(?=…)`, `(?!…)`")
    }

    fn rest_of_group(&mut self, depth: usize) -> Parsed<Ast> {
        let body = self.alternation(depth + 1)?;
        if self.eat(")") { Ok(body) } else { refuse("a group that is not closed") }
    }

    /// Whether a quantifier comes next that allows more than one.
    fn repeats(&self) -> bool {
        matches!(self.peek(), Some('*' | '+' | '{'))
    }

    fn quantified(&mut self, atom: Ast) -> Parsed<Ast> {
        if let Some(folding) = self.folding.as_ref().filter(|_| self.repeats()) {
            folding.check_repeatable()?;
        }
        let (min, max, is_interval) = match self.peek() {
            Some('*') => (0, None, false),
            Some('+') => (1, None, false),
            Some('?') => (0, Some(1), false),
            Some('{') => {
                let (min, max) = self.interval()?;
                (min, max, true)
            }
            _ => return Ok(atom),
        };
        if !is_interval {
            self.at += 1;
        }
        let greed = match self.peek() {
            Some('?') if is_interval && max == Some(min) => {
                return refuse("`{n}?`, which means something else than it seems to");
            }
            Some('?') => Greed::Lazy,
            // `{n,m}+` repeats the interval; it is not possessive.
            Some('+') if !is_interval => Greed::Possessive,
            _ => Greed::Greedy,
        };
        self.at += usize::from(greed != Greed::Greedy);
        let mut ast = repeat(atom, min, max, greed)?;
        if is_interval && greed == Greed::Greedy && self.eat("+") {
            ast = repeat(ast, 1, None, Greed::Greedy)?;
        }
        match self.peek() {
            Some('*' | '+' | '?' | '{') => refuse("a quantifier after a quantifier"),
            _ => Ok(ast),
        }
    }

    fn interval(&mut self) -> Parsed<(u32, Option<u32>)> {
        self.at += 1;
        let min = self.number()?;
        let max = if self.eat(",") { self.number()? } else { min };
        if !self.eat("}") {
            return refuse("`{` that starts no interval");
        }
        match (min, max) {
            (None, None) => refuse("an interval without numbers"),
            (min, Some(max)) if min.unwrap_or(0) > max => refuse("an interval that counts down"),
            (_, Some(0)) => refuse("a repetition of no times"),
            (min, max) => Ok((min.unwrap_or(0), max)),
        }
    }

    fn number(&mut self) -> Parsed<Option<u32>> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let next = value.unwrap_or(0) * 10 + digit;
            if next > MAX_REPEAT {
                return refuse(format!("a repetition of more than {MAX_REPEAT} times"));
            }
            value = Some(next);
            self.at += 1;
        }
        Ok(value)
    }
}

fn repeat(body: Ast, min: u32, max: Option<u32>, greed: Greed) -> Parsed<Ast> {
    if body.is_nullable() {
        return refuse("a repetition of something that may be empty");
    }
    if greed == Greed::Possessive && !matches!(body, Ast::Set(_)) {
        return refuse("a possessive repetition of more than one set of characters");
    }
    Ok(Ast::Repeat { body: Box::new(body), min, max, greed })
}

/// The one symbol that a look-ahead tests: a set of characters, and whether the end of the text counts.
fn one_symbol(body: &Ast) -> Parsed<(CharSet, bool)> {
    match body {
        Ast::Set(set) => Ok((set.clone(), false)),
        Ast::Guard { next, at_end } => Ok((next.clone(), *at_end)),
        Ast::Alternate(parts) => {
            let mut union = (CharSet::empty(), false);
            for part in parts {
                let (set, at_end) = one_symbol(part)?;
                union.0.union(&set);
                union.1 |= at_end;
            }
            Ok(union)
        }
        Ast::Concat(_) | Ast::Repeat { .. } => refuse("a look-ahead of more than one character"),
    }
}
