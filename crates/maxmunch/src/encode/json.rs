//! Reading JSON with the path of every value at hand, and writing it exactly as the reference does.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::Value;

use crate::encode::custom::Hook;
use crate::encode::large_tables::LargeTables;
use crate::error::{Error, Result};

/// A value of a tokenizer file and where it stands, such as `pre_tokenizer.pretokenizers[1]`.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    value: &'a Value,
    path: String,
    /// What `{"type": "Custom"}` stands for.
    hooks: &'a [Hook],
    /// The tables that were taken out of the document.
    tables: Option<&'a LargeTables<'a>>,
}

impl<'a> Node<'a> {
    /// The document itself.
    pub fn root(value: &'a Value) -> Self {
        Self { value, path: String::new(), hooks: &[], tables: None }
    }

    /// The value of a part that stands alone, under the name it has in a file.
    pub fn part(value: &'a Value, name: &str) -> Self {
        Self { value, path: name.to_owned(), hooks: &[], tables: None }
    }

    /// The same value; custom components in it are `hooks`.
    #[must_use]
    pub fn with_hooks(self, hooks: &'a [Hook]) -> Self {
        Self { hooks, ..self }
    }

    /// The same value; its large tables are `tables`.
    #[must_use]
    pub(super) fn with_tables(self, tables: &'a LargeTables<'a>) -> Self {
        Self { tables: Some(tables), ..self }
    }

    /// The tables that were taken out of the document, if they were.
    pub(super) fn tables(&self) -> Option<&'a LargeTables<'a>> {
        self.tables
    }

    /// The hook that `{"type": "Custom", "hook": n}` names; nothing in a file names one.
    pub fn hook(&self) -> Option<&'a Hook> {
        let index = self.value.get("hook")?.as_u64()?;
        self.hooks.get(usize::try_from(index).ok()?)
    }

    /// The value itself.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// Where it stands; `$` is the document.
    pub fn path(&self) -> &str {
        if self.path.is_empty() { "$" } else { &self.path }
    }

    fn child(&self, value: &'a Value, name: &str) -> Node<'a> {
        let path =
            if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Node { value, path, hooks: self.hooks, tables: self.tables }
    }

    /// "The value breaks this rule", as a malformed file.
    pub fn invalid(&self, rule: impl AsRef<str>) -> Error {
        Error::invalid(self.path(), format!("{} {}", shown(self.value), rule.as_ref()))
    }

    /// "The value is well-formed but not reproduced".
    pub fn unsupported(&self, remedy: impl AsRef<str>) -> Error {
        Error::unsupported(
            self.path(),
            format!("{} is not reproduced by maxmunch; {}", shown(self.value), remedy.as_ref()),
        )
    }

    /// The member `name`; an object without it is malformed.
    pub fn field(&self, name: &str) -> Result<Node<'a>> {
        match self.value {
            Value::Object(members) => members
                .get(name)
                .map(|value| self.child(value, name))
                .ok_or_else(|| self.invalid(format!("has no field {name:?}, which is required"))),
            _ => Err(self.invalid("should be an object")),
        }
    }

    /// The member `name` unless it is absent or `null`.
    pub fn optional(&self, name: &str) -> Option<Node<'a>> {
        let value = self.value.get(name)?;
        (!value.is_null()).then(|| self.child(value, name))
    }

    /// The member `name` unless it is absent; `null` is a value like any other.
    pub fn present(&self, name: &str) -> Option<Node<'a>> {
        self.value.get(name).map(|value| self.child(value, name))
    }

    /// All members, sorted by name.
    pub fn members(&self) -> Result<impl Iterator<Item = (&'a str, Node<'a>)> + '_> {
        let members = self.value.as_object().ok_or_else(|| self.invalid("should be an object"))?;
        Ok(members.iter().map(|(name, value)| (name.as_str(), self.child(value, name))))
    }

    /// All elements in order.
    pub fn elements(&self) -> Result<Vec<Node<'a>>> {
        let elements = self.value.as_array().ok_or_else(|| self.invalid("should be a list"))?;
        Ok(elements
            .iter()
            .enumerate()
            .map(|(index, value)| Node {
                value,
                path: format!("{}[{index}]", self.path()),
                hooks: self.hooks,
                tables: self.tables,
            })
            .collect())
    }

    /// A text.
    pub fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.invalid("should be a string"))
    }

    /// One character.
    pub fn character(&self) -> Result<char> {
        let mut chars = self.text()?.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(self.invalid("should be a string of one character")),
        }
    }

    /// `true` or `false`.
    pub fn flag(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.invalid("should be true or false"))
    }

    /// A whole number that fits the id of a model's token.
    pub fn id(&self) -> Result<u32> {
        self.number32().ok().filter(|&number| number != u32::MAX).ok_or_else(|| {
            self.invalid(format!("should be a whole number from 0 to {}", u32::MAX - 1))
        })
    }

    /// A whole number of 32 bits.
    pub fn number32(&self) -> Result<u32> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        number
            .ok_or_else(|| self.invalid(format!("should be a whole number from 0 to {}", u32::MAX)))
    }

    /// A whole number.
    pub fn count(&self) -> Result<usize> {
        self.value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| self.invalid("should be a whole number, 0 or more"))
    }

    /// A seed: a whole number of 64 bits.
    pub fn seed(&self) -> Result<u64> {
        self.value.as_u64().ok_or_else(|| self.invalid("should be a whole number, 0 or more"))
    }

    /// A number.
    pub fn number(&self) -> Result<f64> {
        self.value.as_f64().ok_or_else(|| self.invalid("should be a number"))
    }

    /// The text member `name`.
    pub fn text_of(&self, name: &str) -> Result<&'a str> {
        self.field(name)?.text()
    }

    /// The flag member `name`.
    pub fn flag_of(&self, name: &str) -> Result<bool> {
        self.field(name)?.flag()
    }

    /// The flag member `name`, `default` where it is absent.
    pub fn flag_or(&self, name: &str, default: bool) -> Result<bool> {
        self.present(name).map_or(Ok(default), |node| node.flag())
    }

    /// The text member `name`, unless it is absent or `null`.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>> {
        self.optional(name).map(|node| node.text().map(str::to_owned)).transpose()
    }

    /// Which component an object describes.
    pub fn kind(&self) -> Result<&'a str> {
        self.text_of("type")
    }

    /// The error for a component type that is not in `known`.
    pub fn unknown_kind(&self, known: &[&str]) -> Error {
        match self.field("type") {
            Ok(kind) => kind.unsupported(format!("supported here: {}", known.join(", "))),
            Err(error) => error,
        }
    }
}

