//! Added tokens at a seam: nothing is found across it, and nothing looks across it.

use hashbrown::HashSet;

use crate::encode::added_tokens::{AddedToken, AddedTokens};
use crate::encode::pre_tokenizers::is_word;
use crate::encode::seams::Beside;

/// What can cross a place, for the raw pass and for the normalized one.
#[derive(Debug)]
pub(super) struct AddedSeams {
    raw: PassSeams,
    normalized: PassSeams,
}

/// Facts about the contents that one pass looks for.
#[derive(Debug)]
struct PassSeams {
    is_empty: bool,
    /// Whether a content is spelled by nothing and so is found between all characters.
    is_everywhere: bool,
    /// Characters that stand side by side in a content.
    pairs: HashSet<(char, char)>,
    /// First characters of contents that take the white space before them.
    lstrip_starts: HashSet<char>,
    /// Last characters of contents that take the white space after them.
    rstrip_ends: HashSet<char>,
    /// Last characters of contents.
    ends: HashSet<char>,
    /// First and last characters of contents that a word character beside them rejects.
    word_starts: HashSet<char>,
    word_ends: HashSet<char>,
}

impl AddedSeams {
    pub(super) fn new(tokens: &AddedTokens) -> Self {
        let mut seams = Self { raw: PassSeams::new(), normalized: PassSeams::new() };
        for (id, token) in tokens.iter() {
            if token.normalized {
                seams.normalized.add(token, tokens.token(id).unwrap_or_default());
            } else {
                seams.raw.add(token, &token.content);
            }
        }
        seams
    }

    /// Whether the pass over the original text may be taken apart there.
    pub(super) fn raw(&self, before: char, after: char) -> bool {
        self.raw.may_part(before, after)
    }

    /// Whether the pass over the normalized text may be taken apart there.
    pub(super) fn normalized(&self, beside: Beside) -> bool {
        match beside {
            _ if self.normalized.is_empty => true,
            (Some(before), Some(after)) => self.normalized.may_part(before, after),
            _ => false,
        }
    }

    /// Whether a match of the pass over the original text may end after this character.
    pub(super) fn may_end_raw(&self, before: char) -> bool {
        self.raw.may_end(Some(before))
    }

    /// Whether a match of the pass over the normalized text may end after this character.
    pub(super) fn may_end_normalized(&self, before: Option<char>) -> bool {
        self.normalized.may_end(before)
    }
}

impl PassSeams {
    fn new() -> Self {
        Self {
            is_empty: true,
            is_everywhere: false,
            pairs: HashSet::new(),
            lstrip_starts: HashSet::new(),
            rstrip_ends: HashSet::new(),
            ends: HashSet::new(),
            word_starts: HashSet::new(),
            word_ends: HashSet::new(),
        }
    }

    fn add(&mut self, token: &AddedToken, spelled: &str) {
        self.is_empty = false;
        let (Some(first), Some(last)) = (spelled.chars().next(), spelled.chars().next_back())
        else {
            self.is_everywhere = true;
            return;
        };
        self.ends.insert(last);
        self.pairs.extend(spelled.chars().zip(spelled.chars().skip(1)));
        if token.lstrip {
            self.lstrip_starts.insert(first);
        }
        if token.rstrip {
            self.rstrip_ends.insert(last);
        }
        if token.single_word {
            self.word_starts.insert(first);
            self.word_ends.insert(last);
        }
    }

    /// Whether a match, with the white space that it takes, may end after this character.
    fn may_end(&self, before: Option<char>) -> bool {
        let Some(before) = before else { return !self.is_empty };
        self.is_everywhere
            || self.ends.contains(&before)
            || (before.is_whitespace() && !self.rstrip_ends.is_empty())
    }

    fn may_part(&self, before: char, after: char) -> bool {
        let strips_right = after.is_whitespace()
            && !self.rstrip_ends.is_empty()
            && (before.is_whitespace() || self.rstrip_ends.contains(&before));
        let strips_left = before.is_whitespace()
            && !self.lstrip_starts.is_empty()
            && (after.is_whitespace() || self.lstrip_starts.contains(&after));
        let looks_right = self.word_ends.contains(&before) && is_word(after);
        let looks_left = self.word_starts.contains(&after) && is_word(before);
        let holds_both = self.pairs.contains(&(before, after));
        !(self.is_everywhere
            || strips_right
            || strips_left
            || looks_right
            || looks_left
            || holds_both)
    }
}
