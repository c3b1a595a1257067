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
    /// Its name in the file, which nothing but the file needs.
    id: String,
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
        Ok(Self { single, pair, specials, added_single: None })
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        fn pieces(pieces: &[Piece]) -> Json<'_> {
            Json::List(pieces.iter().map(Piece::to_json).collect())
        }
        let specials = self.specials.iter().map(|(name, special)| (name.into(), special.to_json()));
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

    /// The ids of a single text with its special tokens; `None` where [`Self::apply`] refuses it.
    pub(super) fn wrap_ids(
        &self,
        ids: &[TokenId],
        add_special_tokens: bool,
    ) -> Option<Vec<TokenId>> {
        let mut wrapped = Vec::with_capacity(ids.len() + self.added(false));
        for piece in &self.single {
            match piece {
                Piece::Sequence { which: Sequence::A, .. } => wrapped.extend_from_slice(ids),
                Piece::Sequence { which: Sequence::B, .. } => return None,
                Piece::Special { name, .. } if add_special_tokens => {
                    wrapped.extend(self.specials.get(name)?.tokens.iter().map(|(id, _)| *id));
                }
                Piece::Special { .. } => {}
            }
        }
        Some(wrapped)
    }

    fn special(&self, piece: &Piece) -> Option<&Special> {
        match piece {
            Piece::Special { name, .. } => self.specials.get(name),
            Piece::Sequence { .. } => None,
        }
    }

    /// The pieces of the template for one or two encodings. A text of a pair that it does not use is left out.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTokenizer`] where it uses a second text that is not there, or a special token that it does
    /// not describe: files may say so, and are refused where that matters.
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
                    let encoding = encodings.get_mut(index).ok_or_else(|| {
                        Error::invalid(
                            "post_processor.single",
                            "the template uses sequence B, and there is one text; use A only, or pass a pair",
                        )
                    })?;
                    encoding.set_type_id(*type_id);
                    encoding.set_sequence_id(index);
                    parts.push(encoding.clone());
                }
                Piece::Special { name, type_id } if add_special_tokens => {
                    let special = self.specials.get(name).ok_or_else(|| {
                        Error::invalid(
                            "post_processor.special_tokens",
                            format!(
                                "the template uses the special token {name:?}, which is none of these; add it"
                            ),
                        )
                    })?;
                    parts.push(Encoding::specials(special.tokens.iter().cloned(), *type_id));
                }
                Piece::Special { .. } => {}
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
                Ok(Self::Sequence { which, type_id: piece.field("type_id")?.number32()? })
            }
            [("SpecialToken", piece)] => Ok(Self::Special {
                name: piece.text_of("id")?.to_owned(),
                type_id: piece.field("type_id")?.number32()?,
            }),
            _ => Err(node.invalid("should be {\"Sequence\": …} or {\"SpecialToken\": …}")),
        }
    }

    fn to_json(&self) -> Json<'_> {
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
        let id = node.text_of("id")?.to_owned();
        let tokens = ids
            .iter()
            .zip(&tokens)
            .map(|(id, token)| Ok((id.number32()?, Arc::from(token.text()?))));
        Ok(Self { id, tokens: tokens.collect::<Result<_>>()? })
    }

    fn to_json(&self) -> Json<'_> {
        let (ids, tokens): (Vec<Json>, Vec<Json>) =
            self.tokens.iter().map(|(id, token)| (Json::from(*id), Json::from(&**token))).unzip();
        Json::object([
            ("id", self.id.as_str().into()),
            ("ids", Json::List(ids)),
            ("tokens", Json::List(tokens)),
        ])
    }
}
