//! `TemplateProcessing`: sequences and special tokens in a fixed order.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::encode::encoding::Encoding;
use crate::encode::json::{Json, Node};
use crate::error::{Error, Result};
use crate::units::TokenId;

/// Which input a piece of a template stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sequence {
    A,
    B,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Sequence { which: Sequence, type_id: u32 },
    Special { name: String, type_id: u32 },
}

#[derive(Debug, Clone, PartialEq)]
struct Special {
    tokens: Vec<(TokenId, Arc<str>)>,
}

/// A template for single texts and one for pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    single: Vec<Piece>,
    pair: Vec<Piece>,
    specials: BTreeMap<String, Special>,
    /// How many tokens it says that it adds to a single text, where that is not counted: the reference goes on
    /// with the number of the template before it was set. No file holds it.
    added_single: Option<usize>,
}

impl Template {
    pub(super) fn from_json(node: &Node) -> Result<Self> {
        let pieces = |name| -> Result<Vec<Piece>> {
            node.field(name)?.elements()?.iter().map(Piece::from_json).collect()
        };
        let mut specials = BTreeMap::new();
        for (name, special) in node.field("special_tokens")?.members()? {
            specials.insert(name.to_owned(), Special::from_json(&special)?);
        }
        let (single, pair) = (pieces("single")?, pieces("pair")?);
        let template = Self { single, pair, specials, added_single: None };
        template.check(node)?;
        Ok(template)
    }

    fn check(&self, node: &Node) -> Result<()> {
        for (pieces, name) in [(&self.single, "single"), (&self.pair, "pair")] {
            for piece in pieces {
                if let Piece::Special { name: special, .. } = piece
                    && !self.specials.contains_key(special)
                {
                    return Err(node.field(name)?.invalid(format!(
                        "should use tokens of special_tokens only; {special:?} is none"
                    )));
                }
            }
        }
        let uses = |pieces: &[Piece], sequence| {
            pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Sequence { which, .. } if *which == sequence))
        };
        if uses(&self.single, Sequence::B) {
            return Err(node.field("single")?.invalid("should use sequence A only"));
        }
        let uses_both = uses(&self.pair, Sequence::A) && uses(&self.pair, Sequence::B);
        if !(self.pair.is_empty() || uses_both) {
            return Err(node.field("pair")?.invalid("should use both sequences, A and B"));
        }
        Ok(())
    }

    pub(super) fn to_json(&self) -> Json {
        let pieces = |pieces: &[Piece]| Json::List(pieces.iter().map(Piece::to_json).collect());
        let specials =
            self.specials.iter().map(|(name, special)| (name.clone(), special.to_json(name)));
        Json::component(
            "TemplateProcessing",
            [
                ("single", pieces(&self.single)),
                ("pair", pieces(&self.pair)),
                ("special_tokens", Json::Object(specials.collect())),
            ],
        )
    }

    pub(super) fn claim(&mut self, added_single: Option<usize>) {
        self.added_single = added_single;
    }

    pub(super) fn added(&self, is_pair: bool) -> usize {
        let pieces = match self.added_single.filter(|_| !is_pair) {
            Some(count) => return count,
            None if is_pair => &self.pair,
            None => &self.single,
        };
        pieces
            .iter()
            .filter_map(|piece| self.special(piece))
            .map(|special| special.tokens.len())
            .sum()
    }

    pub(super) fn keeps_order(&self) -> bool {
        self.single.iter().filter(|piece| matches!(piece, Piece::Sequence { .. })).count() <= 1
    }

    pub(super) fn wrap_ids(&self, ids: &[TokenId], add_special_tokens: bool) -> Vec<TokenId> {
        let mut wrapped = Vec::with_capacity(ids.len() + self.added(false));
        for piece in &self.single {
            match self.special(piece) {
                Some(special) if add_special_tokens => {
                    wrapped.extend(special.tokens.iter().map(|(id, _)| *id));
                }
                Some(_) => {}
                None => wrapped.extend_from_slice(ids),
            }
        }
        wrapped
    }

    fn special(&self, piece: &Piece) -> Option<&Special> {
        match piece {
            Piece::Special { name, .. } => self.specials.get(name),
            Piece::Sequence { .. } => None,
        }
    }

    pub(super) fn apply(
        &self,
        mut encodings: Vec<Encoding>,
        add_special_tokens: bool,
    ) -> Result<Vec<Encoding>> {
        let pieces = match encodings.len() {
            1 => &self.single,
            2 => &self.pair,
            other => {
                return Err(Error::invalid(
                    "post_processor",
                    format!(
                        "a template takes one or two sequences, and the processor before it makes \
                         {other}; put one template in a Sequence"
                    ),
                ));
            }
        };
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match piece {
                Piece::Sequence { which, type_id } => {
                    let index = usize::from(*which == Sequence::B);
                    let Some(encoding) = encodings.get_mut(index) else { continue };
                    encoding.set_type_id(*type_id);
                    encoding.set_sequence_id(index);
                    parts.push(encoding.clone());
                }
                Piece::Special { name, type_id } => {
                    let special = self.specials.get(name).filter(|_| add_special_tokens);
                    parts.extend(special.map(|special| {
                        Encoding::specials(special.tokens.iter().cloned(), *type_id)
                    }));
                }
            }
        }
        Ok(parts)
    }
}

impl Piece {
    fn from_json(node: &Node) -> Result<Self> {
        let members: Vec<(&str, Node)> = node.members()?.collect();
        match members.as_slice() {
            [("Sequence", piece)] => {
                let which = match piece.text_of("id")? {
                    "A" => Sequence::A,
                    "B" => Sequence::B,
                    _ => return Err(piece.field("id")?.invalid("should be \"A\" or \"B\"")),
                };
                Ok(Self::Sequence { which, type_id: piece.field("type_id")?.id()? })
            }
            [("SpecialToken", piece)] => Ok(Self::Special {
                name: piece.text_of("id")?.to_owned(),
                type_id: piece.field("type_id")?.id()?,
            }),
            _ => Err(node.invalid("should be {\"Sequence\": …} or {\"SpecialToken\": …}")),
        }
    }

    fn to_json(&self) -> Json {
        let (kind, id, type_id) = match self {
            Self::Sequence { which: Sequence::A, type_id } => ("Sequence", "A", type_id),
            Self::Sequence { which: Sequence::B, type_id } => ("Sequence", "B", type_id),
            Self::Special { name, type_id } => ("SpecialToken", name.as_str(), type_id),
        };
        Json::object([(kind, Json::object([("id", id.into()), ("type_id", (*type_id).into())]))])
    }
}

impl Special {
    fn from_json(node: &Node) -> Result<Self> {
        let ids = node.field("ids")?.elements()?;
        let tokens = node.field("tokens")?.elements()?;
        if ids.len() != tokens.len() {
            return Err(node.invalid("should have as many ids as tokens"));
        }
        node.text_of("id")?;
        let tokens =
            ids.iter().zip(&tokens).map(|(id, token)| Ok((id.id()?, Arc::from(token.text()?))));
        Ok(Self { tokens: tokens.collect::<Result<_>>()? })
    }

    fn to_json(&self, name: &str) -> Json {
        let (ids, tokens): (Vec<Json>, Vec<Json>) =
            self.tokens.iter().map(|(id, token)| (Json::from(*id), Json::from(&**token))).unzip();
        Json::object([
            ("id", name.into()),
            ("ids", Json::List(ids)),
            ("tokens", Json::List(tokens)),
        ])
    }
}
