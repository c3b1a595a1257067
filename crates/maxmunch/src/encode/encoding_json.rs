//! Encodings as JSON: what pickles hold, in the reference's form.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::encode::encoding::Encoding;
use crate::encode::json::{Json, Node, append_text};
use crate::encode::tokenizer_json::read_component;
use crate::error::Result;

/// Most encodings inside each other that are read at once.
const MOST_LEVELS: usize = 16;

impl Encoding {
    /// The columns, with the text of each token as `text` gives it.
    pub fn to_json<'a>(&'a self, text: &impl Fn(&'a Self, usize) -> &'a str) -> String {
        let mut out = String::new();
        self.append_json(text, &mut out);
        out
    }

    fn append_json<'a>(&'a self, text: &impl Fn(&'a Self, usize) -> &'a str, out: &mut String) {
        // PERF: written at once; a tree of the document takes twice as long.
        let numbers = |name, column: &[u32], out: &mut String| {
            append_list(name, column, out, append);
        };
        out.push('{');
        numbers("ids", &self.ids, out);
        numbers("type_ids", &self.type_ids, out);
        append_list("tokens", 0..self.len(), out, |out, index| append_text(out, text(self, index)));
        append_list("words", &self.words, out, |out, word| match word {
            Some(word) => append(out, word),
            None => out.push_str("null"),
        });
        append_list("offsets", &self.offsets, out, |out, (start, end)| {
            append(out, format_args!("[{start},{end}]"));
        });
        numbers("special_tokens_mask", &self.special_tokens_mask, out);
        numbers("attention_mask", &self.attention_mask, out);
        append_list("overflowing", &self.overflowing, out, |out, part| part.append_json(text, out));
        let ranges = self.sequence_ranges.iter().map(|(index, range)| {
            let range = [("start", range.start.into()), ("end", range.end.into())];
            (index.to_string().into(), Json::object(range))
        });
        out.push_str("\"sequence_ranges\":");
        out.push_str(&Json::Object(ranges.collect()).write(false));
        out.push('}');
    }

    /// Reads what [`Self::to_json`] gives.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTokenizer`](crate::Error::InvalidTokenizer) with the path of what is missing or malformed.
    pub fn from_json(text: &str) -> Result<Self> {
        // The slow way reads the same, and knows what is wrong.
        read(text, MOST_LEVELS)
            .map_or_else(|| read_component("state", text, &[], Self::from_node), Ok)
    }

    fn from_node(node: &Node) -> Result<Self> {
        let numbers = |name| column(node, name, number);
        let ranges = node.field("sequence_ranges")?;
        let ranges = ranges.members()?.map(|(index, range)| {
            let index = index.parse().map_err(|_| range.invalid("should stand for a sequence"))?;
            Ok((index, range.field("start")?.count()?..range.field("end")?.count()?))
        });
        let overflowing = node.field("overflowing")?;
        Ok(Self {
            ids: numbers("ids")?,
            type_ids: numbers("type_ids")?,
            texts: column(node, "tokens", |text| Some(Some(Arc::from(text.as_str()?))))?,
            offsets: column(node, "offsets", pair)?,
            words: column(node, "words", |word| match word {
                Value::Null => Some(None),
                word => number(word).map(Some),
            })?,
            special_tokens_mask: numbers("special_tokens_mask")?,
            attention_mask: numbers("attention_mask")?,
            overflowing: overflowing
                .elements()?
                .iter()
                .map(Self::from_node)
                .collect::<Result<_>>()?,
            sequence_ranges: ranges.collect::<Result<_>>()?,
        })
    }
}

