//! Look-ups between characters, words and tokens of an encoding.
//!
//! They follow the reference where its answer surprises: the place just behind the last token belongs to
//! sequence 0 where no sequence is marked, and the search for a word ends at the first greater one.

use crate::encode::encoding::Encoding;

impl Encoding {
    /// The input sequence of a token.
    pub fn token_to_sequence(&self, token: usize) -> Option<usize> {
        if token > self.len() {
            None
        } else if self.sequence_ranges.is_empty() {
            Some(0)
        } else {
            let mut ranges = self.sequence_ranges.iter();
            ranges.find(|(_, range)| range.contains(&token)).map(|(&sequence, _)| sequence)
        }
    }

    /// The offsets of a token of an input sequence.
    pub fn token_to_chars(&self, token: usize) -> Option<(usize, usize)> {
        self.token_to_sequence(token)?;
        self.offsets.get(token).copied()
    }

    /// The word of a token of an input sequence.
    pub fn token_to_word(&self, token: usize) -> Option<u32> {
        self.token_to_sequence(token)?;
        self.words.get(token).copied().flatten()
    }

    /// The half-open range of the tokens of a word.
    pub fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        let range = self.sequence_range(sequence);
        let words = self.words.get(range.clone())?.iter().enumerate();
        // No word counts as less than any.
        let mut own = words
            .take_while(|(_, found)| **found <= Some(word))
            .filter(|(_, found)| **found == Some(word))
            .map(|(index, _)| range.start + index);
        let first = own.next()?;
        Some((first, own.last().unwrap_or(first) + 1))
    }

    /// The offsets that the tokens of a word span.
    pub fn word_to_chars(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        let (start, end) = self.word_to_tokens(word, sequence)?;
        Some((self.offsets.get(start)?.0, self.offsets.get(end - 1)?.1))
    }

    /// The first token that covers a character.
    pub fn char_to_token(&self, position: usize, sequence: usize) -> Option<usize> {
        let range = self.sequence_range(sequence);
        let offsets = self.offsets.get(range.clone())?;
        let found = offsets.iter().position(|&(start, end)| start <= position && position < end)?;
        Some(range.start + found)
    }

    /// The word that covers a character.
    pub fn char_to_word(&self, position: usize, sequence: usize) -> Option<u32> {
        self.token_to_word(self.char_to_token(position, sequence)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::encode::encoding::Encoding;

    fn encoding() -> Encoding {
        Encoding {
            ids: vec![0, 1, 2, 3],
            offsets: vec![(0, 2), (1, 3), (3, 4), (4, 4)],
            words: vec![Some(0), Some(2), Some(1), None],
            ..Encoding::default()
        }
    }

    #[test]
    fn without_marks_everything_and_one_more_place_is_sequence_0() {
        let encoding = encoding();

        assert_eq!(Some(0), encoding.token_to_sequence(4));
        assert_eq!(None, encoding.token_to_sequence(5));
        assert_eq!(None, encoding.token_to_chars(4));
        assert_eq!(None, encoding.token_to_word(3));
    }

    #[test]
    fn the_search_for_a_word_ends_at_the_first_greater_one() {
        let encoding = encoding();

        assert_eq!(None, encoding.word_to_tokens(1, 0));
        assert_eq!(Some((1, 2)), encoding.word_to_tokens(2, 0));
        assert_eq!(Some((1, 3)), encoding.word_to_chars(2, 0));
    }

    #[test]
    fn the_first_token_that_covers_a_character_is_found() {
        let mut encoding = encoding();

        assert_eq!(Some(0), encoding.char_to_token(1, 0));
        assert_eq!(Some(2), encoding.char_to_word(2, 0));
        assert_eq!(None, encoding.char_to_token(4, 0));
        encoding.sequence_ranges.insert(1, 1..4);
        assert_eq!(Some(1), encoding.char_to_token(1, 1));
        assert_eq!(None, encoding.token_to_sequence(0));
    }
}
