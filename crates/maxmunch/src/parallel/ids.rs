//! The ids of one text, or of many, on several threads.
//!
//! PERF: parts are small, so that the ids of one are copied to their place while they are in the cache of the
//! thread that found them; one part for each thread, joined at the end, writes memory three times, and waits for the
//! slowest.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::Mutex;

use crate::encode::batch::map_ordered;
use crate::encode::ids::BYTES_PER_ID;
use crate::encode::seams::Right;
use crate::encode::tokenizer::{EncodeOptions, Tokenizer};
use crate::error::{Error, Result};
use crate::parallel::TextCuts;
use crate::units::TokenId;

/// A text shorter than this for each thread is not worth a thread.
const BYTES_PER_THREAD: usize = 1 << 15;

/// Bytes of a part of a long text, about.
const PART: usize = 1 << 18;

/// Least bytes of a part of a batch.
const MIN_PART: usize = 1 << 12;

/// Parts for each thread, so that none waits long for the last.
const PARTS_PER_THREAD: usize = 4;

/// Lists of ids, one behind the other, and where each ends.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lists {
    ids: Vec<TokenId>,
    ends: Vec<usize>,
}

impl Lists {
    /// Takes all that another has behind its own.
    fn append(&mut self, other: &mut Self) {
        let before = self.ids.len();
        self.ids.append(&mut other.ids);
        self.ends.extend(other.ends.drain(..).map(|end| before + end));
    }
}

/// All parts up to some part, and some behind it.
#[derive(Debug, Default)]
struct Joined {
    lists: Lists,
    next: usize,
    waiting: BTreeMap<usize, Lists>,
}

impl Joined {
    /// Takes a part and leaves an empty one, with the same memory where it can.
    fn add(&mut self, index: usize, part: &mut Lists) {
        if index != self.next {
            self.waiting.insert(index, take(part));
            return;
        }
        self.lists.append(part);
        self.next += 1;
        while let Some(mut part) = self.waiting.remove(&self.next) {
            self.lists.append(&mut part);
            self.next += 1;
        }
    }

    /// The lists of `count` parts, each filled by `work` with state of its own in each thread.
    fn fill<S>(
        self,
        count: usize,
        threads: usize,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize, &mut Lists) -> Result<()> + Sync,
    ) -> Result<Lists> {
        let panicked = || Error::internal("a thread panicked");
        let joined = Mutex::new(self);
        let state = || (state(), Lists::default());
        map_ordered(count, threads, state, |(state, part), index| {
            work(state, index, part)?;
            joined.lock().map_err(|_| panicked())?.add(index, part);
            Ok(())
        })?;
        Ok(joined.into_inner().map_err(|_| panicked())?.lists)
    }
}

/// The ends of groups of neighbouring texts of about so many bytes.
fn groups(texts: &[&str], bytes: usize) -> Vec<usize> {
    let (mut ends, mut open) = (Vec::new(), 0);
    for (index, text) in texts.iter().enumerate() {
        open += text.len();
        if open >= bytes || index + 1 == texts.len() {
            ends.push(index + 1);
            open = 0;
        }
    }
    ends
}

impl Tokenizer {
    /// As [`Tokenizer::encode_ids`], the parts between proven cuts on up to `threads` threads.
    ///
    /// The ids are those of one thread, always: where no cut is proven, one thread does the work.
    pub fn encode_ids_on(
        &self,
        text: &str,
        options: EncodeOptions,
        cuts: &TextCuts,
        threads: usize,
    ) -> Result<Vec<TokenId>> {
        let on_one = || self.encode_ids(text, options, &mut self.scratch());
        let threads = threads.min(text.len() / BYTES_PER_THREAD);
        if threads < 2 {
            return on_one();
        }
        let plan = cuts.plan_for(text, threads.max(text.len() / PART), Right::Continued)?.cuts;
        let (false, Some((before, after))) =
            (plan.is_empty(), self.frame(options.add_special_tokens))
        else {
            return on_one();
        };
        let ends: Vec<usize> = plan.iter().map(|&cut| cut as usize).chain([text.len()]).collect();
        let mut joined = Joined::default();
        joined.lists.ids = before;
        joined.lists.ids.reserve(text.len() / BYTES_PER_ID);
        let state = || self.scratch();
        let found = joined.fill(ends.len(), threads, state, |scratch, index, out| {
            let start = if index == 0 { 0 } else { ends[index - 1] };
            let part = &text[start..ends[index]];
            if index == 0 {
                self.append_ids(part, options.specials, scratch, &mut out.ids)
            } else {
                cuts.append_continued_ids(self, part, options.specials, scratch, &mut out.ids)
            }
        });
        // The error of the whole text has its positions in the whole text.
        let Ok(Lists { mut ids, .. }) = found else { return on_one() };
        ids.extend(after);
        Ok(ids)
    }

    /// The ids of [`Tokenizer::encode_ids`] for each text, one list behind the other, and where each ends, on up to
    /// `threads` threads.
    ///
    /// Where several texts fail, the error is that of the first.
    pub fn encode_ids_batch(
        &self,
        texts: &[&str],
        options: EncodeOptions,
        threads: usize,
    ) -> Result<(Vec<TokenId>, Vec<usize>)> {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let part = bytes / (threads * PARTS_PER_THREAD).max(1);
        let groups = groups(texts, part.clamp(MIN_PART, PART));
        let mut joined = Joined::default();
        joined.lists.ids.reserve(bytes / BYTES_PER_ID);
        joined.lists.ends.reserve(texts.len());
        let state = || self.scratch();
        let lists = joined.fill(groups.len(), threads, state, |scratch, index, out| {
            let start = if index == 0 { 0 } else { groups[index - 1] };
            for text in &texts[start..groups[index]] {
                self.encode_ids_into(text, options, scratch, &mut out.ids)?;
                out.ends.push(out.ids.len());
            }
            Ok(())
        })?;
        Ok((lists.ids, lists.ends))
    }
}

#[cfg(test)]
mod tests {
    use super::{Joined, Lists, groups};

    #[test]
    fn parts_are_joined_in_order_whenever_they_come() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 3, 1]] {
            let mut joined = Joined::default();
            for index in order {
                let mut part = Lists { ids: vec![index as u32; index], ends: vec![0, index] };
                joined.add(index, &mut part);
                assert_eq!(Lists::default(), part);
            }
            let expected =
                Lists { ids: vec![1, 2, 2, 3, 3, 3], ends: vec![0, 0, 0, 1, 1, 3, 3, 6] };
            assert_eq!(expected, joined.lists);
            assert!(joined.waiting.is_empty());
        }
    }

    #[test]
    fn groups_hold_all_texts() {
        assert_eq!(Vec::<usize>::new(), groups(&[], 3));
        assert_eq!(vec![1, 3, 4], groups(&["abc", "", "abcd", ""], 3));
        assert_eq!(vec![2], groups(&["a", ""], 3));
    }
}
