//! The vocabulary and the merges of a tokenizer file, read without a value for each of their texts.
//!
//! They are nearly all of a file. [`LargeTables::split`] takes them out in one pass, when they have the usual
//! form, and leaves a small document with empty ones in their place. Whatever is unusual, right or wrong, it
//! leaves alone: then the whole document is read value by value, which also finds the words for an error. So
//! there are two readers, and a property test holds them to each other.

use crate::units::TokenId;

/// A text of a table: where it stands in the file, or behind its end among the texts with escapes.
type Place = (u32, u32);

/// The large tables of a file.
#[derive(Debug)]
pub(super) struct LargeTables<'a> {
    source: &'a str,
    /// Texts that are written with escapes, without them.
    unescaped: String,
    vocab: Option<Vec<(Place, TokenId)>>,
    merges: Option<Vec<(Place, Place)>>,
}

impl<'a> LargeTables<'a> {
    /// The tables of a file, and the document without them; `None` where anything about them is unusual.
    ///
    /// The document is not checked, beyond where its values end.
    pub(super) fn split(source: &'a str) -> Option<(String, Self)> {
        u32::try_from(source.len()).ok()?;
        let tables = Self { source, unescaped: String::new(), vocab: None, merges: None };
        let mut reader = Reader { tables, at: 0, document: String::new(), copied: 0 };
        reader.document()?;
        let Reader { mut document, copied, tables, .. } = reader;
        document.push_str(&source[copied..]);
        tables.vocab.is_some().then_some((document, tables))
    }

    /// The texts of the vocabulary with their ids, in the order of the file.
    pub(super) fn vocab(&self) -> Option<impl ExactSizeIterator<Item = (&str, TokenId)>> {
        let entries = self.vocab.as_ref()?.iter();
        Some(entries.map(|&(place, id)| (self.text(place), id)))
    }

    /// The merges, in the order of the file.
    pub(super) fn merges(&self) -> Option<impl ExactSizeIterator<Item = (&str, &str)>> {
        let pairs = self.merges.as_ref()?.iter();
        Some(pairs.map(|&(left, right)| (self.text(left), self.text(right))))
    }

    fn text(&self, (start, end): Place) -> &str {
        let (start, end) = (start as usize, end as usize);
        match start.checked_sub(self.source.len()) {
            None => &self.source[start..end],
            Some(start) => &self.unescaped[start..end - self.source.len()],
        }
    }
}

