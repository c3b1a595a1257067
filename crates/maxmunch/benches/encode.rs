//! Megabytes per second of CPU time of `encode_ids` at first sight, one thread, for a profiler to look at.
//!
//! ```text
//! cargo bench --bench encode -- TOKENIZER.json TEXT [TEXT ...] [--megabytes 2] [--rounds 5] [--warm]
//! ```
//!
//! Every round loads nothing anew but forgets what pieces became; documents are 10 kB and none comes twice. With
//! `--warm` each round has seen them all before.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and may stop at an error"
)]

use std::time::Instant;

use maxmunch::encode::{EncodeOptions, Specials, Tokenizer, Unit};

const DOCUMENT_BYTES: usize = 10_000;

/// Documents at even strides over the text.
fn documents(text: &str, limit: usize) -> Vec<&str> {
    let count = (limit / DOCUMENT_BYTES).max(1);
    let stride = (text.len() / count).max(DOCUMENT_BYTES);
    (0..text.len().saturating_sub(DOCUMENT_BYTES))
        .step_by(stride)
        .take(count)
        .map(|start| {
            let start = text.floor_char_boundary(start);
            &text[start..text.floor_char_boundary(start + DOCUMENT_BYTES)]
        })
        .collect()
}

fn option(arguments: &mut Vec<String>, name: &str, default: f64) -> f64 {
    let Some(at) = arguments.iter().position(|argument| argument == name) else { return default };
    arguments.remove(at);
    arguments.remove(at).parse().unwrap()
}

fn main() {
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let is_warm = arguments.iter().any(|argument| argument == "--warm");
    arguments.retain(|argument| argument != "--warm");
    let limit = option(&mut arguments, "--megabytes", 2.0) * 1e6;
    let rounds = option(&mut arguments, "--rounds", 5.0) as usize;
    let [file, texts @ ..] = arguments.as_slice() else {
        println!("give a tokenizer.json and texts");
        return;
    };
    let tokenizer = Tokenizer::from_json(&std::fs::read_to_string(file).unwrap()).unwrap();
    let options =
        EncodeOptions { add_special_tokens: false, specials: Specials::Parse, unit: Unit::None };
    for name in texts {
        let text = std::fs::read_to_string(name).unwrap();
        let documents = documents(&text, limit as usize);
        let bytes: usize = documents.iter().map(|document| document.len()).sum();
        let mut best = f64::INFINITY;
        let mut count = 0;
        for _ in 0..rounds {
            let fresh = tokenizer.with_cache_bytes(tokenizer.cache_bytes());
            if is_warm {
                for document in &documents {
                    fresh.encode_ids(document, options, &mut fresh.scratch()).unwrap();
                }
            }
            let start = Instant::now();
            count = 0;
            for document in &documents {
                count += fresh.encode_ids(document, options, &mut fresh.scratch()).unwrap().len();
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name:40} {:8.1} MB/s {count} ids", bytes as f64 / best / 1e6);
    }
}
