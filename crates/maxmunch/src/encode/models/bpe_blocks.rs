//! Long segments of byte-pair encoding, block by block.
//!
//! Merging millions of symbols at once is a walk through memory that no cache holds. A block is merged by
//! itself, its last tokens are thrown away, and the next block begins where the last one that was kept ends. What
//! makes this exact is a check at every seam (docs/decisions/0060-blocks.md): the tokens of two texts are the
//! tokens of the joined text if and only if the last token of the left and the first of the right, joined,
//! become these two again. Where they do not, the block before is done again, twice as long.

use crate::encode::models::bpe::Bpe;
use crate::encode::models::bpe_forms::Form;
use crate::encode::models::merge::Scratch;
use crate::units::{Span, TokenId};

/// Segments of more bytes than this are merged in blocks, of so many bytes at first.
pub(super) const BLOCK: usize = 1 << 14;

/// One part in so many of a block is merged again with the next one.
const OVERLAP: usize = 32;

/// A block whose tokens were kept.
struct Block {
    start: usize,
    /// How many ids were there before it.
    ids: usize,
    /// Where the last token that was kept begins.
    last: usize,
}

impl Bpe {
    /// Appends the ids of a long segment; `false`, with `out` as it was, where blocks would not do: a symbol
    /// depends on what stands beside it, or ids do not tell texts. Blocks have `size` bytes at first.
    pub(super) fn merge_blocks(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        size: usize,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let from = out.len();
        if self.merges().shares_results() {
            return false;
        }
        let mut tokens = std::mem::take(&mut scratch.tokens);
        let done = self.blocks(form, text, span, size, scratch, &mut tokens, out).is_some();
        scratch.tokens = tokens;
        if !done {
            out.truncate(from);
        }
        done
    }

    #[expect(clippy::too_many_arguments, reason = "the arguments of `merge_blocks` and its buffer")]
    fn blocks(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        mut size: usize,
        scratch: &mut Scratch,
        tokens: &mut Vec<(TokenId, Span)>,
        out: &mut Vec<TokenId>,
    ) -> Option<()> {
        let mut kept: Vec<Block> = Vec::new();
        let mut start = span.start;
        // What `tokens` are the tokens of.
        let mut merged = Span::new(start, start);
        loop {
            let end = form.boundary(text, span.end.min(start + size));
            // PERF: long segments that nothing cuts are often one thing again and again.
            if text[merged.range()] != text[start..end] {
                self.merge_span(form, text, Span::new(start, end), scratch)?;
                tokens.clear();
                tokens.extend(scratch.spans());
            }
            merged = Span::new(start, end);
            let first_end = start + tokens.first()?.1.end;
            if let Some(before) = kept.last()
                && !self.meet(form, text, Span::new(before.last, first_end), start, scratch)?
            {
                (start, size) = (before.start, size * 2);
                out.truncate(before.ids);
                kept.pop();
                continue;
            }
            let ids = out.len();
            if end == span.end {
                out.extend(tokens.iter().map(|(id, _)| *id));
                return Some(());
            }
            let limit = (end - start) - (end - start) / OVERLAP;
            let stop = tokens.iter().rposition(|(_, token)| {
                token.end <= limit && form.boundary(text, start + token.end) == start + token.end
            });
            let Some(stop) = stop else {
                size *= 2;
                continue;
            };
            out.extend(tokens[..=stop].iter().map(|(id, _)| *id));
            let last = tokens[stop].1;
            kept.push(Block { start, ids, last: start + last.start });
            start += last.end;
        }
    }

    /// Whether a token ends at `seam` when `span` is merged by itself.
    fn meet(
        &self,
        form: Form,
        text: &[u8],
        span: Span,
        seam: usize,
        scratch: &mut Scratch,
    ) -> Option<bool> {
        self.merge_span(form, text, span, scratch)?;
        Some(scratch.spans().any(|(_, token)| span.start + token.end == seam))
    }

