//! Byte-pair encoding.
//!
//! Each character (or byte, in the byte form) is a symbol; merges join neighbours. Characters that no token
//! spells become bytes, an unknown token, or nothing, as the options say.

use hashbrown::HashSet;

use crate::encode::byte_level;
use crate::encode::json::{Json, Node};
use crate::encode::large_tables::LargeTables;
use crate::encode::models::bpe_byte_form::{FIRST, INNER, LAST, ONLY};
use crate::encode::models::bpe_forms::Forms;
use crate::encode::models::merges::{Listed, Merge, Merges};
use crate::encode::models::whole_pieces::{Shifted, WholePieces};
use crate::encode::models::{Scratch, Sink, Vocabulary};
use crate::error::{Error, Result};
use crate::units::{Span, TokenId};

/// The options of a byte-pair model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BpeOptions {
    /// Probability of skipping a merge.
    pub dropout: Option<f64>,
    /// Seed of the merges that are skipped; no file holds one.
    pub seed: Option<u64>,
    /// What characters without a token become.
    pub unk_token: Option<String>,
    /// Prefix of every symbol of a piece but the first.
    pub continuing_subword_prefix: Option<String>,
    /// Suffix of the last symbol of a piece.
    pub end_of_word_suffix: Option<String>,
    /// Whether a run of unknown characters is one token.
    pub fuse_unk: bool,
    /// Whether a character without a token becomes its bytes `<0xHH>`, if all of them are tokens.
    pub byte_fallback: bool,
    /// Whether a piece that is a token is that token, whatever the merges say.
    pub ignore_merges: bool,
}

/// A byte-pair model.
#[derive(Debug)]
pub struct Bpe {
    options: BpeOptions,
    vocabulary: Vocabulary,
    merges: Merges,
    pub(super) forms: Forms,
    /// What is cut out of the text before anything merges.
    whole_pieces: Option<WholePieces>,
}

/// No token has the largest number.
pub(super) const NO_SYMBOL: TokenId = TokenId::MAX;

impl BpeOptions {
    fn from_json(node: &Node) -> Result<Self> {
        let rate = node.optional("dropout");
        let dropout = rate.as_ref().map(Node::number).transpose()?;
        if let Some(rate) = rate.filter(|_| dropout.is_some_and(|p| !(0.0..=1.0).contains(&p))) {
            return Err(rate.invalid("should be null or from 0 to 1"));
        }
        let flag_or_null = |name| node.optional(name).map_or(Ok(false), |flag| flag.flag());
        Ok(Self {
            dropout: dropout.map(single_precision),
            seed: None,
            unk_token: node.optional_text("unk_token")?,
            continuing_subword_prefix: node.optional_text("continuing_subword_prefix")?,
            end_of_word_suffix: node.optional_text("end_of_word_suffix")?,
            fuse_unk: flag_or_null("fuse_unk")?,
            byte_fallback: flag_or_null("byte_fallback")?,
            ignore_merges: flag_or_null("ignore_merges")?,
        })
    }
}

/// The number with the digits that a 32-bit float has: files hold those.
fn single_precision(value: f64) -> f64 {
    (value as f32).to_string().parse().unwrap_or(value)
}

