//! `Unigram`: the segmentation of a piece with the highest sum of scores.
//!
//! The sum runs from the left in double precision, candidates come shortest first, and a later one wins only
//! if it is strictly better: that decides ties, so the order of work here is part of the result.

use serde_json::Value;

use crate::encode::byte_level;
use crate::encode::json::{Json, Node};
use crate::encode::models::sample::{self, Arc, Lattice, Sampling};
use crate::encode::models::unigram_ways::{UNKNOWN, Ways};
use crate::encode::models::{Scratch, Sink, Vocabulary};
use crate::error::{Error, Result};
use crate::machine::Trie;
use crate::units::{Span, TokenId};

/// How much worse an unknown character is than the worst token.
const UNKNOWN_PENALTY: f64 = 10.0;

/// What `SentencePiece` does otherwise than the reference: it adds in single precision, and only pieces of
/// certain kinds stand for text. Readers of its vocabularies in other libraries add in double precision.
#[derive(Debug, Clone)]
struct SentencePieceRules {
    /// The member of the file.
    source: Value,
    unk_score: f32,
    is_double: bool,
}

/// A unigram model.
#[derive(Debug)]
pub struct Unigram {
    /// Ids are places in the list; of equal tokens the last one is used.
    vocabulary: Vocabulary,
    /// By id.
    scores: Vec<f64>,
    unk_id: Option<TokenId>,
    unk_score: f64,
    /// Whether an unknown run becomes its bytes `<0xHH>`, if all of them are tokens.
    byte_fallback: bool,
    sampling: Sampling,
    trie: Trie,
    sentencepiece: Option<SentencePieceRules>,
}