/// The value as a message shows it: short.
fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = match value {
        Value::Object(members) if members.len() > 4 => {
            format!("an object of {} members", members.len())
        }
        Value::Array(elements) if elements.len() > 8 => {
            format!("a list of {} elements", elements.len())
        }
        _ => value.to_string(),
    };
    if text.chars().count() <= MOST {
        return text;
    }
    format!("{}…", text.chars().take(MOST).collect::<String>())
}

/// Hands each element of a list to what writes it.
pub type Rows<'a> = Box<dyn Fn(&mut dyn FnMut(Json<'_>)) + 'a>;

/// A JSON document whose members keep their order; texts may be borrowed from what it describes.
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A whole number.
    Int(u64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Json<'a>>),
    /// A list of so many elements that each is made when it is written.
    Rows(Rows<'a>),
    /// An object.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// A value that was read.
    pub fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => match number.as_u64() {
                Some(whole) => Json::Int(whole),
                None => Json::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => text.as_str().into(),
            Value::Array(elements) => Json::List(elements.iter().map(Self::of).collect()),
            Value::Object(members) => Json::Object(
                members.iter().map(|(name, value)| (name.into(), Self::of(value))).collect(),
            ),
        }
    }

    /// An object of a component: its type, then its members.
    pub fn component<const N: usize>(kind: &'a str, members: [(&'a str, Self); N]) -> Self {
        Self::component_of(kind, members.into())
    }

    /// As [`Self::component`], from a list of members.
    pub fn component_of(kind: &'a str, members: Vec<(&'a str, Self)>) -> Self {
        let kind = std::iter::once(("type".into(), kind.into()));
        let members = members.into_iter().map(|(name, value)| (name.into(), value));
        Json::Object(kind.chain(members).collect())
    }

    /// An object.
    pub fn object<const N: usize>(members: [(&'a str, Self); N]) -> Self {
        Json::Object(members.map(|(name, value)| (name.into(), value)).into())
    }

    /// The text without white space, or indented by two spaces as `serde_json` does it.
    pub fn write(&self, pretty: bool) -> String {
        let mut out = String::new();
        self.append(&mut out, pretty.then_some(0));
        out
    }

    fn append(&self, out: &mut String, indent: Option<usize>) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Int(value) => {
                // A String takes everything that is written to it.
                let _ = write!(out, "{value}");
            }
            Json::Float(value) => out.push_str(&Value::from(*value).to_string()),
            Json::Text(value) => append_text(out, value),
            Json::List(elements) => {
                append_group(out, indent, '[', ']', elements, |out, element, indent| {
                    element.append(out, indent);
                });
            }
            Json::Rows(rows) => {
                let mut count = 0;
                out.push('[');
                rows(&mut |element| {
                    if count > 0 {
                        out.push(',');
                    }
                    count += 1;
                    append_line(out, indent.map(|depth| depth + 1));
                    element.append(out, indent.map(|depth| depth + 1));
                });
                if count > 0 {
                    append_line(out, indent);
                }
                out.push(']');
            }
            Json::Object(members) => {
                append_group(out, indent, '{', '}', members, |out, (name, value), indent| {
                    append_text(out, name);
                    out.push_str(if indent.is_some() { ": " } else { ":" });
                    value.append(out, indent);
                });
            }
        }
    }
}

