//! Patterns as machines: leftmost-first alternation with one character of look-ahead, in linear time.
//!
//! `syntax` (with `class_syntax`, `fold`) parses the part of Oniguruma's syntax whose meaning is proven,
//! `program` translates it to an ordered automaton, `automaton` makes it deterministic, `reduce` small,
//! `tables` lays it out, `scan` (with `runs`) runs it, `glance` (with `ends`, `kinds`, `view`) tells most matches without, `failures` keeps that linear, `seams` says where a text may
//! be taken apart, `nested` makes one machine of several patterns. What is outside this part is refused with a reason;
//! the caller then runs Oniguruma itself (docs/decisions/0008-ordered-machine.md).

mod automaton;
mod class_syntax;
mod ends;
mod failures;
mod fold;
mod glance;
mod kinds;
mod nested;
mod program;
mod reduce;
mod runs;
mod scan;
mod seams;
mod syntax;
mod tables;
mod view;

use std::ops::ControlFlow;

use crate::units::Span;
pub use nested::{Cut, NestedMachine};
pub use scan::{Pieces, Run, Told};
pub use syntax::Refusal;

/// Patterns may tell apart this many classes of characters.
const MAX_CLASSES: usize = 250;

/// A pattern that finds the same matches as a backtracking engine, by tables.
#[derive(Debug, Clone)]
pub struct OrderedMachine {
    tables: tables::Tables,
    glance: glance::Glance,
    seams: seams::Seams,
}

impl OrderedMachine {
    /// Compiles a pattern in Oniguruma's syntax, or says why it has to stay with Oniguruma.
    ///
    /// Refused are look-behind, look-ahead of more than one character, back-references, anchors other than
    /// `$` and `\z`, patterns that match the empty text, repetitions of what may be empty, letters that
    /// fold to several, possessive groups, properties outside the tested list, and automata over the limits.
    pub fn new(pattern: &str) -> Result<Self, Refusal> {
        Self::of(&syntax::parse(pattern)?)
    }

    fn of(ast: &syntax::Ast) -> Result<Self, Refusal> {
        let program = program::Program::new(ast)?;
        let classes = crate::machine::char_classes::CharClasses::new(&program.sets, MAX_CLASSES);
        let Some(classes) = classes else {
            return Err(Refusal(format!("more than {MAX_CLASSES} classes of characters")));
        };
        let automaton = automaton::Automaton::new(&program, &classes)?;
        if automaton.accepts_empty() {
            return Err(Refusal("a match that may be empty".to_owned()));
        }
        let (automaton, certain) = reduce::reduce(automaton);
        let seams = seams::Seams::new(&automaton, &certain);
        let glance = glance::Glance::new(&automaton, &certain, &classes);
        Ok(Self { tables: tables::Tables::new(&automaton, certain, classes), glance, seams })
    }

    /// Number of states of the machine, the dead one included.
    pub fn states(&self) -> usize {
        self.tables.states()
    }

    /// One character of each class that the machine tells apart.
    pub fn class_representatives(&self) -> &[char] {
        self.tables.class_representatives()
    }

    /// Whether a text can be taken apart between `before` and `after` without changing a match: the matches of
    /// the two parts alone are those of the whole, in every text in which the two stand side by side.
    pub fn is_safe_between(&self, before: char, after: char) -> bool {
        self.seams.is_safe(self.tables.class_of(before), self.tables.class_of(after))
    }

    /// Whether a match can hold `character`.
    pub fn matches_hold(&self, character: char) -> bool {
        self.seams.is_in_matches(self.tables.class_of(character))
    }

    /// Whether `character` stands in a match wherever it stands.
    pub fn always_matches(&self, character: char) -> bool {
        self.seams.is_in_no_gap(self.tables.class_of(character))
    }

    /// The leftmost match that starts at or after byte `start`, a character boundary of `text`.
    ///
    /// Complexity: linear in the text read, which may go beyond the match; for all matches of a text use
    /// [`Self::for_each_match`], which is linear as a whole.
    pub fn find_from(&self, text: &str, start: usize) -> Option<Span> {
        match scan::scan(&self.tables, &self.glance, text, start, ControlFlow::Break) {
            ControlFlow::Break(span) => Some(span),
            ControlFlow::Continue(()) => None,
        }
    }

    /// Calls `emit` for each match, left to right, until it breaks. None is empty.
    ///
    /// Complexity: `O(n)` for every text, see `failures`; nothing is allocated for a match.
    #[inline]
    pub fn for_each_match<B>(
        &self,
        text: &str,
        emit: impl FnMut(Span) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        scan::scan(&self.tables, &self.glance, text, 0, emit)
    }

    /// The matches and what stands between them, left to right; together they cover the text, and none is empty.
    ///
    /// Complexity: as [`Self::for_each_match`].
    #[inline]
    pub fn pieces<'t>(&self, text: &'t str) -> Pieces<'_, 't> {
        Pieces::new(&self.tables, &self.glance, &[], text)
    }
}