impl Unigram {
    /// Reads the model of a tokenizer file.
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let list = node.field("vocab")?;
        let entries = list.elements()?;
        let mut tokens = Vec::with_capacity(entries.len());
        let mut scores = Vec::with_capacity(entries.len());
        for (id, entry) in entries.iter().enumerate() {
            match entry.elements()?.as_slice() {
                [token, score] => {
                    tokens.push((token.text()?, id as TokenId));
                    scores.push(score.number()?);
                }
                _ => return Err(entry.invalid("should be a list of a token and its score")),
            }
        }
        let unk_id = node.optional("unk_id");
        if let Some(unk) = &unk_id
            && unk.count()? >= tokens.len()
        {
            return Err(unk.invalid(format!(
                "should be the place of a token in vocab, which has {}",
                tokens.len()
            )));
        }
        let vocabulary = Vocabulary::new(tokens.iter().copied())?;
        let mut sentencepiece = None;
        if let Some(rules) = node.optional("sentencepiece") {
            let mut is_text = vec![true; tokens.len()];
            for id in rules.field("not_text")?.elements()? {
                match is_text.get_mut(id.count()?) {
                    Some(entry) => *entry = false,
                    None => return Err(id.invalid("should be the place of a token in vocab")),
                }
            }
            tokens.retain(|&(_, id)| is_text[id as usize]);
            sentencepiece = Some(SentencePieceRules {
                source: rules.value().clone(),
                unk_score: rules.field("unk_score")?.number()? as f32,
                is_double: read_precision(&rules)?,
            });
        }
        let least = || scores.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(Self {
            unk_id: unk_id.map(|unk| unk.id()).transpose()?,
            unk_score: sentencepiece
                .as_ref()
                .map_or_else(|| least() - UNKNOWN_PENALTY, |rules| f64::from(rules.unk_score)),
            sentencepiece,
            byte_fallback: node.flag_or("byte_fallback", false)?,
            sampling: Sampling::default(),
            trie: Trie::new(&tokens)?,
            vocabulary,
            scores,
        })
    }

    /// The same tokens under other options.
    pub(super) fn with_options(&self, node: &Node) -> Result<Self> {
        let unk_id = node.optional("unk_id").map(|unk| unk.id()).transpose()?;
        Ok(Self {
            vocabulary: self.vocabulary.clone(),
            scores: self.scores.clone(),
            unk_id,
            unk_score: self.unk_score,
            byte_fallback: node.flag_or("byte_fallback", false)?,
            sampling: Sampling {
                alpha: node.optional("alpha").map(|alpha| alpha.number()).transpose()?,
                nbest_size: node.optional("nbest_size").map(|size| size.count()).transpose()?,
                seed: node.optional("seed").map(|seed| seed.seed()).transpose()?,
            },
            trie: self.trie.clone(),
            sentencepiece: self.sentencepiece.clone(),
        })
    }

    /// The members of its JSON that are not tables, and those of sampling, which no file holds.
    pub(super) fn options_json(&self) -> Vec<(&'static str, Json<'_>)> {
        let Sampling { alpha, nbest_size, seed } = self.sampling;
        vec![
            ("unk_id", self.unk_id.into()),
            ("byte_fallback", self.byte_fallback.into()),
            ("alpha", alpha.into()),
            ("nbest_size", nbest_size.into()),
            ("seed", seed.map_or(Json::Null, Json::Int)),
        ]
    }

    /// What the reference writes for it.
    pub(super) fn to_json(&self, most: usize) -> Json<'_> {
        let entries = move |write: &mut dyn FnMut(Json<'_>)| {
            for ((token, _), &score) in self.vocabulary.iter().zip(&self.scores).take(most) {
                write(Json::List(vec![token.into(), score.into()]));
            }
        };
        let mut members = vec![
            ("unk_id", self.unk_id.into()),
            ("vocab", Json::Rows(Box::new(entries))),
            ("byte_fallback", self.byte_fallback.into()),
        ];
        let rules = self.sentencepiece.as_ref();
        members.extend(rules.map(|rules| ("sentencepiece", Json::of(&rules.source))));
        Json::component_of("Unigram", members)
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// How it samples, if it does.
    pub(super) fn sampling(&self) -> Option<Sampling> {
        Some(self.sampling).filter(|sampling| sampling.alpha.is_some_and(|alpha| alpha != 0.0))
    }

    /// Whether unknown text becomes bytes.
    pub fn byte_fallback(&self) -> bool {
        self.byte_fallback
    }

    /// See [`crate::encode::models::Model::token_len`].
    pub(super) fn token_len(&self, id: TokenId, token: &str) -> usize {
        let is_byte = self.byte_fallback && byte_level::fallback_byte(token).is_some();
        if Some(id) == self.unk_id || is_byte { 0 } else { token.len() }
    }

    /// Complexity: `O(n · longest token)`.
    pub(super) fn tokenize(
        &self,
        piece: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let Some(sampling) = self.sampling() else {
            return self.tokenize_best(piece, &mut scratch.ways, sink);
        };
        let all = self.lattice(piece)?;
        let alpha = sampling.alpha.unwrap_or_default();
        let random = &mut scratch.random;
        let mut drawn = match sampling.nbest_size.filter(|&count| count > 0) {
            Some(count) => sample::from_best(&all, count, alpha, random),
            None => sample::from_all(&all, alpha, random),
        };
        drawn.reverse();
        self.emit(piece, drawn.into_iter(), sink)
    }

    /// As [`Self::tokenize`], with the best way.
    fn tokenize_best(&self, piece: &str, ways: &mut Ways, sink: &mut impl Sink) -> Result<()> {
        match &self.sentencepiece {
            Some(rules) if !rules.is_double => {
                let single = |score, before| f64::from(score as f32 + before as f32);
                self.find_best(piece, ways, single)?;
            }
            _ => self.find_best(piece, ways, |score: f64, before| score + before)?,
        }
        let length = |id| self.vocabulary.token_len(id).unwrap_or(1);
        ways.turn_round(|end, token| match token {
            UNKNOWN => piece[..end].chars().next_back().map_or(1, char::len_utf8),
            id => length(id),
        });
        let mut end = 0;
        let way = std::iter::from_fn(|| {
            let start = Some(end).filter(|&end| end < piece.len())?;
            let token = ways.token_at(start);
            end += match token {
                UNKNOWN => piece[start..].chars().next().map_or(1, char::len_utf8),
                id => length(id),
            };
            Some((Span::new(start, end), token))
        });
        self.emit(piece, way, sink)
    }

    /// Emits the tokens of a way; unknown text in runs.
    fn emit(
        &self,
        piece: &str,
        way: impl Iterator<Item = (Span, TokenId)>,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut run: Option<Span> = None;
        for (span, token) in way {
            if token == UNKNOWN || self.unk_id == Some(token) {
                run.get_or_insert(span).end = span.end;
                continue;
            }
            if let Some(run) = run.take() {
                self.unknown(piece, run, sink)?;
            }
            sink.token(token, span);
        }
        run.map_or(Ok(()), |run| self.unknown(piece, run, sink))
    }

    /// All tokens of the piece by where they end, for sampling.
    fn lattice(&self, piece: &str) -> Result<Lattice> {
        let mut lattice = vec![Vec::new(); piece.len() + 1];
        for (start, character) in piece.char_indices() {
            let width = character.len_utf8();
            let mut is_known = false;
            for (length, id) in self.trie.prefixes(&piece.as_bytes()[start..]) {
                lattice[start + length].push(Arc { start, id, score: self.scores[id as usize] });
                is_known |= length == width;
            }
            if !is_known {
                let id = self.unk_id.ok_or_else(|| stuck(start))?;
                lattice[start + width].push(Arc { start, id, score: self.unk_score });
            }
        }
        Ok(lattice)
    }

    /// Finds the best way to each position; `add` gives the score of a way with one more token.
    ///
    /// An unknown character is an error where there is no unknown token, but only if it is taken.
    fn find_best(&self, piece: &str, ways: &mut Ways, add: impl Fn(f64, f64) -> f64) -> Result<()> {
        let mut positions = ways.start(piece.len(), self.trie.longest_key());
        for (start, character) in piece.char_indices() {
            let before = positions.score(start);
            let width = character.len_utf8();
            let mut is_known = false;
            for (length, id) in self.trie.prefixes(&piece.as_bytes()[start..]) {
                let score = add(self.scores[id as usize], before);
                if positions.would_take(start + length, score) {
                    positions.take(start + length, score, id);
                }
                is_known |= length == width;
            }
            let score = add(self.unk_score, before);
            if !is_known && positions.would_take(start + width, score) {
                if self.unk_id.is_none() {
                    return Err(stuck(start));
                }
                positions.take(start + width, score, UNKNOWN);
            }
        }
        Ok(())
    }

    /// Emits a run of unknown text: the token that it happens to spell, its bytes, or the unknown token.
    fn unknown(&self, piece: &str, span: Span, sink: &mut impl Sink) -> Result<()> {
        let text = &piece[span.range()];
        if self.sentencepiece.is_none()
            && let Some(id) = self.vocabulary.id(text)
        {
            sink.token(id, span);
            return Ok(());
        }
        if self.byte_fallback {
            let ids: Option<Vec<TokenId>> =
                text.bytes().map(|byte| self.vocabulary.id(&format!("<0x{byte:02X}>"))).collect();
            if let Some(ids) = ids {
                // Every byte covers the whole run.
                for id in ids {
                    sink.token(id, span);
                }
                return Ok(());
            }
        }
        sink.surface(self.unk_id.ok_or_else(|| stuck(span.start))?, span);
        Ok(())
    }
}