    fn merge_span(&self, form: Form, text: &[u8], span: Span, scratch: &mut Scratch) -> Option<()> {
        scratch.clear();
        form.spell(text, span, |id, len| scratch.push(id, len))?;
        scratch.merge(self.merges());
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::encode::byte_level;
    use crate::encode::json::Node;
    use crate::encode::models::bpe::Bpe;
    use crate::encode::models::merge::Scratch;
    use crate::error::{Error, Result};
    use crate::units::{Span, TokenId};

    fn model(tokens: Vec<String>, merges: &[[String; 2]]) -> Result<Bpe> {
        let ids = tokens.into_iter().enumerate();
        let vocab: serde_json::Map<_, Value> = ids.map(|(id, token)| (token, id.into())).collect();
        let model = json!({"vocab": vocab, "merges": merges, "byte_fallback": true});
        Bpe::from_json(&Node::root(&model))
    }

    /// A model that starts from `tokens`, of which texts have the last three. A rule joins two tokens that are
    /// there by then; `ranks` reorders the rules, so that a merge may come before those that make its parts.
    fn random_model(
        mut tokens: Vec<String>,
        rules: &[(usize, usize)],
        ranks: &[usize],
    ) -> Result<Bpe> {
        let mut merges = Vec::new();
        let mut usable = tokens.split_off(tokens.len() - 3);
        for &(left, right) in rules {
            let pick = |at: usize| usable[usable.len() - 1 - at % usable.len()].clone();
            let pair = [pick(left), pick(right)];
            let joined = pair.concat();
            if joined.len() <= 12 {
                if !usable.contains(&joined) {
                    usable.push(joined);
                }
                merges.push(pair);
            }
        }
        for (index, &other) in ranks.iter().enumerate().take(merges.len()) {
            let other = other % merges.len();
            merges.swap(index, other);
        }
        tokens.extend(usable);
        model(tokens, &merges)
    }

    /// The ids in blocks that begin with `size` bytes, and those of the definition.
    fn both(
        model: &Bpe,
        text: &str,
        on_bytes: bool,
        size: usize,
    ) -> Result<(Vec<TokenId>, Vec<TokenId>)> {
        let (mut slow, mut fast) = (Vec::new(), vec![77]);
        let mut sink = |id| slow.push(id);
        let scratch = &mut Scratch::default();
        if on_bytes {
            model.tokenize_bytes(text.as_bytes(), scratch, &mut sink)?;
        } else {
            model.tokenize(text, scratch, &mut sink)?;
        }
        let form = model.form(on_bytes).ok_or_else(|| Error::internal("no form"))?;
        let span = Span::new(0, text.len());
        assert!(model.merge_blocks(form, text.as_bytes(), span, size, scratch, &mut fast));
        Ok((slow, fast.split_off(1)))
    }

    fn letters() -> impl Iterator<Item = String> {
        ["c", "b", "a"].into_iter().map(String::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn blocks_give_what_the_whole_gives(
            rules in prop::collection::vec((0..9_usize, 0..9_usize), 1..14),
            ranks in prop::collection::vec(0..14_usize, 14),
            text in "(a{1,40}|b{1,9}|(ab){1,20}|[abc]{1,30}|c|é){1,6}",
            size in 4..24_usize,
        ) {
            let failed = |error: Error| TestCaseError::fail(error.to_string());
            // Here "é" has no token but those of its bytes.
            let bytes = (0..=255).map(|byte| format!("<0x{byte:02X}>"));
            let chars = random_model(bytes.chain(letters()).collect(), &rules, &ranks);
            let (slow, fast) = both(&chars.map_err(failed)?, &text, false, size).map_err(failed)?;
            prop_assert_eq!(slow, fast);

            let others = (0..=255).filter(|byte| !b"abc".contains(byte));
            let others = others.map(|byte| byte_level::char_of(byte).to_string());
            let bytes = random_model(others.chain(letters()).collect(), &rules, &ranks);
            let (slow, fast) = both(&bytes.map_err(failed)?, &text, true, size).map_err(failed)?;
            prop_assert_eq!(slow, fast);
        }
    }

    #[test]
    fn a_seam_that_does_not_hold_is_done_again() -> Result<()> {
        // Merges go on from the right: "ab", "aab", "aaab", "aaaab".
        let merges = ["b", "ab", "aab", "aaab"].map(|right| ["a".to_owned(), right.to_owned()]);
        let tokens =
            ["b".into(), "a".into()].into_iter().chain(merges.iter().map(|pair| pair.concat()));
        let model = model(tokens.collect(), &merges)?;
        for length in 4..40 {
            let text = "a".repeat(length) + "b";
            let (slow, fast) = both(&model, &text, false, 4)?;
            assert_eq!(slow, fast, "{text}");
        }
        Ok(())
    }
}
