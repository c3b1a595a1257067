//! The one place where a tokenizer is built from JSON, and where its JSON is written.

use std::sync::Arc;

use serde_json::Value;

use crate::encode::added_tokens::AddedTokens;
use crate::encode::custom::Hook;
use crate::encode::decoders::Decoder;
use crate::encode::json::{Json, Node};
use crate::encode::large_tables::LargeTables;
use crate::encode::list_forms;
use crate::encode::models::Model;
use crate::encode::normalizers::Normalizer;
use crate::encode::padding::Padding;
use crate::encode::post_processors::PostProcessor;
use crate::encode::pre_tokenizers::PreTokenizer;
use crate::encode::tokenizer::Tokenizer;
use crate::encode::truncation::Truncation;
use crate::error::{Error, Result};

/// The sections of a tokenizer file, in the order in which they are written.
const SECTIONS: [&str; 9] = [
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
];

/// A component of any section.
#[derive(Debug, Clone)]
pub enum Component {
    /// The normalizer, if there is one.
    Normalizer(Option<Arc<Normalizer>>),
    /// The pre-tokenizer, if there is one.
    PreTokenizer(Option<Arc<PreTokenizer>>),
    /// The post-processor, if there is one.
    PostProcessor(Option<Arc<PostProcessor>>),
    /// The decoder, if there is one.
    Decoder(Option<Arc<Decoder>>),
    /// The model.
    Model(Arc<Model>),
}

impl Tokenizer {
    /// Builds the tokenizer that a `tokenizer.json` describes.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTokenizer`] where the text is malformed, [`Error::UnsupportedTokenizer`] where it asks
    /// for what is not reproduced; both name the path of the value.
    pub fn from_json(text: &str) -> Result<Self> {
        if let Some((document, tables)) = LargeTables::split(text)
            && let Ok(document) = parse(&document, "$")
            && let Ok(tokenizer) = Self::of_root(&Node::root(&document).with_tables(&tables))
        {
            return Ok(tokenizer);
        }
        // The obvious way, which has the words for what is wrong.
        let mut document = parse(text, "$")?;
        list_forms::replace(&mut document);
        Self::of_root(&Node::root(&document))
    }

    fn of_root(root: &Node) -> Result<Self> {
        for (name, _) in root.members()? {
            if !SECTIONS.contains(&name) {
                return Err(Error::invalid(
                    name,
                    format!("is no section of a tokenizer file; there are {}", SECTIONS.join(", ")),
                ));
            }
        }
        if let Some(version) = root.present("version")
            && version.value().as_str() != Some("1.0")
        {
            return Err(version.invalid("should be \"1.0\""));
        }
        let model = Model::from_json(&root.field("model")?)?;
        let normalizer =
            root.optional("normalizer").map(|node| Normalizer::from_json(&node)).transpose()?;
        let added = match root.present("added_tokens") {
            Some(node) => AddedTokens::from_json(&node, &model, normalizer.as_ref())?,
            None => AddedTokens::default(),
        };
        let mut tokenizer = Self {
            truncation: None,
            padding: None,
            added: Arc::new(added),
            normalizer: normalizer.map(Arc::new),
            pre_tokenizer: None,
            post_processor: None,
            decoder: None,
            model: Arc::new(model),
            pool: Arc::default(),
        };
        for name in ["truncation", "padding", "pre_tokenizer", "post_processor", "decoder"] {
            if let Some(node) = root.optional(name) {
                tokenizer.set_part(name, Some(&node))?;
            }
        }
        tokenizer.prepare();
        Ok(tokenizer)
    }

    /// The tokenizer with another part; `null` takes it away.
    ///
    /// `name` is that of the section; the model cannot be taken away.
    pub fn with_part(&self, name: &str, json: &str) -> Result<Self> {
        let value = parse(json, name)?;
        let node = Node::part(&value, name);
        let mut changed = self.clone();
        changed.set_part(name, Some(&node).filter(|node| !node.value().is_null()))?;
        Ok(changed)
    }

    /// The tokenizer of a model alone.
    pub fn from_model(model: Arc<Model>) -> Self {
        Self {
            truncation: None,
            padding: None,
            added: Arc::default(),
            normalizer: None,
            pre_tokenizer: None,
            post_processor: None,
            decoder: None,
            model,
            pool: Arc::default(),
        }
    }

    /// The tokenizer with another component, or without one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTokenizer`] for a tokenizer without a model, and what the normalizer gives on the contents
    /// of added tokens.
    pub fn with_component(&self, component: Component) -> Result<Self> {
        let is_normalizer = matches!(component, Component::Normalizer(_));
        let mut changed = self.with_changed(component);
        if is_normalizer {
            let mut added = AddedTokens::clone(&self.added);
            added.refresh(changed.normalizer.as_deref())?;
            changed.added = Arc::new(added);
        }
        Ok(changed)
    }

    /// The tokenizer after an option of one of its components was set.
    ///
    /// Added tokens go on with the spelling that they got from the normalizer as it was, as in the reference.
    #[must_use]
    pub fn with_changed(&self, component: Component) -> Self {
        let mut changed = self.clone();
        match component {
            Component::Normalizer(part) => changed.normalizer = part,
            Component::PreTokenizer(part) => changed.pre_tokenizer = part,
            Component::PostProcessor(part) => changed.post_processor = part,
            Component::Decoder(part) => changed.decoder = part,
            Component::Model(part) => changed.model = part,
        }
        changed.forget_pieces_of(self);
        changed
    }

