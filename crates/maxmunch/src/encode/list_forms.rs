//! Lists that stand for objects.
//!
//! The reference reads a list of the values of an object's members, in their order, where it tries components one
//! after the other or derives how an object is read; and `{"Isolated": null}` where `"Isolated"` would do. Nobody
//! writes such files on purpose. They become the objects that the reference takes them for before they are read.

use serde_json::{Map, Value};

const TRUNCATION: [&str; 4] = ["direction", "max_length", "strategy", "stride"];
const PADDING: [&str; 6] =
    ["strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"];

/// Puts objects in the place of the lists in a tokenizer file that stand for them.
pub(super) fn replace(document: &mut Value) {
    let Some(sections) = document.as_object_mut() else { return };
    for (name, value) in sections {
        match name.as_str() {
            "truncation" => {
                name_members(value, &TRUNCATION);
                words(value, &["direction", "strategy"]);
            }
            "padding" => {
                name_members(value, &PADDING);
                words(value, &["direction", "strategy"]);
            }
            "normalizer" => component(value, "normalizers", normalizer),
            "pre_tokenizer" => component(value, "pretokenizers", pre_tokenizer),
            "post_processor" => component(value, "processors", post_processor),
            "decoder" => component(value, "decoders", decoder),
            _ => {}
        }
    }
}

/// Makes an object of a list of as many values as it has members.
fn name_members(value: &mut Value, names: &[&str]) {
    if let Value::Array(values) = value
        && values.len() == names.len()
    {
        let values = std::mem::take(values);
        let members = names.iter().map(|&name| name.to_owned()).zip(values);
        *value = Value::Object(members.collect());
    }
}

/// Makes a word of an object that has it as its only member, of no value.
fn words(value: &mut Value, names: &[&str]) {
    for name in names {
        let Some(member) = value.get_mut(*name) else { continue };
        let word = member.as_object().filter(|members| members.len() == 1);
        let word = word.and_then(|members| members.iter().next());
        if let Some((word, Value::Null)) = word {
            *member = Value::String(word.clone());
        }
    }
}

/// A component, and those in its list `parts`; `members` tells which members a list stands for, and of which type.
fn component(value: &mut Value, parts: &str, members: fn(&[Value]) -> Option<Members>) {
    if let Value::Array(values) = value
        && let Some(Members(kind, names)) = members(values)
    {
        let kind = kind.to_owned();
        if names.is_empty() {
            *value = Value::Object(Map::new());
        } else {
            name_members(value, names);
        }
        value["type"] = Value::String(kind);
    }
    words(value, &["behavior", "prepend_scheme"]);
    template(value);
    if let Some(Value::Array(list)) = value.get_mut(parts) {
        for part in list {
            component(part, parts, members);
        }
    }
}

/// The type of a component, and its members; without members the type is all that stands in the list.
struct Members(&'static str, &'static [&'static str]);

fn normalizer(values: &[Value]) -> Option<Members> {
    const ALONE: [&str; 7] = ["StripAccents", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Nmt"];
    use Value::{Array, Bool, Null, Object, String};
    Some(match values {
        [Bool(_), Bool(_), Bool(_) | Null, Bool(_)] => Members(
            "BertNormalizer",
            &["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"],
        ),
        [Bool(_), Bool(_)] => Members("Strip", &["strip_left", "strip_right"]),
        [Array(_)] => Members("Sequence", &["normalizers"]),
        [Object(_), String(_)] => Members("Replace", &["pattern", "content"]),
        [String(text)] => match ALONE.iter().find(|&name| name == text) {
            Some(name) => Members(name, &[]),
            None => Members("Prepend", &["prepend"]),
        },
        _ => return None,
    })
}

fn pre_tokenizer(values: &[Value]) -> Option<Members> {
    const ALONE: [&str; 4] =
        ["BertPreTokenizer", "UnicodeScripts", "Whitespace", "WhitespaceSplit"];
    match values {
        [Value::String(kind), _, _, _] if kind == "Split" => {
            Some(Members("Split", &["type", "pattern", "behavior", "invert"]))
        }
        [Value::String(kind)] => {
            ALONE.iter().find(|&name| name == kind).map(|name| Members(name, &[]))
        }
        _ => None,
    }
}

fn decoder(values: &[Value]) -> Option<Members> {
    use Value::{Bool, Number, Object, String};
    Some(match values {
        [String(_)] => Members("BPEDecoder", &["suffix"]),
        [String(_), Bool(_)] => Members("WordPiece", &["prefix", "cleanup"]),
        [String(_), String(_), Bool(_)] => {
            Members("CTC", &["pad_token", "word_delimiter_token", "cleanup"])
        }
        [Object(_), String(_)] => Members("Replace", &["pattern", "content"]),
        [String(_), Number(_), Number(_)] => Members("Strip", &["content", "start", "stop"]),
        _ => return None,
    })
}

fn post_processor(values: &[Value]) -> Option<Members> {
    use Value::{Array, Bool, Object};
    Some(match values {
        [Array(_), Array(_)] => Members("BertProcessing", &["sep", "cls"]),
        [Array(_), Array(_), Bool(_), Bool(_)] => {
            Members("RobertaProcessing", &["sep", "cls", "trim_offsets", "add_prefix_space"])
        }
        [Array(_), Array(_), Object(_)] => {
            Members("TemplateProcessing", &["single", "pair", "special_tokens"])
        }
        _ => return None,
    })
}

/// The pieces and special tokens of a template.
fn template(value: &mut Value) {
    if value.get("type").and_then(Value::as_str) != Some("TemplateProcessing") {
        return;
    }
    for name in ["single", "pair"] {
        let pieces = value.get_mut(name).and_then(Value::as_array_mut);
        for piece in pieces.into_iter().flatten() {
            for (_, piece) in piece.as_object_mut().into_iter().flatten() {
                name_members(piece, &["id", "type_id"]);
                words(piece, &["id"]);
            }
        }
    }
    let specials = value.get_mut("special_tokens").and_then(Value::as_object_mut);
    for (_, special) in specials.into_iter().flatten() {
        name_members(special, &["id", "ids", "tokens"]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::replace;

    #[test]
    fn lists_become_what_the_reference_takes_them_for() {
        let mut document = json!({
            "truncation": ["Right", 5, {"LongestFirst": null}, 0],
            "normalizer": [[["NFC"], [true, false], ["x"]]],
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [["Whitespace"], ["Digits", true]]},
            "decoder": ["Fuse"],
            "model": ["WordLevel", {}],
        });
        let objects = json!({
            "truncation": {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0},
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "NFC"},
                {"type": "Strip", "strip_left": true, "strip_right": false},
                {"type": "Prepend", "prepend": "x"},
            ]},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}, ["Digits", true]]},
            "decoder": {"type": "BPEDecoder", "suffix": "Fuse"},
            "model": ["WordLevel", {}],
        });
        replace(&mut document);

        assert_eq!(objects, document);
    }
}