/// Reads each column by itself; `None` where it is not as `to_json` writes it.
///
/// PERF: a tree of the document takes twice as long, and 10 to 20 times the memory of its text.
fn read(text: &str, levels: usize) -> Option<Encoding> {
    let members: BTreeMap<&str, &RawValue> = serde_json::from_str(text).ok()?;
    let member = |name| members.get(name).map(|value| value.get());
    let numbers = |name| serde_json::from_str::<Vec<u32>>(member(name)?).ok();
    let texts: Vec<String> = serde_json::from_str(member("tokens")?).ok()?;
    let parts: Vec<&RawValue> = serde_json::from_str(member("overflowing")?).ok()?;
    let deeper = levels.checked_sub(1)?;
    Some(Encoding {
        ids: numbers("ids")?,
        type_ids: numbers("type_ids")?,
        texts: texts.into_iter().map(|text| Some(Arc::from(text))).collect(),
        offsets: serde_json::from_str(member("offsets")?).ok()?,
        words: serde_json::from_str(member("words")?).ok()?,
        special_tokens_mask: numbers("special_tokens_mask")?,
        attention_mask: numbers("attention_mask")?,
        overflowing: parts
            .into_iter()
            .map(|part| read(part.get(), deeper))
            .collect::<Option<_>>()?,
        sequence_ranges: serde_json::from_str(member("sequence_ranges")?).ok()?,
    })
}

/// Writes the member `name` and a comma.
fn append_list<T>(
    name: &str,
    elements: impl IntoIterator<Item = T>,
    out: &mut String,
    mut write: impl FnMut(&mut String, T),
) {
    append(out, format_args!("\"{name}\":["));
    for (index, element) in elements.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, element);
    }
    out.push_str("],");
}

fn append(out: &mut String, value: impl std::fmt::Display) {
    // A String takes everything that is written to it.
    let _ = write!(out, "{value}");
}

/// The list `name`, whose elements are too many for a [`Node`] each.
fn column<T>(node: &Node, name: &str, read: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>> {
    let list = node.field(name)?;
    let elements = list.value().as_array().and_then(|all| all.iter().map(read).collect());
    elements.ok_or_else(|| list.invalid("should be a list of what an encoding has there"))
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

fn pair(value: &Value) -> Option<(usize, usize)> {
    let place = |value: &Value| usize::try_from(value.as_u64()?).ok();
    match value.as_array()?.as_slice() {
        [start, end] => Some((place(start)?, place(end)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Encoding, MOST_LEVELS, read};
    use crate::encode::encoding::Direction;
    use crate::encode::json::Node;

    fn own(encoding: &Encoding, index: usize) -> &str {
        encoding.texts[index].as_deref().unwrap_or_default()
    }

    #[test]
    fn what_is_written_is_read() -> crate::Result<()> {
        let tokens = [(7, Arc::from("\"a\\")), (8, Arc::from("é")), (9, Arc::from(""))];
        let mut encoding = Encoding::specials(tokens, 1);
        encoding.words[1] = Some(3);
        encoding.offsets[2] = (4, 5);
        encoding.truncate(2, 0, Direction::Right)?;
        encoding.set_sequence_id(1);

        let written = encoding.to_json(&own);
        let value = serde_json::from_str(&written).unwrap_or_default();

        assert_eq!(encoding, Encoding::from_json(&written)?);
        assert_eq!(Some(&encoding), read(&written, MOST_LEVELS).as_ref());
        assert_eq!(encoding, Encoding::from_node(&Node::root(&value))?);
        Ok(())
    }

    fn check(text: &str) {
        let slow = serde_json::from_str(text).ok();
        let slow = slow.and_then(|value| Encoding::from_node(&Node::root(&value)).ok());
        if let Some(fast) = read(text, MOST_LEVELS) {
            assert_eq!(Some(fast), slow, "{text}");
        }
    }

    #[test]
    fn what_is_read_fast_is_read_slowly() {
        let written = Encoding::specials([(7, Arc::from("\"\u{e9}\\"))], 1).to_json(&own);
        let changes = ["7", "\"", "[", "]", "null", "{", "}", "1.0", "-1", "4294967296", "1", ":"];
        for at in (0..written.len()).filter(|&at| written.is_char_boundary(at)) {
            for change in changes {
                let mut changed = written.clone();
                changed.insert_str(at, change);
                check(&changed);
                changed.truncate(at + change.len());
                check(&changed);
            }
        }
    }

    #[test]
    fn encodings_deep_inside_each_other_are_an_error() {
        let mut written = Encoding::default().to_json(&own);
        for _ in 0..1000 {
            let inside = Encoding::default().to_json(&own);
            written = inside.replace("\"overflowing\":[]", &format!("\"overflowing\":[{written}]"));
        }
        assert!(Encoding::from_json(&written).is_err());
        assert!(Encoding::from_json("{\"ids\":[1]}").is_err());
    }
}
