//! Pre-tokenizers at a seam: whether a piece ends there in every text.

use crate::encode::pattern::Pattern;
use crate::encode::pre_tokenizers::{Behavior, PreTokenizer, PrependScheme};
use crate::encode::seams::{Beside, Right, Seam};

impl PreTokenizer {
    /// The seam as all steps see it, the place where the original text starts included.
    ///
    /// `is_rewritten` where a normalizer comes before.
    pub(super) fn seam_from(&self, beside: Beside, right: Right, is_rewritten: bool) -> Seam {
        if right == Right::Text && self.would_mark_start(beside.1, is_rewritten) {
            return Seam::Unsafe;
        }
        // What is put in front stands before the left part only if something is left of it.
        if right == Right::Continued && beside.0.is_none() {
            return Seam::Unsafe;
        }
        self.seam(beside, right)
    }

    /// What one step says.
    fn seam(&self, beside: Beside, right: Right) -> Seam {
        match self {
            Self::Bert(part) => part.seam(beside),
            Self::ByteLevel(part) => part.seam(beside, right),
            Self::CharDelimiterSplit(part) => part.seam(beside),
            Self::Digits(part) => part.seam(beside),
            Self::Metaspace(options) => {
                let mark = options.replacement;
                let written = |character| if character == ' ' { mark } else { character };
                let beside = (beside.0.map(written), beside.1.map(written));
                let is_mark = beside.1 == Some(mark);
                let prepends = options.prepend_scheme != PrependScheme::Never;
                if prepends && right == Right::Text && !is_mark {
                    Seam::Unsafe // the right part would get a mark in front
                } else if options.split && is_mark {
                    Seam::Boundary
                } else {
                    Seam::Inside(beside)
                }
            }
            Self::Punctuation(part) => part.seam(beside),
            Self::Split(part) => part.seam(beside),
            // The first counts from the start of its piece, the second looks far to the left, and nobody
            // knows what the third does.
            Self::FixedLength(_) | Self::UnicodeScripts(_) | Self::Custom(_) => Seam::Unsafe,
            Self::Whitespace => crate::encode::pre_tokenizers::whitespace_seam(beside),
            Self::WhitespaceSplit => of_characters(Behavior::Removed, char::is_whitespace, beside),
            Self::Sequence(parts) => {
                let mut seam = Seam::Inside(beside);
                let mut is_rewritten = false;
                for part in parts.iter() {
                    let Seam::Inside(beside) = seam else { break };
                    if is_rewritten {
                        return Seam::Unsafe; // it sees printable characters, not these
                    }
                    seam = part.seam(beside, right);
                    is_rewritten = part.has_byte_level();
                }
                seam
            }
        }
    }

    /// This, or the steps of a sequence.
    fn steps(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        match self {
            Self::Sequence(parts) => Box::new(parts.iter().flat_map(Self::steps)),
            _ => Box::new(std::iter::once(self)),
        }
    }

    /// Whether a text that starts with `first` may get a mark because the original text starts there.
    ///
    /// What a normalizer wrote may have several characters for the first one of the original: where an
    /// earlier step cuts between them, a later piece starts there too.
    fn would_mark_start(&self, first: Option<char>, is_rewritten: bool) -> bool {
        let mut earlier: Vec<&Self> = Vec::new();
        self.steps().any(|step| {
            let marks = match step {
                Self::Metaspace(options) if options.prepend_scheme == PrependScheme::First => {
                    let mark = options.replacement;
                    let is_marked = first == Some(' ') || first == Some(mark);
                    let is_cut = is_rewritten && !earlier.is_empty();
                    !is_marked || is_cut || earlier.iter().any(|step| step.hides_mark(mark))
                }
                _ => false,
            };
            earlier.push(step);
            marks
        })
    }

    /// Whether text that starts with a space or `mark` may start otherwise after this step.
    fn hides_mark(&self, mark: char) -> bool {
        match self {
            Self::Metaspace(options) => options.replacement != mark,
            Self::Custom(_) => true,
            _ => self.has_byte_level(),
        }
    }
}

/// The seam of a cut at single characters.
pub(in crate::encode) fn of_characters(
    behavior: Behavior,
    is_match: impl Fn(char) -> bool,
    beside: Beside,
) -> Seam {
    let (left, right) = (beside.0.map(&is_match), beside.1.map(&is_match));
    let is_boundary = match behavior {
        Behavior::Removed | Behavior::Isolated => left == Some(true) || right == Some(true),
        Behavior::MergedWithPrevious => left == Some(true),
        Behavior::MergedWithNext => right == Some(true),
        Behavior::Contiguous => left.is_some() && right.is_some() && left != right,
    };
    if is_boundary { Seam::Boundary } else { Seam::Inside(beside) }
}

/// The seam of a cut at the matches of a pattern; `inverted` where gaps count as the matches.
pub(in crate::encode) fn of_pattern(
    pattern: &Pattern,
    behavior: Behavior,
    inverted: bool,
    beside: Beside,
) -> Seam {
    let (Some(before), Some(after)) = beside else { return Seam::Unsafe };
    if !pattern.is_safe_between(before, after) {
        return Seam::Unsafe;
    }
    let is_free = |character| !pattern.matches_hold(character);
    match behavior {
        // Matches and gaps are pieces, or dropped: both ends of each are boundaries.
        Behavior::Removed | Behavior::Isolated => {
            if pattern.always_matches(before) || pattern.always_matches(after) {
                Seam::Boundary
            } else {
                Seam::Inside(beside)
            }
        }
        _ if is_free(before) && is_free(after) => Seam::Inside(beside),
        _ if !inverted && pattern.is_literal() && pattern.source().chars().count() == 1 => {
            of_characters(behavior, |character| !is_free(character), beside)
        }
        _ => Seam::Unsafe,
    }
}
