//! Any bytes are read as records, without panics or hangs; the size of blocks makes no difference,
//! and the invariants of records hold.
//!
//! `fuzz/run 60 records`; see `fuzz/README.md`.

#![no_main]

use std::io::{self, Read};

use amdtriage::input::{LINE_LIMIT, Lines, Words};
use amdtriage::record::{self, Direction, Options, Read as Found, ReadStats, SkipReason, Visit};
use libfuzzer_sys::fuzz_target;

/// Reads an input in small pieces.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&mut self.0).take(self.1 as u64).read(buffer)
    }
}

/// The compared properties of a record.
type Known = (u64, Option<i64>, bool, String);

fn records(input: impl Read, options: Options) -> (Vec<Known>, ReadStats) {
    let mut found = Vec::new();
    let mut passed = None;
    let reading = record::read(&mut Lines::new(input), options, |read| {
        let Found::Record(record) = read else { return };
        assert_eq!(record.sequence, found.len() as u64);
        assert!(record.message.len() <= 8 * LINE_LIMIT, "bounded");
        assert!(record.stamp.passed >= passed || record.stamp.passed.is_none(), "never falls");
        passed = record.stamp.passed.or(passed);
        let clock = record.stamp.monotonic.map(|clock| clock.0);
        found.push((record.line, clock, record.buffered, record.message.to_owned()));
    })
    .expect("reading from memory does not fail");
    (found, reading)
}

/// The search words for the fast path.
const WORDS: [&str; 3] = ["amdgpu", "[drm", "Linux version"];

/// Records the lines with a word.
struct Skimmer {
    words: Words,
    seen: Vec<(u64, String)>,
}

impl Visit for Skimmer {
    fn see(&mut self, read: Found<'_>) {
        let Some(record) = read.record() else { return };
        if WORDS.iter().any(|word| record.message.contains(word)) {
            self.seen.push((record.line, record.message.to_owned()));
        }
    }

    fn words(&self) -> Option<&Words> {
        Some(&self.words)
    }
}

/// The records with a word, if lines of an input longer than `skim_beyond` are not all read.
fn skimmed(log: &[u8], skim_beyond: usize) -> (Vec<(u64, String)>, ReadStats) {
    let words = Words::new(WORDS, []).expect("three words");
    let mut skimmer = Skimmer { words, seen: Vec::new() };
    let options = Options { skim_beyond, ..Options::default() };
    let reading = record::read_wanted(&mut Lines::new(log), options, &mut skimmer)
        .expect("reading from memory does not fail");
    (skimmer.seen, reading)
}

fuzz_target!(|input: &[u8]| {
    let Some((&size, log)) = input.split_first() else { return };
    let (found, reading) = records(log, Options::default());
    assert_eq!(reading.records, found.len() as u64);
    assert_eq!(reading.bytes, log.len() as u64);
    assert!(reading.boots.is_sorted_by_key(|boot| boot.first_sequence));
    assert!(reading.kernel_records <= reading.records);
    let lines = || found.iter().map(|known| known.0);
    match reading.direction {
        Direction::Reversed => assert!(lines().rev().is_sorted() || lines().is_sorted()),
        Direction::Forward | Direction::Mixed | Direction::Interleaved => {}
    }
    let pieces = records(Pieces(log, usize::from(size).max(1)), Options::default());
    assert_eq!(pieces.0, found, "blocks make no difference");
    let as_it_comes = Options { as_it_comes: true, ..Options::default() };
    let (mut straight, _) = records(log, as_it_comes);
    assert!(straight.is_sorted_by_key(|known| known.0), "in the order of the lines");
    let (quick, quickly) = skimmed(log, 0);
    let (_, slowly) = skimmed(log, usize::MAX);
    assert_eq!(quickly.lines, slowly.lines, "each line is counted");
    // If one input has logs of several formats, a line may be read in another format than its own,
    // so records are not compared; for one format `src/event/recognise.rs` compares them.
    assert!(quick.iter().all(|(line, _)| *line <= quickly.lines), "each stands on a line");
    let mut found = found;
    straight.sort();
    found.sort();
    // Of two saved crashes the second repeats the first.
    if reading.passed_over(SkipReason::PartHeader) == 0 {
        assert_eq!(straight, found, "order adds and drops nothing");
    }
});
