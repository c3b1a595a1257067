//! Added tokens: contents that are matched as text before the model sees anything.
//!
//! The table keeps what was added and under which id; `scan` finds matches. Ids are never read from a
//! file: they follow from the order in which contents were added.

mod between;
mod scan;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use hashbrown::{HashMap, HashSet};

use crate::encode::json::{Json, Node};
use crate::encode::models::{Model, Vocabulary};
use crate::encode::normalizers::Normalizer;
use crate::error::{Error, Result};
use crate::units::TokenId;

use scan::Sought;
pub use scan::{Part, Scanner, Specials};

/// Most contents that are searched for without being asked.
const MOST_PREPARED: usize = 10_000;

/// A content and its five flags.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the five flags of the file format")]
pub struct AddedToken {
    /// The text to match.
    pub content: Arc<str>,
    /// Whether a word character beside the content rejects a match.
    pub single_word: bool,
    /// Whether a match takes the white space before it.
    pub lstrip: bool,
    /// Whether a match takes the white space after it.
    pub rstrip: bool,
    /// Whether it is looked for in normalized text, under its normalized spelling.
    pub normalized: bool,
    /// Whether decoding may drop it and encoding may be told to leave it as text.
    pub special: bool,
}

impl AddedToken {
    /// Reads an entry of `added_tokens`; all fields are required, the id is not used.
    fn from_json(node: &Node) -> Result<Self> {
        node.field("id")?.number32()?;
        Ok(Self {
            content: node.text_of("content")?.into(),
            single_word: node.flag_of("single_word")?,
            lstrip: node.flag_of("lstrip")?,
            rstrip: node.flag_of("rstrip")?,
            normalized: node.flag_of("normalized")?,
            special: node.flag_of("special")?,
        })
    }

    fn to_json(&self, id: TokenId) -> Json<'_> {
        Json::object([
            ("id", id.into()),
            ("content", (*self.content).into()),
            ("single_word", self.single_word.into()),
            ("lstrip", self.lstrip.into()),
            ("rstrip", self.rstrip.into()),
            ("normalized", self.normalized.into()),
            ("special", self.special.into()),
        ])
    }
}

/// The added tokens of a tokenizer.
///
/// A copy shares all texts: adding tokens one by one makes a copy each.
#[derive(Debug, Clone, Default)]
pub struct AddedTokens {
    ids: HashMap<Arc<str>, TokenId>,
    by_id: BTreeMap<TokenId, AddedToken>,
    /// Contents that were ever added as special: a mark that stays.
    special: HashSet<Arc<str>>,
    /// Spelling of entries that are normalized, or were when they were added first, where it differs from the
    /// content.
    normalized: HashMap<TokenId, Arc<str>>,
    /// Made when a text is scanned first: who adds tokens one by one waits for none in between.
    scanner: OnceLock<Result<Scanner>>,
    /// Contents that the model finds by itself: they are listed for other readers, and never scanned for.
    left_to_model: Arc<HashSet<String>>,
}

impl AddedTokens {
    /// Reads `added_tokens`.
    pub fn from_json(node: &Node, model: &Model, normalizer: Option<&Normalizer>) -> Result<Self> {
        let tokens: Vec<AddedToken> =
            node.elements()?.iter().map(AddedToken::from_json).collect::<Result<_>>()?;
        let mut table = Self::default();
        table.leave_to_model(model);
        table.add(tokens, model.vocabulary(), normalizer)?;
        Ok(table)
    }

