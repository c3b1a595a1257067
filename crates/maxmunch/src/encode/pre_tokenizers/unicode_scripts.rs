//! `UnicodeScripts`: cut where the script changes, and lose what comes before the first one.
//!
//! The scripts are those of Unicode 9, in which four characters had another one than today. Spaces and
//! characters without a script belong to any script: they join the piece before them, and those at the
//! start of the text are dropped, as in the reference.

use crate::encode::char_set;
use crate::encode::pre_tokenizers::Pieces;
use crate::error::Result;
use crate::units::Span;

/// A script by its place in [`SCRIPTS`].
type Script = u8;

/// The scripts of Unicode 9. The Japanese syllabaries count as Han.
const SCRIPTS: &str = "\
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak \
    Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian \
    Caucasian_Albanian Chakma Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic Deseret \
    Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic Grantha \
    Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited \
    Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li \
    Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian \
    Lydian Mahajani Malayalam Mandaic Manichaean Marchen Meetei_Mayek Mende_Kikakui \
    Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean \
    New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic \
    Old_Persian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene \
    Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada \
    Shavian Siddham SignWriting Sinhala Sora_Sompeng Sundanese Syloti_Nagri Syriac Tagalog \
    Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh \
    Tirhuta Ugaritic Vai Warang_Citi Yi";

/// Cuts between scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnicodeScripts {
    /// First and last character of a range, sorted, and its script.
    ranges: Box<[(char, char, Script)]>,
    ascii: Box<[Option<Script>; 128]>,
}

impl UnicodeScripts {
    /// Builds the table.
    pub(super) fn new() -> Result<Self> {
        let mut ranges = Vec::new();
        for name in SCRIPTS.split_whitespace() {
            let class = format!(r"[\p{{sc={name}}}&&\p{{age:9.0}}]");
            let script = number(if matches!(name, "Hiragana" | "Katakana") { "Han" } else { name });
            let found = char_set::ranges_of(&class)?;
            ranges.extend(found.iter().map(|&(first, last)| (first, last, script)));
        }
        ranges.sort_unstable();
        let mut table = Self { ranges: ranges.into(), ascii: Box::new([None; 128]) };
        for byte in 0..128 {
            table.ascii[usize::from(byte)] = table.look_up(char::from(byte));
        }
        table.ascii[usize::from(b' ')] = None;
        Ok(table)
    }

    fn look_up(&self, character: char) -> Option<Script> {
        match character {
            '\u{589}' | '\u{61C}' => return Some(number("Common")),
            '\u{953}' | '\u{954}' => return Some(number("Devanagari")),
            '\u{30FC}' => return Some(number("Han")),
            _ => {}
        }
        let after = self.ranges.partition_point(|&(first, ..)| first <= character);
        let &(_, last, script) = self.ranges.get(after.checked_sub(1)?)?;
        (character <= last).then_some(script)
    }

    /// The script of a character; `None` for those that belong to any.
    pub(super) fn script(&self, character: char) -> Option<Script> {
        match self.ascii.get(character as usize) {
            Some(script) => *script,
            None => self.look_up(character),
        }
    }

    pub(super) fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        pieces.split(|text, emit| {
            let mut current: Option<(usize, Script)> = None;
            for (at, character) in text.char_indices() {
                let Some(script) = self.script(character) else { continue };
                match current {
                    Some((_, same)) if same == script => {}
                    before => {
                        if let Some((start, _)) = before {
                            emit(Span::new(start, at));
                        }
                        current = Some((at, script));
                    }
                }
            }
            if let Some((start, _)) = current {
                emit(Span::new(start, text.len()));
            }
            Ok(())
        })
    }
}

/// The number of the script with this name; one after the last for a name that is none.
fn number(name: &str) -> Script {
    SCRIPTS.split_whitespace().take_while(|known| *known != name).count() as Script
}

#[cfg(test)]
mod tests {
    use super::UnicodeScripts;
    use crate::encode::pre_tokenizers::by_character::testing::pieces_of;
    use crate::error::Result;

    #[test]
    fn japanese_is_one_script_and_spaces_have_none() -> Result<()> {
        let part = UnicodeScripts::new()?;
        let cut = |text| pieces_of(text, |pieces| part.apply(pieces));

        assert_eq!(vec!["どこで生れ", "。", "Yes "], cut("どこで生れ。Yes ")?);
        assert_eq!(vec!["Apples are ", "りんごー 林檎"], cut("Apples are りんごー 林檎")?);
        Ok(())
    }

    #[test]
    fn what_comes_before_the_first_script_is_lost() -> Result<()> {
        let part = UnicodeScripts::new()?;
        let cut = |text| pieces_of(text, |pieces| part.apply(pieces));

        assert_eq!(vec!["Hello"], cut(" \u{378}Hello")?);
        assert_eq!(Vec::<String>::new(), cut("   ")?);
        Ok(())
    }
}
