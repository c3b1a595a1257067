//! Decoders on a stream of tokens: what is written is never taken back, and all of it is what the decoder makes
//! of the whole list.
//!
//! Each step gets tokens, perhaps in parts, and hands on what no later token can change. Steps that look at one
//! token run the decoder itself on it; where a step needs to know whether it is the first, or the last, a
//! placeholder stands for the others.

use crate::encode::byte_level;
use crate::encode::decoders::{Decoder, Strip};
use crate::error::Result;

/// What a step is told: part of a token's text, the end of the token, the end of the stream.
#[derive(Debug, Clone, Copy)]
enum Event<'a> {
    Text(&'a str),
    End,
    Finish,
}

/// A decoder at work on a stream.
#[derive(Debug)]
pub struct StreamingDecoder {
    steps: Vec<Step>,
}

impl StreamingDecoder {
    /// Starts a stream; without a decoder the tokens are joined by spaces.
    pub fn new(decoder: Option<&Decoder>) -> Self {
        let mut steps = Vec::new();
        match decoder {
            Some(decoder) => flatten(decoder, &mut steps),
            None => steps.push(Step::Spaces { begun: false }),
        }
        Self { steps }
    }

    /// Takes a token and appends what is certain now to `out`.
    pub fn token(&mut self, text: &str, out: &mut String) -> Result<()> {
        run(&mut self.steps, Event::Text(text), out)?;
        run(&mut self.steps, Event::End, out)
    }

    /// Appends what was held back.
    pub fn finish(&mut self, out: &mut String) -> Result<()> {
        run(&mut self.steps, Event::Finish, out)
    }
}

fn flatten(decoder: &Decoder, steps: &mut Vec<Step>) {
    match decoder {
        Decoder::Sequence(parts) => parts.iter().for_each(|part| flatten(part, steps)),
        Decoder::Fuse => steps.push(Step::Fuse),
        Decoder::ByteLevel(_) => {
            steps.push(Step::ByteLevel { token: String::new(), open: Vec::new() });
        }
        Decoder::Strip(strip) => {
            steps.push(Step::Strip { strip: *strip, left: strip.start(), held: 0 });
        }
        _ => steps.push(Step::Tokens {
            decoder: decoder.clone(),
            token: String::new(),
            kept: Vec::new(),
            index: 0,
        }),
    }
}

/// One decoder of the chain and what it remembers.
#[derive(Debug)]
enum Step {
    /// No decoder: a space between tokens.
    Spaces { begun: bool },
    /// All tokens are one, so no end is handed on.
    Fuse,
    /// All tokens are one text; `open` is the start of a character that is not complete.
    ByteLevel { token: String, open: Vec<u8> },
    /// `left` characters may still go at the start of the token, `held` at its end.
    Strip { strip: Strip, left: usize, held: usize },
    /// A decoder that looks at whole tokens: the one that is coming in, and those that it needs again.
    Tokens { decoder: Decoder, token: String, kept: Vec<String>, index: usize },
}

fn run(steps: &mut [Step], event: Event, out: &mut String) -> Result<()> {
    let Some((step, rest)) = steps.split_first_mut() else {
        if let Event::Text(text) = event {
            out.push_str(text);
        }
        return Ok(());
    };
    match step {
        Step::Spaces { begun } => {
            match event {
                Event::Text(_) if std::mem::replace(begun, true) => {
                    run(rest, Event::Text(" "), out)?;
                }
                _ => {}
            }
            run(rest, event, out)
        }
        Step::Fuse => match event {
            Event::Text(_) => run(rest, event, out),
            Event::End => Ok(()),
            Event::Finish => {
                run(rest, Event::End, out)?;
                run(rest, event, out)
            }
        },
        Step::ByteLevel { token, open } => {
            match event {
                Event::Text(text) => token.push_str(text),
                Event::End => {
                    match byte_level::to_bytes(token) {
                        Some(bytes) => open.extend(bytes),
                        None => open.extend_from_slice(token.as_bytes()),
                    }
                    token.clear();
                    let complete = complete_len(open);
                    let text = String::from_utf8_lossy(&open[..complete]).into_owned();
                    open.drain(..complete);
                    run(rest, Event::Text(&text), out)?;
                }
                Event::Finish => {
                    let text = String::from_utf8_lossy(open).into_owned();
                    open.clear();
                    run(rest, Event::Text(&text), out)?;
                    run(rest, Event::End, out)?;
                    run(rest, event, out)?;
                }
            }
            Ok(())
        }
        Step::Strip { strip, left, held } => match event {
            Event::Text(text) => {
                let text = strip_part(*strip, left, held, text);
                run(rest, Event::Text(&text), out)
            }
            Event::End => {
                (*left, *held) = (strip.start(), 0);
                run(rest, event, out)
            }
            Event::Finish => run(rest, event, out),
        },
        Step::Tokens { decoder, token, kept, index } => {
            let decoded = match event {
                Event::Text(text) => {
                    token.push_str(text);
                    return Ok(());
                }
                Event::End => {
                    *index += 1;
                    next_token(decoder, std::mem::take(token), kept, *index == 1)?
                }
                Event::Finish => last_tokens(decoder, std::mem::take(kept))?,
            };
            for token in &decoded {
                run(rest, Event::Text(token), out)?;
                run(rest, Event::End, out)?;
            }
            if matches!(event, Event::Finish) { run(rest, event, out) } else { Ok(()) }
        }
    }
}