impl Bpe {
    /// Reads the model of a tokenizer file.
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let options = BpeOptions::from_json(node)?;
        let vocabulary = Vocabulary::from_json(&node.field("vocab")?)?;
        let merges = read_merges(&node.field("merges")?, &vocabulary, &options)?;
        let merges = Merges::new(&merges, vocabulary.largest_id(), vocabulary.has_shared_ids());
        let whole_pieces = node
            .optional("sentencepiece")
            .map(|member| WholePieces::from_json(&member, &vocabulary))
            .transpose()?;
        Ok(Self { options, vocabulary, merges, forms: Forms::default(), whole_pieces })
    }

    /// Pieces that the model finds in the text by itself.
    pub(super) fn whole_pieces(&self) -> &[String] {
        self.whole_pieces.as_ref().map_or(&[], WholePieces::list)
    }

    /// The same tokens and merges under other options.
    pub(super) fn with_options(&self, node: &Node) -> Result<Self> {
        Ok(Self {
            options: BpeOptions {
                seed: node.optional("seed").map(|seed| seed.seed()).transpose()?,
                ..BpeOptions::from_json(node)?
            },
            vocabulary: self.vocabulary.clone(),
            merges: self.merges.clone(),
            forms: Forms::default(),
            whole_pieces: self.whole_pieces.clone(),
        })
    }

    /// The members of its JSON that are not tables, and the seed, which no file holds.
    pub(super) fn options_json(&self) -> Vec<(&'static str, Json<'_>)> {
        let options = &self.options;
        vec![
            ("dropout", options.dropout.into()),
            ("unk_token", options.unk_token.as_deref().into()),
            ("continuing_subword_prefix", options.continuing_subword_prefix.as_deref().into()),
            ("end_of_word_suffix", options.end_of_word_suffix.as_deref().into()),
            ("fuse_unk", options.fuse_unk.into()),
            ("byte_fallback", options.byte_fallback.into()),
            ("ignore_merges", options.ignore_merges.into()),
            ("seed", options.seed.map_or(Json::Null, Json::Int)),
        ]
    }

    /// All merges by rank.
    pub fn merge_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let token = |id| self.vocabulary.token(id).unwrap_or_default();
        self.merges
            .sorted(usize::MAX)
            .into_iter()
            .map(move |(left, right)| (token(left), token(right)))
    }

    /// What the reference writes for it.
    pub(super) fn to_json(&self, most: usize) -> Json<'_> {
        let token = |id| Json::from(self.vocabulary.token(id).unwrap_or_default());
        let merges = self.merges.sorted(most);
        let merges = move |write: &mut dyn FnMut(Json<'_>)| {
            for &(left, right) in &merges {
                write(Json::List(vec![token(left), token(right)]));
            }
        };
        let mut members = self.options_json();
        members.pop();
        members.push(("vocab", self.vocabulary.to_json(most)));
        members.push(("merges", Json::Rows(Box::new(merges))));
        members.extend(self.whole_pieces.as_ref().map(|part| ("sentencepiece", part.to_json())));
        Json::component_of("BPE", members)
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The probability of skipping a merge, where that is not 0.
    pub(super) fn dropout(&self) -> Option<f64> {
        self.options.dropout.filter(|&rate| rate != 0.0)
    }

    fn merge(&self, scratch: &mut Scratch) {
        match self.dropout() {
            Some(rate) => scratch.merge_with_dropout(&self.merges, rate),
            None => scratch.merge(&self.merges),
        }
    }

    /// The options.
    pub fn options(&self) -> &BpeOptions {
        &self.options
    }

    pub(super) fn tokenize(
        &self,
        piece: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let Some(pieces) = &self.whole_pieces else {
            return self.tokenize_part(piece, scratch, sink);
        };
        for (span, id) in pieces.parts(piece) {
            if let Some(id) = id {
                sink.token(id, span);
                continue;
            }
            let mut sink = Shifted { sink: &mut *sink, start: span.start };
            self.tokenize_part(&piece[span.range()], scratch, &mut sink)?;
        }
        Ok(())
    }

    fn tokenize_part(
        &self,
        piece: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if self.options.ignore_merges
            && self.dropout().is_none()
            && let Some(id) = self.vocabulary.id(piece)
        {
            sink.token(id, Span::new(0, piece.len()));
            return Ok(());
        }
        self.spell(piece, scratch)?;
        self.merge(scratch);
        scratch.spans().for_each(|(id, span)| sink.token(id, span));
        Ok(())
    }

    /// Fills `scratch` with the symbols of the characters of `piece`.
    pub(super) fn spell(&self, piece: &str, scratch: &mut Scratch) -> Result<()> {
        scratch.clear();
        let mut spelled = String::new();
        // The unknown token that is still growing, and its bytes. It is written only when the next known
        // character comes: bytes written by fallback overtake it.
        let mut unknown: Option<(TokenId, usize)> = None;
        for (start, character) in piece.char_indices() {
            let len = character.len_utf8();
            let end = start + len;
            let symbol =
                self.symbol(&piece[start..end], start == 0, end == piece.len(), &mut spelled);
            if let Some(id) = self.vocabulary.id(symbol) {
                if let Some((unk, len)) = unknown.take() {
                    scratch.push(unk, len);
                }
                scratch.push(id, len);
                continue;
            }
            if self.options.byte_fallback && self.spell_bytes(symbol, scratch) {
                continue;
            }
            let Some(unk_token) = &self.options.unk_token else { continue };
            unknown = match unknown {
                Some((unk, before)) if self.options.fuse_unk => Some((unk, before + len)),
                before => {
                    if let Some((unk, len)) = before {
                        scratch.push(unk, len);
                    }
                    Some((self.unknown_id(unk_token)?, len))
                }
            };
        }
        if let Some((unk, len)) = unknown {
            scratch.push(unk, len);
        }
        Ok(())
    }

    pub(super) fn symbol<'t>(
        &self,
        text: &'t str,
        first: bool,
        last: bool,
        spelled: &'t mut String,
    ) -> &'t str {
        let prefix = self.options.continuing_subword_prefix.as_deref().filter(|_| !first);
        let suffix = self.options.end_of_word_suffix.as_deref().filter(|_| last);
        if prefix.is_none() && suffix.is_none() {
            return text;
        }
        spelled.clear();
        spelled.extend([prefix.unwrap_or_default(), text, suffix.unwrap_or_default()]);
        spelled
    }

    /// Writes the bytes of `symbol` as tokens, if every one of them is a token.
    fn spell_bytes(&self, symbol: &str, scratch: &mut Scratch) -> bool {
        let ids: Option<Vec<TokenId>> =
            symbol.bytes().map(|byte| self.vocabulary.id(&format!("<0x{byte:02X}>"))).collect();
        let Some(ids) = ids else { return false };
        for id in ids {
            scratch.push(id, 1);
        }
        true
    }

    fn unknown_id(&self, unk_token: &str) -> Result<TokenId> {
        self.vocabulary.id(unk_token).ok_or_else(|| {
            Error::invalid(
                "model.unk_token",
                format!(
                    "{unk_token:?} should be a token of model.vocab: the text has a character that no \
                     token spells"
                ),
            )
        })
    }

    pub(super) fn has_byte_form(&self) -> bool {
        self.byte_form().is_some()
    }

    pub(super) fn tokenize_bytes(
        &self,
        piece: &[u8],
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let Some(form) = self.byte_form() else {
            return Err(Error::internal("a model without a byte form was given bytes"));
        };
        if self.options.ignore_merges
            && self.dropout().is_none()
            && let Some(id) = form.whole.get(piece)
        {
            sink.token(id, Span::new(0, piece.len()));
            return Ok(());
        }
        scratch.clear();
        match piece {
            [] => {}
            [only] => scratch.push(form.symbols[ONLY][usize::from(*only)], 1),
            [first, inner @ .., last] => {
                scratch.push(form.symbols[FIRST][usize::from(*first)], 1);
                for byte in inner {
                    scratch.push(form.symbols[INNER][usize::from(*byte)], 1);
                }
                scratch.push(form.symbols[LAST][usize::from(*last)], 1);
            }
        }
        self.merge(scratch);
        scratch.spans().for_each(|(id, span)| sink.token(id, span));
        Ok(())
    }

    /// See [`crate::encode::models::Model::token_len`].
    pub(super) fn token_len(&self, token: &str, on_bytes: bool) -> usize {
        let guard = if on_bytes {
            self.byte_form().map(|form| form.guard.as_ref().err().copied())
        } else {
            self.char_form().map(|form| form.guard().err())
        };
        // What forbids cuts also lets tokens cover another text than their own.
        if guard != Some(None) || self.options.unk_token.as_deref() == Some(token) {
            return 0;
        }
        if on_bytes {
            return token.chars().count();
        }
        let is_byte = self.options.byte_fallback && byte_level::fallback_byte(token).is_some();
        if is_byte { 1 } else { token.len() }
    }

    pub(super) fn merges(&self) -> &Merges {
        &self.merges
    }

    /// Whether symbols are spelled with a prefix or a suffix.
    pub(super) fn has_affixes(&self) -> bool {
        let affixes = [&self.options.continuing_subword_prefix, &self.options.end_of_word_suffix];
        affixes.into_iter().flatten().any(|affix| !affix.is_empty())
    }

    /// Whether cuts where no merge crosses change nothing, given the tokens of bytes if all are tokens; else
    /// why they might.
    pub(super) fn may_cut(
        &self,
        bytes: Option<&[TokenId; 256]>,
    ) -> std::result::Result<(), &'static str> {
        if self.has_affixes() {
            return Err("the first or last symbol of a piece is spelled differently");
        }
        if self.vocabulary.has_shared_ids() {
            return Err("two tokens share an id");
        }
        let bytes = bytes.map_or(Vec::new(), |bytes| bytes.to_vec());
        let unknown = self.options.unk_token.as_deref().and_then(|unk| self.vocabulary.id(unk));
        // Tokens that may stand for another text than their own.
        let foreign: HashSet<TokenId> = bytes.into_iter().chain(unknown).collect();
        if self
            .merges
            .iter()
            .any(|(left, right, _)| foreign.contains(&left) || foreign.contains(&right))
        {
            return Err("a merge joins a token that stands for unknown text");
        }
        Ok(())
    }

    /// The texts of all results of merges.
    pub(super) fn merge_results(&self) -> impl Iterator<Item = &str> {
        let mut is_result = vec![false; self.vocabulary.len()];
        for (.., merge) in self.merges.iter() {
            if let Some(place) = self.vocabulary.place(merge.result) {
                is_result[place] = true;
            }
        }
        let tokens = self.vocabulary.iter().zip(is_result);
        tokens.filter_map(|((text, _), is_result)| is_result.then_some(text))
    }
}

