//! The tokens of a model: text to id and back, in one arena.

use std::hash::{BuildHasher, Hash};

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::encode::json::{Json, Node};
use crate::encode::large_tables::LargeTables;
use crate::error::{Error, Result};
use crate::units::TokenId;

#[derive(Debug, Clone, Copy)]
struct Token {
    id: TokenId,
    start: u32,
    end: u32,
}

/// A map between tokens and ids. Ids may have holes; two tokens may share an id.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    arena: String,
    /// Sorted by id, then text.
    entries: Vec<Token>,
    /// Whether entry `i` has id `i`.
    dense: bool,
    /// Whether two tokens share an id.
    shared: bool,
    by_text: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Vocabulary {
    /// The vocabulary of these tokens; of equal texts the one with the highest id is found.
    pub fn new<'a>(tokens: impl IntoIterator<Item = (&'a str, TokenId)>) -> Result<Self> {
        let mut tokens: Vec<(&str, TokenId)> = tokens.into_iter().collect();
        tokens.sort_unstable_by_key(|&(text, id)| (id, text));
        let mut arena = String::with_capacity(tokens.iter().map(|(text, _)| text.len()).sum());
        let mut entries = Vec::with_capacity(tokens.len());
        for (text, id) in tokens {
            let start = arena.len();
            arena.push_str(text);
            entries.push(Token { id, start: start as u32, end: arena.len() as u32 });
        }
        if u32::try_from(arena.len()).is_err() {
            return Err(Error::Limit {
                limit: "vocabulary bytes".to_owned(),
                message: "the tokens have more than 4 GiB of text".to_owned(),
            });
        }
        let dense = entries.iter().enumerate().all(|(index, entry)| entry.id as usize == index);
        let hasher = DefaultHashBuilder::default();
        let mut by_text = HashTable::with_capacity(entries.len());
        let text = |index: u32| &arena[range(entries[index as usize])];
        for index in 0..entries.len() as u32 {
            let same = |&other: &u32| text(other) == text(index);
            let rehash = |&other: &u32| hash(&hasher, text(other));
            match by_text.entry(hash(&hasher, text(index)), same, rehash) {
                Entry::Occupied(mut before) => *before.get_mut() = index,
                Entry::Vacant(free) => {
                    free.insert(index);
                }
            }
        }
        let shared = entries.windows(2).any(|pair| pair[0].id == pair[1].id);
        Ok(Self { arena, entries, dense, shared, by_text, hasher })
    }

    /// A vocabulary without tokens.
    pub fn empty() -> Self {
        Self {
            arena: String::new(),
            entries: Vec::new(),
            dense: true,
            shared: false,
            by_text: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Reads an object from text to id.
    pub fn from_json(node: &Node) -> Result<Self> {
        if let Some(tokens) = node.tables().and_then(LargeTables::vocab) {
            let count = tokens.len();
            let vocabulary = Self::new(tokens)?;
            // Which of two equal texts counts is decided where both are read.
            if vocabulary.by_text.len() < count {
                return Err(node.invalid("should have each text once"));
            }
            return Ok(vocabulary);
        }
        let members =
            node.value().as_object().ok_or_else(|| node.invalid("should be an object"))?;
        let mut tokens = Vec::with_capacity(members.len());
        for (text, id) in members {
            let number =
                id.as_u64().and_then(|id| u32::try_from(id).ok()).filter(|&id| id != u32::MAX);
            let Some(number) = number else {
                return Err(Error::invalid(
                    format!("{}[{text:?}]", node.path()),
                    format!("{id} should be a whole number from 0 to {}", u32::MAX - 1),
                ));
            };
            tokens.push((text.as_str(), number));
        }
        Self::new(tokens)
    }

    /// An object in the order of ids, as the reference writes it, of `most` tokens at most.
    pub fn to_json(&self, most: usize) -> Json<'_> {
        let tokens = self.iter().take(most);
        Json::Object(tokens.map(|(text, id)| (text.into(), id.into())).collect())
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The largest id; 0 where there is none.
    pub fn largest_id(&self) -> TokenId {
        self.entries.last().map_or(0, |entry| entry.id)
    }

    /// Whether two tokens share an id.
    pub fn has_shared_ids(&self) -> bool {
        self.shared
    }

    /// The id of `text`.
    pub fn id(&self, text: &str) -> Option<TokenId> {
        let found = self.by_text.find(hash(&self.hasher, text), |&index| {
            self.text(self.entries[index as usize]) == text
        })?;
        Some(self.entries[*found as usize].id)
    }

    /// The token with this id, the first by text where two share it.
    #[inline]
    pub fn token(&self, id: TokenId) -> Option<&str> {
        Some(self.text(self.entries[self.place(id)?]))
    }

    /// Number of bytes of [`Self::token`].
    #[inline]
    pub(super) fn token_len(&self, id: TokenId) -> Option<usize> {
        Some(range(self.entries[self.place(id)?]).len())
    }

    /// Where [`Self::token`] stands among all tokens by id.
    #[inline]
    pub(super) fn place(&self, id: TokenId) -> Option<usize> {
        let index = if self.dense {
            id as usize
        } else {
            self.entries.partition_point(|entry| entry.id < id)
        };
        self.entries.get(index).is_some_and(|entry| entry.id == id).then_some(index)
    }

    /// All tokens, by id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TokenId)> {
        self.entries.iter().map(|entry| (self.text(*entry), entry.id))
    }

    fn text(&self, entry: Token) -> &str {
        &self.arena[range(entry)]
    }
}

fn range(entry: Token) -> std::ops::Range<usize> {
    entry.start as usize..entry.end as usize
}

fn hash(hasher: &DefaultHashBuilder, text: &str) -> u64 {
    let mut state = hasher.build_hasher();
    text.hash(&mut state);
    std::hash::Hasher::finish(&state)
}

#[cfg(test)]
mod tests {
    use super::Vocabulary;

    #[test]
    fn tokens_and_ids_find_each_other() -> crate::Result<()> {
        let vocabulary = Vocabulary::new([("b", 5), ("a", 0), ("c", 5)])?;

        assert_eq!(Some(5), vocabulary.id("c"));
        assert_eq!(None, vocabulary.id(""));
        assert_eq!(Some("b"), vocabulary.token(5));
        assert_eq!(None, vocabulary.token(1));
        assert!(vocabulary.has_shared_ids());
        assert_eq!(vec![("a", 0), ("b", 5), ("c", 5)], vocabulary.iter().collect::<Vec<_>>());
        Ok(())
    }
}
