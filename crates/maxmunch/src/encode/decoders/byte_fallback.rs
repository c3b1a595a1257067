//! `ByteFallback`: tokens `<0xHH>` are bytes, and a run of them is decoded together.

/// Replaces each run of byte tokens by its text, or by one U+FFFD a byte if it is not UTF-8 as a whole.
pub(super) fn decode_chain(tokens: Vec<String>) -> Vec<String> {
    let mut decoded = Vec::with_capacity(tokens.len());
    let mut run = Vec::new();
    for token in tokens {
        if let Some(byte) = byte_of(&token) {
            run.push(byte);
        } else {
            flush(&mut run, &mut decoded);
            decoded.push(token);
        }
    }
    flush(&mut run, &mut decoded);
    decoded
}

fn flush(run: &mut Vec<u8>, decoded: &mut Vec<String>) {
    if run.is_empty() {
        return;
    }
    match String::from_utf8(std::mem::take(run)) {
        Ok(text) => decoded.push(text),
        Err(broken) => {
            let count = broken.as_bytes().len();
            decoded.extend(std::iter::repeat_n("\u{FFFD}".to_owned(), count));
        }
    }
}

/// The byte of a token of six bytes `<0xHH>`. `HH` is a number as `from_str_radix` reads it: `+F` is one.
fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::decode_chain;

    fn decoded(tokens: &[&str]) -> Vec<String> {
        decode_chain(tokens.iter().map(|&token| token.to_owned()).collect())
    }

    #[test]
    fn one_bad_byte_spoils_its_run() {
        assert_eq!(vec!["a", "漢", "b"], decoded(&["a", "<0xE6>", "<0xBC>", "<0xa2>", "b"]));
        assert_eq!(
            vec!["\u{FFFD}"; 4].as_slice(),
            decoded(&["<0xE6>", "<0xBC>", "<0xA2>", "<0xE6>"])
        );
    }

    #[test]
    fn only_two_digits_are_a_byte() {
        assert_eq!(vec!["\u{F}"], decoded(&["<0x+F>"]));
        assert_eq!(
            vec!["<0x-F>", "<0xF>", "<0xé>", "<0x0FF>"],
            decoded(&["<0x-F>", "<0xF>", "<0xé>", "<0x0FF>"])
        );
    }
}
