//! The tables of the pre-tokenizers against what the reference does to every character.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::encode::pre_tokenizers::{punctuation, unicode_scripts::UnicodeScripts, whitespace};
use crate::error::{Error, Result};

const FROZEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/unicode_classes.json"));

/// The numbers of the rows under `name`.
fn rows(name: &str) -> Result<Vec<Vec<u32>>> {
    let frozen: BTreeMap<String, Value> =
        serde_json::from_str(FROZEN).map_err(|error| Error::internal(error.to_string()))?;
    let rows = frozen.get(name).cloned().unwrap_or_default();
    serde_json::from_value(rows).map_err(|error| Error::internal(error.to_string()))
}

/// The characters of a row that starts with its first and last code.
fn characters(row: &[u32]) -> impl Iterator<Item = char> {
    (row[0]..=row[1]).filter_map(char::from_u32)
}

fn assert_class(name: &str, ours: impl Fn(char) -> bool) -> Result<()> {
    let theirs: Vec<char> = rows(name)?.iter().flat_map(|row| characters(row)).collect();
    let ours: Vec<char> = (char::MIN..=char::MAX).filter(|&character| ours(character)).collect();
    assert!(theirs == ours, "{name}: {} characters, not {}", ours.len(), theirs.len());
    Ok(())
}

#[test]
fn classes_are_those_of_the_reference() -> Result<()> {
    let marks = punctuation::marks()?;

    assert_class("white_space", char::is_whitespace)?;
    assert_class("numeric", char::is_numeric)?;
    assert_class("punctuation", |character| marks.contains(character))?;
    assert_class("word", whitespace::is_word)
}

#[test]
fn scripts_are_those_of_the_reference() -> Result<()> {
    let table = UnicodeScripts::new()?;
    assert_class("any_script", |character| table.script(character).is_none())?;
    let mut names = BTreeMap::new();
    for row in rows("scripts")? {
        for character in characters(&row) {
            let ours = table.script(character);
            assert_eq!(*names.entry(row[2]).or_insert(ours), ours, "{character:?}");
        }
    }
    let mut different: Vec<_> = names.values().collect();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), names.len());
    Ok(())
}