/// Writes a string.
pub(super) fn append_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_escaped) {
        // Such a byte is a whole character.
        let (plain, escaped) = (&rest[..at], rest.as_bytes()[at]);
        out.push_str(plain);
        match escaped {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x8 => out.push_str("\\b"),
            0xC => out.push_str("\\f"),
            control => {
                // A String takes everything that is written to it.
                let _ = write!(out, "\\u{control:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn append_line(out: &mut String, depth: Option<usize>) {
    if let Some(depth) = depth {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}

fn append_group<T>(
    out: &mut String,
    indent: Option<usize>,
    open: char,
    close: char,
    items: &[T],
    mut append: impl FnMut(&mut String, &T, Option<usize>),
) {
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        append_line(out, indent.map(|depth| depth + 1));
        append(out, item, indent.map(|depth| depth + 1));
    }
    if !items.is_empty() {
        append_line(out, indent);
    }
    out.push(close);
}

impl From<bool> for Json<'_> {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}

impl From<u32> for Json<'_> {
    fn from(value: u32) -> Self {
        Json::Int(u64::from(value))
    }
}

impl From<usize> for Json<'_> {
    fn from(value: usize) -> Self {
        Json::Int(value as u64)
    }
}

impl From<f64> for Json<'_> {
    fn from(value: f64) -> Self {
        Json::Float(value)
    }
}

impl<'a> From<&'a str> for Json<'a> {
    fn from(value: &'a str) -> Self {
        Json::Text(value.into())
    }
}

impl From<char> for Json<'_> {
    fn from(value: char) -> Self {
        Json::Text(value.to_string().into())
    }
}

impl<'a, T: Into<Json<'a>>> From<Option<T>> for Json<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::Null, Into::into)
    }
}

impl<'a, T: Into<Json<'a>>> From<Vec<T>> for Json<'a> {
    fn from(value: Vec<T>) -> Self {
        Json::List(value.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Json, Node};

    #[test]
    fn it_writes_what_serde_json_writes() -> Result<(), serde_json::Error> {
        let document = Json::object([
            ("a", Json::List(vec![1_u32.into(), 0.5.into(), Json::Null, Json::List(vec![])])),
            ("b", Json::object([("\u{1}\"é\\\n\u{7f}", true.into())])),
            ("c", Json::object([])),
            ("d", Json::Rows(Box::new(|_| ()))),
            (
                "e",
                Json::Rows(Box::new(|write| {
                    write("x".into());
                    write("y".into());
                })),
            ),
        ]);
        let same = json!({
            "a": [1, 0.5, null, []], "b": {"\u{1}\"é\\\n\u{7f}": true}, "c": {}, "d": [], "e": ["x", "y"],
        });

        assert_eq!(serde_json::to_string(&same)?, document.write(false));
        assert_eq!(serde_json::to_string_pretty(&same)?, document.write(true));
        Ok(())
    }

    #[test]
    fn an_error_names_path_value_and_rule() {
        let document = json!({"model": {"merges": [1, "a b"]}});
        let refused = Node::root(&document)
            .field("model")
            .and_then(|model| model.field("merges"))
            .and_then(|merges| merges.elements())
            .and_then(|elements| elements[0].text());

        let message = refused.err().map(|error| error.to_string());
        assert_eq!(Some("model.merges[0]: 1 should be a string".to_owned()), message);
    }
}
