use std::convert::Infallible;
use std::io::Read as _;
use std::path::Path;

use super::*;
use crate::input::{self, Lines};
use crate::record::{self, Options, Reading};

fn recognised(log: &[u8], patterns: &Patterns, gate: bool) -> Recognised {
    let mut recogniser = Recogniser::new(patterns);
    let see = |read: crate::record::Read<'_>| {
        let Some(record) = read.record() else { return };
        if !gate {
            recogniser.gate.keep(1);
        }
        recogniser.record(record);
    };
    crate::record::read(&mut Lines::new(log), Options::default(), see).unwrap();
    recogniser.finish()
}

/// All logs below a directory, decompressed.
fn logs(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut logs = Vec::new();
    let Ok(()) = input::each::<Infallible>(folder, &mut |found| {
        if let Ok(mut source) = found.source {
            let mut log = Vec::new();
            if source.reader.read_to_end(&mut log).is_ok() {
                logs.push((source.name, log));
            }
        }
        Ok(())
    });
    logs
}

/// A log with its lines without search words repeated many times.
fn with_noise(log: &[u8], words: &[String]) -> Option<Vec<u8>> {
    let log = std::str::from_utf8(log).ok()?;
    let lines = log.split_inclusive('\n').flat_map(|line| {
        // The meaning of a line without a time depends on its neighbours.
        let timed = line.starts_with('[') || line.contains(" kernel: ");
        let noise = timed && !words.iter().any(|word| line.contains(word.as_str()));
        std::iter::repeat_n(line, if noise { 30 } else { 1 })
    });
    Some(lines.collect::<String>().into_bytes())
}

/// Lines without search words change nothing, whether they are read or skipped.
#[test]
fn what_is_stepped_over_changes_nothing() {
    let patterns = crate::builtin::patterns();
    let mut skimmed = 0;
    for (name, log) in logs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))) {
        let Some(text) = with_noise(&log, &patterns.words) else { continue };
        let read = |skim_beyond: usize| {
            let mut recogniser = Recogniser::new(&patterns);
            let options = Options { skim_beyond, ..Options::default() };
            let reading =
                record::read_wanted(&mut Lines::new(&*text), options, &mut recogniser).unwrap();
            (recogniser.finish(), reading)
        };
        let (quick, slow) = (read(0), read(usize::MAX));
        skimmed += quick.1.skimmed;
        let told = |(found, reading): &(Recognised, Reading)| {
            let starts: Vec<u64> = reading.boots.iter().map(|boot| boot.first_sequence).collect();
            let Reading { lines, records, kernel_records, form, direction, .. } = reading;
            format!(
                "{lines} {records} {kernel_records} {form} {direction:?} {starts:?} {} {} {} {:?}",
                found.kernel_records,
                found.driver_records,
                found.facts.has_others(0, u64::MAX),
                found.events
            )
        };
        assert_eq!(told(&quick), told(&slow), "{name}");
    }
    assert!(skimmed > 1000, "{skimmed}");
}

#[test]
fn the_gate_holds_nothing_back() {
    let patterns = crate::builtin::patterns();
    let logs = logs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures")));
    assert!(logs.len() > 100, "{}", logs.len());
    for (name, log) in &logs {
        let with = recognised(log, &patterns, true);
        let without = recognised(log, &patterns, false);
        assert_eq!(with.events, without.events, "{name}");
        assert_eq!(with.driver_records, without.driver_records, "{name}");
        assert_eq!(with.unknown_driver_lines, without.unknown_driver_lines, "{name}");
    }
}
