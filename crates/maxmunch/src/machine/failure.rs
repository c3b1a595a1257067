//! Failure links of a literal trie: maximal munch that reads every byte once.
//!
//! When the walk along a token cannot go on from a node, the tokens that the scan takes of the text walked so
//! far are known beforehand, and so is the node of what is left over. Both are found once for each node, from
//! those of its parent, as in Aho and Corasick's automaton; so no byte is read again and the scan is linear,
//! however long the tokens are. The method is that of Song and others
//! (`song2021fast` in `docs/references.bib`); lists of tokens are kept as joins of two shorter lists, which
//! keeps the tables linear as well.

use super::literal_trie::{Built, LiteralTrie, NONE, ROOT};

/// Lists from here on are joins.
const JOIN: u32 = 1 << 31;
/// The list of no tokens.
const EMPTY: u32 = NONE;

#[derive(Debug, Clone, Copy)]
struct Link {
    /// The node of what is left over; `NONE` where the scan gets stuck in the text walked so far.
    next: u32,
    /// The tokens taken: a node, for its word; a join; or `EMPTY`.
    tokens: u32,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    length: u32,
    kind: u32,
}

/// A literal trie with its failure links.
#[derive(Debug)]
pub struct Munching {
    trie: LiteralTrie,
    links: Vec<Link>,
    /// The word of each node that has one.
    words: Vec<Token>,
    joins: Vec<(u32, u32)>,
}

impl Munching {
    /// Adds failure links to a trie; `kinds` and `lengths` are those of its words, in their order.
    ///
    /// Complexity: linear in the total length of the words.
    pub fn new(built: Built, kinds: &[u32], length: impl Fn(usize) -> usize) -> Self {
        let Built { trie, ranges, edges } = built;
        let stuck = Link { next: NONE, tokens: EMPTY };
        let mut munching = Self {
            links: vec![stuck; trie.slots()],
            words: vec![Token { length: 0, kind: 0 }; trie.slots()],
            joins: vec![],
            trie,
        };
        for (parent, child) in edges {
            if munching.trie.is_word(child) {
                let word = ranges[child as usize].0 as usize;
                munching.words[child as usize] =
                    Token { length: length(word) as u32, kind: kinds[word] };
                munching.links[child as usize] = Link { next: ROOT, tokens: child };
            } else {
                let link = munching.links[parent as usize];
                munching.links[child as usize] = munching.follow(link, child);
            }
        }
        munching
    }

    /// The link of a child without a word, from that of its parent.
    fn follow(&mut self, link: Link, child: u32) -> Link {
        let Some(byte) = self.trie.label(child) else { return link };
        let Link { mut next, mut tokens } = link;
        while next != NONE {
            let target = self.trie.child(next, byte);
            if target != NONE {
                return Link { next: target, tokens };
            }
            let further = self.links[next as usize];
            tokens = self.join(tokens, further.tokens);
            next = further.next;
        }
        Link { next: NONE, tokens: EMPTY }
    }

    fn join(&mut self, left: u32, right: u32) -> u32 {
        if right == EMPTY {
            return left;
        }
        self.joins.push((left, right));
        JOIN + self.joins.len() as u32 - 1
    }

    /// The trie.
    pub fn trie(&self) -> &LiteralTrie {
        &self.trie
    }

    /// End and kind of the longest word that starts at `at`.
    #[inline]
    pub fn longest(&self, text: &[u8], at: usize) -> Option<(usize, u32)> {
        self.trie.longest(text, at).map(|(end, node)| (end, self.words[node as usize].kind))
    }

