//! The symbol of each character of a byte-pair model.

use hashbrown::HashMap;

use crate::units::TokenId;

/// Characters are looked up in blocks of this many.
const BLOCK: usize = 256;

/// No token has the largest number.
const NONE: TokenId = TokenId::MAX;

/// A map from characters to ids in two array reads.
#[derive(Debug)]
pub(super) struct CharTable {
    /// Number of the block that describes code points `256 i .. 256 (i + 1)`; block 0 is empty.
    block_of: Vec<u16>,
    ids: Vec<TokenId>,
}

impl CharTable {
    /// The table of these characters, each given once.
    pub(super) fn new(entries: impl IntoIterator<Item = (char, TokenId)>) -> Self {
        let mut table = Self { block_of: vec![0; 0x11_0000 / BLOCK], ids: vec![NONE; BLOCK] };
        let mut numbers: HashMap<usize, u16> = HashMap::new();
        for (character, id) in entries {
            let code = character as usize;
            let next = (table.ids.len() / BLOCK) as u16;
            let number = *numbers.entry(code / BLOCK).or_insert(next);
            if number == next {
                table.ids.resize(table.ids.len() + BLOCK, NONE);
                table.block_of[code / BLOCK] = number;
            }
            table.ids[usize::from(number) * BLOCK + code % BLOCK] = id;
        }
        table
    }

    /// The id of the character with this code point.
    #[inline]
    pub(super) fn get(&self, code: u32) -> Option<TokenId> {
        let code = code as usize;
        let block = usize::from(*self.block_of.get(code / BLOCK)?);
        let id = *self.ids.get(block * BLOCK + code % BLOCK)?;
        (id != NONE).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::CharTable;

    #[test]
    fn characters_are_found_by_their_code() {
        let table = CharTable::new([('a', 5), ('b', 6), ('漢', 7), ('\u{10FFFF}', 8)]);

        assert_eq!(Some(5), table.get(u32::from('a')));
        assert_eq!(Some(7), table.get(u32::from('漢')));
        assert_eq!(Some(8), table.get(0x10_FFFF));
        assert_eq!(None, table.get(u32::from('c')));
        assert_eq!(None, table.get(0x11_0000));
    }
}
