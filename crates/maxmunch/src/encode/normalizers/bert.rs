//! `BertNormalizer`: clean, space Chinese characters, strip accents, lowercase, in this order.

use std::sync::Arc;

use crate::encode::aligned::AlignedText;
use crate::encode::categories::{is_mark, is_other};
use crate::encode::json::{Json, Node};
use crate::encode::normalizers::bert_table::BertTable;
use crate::encode::normalizers::{Form, chars};
use crate::error::Result;

/// The component: its options, and what they make of single characters.
#[derive(Debug, Clone)]
pub struct BertNormalizer {
    options: BertOptions,
    table: Arc<BertTable>,
}

impl PartialEq for BertNormalizer {
    fn eq(&self, other: &Self) -> bool {
        self.options == other.options
    }
}

/// The four options of the component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BertOptions {
    clean_text: bool,
    handle_chinese_chars: bool,
    /// `None`: as `lowercase` says.
    strip_accents: Option<bool>,
    lowercase: bool,
}

impl BertNormalizer {
    fn new(options: BertOptions) -> Self {
        let strips_accents = options.strip_accents.unwrap_or(options.lowercase);
        Self { options, table: Arc::new(BertTable::new(strips_accents)) }
    }

    pub(super) fn from_json(node: &Node) -> Result<Self> {
        Ok(Self::new(BertOptions {
            clean_text: node.flag_of("clean_text")?,
            handle_chinese_chars: node.flag_of("handle_chinese_chars")?,
            strip_accents: node.optional("strip_accents").map(|value| value.flag()).transpose()?,
            lowercase: node.flag_of("lowercase")?,
        }))
    }

    pub(super) fn to_json(&self) -> Json<'_> {
        self.options.to_json()
    }

    pub(super) fn apply<'a>(&self, text: AlignedText<'a>, tracked: bool) -> AlignedText<'a> {
        if !tracked && !text.has_front() {
            let one = |text: &str| {
                self.options.apply(AlignedText::unchanged(text, 0), false).text().to_owned()
            };
            if let Some(normalized) = self.table.apply(text.text(), one) {
                return text.replaced_by(normalized);
            }
        }
        self.options.apply(text, tracked)
    }
}

impl BertOptions {
    fn to_json(self) -> Json<'static> {
        Json::component(
            "BertNormalizer",
            [
                ("clean_text", self.clean_text.into()),
                ("handle_chinese_chars", self.handle_chinese_chars.into()),
                ("strip_accents", self.strip_accents.into()),
                ("lowercase", self.lowercase.into()),
            ],
        )
    }

    /// The definition, step by step.
    fn apply(self, mut text: AlignedText<'_>, tracked: bool) -> AlignedText<'_> {
        if self.clean_text {
            text = chars::filter(text, tracked, |character| !is_dropped(character));
            text = chars::map(text, tracked, |c| if c.is_whitespace() { ' ' } else { c });
        }
        let spaces = |text: &AlignedText| text.has_front() || text.text().chars().any(is_chinese);
        if self.handle_chinese_chars && spaces(&text) {
            let spaced = text.text().chars().flat_map(|character| {
                // The space before takes the place of the character, which is then put in.
                let spaced = [(' ', 0), (character, 1), (' ', 1)];
                let plain = [(character, 0)];
                let chinese = is_chinese(character);
                spaced
                    .into_iter()
                    .filter(move |_| chinese)
                    .chain(plain.into_iter().filter(move |_| !chinese))
            });
            text = text.transform(spaced, tracked);
        }
        if self.strip_accents.unwrap_or(self.lowercase) {
            text = Form::Nfd.apply(text, tracked);
            text = chars::filter(text, tracked, |character| !is_mark(character));
        }
        if self.lowercase { chars::lowercase(text, tracked) } else { text }
    }
}

fn is_dropped(character: char) -> bool {
    match character {
        '\0' | '\u{FFFD}' => true,
        '\t' | '\n' | '\r' => false,
        other => is_other(other),
    }
}

/// The blocks that BERT took for Chinese; the gap before U+2B920 is the reference's.
fn is_chinese(character: char) -> bool {
    matches!(
        character,
        '\u{4E00}'..='\u{9FFF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{20000}'..='\u{2A6DF}'
            | '\u{2A700}'..='\u{2B73F}'
            | '\u{2B740}'..='\u{2B81F}'
            | '\u{2B920}'..='\u{2CEAF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{2F800}'..='\u{2FA1F}'
    )
}

#[cfg(test)]
mod tests {
    use super::{BertNormalizer, BertOptions};
    use crate::encode::aligned::AlignedText;
    use crate::units::Span;

    fn all() -> BertNormalizer {
        BertNormalizer::new(BertOptions {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
        })
    }

    #[test]
    fn one_pass_gives_what_the_steps_give_for_every_character_between_others() {
        let bert = all();
        // Marks of several classes on both sides, one of which is not dropped.
        for around in ["a", "\u{301}", "\u{302E}"] {
            for character in '\0'..=char::MAX {
                let text = format!("{around}{character}{around}");
                let steps = bert.options.apply(AlignedText::unchanged(&text, 0), false);

                let pass = bert.apply(AlignedText::unchanged(&text, 0), false);

                assert_eq!(steps.text(), pass.text(), "{text:?}");
            }
        }
    }

    #[test]
    fn all_four_steps() {
        let bert = all();
        let text = bert.apply(AlignedText::unchanged("É\0\u{200B}\t漢", 0), true);

        assert_eq!("e  漢 ", text.text());
        assert_eq!(Span::new(0, 2), text.original(Span::new(0, 1)));
        assert_eq!(Span::new(7, 10), text.original(Span::new(3, 6)));
    }
}