    /// Begins with nothing known of pieces, unless they become the same as with the tokenizer before.
    fn forget_pieces_of(&mut self, before: &Self) {
        // What a piece becomes is the model's affair alone; what bytes it has is told by its key.
        let is_same_model = Arc::ptr_eq(&self.model, &before.model);
        if !is_same_model || self.runs_on_bytes() != before.runs_on_bytes() {
            self.pool = Arc::new(self.pool.emptied());
        }
    }

    fn set_part(&mut self, name: &str, node: Option<&Node>) -> Result<()> {
        let before = self.clone();
        match name {
            "truncation" => self.truncation = node.map(Truncation::from_json).transpose()?,
            "padding" => self.padding = node.map(Padding::from_json).transpose()?,
            "pre_tokenizer" => {
                self.pre_tokenizer = node.map(PreTokenizer::from_json).transpose()?.map(Arc::new);
            }
            "post_processor" => {
                self.post_processor = node.map(PostProcessor::from_json).transpose()?.map(Arc::new);
            }
            "decoder" => self.decoder = node.map(Decoder::from_json).transpose()?.map(Arc::new),
            "normalizer" => {
                self.normalizer = node.map(Normalizer::from_json).transpose()?.map(Arc::new);
                let mut added = AddedTokens::clone(&self.added);
                added.refresh(self.normalizer.as_deref())?;
                self.added = Arc::new(added);
            }
            "model" => {
                let node = node.ok_or_else(|| Error::invalid("model", "null should be a model"))?;
                self.model = Arc::new(Model::from_json(node)?);
                let mut added = AddedTokens::clone(&self.added);
                if added.leave_to_model(&self.model) {
                    self.added = Arc::new(added);
                }
            }
            _ => {
                return Err(Error::argument("name", format!("{name:?} is no part of a tokenizer")));
            }
        }
        self.forget_pieces_of(&before);
        Ok(())
    }

    /// The JSON of one part; `null` where there is none.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedTokenizer`] where a part was brought from outside.
    pub fn part_json(&self, name: &str) -> Result<Json<'_>> {
        let is_custom = match name {
            "normalizer" => self.normalizer.as_ref().is_some_and(|part| part.has_custom()),
            "pre_tokenizer" => self.pre_tokenizer.as_ref().is_some_and(|part| part.has_custom()),
            "decoder" => self.decoder.as_ref().is_some_and(|part| part.has_custom()),
            _ => false,
        };
        if is_custom {
            return Err(custom_is_not_saved(name));
        }
        Ok(match name {
            "version" => "1.0".into(),
            "truncation" => self.truncation.map(Truncation::to_json).into(),
            "padding" => self.padding.as_ref().map(Padding::to_json).into(),
            "added_tokens" => self.added.to_json(),
            "normalizer" => self.normalizer.as_ref().map(|part| part.to_json()).into(),
            "pre_tokenizer" => self.pre_tokenizer.as_ref().map(|part| part.to_json()).into(),
            "post_processor" => self.post_processor.as_ref().map(|part| part.to_json()).into(),
            "decoder" => self.decoder.as_ref().map(|part| part.to_json()).into(),
            "model" => self.model.to_json(),
            _ => {
                return Err(Error::argument("name", format!("{name:?} is no part of a tokenizer")));
            }
        })
    }

    /// The whole as the reference writes it.
    pub fn to_json(&self, pretty: bool) -> Result<String> {
        Ok(self.excerpt_json(usize::MAX)?.write(pretty))
    }

    /// The whole with the first `most` entries of each table of the model, and of the added tokens.
    pub fn excerpt_json(&self, most: usize) -> Result<Json<'_>> {
        let section = |name| match name {
            "model" => Ok(self.model.excerpt_json(most)),
            "added_tokens" => Ok(self.added.excerpt_json(most)),
            name => self.part_json(name),
        };
        let sections = SECTIONS.map(|name| Ok((name.into(), section(name)?)));
        Ok(Json::Object(sections.into_iter().collect::<Result<_>>()?))
    }
}

/// Why a component that was brought from outside is not written.
pub fn custom_is_not_saved(path: &str) -> Error {
    Error::unsupported(
        path,
        "a custom component cannot be saved, it is code; set a built-in component before saving",
    )
}

/// Builds a component that stands alone from its JSON; `name` is that of its section.
///
/// Custom components in it are `hooks` (see [`crate::encode::custom`]).
///
/// # Errors
///
/// [`Error::InvalidTokenizer`], [`Error::UnsupportedTokenizer`], with paths that start with `name`.
pub fn read_component<T>(
    name: &str,
    json: &str,
    hooks: &[Hook],
    build: impl FnOnce(&Node) -> Result<T>,
) -> Result<T> {
    build(&Node::part(&parse(json, name)?, name).with_hooks(hooks))
}

fn parse(text: &str, path: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| {
        Error::invalid(
            path,
            format!("the text is not JSON: {error}; a tokenizer file is one JSON object"),
        )
    })
}
