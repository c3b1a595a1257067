//! Cutting one text for a tokenizer: at seams of its stages, and, where a piece must be divided, at anchors of
//! its token set.

use std::sync::Arc;

use crate::certify::cuts::Plan;
use crate::certify::{Budget, Inventory, TokenSet, delimiter};
use crate::encode::Unit;
use crate::encode::added_tokens::Specials;
use crate::encode::byte_level;
use crate::encode::models::{Model, Scratch};
use crate::encode::seams::{Right, Seam, Seams};
use crate::encode::tokenizer::{EncodeOptions, Input, Tokenizer};
use crate::error::{Error, Result};
use crate::units::TokenId;

/// Windows of this width anchor nearly everywhere, and their inventory is quick to make.
const ANCHOR_WIDTH: usize = 4;

/// What greedy models are saved with: longer pieces are unknown as a whole, and no delimiter changes that.
const LONGEST_TEXT: usize = 1_000_000_000;

/// Where texts may be cut for one tokenizer.
#[derive(Debug)]
pub struct TextCuts {
    seams: Seams,
    /// Encodes the parts but the first, where the tokenizer puts something in front of a text.
    continued: Option<Tokenizer>,
    inside: Inside,
}

/// Where the model allows a cut inside a piece.
#[derive(Debug)]
enum Inside {
    /// Nowhere.
    Never,
    /// Where the model says so, of a pair of characters; whether they are bytes to the model.
    Asked { tokenizer: Box<Tokenizer>, on_bytes: bool },
    /// Plain maximal munch over all bytes: at anchors, in pieces of at most so many bytes.
    Anchors(Box<Inventory>, usize),
}

impl TextCuts {
    /// Prepares the cuts of `tokenizer`.
    ///
    /// Complexity: that of an inventory where the model is greedy and sees undivided text; else small.
    pub fn new(tokenizer: &Tokenizer) -> Result<Self> {
        Ok(Self {
            seams: Seams::new(tokenizer),
            continued: tokenizer.continued(),
            inside: inside(tokenizer)?,
        })
    }

    /// Whether the ids of `text` are those of its two parts, whatever stands further away; with
    /// [`Right::Rest`], whether the left part keeps its ids; with [`Right::Continued`], whether the right one is
    /// that of the tokenizer that goes on.
    pub fn is_cut(&self, text: &str, at: usize, right: Right) -> Result<bool> {
        match (self.seams.at(text, at, right), &self.inside) {
            (Seam::Boundary, _) => Ok(true),
            (Seam::Inside(_), Inside::Anchors(inventory, longest)) => {
                Ok(text.len() <= *longest && is_anchor(inventory, text.as_bytes(), at)?)
            }
            (seam, _) => Ok(self.allows(seam)),
        }
    }

    /// Whether the ids of a text are those of its parts at all.
    pub fn applies(&self) -> bool {
        self.seams.applies()
    }