/// Reads merges in either form, `"a b"` or `["a", "b"]`, one for all.
fn read_merges(node: &Node, vocabulary: &Vocabulary, options: &BpeOptions) -> Result<Vec<Listed>> {
    if let Some(pairs) = node.tables().and_then(LargeTables::merges) {
        let mut reader = MergeReader::new(vocabulary, options, pairs.len());
        for (left, right) in pairs {
            reader.add(left, right).map_err(|rule| node.invalid(rule))?;
        }
        return Ok(reader.merges);
    }
    let list = node.value().as_array().ok_or_else(|| node.invalid("should be a list"))?;
    let mut reader = MergeReader::new(vocabulary, options, list.len());
    let are_texts = list.first().is_some_and(serde_json::Value::is_string);
    for (index, value) in list.iter().enumerate() {
        let broken = |rule: &str| {
            Error::invalid(format!("{}[{index}]", node.path()), format!("{value} {rule}"))
        };
        if value.is_string() != are_texts {
            return Err(broken("should be written as the first merge is"));
        }
        let (left, right) = match value {
            // Old files start with a version line among the merges of the text form.
            serde_json::Value::String(text) if text.starts_with("#version") => continue,
            serde_json::Value::String(text) => text
                .split_once(' ')
                .filter(|(_, right)| !right.contains(' '))
                .ok_or_else(|| broken("should be two tokens with one space between them"))?,
            _ => match value.as_array().map(Vec::as_slice) {
                Some([left, right]) => left
                    .as_str()
                    .zip(right.as_str())
                    .ok_or_else(|| broken("should be a list of two strings"))?,
                _ => return Err(broken("should be a list of two strings")),
            },
        };
        reader.add(left, right).map_err(|rule| broken(&rule))?;
    }
    Ok(reader.merges)
}

