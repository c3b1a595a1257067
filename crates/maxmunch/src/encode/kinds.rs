//! Which component an object of a tokenizer file describes.

use crate::encode::json::Node;
use crate::error::{Error, Result};

/// How the components of a section are told apart, as the reference does it.
#[derive(Debug)]
pub(super) struct Kinds {
    /// Those that their type names.
    pub(super) by_type: &'static [&'static str],
    /// Those that their members show, in the order in which they are tried.
    pub(super) shapes: &'static [Shape],
}

/// A kind of component that its members show.
#[derive(Debug)]
pub(super) struct Shape {
    /// The kind.
    pub(super) kind: &'static str,
    /// What it cannot be without.
    pub(super) members: &'static [&'static str],
    /// Whether its type has to name it as well.
    pub(super) is_named: bool,
}

impl Shape {
    /// A kind with any type or none.
    pub(super) const fn of(kind: &'static str, members: &'static [&'static str]) -> Self {
        Self { kind, members, is_named: false }
    }

    /// A kind that its type has to name as well.
    pub(super) const fn named(kind: &'static str, members: &'static [&'static str]) -> Self {
        Self { kind, members, is_named: true }
    }
}

impl Kinds {
    /// What `read` makes of `node`, given the kind of component that it is.
    ///
    /// Its type decides where that is one of [`Kinds::by_type`]; else the first of the shapes of which it has all
    /// members and as which it can be read, whatever its type.
    pub(super) fn read<T>(&self, node: &Node, read: impl Fn(&str) -> Result<T>) -> Result<T> {
        let named = node.optional("type").and_then(|kind| kind.value().as_str());
        if let Some(kind) = named.filter(|kind| self.by_type.contains(kind)) {
            return read(kind);
        }
        let has = |name: &&str| node.present(name).is_some();
        let mut refused = None;
        for shape in self.shapes {
            if !shape.members.iter().all(has) || (shape.is_named && named != Some(shape.kind)) {
                continue;
            }
            match read(shape.kind) {
                Err(error @ Error::InvalidTokenizer { .. }) => refused = refused.or(Some(error)),
                found => return found,
            }
        }
        if let Some(error) = refused {
            return Err(error);
        }
        match node.kind()? {
            // It says which member is missing.
            kind if self.shapes.iter().any(|shape| shape.kind == kind) => read(kind),
            _ => Err(self.unknown(node)),
        }
    }

    /// The error for a type that is none of these.
    pub(super) fn unknown(&self, node: &Node) -> Error {
        let shapes = self.shapes.iter().map(|shape| shape.kind);
        let mut known: Vec<&str> = self.by_type.iter().copied().chain(shapes).collect();
        known.sort_unstable();
        known.dedup();
        node.unknown_kind(&known)
    }
}