    /// What the reference writes: entries by id.
    pub fn to_json(&self) -> Json<'_> {
        self.excerpt_json(usize::MAX)
    }

    /// The first `most` entries of that.
    pub fn excerpt_json(&self, most: usize) -> Json<'_> {
        let entries = self.by_id.iter().take(most);
        Json::List(entries.map(|(id, token)| token.to_json(*id)).collect())
    }

    /// Adds tokens in order; returns how many were not ignored.
    ///
    /// A content that the model knows keeps the model's id; the others get numbers from the next free one on,
    /// which is found once: ids of the model that are added with them are not skipped. Empty contents and exact
    /// repetitions are ignored; other flags replace the recorded ones.
    /// An entry that is no longer normalized is found under its content, and goes on being shown as it was
    /// spelled, as in the reference.
    pub fn add(
        &mut self,
        tokens: Vec<AddedToken>,
        vocabulary: &Vocabulary,
        normalizer: Option<&Normalizer>,
    ) -> Result<usize> {
        let mut added = 0;
        let mut next = self.next_id(vocabulary);
        for token in tokens {
            let known = self.ids.get(&token.content).copied();
            let same = known.and_then(|id| self.by_id.get(&id)).is_some_and(|old| *old == token);
            if token.content.is_empty() || same {
                continue;
            }
            added += 1;
            let id = match known.or_else(|| vocabulary.id(&token.content)) {
                Some(id) => id,
                None => take(&mut next)?,
            };
            if token.special {
                self.special.insert(token.content.clone());
            }
            self.ids.insert(token.content.clone(), id);
            self.spell(id, &token, normalizer)?;
            self.by_id.insert(id, token);
        }
        self.scanner = OnceLock::new();
        Ok(added)
    }

    /// Notes what the model finds by itself; whether that is a change.
    pub fn leave_to_model(&mut self, model: &Model) -> bool {
        let left = Arc::new(model.whole_pieces().iter().cloned().collect());
        self.scanner = OnceLock::new();
        std::mem::replace(&mut self.left_to_model, left) != self.left_to_model
    }

    fn next_id(&self, vocabulary: &Vocabulary) -> u64 {
        let size = vocabulary.len() as TokenId;
        // Ids are looked up by content: two contents may have come to share one.
        match self.by_id.last_key_value() {
            Some((&last, _)) if last >= size || size == 0 => u64::from(last) + 1,
            _ => u64::from(size),
        }
    }

    /// Recomputes the normalized spellings and the scanner for another normalizer.
    pub fn refresh(&mut self, normalizer: Option<&Normalizer>) -> Result<()> {
        self.normalized.clear();
        let entries = std::mem::take(&mut self.by_id);
        for (&id, token) in &entries {
            self.spell(id, token, normalizer)?;
        }
        self.by_id = entries;
        self.scanner = OnceLock::new();
        Ok(())
    }

    /// Notes how a normalized entry is spelled.
    fn spell(&mut self, id: TokenId, token: &AddedToken, by: Option<&Normalizer>) -> Result<()> {
        let Some(normalizer) = by.filter(|_| token.normalized) else { return Ok(()) };
        let spelled = normalizer.normalize(&token.content)?;
        if *spelled == *token.content {
            self.normalized.remove(&id);
        } else {
            self.normalized.insert(id, spelled.into());
        }
        Ok(())
    }

    fn new_scanner(&self) -> Result<Scanner> {
        Scanner::new(
            self.by_id
                .iter()
                .filter(|(_, token)| !self.left_to_model.contains(&*token.content))
                .map(|(&id, token)| Sought {
                    id,
                    token,
                    is_special: self.special.contains(&token.content),
                    pattern: if token.normalized {
                        self.spelling(id, token)
                    } else {
                        &token.content
                    },
                }),
        )
    }

    fn spelling<'t>(&'t self, id: TokenId, token: &'t AddedToken) -> &'t str {
        self.normalized.get(&id).map_or(&token.content, |spelled| spelled)
    }

    /// Finds matches.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`](crate::Error::Limit) for contents that are too large to search for.
    pub fn scanner(&self) -> Result<&Scanner> {
        self.scanner.get_or_init(|| self.new_scanner()).as_ref().map_err(Clone::clone)
    }

    /// Makes the search now, unless there are so many contents that a file loads twice as fast without.
    pub fn prepare(&self) {
        // PERF: the 256 contents of Llama 3 take 0.2 ms, which the first text should not wait for.
        if self.by_id.len() <= MOST_PREPARED {
            // What is wrong is told to whom scans.
            let _ = self.scanner();
        }
    }

    /// Whether any entry is looked for in normalized text.
    pub fn has_normalized(&self) -> bool {
        self.scanner().is_ok_and(Scanner::has_normalized)
    }

    /// The id of `content`.
    pub fn id(&self, content: &str) -> Option<TokenId> {
        self.ids.get(content).copied()
    }

    /// The entry with this id.
    pub fn get(&self, id: TokenId) -> Option<&AddedToken> {
        self.by_id.get(&id)
    }

    /// The text that decoding uses: the normalized spelling of a normalized entry.
    pub fn token(&self, id: TokenId) -> Option<&str> {
        self.by_id.get(&id).map(|token| self.spelling(id, token))
    }

    /// Whether decoding drops a token of this text when special tokens are skipped.
    pub fn is_special(&self, text: &str) -> bool {
        self.special.contains(text)
    }

    /// All entries by id.
    pub fn iter(&self) -> impl Iterator<Item = (TokenId, &AddedToken)> {
        self.by_id.iter().map(|(&id, token)| (id, token))
    }

    /// All contents with their ids, in no order.
    pub fn contents(&self) -> impl Iterator<Item = (&str, TokenId)> {
        self.ids.iter().map(|(content, &id)| (&**content, id))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }
}

/// The next free id.
fn take(next: &mut u64) -> Result<TokenId> {
    let id = TokenId::try_from(*next).map_err(|_| Error::Limit {
        limit: "token ids".to_owned(),
        message: "no id of 32 bits is left for another added token".to_owned(),
    })?;
    *next += 1;
    Ok(id)
}