/// One pass over the text of a file.
struct Reader<'a> {
    tables: LargeTables<'a>,
    at: usize,
    /// The text without the tables, up to `copied`.
    document: String,
    copied: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Option<()> {
        let mut has_model = false;
        self.members(|reader, name| {
            if name != "model" {
                return reader.skip();
            }
            // Of members of one name the last counts.
            if std::mem::replace(&mut has_model, true) {
                return None;
            }
            reader.members(|reader, name| match name {
                "vocab" if reader.tables.vocab.is_none() && reader.peek()? == b'{' => {
                    reader.table("{}", Self::vocab)
                }
                "merges" if reader.tables.merges.is_none() && reader.peek()? == b'[' => {
                    reader.table("[]", Self::merges)
                }
                "vocab" | "merges" => None,
                _ => reader.skip(),
            })
        })?;
        (self.peek().is_none() && has_model).then_some(())
    }

    /// Reads a table and writes `empty` for it.
    fn table(&mut self, empty: &str, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.document.push_str(&self.tables.source[self.copied..self.at]);
        self.document.push_str(empty);
        read(self)?;
        self.copied = self.at;
        Some(())
    }

    /// Reads an object; `read` takes each value.
    fn members(&mut self, mut read: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        self.items(b'{', b'}', |reader| {
            let (start, end) = reader.string()?;
            // A name with escapes would have to be read without them.
            let name = reader.tables.source.get(start as usize..end as usize)?;
            reader.expect(b':')?;
            reader.peek()?;
            read(reader, name)
        })
    }

    fn vocab(&mut self) -> Option<()> {
        let mut entries = Vec::new();
        self.items(b'{', b'}', |reader| {
            let place = reader.string()?;
            reader.expect(b':')?;
            entries.push((place, reader.id()?));
            Some(())
        })?;
        self.tables.vocab = Some(entries);
        Some(())
    }

    fn merges(&mut self) -> Option<()> {
        let mut pairs = Vec::new();
        let mut first = None;
        self.items(b'[', b']', |reader| {
            let form = reader.peek()?;
            if *first.get_or_insert(form) != form {
                return None;
            }
            pairs.push(if form == b'[' {
                reader.expect(b'[')?;
                let left = reader.string()?;
                reader.expect(b',')?;
                let right = reader.string()?;
                reader.expect(b']')?;
                (left, right)
            } else {
                let (start, end) = reader.string()?;
                let text = reader.tables.text((start, end));
                let (left, right) = text.split_once(' ')?;
                if right.contains(' ') || text.starts_with("#version") {
                    return None;
                }
                let middle = start + left.len() as u32;
                ((start, middle), (middle + 1, end))
            });
            Some(())
        })?;
        self.tables.merges = Some(pairs);
        Some(())
    }

    /// Reads a list or an object; `read` takes each item.
    fn items(
        &mut self,
        open: u8,
        close: u8,
        mut read: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.expect(open)?;
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            read(self)?;
            let next = self.peek()?;
            self.at += 1;
            if next == close {
                return Some(());
            }
            if next != b',' {
                return None;
            }
        }
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.tables.source.as_bytes();
        while matches!(bytes.get(self.at)?, b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        found.then_some(())
    }

    /// Reads an id: digits alone.
    fn id(&mut self) -> Option<TokenId> {
        self.peek()?;
        let rest = &self.tables.source.as_bytes()[self.at..];
        let count = rest.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        // Neither 01, nor 1.0 or 1e3, nor what might not fit.
        if count == 0 || count > 9 || (count > 1 && rest[0] == b'0') {
            return None;
        }
        if matches!(rest.get(count), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.at += count;
        Some(rest[..count].iter().fold(0, |id, byte| id * 10 + TokenId::from(byte - b'0')))
    }

    fn string(&mut self) -> Option<Place> {
        self.expect(b'"')?;
        let start = self.at;
        let (end, has_escapes) = self.string_end()?;
        if !has_escapes {
            return Some((start as u32, end as u32));
        }
        let text: String = serde_json::from_str(self.tables.source.get(start - 1..=end)?).ok()?;
        let first = self.tables.source.len() + self.tables.unescaped.len();
        self.tables.unescaped.push_str(&text);
        Some((u32::try_from(first).ok()?, u32::try_from(first + text.len()).ok()?))
    }

    /// Goes behind the string that has begun; where it ends, and whether it has escapes.
    fn string_end(&mut self) -> Option<(usize, bool)> {
        let bytes = self.tables.source.as_bytes();
        let mut has_escapes = false;
        loop {
            match bytes.get(self.at)? {
                b'"' => break,
                b'\\' => {
                    has_escapes = true;
                    self.at += 2;
                }
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some((self.at - 1, has_escapes))
    }

    /// Goes behind a value, whatever it is.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    self.string_end()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                b',' | b':' => return None,
                _ => self.skip_plain(),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Goes behind a number or a word.
    fn skip_plain(&mut self) {
        let rest = &self.tables.source.as_bytes()[self.at..];
        let is_end = |byte: &u8| b" \n\r\t,:]}\"[{".contains(byte);
        self.at += rest.iter().position(is_end).unwrap_or(rest.len());
    }
}

#[cfg(test)]
mod tests {
    use super::LargeTables;

    #[test]
    fn tables_are_taken_out_of_the_document() {
        let text = r#"{"a": [1, {"vocab": "}"}], "model": {"type": "BPE",
            "vocab": {"x": 0, "\u00e9\"": 1, "é": 20}, "n": -1.5e3, "merges": ["x é", "\\ x"]}}"#;
        let expected = r#"{"a": [1, {"vocab": "}"}], "model": {"type": "BPE",
            "vocab": {}, "n": -1.5e3, "merges": []}}"#;
        let split = LargeTables::split(text);

        assert_eq!(Some(expected), split.as_ref().map(|(document, _)| document.as_str()));
        let tables = split.as_ref().map(|(_, tables)| tables);
        let vocab: Option<Vec<_>> = tables.and_then(LargeTables::vocab).map(Iterator::collect);
        assert_eq!(Some(vec![("x", 0), ("é\"", 1), ("é", 20)]), vocab);
        let merges: Option<Vec<_>> = tables.and_then(LargeTables::merges).map(Iterator::collect);
        assert_eq!(Some(vec![("x", "é"), ("\\", "x")]), merges);
    }

    #[test]
    fn what_is_unusual_is_left_alone() {
        let unusual = [
            r#"{"model": {"vocab": []}}"#,
            r#"{"model": {"vocab": {"a": -1}}}"#,
            r#"{"model": {"vocab": {"a": 1.0}}}"#,
            r#"{"model": {"vocab": {"a": 01}}}"#,
            r#"{"model": {"vocab": {"a": 4294967295}}}"#,
            r#"{"model": {"vocab": {"\ud800": 1}}}"#,
            r#"{"model": {"vocab": {"a": 1,}}}"#,
            r#"{"model": {"vocab": {"a": 1}, "vocab": {"b": 2}}}"#,
            r#"{"model": {"vocab": {"a": 1}}, "model": {}}"#,
            r#"{"model": {"vocab": {"a": 1}, "merges": ["a b c"]}}"#,
            r##"{"model": {"vocab": {"a": 1}, "merges": ["#version: 0.2"]}}"##,
            r#"{"model": {"vocab": {"a": 1}, "merges": [["a"]]}}"#,
            r#"{"model": {"vocab": {"a": 1}, "merges": ["a b", ["a", "b"]]}}"#,
            r#"{"mod\u0065l": {"vocab": {"a": 1}}}"#,
            r#"{"model": {"vocab": {"a": 1}}} x"#,
            "{\"model\": {\"vocab\": {\"a\n\": 1}}}",
            r#"{"model": {"vocab": {"a": 1}}"#,
            "",
        ];
        for text in unusual {
            assert!(LargeTables::split(text).is_none(), "{text}");
        }
    }
}
