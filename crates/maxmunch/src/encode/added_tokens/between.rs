//! Finding contents one of which is spelled by nothing, because normalization deletes it.
//!
//! It is found between all characters that no other content covers, though not right behind one, unless the
//! text ends in the middle of a longer one: that is how the reference searches. Where the end of the text in
//! the middle of a content makes the reference search the same place for ever, this goes on.

use hashbrown::HashMap;

const ROOT: u32 = 0;

/// Contents as a tree of bytes.
#[derive(Debug, Clone)]
pub(super) struct Between {
    steps: HashMap<(u32, u8), u32>,
    /// The content that ends at a node, if any.
    ends: Vec<Option<u32>>,
}

/// Where a content stands in the text: its number, start and end.
pub(super) type Found = (usize, usize, usize);

impl Between {
    /// The tree of `patterns`; of equal ones the first wins.
    pub(super) fn new(patterns: &[&str]) -> Self {
        let mut tree = Self { steps: HashMap::new(), ends: vec![None] };
        for (number, pattern) in patterns.iter().enumerate() {
            let mut node = ROOT;
            for byte in pattern.bytes() {
                let next = tree.ends.len() as u32;
                node = *tree.steps.entry((node, byte)).or_insert(next);
                if node == next {
                    tree.ends.push(None);
                }
            }
            tree.ends[node as usize].get_or_insert(number as u32);
        }
        tree
    }

    /// What is found in `text`, from left to right.
    pub(super) fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Found> + 'a {
        let mut place = Some(0);
        let mut behind_content = false;
        std::iter::from_fn(move || {
            while let Some(start) = place {
                let (longest, goes_on) = self.walk(&text.as_bytes()[start..]);
                let after = start + longest.map_or(0, |(_, length)| length);
                if let Some((number, _)) = longest {
                    place = (after < text.len()).then_some(after);
                    // Where the end of the text cuts another content short, nothing may follow at once.
                    behind_content |= !goes_on;
                    return Some((number, start, after));
                }
                let next = text[start..].chars().next().map(|c| start + c.len_utf8());
                place = next;
                if !std::mem::take(&mut behind_content) {
                    return self.ends[ROOT as usize].map(|number| (number as usize, start, start));
                }
            }
            None
        })
    }

    /// The longest content at the start of `rest` with its length, and whether `rest` ends within one.
    fn walk(&self, rest: &[u8]) -> (Option<(usize, usize)>, bool) {
        let mut node = ROOT;
        let mut longest = None;
        for (depth, &byte) in rest.iter().enumerate() {
            let Some(&next) = self.steps.get(&(node, byte)) else { return (longest, false) };
            node = next;
            if let Some(number) = self.ends[node as usize] {
                longest = Some((number as usize, depth + 1));
            }
        }
        (longest, true)
    }
}

#[cfg(test)]
mod tests {
    use super::Between;

    fn found(patterns: &[&str], text: &str) -> Vec<(usize, usize, usize)> {
        Between::new(patterns).find_iter(text).collect()
    }

    #[test]
    fn nothing_is_found_between_characters_but_not_behind_a_content() {
        assert_eq!(vec![(0, 0, 0), (0, 2, 2)], found(&[""], "é"));
        assert_eq!(vec![(0, 0, 0), (1, 1, 2), (0, 3, 3)], found(&["", "a"], "xax"));
        assert_eq!(vec![(0, 0, 0), (1, 1, 2)], found(&["", "a"], "xa"));
    }

    #[test]
    fn every_place_is_searched_anew() {
        assert_eq!(vec![(0, 0, 0), (2, 1, 2), (0, 3, 3)], found(&["", "ac", "b"], "ab."));
        assert_eq!(vec![(0, 0, 0), (0, 1, 1), (0, 2, 2)], found(&["", "  "], " a"));
    }

    #[test]
    fn the_end_of_the_text_in_a_content_is_the_end_of_the_search_once() {
        assert_eq!(vec![(1, 0, 1), (0, 1, 1), (0, 2, 2)], found(&["", "a", "abc"], "ab"));
        assert_eq!(vec![(0, 0, 0), (0, 1, 1)], found(&["", "abc"], "a"));
    }

    #[test]
    fn of_equal_contents_the_first_wins() {
        assert_eq!(vec![(0, 0, 0), (2, 1, 2)], found(&["", "", "a", "a"], "xa"));
    }
}
