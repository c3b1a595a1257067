//! The `ByteLevel` decoder: a token whose characters are all in the table is bytes, any other is text.

use crate::encode::byte_level;

pub(super) fn decode_chain(tokens: &[String]) -> Vec<String> {
    let mut bytes = Vec::with_capacity(tokens.iter().map(String::len).sum());
    for token in tokens {
        match byte_level::to_bytes(token) {
            Some(decoded) => bytes.extend(decoded),
            None => bytes.extend_from_slice(token.as_bytes()),
        }
    }
    vec![String::from_utf8_lossy(&bytes).into_owned()]
}

#[cfg(test)]
mod tests {
    use super::decode_chain;

    #[test]
    fn tokens_are_bytes_all_or_nothing() {
        let tokens = ["Ġa", "é", "東 Ġ", "æĿ"].map(str::to_owned);

        assert_eq!(vec![" a\u{FFFD}東 Ġ\u{FFFD}".to_owned()], decode_chain(&tokens));
    }
}
