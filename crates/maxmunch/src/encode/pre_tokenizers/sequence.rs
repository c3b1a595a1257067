//! `Sequence`: several pre-tokenizers, each on every piece of the one before.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::encode::pre_tokenizers::PreTokenizer;
use crate::machine::ordered::{Cut, NestedMachine};

/// Pre-tokenizers in order.
#[derive(Debug, Clone)]
pub struct Sequence {
    parts: Vec<PreTokenizer>,
    /// What makes all cuts at once, where that is possible; found out when it is first asked for.
    nested: Arc<OnceLock<Option<NestedMachine>>>,
}

impl Sequence {
    /// These, first to last.
    pub fn new(parts: Vec<PreTokenizer>) -> Self {
        Self { parts, nested: Arc::default() }
    }

    /// What gives the pieces of all parts one after the other, where all of them cut and none changes the text;
    /// with `on_bytes` a last `ByteLevel` changes nothing.
    pub(super) fn machine(&self, on_bytes: bool) -> Option<&NestedMachine> {
        if !on_bytes && self.parts.iter().any(PreTokenizer::has_byte_level) {
            return None;
        }
        let find = || NestedMachine::new(&self.cuts()?).ok();
        self.nested.get_or_init(find).as_ref()
    }

    fn cuts(&self) -> Option<Vec<Cut>> {
        let (last, before) = self.parts.split_last()?;
        let mut cuts: Vec<Cut> = before.iter().map(PreTokenizer::cut).collect::<Option<_>>()?;
        match last {
            PreTokenizer::ByteLevel(last) if last.is_plain() => {}
            PreTokenizer::ByteLevel(last) => cuts.push(last.as_pattern()?.cut()),
            last => cuts.push(last.cut()?),
        }
        Some(cuts)
    }
}

impl PreTokenizer {
    /// The cut that is all it does, if it is one that a machine can make together with others.
    fn cut(&self) -> Option<Cut> {
        match self {
            Self::Digits(part) => part.cut(),
            Self::Punctuation(part) => part.cut(),
            Self::Split(part) => Some(part.as_pattern()?.cut()),
            _ => None,
        }
    }
}

impl Deref for Sequence {
    type Target = [PreTokenizer];

    fn deref(&self) -> &Self::Target {
        &self.parts
    }
}

impl PartialEq for Sequence {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}