    /// Whether a place is a cut of every beginning of `text` that is longer, by one character or more.
    pub(super) fn is_cut_of_beginnings(&self, text: &str, at: usize, right: Right) -> Result<bool> {
        let Some(after) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            return Ok(false);
        };
        match &self.inside {
            // Where longer pieces are unknown as a whole, some beginnings are.
            Inside::Anchors(_, longest) if text.len() > *longest => {
                Ok(self.seams.at(text, at, right) == Seam::Boundary)
            }
            _ => self.is_cut(&text[..at + after.len_utf8()], at, right),
        }
    }

    /// Appends the ids of a part of a text of `tokenizer` that goes on where [`Self::last`] or a plan cut it.
    ///
    /// # Errors
    ///
    /// As [`Tokenizer::encode_ids`], positions counted from the start of the part.
    pub fn append_continued_ids(
        &self,
        tokenizer: &Tokenizer,
        text: &str,
        specials: Specials,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let continued = self.continued.as_ref().unwrap_or(tokenizer);
        let done = tokenizer.append_continued_ids(continued, text, specials, scratch, out);
        done.or_else(|error| {
            // The slow way knows where the error is.
            let options = EncodeOptions { add_special_tokens: false, specials, unit: Unit::None };
            continued.encode(&Input::Text(text), None, options, scratch).and(Err(error))
        })
    }

    /// The last place of `text` where a part may go on: a stream may give out what stands before it,
    /// whatever follows the text.
    ///
    /// Complexity: the text after the cut is read.
    pub fn last(&self, text: &str) -> Result<Option<usize>> {
        // A piece that grows beyond the limit of the model is unknown as a whole: what follows decides.
        let grows = matches!(&self.inside, Inside::Anchors(_, longest) if *longest < LONGEST_TEXT);
        for (at, _) in text.char_indices().rev() {
            let is_cut = if grows {
                self.seams.at(text, at, Right::Continued) == Seam::Boundary
            } else {
                self.is_cut(text, at, Right::Continued)?
            };
            if is_cut {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Whether cutting before (or, with `after`, after) every occurrence of `delimiter` is proven to change no
    /// id of any text. `false` is no refutation.
    ///
    /// Complexity: one question for each character there is.
    pub fn proves_delimiter(&self, delimiter: &str, after: bool) -> bool {
        let mut edge = delimiter.chars();
        let Some(edge) = (if after { edge.next_back() } else { edge.next() }) else { return false };
        let inside = self.proves_inside(delimiter, after);
        (char::MIN..=char::MAX).all(|other| {
            let seam = if after {
                self.seams.between(edge, other, Right::Text)
            } else {
                self.seams.between(other, edge, Right::Text)
            };
            self.allows(seam) || (inside && matches!(seam, Seam::Inside(_)))
        })
    }

    /// Whether the model allows the cut inside every piece: no token crosses it.
    fn proves_inside(&self, delimiter: &str, after: bool) -> bool {
        let (Inside::Anchors(inventory, longest), [byte]) = (&self.inside, delimiter.as_bytes())
        else {
            return false;
        };
        let decided = delimiter::delimiter(inventory.token_set(), *byte);
        let refutation = if after { decided.refutation_after } else { decided.refutation_before };
        *longest >= LONGEST_TEXT && refutation.is_none()
    }

    /// Whether a place is a cut by what is known of the characters beside it.
    fn allows(&self, seam: Seam) -> bool {
        match (seam, &self.inside) {
            (Seam::Boundary, _) => true,
            (Seam::Inside((Some(before), Some(after))), Inside::Asked { tokenizer, on_bytes }) => {
                tokenizer.model().parts_between(before, after, *on_bytes)
            }
            _ => false,
        }
    }

    /// At most `parts - 1` cuts, each the first one at or after a point of equal division and before the next.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for no parts.
    ///
    /// Complexity: the text between each point and its cut is read, no more.
    pub fn plan(&self, text: &str, parts: usize) -> Result<Plan> {
        self.plan_for(text, parts, Right::Text)
    }

    /// As [`Self::plan`], for parts that are encoded as `right` says.
    pub fn plan_for(&self, text: &str, parts: usize, right: Right) -> Result<Plan> {
        if parts == 0 {
            return Err(Error::argument("parts", "it is 0; a text is cut into at least one part"));
        }
        let mut plan = Plan::default();
        let length = text.len() as u128;
        let point = |index: usize| (length * index as u128 / parts as u128) as usize;
        for index in 1..parts.min(text.len()) {
            for at in point(index).max(1)..point(index + 1) {
                if self.is_cut(text, at, right)? {
                    plan.cuts.push(at as i64);
                    plan.snap_distances.push((at - point(index)) as i64);
                    break;
                }
            }
        }
        Ok(plan)
    }
}

/// Whether some window of the inventory anchors position `at`.
fn is_anchor(inventory: &Inventory, data: &[u8], at: usize) -> Result<bool> {
    let mut decider = inventory.decider(Budget::default());
    let reach = decider.max_width();
    for end in at + 1..=data.len().min(at + reach) {
        if decider.anchor_of(data, 0, end)?.is_some_and(|(_, position)| position == at) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn inside(tokenizer: &Tokenizer) -> Result<Inside> {
    let on_bytes = tokenizer.runs_on_bytes();
    let asked = || Inside::Asked { tokenizer: Box::new(tokenizer.clone()), on_bytes };
    if tokenizer.is_byte_level() && !on_bytes {
        return Ok(Inside::Never); // the model sees printable characters, the seams do not
    }
    let Model::WordPiece(model) = tokenizer.model() else { return Ok(asked()) };
    if !model.prefix().is_empty() || !on_bytes {
        return Ok(Inside::Never);
    }
    let spelled = tokenizer.model().vocabulary().iter();
    let tokens: Vec<Vec<u8>> = spelled
        .filter_map(|(text, _)| byte_level::to_bytes(text))
        .filter(|token| !token.is_empty())
        .collect();
    let single = tokens.iter().filter(|token| token.len() == 1).count();
    if single < 256 {
        return Ok(Inside::Never); // a piece that gets stuck is unknown as a whole
    }
    let set = TokenSet::literal(&tokens, |index| index as u32)?;
    let inventory = Inventory::new(Arc::new(set), ANCHOR_WIDTH)?;
    Ok(Inside::Anchors(Box::new(inventory), model.max_chars()))
}
