//! Several patterns, each applied to the pieces of the one before, as one machine.
//!
//! Where the pieces of a pattern are the characters of a set `C`, alone or in runs, and what lies between them, a
//! pattern `P` behind it sees texts of `C` alone and texts without `C`. So it finds what `P`, narrowed to one of
//! the two, finds in the whole text: every set of characters loses the others, and a look ahead takes one of the
//! others for the end of its text. The two narrowed patterns have no first character in common, so that they can
//! stand side by side in one pattern. Where neither matches, a piece ends with `C` too: such *borders* are kept
//! beside the pattern.

use super::syntax::{Ast, Greed, Parsed, Refusal, parse, refuse};
use super::{OrderedMachine, Pieces};
use crate::machine::char_classes::{CharSet, complement, singleton};

/// One cut of a text, and of each piece that it is cut into by those before.
#[derive(Debug, Clone)]
pub enum Cut {
    /// At the ends of all matches of a pattern in Oniguruma's syntax.
    Pattern(String),
    /// At the ends of this text, wherever it stands.
    Literal(String),
    /// Around each of these characters, given as ranges with both ends.
    Each(Vec<(char, char)>),
    /// Around each run of these characters.
    Runs(Vec<(char, char)>),
}

/// A machine that gives the pieces after all of some cuts.
#[derive(Debug)]
pub struct NestedMachine {
    machine: OrderedMachine,
    borders: Vec<CharSet>,
}

impl NestedMachine {
    /// The machine of these cuts, first to last, or why they have to be made one after the other.
    ///
    /// All but the last have to be cuts around characters of a set, alone or in runs; runs of a bounded length
    /// (`\p{N}{1,3}`) only where no later cut divides them.
    pub fn new(cuts: &[Cut]) -> Result<Self, Refusal> {
        let Some((last, before)) = cuts.split_last() else { return refuse("no cut at all") };
        let innermost = Nested { ast: last.parse()?, borders: Vec::new() };
        let nested = before.iter().rev().try_fold(innermost, Nested::within)?;
        Ok(Self { machine: OrderedMachine::of(&nested.ast)?, borders: nested.borders })
    }

    /// The pieces, left to right; together they cover the text, and none is empty.
    ///
    /// Complexity: `O(n)` for every text.
    #[inline]
    pub fn pieces<'t>(&self, text: &'t str) -> Pieces<'_, 't> {
        Pieces::new(&self.machine.tables, &self.machine.glance, &self.borders, text)
    }
}

impl Cut {
    fn parse(&self) -> Parsed<Ast> {
        Ok(match self {
            Self::Pattern(pattern) => parse(pattern)?,
            Self::Literal(text) => {
                Ast::Concat(text.chars().map(|c| Ast::Set(singleton(c))).collect())
            }
            Self::Each(ranges) => Ast::Set(set_of(ranges)),
            Self::Runs(ranges) => Ast::Repeat {
                body: Box::new(Ast::Set(set_of(ranges))),
                min: 1,
                max: None,
                greed: Greed::Greedy,
            },
        })
    }
}

fn set_of(ranges: &[(char, char)]) -> CharSet {
    CharSet::new(
        ranges.iter().map(|&(from, to)| regex_syntax::hir::ClassUnicodeRange::new(from, to)),
    )
}

/// A pattern, and the sets whose characters end a gap between matches, as all others do for theirs.
#[derive(Debug)]
struct Nested {
    ast: Ast,
    borders: Vec<CharSet>,
}

impl Nested {
    /// This in the pieces of a cut.
    fn within(self, cut: &Cut) -> Parsed<Self> {
        let outer = cut.parse()?;
        let Some((set, max)) = run(&outer) else {
            return refuse("a cut that is none around characters of one set");
        };
        let (inside, outside) = (self.ast.within(&set), self.ast.within(&complement(&set)));
        let mut borders = self.borders;
        let divides = |border: &CharSet| {
            let mut shared = border.clone();
            shared.intersect(&set);
            !shared.ranges().is_empty() && shared != set
        };
        let are_whole = max == Some(1) || !(inside.may_match() || borders.iter().any(divides));
        let parts = if are_whole {
            vec![outer, outside]
        } else if max.is_none() {
            borders.push(set);
            vec![inside, outside]
        } else {
            return refuse("pieces of a bounded length that are cut again");
        };
        Ok(Self { ast: Ast::Alternate(parts), borders })
    }
}

/// The set and the largest length of a pattern that matches characters of one set, alone or in runs.
fn run(ast: &Ast) -> Option<(CharSet, Option<u32>)> {
    match ast {
        Ast::Set(set) => Some((set.clone(), Some(1))),
        Ast::Concat(parts) | Ast::Alternate(parts) => match parts.as_slice() {
            [only] => run(only),
            _ => None,
        },
        Ast::Repeat { body, min: 1, max, greed: Greed::Greedy | Greed::Possessive } => {
            match &**body {
                Ast::Set(set) => Some((set.clone(), *max)),
                _ => None,
            }
        }
        Ast::Repeat { .. } | Ast::Guard { .. } => None,
    }
}

impl Ast {
    /// What it does in texts that are cut out where characters of `set` begin and end.
    fn within(&self, set: &CharSet) -> Self {
        let all = |parts: &[Self]| parts.iter().map(|part| part.within(set)).collect();
        let narrow = |wide: &CharSet| {
            let mut narrow = wide.clone();
            narrow.intersect(set);
            narrow
        };
        match self {
            Self::Set(wide) => Self::Set(narrow(wide)),
            Self::Guard { next, at_end } => {
                let mut next = narrow(next);
                if *at_end {
                    next.union(&complement(set));
                }
                Self::Guard { next, at_end: *at_end }
            }
            Self::Concat(parts) => Self::Concat(all(parts)),
            Self::Alternate(parts) => Self::Alternate(all(parts)),
            Self::Repeat { body, min, max, greed } => {
                let body = Box::new(body.within(set));
                Self::Repeat { body, min: *min, max: *max, greed: *greed }
            }
        }
    }

    /// Whether some text may match, as far as sets without a character tell.
    fn may_match(&self) -> bool {
        match self {
            Self::Set(set) => !set.ranges().is_empty(),
            Self::Guard { .. } => true,
            Self::Concat(parts) => parts.iter().all(Self::may_match),
            Self::Alternate(parts) => parts.iter().any(Self::may_match),
            Self::Repeat { body, min, .. } => *min == 0 || body.may_match(),
        }
    }
}
