//! Character classes: brackets, escapes, Unicode properties.

use super::syntax::{Parsed, Parser, refuse};
use crate::machine::char_classes::{CharSet, complement, singleton};
use regex_syntax::hir::{Class, ClassUnicodeRange, HirKind, Literal};

/// Brackets may nest this deep, counted with the groups around them.
const MAX_DEPTH: usize = 50;

/// Properties whose members are the same in both libraries, by a sweep over all characters in the tests.
pub(crate) const PROPERTIES: [&str; 53] = [
    "L",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "M",
    "Mn",
    "Mc",
    "Me",
    "N",
    "Nd",
    "Nl",
    "No",
    "P",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "S",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Z",
    "Zs",
    "Zl",
    "Zp",
    "C",
    "Cc",
    "Cf",
    "Co",
    "Cn",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Latin",
    "Greek",
    "Cyrillic",
    "Arabic",
    "Hebrew",
    "Thai",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Khmer",
    "Lao",
    "Myanmar",
    "Tibetan",
];

/// What an escape stands for.
pub(crate) enum Escape {
    Char(char),
    Set(CharSet),
}

/// Where an escape stands; `\w` means another set in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Bare,
    InBrackets,
}

/// What follows a backslash.
pub(crate) fn escape(parser: &mut Parser, place: Place) -> Parsed<Escape> {
    let character = match parser.next() {
        Some('r') => '\r',
        Some('n') => '\n',
        Some('t') => '\t',
        Some('f') => '\u{C}',
        Some('v') => '\u{B}',
        Some('a') => '\u{7}',
        Some('e') => '\u{1B}',
        Some('x') => return hexadecimal(parser).map(Escape::Char),
        Some('u') => return digits(parser, 4, 4).map(Escape::Char),
        Some('w') => return word_characters(place).map(Escape::Set),
        Some('W') => return word_characters(place).map(|set| Escape::Set(complement(&set))),
        Some(kind @ ('d' | 'D' | 's' | 'S')) => {
            return unicode_set(&format!(r"\{kind}")).map(Escape::Set);
        }
        Some(kind @ ('p' | 'P')) => return property(parser, kind == 'P').map(Escape::Set),
        Some(literal) if literal.is_ascii_punctuation() || literal == ' ' => literal,
        Some(other) => return refuse(format!(r"the escape `\{other}`")),
        None => return refuse("a backslash at the end"),
    };
    Ok(Escape::Char(character))
}

fn hexadecimal(parser: &mut Parser) -> Parsed<char> {
    if parser.eat("{") {
        let found = digits(parser, 1, 8)?;
        return if parser.eat("}") { Ok(found) } else { refuse(r"`\x{` without its `}`") };
    }
    let found = digits(parser, 1, 2)?;
    // From 0x80 on it would be a byte of a character.
    if found.is_ascii() { Ok(found) } else { refuse(r"`\x` from 80 on") }
}

fn digits(parser: &mut Parser, least: usize, most: usize) -> Parsed<char> {
    let mut value = 0_u32;
    let mut count = 0;
    while let Some(digit) = parser.peek().filter(|_| count < most).and_then(|c| c.to_digit(16)) {
        value = value << 4 | digit;
        count += 1;
        parser.next();
    }
    match char::from_u32(value).filter(|_| count >= least) {
        Some(found) => Ok(found),
        None => refuse("a number that names no character"),
    }
}

/// `\p{name}`, `\p{^name}`, `\P{name}`.
fn property(parser: &mut Parser, mut negated: bool) -> Parsed<CharSet> {
    if !parser.eat("{") {
        return refuse(r"`\p` without braces");
    }
    if parser.eat("^") {
        negated = !negated;
    }
    let mut name = String::new();
    loop {
        match parser.next() {
            Some('}') => break,
            Some(c) if c.is_ascii_alphanumeric() => name.push(c),
            _ => return refuse("the name of a property"),
        }
    }
    if !PROPERTIES.contains(&name.as_str()) {
        return refuse(format!("the property `{name}`"));
    }
    let mut set = unicode_set(&format!(r"\p{{{name}}}"))?;
    if negated {
        set.negate();
    }
    Ok(set)
}