/// Length of the bytes that later bytes cannot complete to anything else.
fn complete_len(bytes: &[u8]) -> usize {
    // A character has at most four bytes: only the last three can be the start of one.
    let tail = bytes.len().saturating_sub(3);
    let starts = (tail..bytes.len()).rev();
    for start in starts {
        if let Err(error) = std::str::from_utf8(&bytes[start..])
            && error.valid_up_to() == 0
            && error.error_len().is_none()
        {
            return start;
        }
    }
    bytes.len()
}

/// What of a part of a token is certainly not stripped; the rest is counted in `held`.
fn strip_part(strip: Strip, left: &mut usize, held: &mut usize, part: &str) -> String {
    let content = strip.content();
    let mut text = String::with_capacity(part.len());
    for character in part.chars() {
        if character == content {
            if *left > 0 {
                *left -= 1;
            } else if *held < strip.stop() {
                *held += 1;
            } else {
                text.push(content);
            }
            continue;
        }
        *left = 0;
        text.extend(std::iter::repeat_n(content, std::mem::take(held)));
        text.push(character);
    }
    text
}

/// What is certain once `token` is complete.
fn next_token(
    decoder: &Decoder,
    token: String,
    kept: &mut Vec<String>,
    is_first: bool,
) -> Result<Vec<String>> {
    match decoder {
        // Who is first or not changes the token, not what came before.
        Decoder::Metaspace(_) | Decoder::WordPiece(_) if !is_first => {
            Ok(decoder.decode_chain(vec![String::new(), token])?.split_off(1))
        }
        // The last token is treated in another way: hold it back.
        Decoder::Bpe(_) => {
            let before = std::mem::replace(kept, vec![token]);
            let Some(before) = before.into_iter().next() else { return Ok(Vec::new()) };
            let mut decoded = decoder.decode_chain(vec![before, String::new()])?;
            decoded.truncate(1);
            Ok(decoded)
        }
        // Repeated tokens are one.
        Decoder::Ctc(_) => {
            if kept.first() == Some(&token) {
                return Ok(Vec::new());
            }
            *kept = vec![token.clone()];
            decoder.decode_chain(vec![token])
        }
        // A run of bytes is decoded as a whole.
        Decoder::ByteFallback => {
            let is_byte = decoder.decode_chain(vec![token.clone()])? != [token.as_str()];
            kept.push(token);
            if is_byte { Ok(Vec::new()) } else { decoder.decode_chain(std::mem::take(kept)) }
        }
        Decoder::Custom(_) => {
            kept.push(token);
            Ok(Vec::new())
        }
        _ => decoder.decode_chain(vec![token]),
    }
}

/// What is left at the end.
fn last_tokens(decoder: &Decoder, kept: Vec<String>) -> Result<Vec<String>> {
    match decoder {
        Decoder::Bpe(_) | Decoder::ByteFallback | Decoder::Custom(_) => decoder.decode_chain(kept),
        _ => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::StreamingDecoder;
    use crate::encode::decoders::Decoder;
    use crate::encode::json::Node;

    fn decoders() -> impl Strategy<Value = Value> {
        let one = prop::sample::select(vec![
            json!({"type": "Fuse"}),
            json!({"type": "ByteFallback"}),
            json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true}),
            json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}),
            json!({"type": "WordPiece", "prefix": "##", "cleanup": true}),
            json!({"type": "BPEDecoder", "suffix": "</w>"}),
            json!({"type": "CTC", "pad_token": "_", "word_delimiter_token": "|", "cleanup": true}),
            json!({"type": "Strip", "content": " ", "start": 1, "stop": 0}),
            json!({"type": "Strip", "content": "a", "start": 1, "stop": 2}),
            json!({"type": "Replace", "pattern": {"String": "▁"}, "content": " "}),
            json!({"type": "Replace", "pattern": {"Regex": "a+"}, "content": "b"}),
        ]);
        prop::collection::vec(one, 0..4)
            .prop_map(|decoders| json!({"type": "Sequence", "decoders": decoders}))
    }

    fn tokens() -> impl Strategy<Value = Vec<String>> {
        let one = prop::sample::select(vec![
            "", " ", "a", "aa", " a ", "▁", "▁a", "##a", "a</w>", "_", "|", ".", "<0xE6>",
            "<0xBC>", "<0xA2>", "<0x61>", "Ġ", "Ġa", "æ", "¼", "¢", "ð", "漢", "é",
        ]);
        prop::collection::vec(one.prop_map(str::to_owned), 0..12)
    }

    proptest! {
        #[test]
        fn a_stream_writes_what_the_decoder_makes_of_the_whole(
            document in decoders(),
            tokens in tokens(),
        ) {
            let decoder = Decoder::from_json(&Node::root(&document))
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            let mut stream = StreamingDecoder::new(Some(&decoder));
            let mut out = String::new();
            for token in &tokens {
                stream.token(token, &mut out)
                    .map_err(|error| TestCaseError::fail(error.to_string()))?;
            }
            stream.finish(&mut out).map_err(|error| TestCaseError::fail(error.to_string()))?;

            let whole = decoder.decode(tokens)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(whole, out);
        }
    }

    #[test]
    fn a_character_is_written_when_it_is_complete() -> crate::Result<()> {
        let document = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true});
        let decoder = Decoder::from_json(&Node::root(&document))?;
        let mut stream = StreamingDecoder::new(Some(&decoder));
        let mut steps = Vec::new();
        for token in ["Ġa", "æ", "¼", "¢", "ð"] {
            let mut out = String::new();
            stream.token(token, &mut out)?;
            steps.push(out);
        }
        let mut out = String::new();
        stream.finish(&mut out)?;
        steps.push(out);

        assert_eq!(vec![" a", "", "", "漢", "", "\u{FFFD}"], steps);
        Ok(())
    }
}