/// Whether scores are added in double precision.
fn read_precision(rules: &Node) -> Result<bool> {
    let Some(precision) = rules.optional("precision") else { return Ok(false) };
    match precision.text()? {
        "single" => Ok(false),
        "double" => Ok(true),
        _ => Err(precision.invalid(r#"should be "single" or "double""#)),
    }
}

fn stuck(position: usize) -> Error {
    Error::Untokenizable { position, starts: Vec::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::Unigram;
    use crate::encode::json::Node;
    use crate::encode::models::{Scratch, Sink};
    use crate::error::{Error, Result};
    use crate::units::{Span, TokenId};

    #[derive(Default)]
    struct Tokens(Vec<(TokenId, usize, usize)>);

    impl Sink for Tokens {
        fn token(&mut self, id: TokenId, span: Span) {
            self.0.push((id, span.start, span.end));
        }
    }

    fn tokens(model: &serde_json::Value, piece: &str) -> Result<Vec<(TokenId, usize, usize)>> {
        let mut found = Tokens::default();
        let model = Unigram::from_json(&Node::root(model))?;
        model.tokenize(piece, &mut Scratch::default(), &mut found)?;
        Ok(found.0)
    }

    #[test]
    fn unknown_characters_are_one_run() -> Result<()> {
        let model = json!({"vocab": [["<unk>", 0.0], ["a", -1.0]], "unk_id": 0});

        assert_eq!(vec![(1, 0, 1), (0, 1, 5), (1, 5, 6)], tokens(&model, "aZ漢a")?);
        Ok(())
    }

    #[test]
    fn the_unknown_token_in_the_text_joins_the_run() -> Result<()> {
        let model = json!({"vocab": [["<unk>", 0.0], ["a", -1.0]], "unk_id": 0});

        assert_eq!(vec![(0, 0, 6), (1, 6, 7)], tokens(&model, "<unk>Za")?);
        Ok(())
    }

    #[test]
    fn each_byte_covers_the_whole_run() -> Result<()> {
        let model = json!({
            "vocab": [["u", 0.0], ["<0xC3>", 0.0], ["<0xA9>", 0.0]],
            "unk_id": 0, "byte_fallback": true,
        });

        assert_eq!(vec![(1, 0, 2), (2, 0, 2)], tokens(&model, "é")?);
        assert_eq!(vec![(0, 0, 3)], tokens(&model, "éZ")?);
        Ok(())
    }

    #[test]
    fn a_character_without_any_token_is_an_error_with_its_place() {
        let refused = tokens(&json!({"vocab": [["a", 0.0]]}), "aab");

        assert!(matches!(refused, Err(Error::Untokenizable { position: 2, .. })));
    }

    #[test]
    fn a_character_without_a_token_is_no_error_where_a_better_way_passes_over_it() -> Result<()> {
        let model = json!({"vocab": [["x", 0.0], ["xy", -1.0], ["yz", -1.0]]});

        assert_eq!(vec![(1, 0, 2)], tokens(&model, "xy")?);
        // The first way to a place is taken whatever comes later, as the reference does.
        assert!(matches!(
            tokens(&json!({"vocab": [["x", 0.0], ["yz", -1.0]]}), "xyz"),
            Err(Error::Untokenizable { position: 1, .. })
        ));
        Ok(())
    }

    #[test]
    fn near_ties_are_decided_by_the_precision_that_the_file_names() -> Result<()> {
        // In single precision 2²⁴ + 1 is 2²⁴: both ways score the same, and the one found first stays.
        let large = -16_777_216.0;
        let vocab = json!([["<unk>", 0.0], ["a", large], ["b", 0.0], ["ab", large - 1.0]]);
        let mut model = json!({
            "vocab": vocab, "unk_id": 0,
            "sentencepiece": {"not_text": [0], "unk_score": -20_000_000.0},
        });
        assert_eq!(vec![(3, 0, 2)], tokens(&model, "ab")?);

        model["sentencepiece"]["precision"] = json!("double");
        assert_eq!(vec![(1, 0, 1), (2, 1, 2)], tokens(&model, "ab")?);

        model["sentencepiece"]["precision"] = json!("half");
        let refused = tokens(&model, "ab");
        assert!(
            matches!(refused, Err(Error::InvalidTokenizer { json_path, .. }) if json_path.ends_with("precision"))
        );
        Ok(())
    }

    /// The definition: try every segmentation, in the order in which ties are decided.
    fn best(scores: &[(String, f64)], text: &str) -> Option<f64> {
        let ends = (1..=text.len()).filter(|&end| text.is_char_boundary(end));
        if text.is_empty() {
            return Some(0.0);
        }
        ends.filter_map(|end| {
            let (_, score) = scores.iter().find(|(token, _)| *token == text[..end])?;
            Some(score + best(scores, &text[end..])?)
        })
        .reduce(f64::max)
    }

    proptest! {
        #[test]
        fn no_segmentation_scores_higher(
            text in "[ab]{0,10}",
            pieces in proptest::collection::btree_map("[ab]{2,4}", -40..0_i32, 0..8),
        ) {
            let mut scores: Vec<(String, f64)> =
                pieces.into_iter().map(|(token, score)| (token, f64::from(score) / 4.0)).collect();
            scores.extend([("a".to_owned(), -3.0), ("b".to_owned(), -3.5)]);
            let found = tokens(&json!({"vocab": scores}), &text).map_err(|error| {
                TestCaseError::fail(error.to_string())
            })?;
            let total: f64 = found.iter().map(|&(id, ..)| scores[id as usize].1).sum();
            // Quarters add up exactly.
            prop_assert_eq!(best(&scores, &text), Some(total));
        }
    }
}