/// The set of one escape, from tables of the same Unicode version as Oniguruma's.
fn unicode_set(source: &str) -> Parsed<CharSet> {
    match regex_syntax::parse(source).map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(set))) => Ok(set),
        Ok(HirKind::Literal(Literal(bytes))) => match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(CharSet::new(text.chars().map(|c| ClassUnicodeRange::new(c, c)))),
            Err(_) => refuse(format!("the character type `{source}`")),
        },
        _ => refuse(format!("the character type `{source}`")),
    }
}

/// `\w` as Oniguruma has it: without the joiners; outside brackets with the numbers of Latin-1, which it
/// looks up in a table of its own there.
fn word_characters(place: Place) -> Parsed<CharSet> {
    let mut set = unicode_set(r"\w")?;
    for joiner in ['\u{200C}', '\u{200D}'] {
        set.difference(&singleton(joiner));
    }
    if place == Place::Bare {
        for latin in ['²', '³', '¹', '¼', '½', '¾'] {
            set.union(&singleton(latin));
        }
    }
    Ok(set)
}

/// The rest of `[…]`; its parts between `&&` are intersected.
pub(crate) fn bracket(parser: &mut Parser, depth: usize) -> Parsed<CharSet> {
    if depth > MAX_DEPTH {
        return refuse(format!("brackets nested deeper than {MAX_DEPTH}"));
    }
    let negated = parser.eat("^");
    if negated && parser.ignores_case() {
        return refuse("a negated class inside `(?i:…)`");
    }
    let mut set = union(parser, depth)?;
    while parser.eat("&&") {
        if parser.sees("-") {
            return refuse("`-` after `&&`");
        }
        set.intersect(&union(parser, depth)?);
    }
    if !parser.eat("]") {
        return refuse("a class that is not closed");
    }
    if negated {
        set.negate();
    }
    Ok(set)
}

/// The members up to `&&` or `]`, at least one.
fn union(parser: &mut Parser, depth: usize) -> Parsed<CharSet> {
    let mut set = CharSet::empty();
    let mut is_empty = true;
    loop {
        if parser.peek() == Some(']') || parser.sees("&&") {
            return if is_empty { refuse("a class without members") } else { Ok(set) };
        }
        let member = match parser.next() {
            Some('[') if parser.peek() == Some(':') => return refuse("a bracket `[:…:]`"),
            Some('[') => Escape::Set(bracket(parser, depth + 1)?),
            Some('\\') => escape(parser, Place::InBrackets)?,
            Some('-') if parser.sees("-") || !(is_empty || parser.sees("]")) => {
                return refuse("`-` between members of a class");
            }
            Some(literal) => Escape::Char(literal),
            None => return refuse("a class that is not closed"),
        };
        is_empty = false;
        set.union(&match member {
            Escape::Set(members) if !parser.ignores_case() => members,
            Escape::Set(_) => return refuse("a set of characters inside `(?i:[…])`"),
            Escape::Char(first) => range(parser, first)?,
        });
    }
}

/// `first`, or the range that begins with it.
fn range(parser: &mut Parser, first: char) -> Parsed<CharSet> {
    if !parser.sees("-") || parser.sees("-]") {
        return Ok(singleton(first));
    }
    parser.next();
    let last = match parser.next() {
        Some('\\') => match escape(parser, Place::InBrackets)? {
            Escape::Char(last) => last,
            Escape::Set(_) => return refuse("a range that ends in a set"),
        },
        Some(last) if !"[-&".contains(last) => last,
        _ => return refuse("the end of a range"),
    };
    if last < first {
        return refuse("a range that counts down");
    }
    Ok(CharSet::new([ClassUnicodeRange::new(first, last)]))
}
