//! Sentences about what was read and what was unusable: the last line of a report and of a list of
//! records.

use std::fmt::Write as _;

use strum::VariantArray as _;

use crate::document::counts::several;
use crate::input::called;
use crate::record::clock::deriving;
use crate::record::{LogFormat, ReadStats, SkipReason};

/// What is counted, where it is one.
fn of_one(what: &str) -> String {
    const PLURALS: [(&str, &str); 8] = [
        ("lines", "line"),
        ("records", "record"),
        ("events", "event"),
        ("incidents", "incident"),
        ("boots", "boot"),
        ("diagnoses", "diagnosis"),
        ("notices", "notice"),
        ("signatures", "signature"),
    ];
    let mut words: Vec<&str> = what.split(' ').collect();
    let counted = words.iter_mut().find_map(|word| {
        let (_, singular) = PLURALS.iter().find(|(plural, _)| plural == word)?;
        Some((word, singular))
    });
    if let Some((word, singular)) = counted {
        *word = singular;
    }
    words.join(" ")
}

/// A sentence under construction: counts, followed by remarks.
pub(super) struct ReadingSentence {
    text: String,
}

impl ReadingSentence {
    /// The part that applies to every input.
    pub(super) fn new(name: Option<&str>, reading: &ReadStats) -> Self {
        let name = name.map(|name| format!("{}, ", called(name))).unwrap_or_default();
        let mut text = format!("Read: {name}{}", reading.form.name());
        let (lines, records) = (several(reading.lines, "line"), several(reading.records, "record"));
        let _ = write!(text, ", {lines}, {records}");
        let mut sentence = Self { text };
        sentence.count(reading.skimmed, "lines only searched for key words");
        sentence
    }

    /// Adds a count unless it is 0.
    pub(super) fn count(&mut self, count: u64, what: &str) {
        match count {
            0 => {}
            1 => self.part(&format!("1 {}", of_one(what))),
            _ => self.part(&format!("{count} {what}")),
        }
    }

    /// Adds an item.
    pub(super) fn part(&mut self, part: &str) {
        self.text.push_str(", ");
        self.text.push_str(part);
    }

    /// Adds a remark.
    pub(super) fn remark(&mut self, remark: &str) {
        self.text.push_str("; ");
        self.text.push_str(remark);
    }

    /// Adds that the times of a format are not the kernel's.
    pub(super) fn derived(&mut self, form: LogFormat) {
        if let Some(program) = deriving(form) {
            self.remark(&format!(
                "times from {program}, which are late by any time the machine was asleep"
            ));
        }
    }

    /// Adds the number of lines that the log itself reports as lost or suppressed.
    pub(super) fn missing(&mut self, reading: &ReadStats) {
        self.count(reading.repeats, "repeated lines that the log only counts");
        let lost = reading.holes.iter().filter_map(|hole| hole.lost);
        self.count(lost.sum(), "lines that the log reports as left out");
    }

    /// Adds whether the end was reached, and the full stop.
    pub(super) fn end(mut self, reading: &ReadStats) -> String {
        if let Some(error) = &reading.stopped {
            self.remark(&format!("reading stopped early: {error}"));
        }
        self.text.push('.');
        self.text
    }
}

/// The number of lines around the log and between its records. Brackets of a JSON document are part
/// of its format, and quoted repetitions are counted separately.
pub(super) fn around(reading: &ReadStats) -> u64 {
    let around = SkipReason::VARIANTS.iter().copied().filter(|why| match why {
        SkipReason::Surroundings
        | SkipReason::Mention
        | SkipReason::Marker
        | SkipReason::ListHeader
        | SkipReason::PartHeader => true,
        SkipReason::QuotedAgain | SkipReason::Structure | SkipReason::Damaged => false,
    });
    around.map(|why| reading.passed_over(why)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_once_is_one() {
        for (many, one) in [
            ("lines ignored (not log lines)", "line ignored (not log lines)"),
            (
                "other driver lines without a known meaning",
                "other driver line without a known meaning",
            ),
            ("diagnoses less certain than requested", "diagnosis less certain than requested"),
            (
                "signatures not evaluated: too many events",
                "signature not evaluated: too many events",
            ),
        ] {
            assert_eq!(of_one(many), one);
        }
    }
}