    /// Emits start and kind of the tokens from `from` on that start before `until`.
    ///
    /// `Ok(end)`: where the last of them ends. `Err(position)`: no word matches there.
    ///
    /// Complexity: linear in the bytes read, which end at most one token after `until`.
    pub fn extend(
        &self,
        text: &[u8],
        from: usize,
        until: usize,
        mut emit: impl FnMut(usize, u32),
    ) -> Result<usize, usize> {
        let root = self.trie.at(ROOT);
        let (mut at, mut position, mut step) = (from, from, root);
        let mut pending = vec![];
        while at < until {
            for &byte in text.get(position..).unwrap_or_default() {
                let Some(next) = self.trie.advance(step, byte) else { break };
                step = next;
                position += 1;
            }
            if step.is_word() {
                emit(at, self.words[step.slot() as usize].kind);
                (at, step) = (position, root);
            } else {
                let link = self.links[step.slot() as usize];
                if link.next == NONE {
                    return self.extend_until_stuck(text, at, until, emit);
                }
                at = self.take(link.tokens, at, until, &mut pending, &mut emit);
                step = self.trie.at(link.next);
            }
        }
        Ok(at)
    }

    /// Appends the tokens of a list that start before `until`.
    fn take(
        &self,
        tokens: u32,
        from: usize,
        until: usize,
        pending: &mut Vec<u32>,
        emit: &mut impl FnMut(usize, u32),
    ) -> usize {
        let mut at = from;
        pending.push(tokens);
        while let Some(tokens) = pending.pop() {
            if at >= until {
                pending.clear();
            } else if tokens < JOIN {
                let word = self.words[tokens as usize];
                emit(at, word.kind);
                at += word.length as usize;
            } else {
                let (left, right) = self.joins[(tokens - JOIN) as usize];
                pending.extend([right, left]);
            }
        }
        at
    }

    /// The end of a scan that is known to get stuck within the next token's length.
    #[cold]
    fn extend_until_stuck(
        &self,
        text: &[u8],
        from: usize,
        until: usize,
        mut emit: impl FnMut(usize, u32),
    ) -> Result<usize, usize> {
        let mut at = from;
        while at < until {
            let (end, kind) = self.longest(text, at).ok_or(at)?;
            emit(at, kind);
            at = end;
        }
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: one longest match after the other.
    fn plain(
        munching: &Munching,
        text: &[u8],
        from: usize,
        until: usize,
        tokens: &mut Vec<(usize, u32)>,
    ) -> Result<usize, usize> {
        let mut at = from;
        while at < until {
            let (end, kind) = munching.longest(text, at).ok_or(at)?;
            tokens.push((at, kind));
            at = end;
        }
        Ok(at)
    }

    proptest! {
        #[test]
        fn it_takes_the_tokens_of_the_definition(
            words in prop::collection::btree_set(prop::collection::vec(0..3_u8, 1..8), 1..12),
            text in prop::collection::vec(0..3_u8, 0..60),
            from in 0..5_usize,
            until in 0..60_usize,
        ) {
            let words: Vec<Vec<u8>> = words.into_iter().collect();
            let kinds: Vec<u32> = (0..words.len() as u32).map(|kind| kind * 7).collect();
            let built = LiteralTrie::build(&words);
            let munching = Munching::new(built, &kinds, |word| words[word].len());
            let (from, until) = (from.min(text.len()), until.min(text.len()));
            let (mut expected, mut found) = (vec![], vec![]);
            let end = plain(&munching, &text, from, until, &mut expected);
            let emit = |start, kind| found.push((start, kind));
            prop_assert_eq!(end, munching.extend(&text, from, until, emit));
            prop_assert_eq!(expected, found);
        }

        #[test]
        fn runs_of_one_byte_are_read_once(long in 2..200_usize, length in 0..500_usize) {
            let words = [vec![0_u8], [vec![0; long], vec![1]].concat()];
            let built = LiteralTrie::build(&words);
            let munching = Munching::new(built, &[0, 1], |word| words[word].len());
            let text = vec![0; length];
            let mut starts = vec![];
            let end = munching.extend(&text, 0, length, |start, _| starts.push(start));
            prop_assert_eq!(Ok(length), end);
            prop_assert_eq!((0..length).collect::<Vec<_>>(), starts);
        }
    }
}
