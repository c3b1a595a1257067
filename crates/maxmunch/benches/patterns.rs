//! Throughput of the ordered machine beside Oniguruma, pieces compared in the same run.
//!
//! `cargo bench --package maxmunch --bench patterns -- TEXT…` takes plain text files (UTF-8); the first
//! 2 MB of each are used. Without files only the growth on adversarial texts is shown.
//!
//! Throughput is given twice: over all rounds by the processor time of the thread where the system tells it
//! (Linux), so that a busy machine does not count; and of the fastest round on the wall.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program that prints, and stops on failure"
)]

#[path = "../tests/patterns/mod.rs"]
mod patterns;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use maxmunch::machine::ordered::OrderedMachine;
use patterns::PATTERNS;

const ROUNDS: usize = 21;
const MAX_BYTES: usize = 2_000_000;
const SHOWN: [&str; 7] = [
    "gpt2",
    "cl100k",
    "cl100k, possessive",
    "o200k",
    "o200k, limited",
    "deepseek, words",
    "tekken",
];

/// Number of matches and a hash of their ends.
fn by_machine(machine: &OrderedMachine, text: &str) -> (usize, u64) {
    let mut sum = (0, 0);
    let done: ControlFlow<()> = machine.for_each_match(text, |span| {
        sum = mix(sum, span.start, span.end);
        ControlFlow::Continue(())
    });
    let _ = black_box(done);
    sum
}

fn by_onig(regex: &onig::Regex, text: &str) -> (usize, u64) {
    regex.find_iter(text).fold((0, 0), |sum, (start, end)| mix(sum, start, end))
}

fn mix((count, hash): (usize, u64), start: usize, end: usize) -> (usize, u64) {
    (count + 1, (hash ^ (start as u64) << 1 ^ end as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Seconds of processor time that this thread has used.
fn processor_seconds() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = statistics.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Seconds on the wall of `work`, and what it gives.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

fn throughput(text_name: &str, text: &str) {
    let megabytes = text.len() as f64 / 1e6;
    println!(
        "\n{text_name}, {megabytes:.1} MB: MB/s over {ROUNDS} rounds (fastest), onig, ratio of processor time"
    );
    for (name, pattern) in PATTERNS.iter().filter(|(name, _)| SHOWN.contains(name)) {
        let (built, machine) = timed(|| OrderedMachine::new(pattern).expect("a supported pattern"));
        let regex = onig::Regex::new(pattern).expect("a valid pattern");
        let before = processor_seconds();
        let (slow_wall, expected) = timed(|| by_onig(&regex, text));
        let between = processor_seconds();
        let times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let (time, found) = timed(|| by_machine(&machine, text));
                assert_eq!(expected, found, "{name} differs from onig");
                time
            })
            .collect();
        let after = processor_seconds();
        let used = |from: Option<f64>, to: Option<f64>| to.zip(from).map(|(to, from)| to - from);
        let slow = used(before, between).unwrap_or(slow_wall);
        let fast = used(between, after).unwrap_or(times.iter().sum()) / ROUNDS as f64;
        println!(
            "{name:22} {:7.1} ({:5.1}) {:6.1} {:6.1} x   {} states, built in {:.1} ms",
            megabytes / fast,
            megabytes / times.iter().copied().fold(f64::INFINITY, f64::min),
            megabytes / slow,
            slow / fast,
            machine.states(),
            built * 1e3,
        );
    }
}

/// Texts on which a machine that starts again after each match could read much of the text each time.
fn growth() {
    let texts: [(&str, &str, &str); 6] = [
        ("spaces", " ", ""),
        ("newlines", "\n", ""),
        ("a newline, then spaces", " ", "\n"),
        ("space and newline", " \n", ""),
        ("capitals", "A", ""),
        ("a b c ...", "a ", ""),
    ];
    println!(
        "\nnanoseconds a byte at 10 kB, 100 kB, 1 MB, 10 MB; the last pattern looks ahead without end"
    );
    for (name, pattern) in
        PATTERNS.iter().copied().chain([("a*b|a", "a*b|a"), (" *x|[ \n]", " *x|[ \n]")])
    {
        if !SHOWN.contains(&name) && !name.contains('*') {
            continue;
        }
        let machine = OrderedMachine::new(pattern).expect("a supported pattern");
        for (text_name, unit, prefix) in texts {
            let unit = if name.starts_with('a') { &unit.replace(' ', "a") } else { unit };
            print!("{name:22} {text_name:24}");
            for size in [10_000, 100_000, 1_000_000, 10_000_000] {
                let text = format!("{prefix}{}", unit.repeat(size / unit.len()));
                let time = (0..5)
                    .map(|_| timed(|| black_box(by_machine(&machine, &text))).0)
                    .fold(f64::INFINITY, f64::min);
                print!(" {:6.2}", time * 1e9 / size as f64);
            }
            println!();
        }
    }
}

fn main() {
    for path in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let bytes = std::fs::read(&path).expect("a readable file");
        let text = String::from_utf8(bytes).expect("UTF-8");
        let end = (0..=text.len().min(MAX_BYTES)).rev().find(|&at| text.is_char_boundary(at));
        let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
        throughput(&name, &text[..end.unwrap_or(0)]);
    }
    growth();
}