/// Turns merges of texts into merges of ids.
struct MergeReader<'v> {
    vocabulary: &'v Vocabulary,
    prefix: &'v str,
    merges: Vec<Listed>,
    shares_ids: bool,
    rank: u32,
    joined: String,
    /// The last result: the next is often the same or the next token.
    result: TokenId,
}

impl<'v> MergeReader<'v> {
    fn new(vocabulary: &'v Vocabulary, options: &'v BpeOptions, count: usize) -> Self {
        let (merges, shares_ids) = (Vec::with_capacity(count), vocabulary.has_shared_ids());
        let prefix = options.continuing_subword_prefix.as_deref().unwrap_or_default();
        Self { vocabulary, prefix, merges, shares_ids, rank: 0, joined: String::new(), result: 0 }
    }

    /// Adds the next merge; the rule that it breaks, if it does.
    fn add(&mut self, left: &str, right: &str) -> std::result::Result<(), String> {
        let known = |token: &str| {
            self.vocabulary
                .id(token)
                .ok_or_else(|| format!("should join tokens of model.vocab; {token:?} is none"))
        };
        let (left_id, right_id) = (known(left)?, known(right)?);
        self.joined.clear();
        self.joined.push_str(left);
        self.joined.push_str(right.get(self.prefix.len()..).ok_or_else(|| {
            format!("should join a right token that starts with the prefix {:?}", self.prefix)
        })?);
        let guesses = [self.result, self.result.saturating_add(1)];
        let is_joined = |id: &TokenId| self.vocabulary.token(*id) == Some(&self.joined);
        self.result = match guesses.into_iter().find(is_joined) {
            Some(id) if !self.shares_ids => id,
            _ => known(&self.joined)?,
        };
        self.merges.push((left_id, right_id, Merge { rank: self.rank, result: self.result }));
        self.rank += 1;
        Ok(())
    }
}
