//! The `ByteLevel` post-processor: takes white space off the offsets. Token texts stay as they are.

use crate::encode::byte_level;
use crate::encode::encoding::Encoding;
use crate::encode::models::Vocabulary;
use crate::encode::pre_tokenizers::ByteLevelOptions;

pub(super) fn apply(
    options: ByteLevelOptions,
    mut encodings: Vec<Encoding>,
    vocabulary: &Vocabulary,
) -> Vec<Encoding> {
    for (index, encoding) in encodings.iter_mut().enumerate() {
        if options.trim_offsets {
            trim_all(encoding, vocabulary, options.add_prefix_space);
        }
        encoding.set_sequence_id(index);
    }
    encodings
}

/// Trims an encoding and what overflowed from it.
pub(super) fn trim_all(encoding: &mut Encoding, vocabulary: &Vocabulary, add_prefix_space: bool) {
    trim(encoding, vocabulary, add_prefix_space);
    for part in &mut encoding.overflowing {
        trim(part, vocabulary, add_prefix_space);
    }
}

fn trim(encoding: &mut Encoding, vocabulary: &Vocabulary, add_prefix_space: bool) {
    let tokens = encoding.ids.iter().zip(&encoding.texts).zip(&mut encoding.offsets);
    for (index, ((&id, text), offsets)) in tokens.enumerate() {
        let text = text.as_deref().or_else(|| vocabulary.token(id)).unwrap_or_default();
        let mut leading = text.chars().take_while(|&c| is_space(c)).count();
        let trailing = text.chars().rev().take_while(|&c| is_space(c)).count();
        // A single space at the start of the text was put there by us; several are the writer's.
        if (index == 0 || offsets.0 == 0) && add_prefix_space && leading == 1 {
            leading = 0;
        }
        offsets.0 = (offsets.0 + leading).min(offsets.1).max(offsets.0);
        if trailing > 0 && offsets.1 >= trailing {
            offsets.1 = (offsets.1 - trailing).max(offsets.0);
        }
    }
}

fn is_space(character: char) -> bool {
    character == byte_level::char_of(b' ') || character.is_whitespace()
}
